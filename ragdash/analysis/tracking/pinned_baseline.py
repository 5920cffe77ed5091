"""A pinned baseline: one small text file for the repository, with the values of every query and where they are from.

The header is JSON that people read. Below it is a line for each query, so that a change shows in a diff. The file has
no rankings and no texts: a later run is compared with its values, under its settings.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import orjson
import pyarrow as pa

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import path_of, read_input
from ragdash.core.records import Truth
from ragdash.core.records.arguments import checked
from ragdash.evaluation.compare import select_comparable
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.repeats import joined_digest
from ragdash.metrics import Spec, parse_spec

FORMAT, VERSION = "ragdash-baseline", 1
WRONG_CLOCK = timedelta(minutes=10)  # ahead of this machine's clock
_DIGITS = 12  # of a digest of the judgments of one query


@dataclass(frozen=True, eq=False)
class PinnedBaseline:
    """What a file with a pinned baseline holds.

    Attributes
    ----------
    evaluation
        The values of every query, with settings and counts; several repeats are one mean per query.
    pinned, version
        When (ISO 8601, UTC) and with which version of ragdash it was pinned.
    truth
        "name", "digest" and "queries" of the judgments.
    judgments
        A digest of what is judged, by query.
    run
        "digests", "repeats", "settings" and, if it was recorded, "git", "created" and "versions" of the run.
    file
        Where it was read.
    """

    evaluation: Evaluation
    pinned: str
    version: str
    truth: Mapping[str, object]
    judgments: Mapping[str, str]
    run: Mapping[str, object] = field(default_factory=dict)
    file: str = ""

    @property
    def name(self) -> str:
        """Name of the pinned configuration."""
        return self.evaluation.name

    def is_ahead(self, today: datetime | None = None) -> bool:
        """Whether it was pinned in the future, by more than clocks differ: then its age is not known."""
        return datetime.fromisoformat(self.pinned) > _in_utc(today) + WRONG_CLOCK

    def age(self, today: datetime | None = None) -> int:
        """Whole days since it was pinned; 0 for a time in the future."""
        elapsed = _in_utc(today) - datetime.fromisoformat(self.pinned)
        return max(0, math.floor(elapsed.total_seconds() / 86_400))

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        evaluation = self.evaluation
        columns = [str(spec) for spec in evaluation.specs]
        rows = [json.dumps(query, ensure_ascii=False) + ": " + orjson.dumps([self.judgments.get(query, ""), *map(
            _number, values)]).decode() for query, values in zip(evaluation.query_ids.to_pylist(),
                                                                evaluation.values.tolist(), strict=True)]
        means = {name: {"mean": _number(_mean(evaluation.values[:, column])),
                        "n": int((~np.isnan(evaluation.values[:, column])).sum())}
                 for column, name in enumerate(columns)}
        header = {"format": FORMAT, "version": VERSION, "name": self.name, "pinned": self.pinned,
                  "ragdash": self.version, "metrics": means, "queries": len(rows), "truth": dict(self.truth),
                  "run": dict(self.run), "settings": dict(evaluation.settings), "counts": dict(evaluation.counts),
                  "columns": ["judgments", *columns], "values_digest": _digest(rows)}
        header["header_digest"] = _header_digest(orjson.loads(json.dumps(header, allow_nan=False)))
        text = json.dumps(header, ensure_ascii=False, indent=1, allow_nan=False)
        body = ",\n".join(f"  {row}" for row in rows)
        return f'{text[:-2]},\n "values": {{\n{body}\n }}\n}}\n'.encode()


def _in_utc(time: datetime | None) -> datetime:
    """A time, of this machine's zone if it names none, in UTC; default now."""
    return datetime.fromisoformat(time.isoformat()).astimezone(UTC) if time else datetime.now(UTC)


@checked
def pin(evaluation: Evaluation, truth: Truth, *, version: str, run: Mapping[str, object] | None = None,
        time: datetime | None = None) -> PinnedBaseline:
    """Make a baseline of an evaluation; InputError if none of its metrics can be compared or has a value.

    Parameters
    ----------
    evaluation
        Of the accepted run; of several repeats `mean_over_repeats`. Metrics that cannot be compared query by query
        are left out.
    truth
        What it was evaluated against.
    version
        Of ragdash.
    run
        Facts about the run, for readers.
    time
        When; default now.

    Examples
    --------
    >>> from ragdash import Truth, evaluate
    >>> truth = Truth.from_dict({"q1": ["a"], "q2": ["b"]})
    >>> baseline = pin(evaluate({"q1": ["a"], "q2": ["x", "b"]}, truth, "RR"), truth, version="1.0")
    >>> read_baseline(baseline.to_bytes()).evaluation.column("RR").tolist()
    [1.0, 0.5]
    """
    specs = select_comparable(evaluation, evaluation.specs)[0]
    if not specs:
        raise InputError([Problem("baseline/no-metric", {"metrics": list(map(str, evaluation.specs))}, field="-m")])
    columns = [evaluation.specs.index(spec) for spec in specs]
    comparable = Evaluation(evaluation.name, evaluation.digest, evaluation.truth_digest, evaluation.query_ids,
                            tuple(specs), evaluation.values[:, columns], evaluation.settings, evaluation.counts,
                            evaluation.problems)
    if not np.isfinite(comparable.values).any():
        raise InputError([Problem("baseline/no-value", {"name": evaluation.name, "metrics": list(map(str, specs))},
                                  field="-m"), *evaluation.problems])
    facts = {"name": truth.name, "digest": truth.judged_digest, "queries": len(truth)}
    pinned = _in_utc(time).isoformat(timespec="seconds")
    return PinnedBaseline(comparable, pinned, version, facts, judgment_digests(truth), dict(run or {}))


