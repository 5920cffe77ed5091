"""Refusals and numbers in texts that were written after the rules, by somebody who had not read them.

No rule was changed after they were measured, and none should be tuned on them: write other cases for that.
"""

from __future__ import annotations

from pathlib import Path

from ragdash.core.text import is_refusal, states_quantities

FOLDER = Path(__file__).parent / "held_out"


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


def test_numbers_that_no_rule_was_written_from():
    rows = read("numbers.tsv")
    precision, recall = precision_and_recall(
        [bool(states_quantities(answer, reference, question)) for _, question, reference, answer in rows],
        [label == "1" for label, *_ in rows])
    assert len(rows) == 146 and precision >= 0.95 and recall >= 0.9
