"""What a name does not decide: a reference that names its source, and phrases under a name for right documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from ragdash.core.errors import shorten
from ragdash.core.text.sentences import asks
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats.json_dict import QUERY_ID
from ragdash.io.proposals.assignment import CONTENT, WEIGHTS, Assignment
from ragdash.io.proposals.content.ratings import is_whole
from ragdash.io.proposals.content.spread import holds_phrases, is_same_number
from ragdash.io.proposals.fields import SENTENCE_ENDS, Field, as_number, leaves
from ragdash.io.proposals.names import (
    ANSWER,
    COUNTING,
    DOCUMENT,
    GOLD,
    ID,
    METRICS,
    NO_ANSWER,
    NOTES,
    QUESTION,
    RANKS,
    RETURNED,
    SCORES,
    words,
)
from ragdash.io.proposals.reading import RECORDS, ROLE, Reading
from ragdash.io.proposals.records import KEY, MAX_PROPOSED_BYTES, fail_quietly
from ragdash.io.proposals.shapes.values_by_query import PLAIN_WORD, is_worded
from ragdash.io.source.source import Source

_FILE = r"[^\s/.]\.(?:pdf|md|txt|html?|docx?|csv|jsonl?|pptx?|xlsx?|rst)(?!\w)|https?://"
NAMES_SOURCE = re.compile(rf"{_FILE}|"
                          r"\bet al\b|§\s*\d|\b(?:pages?|pp?\.|sections?|sec\.|chapters?|articles?|art\.)\s*\d",
                          re.IGNORECASE)
_WORDS_IN_LIST = re.compile(rb'\[\s*"(?:[^\]]*[a-z] [a-z]|[a-z]+")')
_OBJECT, _KEY = re.compile(rb":\s*\{([^{}]+)\}"), re.compile(rb'"([^"]*)"\s*:')
_OF_RESULTS = {"answer", "score", "rank", "config", "relevant", "evidence", "latency_ms", "latency_s", "scores",
               "labels"}
_OF_TRUTHS = GOLD - {"reference", "target", "required", "full", "partial", "must"} | {
    "relevance", "judgment", "judgement", "rel"}  # in names of files
_EXPECTED, _CLASSES = {"expected", "gold", "golden", "correct", "true"}, {"verdict", "decision", "label", "class"}
_KINDS = _CLASSES | {"route", "intent", "tool", "agent", "action", "mode", "outcome", "behavior", "source", "sql"}
_NUMBERED = re.compile(r"\D{1,9}\d{1,4}\D?")  # Art. 3
_MOST_BYTES = 4 << 20
_SHORT_NAME = 40  # characters
_FEW, _FEWEST = 5, 8  # queries, questions
_SENTENCES = 0.5  # share of the texts that end as statements do


def settle_sources(result: Assignment) -> list[Assignment]:
    """A `reference` whose texts name files is where the answer comes from; it may as well be the right answer."""
    item = result.fields.get(result.roles.get("answers", ""))
    if item is None or item.name_words != ("reference",) or 10 * sum(
            NAMES_SOURCE.search(str(text)) is not None for text in item.items) < 9 * len(item.items) or 2 * sum(
            str(text).strip().endswith(SENTENCE_ENDS) and not re.search(_FILE, str(text))
            for text in item.items) > len(item.items):
        return []  # "Section 3 says so." is an answer
    other = replace(result, roles=dict(result.roles), penalty=WEIGHTS["answers"] + 0.1)
    del result.roles["answers"]
    return [other]


def settle_measured_lists(result: Assignment) -> list[Assignment]:
    """Documents called relevant next to their precision or recall, and to nothing that was returned, may be what a
    system took for relevant: rather so where the lists have one length.
    """
    item = result.fields.get(result.roles.get("relevant", ""))
    measured = {word for path in result.roles.get("scores", "").split("+") for word in words(path)}
    if item is None or not item.is_list or GOLD & {*item.words} != {"relevant"} or measured.isdisjoint(
            {"precision", "recall"}) or result.runs or not {
            "retrieved", "doc_id", "contexts", "text", "grade"}.isdisjoint(result.roles):
        return []
    other = replace(result, roles={("retrieved" if name == "relevant" else name): path
                                   for name, path in result.roles.items()}, penalty=result.penalty + 0.1)
    if is_same_number(item.values):
        other.penalty -= 0.2
    return [other]


def settle_expected_classes(result: Assignment) -> list[Assignment]:
    """A class that is expected, such as a verdict, next to nothing else than the question, may be the right answer; a
    short name of its own, such as expected_word, what is to be found as well.
    """
    if "query" not in result.roles or result.runs or not {*CONTENT}.isdisjoint(result.roles):
        return []
    expected = {path: item for path, item in result.fields.items() if _EXPECTED & {*item.name_words} and (
        "[]" not in path and not item.is_list and item.is_text and item.share == 1 and item.distinct_count > 1)}
    if entries := [path for path, item in expected.items() if _names_entry(item)]:
        return [replace(result, roles={**result.roles, role: entries[0]}) for role in ("relevant", "answers")]
    classes = [path for path, item in expected.items() if item.name_words[-1] in _CLASSES]
    return [replace(result, roles={**result.roles, "answers": path}, penalty=result.penalty + WEIGHTS["answers"] + 0.1)
            for path in classes[:1]]


def _names_entry(item: Field) -> bool:
    """True for one name of another one for most questions, with a word for what it is: expected_word."""
    return len(item.name_words) == len(item.path.split("_")) > 1 and item.blank_share < _SENTENCES < (
        item.distinct_share) and item.mean_length < _SHORT_NAME and item.distinct_count >= _FEWEST and (
        ANSWER | NO_ANSWER | NOTES | METRICS | QUESTION | _KINDS).isdisjoint(item.name_words)


def settle_expected(result: Assignment) -> list[Assignment]:
    """Facts that are expected may be said by a right answer as well as by a document; `expect: Art. 3`, short and with
    a number, may be the document as well as the answer.
    """
    facts, right = (result.fields.get(result.roles.get(name, "")) for name in ("evidence", "answers"))
    if right is not None and _repeats_words(right, result.fields.get(result.roles.get("query", ""))):
        del result.roles["answers"]
        return []
    if not {"answer", "retrieved", "doc_id", "contexts", "text", "relevant"}.isdisjoint(result.roles):
        return []
    if facts is not None and {"expected", "fact"} <= {*facts.name_words} and right is None:
        roles = {("answers" if name == "evidence" else name): path for name, path in result.roles.items()}
        return [replace(result, roles=roles, penalty=result.penalty + 0.1)]
    if right is None or facts is not None or right.is_number or not GOLD.issuperset(right.name_words) or (
            2 * sum(_NUMBERED.fullmatch(str(text)) is not None for text in right.items) <= len(right.items)):
        return []
    roles = {("relevant" if name == "answers" else name): path for name, path in result.roles.items()}
    return [replace(result, roles=roles, penalty=result.penalty + WEIGHTS["relevant"] - WEIGHTS["answers"] + 0.1)]


def _repeats_words(right: Field, asked: Field | None) -> bool:
    """True for lists of several words that are nearly all in the question: what is looked for, not what answers it."""
    if asked is None or not GOLD.issuperset(right.name_words) or len(asked.values) != len(right.values):
        return False
    pairs = [(str(text).lower(), value) for text, value in zip(asked.values, right.values, strict=True)
             if type(value) is list]
    repeated = [str(word).lower() in text for text, value in pairs for word in value]
    return 2 * sum(len(value) > 1 for _, value in pairs) > len(pairs) and 10 * sum(repeated) > 9 * len(repeated)


def settle_hits_of_data_set(result: Assignment) -> list[Assignment]:
    """Documents in a list of objects next to right answers, where nothing says that a system returned them, are rather
    right: documents of snippets next to an ideal_answer.
    """
    path = result.roles.get("retrieved", "")
    if "[]." not in path or "answers" not in result.roles or not _OF_RESULTS.isdisjoint(result.roles) or (
            result.runs or not (RETURNED | {"hit", "context"}).isdisjoint(words(path))):
        return []
    names = {"retrieved": "relevant", "contexts": "evidence", "text": "evidence"}
    roles = {names.get(name, name): spec.split("+")[0] if name == "retrieved" else spec
             for name, spec in result.roles.items()}
    return [replace(result, roles=roles, penalty=result.penalty - 0.1)]


def settle_rows_of_documents(result: Assignment) -> list[Assignment]:
    """Documents in rows of their own, with nothing that says that a system returned them, may be the right ones: rather
    so where most queries have other numbers of them than a ranking, which ends at its top k.
    """
    key, item = (result.fields.get(result.roles.get(name, "")) for name in ("query_id", "doc_id"))
    asked = key or result.fields.get(result.roles.get("query", ""))
    if asked is None or item is None or not {"query_id", "query", "doc_id", "text"} >= result.roles.keys() or any(
            not (RETURNED | SCORES | RANKS).isdisjoint(field.words) or (field.is_number and not is_whole(field))
            for field in result.fields.values()):
        return []
    names = {"doc_id": "relevant", "text": "evidence"}
    right = replace(result, roles={names.get(name, name): path for name, path in result.roles.items()},
                    penalty=result.penalty + 0.1)
    sizes = [*Counter(map(repr, asked.values)).values()]
    if 2 * max(map(sizes.count, sizes)) <= len(sizes) > _FEW:
        right.penalty -= 0.2
    return [right]


def settle_lists_of_words(result: Assignment) -> list[Assignment]:
    """Documents below a word may be right or returned; in the order of their ids they are rather no ranking."""
    if result.roles != {"query": "query", "retrieved": "retrieved"} or result.fields.keys() != {"query", "retrieved"}:
        return []
    lists = [docs for docs in result.fields["retrieved"].values if type(docs) is list]
    is_sorted = all(docs == sorted(docs, key=lambda doc: (len(str(doc)), str(doc))) for docs in lists)
    return [replace(result, roles={"query": "query", "relevant": "retrieved"}, penalty=-0.1 if is_sorted else 0.1)]


def settle_texts_below_ids(result: Assignment) -> list[Assignment]:
    """Lines of an id and a text without a header, few of which ask something, may be right answers, or those of a
    system, as well as queries.
    """
    if result.roles != {"query_id": "column 1", "query": "column 2"} or len(result.fields) > len(result.roles):
        return []
    texts = [str(text) for text in result.fields["column 2"].items]
    if 10 * sum(map(asks, texts)) >= 3 * len(texts) or _SENTENCES * len(texts) > sum(
            text.rstrip().endswith((".", "!", "。")) for text in texts):
        return []
    extra = WEIGHTS["answers"] - WEIGHTS["query"] + 0.1
    return [replace(result, roles={"query_id": "column 1", name: "column 2"}, penalty=extra)
            for name in ("answers", "answer")]


def settle_part_of_answer(result: Assignment) -> list[Assignment]:
    """A part of an object called answer is right; where nothing else says so, a system may have written it."""
    path = result.roles.get("answers", "")
    if not path.startswith("answer.") or {"answer", "relevant", "evidence"} & result.roles.keys():
        return []
    return [replace(result, roles={("answer" if name == "answers" else name): value
                                   for name, value in result.roles.items()}, penalty=result.penalty + 0.1)]


def phrases_as_documents(source: Source, detected: DetectedFormat) -> list[Reading]:
    """The readings of questions with lists of phrases under a name such as `relevant`: without them, and as documents.

    None where they look like ids, or where a run in the file returns documents.
    """
    guess = detected.guess
    path = guess.get("relevant", "")
    if source.mapping or not path or {"retrieved", "doc_id"} & guess.keys() or "query" not in guess or (
            {*ID, *DOCUMENT} & {*words(path)}) or not _WORDS_IN_LIST.search(source.head):
        return []
    records = next(iter(fail_quietly(source)), None)
    rows = records.rows if records else []
    phrases = [str(item) for row in rows for item in leaves(row.get(path))]
    are_kinds = len(rows) >= max(_FEWEST, 3 * len(set(phrases))) and all(
        text.isalpha() and text.islower() for text in phrases)  # billing, shipping
    if not phrases or not (holds_phrases(phrases) or are_kinds):
        return []
    place = {RECORDS: records.path} if records and records.path else {}
    fields = {name: column for name, column in guess.items() if name in ("query_id", "query", "answers", "evidence")}
    preview = tuple({name: shorten(str(row.get(column, "")), 80) for name, column in (
        fields | {"relevant": path}).items()} for row in rows[:3])
    role = "truth" if {"answers", "evidence"} & fields.keys() else "questions"
    return [Reading({ROLE: role, **place, **fields}, len(rows), (path,), preview=preview),
            Reading({ROLE: "truth", **place, **fields, "relevant": path}, len(rows), preview=preview)]


def numbers_below_names(source: Source, detected: DetectedFormat) -> list[Reading]:
    """The readings of {"q1": {"alice": 2, "bob": 1}} with the same names below every query: values of systems or of
    metrics, or documents that every query has.
    """
    objects = [sorted(_KEY.findall(text)) for text in islice(_OBJECT.findall(source.head), 2)]
    if source.mapping or detected.format != "json-dict" or source.stored_size > MAX_PROPOSED_BYTES or (
            len(objects) < 2 or objects[0] != objects[1]):
        return []
    lists = fail_quietly(source)
    rows = next((records.rows for records in lists if records.path == KEY and KEY in records.rows[0]), [])
    if len(rows) < _FEW or not all(QUERY_ID.fullmatch(str(row[KEY])) and row.keys() == rows[0].keys() for row in rows):
        return []
    names = [str(name) for name in rows[0] if name != KEY]
    shown = tuple({str(name): str(value) for name, value in row.items()} for row in rows[:3])
    if any(not (METRICS | RETURNED | GOLD | COUNTING).isdisjoint(words(name)) for name in names) and all(
            as_number(value) is not None for row in rows for name, value in row.items() if name != KEY):
        return [Reading({ROLE: "run", RECORDS: KEY, "query_id": KEY, "scores": "+".join(names)}, len(rows),
                        preview=shown)]
    if not any(records.rows[0].keys() == {"query_id", "doc_id", "score"} for records in lists):
        return []
    documents = ("truth", "grade") if detected.role == "truth" else ("run", "score")
    return [Reading({ROLE: "run", "query_id": "query_id", "config": "doc_id", "scores": "score"}, len(rows),
                    preview=shown),
            Reading({ROLE: documents[0], "query_id": "query_id", "doc_id": "doc_id", documents[1]: "score"}, len(rows),
                    preview=shown)]


def _are_sorted(lists: Sequence[Sequence]) -> bool:
    """True for lists in the order of their ids, some of which are too long for that to be by chance."""
    return max(map(len, lists)) > _FEW and all(
        list(docs) in (sorted(docs), sorted(docs, key=lambda doc: (len(str(doc)), str(doc)))) for docs in lists)


def _are_few_each(lists: Sequence[Sequence]) -> bool:
    """True where most lists have one document: a retriever rather returns several."""
    return len(lists) >= _FEW and 2 * sum(len(docs) == 1 for docs in lists) > len(lists)


def few_documents(source: Source, detected: DetectedFormat) -> list[Reading]:
    """The readings of queries with documents and nothing else, as right documents and as returned ones, where most
    have one document or the file is called a truth: `query_id,doc_id`.

    None where a name says that the documents were returned.
    """
    guess, named = detected.guess, {*words(source.name)}
    role = "doc_id" if "doc_id" in guess else "retrieved"
    if source.mapping or detected.format not in ("csv", "tsv", "jsonl", "json-array") or (
            guess.keys() - {"query_id", "query"} != {role}) or {*detected.columns} != {*guess.values()} or (
            source.stored_size > _MOST_BYTES) or not RETURNED.isdisjoint(words(guess[role])) or (
            named & RETURNED and not named & _OF_TRUTHS):
        return []
    rows = next((records.rows for records in fail_quietly(source)), [])
    asked = {name: path for name, path in guess.items() if name != role}
    lists: dict[str, list] = {}
    for row in rows:
        lists.setdefault(repr([row.get(path) for path in asked.values()]), []).extend(leaves(row.get(guess[role])))
    if not asked or not (_are_few_each([*lists.values()]) or (lists and named & _OF_TRUTHS)):
        return []
    preview = tuple({name: shorten(str(row.get(path, "")), 80) for name, path in guess.items()} for row in rows[:3])
    return [Reading({ROLE: "truth", **asked, "relevant": guess[role]}, len(rows), preview=preview),
            Reading({ROLE: "run", **asked, role: guess[role]}, len(rows), preview=preview)]


def lists_below_texts(source: Source, detected: DetectedFormat) -> list[Reading]:
    """The readings of {"who grows tea?": ["d7", "d2"]}, as right documents and as returned ones, and of plain words
    below ids; of ids below ids, as in our own dictionaries, where they are in the order of their names, as no ranking
    is, or the file is called a truth.

    None where the name of the file is that of a run, and for as many documents for each query, in no order of their
    ids: those are the first k of a ranking. What is searched for, below ids, is rather that of documents.
    """
    named = {*words(source.name)}
    if source.mapping or (detected.format, detected.role) != ("json-dict", "unknown") or (
            source.stored_size > MAX_PROPOSED_BYTES or (named & RETURNED and not named & (GOLD | _OF_TRUTHS))):
        return []
    lists = fail_quietly(source)
    asked = next((records.rows for records in lists if records.rows[0].keys() == {"id", "query"}), [])
    rows = next((records.rows for records in lists if records.rows[0].keys() in (
        {"query_id", "retrieved"}, {"query", "retrieved"}) and all(
            is_worded(row.get("query", "an id")) for row in records.rows)), [])
    if asked:
        return [_of_lists("truth", asked, query="query", relevant="id"),
                _of_lists("run", rows, query_id="query_id", retrieved="retrieved")]
    if not rows or not _may_be_right(rows, not named.isdisjoint(_OF_TRUTHS)):
        return []
    key = next(iter(rows[0]))
    return [_of_lists(role, rows, **{key: key, name: "retrieved"}) for role, name in (
        ("truth", "relevant"), ("run", "retrieved"))]


def _may_be_right(rows: Sequence[dict], is_called_truth: bool) -> bool:
    """False for lists of ids that are rather rankings: below ids in another order than that of their names, or as many
    below each text.
    """
    key, lists = next(iter(rows[0])), [row["retrieved"] for row in rows]
    are_ids = key == "query_id" and not any(PLAIN_WORD.fullmatch(str(doc)) for docs in lists for doc in docs)
    if are_ids and not is_called_truth and not (_are_sorted(lists) or _are_few_each(lists)):
        return False
    lengths = set(map(len, lists))
    is_cut = len(lengths) == 1 < max(lengths) and any(docs != sorted(docs) for docs in lists)
    return key != "query" or not is_cut


def _of_lists(role: str, rows: Sequence[dict], **mapping: str) -> Reading:
    """The reading of a list of records, with a preview of it."""
    return Reading({ROLE: role, **mapping}, len(rows), preview=tuple({name: shorten(", ".join(map(
        str, leaves(row[path]))), 80) for name, path in mapping.items()} for row in rows[:3]))
