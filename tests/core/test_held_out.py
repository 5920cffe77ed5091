"""Refusals and numbers in texts that were written after the rules, by somebody who had not read them.

No rule was changed by what was missed in them, and none should be tuned on them: write other cases for that.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from ragdash.core.text import is_refusal, states_quantities

FOLDER = Path(__file__).parent / "held_out"
CASES = Path(__file__).parent / "read_cases"


def read(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def precision_and_recall(alarms: list[bool], right: list[bool]) -> tuple[float, float]:
    hits = sum(alarm and truth for alarm, truth in zip(alarms, right, strict=True))
    return hits / sum(alarms), hits / sum(right)


def test_refusals_of_twelve_languages_that_no_rule_was_written_from():
    rows = read("refusals.tsv")
    precision, recall = precision_and_recall([is_refusal(text) for _, _, text in rows],
                                             [label == "1" for label, _, _ in rows])
    assert len(rows) == 142 and precision >= 0.95 and recall >= 0.85


def test_refusals_of_ten_languages_in_two_halves_of_which_one_was_never_looked_at():
    """The rules were improved on the half "tuned", written before they were read; the other half is measured alone."""
    rows = read("refusals_in_halves.tsv")
    assert len(rows) == 150 and sum(half == "held out" for half, *_ in rows) == 74
    for half, least in (("tuned", 0.95), ("held out", 0.9)):
        texts = [(label == "1", text) for name, label, _, text in rows if name == half]
        precision, recall = precision_and_recall([is_refusal(text) for _, text in texts], [label for label, _ in texts])
        assert precision >= 0.95 and recall >= least


def test_numbers_that_no_rule_was_written_from():
    rows = read("numbers.tsv")
    precision, recall = precision_and_recall(
        [bool(states_quantities(answer, reference, question)) for _, question, reference, answer in rows],
        [label == "1" for label, *_ in rows])
    assert len(rows) == 146 and precision >= 0.95 and recall >= 0.9


def test_refusals_by_an_independent_reader_in_24_languages():
    """One half was looked at to improve rules, the other was measured once, after the last change: 0.979 and 0.949."""
    cases = [json.loads(line) for line in (CASES / "refusals.jsonl").read_text(encoding="utf-8").splitlines()]
    for half, many in (("tune", 160), ("held", 185)):
        part = [case for case in cases if case["half"] == half]
        right = [case["refusal"] for case in part]
        precision, recall = precision_and_recall([is_refusal(case["answer"], case["question"]) for case in part], right)
        assert len(part) == many and precision >= 0.95 and recall >= 0.9
        precision, recall = precision_and_recall([is_refusal(case["answer"]) for case in part], right)
        assert precision >= 0.95 and recall >= 0.85  # where the question is not known


def test_numbers_by_an_independent_reader():
    """As for refusals; the half that was measured once: 0.916 and 0.946."""
    cases = [json.loads(line) for line in (CASES / "numbers.jsonl").read_text(encoding="utf-8").splitlines()]
    for half, many, least in (("tune", 192, 0.95), ("held", 182, 0.9)):
        part = [case for case in cases if case["half"] == half]
        precision, recall = precision_and_recall(
            [bool(states_quantities(case["answer"], case["reference"], case["question"])) for case in part],
            [case["right"] for case in part])
        assert len(part) == many and precision >= least and recall >= 0.9


def test_halves_are_drawn_by_the_questions():
    for name in ("refusals", "numbers"):
        for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            even = hashlib.sha256(case["question"].encode()).digest()[0] % 2 == 0
            assert case["half"] == ("tune" if even else "held")
