"""Diagnoses as tables: the way from gold to a right answer, counts by stage, what each fix could gain, every query.

Letters: N runs, S stages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import pyarrow as pa

from ragdash.analysis.diagnosis import FINE, STAGES, Diagnosis, Gain, explain
from ragdash.core.errors import Problem
from ragdash.metrics import Spec
from ragdash.reporting.tables.escaping import as_bytes, as_note, as_text, null, number
from ragdash.reporting.tables.evaluation import SCHEMA

DIAGNOSIS_FORMATS = ("table", "json", "csv", "markdown")
Gains = Sequence[Sequence[Sequence[Gain]]]
"""For each run and each spec the gains."""


def render_diagnoses(diagnoses: Sequence[Diagnosis], specs: Sequence[Spec], gains: Gains, form: str, *,
                     queries: bool = False, settings: dict | None = None, problems: Iterable[Problem] = ()) -> bytes:
    """The diagnoses of runs on one truth in one of DIAGNOSIS_FORMATS, as UTF-8; queries: every query's verdict too.

    CSV is one table: of stages, or of queries where these are asked for.
    """
    if form == "json":
        return _json(diagnoses, specs, gains, queries, settings or {}, problems)
    if form == "csv":
        return as_bytes(query_table(diagnoses) if queries else stage_table(diagnoses, specs, gains), form)
    parts = [as_text(*_way(diagnoses), form), as_text(*_stages(diagnoses, specs, gains), form)]
    if queries:
        table = query_table(diagnoses)
        parts.append(as_text(table.column_names, [list(map(str, row.values())) for row in table.to_pylist()], form))
    return ("\n".join(parts) + "".join(as_note(text, form) for text in _notes(diagnoses, specs))).encode()


def stage_table(diagnoses: Sequence[Diagnosis], specs: Sequence[Spec], gains: Gains) -> pa.Table:
    """A row per run and stage: run, stage, queries, reached and unknown (of its step), and a column of the gain at most
    for each spec, null where undefined and for "fine".
    """
    rows = []
    for one, of_run in zip(diagnoses, gains, strict=True):
        steps = {step.name: step for step in one.waterfall()}
        for s, (stage, n) in enumerate(zip(STAGES, one.counts().tolist(), strict=True)):
            step = steps.get(stage.name)
            rows.append({"run": one.run, "stage": stage.name, "queries": n, "reached": step and step.reached,
                         "unknown": step and step.unknown, **{f"{spec} at most": null(of_spec[s].at_most) if s != FINE
                         else None for spec, of_spec in zip(specs, of_run, strict=True)}})
    return pa.Table.from_pylist(rows)


def query_table(diagnoses: Sequence[Diagnosis]) -> pa.Table:
    """A row per run and query: run, query_id, stage, why, not_assessed."""
    rows = [(one.run, query, explain(one, q)) for one in diagnoses for q, query in enumerate(one.query_ids.to_pylist())]
    return pa.table({
        "run": pa.array([run for run, _, _ in rows], pa.string()),
        "query_id": pa.array([query for _, query, _ in rows], pa.string()),
        "stage": pa.array([told.stage.name for *_, told in rows], pa.string()),
        "why": pa.array([told.rule for *_, told in rows], pa.string()),
        "not_assessed": pa.array(["; ".join(f"{what} ({why})" for what, why in told.not_assessed.items())
                                  for *_, told in rows], pa.string())})


def _way(diagnoses: Sequence[Diagnosis]) -> tuple[list[str], list[list[str]]]:
    """A row per step that was assessed, with the queries that come past it, and those for whom it cannot be told."""
    steps = [one.waterfall() for one in diagnoses]
    rows = [["Queries with a question to answer", *(f"{of_run[0].reached:,}" for of_run in steps)]]
    for step in range(len(steps[0])):
        cells = [of_run[step] for of_run in steps]
        aside = step == len(steps[0]) - 1
        if any(one.reached > one.unknown for one in cells):
            rows.append([cells[0].title, *(f"{one.reached - one.lost:,}" + (f" of {one.reached:,}" if aside else "")
                         + (f" ({one.unknown:,} not assessed)" if one.unknown else "") for one in cells)])
    return ["the way", *(one.run for one in diagnoses)], rows


def _stages(diagnoses: Sequence[Diagnosis], specs: Sequence[Spec], gains: Gains) -> tuple[list[str], list[list[str]]]:
    """A row per stage that some run has, with the queries of each run and what fixing them gains at most."""
    counts = [one.counts() for one in diagnoses]
    rows = []
    for s, stage in enumerate(STAGES):
        if any(of_run[s] for of_run in counts):
            cells = [" ".join([f"{of_run[s]:,}", *(f"(+{number(of_spec[s].at_most)})".replace("+–", "–")
                     for of_spec in more if s != FINE)]) for of_run, more in zip(counts, gains, strict=True)]
            rows.append([stage.title, *cells])
    return ["first went wrong", *(one.run for one in diagnoses)], rows


def _notes(diagnoses: Sequence[Diagnosis], specs: Sequence[Spec]) -> list[str]:
    notes = [f"In brackets: by how much the mean of {' and of '.join(spec.title for spec in specs)} would move if all "
             "queries of the stage had the best possible value, an upper bound; – where it is undefined for all of "
             "them."] if specs else []
    left = {one.run: "; ".join(f"{one.passed(name)} ({why})" for name, why in one.reasons.items())
            for one in diagnoses}
    for text in filter(None, dict.fromkeys(left.values())):
        of = "" if len(set(left.values())) == 1 else f" of {', '.join(run for run in left if left[run] == text)}"
        notes.append(f"Not assessed{of}: {text}.")
    return notes


def _json(diagnoses: Sequence[Diagnosis], specs: Sequence[Spec], gains: Gains, queries: bool, settings: dict,
          problems: Iterable[Problem]) -> bytes:
    """The JSON contract, schema 1: undefined values are null."""
    runs = []
    for one, of_run in zip(diagnoses, gains, strict=True):
        run = {"name": one.run, "digest": one.digest,
               "stages": {stage.name: n for stage, n in zip(STAGES, one.counts().tolist(), strict=True)},
               "waterfall": [{"step": step.name, "reached": step.reached, "lost": step.lost, "unknown": step.unknown}
                             for step in one.waterfall()],
               "gains": {str(spec): {gain.stage: {"n": gain.n, "defined": gain.defined, "at_most": null(gain.at_most)}
                                     for gain in of_spec} for spec, of_spec in zip(specs, of_run, strict=True)},
               "not_assessed": dict(one.reasons), "settings": dict(one.settings)}
        if queries:
            run["queries"] = [_verdict(one, q, query) for q, query in enumerate(one.query_ids.to_pylist())]
        runs.append(run)
    content = {"schema": SCHEMA, "runs": runs, "settings": settings, "problems": [one.as_dict() for one in problems]}
    return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _verdict(diagnosis: Diagnosis, q: int, query: str) -> dict:
    told = explain(diagnosis, q)
    return {"query_id": query, "stage": told.stage.name, "why": told.rule,
            "numbers": {name: null(value) for name, value in told.numbers.items()},
            "not_assessed": dict(told.not_assessed)}
