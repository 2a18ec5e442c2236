"""Accuracy of `label`, rows matched by `id`.

The modules `wit_world` and `componentize_py_types` are made from the contract by `podium grader build`.
"""

import csv
import io

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.grader import (
    Description,
    Direction,
    Failure_InvalidAnswers,
    Failure_InvalidSubmission,
    Score,
)

ID, LABEL = "id", "label"


class Grader(exports.Grader):
    def describe(self):
        return Description("{{id}}", "accuracy", Direction.HIGHER_IS_BETTER)

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
        return Score(hits / len(expected), [])


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
