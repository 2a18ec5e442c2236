"""Accuracy of `Transported` once more, in Python, and beside it what CPython makes of a machine that is not there."""

import csv
import io
import os
import sys
import time
import uuid

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.grader import (
    Description,
    Direction,
    Failure_InvalidAnswers,
    Failure_InvalidSubmission,
    Measure,
    Score,
)

ID, LABEL = "PassengerId", "Transported"


class Grader(exports.Grader):
    def describe(self):
        return Description("spaceship-titanic", "accuracy", Direction.HIGHER_IS_BETTER)

    def grade(self, submission, answers):
        try:
            expected = read_labels(answers[0])
        except ValueError as wrong:
            raise Err(Failure_InvalidAnswers(str(wrong)))
        try:
            predicted = read_labels(submission)
            if missing := expected.keys() - predicted.keys():
                raise ValueError(f"{len(missing)} ids are missing, `{min(missing)}` for one")
            if unknown := predicted.keys() - expected.keys():
                raise ValueError(f"`{min(unknown)}` is not among the ids to predict")
        except ValueError as wrong:
            raise Err(Failure_InvalidSubmission(str(wrong)))
        hits = sum(predicted[id] == label for id, label in expected.items())
        return Score(hits / len(expected), what_the_machine_tells())


def what_the_machine_tells():
    begin = time.monotonic()
    time.sleep(3)
    slept = time.monotonic() - begin
    order = list({"seal", "walrus", "whale", "otter", "penguin", "puffin"})
    print("graded by Python, order of a set:", *order)
    print("a random name:", uuid.uuid4(), file=sys.stderr)
    try:
        files = len(os.listdir("/"))
    except OSError:
        files = 0
    return [
        Measure("wall clock", time.time()),
        Measure("slept", slept),
        Measure("random", float(int.from_bytes(os.urandom(6), "little"))),
        Measure("order", float(sum(len(name) * 10**place for place, name in enumerate(order)))),
        Measure("environment", float(len(os.environ))),
        Measure("files", float(files)),
        Measure("standard input", float(len(sys.stdin.read()))),
    ]


def read_labels(file):
    """The labels by id. What is wrong with the file is a ValueError that says where."""
    try:
        text = read_bytes(file).decode().removeprefix("\ufeff")
    except UnicodeDecodeError as wrong:
        raise ValueError(f"byte {wrong.start} is not UTF-8: save the file as UTF-8")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as wrong:
        raise ValueError(f"this is not a CSV file: {wrong}")
    if not rows:
        raise ValueError("the file is empty")
    header = rows[0]
    for column in (ID, LABEL):
        if column not in header:
            raise ValueError(f"the column `{column}` is missing; there are {', '.join(header)[:200]}")
    labels = {}
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != len(header):
            raise ValueError(f"row {number} has {len(row)} cells, the header {len(header)}")
        id, label = row[header.index(ID)], row[header.index(LABEL)]
        if not label:
            raise ValueError(f"column `{LABEL}`, row {number} (id `{id[:99]}`): the cell is empty")
        if id in labels:
            raise ValueError(f"the id `{id[:99]}` is there more than once")
        labels[id] = label
    return labels


def read_bytes(file):
    parts = []
    offset = 0
    while part := file.read(offset, 1 << 20):
        parts.append(part)
        offset += len(part)
    return b"".join(parts)
