"""Makes the expected figures in this folder; see README.md.

    python make.py --reference path/to/mle-bench

Everything is computed here by other means than Podium's: seeds and percentages by the reference's own aggregation script,
standard errors, quantiles and correlations by scipy, pass@k in exact fractions, the bootstrap by numpy.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import tempfile
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
from scipy import stats

HERE = Path(__file__).resolve().parent

# What a run came to: its marks in a report.
MARKS = {
    "none": {},
    "invalid": {"submission_exists"},
    "valid": {"submission_exists", "valid_submission"},
    "above": {"submission_exists", "valid_submission", "above_median"},
    "bronze": {"submission_exists", "valid_submission", "above_median", "bronze_medal"},
    "silver": {"submission_exists", "valid_submission", "above_median", "silver_medal"},
    "gold": {"submission_exists", "valid_submission", "above_median", "gold_medal"},
    # A medal line below the median, as some boards have it.
    "odd": {"submission_exists", "valid_submission", "bronze_medal"},
}
FIELDS = [
    "gold_medal", "silver_medal", "bronze_medal", "above_median", "submission_exists", "valid_submission",
]


def ids(reference: Path, split: str) -> list[str]:
    text = (reference / "experiments" / "splits" / f"{split}.txt").read_text()
    return [line.strip() for line in text.splitlines() if line.strip()]


def cases(reference: Path) -> dict[str, list[tuple[str, str]]]:
    """For each case the runs in the order of their reports: run group and competition."""
    all75, low, dev = ids(reference, "split75"), ids(reference, "low"), ids(reference, "dev")
    shuffled = np.random.default_rng(7).permutation(all75).tolist()
    return {
        # Three run groups with one run of each competition.
        "complete": [(f"group-{group}", id) for group in "abc" for id in shuffled],
        # One run group with three runs of each, in the order of runs and not of competitions.
        "one-group": [("group", id) for _ in range(3) for id in shuffled],
        # Four seeds of some competitions, two of others.
        "uneven": [("group-1", id) for id in shuffled]
        + [("group-2", id) for id in all75]
        + [("group-2", id) for id in all75[:30]]
        + [("group-3", id) for id in low],
        # Names of run groups that sort differently as paths and as names.
        "names": [(group, id) for group in ["b", "a-1", "a", "B", "a 2"] for id in all75],
        # Some competitions have no run at all.
        "missing": [(f"group-{group}", id) for group in "ab" for id in all75 if hash_of(id) % 5],
        # Many seeds of few competitions.
        "many-seeds": [(f"group-{group:02}", id) for group in range(16) for id in low],
        "development": [(f"group-{group}", id) for group in "abc" for id in dev + ["spaceship-titanic"]],
    }


def hash_of(text: str) -> int:
    return sum((index + 1) * ord(letter) for index, letter in enumerate(text))


def expected_aggregates(reference: Path) -> list[dict]:
    path = reference / "experiments" / "aggregate_grading_reports.py"
    spec = importlib.util.spec_from_file_location("aggregate_grading_reports", path)
    script = importlib.util.module_from_spec(spec)
    import sys
    sys.modules["aggregate_grading_reports"] = script
    spec.loader.exec_module(script)

    expected = []
    for name, runs in cases(reference).items():
        generator = np.random.default_rng(hash_of(name))
        kinds = generator.choice(list(MARKS), size=len(runs), p=[0.1, 0.1, 0.2, 0.2, 0.15, 0.1, 0.1, 0.05])
        lines = [f"{group},{id},{kind}" for (group, id), kind in zip(runs, kinds)]
        (HERE / "cases" / f"{name}.csv").write_text("run_group,competition,marks\n" + "\n".join(lines) + "\n")
        with tempfile.TemporaryDirectory() as folder:
            reports = write_reports(Path(folder), runs, kinds)
            for split in ["low", "medium", "high", "split75", "dev", "spaceship-titanic", "systemcard"]:
                for num_seeds in [-1, 1, 2, 5]:
                    for pad in [False, True]:
                        result = aggregate(script, reports, num_seeds, split, pad)
                        expected.append(
                            {"case": name, "split": split, "num_seeds": num_seeds, "pad": pad, "result": result}
                        )
    return expected


def write_reports(folder: Path, runs: list[tuple[str, str]], kinds) -> list[str]:
    groups: dict[str, list[dict]] = {}
    for (group, id), kind in zip(runs, kinds):
        report = {"competition_id": id} | {field: field in MARKS[kind] for field in FIELDS}
        groups.setdefault(group, []).append(report)
    paths = []
    for group, reports in groups.items():
        (folder / group).mkdir()
        path = folder / group / "2024-01-01T00-00-00-GMT_grading_report.json"
        path.write_text(json.dumps({"competition_reports": reports}))
        paths.append(str(path))
    return paths


def aggregate(script, reports: list[str], num_seeds: int, split: str, pad: bool):
    """The reference's result: for each percentage its mean, standard error and interval; None where it refuses."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            script.main(reports, num_seeds, split, pad)
    except ValueError:
        return None
    averages = json.loads(printed.getvalue().split("Average metrics across seeds:\n")[1])
    metrics = {
        name.removesuffix("_percentage"): [
            values["mean"], values["standard_error"], values["ci_lower"], values["ci_upper"],
        ]
        for name, values in averages["metrics"].items()
        if name.endswith("_percentage")
    }
    renamed = {"valid_submissions": "valid_submission"}
    return {
        "seeds": averages["num_seeds_averaged"],
        "competitions": averages["num_competitions_per_seed"],
        "metrics": {renamed.get(name, name): values for name, values in metrics.items()},
    }


