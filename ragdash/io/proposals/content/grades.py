"""Grades of judgments: numbers, truth values and words, objects of them, and the factor that makes them whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragdash.io.proposals.fields import as_bool, as_number, grade_of_words, id_text, leaves

WHOLE_GRADES = (0, 1, 2, 3, 4)  # that people give


def with_grades(docs: Sequence[str], gains) -> Iterator[tuple[str, float]]:
    items = gains if type(gains) is list else [gains]
    for doc, gain in zip(docs, items, strict=False):
        number = as_number(gain) if as_bool(gain) is None else float(bool(as_bool(gain)))
        number = grade_of_words(gain) if number is None else number
        if number is not None:
            yield doc, number


def graded_object(value: dict) -> Iterator[tuple[str, float]]:
    """{document: grade}, or {grade: [documents]}."""
    for key, member in value.items():
        if type(member) is list and as_number(key) is not None:
            yield from ((id_text(item), float(key)) for item in leaves(member))
        elif as_number(member) is not None:
            yield str(key), float(member)


def whole_factor(grades: list[float]) -> int | None:
    """The power of 10 that makes all grades whole; None if there is none up to 1,000, or a grade is beyond 1e12."""
    return next((factor for factor in (1, 10, 100, 1000) if all(
        abs(grade) < 1e12 and abs(grade * factor - round(grade * factor)) < 1e-9 for grade in grades)), None)
