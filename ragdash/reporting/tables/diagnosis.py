"""Diagnoses as tables: the way from retrieval to a right answer, counts by stage, what fixes could gain, every query.

Letters: N runs, S stages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence

import pyarrow as pa

from ragdash.analysis.diagnosis import FINE, RANKED_LOW, STAGES, Diagnosis, Gain, RankedLow, explain, movable_stages
from ragdash.analysis.failure_patterns.corpus import CorpusView
from ragdash.core.errors import Problem
from ragdash.core.terms import TERMS
from ragdash.metrics import Spec
from ragdash.reporting.sentences.failures.corpus import corpus_sentences
from ragdash.reporting.sentences.formatting import strip_markdown
from ragdash.reporting.tables.escaping import finite_or_none, note_text, number, table_bytes, table_text
from ragdash.reporting.tables.evaluation import SCHEMA
from ragdash.reporting.tables.failure_patterns import copy_rows, corpus_dict, hub_rows

MOST_DOCUMENTS = 10  # hubs and copies that text lists
DIAGNOSIS_FORMATS = ("table", "json", "csv", "markdown")
Gains = Sequence[Sequence[Sequence[Gain]]]
"""For each run and each spec the gains."""
Lows = Sequence[Sequence[RankedLow | None]]
"""For each run and each spec what ranks low; None where it measures no rankings."""


def render_diagnoses(diagnoses: Sequence[Diagnosis], specs: Sequence[Spec], gains: Gains, lows: Lows,
                     form: str, *, queries: bool = False, settings: dict | None = None,
                     problems: Iterable[Problem] = (), corpora: Sequence[CorpusView] = ()) -> bytes:
    """The diagnoses of runs on one truth in one of DIAGNOSIS_FORMATS, as UTF-8; queries: every query's verdict too.

    CSV is one table: of stages, or of queries where these are asked for. corpora: the corpus seen from each run, for
    the other formats.
    """
    if form == "json":
        return _json(diagnoses, specs, gains, lows, queries, settings or {}, problems, corpora)
    if form == "csv":
        return table_bytes(query_table(diagnoses) if queries else stage_table(diagnoses, specs, gains, lows), form)
    sections = [table_text(*_waterfall_rows(diagnoses), form),
                table_text(*_stage_rows(diagnoses, specs, gains, lows), form)]
    if queries:
        table = query_table(diagnoses)
        sections.append(
            table_text(table.column_names, [list(map(str, row.values())) for row in table.to_pylist()], form)
        )
    for index, view in enumerate(corpora):
        texts = corpus_sentences(view)[2 if index else 0:]  # the first two are of all runs
        sections.append("".join(note_text(strip_markdown(text), form) for text in texts))
        for rows in filter(None, (hub_rows(view), copy_rows(view))):
            cells = [list(map(str, row.values())) for row in rows[:MOST_DOCUMENTS]]
            sections.append(table_text(list(rows[0]), cells, form))
    notes = _notes(diagnoses, specs, has_ranked_low=any(low for run_lows in lows for low in run_lows))
    return ("\n".join(sections) + "".join(note_text(text, form) for text in notes)).encode()


def stage_table(diagnoses: Sequence[Diagnosis], specs: Sequence[Spec], gains: Gains, lows: Lows) -> pa.Table:
    """A row per run and stage: run, stage, queries, reached and unknown (of its step), and a column of the gain at most
    for each spec, null where undefined and for "fine". The last row of a run, "ranked-low", has gains alone: its
    queries depend on the spec.
    """
    rows: list[dict[str, object]] = []
    for diagnosis, run_gains, run_lows in zip(diagnoses, gains, lows, strict=True):
        steps = {step.name: step for step in diagnosis.waterfall()}
        for s, (stage, n) in enumerate(zip(STAGES, diagnosis.counts().tolist(), strict=True)):
            if not diagnosis.mentions(stage.name):
                continue
            step = steps.get(stage.name)
            rows.append(
                {
                    "run": diagnosis.run,
                    "stage": stage.name,
                    "queries": n,
                    "reached": step and step.reached,
                    "unknown": step and step.unknown,
                    **{
                        f"{spec} at most": finite_or_none(_shown_gain(spec, spec_gains, s)) if s != FINE else None
                        for spec, spec_gains in zip(specs, run_gains, strict=True)
                    },
                }
            )
        if any(run_lows):
            rows.append({"run": diagnosis.run, "stage": RANKED_LOW, "queries": None, "reached": None, "unknown": None}
                        | {f"{spec} at most": low and low.at_most for spec, low in zip(specs, run_lows, strict=True)})
    return pa.Table.from_pylist(rows)


def _shown_gain(spec: Spec, spec_gains: Sequence[Gain], stage: int) -> float:
    """What fixing a stage gains at most, NaN where no fix of it moves the metric."""
    return spec_gains[stage].at_most if STAGES[stage].name in movable_stages(spec) else math.nan


def query_table(diagnoses: Sequence[Diagnosis]) -> pa.Table:
    """A row per run and query: run, query_id, stage, why, not_assessed."""
    rows = [
        (diagnosis.run, query, explain(diagnosis, q))
        for diagnosis in diagnoses
        for q, query in enumerate(diagnosis.query_ids.to_pylist())
    ]
    return pa.table({
        "run": pa.array([run for run, _, _ in rows], pa.string()),
        "query_id": pa.array([query for _, query, _ in rows], pa.string()),
        "stage": pa.array([explanation.stage.name for *_, explanation in rows], pa.string()),
        "why": pa.array([explanation.rule for *_, explanation in rows], pa.string()),
        "not_assessed": pa.array(["; ".join(f"{check} ({reason})" for check, reason in explanation.not_assessed.items())
                                  for *_, explanation in rows], pa.string())})


def _waterfall_rows(diagnoses: Sequence[Diagnosis]) -> tuple[list[str], list[list[str]]]:
    """A row per step that was assessed, with the queries that pass it, and those for which it is not known."""
    steps = [diagnosis.waterfall() for diagnosis in diagnoses]
    is_apart = any(run_steps[-1].reached for run_steps in steps)  # the queries without an answer
    rows = [["Answerable queries" if is_apart else "Queries", *(f"{run_steps[0].reached:,}" for run_steps in steps)]]
    for step in range(len(steps[0])):
        cells = [run_steps[step] for run_steps in steps]
        separate = step == len(steps[0]) - 1
        if any(cell.reached > cell.unknown for cell in cells):
            rows.append(
                [
                    cells[0].title,
                    *(
                        f"{cell.reached - cell.lost:,}"
                        + (f" of {cell.reached:,}" if separate else "")
                        + (f" ({cell.unknown:,} not assessed)" if cell.unknown else "")
                        for cell in cells
                    ),
                ]
            )
    return ["the way", *(diagnosis.run for diagnosis in diagnoses)], rows


def _stage_rows(
    diagnoses: Sequence[Diagnosis], specs: Sequence[Spec], gains: Gains, lows: Lows
) -> tuple[list[str], list[list[str]]]:
    """A row per stage that some run has, with the queries of each run and what fixing them gains at most."""
    counts = [diagnosis.counts() for diagnosis in diagnoses]
    rows = []
    for s, stage in enumerate(STAGES):
        if any(run_counts[s] for run_counts in counts):
            cells = [
                " ".join(
                    [
                        f"{run_counts[s]:,}",
                        *(
                            f"(+{number(_shown_gain(spec, spec_gains, s))})".replace("+–", "–")
                            for spec, spec_gains in zip(specs, run_gains, strict=True)
                            if s != FINE
                        ),
                    ]
                )
                for run_counts, run_gains in zip(counts, gains, strict=True)
            ]
            rows.append([stage.title, *cells])
    for index, spec in enumerate(specs):
        if any(run_lows[index] for run_lows in lows):
            rows.append([f"{TERMS['ranked_low'].name} ({spec.title})", *(
                f"{int(low.queries.sum()):,} (+{number(low.at_most)})" if (low := run_lows[index]) else ""
                for run_lows in lows)])
    return ["first went wrong", *(diagnosis.run for diagnosis in diagnoses)], rows


def _notes(diagnoses: Sequence[Diagnosis], specs: Sequence[Spec], *, has_ranked_low: bool) -> list[str]:
    low = f" {TERMS['ranked_low'].name}: {TERMS['ranked_low'].entry}." if has_ranked_low else ""
    notes = [f"In brackets: by how much the mean of {' and of '.join(spec.title for spec in specs)} would move if all "
             "queries of the stage had the best possible value, an upper bound; – where it is undefined for all of "
             f"them, or no fix changes it.{low}"] if specs else []
    unassessed = {diagnosis.run: diagnosis.unassessed for diagnosis in diagnoses}
    for text in filter(None, dict.fromkeys(unassessed.values())):
        scope = (
            ""
            if len(set(unassessed.values())) == 1
            else f" for {', '.join(run for run in unassessed if unassessed[run] == text)}"
        )
        notes.append(f"Not assessed{scope}: {text}.")
    return notes


def _json(diagnoses: Sequence[Diagnosis], specs: Sequence[Spec], gains: Gains, lows: Lows, queries: bool,
          settings: dict, problems: Iterable[Problem], corpora: Sequence[CorpusView]) -> bytes:
    """The JSON contract, schema 1: undefined values are null."""
    runs = []
    for diagnosis, run_gains, run_lows in zip(diagnoses, gains, lows, strict=True):
        run = {
            "name": diagnosis.run,
            "digest": diagnosis.digest,
            "stages": {stage.name: n for stage, n in zip(STAGES, diagnosis.counts().tolist(), strict=True)
                       if diagnosis.mentions(stage.name)},
            "waterfall": [
                {"step": step.name, "reached": step.reached, "lost": step.lost, "unknown": step.unknown}
                for step in diagnosis.waterfall()
            ],
            "gains": {
                str(spec): {
                    gain.stage: {"n": gain.n, "defined": gain.defined, "at_most": finite_or_none(gain.at_most)}
                    for gain in spec_gains
                    if diagnosis.mentions(gain.stage)
                } | _low_dict(low)
                for spec, spec_gains, low in zip(specs, run_gains, run_lows, strict=True)
            },
            "not_assessed": dict(diagnosis.reasons),
            "settings": dict(diagnosis.settings),
        }
        if queries:
            run["queries"] = [
                _query_dict(diagnosis, q, query) for q, query in enumerate(diagnosis.query_ids.to_pylist())
            ]
        if corpora:
            run["documents"] = corpus_dict(corpora[len(runs)], diagnosis.query_ids)
        runs.append(run)
    content = {
        "schema": SCHEMA,
        "runs": runs,
        "settings": settings,
        "problems": [problem.as_dict() for problem in problems],
    }
    return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _low_dict(low: RankedLow | None) -> dict[str, dict[str, object]]:
    """The entry of what ranks low, in the form of a stage's gain; empty for a metric without rankings."""
    if low is None:
        return {}
    queries = int(low.queries.sum())
    return {RANKED_LOW: {"n": queries, "defined": queries, "at_most": finite_or_none(low.at_most)}}


def _query_dict(diagnosis: Diagnosis, q: int, query: str) -> dict:
    explanation = explain(diagnosis, q)
    return {"query_id": query, "stage": explanation.stage.name, "why": explanation.rule,
            "numbers": {name: finite_or_none(value) for name, value in explanation.numbers.items()},
            "not_assessed": dict(explanation.not_assessed)}
