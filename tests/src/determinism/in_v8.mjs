// Grades submissions with a grader that was taken apart into `grader.mjs` and its WebAssembly.
//
// Takes JSON on standard input, one value a line: first the answers, then one submission after the other. Prints JSON on
// standard output, one value a line: first what the grader says of itself, then what it said of each submission. Nothing
// is cut, escaped or rounded here. Every grading has an instance of its own.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

// Text has to come out of a grader as the bytes that it is: a byte-order mark stays, and what is not UTF-8 is an error.
// The grader's bindings make their decoders when they are loaded, so this comes first.
const Decoder = globalThis.TextDecoder;
globalThis.TextDecoder = class extends Decoder {
  constructor(encoding = "utf-8") {
    super(encoding, { fatal: true, ignoreBOM: true });
  }
};
const { instantiate } = await import("./grader.mjs");

// Instances hold address space that V8 does not see as memory.
const GRADINGS_BETWEEN_COLLECTIONS = 50;

let mostBytesRead = 0;

class File {
  #name;
  #bytes;

  constructor({ name, content }) {
    this.#name = name;
    this.#bytes = Buffer.from(content, "base64");
  }

  name() {
    return this.#name;
  }

  size() {
    return BigInt(this.#bytes.length);
  }

  read(offset, length) {
    const from = offset < BigInt(this.#bytes.length) ? Number(offset) : this.#bytes.length;
    return this.#bytes.subarray(from, from + Math.min(length, mostBytesRead));
  }
}

const modules = new Map();

function moduleNamed(name) {
  if (!modules.has(name)) {
    modules.set(name, new WebAssembly.Module(readFileSync(name)));
  }
  return modules.get(name);
}

// A fresh instance, and what it remarks.
function fresh() {
  const told = { warnings: [], panic: null };
  const files = { File };
  const diagnostics = {
    warn: (text) => void told.warnings.push(text),
    panicked: (text) => void (told.panic ??= text),
  };
  const imports = {
    "podium:grading/files": files,
    "podium:grading/files@1.0.0": files,
    "podium:grading/diagnostics": diagnostics,
    "podium:grading/diagnostics@1.0.0": diagnostics,
  };
  return { grader: () => instantiate(moduleNamed, imports).grader, told };
}

const view = new DataView(new ArrayBuffer(8));

function bits(value) {
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

function grade(submission, answers) {
  const { grader, told } = fresh();
  let outcome;
  try {
    const { value, measures } = grader().grade(
      new File(submission),
      answers.map((answer) => new File(answer)),
    );
    outcome = {
      score: { value: bits(value), measures: measures.map(({ name, value }) => [name, bits(value)]) },
    };
  } catch (error) {
    const { tag, val } = error.payload ?? {};
    outcome =
      tag === "invalid-submission" || tag === "invalid-answers"
        ? { [tag]: val }
        : { failed: { panic: told.panic, error: error.name ?? "?", words: String(error.message) } };
  }
  return { graded: { outcome, warnings: told.warnings } };
}

function say(line) {
  process.stdout.write(JSON.stringify(line) + "\n");
}

let answers;
let graded = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (answers === undefined) {
    ({ answers, most_bytes_read: mostBytesRead } = request);
    const { competition, metric, direction } = fresh().grader().describe();
    say({ described: { competition, metric, direction } });
    continue;
  }
  say(grade(request, answers));
  graded += 1;
  if (graded % GRADINGS_BETWEEN_COLLECTIONS === 0) {
    globalThis.gc();
  }
}
