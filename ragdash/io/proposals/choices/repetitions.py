"""Repeats of one configuration, by the columns that name the runs of a file: system and trial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ragdash.core.records import Repetition, Run
from ragdash.io.proposals.assignment import Assignment
from ragdash.io.proposals.names import RATERS, REPEATS, last_words
from ragdash.io.proposals.reading import RECORDS, Reading
from ragdash.io.proposals.records import fail_quietly
from ragdash.io.source.source import Source

_SAME_AGAIN = REPEATS - {"epoch", "iteration"} | RATERS  # nothing else changed
_OF_VALUES = _SAME_AGAIN | {"pass", "repeat", "rollout", "sample", "generation"}  # pass 2
_FEWEST = 3  # queries
Repeat = tuple[str, str]  # name of the configuration, and which repeat


def repeat_of(parts: Sequence[tuple[str, str]], file_name: str) -> Repeat | None:
    """What a run is a repeat of, and which; None where its name does not say so.

    parts: (path of the column, its value) of the parts of the name. A value such as "trial 2" counts under any path.

    Examples
    --------
    >>> repeat_of([("system", "bm25"), ("trial", "2")], "results"), repeat_of([("*", "trial 2")], "results")
    (('bm25', '2'), ('results', 'trial 2'))
    """
    labels = [value for path, value in parts if _is_label(path, value)]
    others = [value for path, value in parts if not _is_label(path, value)]
    return (" / ".join(others) or file_name, " / ".join(labels)) if labels else None


def as_repeats(runs: Sequence[Run], repeats: Sequence[Repeat | None]) -> list[Run]:
    """The runs of a file; those that are repeats of one configuration know it."""
    counts = Counter(repeat[0] for repeat in repeats if repeat is not None)
    return [run if repeat is None or counts[repeat[0]] < 2 else replace(
        run, repetition=Repetition(*repeat, runs[0].digest)) for run, repeat in zip(runs, repeats, strict=True)]


def times_asked(keys: Iterable[tuple[str | None, str | None]]) -> int:
    """How often each query comes in its configuration, where nearly all come equally often and none more often; else 0.

    keys: (configuration, query) of each record.

    Examples
    --------
    >>> times_asked([(None, "q1"), (None, "q1"), (None, "q2"), (None, "q2"), (None, "q3"), (None, "q3")])
    2
    """
    counts = Counter(key for key in keys if key[1] is not None)
    most = max(counts.values(), default=0)
    return most if len(counts) >= _FEWEST and 10 * sum(count == most for count in counts.values()) >= 9 * len(
        counts) else 0


def is_half_crossed(result: Assignment, path: str) -> bool:
    """True where a value of a column has half of the queries or more in the mean, as a system has: a conversation of
    two questions has not.
    """
    key = result.roles.get("query_id", result.roles.get("query", ""))
    asked, values = (list(map(repr, result.fields[name].values)) if name in result.fields else [] for name in (
        key, path))
    return 2 * len(set(zip(asked, values, strict=False))) >= len(set(asked)) * len(set(values))


def mixes_rankings(source: Source, guess: Mapping[str, str], reading: Reading) -> bool:
    """True where a known format reads several documents of a query at one rank, and the configurations of the reading
    separate them. guess: what the format reads; without ranks the documents count.
    """
    known = [guess[name] for name in ("query_id", "query", "config") if name in guess]
    known.append(guess.get("rank", guess["doc_id"]))
    more = [path for path in reading.mapping.get("config", "").split("+") if path and path not in known]
    path = reading.mapping.get(RECORDS, "")
    rows = next((records.rows for records in fail_quietly(source) if records.path == path), []) if more else []
    return _come_again(rows, known) and not _come_again(rows, [*known, *more])


def _come_again(rows: Sequence[dict], names: Sequence[str]) -> bool:
    keys = [tuple(repr(row.get(name)) for name in names) for row in rows]
    return len(set(keys)) < len(keys)


def _is_label(path: str, value: str) -> bool:
    kind, _, number = value.rpartition(" ")
    return not _SAME_AGAIN.isdisjoint(last_words(path)) or (kind.lower() in _OF_VALUES and number.isdigit())
