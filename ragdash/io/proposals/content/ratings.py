"""Which fields rate a query or its documents: metrics, labels, durations, grades, ranks, scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ragdash.core.text.metric_names import (
    are_verdicts,
    is_measured,
    is_metric_name,
    is_spent,
    labels_in,
    may_hold_labels,
    may_hold_scores,
)
from ragdash.io.proposals.content.times import time_stage, time_unit
from ragdash.io.proposals.fields import Field, as_bool, as_number
from ragdash.io.proposals.names import (
    ANSWER,
    CRITERIA,
    DOCUMENT,
    GRADES,
    ID,
    LATENCIES,
    METRICS,
    RANKS,
    SCORES,
    SURE_METRICS,
    words,
)

_LABELS = {"label", "verdict", "judgment", "judgement", "correctness", "correct", "grade", "rating", "human", "score",
           "result", "evaluation", "judge", "assessment", "annotation"}
_JUDGING = {"judge", "human", "grader", "annotator", "assessor"}
_CLASSES = {"truth", "gold", "golden", "gt", "expected", "predicted", "pred"}  # what is right, and what a judge said
_RATING = {"judge", "verdict", "evaluation", "grader", "judgment", "judgement"}  # objects of who rates an answer
_COUNTS = {"num", "count", "n", "number", "total", "length", "size", "len", "k", "index", "line", "page", "year",
           "version", "limit", "max", "min", "order", "step"}
_PRECISION = re.compile(r"[PRpr]\s*[@_]\s*\d+")  # P@5
_SHORT_NAME = re.compile(r"[PRpr](1|3|5|10|20)")  # p5, next to percentiles such as p95
_CONFIG_OBJECTS = {"config", "configuration", "setting", "param", "parameter", "hyperparameter",
                   "profile", "persona", "student", "patient", "customer"}  # of a system, or of who asks
_DATA_OBJECTS = {"metadata", "meta", "diagnostic", "debug", "workflow"}  # of how an answer was made
_NO_RATING = RANKS | ID | DOCUMENT | {"token", "cost", "price", "retrieved", "returned", "call", "step", "turn"}
_SETTINGS = {"include", "use", "enable", "allow", "skip", "require", "add", "show"}  # in front of what is asked for
_RELEVANCE = {"relevance", "rel", "relevancy"}
_OUTCOMES = {"ok", "answered", "supported", "abstained", "refused", "declined", "hallucinated",
             "found"}  # true or false


def is_metric(field: Field) -> bool:
    """A number or truth value that rates the query."""
    name = set(field.name_words)
    is_at_k = field.name_words[-2:] == ("at", "k") and len(field.name_words) > 2
    if is_at_k:
        name -= {"at", "k"}  # success_at_k
    if field.is_list or "[]" in field.path or not (field.is_number or field.is_bool):
        return False
    if field.path.startswith("*."):
        return False  # a mean over the queries of a configuration
    if not (CRITERIA | {"expected"}).isdisjoint(field.words) or _is_setting(field):
        return False  # what is expected, or asked for
    if not name.isdisjoint(LATENCIES | {"cache", "token", "cost", "threshold", "weight", "price", "id", "uuid",
                                        "min", "minimum", "max", "maximum", "required", "target", "option", "choice",
                                        "index", "idx"}):
        return False
    if ("rank" in name and name.isdisjoint({"reciprocal", "recip"})) or any(
            both <= name for both in ({"noise", "rate"}, {"chunk", "overlap"}, {"similarity", "top", "k"})):
        return False
    if name <= {"metric", "at", "k"} or _counts_things(field):
        return False  # the cutoff, and how many documents were found
    if field.is_bool and (field.name_words[0] in _SETTINGS or field.name_words[-1:] == ("test",)):
        return False  # include_tables, is_groundedness_test
    nested = (not set(field.words[:-1]).isdisjoint({"metric", "score", "evaluation", "eval", "feedback", "judge",
                                                          "judgment", "judgement", "rating", "verdict"}) and (
        "." in field.path)) or (field.is_bool and field.words[:1] == ("check",) and "." in field.path)
    if not nested and (field.name_words[-1:] == ("count",) or field.name_words[0] in ("num", "n")) and len(name) > 1:
        return False  # num_hits, overlap_count
    stripped = {word.rstrip("0123456789") for word in name}
    known = is_at_k or not (name | stripped).isdisjoint(METRICS) or (
        field.name_words == ("margin",)) or field.name_words[:1] == ("metric",) or (
        _PRECISION.fullmatch(field.path.rpartition(".")[2]) is not None) or (
        _SHORT_NAME.fullmatch(field.path.rpartition(".")[2]) is not None and _are_fractions(field)) or (
        not name.isdisjoint(_OUTCOMES) and (field.is_bool or _is_binary(field))) or (
        is_metric_name(field.path.rpartition(".")[2]))
    if not (known or nested) or (name & _COUNTS and not (name & SURE_METRICS)):
        return False
    return _is_bounded(field) or known


def _is_binary(field: Field) -> bool:
    """True for 0 and 1 alone, both of them."""
    return {as_number(item) for item in field.items} == {0, 1}


def rates_document(field: Field) -> bool:
    """True for human_relevance: a whole number for a document."""
    return field.name_words[-1:] == ("relevance",) and field.is_number and is_whole(field)


def is_of_settings(path: str) -> bool:
    """True for a member of an object of settings, or of what else is known of an answer, other than metrics."""
    above, _, name = path.rpartition(".")
    return not _CONFIG_OBJECTS.isdisjoint(words(above)) or (
        not _DATA_OBJECTS.isdisjoint(words(above)) and SURE_METRICS.isdisjoint(words(name)))


def _is_setting(field: Field) -> bool:
    """True for a value in an object of settings, such as config.alpha, and for what is switched on or off."""
    return is_of_settings(field.path) or field.name_words[-1:] in (("enabled",), ("disabled",))


def _counts_things(field: Field) -> bool:
    """True for whole numbers of documents, and for those under the plural of what they count: table_hits: 0, 2, 4; for
    an overlap of 50 tokens as well.
    """
    if field.name_words == ("overlap",) and not field.is_bool and max(map(as_number, field.items), default=0) > 1:
        return is_whole(field)
    is_plural = field.path.lower().endswith("_hits") and "at" not in field.name_words
    if not is_plural and ("doc" not in field.name_words or "precision" in field.name_words):
        return False
    return all(map(_is_whole, field.items)) and not field.is_bool and (
        not is_plural or any((as_number(item) or 0) > 1 for item in field.items) or len(field.name_words) > 2)


def is_unnamed_metric(field: Field) -> bool:
    """A number that no name shows to be a metric, with the values of one; it counts next to what a system returned."""
    return (not field.is_list and "[]" not in field.path and field.is_number and not field.is_bool
            and _CLASSES.isdisjoint(field.words) and not field.path.startswith("*.") and not _is_setting(field)
            and is_measured(field.path, [as_number(item) or 0.0 for item in field.items]))


def is_unnamed_label(field: Field) -> bool:
    """A few short texts that say right or wrong, whatever their name says."""
    return (field.is_text and not field.is_list and "[]" not in field.path and not field.path.startswith("*.")
            and "expected" not in field.words and are_verdicts(labels_in(list(map(str, field.items)))))


def is_label(field: Field) -> bool:
    """A judgment in words, such as Correct or Refusal."""
    if field.path.startswith("*.") or _is_setting(field):
        return False  # what a report calls its configuration
    if field.is_list or not field.is_text or field.is_object or field.is_number or "[]" in field.path:
        return False
    name = set(field.words)
    if not name.isdisjoint({"gold", "golden", "truth", "gt"}) or "expected" in field.words:
        return False  # the right class
    short = field.mean_length < 25 and field.distinct_count <= 8 and field.blank_share < 0.3
    texts = list(map(str, field.items))
    is_sure = len(texts) > max(4, field.distinct_count) and may_hold_labels(field.path.rpartition(".")[2])
    enough = len(field.present) > 2 * field.distinct_count or field.path.startswith("scores.") or (
        is_sure and bool(labels_in(texts)))
    named = (name - {"result"}) | set(field.name_words)  # result.mode is none
    is_named = not named.isdisjoint(_LABELS) or may_hold_scores(field.path.rpartition(".")[2])
    rated = is_named and set(field.name_words).isdisjoint({
        "model", "prompt", "type", "id", "error", "name", "metric", "dataset", "subset", "split", "expected",
        "option", "choice", "count", "provider", "header", "heading", "section"}) and not is_spent(
        field.path.rpartition(".")[2])
    return short and enough and rated and (field.name_words[-1:] in (("correct",), ("score",)) or (
        set(field.name_words).isdisjoint(ANSWER - {"response"})))  # answer_correct: yes, no, partial


def rate_alike(free: Iterable[Field], metrics: Sequence[Field]) -> list[Field]:
    """Numbers of each system, under names that say nothing, on the scale of its metrics: {run}_rag_reasoning: 0, 1, 2.
    """
    known = [item for item in metrics if "{run}" in item.path and is_whole(item)]
    scale = {number for item in known for value in item.items if (number := as_number(value)) is not None}
    others = [item for item in free if len(scale) > 2 and item not in metrics and "{run}" in item.path
              and item.is_number and not item.is_list and not _is_setting(item) and "[]" not in item.path
              and item.distinct_count > 1 and (LATENCIES | _COUNTS).isdisjoint(item.name_words)]
    within = [item for item in others if _is_within(item, scale)]
    return [item for item in others if (len(known) + len(within) > 2 and item in within) or any(
        _stem(item) == _stem(other) and scale >= set(map(as_number, item.items)) for other in known)]


def without_copies(metrics: Sequence[Field]) -> list[Field]:
    """The metrics without those that another one has as well, deeper in a record: raw_response.score next to score."""
    return [item for item in metrics if not any(
        item.name_words == other.name_words and item.path.count(".") > other.path.count(".") and list(map(
            as_number, item.values)) == list(map(as_number, other.values)) for other in metrics)]


def _is_within(item: Field, scale: set[float]) -> bool:
    """True for numbers on the scale of several metrics that no name calls something else: {run}_safety."""
    lowest = -1.0 if not SCORES.isdisjoint(item.name_words) else min(scale)
    return _NO_RATING.isdisjoint(item.words) and all(
        (number := as_number(value)) is not None and lowest <= number <= max(scale) for value in item.items)


def _stem(item: Field) -> str:
    """A path up to the first word behind the system and what all its columns have."""
    return re.split(r"[_. -]", item.path.partition("{run}")[2].strip("_. -"))[0] if "{run}" in item.path else ""


def _is_whole(value) -> bool:
    number = as_number(value)
    return number is not None and number.is_integer()


def is_whole(field: Field) -> bool:
    """True for whole numbers, as the grades of a judge are."""
    return all(map(_is_whole, field.items))


def _is_bounded(field: Field) -> bool:
    values = [as_number(item) if as_bool(item) is None else float(bool(as_bool(item))) for item in field.items]
    return all(value is not None and -1 <= value <= 100 for value in values)


def _are_fractions(field: Field) -> bool:
    return all((number := as_number(item)) is not None and 0 <= number <= 1 for item in field.items)


def is_duration(field: Field) -> bool:
    """How long the query, or a stage of it, took: a number whose name has a unit of time."""
    if field.is_list or not field.is_number or field.path.startswith("*.") or "[]" in field.path or (
            field.path.count(".") - field.path.count("{run}") > 2):
        return False
    above = set(words(field.path.rpartition(".")[0]))
    return bool(time_unit(field.path) and time_stage(field.path)) and above.isdisjoint(_RATING)


def parallel_role(field: Field) -> str:
    """grade, rank or score for numbers in a list next to documents; "" for others."""
    name = set(field.name_words)
    if not name.isdisjoint(GRADES) and not {"metadata", "meta"}.isdisjoint(words(field.path.rpartition(".")[0])):
        name -= GRADES  # documents[].metadata.rating: of a film
    marks = {"supporting", "selected", "relevant", "gold", "positive", "correct", "supported", "support",
             "label"}
    if field.is_list and (field.is_bool or set(map(str, field.items)) <= {"0", "1"}) and name & (marks | _RELEVANCE):
        return "grade"
    if not field.is_list or not field.is_number or {"page", "label"} <= name:
        return ""
    if not name.isdisjoint(RANKS - {"pos", "index", "order"}) and name.isdisjoint({"score", "similarity", "distance"}):
        return "rank"
    if not name.isdisjoint({"gain", "rating", "grade", "rel", "label", "judgment", "judgement"}):
        return "grade"
    if not name.isdisjoint(_JUDGING) and not name.isdisjoint(SCORES) and is_whole(field):
        return "grade"  # judge_score
    if not name.isdisjoint(SCORES):
        return "score"
    return "grade" if not name.isdisjoint(GRADES) else ""
