"""Test sets as files: the truth that evaluation reads, the drafts that the page opens, the rejects for a reader.

A file of drafts is JSON lines: first what is known of the set ({"ragdash_drafts": 1, ...}), then each document once
({"doc_id", "title", "text"}), then each draft ({"id", "type", "question", ...}).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

import orjson
import pyarrow as pa

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth
from ragdash.experiments.testset.drafts import (
    ALL_TYPES,
    ANSWERED,
    FROM_LOGS,
    LOGGED,
    SOURCE,
    Check,
    Document,
    Draft,
    DraftSet,
    Evidence,
)
from ragdash.io.write.serializers import jsonl

HEAD = "ragdash_drafts"
VERSION = 1
_SPAN = pa.list_(pa.struct([("text", pa.string()), ("source", pa.string())]))


def truth_of(drafts: Iterable[Draft], name: str = "test set") -> Truth:
    """Drafts as a truth: grade 1 for the documents that answer, evidence spans with their document, the answer, and
    the attributes type and source ("synthetic").

    Questions without an answer have no document of grade 1 and no evidence, and the attribute unanswerable; the
    document that one of type no_answer is about has grade 0. Raises InputError where there is no draft.
    """
    rows = list(drafts)
    if not rows:
        raise InputError([Problem("empty-test-set", {}, name)])
    judged = [(draft.id, doc, int(draft.type in ANSWERED)) for draft in rows for doc in draft.documents]
    details = pa.table(
        {
            "query_id": pa.array([draft.id for draft in rows], pa.string()),
            "query": pa.array([draft.question for draft in rows], pa.string()),
            "evidence": pa.array(
                [[{"text": item.text, "source": item.doc_id} for item in draft.evidence] for draft in rows], _SPAN
            ),
            "answers": pa.array([[draft.answer] if draft.answer else [] for draft in rows], pa.list_(pa.string())),
            "attributes": pa.array([_attributes(draft) for draft in rows], pa.string()),
        }
    )
    ids, docs, grades = zip(*judged, strict=True) if judged else ((), (), ())
    return Truth.build(name, pa.array(ids, pa.string()), pa.array(docs, pa.string()), list(grades), details=details)


def _attributes(draft: Draft) -> str:
    """As JSON, keys in order: as the readers have it, so that the file read back has the same digest."""
    attributes: dict[str, object] = {"type": draft.type, "source": FROM_LOGS if draft.type == LOGGED else SOURCE}
    if draft.type not in (*ANSWERED, LOGGED):
        attributes["unanswerable"] = True
    return orjson.dumps(attributes, option=orjson.OPT_SORT_KEYS).decode()


def truth_jsonl(drafts: Iterable[Draft], name: str = "test set") -> bytes:
    """The same as native JSONL."""
    return jsonl(truth_of(drafts, name))


def rejects_jsonl(rejects: Iterable[tuple[Draft, Sequence[str]]]) -> bytes:
    """A line for each reject, with all its reasons in words."""
    return b"".join(
        orjson.dumps(
            {
                "id": draft.id,
                "type": draft.type,
                "reasons": list(reasons),
                "question": draft.question,
                "answer": draft.answer,
                "documents": draft.documents,
                "evidence": [item.text for item in draft.evidence],
            }
        )
        + b"\n"
        for draft, reasons in rejects
    )


def drafts_jsonl(draft_set: DraftSet) -> bytes:
    """Everything, for the page."""
    return b"".join(orjson.dumps(line) + b"\n" for line in _lines(draft_set))


def _lines(draft_set: DraftSet) -> Iterator[dict]:
    yield {
        HEAD: VERSION,
        **{name: getattr(draft_set, name) for name in ("corpus", "digest", "judge", "seed")},
        "wanted": dict(draft_set.wanted),
        "missing": {type: dict(reasons) for type, reasons in draft_set.missing.items()},
    }
    for document in draft_set.documents.values():
        yield asdict(document)
    for draft in draft_set.drafts:
        yield asdict(draft)


def read_drafts(content: bytes, file: str = "drafts.jsonl") -> DraftSet:
    """The set in a file of drafts. Raises InputError, with the line, where it is none or was changed so that it does
    not fit together.
    """
    lines = [(number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    rows = [(number, _object(line, number, file)) for number, line in lines]
    if not rows or rows[0][1].get(HEAD) != VERSION:
        raise _wrong(file, 1, "bad-drafts", {"key": HEAD, "version": VERSION})
    documents, drafts = {}, {}
    for number, row in rows[1:]:
        try:
            if "doc_id" in row:
                document = Document(_text(row, "doc_id"), _text(row, "text"), _text(row, "title", ""))
                documents[document.doc_id] = document
            else:
                draft = _draft(row)
                if draft.id in drafts:
                    raise ValueError(f"the id {draft.id[:60]} twice")
                drafts[draft.id] = draft
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise _wrong(file, number, "bad-drafts/line", {"error": str(error)}) from None
    try:
        return _set(rows[0][1], documents, drafts)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _wrong(file, 1, "bad-drafts/head", {"error": str(error)}) from None


def _set(head: Mapping, documents: dict[str, Document], drafts: dict[str, Draft]) -> DraftSet:
    wanted = {type: int(n) for type, n in _counts(head["wanted"], "wanted").items() if type in ALL_TYPES}
    missing = {
        type: {str(reason): int(n) for reason, n in _counts(reasons, "missing").items()}
        for type, reasons in _counts(head.get("missing", {}), "missing").items()
    }
    return DraftSet(_text(head, "corpus"), _text(head, "digest"), _text(head, "judge"), int(head["seed"]), wanted,
                    tuple(drafts.values()), documents, missing)


def _counts(value: object, name: str) -> Mapping:
    if not isinstance(value, dict):
        raise ValueError(f"{name} is no object")
    return value


def _draft(row: Mapping) -> Draft:
    if row["type"] not in ALL_TYPES:
        raise ValueError(f"the type {str(row['type'])[:40]!r}")
    evidence = tuple(Evidence(_text(item, "doc_id"), _text(item, "text"), int(item["start"]), int(item["stop"]))
                     for item in row["evidence"])
    checks = tuple(Check(_text(item, "rule"), bool(item["passed"]), _text(item, "words")) for item in row["checks"])
    overlap = row.get("overlap")
    return Draft(_text(row, "id"), row["type"], _text(row, "question"),
                 None if row.get("answer") is None else _text(row, "answer"), evidence,
                 tuple(str(item) for item in row["documents"]), checks, None if overlap is None else float(overlap))


def _text(row: Mapping, name: str, default: str | None = None) -> str:
    value = row[name] if default is None else row.get(name, default)
    if not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    return value


def _object(line: bytes, number: int, file: str) -> dict:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _wrong(file, number, "bad-drafts/json", {"error": str(error)}) from None
    if not isinstance(row, dict):
        raise _wrong(file, number, "bad-drafts/type", {"type": type(row).__name__})
    return row


def _wrong(file: str, line: int, message: str, facts: Mapping) -> InputError:
    return InputError([Problem(message, facts, file, line)])
