"""Answers and documents of which nothing says whether a system gave them or they are right."""

from __future__ import annotations

from collections.abc import Collection

from ragdash.core.errors import Problem
from ragdash.core.text.metric_names import may_be_metric
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.proposals.names import CODES, GOLD, RETURNED, WEAK_GOLD, words
from ragdash.io.proposals.records import fail_quietly
from ragdash.io.source.source import Source
from ragdash.io.tables.promptfoo_header import find_outputs

OF_SYSTEMS = {"answers", "retrieved", "contexts", "config", "latency_ms", "latency_s", "usage", "prompt_tokens",
               "completion_tokens", "cost_usd", "metrics", "settings", "doc_id"}  # next to an answer: it is a system's
_NAMES_OF_RUNS = {"run", "result", "output", "prediction", "response", "generated"}  # of files


def answers_note(source: Source, detected: DetectedFormat) -> tuple[Problem, ...]:
    """The note for a run of our own format that has answers and nothing that says whose they are."""
    if source.mapping or not is_native(detected) or not _has_only_answers(detected):
        return ()
    return (Problem("answers-of-system", {}, source.file, field="answer", severity="note"),)


def is_open_answer(source: Source, detected: DetectedFormat) -> bool:
    """True where nothing but an answer next to the question says what a file is: gold answers, or those of a system.

    A text called `context` does not say it: data sets have the paragraph of a question under this name. Neither do
    lists under `contexts`, unless all have the same length, as the first k of a ranking have, or the name of the file
    says it. Our own format says it by its names: `query_id` with `answer` is a run, `answers` is the truth.
    """
    if is_native(detected) or not _has_only_answers(detected, {"contexts"}):
        return False
    name = detected.guess.get("contexts")
    return name is None or _is_paragraph(source, name) or are_open_texts(source, name)


def is_generated(detected: DetectedFormat) -> bool:
    """True for a test set whose questions a persona asks: the answers, the model and the texts may be of those who made
    the questions, or of a system.
    """
    guess = detected.guess
    return not is_native(detected) and {"query", "answer"} <= guess.keys() and guess["answer"].lower() == "answer" and (
        (OF_SYSTEMS - {"contexts", "config"}).isdisjoint(guess)) and any(
        "persona" in words(name) for name in detected.columns)


def is_open_list(detected: DetectedFormat) -> bool:
    """True for documents next to a question that may be right, returned, or all that may be searched: document_ids."""
    guess = detected.guess
    return "query" in guess and RETURNED.isdisjoint(words(guess.get("retrieved", "retrieved"))) and (
        OF_SYSTEMS | {"relevant", "evidence", "answer", "score", "rank"} - {"retrieved"}).isdisjoint(
            guess.keys() - {"retrieved"}) and not any(may_be_metric(name) and GOLD.isdisjoint(words(name))
                                                      for name in set(detected.columns) - set(guess.values()))


def are_open_contexts(detected: DetectedFormat) -> bool:
    """True for contexts next to right answers, and no answer: those that a system found, or those of a data set."""
    guess = detected.guess
    return {"query", "contexts", "answers"} <= guess.keys() and (
        (OF_SYSTEMS | {"relevant", "evidence", "answer", "score", "rank"}) - {"answers", "contexts"}).isdisjoint(
            guess) and not find_outputs(detected.columns) and RETURNED.isdisjoint(words(guess["contexts"])) and not any(
            may_be_metric(name) for name in set(detected.columns) - set(guess.values()))


def _is_paragraph(source: Source, name: str) -> bool:
    """True for `context` with one text in each record, not with documents."""
    values = [row.get(name) for records in fail_quietly(source)[:1] for row in records.rows[:50]]
    single = [value[0] if type(value) is list and len(value) == 1 else value for value in values]
    return name.lower() == "context" and all(value is None or type(value) is str for value in single)


def are_open_texts(source: Source, name: str) -> bool:
    """True for lists of texts under `contexts` that may be the sources of a generated data set."""
    if words(name) != ("context",) or not _NAMES_OF_RUNS.isdisjoint(words(source.name)):
        return False
    values = [row.get(name) for records in fail_quietly(source)[:1] for row in records.rows]
    sizes = {len(value) for value in values if type(value) is list}
    are_texts = all(type(value) is list and all(type(text) is str for text in value) for value in values)
    return bool(sizes) and are_texts and (len(sizes) > 1 or sizes == {1})


def is_next_to_gold(detected: DetectedFormat) -> bool:
    """True for an answer next to the right documents under a name that the format does not know: gold_doc_id."""
    guess = detected.guess
    is_plain = guess.get("answer", "").lower() == "answer" and {"answers", "contexts"}.isdisjoint(guess)
    return is_plain and not is_native(detected) and any(
        not (GOLD - WEAK_GOLD).isdisjoint(words(name)) and not CODES.isdisjoint(words(name))
        for name in set(detected.columns) - set(guess.values()))


def is_native(detected: DetectedFormat) -> bool:
    guess = detected.guess
    return (guess.get("query_id"), guess.get("answer"), guess.get("query", "query")) == ("query_id", "answer", "query")


def _has_only_answers(detected: DetectedFormat, known: Collection[str] = ()) -> bool:
    guess = {name: field for name, field in detected.guess.items() if name not in known}
    if guess.get("answer", "").lower().removeprefix("outputs.") not in ("answer", "response", "output"):
        return False
    if guess["answer"].startswith("outputs.") and guess.get("retrieved", "").startswith("outputs."):
        guess = {name: field for name, field in guess.items() if name != "retrieved"}
        if any("run" in words(name) or "reference" in words(name) or "feedback" in words(name)
               for name in detected.columns):
            return False
    others = [name for name in detected.columns if name not in detected.guess.values()]
    is_rated = any(may_be_metric(name) or "cache" in words(name) for name in others)
    return not is_rated and OF_SYSTEMS.isdisjoint(guess)
