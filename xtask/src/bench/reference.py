"""Reads and grades one submission with pandas and scikit-learn, as MLE-bench does, and prints how long that took.

With --reference, a checkout of openai/mle-bench, its own reader and grader are called. Without, the same calls are made
here, for the competitions that are benchmarked.
"""

import argparse
import importlib
import json
import sys
import time
from pathlib import Path

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--reference", type=Path)
arguments.add_argument("competition")
arguments.add_argument("submission", type=Path)
arguments.add_argument("answers", type=Path)
arguments = arguments.parse_args()


def accuracy(submission, answers, id_column, column):
    from sklearn.metrics import accuracy_score

    if not {id_column, column} <= set(submission.columns) or len(submission) != len(answers):
        raise ValueError("columns or rows")
    submission = submission.sort_values(id_column)
    answers = answers.sort_values(id_column)
    if (submission[id_column].values != answers[id_column].values).any():
        raise ValueError("ids")
    return accuracy_score(y_true=answers[column], y_pred=submission[column])


def area_under_curve(submission, answers, id_column, column):
    from sklearn.metrics import roc_auc_score

    if not {id_column, column} <= set(submission.columns) or len(submission) != len(answers):
        raise ValueError("columns or rows")
    if submission[column].min() < 0 or submission[column].max() > 1:
        raise ValueError("range")
    if set(submission[id_column]) != set(answers[id_column]):
        raise ValueError("ids")
    submission = submission.sort_values(id_column)
    answers = answers.sort_values(id_column)
    return roc_auc_score(y_true=answers[column].to_numpy(), y_score=submission[column].to_numpy())


OURS = {
    "spaceship-titanic": lambda s, a: accuracy(s, a, "PassengerId", "Transported"),
    "tabular-playground-series-may-2022": lambda s, a: area_under_curve(s, a, "id", "target"),
}

if arguments.reference:
    import logging

    import yaml

    logging.disable(logging.CRITICAL)
    sys.path.insert(0, str(arguments.reference))
    from mlebench.utils import load_answers, read_csv

    folder = arguments.reference / "mlebench" / "competitions" / arguments.competition
    config = yaml.safe_load((folder / "config.yaml").read_text())
    module, function = config["grader"]["grade_fn"].split(":")
    grade = getattr(importlib.import_module(module), function)
else:
    import pandas
    import sklearn.metrics

    def read_csv(path):
        return pandas.read_csv(path, float_precision="round_trip")

    load_answers = read_csv
    grade = OURS[arguments.competition]

start = time.perf_counter()
submission = read_csv(arguments.submission)
answers = load_answers(arguments.answers)
score = grade(submission, answers)
print(json.dumps({"seconds": time.perf_counter() - start, "score": float(score)}))
