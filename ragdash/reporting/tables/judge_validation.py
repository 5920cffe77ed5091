"""A judge beside people's labels, as tables, JSON and sheets to label."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

import orjson
import pyarrow as pa

from ragdash.analysis.judge_validation import Agreement, CorrectedDifference, ErrorSource, Estimate, JudgeValidation
from ragdash.core.console import one_line, query_count
from ragdash.core.errors import Problem
from ragdash.evaluation.stats import ALPHA
from ragdash.matching.views.judged import setting
from ragdash.metrics import Spec
from ragdash.metrics.judged import judge_request
from ragdash.reporting.sentences import judge as sentences_judge
from ragdash.reporting.sentences.judge_validation import (
    error_sources_title,
    held_out_sentence,
    not_settled_sentence,
    source_of,
)
from ragdash.reporting.tables.escaping import (
    finite_or_none,
    note_text,
    number,
    p_number,
    sentence_text,
    signed,
    table_bytes,
    table_text,
)
from ragdash.reporting.tables.evaluation import SCHEMA

JUDGE_VALIDATION_FORMATS = ("table", "json", "csv", "markdown")
DISAGREEMENTS_SHOWN = 10  # disagreements
ACCURACY = ("accuracy", "accuracy_low", "accuracy_high")
KAPPA = ("kappa", "kappa_low", "kappa_high")
HEADLINES = {"corrected": "the corrected mean", "labels": "the mean of the labels alone"}


def render_judge_validation(
    validations: Sequence[JudgeValidation],
    differences: Sequence[CorrectedDifference],
    form: str,
    *,
    disagreement_limit: int = DISAGREEMENTS_SHOWN,
    settings: dict | None = None,
    problems: Iterable[Problem] = (),
    spec: Spec | None = None,
    sources: Sequence[ErrorSource] = (),
) -> bytes:
    """Render how well a judge agrees with human labels, in one of JUDGE_VALIDATION_FORMATS, as UTF-8.

    disagreement_limit: disagreements per run in the tables (JSON has all). spec: the metric, whose judge the settings
    name; sources: what its errors depend on. CSV has the table of runs and differences only.
    """
    if form == "json":
        return _json(validations, differences, settings or {}, problems, sources)
    if form == "csv":
        return table_bytes(judge_validation_table(validations, differences), form)
    source = source_of(spec) if spec else "judge"
    sections = [*(sentence_text(line, form) + "\n" for line in _judge(spec, settings or {})),
                table_text(*_estimates(validations, differences, source), form)]
    for validation in validations:
        sections.append(_heading(validation.name, form) + "".join(note_text(text, form) for text in _notes(validation)))
        if validation.agreement.n:
            sections.append(table_text(*_confusion(validation.agreement), form))
        if validation.disagreements[:disagreement_limit]:
            sections.append(table_text(*_disagreements(validation, disagreement_limit), form))
    if sources:
        sections.append(_heading(error_sources_title(source), form) + table_text(*_sources(sources), form))
    return "\n".join(sections).encode()


def _judge(spec: Spec | None, settings: dict) -> list[str]:
    """What was judged, in how many votes, and by whom, if the settings say so."""
    if spec is None:
        return []
    name, model, votes = judge_request(spec) if spec.metric.view == "Judged" else (str(spec), "", 1)
    judge = settings.get(setting(name, model, votes))
    return [f"{setting(name, '', votes)}, judged by {sentences_judge.judge_name(judge)}"] if judge else []


def label_sheet_bytes(table: pa.Table, form: str) -> bytes:
    """A sheet to label as "csv" (lists as numbered paragraphs, no cell runs as a formula) or "jsonl"."""
    if form == "jsonl":
        return b"".join(orjson.dumps(row) + b"\n" for row in table.to_pylist())
    for i, field in enumerate(table.schema):
        if pa.types.is_list(field.type):
            cells = [None if texts is None else "\n\n".join(f"[{n}] {text}" for n, text in enumerate(texts, 1))
                     for texts in table.column(i).to_pylist()]
            table = table.set_column(i, field.name, pa.array(cells, pa.string()))
    return table_bytes(table, "csv")


def judge_validation_table(
    validations: Sequence[JudgeValidation], differences: Sequence[CorrectedDifference] = ()
) -> pa.Table:
    """A row per run and per difference, null where undefined: the three means, n and N, agreement, missing."""
    rows = []
    results: list[Any] = [*validations, *differences]  # both types share what is read here
    for result in results:
        is_run = isinstance(result, JudgeValidation)
        agreed = result.agreement if is_run else None
        rows.append(
            {
                "run": result.name if is_run else result.candidate,
                "minus": None if is_run else result.baseline,
                "judged": result.what,
                "judge": finite_or_none(result.judge.mean),
                "judge_n": result.judge.n,
                **{
                    f"{name}{end}": finite_or_none(value)
                    for name, estimate in (("labels", result.labels), ("corrected", result.corrected))
                    for end, value in (("", estimate.mean), ("_low", estimate.low), ("_high", estimate.high))
                },
                "labels_n": result.labels.n,
                "n": result.corrected.n,
                "N": result.rest,
                **{name: finite_or_none(getattr(agreed, name)) if agreed else None for name in ACCURACY},
                "constant": finite_or_none(agreed.constant) if agreed else None,
                **{name: finite_or_none(getattr(agreed, name)) if agreed else None for name in KAPPA},
                "bias": finite_or_none(agreed.bias) if agreed else None,
                "missing": sum(result.missing.values()) if is_run else result.left_out,
                "held_out": result.held_out,
            }
        )
    return pa.Table.from_pylist(rows)


def _estimates(
    validations: Sequence[JudgeValidation], differences: Sequence[CorrectedDifference], source: str
) -> tuple[list[str], list[list[str]]]:
    level = f"{validations[0].level:.4g}" if validations else ""
    header = ["run", f"{source} alone", "queries", f"labels alone [{level}]", "labels", f"corrected [{level}]", "n",
              "N", "accuracy", "constant answer", "beyond chance (kappa)", "missing"]
    rows = [
        [
            validation.name,
            number(validation.judge.mean),
            f"{validation.judge.n:,}",
            estimate_text(validation.labels),
            f"{validation.labels.n:,}",
            _corrected_text(validation.corrected),
            f"{validation.corrected.n:,}",
            f"{validation.rest:,}",
            accuracy_text(validation.agreement),
            number(validation.agreement.constant),
            kappa_text(validation.agreement),
            f"{sum(validation.missing.values()):,}",
        ]
        for validation in validations
    ]
    rows += [
        [
            f"{difference.candidate} - {difference.baseline}",
            signed(difference.judge.mean),
            f"{difference.judge.n:,}",
            estimate_text(difference.labels, signed),
            f"{difference.labels.n:,}",
            _corrected_text(difference.corrected, signed),
            f"{difference.corrected.n:,}",
            f"{difference.rest:,}",
            "–",
            "–",
            "–",
            f"{difference.left_out:,}",
        ]
        for difference in differences
    ]
    return header, rows


def estimate_text(estimate: Estimate, spelled=number) -> str:
    """0.812 [0.701, 0.903], the mean alone where there is no interval."""
    ends = "" if math.isnan(estimate.low) else f" [{spelled(estimate.low)}, {spelled(estimate.high)}]"
    return f"{spelled(estimate.mean)}{ends}"


def shown_mean(estimate: Estimate) -> float:
    """The mean of an estimate with an interval; NaN without one: a mean of few labels says nothing."""
    return estimate.mean if math.isfinite(estimate.low) else math.nan


def _corrected_text(estimate: Estimate, spelled=number) -> str:
    """A corrected mean with its interval; a dash without one."""
    return estimate_text(replace(estimate, mean=shown_mean(estimate)), spelled)


def accuracy_text(agreed: Agreement) -> str:
    """0.950 [0.831, 0.994]: the share of labels on which judge and label agree, with its interval.

    Examples
    --------
    >>> import numpy as np
    >>> from ragdash.analysis.judge_validation import agreement
    >>> accuracy_text(agreement(np.ones(20), np.ones(20)))
    '1.000 [0.832, 1.000]'
    """
    return estimate_text(Estimate(agreed.accuracy, agreed.accuracy_low, agreed.accuracy_high, agreed.n))


def kappa_text(agreed: Agreement) -> str:
    """Agreement beyond chance with its interval.

    Examples
    --------
    >>> import numpy as np
    >>> from ragdash.analysis.judge_validation import agreement
    >>> kappa_text(agreement(np.tile([1.0, 0.0], 10), np.tile([1.0, 0.0], 10)))
    '1.000 [0.663, 1.000]'
    """
    return estimate_text(Estimate(agreed.kappa, agreed.kappa_low, agreed.kappa_high, agreed.n))


def _heading(name: str, form: str) -> str:
    name = one_line(name)
    return f"### {sentence_text(name, form)}\n" if form == "markdown" else f"{name}\n{'=' * len(name)}\n"


def _notes(validation: JudgeValidation) -> list[str]:
    """What the tables do not say, a sentence each."""
    agreed, sentences = validation.agreement, []
    if agreed.n:
        kind = "kinder than" if agreed.bias > 0 else "stricter than" if agreed.bias < 0 else "neither kinder nor " \
            "stricter than"
        sentences.append(f"On {agreed.n:,} labeled queries the judge is {kind} the labels: {signed(agreed.bias)} on "
                    f"average, {number(agreed.apart)} apart.")
        adds = "The judge adds nothing on single answers" if agreed.adds_nothing else "The judge agrees in " \
            f"{accuracy_text(agreed)}"
        sentences.append(f"Labels: {', '.join(f'{number(share)} {name}' for name, share in _base_rate(agreed).items())}"
                         f". Always “{agreed.constant_class}” would agree in {number(agreed.constant)}. {adds}.")
    if validation.headline:
        sentences.append(f"Report: the interval of {HEADLINES[validation.headline]}.")
    if unsettled := not_settled_sentence(validation):
        sentences.append(unsettled)
    if validation.votes is not None:
        sentences.append(f"Several verdicts on {query_count(validation.votes.n)}: unanimous on "
                    f"{number(validation.votes.unanimous)} of them; beyond chance, Fleiss' kappa: "
                    f"{number(validation.votes.kappa)}; spread {number(validation.votes.spread)}.")
    if validation.missing:
        sentences.append(
            "No verdict: " + ", ".join(f"{n:,} {reason}" for reason, n in validation.missing.items()) + "."
        )
    if validation.held_out:
        sentences.append(held_out_sentence(validation.held_out).strip())
    return sentences or ["No labels."]


def _base_rate(agreed: Agreement) -> dict[str, float]:
    """{class: share of the labels}."""
    return {name: float(count / agreed.n) for name, count in zip(agreed.classes, agreed.confusion.sum(axis=1),
                                                                 strict=True)} if agreed.n else {}


def _confusion(agreed: Agreement) -> tuple[list[str], list[list[str]]]:
    return (["label \\ verdict", *agreed.classes],
            [[name, *(f"{count:,}" for count in row)] for name, row in zip(agreed.classes, agreed.confusion,
                                                                         strict=True)])


def _disagreements(validation: JudgeValidation, limit: int) -> tuple[list[str], list[list[str]]]:
    remaining = len(validation.disagreements) - limit
    rows = [
        [disagreement.query_id, number(disagreement.verdict), number(disagreement.label)]
        for disagreement in validation.disagreements[:limit]
    ]
    return ["disagreement", "verdict", "label"], rows + ([[f"… {remaining:,} more", "", ""]] if remaining > 0 else [])


def _sources(sources: Sequence[ErrorSource]) -> tuple[list[str], list[list[str]]]:
    """A row per factor: the mean error of each part, and whether the difference is more than chance."""
    return (["error by", "mean error", "queries", "p", "p (corrected)", "fools the judge"],
            [[source.factor, "; ".join(f"{name}: {number(error)} (n = {n:,})" for name, error, n in source.groups),
              f"{source.queries:,}", p_number(source.p), p_number(source.corrected),
              "yes" if source.corrected < ALPHA else "not shown"] for source in sources])


def _source_dict(source: ErrorSource) -> dict:
    return {"factor": source.factor, "queries": source.queries, "p": source.p, "p_corrected": source.corrected,
            "groups": [{"values": name, "mean_error": error, "n": n} for name, error, n in source.groups]}


def _json(validations: Sequence[JudgeValidation], differences: Sequence[CorrectedDifference], settings: dict,
          problems: Iterable[Problem], sources: Sequence[ErrorSource]) -> bytes:
    """The JSON contract, schema 1: undefined values are null."""
    content = {
        "schema": SCHEMA,
        "runs": [_run(validation) for validation in validations],
        "differences": [
            {
                "baseline": difference.baseline,
                "candidate": difference.candidate,
                **_result_dict(difference),
                "left_out": difference.left_out,
            }
            for difference in differences
        ],
        "error_sources": [_source_dict(source) for source in sources],
        "settings": settings,
        "problems": [problem.as_dict() for problem in problems],
    }
    return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _run(validation: JudgeValidation) -> dict:
    agreed = validation.agreement
    return {
        "name": validation.name,
        "digest": validation.run,
        **_result_dict(validation),
        "settled": not validation.unlike,
        "missing": dict(validation.missing),
        "labels_without_verdict": validation.without_verdict,
        "agreement": {
            "n": agreed.n,
            **{name: finite_or_none(getattr(agreed, name))
               for name in (*ACCURACY, "constant", *KAPPA, "bias", "apart")},
            "constant_class": agreed.constant_class or None,
            "base_rate": _base_rate(agreed),
            "adds_nothing": agreed.adds_nothing,
            "classes": list(agreed.classes),
            "confusion": agreed.confusion.tolist(),
        },
        "votes": validation.votes and {name: finite_or_none(value) for name, value in asdict(validation.votes).items()},
        "disagreements": [asdict(disagreement) for disagreement in validation.disagreements],
    }


def _result_dict(result: JudgeValidation | CorrectedDifference) -> dict:
    return {"judged": result.what, "judge": {"mean": finite_or_none(result.judge.mean), "n": result.judge.n},
            "labels": _estimate_dict(result.labels),
            "corrected": {**_estimate_dict(result.corrected), "N": result.rest, "pseudo_rectifiers": True,
                          "weight": finite_or_none(result.corrected.weight),
                          "effective_labels": finite_or_none(result.corrected.effective_n)},
            "headline": result.headline or None, "groups": result.groups, "labels_held_out": result.held_out}


def _estimate_dict(estimate: Estimate) -> dict:
    return {name: finite_or_none(getattr(estimate, name)) for name in ("mean", "low", "high", "n")}