def expected_statistics() -> dict:
    generator = np.random.default_rng(1)
    samples = [generator.normal(40, 5, size).tolist() for size in [2, 3, 5, 8, 16, 50]]
    samples.append([33.333333333333336] * 3)
    pairs = [
        list(zip(generator.integers(0, 5, size).tolist(), generator.normal(0, 1, size).tolist()))
        for size in [3, 10, 75]
    ]
    return {
        "standard_errors": [[sample, float(stats.sem(sample, ddof=1))] for sample in samples],
        "t_quantiles": [[n, float(stats.t.ppf(0.975, n))] for n in [*range(1, 31), 50, 100, 1000]],
        "correlations": [
            [sample, float(stats.pearsonr(*zip(*sample))[0]), float(stats.spearmanr(*zip(*sample))[0])]
            for sample in pairs
        ],
        "pass_at_k": [
            [n, c, k, float(1 - Fraction(comb(n - c, k), comb(n, k)))]
            for n in [1, 2, 3, 5, 8, 16, 36, 200]
            for c in sorted({0, 1, n // 3, n // 2, n - 1, n})
            for k in sorted({1, 2, 3, n // 2, n - 1, n})
            if 1 <= k <= n
        ],
        "bootstraps": [bootstrap(generator, kind) for kind in ["clear", "noise", "none", "one-sided", "few"]],
        "sign_flips": sign_flips(),
    }


def bootstrap(generator, kind: str) -> dict:
    """Percentiles and p-value with far more draws than Podium takes."""
    thirds = np.array([-1.0, -2 / 3, -1 / 3, 0.0, 1 / 3, 2 / 3, 1.0]) * 100
    differences = {
        "clear": generator.choice(thirds, 75, p=[0.0, 0.02, 0.05, 0.5, 0.18, 0.15, 0.1]),
        "noise": generator.choice(thirds, 75, p=[0.05, 0.1, 0.15, 0.4, 0.15, 0.1, 0.05]),
        "none": np.zeros(20),
        "one-sided": np.array([100 / 3] * 3 + [0.0] * 40),
        "few": np.array([100.0, 0.0, -100 / 3, 200 / 3]),
    }[kind]
    draws, size = 400_000, len(differences)
    means = np.empty(draws)
    for start in range(0, draws, 10_000):
        chosen = generator.integers(0, size, (10_000, size))
        means[start : start + 10_000] = differences[chosen].mean(axis=1)
    effect = differences.mean()
    return {
        "differences": differences.tolist(),
        "effect": float(effect),
        "interval": np.percentile(means, [2.5, 97.5]).tolist(),
        "p_value": float(np.mean(np.abs(means - effect) >= abs(effect) - 1e-9)),
    }


def sign_flips() -> list:
    """Differences and the p-value of their sign flips: all of them where they are few, else far more than Podium draws."""
    generator = np.random.default_rng(11)
    cases = []
    for size in [2, 3, 6, 10, 14, 16, 30, 75]:
        differences = generator.choice(np.array([-1.0, 0.0, 1 / 3, 2 / 3, 1.0]) * 100, size, p=[0.15, 0.2, 0.3, 0.2, 0.15])
        if size <= 16:
            statistic = lambda values: float(np.mean(values))  # noqa: E731
            found = stats.permutation_test(
                (differences,), statistic, permutation_type="samples", n_resamples=np.inf, vectorized=False
            )
            # scipy doubles the smaller tail, which is the same, as the distribution is symmetric.
            p_value = float(found.pvalue)
        else:
            signs = generator.choice([-1.0, 1.0], (400_000, size))
            sums = np.abs((signs * differences).sum(axis=1))
            p_value = float(np.mean(sums >= abs(differences.sum()) - 1e-9))
        cases.append([differences.tolist(), size <= 16, p_value])
    return cases


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--reference", type=Path, required=True, help="a checkout of openai/mle-bench")
    reference = parser.parse_args().reference
    (HERE / "cases").mkdir(exist_ok=True)
    lines = [json.dumps(line) for line in expected_aggregates(reference)]
    (HERE / "aggregates.jsonl").write_text("\n".join(lines) + "\n")
    (HERE / "statistics.json").write_text(json.dumps(expected_statistics(), indent=1) + "\n")


if __name__ == "__main__":
    main()