@checked
def read_baseline(source: str | Path | bytes) -> PinnedBaseline:
    """Read a file that `pin` wrote, or its content; InputError where it is none, or was changed by hand."""
    file = "" if isinstance(source, bytes) else str(source)
    try:
        content = source if isinstance(source, bytes) else read_input(path_of(source))
        data = orjson.loads(content.removeprefix(codecs.BOM_UTF8))
    except OSError as error:
        raise InputError([Problem("baseline/unreadable", {"reason": error.strerror or str(error)}, file)]) from None
    except orjson.JSONDecodeError as error:
        raise InputError([Problem("baseline/not-json", {"reason": str(error)}, file)]) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError([Problem("baseline/other-format", {}, file)])
    if data.get("version") != VERSION:
        raise InputError([Problem("baseline/newer", {"version": str(data.get("version")), "newest": VERSION}, file)])
    try:
        return _parse(data, file)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError([Problem("baseline/damaged", {"reason": f"{type(error).__name__}: {error}"}, file)]) from None


def _parse(data: dict, file: str) -> PinnedBaseline:
    specs: tuple[Spec, ...] = tuple(parse_spec(name) for name in data["columns"][1:])
    rows = data["values"]
    written = [json.dumps(query, ensure_ascii=False) + ": " + orjson.dumps(row).decode() for query, row in rows.items()]
    header = {name: part for name, part in data.items() if name not in ("header_digest", "values")}
    pinned = data.get("header_digest")  # files of earlier versions have none
    if _digest(written) != data["values_digest"] or (pinned is not None and pinned != _header_digest(header)):
        raise InputError([Problem("baseline/changed", {}, file)])
    _check_kinds(data)
    values = np.array([row[1:] for row in rows.values()], float).reshape(len(rows), len(specs))
    values.setflags(write=False)
    evaluation = Evaluation(data["name"], joined_digest(data["run"].get("digests", ())), data["truth"]["digest"],
                            pa.array(list(rows), pa.string()), specs, values, data["settings"], data["counts"])
    return PinnedBaseline(evaluation, data["pinned"], data["ragdash"], data["truth"],
                          {query: row[0] for query, row in rows.items()}, data["run"], file)


def _check_kinds(data: dict) -> None:
    """Raise ValueError where a part is not what `PinnedBaseline.to_bytes` writes; older files have no digest of it."""
    for name, kind in (("name", str), ("ragdash", str), ("settings", dict), ("counts", dict), ("truth", dict),
                       ("run", dict)):
        if not isinstance(data[name], kind):
            raise ValueError(f"{name} is no {'text' if kind is str else 'object'}")
    if not all(isinstance(value, int) for value in data["counts"].values()):
        raise ValueError("counts has what is no number")
    pinned = datetime.fromisoformat(data["pinned"])
    if pinned.tzinfo is None or not 1 < pinned.astimezone(UTC).year < 9999:
        raise ValueError("pinned is no time with its time zone")


def judgment_digests(truth: Truth) -> dict[str, str]:
    """A digest of the judged documents with their grades, and of references and evidence, for each query.

    Examples
    --------
    >>> from ragdash import Truth
    >>> old, new = (Truth.from_dict({"q1": {"a": 1}, "q2": {"b": grade}}) for grade in (1, 2))
    >>> [judgment_digests(old)[query] == judgment_digests(new)[query] for query in ("q1", "q2")]
    [True, False]
    """
    judged: list[list[tuple[str, int]]] = [[] for _ in range(len(truth))]
    for query, document, grade in zip(truth.queries.tolist(), truth.docs.to_pylist(), truth.grades.tolist(),
                                      strict=True):
        judged[query].append((document, grade))
    details = truth.details.to_pylist() if truth.details is not None else [{}] * len(truth)
    return {query: hashlib.sha256(orjson.dumps([sorted(pairs), sorted(
        (name, value) for name, value in row.items() if value is not None)], default=str)).hexdigest()[:_DIGITS]
        for query, pairs, row in zip(truth.query_ids.to_pylist(), judged, details, strict=True)}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _mean(values: np.ndarray) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def _header_digest(header: dict) -> str:
    return hashlib.sha256(orjson.dumps(header, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _digest(rows: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()
