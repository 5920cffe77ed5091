"""How long a query took: the unit and the stage that the name of a field shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from ragdash.io.proposals.names import LATENCIES, MILLISECONDS, SECONDS, words

TOTAL = "total"
_STAGES = {
    "retrieval": {"retrieval", "retrieve", "retriever", "search", "retrieving"},
    "rerank": {"rerank", "reranking", "reranker"},
    "generation": {"generation", "generate", "llm", "generator", "generating", "completion"},
}
_OTHER_STAGES = {"embed", "embedding", "judge", "evaluation", "eval", "evaluator", "score", "scoring", "grading",
                 "index", "indexing", "ingestion", "parse", "parsing", "chunking", "rewrite", "rewriting", "routing",
                 "expansion", "preprocessing", "translation", "bm25", "vector", "dense", "sparse", "fusion", "token",
                 "ttft"}
_NO_DURATION = {"stamp", "timestamp", "created", "start", "end", "at", "budget", "limit", "timeout", "max", "min",
                "p50", "p90", "p95", "p99"}
_OTHER_UNITS = {"minute", "hour", "day", "us", "ns", "micro", "nano", "token", "per"}
_LONGEST_S = 900.0  # a median above it is in milliseconds: no query takes a quarter of an hour
_FASTEST_ANSWER_MS = 20.0  # a median below it is in seconds: no model writes an answer in this time
_BARE = {"seconds", "secs"}  # names that are a unit alone
_WHOLE = re.compile(r"end[ _-]?to[ _-]?end|e2e", re.IGNORECASE)


def time_unit(path: str) -> str:
    """ms or s for the name of a duration; "" for any other."""
    names = _words(path)
    is_time = not LATENCIES.isdisjoint(names) or time_stage(path) not in ("", TOTAL) or (
        names - SECONDS - MILLISECONDS == {TOTAL}) or is_seconds(path)  # total_seconds
    if not is_time or not _NO_DURATION.isdisjoint(names):
        return ""
    if not MILLISECONDS.isdisjoint(names):
        return "ms"
    return "s" if not SECONDS.isdisjoint(names) else ""


def is_seconds(path: str, times: Sequence[float] = ()) -> bool:
    """True for a column `seconds`, which is how long an answer took if its values, where they are given, may be that.

    Examples
    --------
    >>> is_seconds("Seconds", [1.3, 0.9]), is_seconds("seconds", [1764350000]), is_seconds("start.seconds")
    (True, False, False)
    """
    return path.strip().lower() in _BARE and (not times or (min(times) >= 0 and median(times) <= _LONGEST_S))


def names_time(path: str) -> bool:
    """True for the name of a duration that has no unit, such as latency and retrieval_time."""
    names = _words(path)
    return not LATENCIES.isdisjoint(names) and bool(time_stage(path)) and names.isdisjoint(
        _NO_DURATION | _OTHER_UNITS | SECONDS | MILLISECONDS)


def likely_units(times: Sequence[float], has_answer: bool) -> tuple[str, ...]:
    """What durations without a unit are in: latency_s, latency_ms, or both, the likelier first.

    Examples
    --------
    >>> likely_units([1250, 980], True), likely_units([0.8, 2.4], True), likely_units([0.8, 2.4], False)
    (('latency_ms',), ('latency_s',), ('latency_s', 'latency_ms'))
    """
    middle = median(times)
    if middle > _LONGEST_S:
        return ("latency_ms",)
    if has_answer and middle < _FASTEST_ANSWER_MS:
        return ("latency_s",)
    is_whole = all(float(time).is_integer() for time in times)
    return ("latency_ms", "latency_s") if is_whole else ("latency_s", "latency_ms")


def time_stage(path: str) -> str:
    """retrieval, rerank or generation, else total; "" for a stage that is none of them, such as embedding."""
    above, _, name = path.replace("{run}", " ").rpartition(".")
    names = set(words(name))
    if names <= LATENCIES | MILLISECONDS | SECONDS:  # generation.latency_ms
        names |= set().union(*_STAGES.values()).intersection(words(above.rpartition(".")[2]))
    stages = [stage for stage, marks in _STAGES.items() if not marks.isdisjoint(names)]
    if len(stages) == 1 and "total" not in names:
        return stages[0]
    return "" if not _OTHER_STAGES.isdisjoint(names) and not stages else TOTAL


def is_whole_time(path: str) -> bool:
    """True for the time from the start of a query to its end, by its name.

    Examples
    --------
    >>> [is_whole_time(name) for name in ("total_latency_s", "latency_ms", "e2e_ms", "network_latency_ms")]
    [True, True, True, False]
    """
    return _words(path) <= LATENCIES | SECONDS | MILLISECONDS | {TOTAL, "overall", "response"}


def _words(path: str) -> set[str]:
    """The words of the last member of a path, with those of an object of times above it."""
    above, _, name = _WHOLE.sub("latency", path.replace("{run}", " ")).rpartition(".")
    parent = set(words(above.rpartition(".")[2]))
    return {*words(name), *(parent if not parent.isdisjoint(LATENCIES | MILLISECONDS) else ())}
