"""Files in a known format that would be misread by it, and files where it leaves out what matters.

Looking costs a second reading, so it is done only where the beginning of a file gives a reason to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from ragdash.core.errors import Problem, shorten
from ragdash.io.detect import detect_source
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import QUERY_ALIASES, WHOLE_TIMES, find_fields, is_document_row
from ragdash.io.proposals.choices.doubtful_values import (
    TABLES,
    are_counts,
    are_its_parts,
    are_kinds,
    are_numbers,
    are_sentences,
    has_lists,
    is_empty,
    joins_pairs,
    names_documents,
    names_rows,
)
from ragdash.io.proposals.choices.known_meanings import (
    CONTENT,
    contradicts,
    is_source,
    measures_systems,
    with_known_fields,
)
from ragdash.io.proposals.choices.open_answers import (
    OF_SYSTEMS,
    are_open_contexts,
    are_open_texts,
    is_generated,
    is_native,
    is_next_to_gold,
    is_open_answer,
    is_open_list,
)
from ragdash.io.proposals.choices.repetitions import mixes_rankings
from ragdash.io.proposals.content.averages import has_average
from ragdash.io.proposals.content.spread import is_same_number
from ragdash.io.proposals.fields import is_missing
from ragdash.io.proposals.names import ID, RANKS, RETURNED, SCORES, SURE_METRICS, WEAK_GOLD, words
from ragdash.io.proposals.reading import RECORDS, ROLE, Reading, changed_reading, reads_column
from ragdash.io.proposals.records import KEY, fail_quietly
from ragdash.io.proposals.shapes.columns_of_systems import are_verdicts_on_systems
from ragdash.io.proposals.shapes.families import find_family, has_times
from ragdash.io.proposals.shapes.traces.span_rows import has_spans
from ragdash.io.source.beginning import beginning
from ragdash.io.source.source import Source

_WRITTEN = {"result", "response", "output", "prediction", "predicted", "generated", "completion", "reply", "model"}
MOST_BYTES = 16 << 20  # larger files are not read a second time
_FORMATS = ("csv", "tsv", "jsonl", "json-array", "json-results", "json-object", "json-columns", "json-split",
            "xlsx", "parquet")
_USUAL_LIST = re.compile(rb'\s*\{\s*"(results|data|queries|records|items|rows|runs|questions|examples)"\s*:')
_LINE_OF_MARKS = re.compile(rb"\n[^\S\n]*[-=*#]{3,}[^\S\n]*\r?\n")  # between the texts of a cell
_LIST_OF_SENTENCES = re.compile(rb'"(retrieved|relevant)"\s*:\s*\[\s*"(?:[^"\\ ]* ){4}')
_SMALL_BYTES = 1 << 20  # of files of which every field is looked at, also where the format has a place for all
_SURE = ("retrieved", "relevant")  # under these names nothing else is meant
_AS_RIGHT = {"answer": "answers", "contexts": "evidence", "retrieved": "relevant", "text": "evidence"}
_MORE = ("retrieved", "relevant", "evidence", "answers", "answer", "contexts", "grade")
_WHAT_A_SYSTEM_GAVE = {"answer", "retrieved", "contexts", "text"}
_OF_RUNS, _TALKS = ("retrieved", "contexts", "answer"), {"user"}  # what a conversation gives
_HAS_MORE = {"retrieved", "relevant", "doc_id", "answers", "grade"}  # than an answer and its contexts
_READ_TEXTS = {"contexts", "evidence", "retrieved"}
_UNREAD = {"unknown-columns", "unread-column", "unread-field", "unread-members"}


def misread(source: Source, detected: DetectedFormat) -> list[Reading]:
    """The readings of a file that its known format would misread; none where it reads it well.

    A known format is believed where nothing speaks against it. It is not where the best reading gives a field another
    meaning, nor where an answer is all there is: of a system, or of a data set.
    """
    if source.mapping or detected.format not in _FORMATS or source.stored_size > MOST_BYTES:
        return []
    part = None if is_small(source, detected) else beginning(source, detected.format)
    asked = misread(part, detect_source(part)) if part is not None else []
    if asked and (readings := propose(source)):
        return with_known_fields(source, detected, readings)
    if is_generated(detected) and any("answer" in reading.mapping for reading in propose(source)[:1]):
        return [_without_system(propose(source)[0]), *propose(source)]
    is_open = is_open_answer(source, detected)
    doubts = list(_doubts(source, detected))
    readings = propose(source) if doubts or is_open or is_next_to_gold(detected) else []
    if readings and any(doubt(readings[0]) for doubt in doubts):
        return with_known_fields(source, detected, readings)
    if source.container == "xlsx" and any("average" in reading.notes for reading in readings):
        return readings  # the sheet that is read has a row of means
    answer = detected.guess.get("answer")
    is_asked = is_open and any(reading.role == "truth" or "contexts" not in detected.guess for reading in readings)
    if (is_asked or is_next_to_gold(detected)) and any(
            reading.mapping.get("answers") == answer for reading in readings):
        return readings
    if is_open_list(detected) or are_open_contexts(detected):
        returned = detected.guess.get("retrieved", "")
        if any(reading.mapping.get("retrieved", returned) == returned != reading.mapping.get("relevant", returned)
               for reading in propose(source)[:1]):  # doc_ids next to expected_chunk_ids
            return _with_truth(source) or propose(source)
        return _both_readings(source, detected) or _with_truth(source)
    if is_open and "query" not in detected.guess and [reading.role for reading in readings] == ["run"] and (
            {"query", "answer"} <= readings[0].mapping.keys() and RETURNED.isdisjoint(
                words(readings[0].mapping.get("retrieved", "retrieved")))):
        return [_as_truth(readings[0]), *readings]  # Prompt, Answer and links: of a data set, or what a system gave
    if is_open and {"contexts", "relevant"} <= detected.guess.keys():  # a paragraph, an answer and ids: a data set?
        return _both_readings(source, detected)
    is_known = any(answer in map(reading.mapping.get, ("answer", "answers")) for reading in readings)
    has_more = any(_HAS_MORE & reading.mapping.keys() for reading in readings[:1])
    is_known = is_known and (has_more or not are_open_texts(source, detected.guess.get("contexts", "")))
    return _both_readings(source, detected) if is_open and not is_known else []


def is_small(source: Source, detected: DetectedFormat) -> bool:
    """True for a file of which every field is looked at, also where the format has a place for all of them."""
    return source.stored_size < _SMALL_BYTES << 3 * (detected.format in ("json-results", "json-object"))


def propose(source: Source) -> list[Reading]:
    """The readings of a file, best first; what finds them is imported for the few files that need it."""
    from ragdash.io.proposals.propose import propose as readings_of

    return readings_of(source)


def _both_readings(source: Source, detected: DetectedFormat) -> list[Reading]:
    """The answers or documents of a file as those of a data set, and as those of a system."""
    fields = dict(detected.guess)
    records, texts = next(iter(fail_quietly(source)), None), [fields[n] for n in ("query", "answer") if n in fields]
    if records is None or "query" not in fields or any(
            type(row.get(name)) is not str or is_missing(row[name]) for row in records.rows for name in texts):
        return []
    place = {RECORDS: records.path} if records.path else {}
    right = {_AS_RIGHT.get(name, name): path for name, path in fields.items()}
    ways = [("truth", right), ("run" if {"answers", "relevant"}.isdisjoint(fields) else "both", fields)]
    if is_same_number([row.get(fields.get("contexts", "")) for row in records.rows]):
        ways.reverse()
    return [Reading({ROLE: role, **place, **mapping}, len(records.rows), preview=tuple(
        {name: shorten(str(row.get(path, "")), 80) for name, path in mapping.items()} for row in records.rows[:3]))
        for role, mapping in ways]


def _with_truth(source: Source) -> list[Reading]:
    """The best reading of rankings, and before it the one of the same documents as right ones; none with an answer."""
    readings = [reading for reading in propose(source)[:1] if "retrieved" in reading.mapping and {
        "answer", "config", "scores"}.isdisjoint(reading.mapping)]
    return [*map(_as_truth, readings), *readings]


def _as_truth(reading: Reading) -> Reading:
    """The same documents, answers and texts as right ones."""
    return replace(reading, mapping={_AS_RIGHT.get(name, name): path for name, path in reading.mapping.items()
                                     if name not in ("score", "rank") and not (
                                         name == "retrieved" and "relevant" in reading.mapping)} | {ROLE: "truth"})


def _without_system(reading: Reading) -> Reading:
    """The answers and texts as right ones, without a ranking."""
    kept = {_AS_RIGHT.get(name, name): path for name, path in reading.mapping.items()
            if name in (RECORDS, "query_id", "query", "answer", "contexts", "text", "attributes")}
    return replace(reading, mapping={ROLE: "truth", **kept})


def _is_written_for_us(detected: DetectedFormat) -> bool:
    """True for a run or truth in which every field has the name that our format gives it, ids of documents included."""
    guess = detected.guess
    return set(detected.columns) == set(guess) and all(name == path for name, path in guess.items()) and (
        "query_id" in guess) and not {"retrieved", "relevant"}.isdisjoint(guess)


def _doubts(source: Source, detected: DetectedFormat) -> Iterable:
    """Tests of the best reading, each of which says that the known format is wrong."""
    guess, looks_at_all = detected.guess, is_small(source, detected)
    if _is_written_for_us(detected):
        if _LIST_OF_SENTENCES.search(source.head):
            yield partial(_reads_texts, source, detected)
        yield from _doubts_of_layout(source, detected)
        return
    if any(name in guess and not (name in _SURE and guess[name] == name) for name in CONTENT):
        yield partial(_contradicts, detected)
    if listed := {"retrieved", "relevant"} & guess.keys():
        yield partial(_reads_texts, source, detected)
        yield lambda reading: listed.isdisjoint(reading.mapping) and are_counts(source, [guess[n] for n in listed])
    answer = guess.get("answer")
    if answer and {"retrieved", "contexts", "doc_id"}.isdisjoint(guess):
        yield lambda reading: reading.role == "truth" and answer not in reading.mapping.values() and bool(
            {"relevant", "evidence"} & reading.mapping.keys()) and is_empty(source, answer)
    others = {word for name in detected.columns if name not in guess.values() for word in words(name)}
    if detected.format in ("csv", "tsv") and b'{""' in source.head:  # cells that are JSON objects are no texts
        yield lambda reading: any(reading.mapping.get(name, "").startswith(f"{guess[name]}.")
                                  for name in ("query", "answer", "answers") if name in guess)
    if "query_id" in guess and {"query", "doc_id", "retrieved"}.isdisjoint(guess):  # an id of each answer
        yield lambda reading: "config" in reading.mapping and reading.mapping.get("query_id") not in (
            None, guess["query_id"])
    if {"query", "retrieved", "text"} <= guess.keys():  # one text next to several documents
        yield lambda reading: reading.mapping.get("answer") == guess["text"]
    contexts = guess.get("contexts")
    if contexts and {"retrieved", "doc_id"}.isdisjoint(guess):  # ids of documents, or their texts?
        yield lambda reading: reading.mapping.get("retrieved") == contexts
        yield lambda reading: _READ_TEXTS.isdisjoint(reading.mapping) and are_kinds(source, contexts)
    if {"doc_id", "text"} <= guess.keys() and not {"score", "rank", "grade"} & guess.keys() and "answer" in others:
        yield lambda reading: reading.role == "truth" and "answers" in reading.mapping  # questions made of chunks
    if "evidence" in guess and looks_at_all:  # expected_chunks: 5, a number of them
        yield lambda reading: "evidence" not in reading.mapping and are_numbers(source, guess["evidence"])
        yield lambda reading: reading.mapping.get("relevant") == guess["evidence"]  # ids of chunks
    if "evidence" in guess and {"query", "answer", "answers", "relevant"}.isdisjoint(guess):  # of what an auditor says?
        yield lambda reading: reading.role != "truth"
    references = guess.get("answers")
    if references and answer and looks_at_all and (OF_SYSTEMS - {"answers"}).isdisjoint(guess):  # the same texts twice
        yield lambda reading: reading.role == "truth" and reading.mapping.get("answers") == references
    if references and ("retrieved" in guess or set(words(references)) <= WEAK_GOLD):  # or what an answer cites
        yield lambda reading: references in map(reading.mapping.get, ("relevant", "retrieved")) or is_source(
            source, references, reading)
    if references:
        yield lambda reading: reading.mapping.get("relevant") == references and names_documents(source, references)
    if detected.role == "run" and {"doc_id", *_WHAT_A_SYSTEM_GAVE}.isdisjoint(guess):  # a least score is no metric
        yield lambda reading: reading.role == "truth" and not {"relevant", "evidence"}.isdisjoint(reading.mapping)
    unread = set(detected.columns) - set(guess.values())
    if detected.role == "truth" and looks_at_all and (unread or WHOLE_TIMES & guess.keys()):  # of a system, left out
        yield lambda reading: reading.role == "both" and not (
            _WHAT_A_SYSTEM_GAVE | WHOLE_TIMES | {"scores", "score"}).isdisjoint(reading.mapping)
    ranked = {name for name in unread if {"ranked", "reranked"} & set(words(name))}
    if ranked and guess.get("retrieved"):  # the other list has them in no order
        yield lambda reading: reading.mapping.get("retrieved") in ranked
    if "doc_id" in guess:
        yield from _doubts_of_document_rows(detected, looks_at_all)
    if "config" in guess:
        yield lambda reading: "config" not in reading.mapping and names_rows(source, guess)
    yield from _doubts_of_layout(source, detected)


def _doubts_of_document_rows(detected: DetectedFormat, looks_at_all: bool) -> Iterable:
    """Tests for rows that each have a document: may be of what is right, of chunks, or of several systems."""
    guess = detected.guess
    unread = set(detected.columns) - set(guess.values())
    if "rank" in guess:  # of the document that is right
        yield lambda reading: reading.mapping.get("relevant") == guess["doc_id"] and "rank" not in reading.mapping
    if not {"score", "rank", "grade"} & guess.keys():
        yield lambda reading: "grade" in reading.mapping
        yield lambda reading: ("query" in guess and reading.mapping.get("relevant") == guess["doc_id"]) or (
            reading.role == "truth" and guess["doc_id"] in map(reading.mapping.get, ("relevant", "source")) and bool(
                {"evidence", "answers"} & reading.mapping.keys()))
        yield lambda reading: "doc_id" not in reading.mapping and (
            reading.mapping.get("retrieved", guess["doc_id"]) != guess["doc_id"])
        yield lambda reading: {"retrieved", "doc_id"}.isdisjoint(reading.mapping) and not (
            {"scores", "labels"}.isdisjoint(reading.mapping))
        if any(not (RANKS | SCORES).isdisjoint(words(name)) for name in detected.columns):
            yield lambda reading: bool({"score", "rank"} & reading.mapping.keys())
        yield lambda reading: reading.mapping.get(RECORDS) == KEY and "score" in reading.mapping  # its system's column
    if any(_names_chunks(name) for name in unread) and not _names_chunks(guess["doc_id"]):
        yield lambda reading: _names_chunks(reading.mapping.get("doc_id", "")) and (
            reading.mapping.get("source") == guess["doc_id"])  # the document is that of the chunk
    if is_document_row(guess) and (unread or ("text" in guess and looks_at_all)):
        yield lambda reading: "doc_id" not in reading.mapping and "text" in reading.mapping and (
            "relevant" not in reading.mapping)
        yield lambda reading: "config" in reading.mapping and "config" not in guess and (
            reading.mapping["config"] not in guess.values() and "doc_id" in reading.mapping)
    if "grade" in guess and looks_at_all and ID.isdisjoint(words(guess["doc_id"])):  # texts, not ids
        yield lambda reading: reading.mapping.get("evidence") == guess["doc_id"]


def _reads_texts(source: Source, detected: DetectedFormat, reading: Reading) -> bool:
    """True where a reading takes what the known format takes for ids as the texts of documents, and they are texts."""
    paths = [detected.guess.get("retrieved"), detected.guess.get("relevant")]
    fields = [(reading.mapping[name].split("[]")[0], reading.mapping.get(RECORDS, "").rpartition(".")[2])
              for name in ("contexts", "evidence") if name in reading.mapping]
    return any(field in paths and are_sentences(source, field) for places in fields for field in places)


def _contradicts(detected: DetectedFormat, reading: Reading) -> bool:
    """True where a reading gives a field of the known format another meaning, or its meaning to another field."""
    known = {"contexts"} if {"answer", "retrieved", "doc_id"} & detected.guess.keys() else set()
    if is_native(detected) and {"relevant", "evidence", "source"}.isdisjoint(reading.mapping):
        known.add("answer")
    return contradicts(detected, reading, known)


def _doubts_of_layout(source: Source, detected: DetectedFormat) -> Iterable:
    """Tests for columns of several systems, two answers, rows of averages and documents of two parts."""
    if b"[[" in source.head.replace(b" ", b"") and {"relevant", "retrieved"} & detected.guess.keys():
        yield partial(joins_pairs, source)
    if "doc_id" in detected.guess and set(detected.columns) - {*detected.guess.values()}:
        yield partial(mixes_rankings, source, detected.guess)
    if "doc_id" in detected.guess and has_lists(source, detected, detected.guess["doc_id"]):
        yield lambda reading: True  # ['d7', 'd2'] in a cell is the id of no document
    if detected.format in ("csv", "tsv") and "contexts" in detected.guess and _LINE_OF_MARKS.search(source.head):
        yield lambda reading: "retrieved" in reading.mapping and (  # several texts in a cell
            reading.mapping.get("contexts") == detected.guess["contexts"])
    predicted = [name for name in detected.columns if "prediction" in words(name)]
    if predicted and detected.guess.get("answer", predicted[0]) not in predicted:  # the other text may be a judge's
        yield lambda reading: reading.mapping.get("answer") in predicted
    if family := find_family(detected.columns):
        is_measured = has_times(family) or (_WHAT_A_SYSTEM_GAVE.isdisjoint(detected.guess) and (
            measures_systems(family) or are_verdicts_on_systems(family)))
        roles = (*_OF_RUNS, "scores") if is_measured else _OF_RUNS
        yield lambda reading: any("{run}" in reading.mapping.get(role, "") for role in roles)
    if (source.container is None and has_average(source.data)) or source.container == "xlsx":
        yield lambda reading: "average" in reading.notes
    if has_spans(detected.columns):  # a query for each trace, not for each step
        yield lambda reading: "skipped" in reading.notes
    is_named = detected.format == "json-results" and is_small(source, detected) and not (
        _is_written_for_us(detected) and _USUAL_LIST.match(source.head))
    if source.container == "xlsx" or is_named:  # of alike sheets or lists one is read, or no run
        yield lambda reading: (reading.mapping.get(RECORDS) == KEY != reading.mapping.get("query_id")) or (
            detected.role == "truth" and KEY in reading.mapping.get(RECORDS, "") and reading.role != "truth")


def _names_chunks(name: str) -> bool:
    """True for chunk_id, passage_id, node_id."""
    return bool({"chunk", "passage", "node", "chunkid"} & set(words(name))) and not ID.isdisjoint(words(name))


def more_content(source: Source, detected: DetectedFormat, problems: Sequence[Problem]) -> list[Reading]:
    """The readings of a file of which the known format reads a part: relevant documents, evidence, answers."""
    if source.mapping or detected.format not in _FORMATS or source.stored_size > MOST_BYTES:
        return []
    kinds = {problem.kind for problem in problems}
    looks_at_all = is_small(source, detected) and source.container is None
    part = None if looks_at_all or source.container else beginning(source, detected.format)
    looks_at_all = looks_at_all or (part is not None and bool(more_content(part, detect_source(part), problems)))
    unread = set(detected.columns) - set(detected.guess.values())
    if detected.format in TABLES and not unread:  # every column is read: repeated documents are just that
        kinds.discard("duplicate-document")
    rated = {name for name in unread if {"score", "metric", "evaluation"} & set(words(name))}
    in_objects = looks_at_all and source.is_json and any(re.search(rb'"%s"\s*:\s*\{' % re.escape(
        detected.guess[name].encode()), source.head) for name in ("answer", "answers") if name in detected.guess)
    if kinds.isdisjoint(_UNREAD | {"duplicate-document"}) and not (looks_at_all and unread) and not rated and (
            not in_objects):  # an answer next to what it cites
        return []
    readings = [with_what_is_read(detected, reading) for reading in propose(source)]
    return [reading for reading in readings if _reads_more(source, detected, reading, kinds)]


def with_what_is_read(detected: DetectedFormat, reading: Reading) -> Reading:
    """A reading with the answers and contexts that the known format reads as well, and that mean nothing else in it.

    Contexts that the format reads take the place of the texts of documents: a run has one of both.
    """
    fields = {name: path for name, path in reading.mapping.items() if name not in (ROLE, RECORDS, "attributes")}
    has_others = "contexts" in detected.guess and "contexts" not in fields
    ignored = [fields.pop("text")] if has_others and "text" in fields else []
    more = {name: path for name in ("answers", "answer", "contexts") if (path := detected.guess.get(name))
            and name not in fields and not reads_column("+".join(fields.values()), path)}
    if not more:
        return reading
    attributes = [path for path in reading.mapping.get("attributes", "").split("+") if path not in ("", *more.values())]
    known = fields | more | ({"attributes": "+".join(attributes)} if attributes else {})
    return replace(reading, mapping=changed_reading(reading.mapping, known), ignored=(
        *(path for path in reading.ignored if path not in more.values()), *ignored))


def _reads_more(source: Source, detected: DetectedFormat, reading: Reading, kinds: set[str]) -> bool:
    """True for a reading with all that the known format reads, and something new."""
    guess, mapping = detected.guess, reading.mapping
    unread = set(detected.columns) - set(guess.values())
    if reading.role == "truth" and not _WHAT_A_SYSTEM_GAVE.isdisjoint(guess):
        return False  # what a system gave would be lost
    if detected.role == "truth" and reading.role == "run":
        return False  # grades as scores
    covered = all(name in mapping or name in ("score", "rank", "source", "attributes", "settings", "usage")
                  or path in mapping.values() or any(spec.startswith(f"{path}[]") for spec in mapping.values())
                  for name, path in guess.items() if name in _MORE)
    new = [name for name in _MORE if name in mapping.keys() - guess.keys() and (
        mapping[name] not in guess.values()) and not (
        name in ("retrieved", "contexts") and {"retrieved", "contexts", "doc_id"} & guess.keys() and not (
            name == "retrieved" and "contexts" in guess and mapping.get("contexts") == guess["contexts"]))]
    if mapping.get("relevant", "").startswith(f"{guess.get('relevant')}:"):
        new.append("relevant")  # and those that were judged and are not right
    if are_its_parts(source, guess.get("contexts", ""), mapping.get("contexts", "")):
        new.append("contexts")
    chunks = mapping.get("retrieved", "").removeprefix(f"{guess.get('retrieved', guess.get('contexts'))}[].")
    if "duplicate-document" in kinds and chunks != mapping.get("retrieved") and _names_chunks(chunks):
        new.append("retrieved")  # the documents are those of the chunks
    if not {"query", "doc_id"} & guess.keys() and mapping.get("query", "").split(".")[0] in unread | _TALKS:
        new.append("query")  # a prompt, a claim, or the last message of a user
    if "." in mapping.get("latency_ms", "") and not {"latency_ms", "latency_s"} & guess.keys():
        new.append("latency_ms")
    if detected.role == "truth" and "scores" in mapping:  # a ground truth has no place for them
        new.append("scores")
    parents = {path.split(".")[0] for path in mapping.get("scores", ".").split("+") if "." in path}
    if parents & unread and "metrics" not in guess and not any(
            (SURE_METRICS | {"metric", "evaluation"}).isdisjoint(words(name)) for name in parents):
        new.append("scores")  # values in an object that the format does not look into
    if "doc_id" in guess:  # rows of documents have the details of their query under the usual names
        new = [name for name in new if name not in QUERY_ALIASES or not find_fields(
            [mapping[name]], (name,), QUERY_ALIASES)]
    if mapping.get("config", "").startswith(KEY) and "config" not in guess:
        new.append("config")
    return bool(new) and covered
