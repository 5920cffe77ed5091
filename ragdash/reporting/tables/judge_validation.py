"""A judge beside people's labels, as tables, JSON and sheets to label."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict

import orjson
import pyarrow as pa

from ragdash.analysis.judge_validation import Agreement, Difference, Estimate, Trust
from ragdash.core.console import count
from ragdash.core.errors import Problem
from ragdash.matching.views.judged import setting
from ragdash.metrics import Spec
from ragdash.metrics.judged import asked_of
from ragdash.reporting.sentences import judge as sentences_judge
from ragdash.reporting.tables.escaping import as_bytes, as_note, as_text, null, number, signed
from ragdash.reporting.tables.evaluation import SCHEMA

TRUST_FORMATS = ("table", "json", "csv", "markdown")
SHOWN = 10  # disagreements


def render_trust(found: Sequence[Trust], differences: Sequence[Difference], form: str, *, shown: int = SHOWN,
                 settings: dict | None = None, problems: Iterable[Problem] = (),
                 spec: Spec | None = None) -> bytes:
    """What stands behind the judge's means, in one of TRUST_FORMATS, as UTF-8.

    shown: disagreements of each run in the tables (JSON has all); spec: the metric, whose judge the settings name. CSV
    is the table of the runs and differences alone.
    """
    if form == "json":
        return _json(found, differences, settings or {}, problems)
    if form == "csv":
        return as_bytes(trust_table(found, differences), form)
    parts = [*_judge(spec, settings or {}), as_text(*_estimates(found, differences), form)]
    for one in found:
        parts.append(_heading(one.name, form) + "".join(as_note(text, form) for text in _words(one)))
        if one.agreement.n:
            parts.append(as_text(*_confusion(one.agreement), form))
        if one.disagreements[:shown]:
            parts.append(as_text(*_disagreements(one, shown), form))
    return "\n".join(parts).encode()


def _judge(spec: Spec | None, settings: dict) -> list[str]:
    """What was judged, in how many votes, and by whom, where the settings tell."""
    if spec is None:
        return []
    name, model, votes = asked_of(spec) if spec.metric.view == "Judged" else (str(spec), "", 1)
    judge = settings.get(setting(name, model, votes))
    return [f"{setting(name, '', votes)}, judged by {sentences_judge.named(judge)}\n"] if judge else []


def sheet_bytes(table: pa.Table, form: str) -> bytes:
    """A sheet to label as "csv" (lists as numbered paragraphs, no cell runs as a formula) or "jsonl"."""
    if form == "jsonl":
        return b"".join(orjson.dumps(row) + b"\n" for row in table.to_pylist())
    for i, field in enumerate(table.schema):
        if pa.types.is_list(field.type):
            cells = [None if texts is None else "\n\n".join(f"[{n}] {text}" for n, text in enumerate(texts, 1))
                     for texts in table.column(i).to_pylist()]
            table = table.set_column(i, field.name, pa.array(cells, pa.string()))
    return as_bytes(table, "csv")


def trust_table(found: Sequence[Trust], differences: Sequence[Difference] = ()) -> pa.Table:
    """A row per run and per difference, null where undefined: the three means, n and N, agreement, missing."""
    rows = []
    for one in (*found, *differences):
        is_run = isinstance(one, Trust)
        agreed = one.agreement if is_run else None
        rows.append({
            "run": one.name if is_run else one.candidate, "minus": None if is_run else one.baseline, "judged": one.what,
            "judge": null(one.judge.mean), "judge_n": one.judge.n,
            **{f"{name}{end}": null(value) for name, part in (("labels", one.labels), ("corrected", one.corrected))
               for end, value in (("", part.mean), ("_low", part.low), ("_high", part.high))},
            "labels_n": one.labels.n, "n": one.corrected.n, "N": one.rest,
            "accuracy": null(agreed.accuracy) if agreed else None, "kappa": null(agreed.kappa) if agreed else None,
            "bias": null(agreed.bias) if agreed else None, "missing": sum(one.missing.values()) if is_run else
            one.left_out})
    return pa.Table.from_pylist(rows)


def _estimates(found: Sequence[Trust], differences: Sequence[Difference]) -> tuple[list[str], list[list[str]]]:
    level = f"{found[0].level:.4g}" if found else ""
    header = ["run", "judge alone", "queries", f"labels alone [{level}]", "labels", f"corrected [{level}]", "n", "N",
              "accuracy", "kappa", "missing"]
    rows = [[one.name, number(one.judge.mean), f"{one.judge.n:,}", span(one.labels), f"{one.labels.n:,}",
             span(one.corrected), f"{one.corrected.n:,}", f"{one.rest:,}", number(one.agreement.accuracy),
             number(one.agreement.kappa), f"{sum(one.missing.values()):,}"] for one in found]
    rows += [[f"{one.candidate} - {one.baseline}", signed(one.judge.mean), f"{one.judge.n:,}",
              span(one.labels, signed), f"{one.labels.n:,}", span(one.corrected, signed), f"{one.corrected.n:,}",
              f"{one.rest:,}", "–", "–", f"{one.left_out:,}"] for one in differences]
    return header, rows


def span(one: Estimate, spelled=number) -> str:
    """0.812 [0.701, 0.903], the mean alone where there is no interval."""
    ends = "" if math.isnan(one.low) else f" [{spelled(one.low)}, {spelled(one.high)}]"
    return f"{spelled(one.mean)}{ends}"


def _heading(name: str, form: str) -> str:
    return f"### {name}\n" if form == "markdown" else f"{name}\n{'=' * len(name)}\n"


def _words(one: Trust) -> list[str]:
    """What the tables do not say, a sentence each."""
    agreed, told = one.agreement, []
    if agreed.n:
        kind = "kinder than" if agreed.bias > 0 else "stricter than" if agreed.bias < 0 else "neither kinder nor " \
            "stricter than"
        told.append(f"On {agreed.n:,} labelled queries the judge is {kind} the person: {signed(agreed.bias)} on "
                    f"average, {number(agreed.apart)} apart.")
    if one.votes is not None:
        told.append(f"Several verdicts on {count(one.votes.n, 'query', 'queries')}: unanimous on "
                    f"{number(one.votes.unanimous)} of them, Fleiss' kappa "
                    f"{number(one.votes.kappa)}, spread {number(one.votes.spread)}.")
    if one.missing:
        told.append("No verdict: " + ", ".join(f"{n:,} {reason}" for reason, n in one.missing.items()) + ".")
    return told or ["No labels."]


def _confusion(agreed: Agreement) -> tuple[list[str], list[list[str]]]:
    return (["label \\ verdict", *agreed.classes],
            [[name, *(f"{count:,}" for count in row)] for name, row in zip(agreed.classes, agreed.confusion,
                                                                         strict=True)])


def _disagreements(one: Trust, shown: int) -> tuple[list[str], list[list[str]]]:
    more = len(one.disagreements) - shown
    rows = [[gone.query_id, number(gone.verdict), number(gone.label)] for gone in one.disagreements[:shown]]
    return ["disagreement", "verdict", "label"], rows + ([[f"… {more:,} more", "", ""]] if more > 0 else [])


def _json(found: Sequence[Trust], differences: Sequence[Difference], settings: dict,
          problems: Iterable[Problem]) -> bytes:
    """The JSON contract, schema 1: undefined values are null."""
    content = {"schema": SCHEMA, "runs": [_run(one) for one in found],
               "differences": [{"baseline": one.baseline, "candidate": one.candidate, **_three(one),
                                "left_out": one.left_out} for one in differences],
               "settings": settings, "problems": [one.as_dict() for one in problems]}
    return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _run(one: Trust) -> dict:
    agreed = one.agreement
    return {"name": one.name, "digest": one.run, **_three(one), "missing": dict(one.missing),
            "labels_without_verdict": one.without_verdict,
            "agreement": {"n": agreed.n, **{name: null(getattr(agreed, name))
                                            for name in ("accuracy", "kappa", "bias", "apart")},
                          "classes": list(agreed.classes), "confusion": agreed.confusion.tolist()},
            "votes": one.votes and {name: null(value) for name, value in asdict(one.votes).items()},
            "disagreements": [asdict(gone) for gone in one.disagreements]}


def _three(one: Trust | Difference) -> dict:
    return {"judged": one.what, "judge": {"mean": null(one.judge.mean), "n": one.judge.n},
            "labels": _spelled(one.labels), "corrected": {**_spelled(one.corrected), "N": one.rest,
                                                          "pseudo_rectifiers": one.pseudo}}


def _spelled(one: Estimate) -> dict:
    return {name: null(value) for name, value in asdict(one).items()}
