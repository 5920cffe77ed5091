"""Where a reading and a known format disagree about a file: one of the two misreads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragdash.core.errors import shorten
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.proposals.assignment import is_inside
from ragdash.io.proposals.choices.weak_names import NAMES_SOURCE
from ragdash.io.proposals.fields import leaves
from ragdash.io.proposals.names import SURE_METRICS, words
from ragdash.io.proposals.reading import RECORDS, ROLE, Reading, changed_reading, column_reader
from ragdash.io.proposals.records import fail_quietly
from ragdash.io.proposals.shapes.families import COUNTED, OF_RANKINGS, RUN, SYSTEMS, ColumnFamily
from ragdash.io.source.source import Source

_ASKED = {"query", "query_id"}
_WAYS_TO_COMPARE = {"semantic", "lexical", "keyword", "embedding", "contextual"}  # also of texts
_JUDGED_ANSWER = {"faithfulness", "relevancy", "correctness", "groundedness"}  # values of answers alone
_SAID_OF_SYSTEMS = {"correct", "confidence", "accuracy", "passed"}  # values of each system
_CONFUSED = {"answer": {"answers", "relevant", "evidence", *_ASKED}, "answers": {"answer", "evidence", *_ASKED},
             "contexts": {"answer", "answers", "relevant", "evidence", *_ASKED},
             "evidence": {"answer", "answers", "relevant", "retrieved", "contexts", *_ASKED},
             "relevant": {"answer", "answers", "evidence", "retrieved", *_ASKED},
             "retrieved": {"answer", "answers", "relevant", "evidence", *_ASKED}}
"""What the content of a known format may be instead: asked, right, returned or written."""
CONTENT = tuple(_CONFUSED)


def contradicts(detected: DetectedFormat, reading: Reading, known: set[str]) -> bool:
    """True where a reading gives a field of the known format another meaning, or its meaning to another field.

    known: meanings of which the format is sure.
    """
    meanings: dict[str, set[str]] = {}
    for name, spec in reading.mapping.items():
        for path in spec.split("+"):
            meanings.setdefault(path.split("[]")[0], set()).add(name)
    return any(meanings.get(field, set()) & _CONFUSED[name] and name not in meanings[field]
               for name, field in detected.guess.items() if name in _CONFUSED.keys() - known) or any(
        name not in known for name, _ in _replaced(detected, reading))


def is_source(source: Source, references: str, reading: Reading) -> bool:
    """True where the best reading leaves out a `reference` as right answer, and its texts name files."""
    texts = [str(row.get(references)) for records in fail_quietly(source)[:1] for row in records.rows]
    return words(references) == ("reference",) and "answers" not in reading.mapping and any(
        map(NAMES_SOURCE.search, texts))


def with_known_fields(source: Source, detected: DetectedFormat, readings: Sequence[Reading]) -> list[Reading]:
    """The readings, and the best one with the fields that the known format has in place of others, such as one of two
    answers, unless another has them.
    """
    reading = readings[0]
    fields = {name: path for name, path in reading.mapping.items() if name not in (ROLE, RECORDS)}
    place = reading.mapping.get(RECORDS, "")
    rows = next((records.rows for records in fail_quietly(source) if records.path == place), [])
    known = {name: path for name, path in _replaced(detected, reading) if not any(
        type(item) is dict for row in rows for item in leaves(row.get(path)))}
    if not known or any(known.items() <= other.mapping.items() for other in readings[1:]):
        return list(readings)
    preview = tuple(shown | {name: shorten(str(row.get(path, "")), 80) for name, path in known.items()}
                    for shown, row in zip(map(dict, reading.preview), rows, strict=False))
    return [*readings, replace(reading, mapping=changed_reading(reading.mapping, fields | known), preview=preview)]


def _replaced(detected: DetectedFormat, reading: Reading) -> Iterator[tuple[str, str]]:
    """(name, field of the known format) where a reading has another field, and none for what the format has."""
    fields = {name: path for name, path in reading.mapping.items() if name not in (ROLE, RECORDS)}
    is_read = column_reader(fields.values())
    for name in _CONFUSED:
        field = detected.guess.get(name)
        if field and name in fields and not is_read(field) and not is_inside(field, fields):
            yield name, field


def measures_systems(family: ColumnFamily) -> bool:
    """True for values of rankings by system: bm25_mrr and dense_mrr, not semantic_similarity and keyword_similarity."""
    stems = [set(words(stem.replace(RUN, " "))) for stem in family.members]
    is_crossed = len(stems) > 1 and all(len(fields) == len(family.variants) for fields in family.members.values())
    measured = all(stem <= _SAID_OF_SYSTEMS or (not stem.isdisjoint(SURE_METRICS) and (stem <= OF_RANKINGS or (
        is_crossed and not _JUDGED_ANSWER.isdisjoint(stem)))) for stem in stems)
    return measured and any(not (SYSTEMS - _WAYS_TO_COMPARE).isdisjoint(words(name)) or COUNTED.fullmatch(name)
                            for name in family.variants)
