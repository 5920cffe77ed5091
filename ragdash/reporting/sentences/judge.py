"""Verdicts of judges in words, each with a sign beside its color: claims, chunks, values that are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.outcomes import judge_of
from ragdash.evaluation.scoring.claims import ANSWER, ChunkVerdict, Claim, ClaimVerdict, JudgedValue, JudgeFindings
from ragdash.evaluation.scoring.judge_drift import DriftCheck
from ragdash.evaluation.scoring.rubric_drift import RubricDrift
from ragdash.matching.views.judged import IMPORTED
from ragdash.matching.views.panel_verdicts import is_constant, reason_counts
from ragdash.metrics import Spec, parse_spec
from ragdash.metrics.bands import YES
from ragdash.metrics.judged import judge_request
from ragdash.models.judge import MISSING
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.panel import AND, Panel, parse_choice
from ragdash.models.judge.panel import panel_label as panel
from ragdash.reporting.sentences.formatting import count, escape, listed, listed_few, number, query_count
from ragdash.reporting.sentences.merge_problems import COUNTED, Key, merge_by_run, merge_key

BY_HAND = "batch-files"  # the host of the samples' judge, a language model that replied to batch files
TOY = "toy-judge"  # the judge that the samples had first; ledgers still hold its verdicts
TOY_DESCRIPTION = "a script that compares content words, no model that reads"
TOY_NOTE = (
    f"**{TOY}** is {TOY_DESCRIPTION}. It replaces a judge, so that everything can be tried without one; its "
    "scores are meaningless (demo only)."
)
SAMPLING_ONLY = ("Intervals of a judge's means are sampling only: they leave out what the judge gets wrong. Judge "
                 "validation corrects for that with labels of answers.")
FLAGS = {"vacuous": "no claim, counts as faithful", "cut": "a chunk was cut before it was shown to the judge"}
CONTEXT_VERDICTS = {"supported": "✓ supported", "contradicted": "✗ contradicted", "not stated": "✗ not stated"}
REFERENCE_VERDICTS = {ANSWER: {"entailed": "✓ right", "contradicted": "✗ wrong: the reference says otherwise",
                  "neutral": "✗ wrong: the reference does not say it",
                  "not entailed": "✗ wrong, by the reference"},
         "reference": {"entailed": "✓ said in the answer", "contradicted": "✗ the answer says otherwise",
                       "neutral": "✗ missing from the answer", "not entailed": "✗ missing from the answer"}}


def is_toy(judge: Judge | Panel | str) -> bool:
    """Whether a judge, "model at host", or one of several is the script that the samples had first."""
    return any(name.rpartition(" at ")[0] == TOY for name in parse_choice(str(judge))[1])


def judge_name(judge: Judge | Panel | str, *, short: bool = False) -> str:
    """A judge, "model at host" or several, with what it is where it is no model. short: as it fits into a field."""
    pool, names = parse_choice(str(judge))
    if len(names) > 1 and short:
        return f"{pool.capitalize()} of {len(names)} judges" + (", one of them a script" if is_toy(judge) else "")
    if len(names) > 1:
        return panel(map(judge_name, names), pool)
    model, _, host = str(judge).rpartition(" at ")
    if model and host == IMPORTED:
        return f"{model}, imported from a file"
    if model and host == BY_HAND:
        return f"{model} (by batch files)"
    return f"{judge} ({'a script' if short else TOY_DESCRIPTION})" if is_toy(judge) else str(judge)


def combine_judges(judges: Iterable[str]) -> str:
    """All of several judges as one, "A at host + B at host", the script left out where two others remain; empty where
    there are not two, or two have one name.
    """
    names = [name for name in judges if AND not in name]
    read = [name for name in names if not is_toy(name)]
    names = read if len(read) > 1 else names
    return AND.join(names) if len(names) > 1 else ""


def judge_version(model: str, findings: Iterable[JudgeFindings]) -> str:
    """The version of all verdicts, in words; empty where it is the name asked for, or where they are of several."""
    versions = set().union(*(run_findings.versions for run_findings in findings))
    return f"Version {versions.pop()}." if len(versions) == 1 and versions != {model} else ""


def value_version(value: JudgedValue, findings: Iterable[JudgeFindings]) -> str:
    """The version of the judge that gave a value, in words, where those shown are of several; else empty."""
    if len(value.versions) > 1:
        return f"by the versions {listed(value.versions)}: left out of the mean"
    several = len(set().union(*(run_findings.versions for run_findings in findings))) > 1
    return f"by version {value.versions[0]}" if several and value.versions else ""


def metric_title(metric: str) -> str:
    """The title of a judged metric by its canonical spelling."""
    try:
        return parse_spec(metric).title
    except InputError:
        return metric


def flag_counts(flags: Mapping[str, int]) -> str:
    """3 queries: no claim, counts as faithful; of {flag: queries}."""
    return "; ".join(f"{query_count(n)}: {FLAGS.get(flag, flag)}" for flag, n in flags.items())


def context_verdict(judgment: ClaimVerdict) -> str:
    """✓ supported, ✗ contradicted or ✗ not stated; another word as it is written."""
    return CONTEXT_VERDICTS.get(judgment.verdict, f"{'✓' if judgment.yes else '✗'} {judgment.verdict}")


def reference_verdict(judgment: ClaimVerdict, side: str) -> str:
    """What the reference says of a claim of the answer, or the answer of one of the reference."""
    return REFERENCE_VERDICTS[side].get(judgment.verdict, f"{'✓' if judgment.yes else '✗'} {judgment.verdict}")


def claim_verdicts(claim: Claim, side: str) -> list[tuple[str, bool, str]]:
    """(words with a sign, whether it is a yes, the judge's reason) of a claim."""
    rows = [(f"? no verdict: {claim.missing}", False, "")] if claim.missing else []
    if claim.contexts is not None:
        rows.append((context_verdict(claim.contexts), claim.contexts.yes, claim.contexts.reason))
    if claim.other_text is not None:
        rows.append((reference_verdict(claim.other_text, side), claim.other_text.yes, claim.other_text.reason))
    if claim.entailed_by is not None and not claim.entailed_by:
        rows.append(("✗ in no chunk", False, "each chunk read alone"))
    elif claim.entailed_by:
        rows.append((f"✓ in {count(len(claim.entailed_by), 'chunk')}", True, "each chunk read alone"))
    return rows


def chunk_verdicts(chunk: ChunkVerdict | None, supports: int) -> list[tuple[str, bool, str]]:
    """The same of a chunk: useful or not, how relevant, how many claims it supports."""
    rows = []
    if chunk is not None and chunk.useful is not None:
        words = "✓ judge: useful" if chunk.useful.yes else "✗ judge: not useful"
        rows.append((words, chunk.useful.yes, chunk.useful.reason))
    if chunk is not None and chunk.score is not None:
        rows.append((f"judged relevance {chunk.score:g}", chunk.score >= YES, chunk.reason))
    if supports:
        rows.append((f"supports {count(supports, 'claim')}", True, "by the judge"))
    return rows


def judge_sources(names: Sequence[str], evaluations: Sequence[Evaluation], specs: Iterable[Spec]) -> list[str]:
    """Who judged, a line of markdown for each judge; warnings where the runs have different ones on a metric, and where
    a judge always gives the same score.
    """
    titles_by_judge: dict[str, list[str]] = {}
    lines, specs = [], list(specs)
    for spec in specs:
        judges = {name: judge_of(evaluation, spec) for name, evaluation in zip(names, evaluations, strict=True)}
        distinct = list(dict.fromkeys(filter(None, judges.values())))
        if len(distinct) > 1:
            run_judges = listed(
                [f"{escape(name)} by {escape(judge_name(judge))}" for name, judge in judges.items() if judge]
            )
            lines.append(f"**{escape(spec.title)} is by different judges, whose values do not compare**: {run_judges}. "
                         "Differences are withheld until one version of one judge has judged all runs.")
        elif distinct:
            titles_by_judge.setdefault(distinct[0], []).append(spec.title)
    sentences = [
        f"{escape(listed(titles))}: verdicts of **{escape(judge_name(judge))}**."
        for judge, titles in titles_by_judge.items()
    ]
    return [*sentences, *lines, *constant_scores(names, evaluations, specs),
            *([SAMPLING_ONLY] if sentences or lines else [])]


def constant_scores(names: Sequence[str], evaluations: Sequence[Evaluation], specs: Iterable[Spec]) -> list[str]:
    """Where a judge gives every answer of a run the same score: lines as of `constant_warnings`."""
    return constant_warnings(
        (spec.title, name, float(values[np.isfinite(values)][0])) for spec in specs if spec.metric.view == "Judged"
        for name, evaluation in zip(names, evaluations, strict=True) if is_constant(values := evaluation.column(spec)))


def constant_warnings(constants: Iterable[tuple[str, str, float]]) -> list[str]:
    """That a judge's scores never vary, a line of markdown for each score and its runs.

    constants: title of the metric, name of the run, and the score that it always has.

    Examples
    --------
    >>> constant_warnings([("Faithfulness", "a", 1.0), ("Faithfulness", "b", 1.0)])  # doctest: +NORMALIZE_WHITESPACE
    ['Faithfulness of **a** and **b** is 1 for every answer: a judge that always gives the same score carries no
     information. Read some of its reasons.']
    """
    runs: dict[tuple[str, float], list[str]] = {}
    for title, name, value in constants:
        runs.setdefault((title, value), []).append(f"**{escape(name)}**")
    titles: dict[tuple[float, str], list[str]] = {}
    for (title, value), of in runs.items():
        titles.setdefault((value, listed(of)), []).append(title)
    return [f"{escape(listed(of))} of {names} {'is' if len(of) == 1 else 'are'} {value:g} for every answer: a judge "
            "that always gives the same score carries no information. Read some of its reasons."
            for (value, names), of in titles.items()]


def unavailable_judged(names: Sequence[str], evaluations: Sequence[Evaluation], specs: Sequence[Spec]) -> list[str]:
    """What judged specs lack and what asks for it, a line of markdown for each reason with its metrics and runs."""
    titles = {name: spec.title for spec in specs for name in (spec.name, judge_request(spec)[0])}
    groups: dict[tuple, tuple[Problem, list[str]]] = {}
    for metric in titles:
        runs: dict[Key, tuple[Problem, list[str]]] = {}
        for name, evaluation in zip(names, evaluations, strict=True):
            for problem in evaluation.problems:
                if problem.kind == "unavailable" and problem.field == metric:
                    key = merge_key(replace(problem, field=None), without=("run", "metric"))
                    runs.setdefault(key, (problem, []))[1].append(name)
        for key, (problem, of) in runs.items():
            groups.setdefault((key, tuple(of)), (problem, []))[1].append(metric)
    return [_unavailable_line(problem, metrics, runs if len(runs) < len(names) else (), titles)
            for (_, runs), (problem, metrics) in groups.items()]


def _unavailable_line(problem: Problem, metrics: Sequence[str], runs: Sequence[str], titles: Mapping[str, str]) -> str:
    named = listed(list(dict.fromkeys(titles[name] for name in metrics)))
    of = f" of **{escape(listed_few(runs))}**" if runs else ""
    words = replace(problem, facts={**problem.facts, "metric": " ".join(metrics)}).words("page")
    return f"{escape(named)}{of}: {escape(words.reason)}. {escape(words.fix)}"


def verdict_problems(names: Sequence[str], evaluations: Sequence[Evaluation], specs: Iterable[Spec]) -> list[str]:
    """Verdicts that are missing by reason, texts that were cut, answers without a claim: a line of markdown for each
    metric and reason, with the runs that it is about.
    """
    titles = {judge_request(spec)[0]: spec.title for spec in specs}
    counted = [(name, problem) for name, evaluation in zip(names, evaluations, strict=True)
               for problem in evaluation.problems if problem.kind in COUNTED]
    lines = []
    for fold in merge_by_run(counted):
        words, field = fold.problem.words("page"), fold.problem.field
        lines.append(f"{escape(titles.get(field, field))} of **{escape(listed(list(fold.runs)))}**: "
                     f"{escape(words.reason)}. {escape(words.fix)}")
    return lines


def score_counts(rows: Iterable[Mapping]) -> str:
    """How many scores a job of a judge has brought, and why others are missing; rows: as in its report.

    Texts that leave nothing to judge are not counted.

    Examples
    --------
    >>> score_counts([{"n": 5, "missing": {}}, {"n": 3, "missing": {"no JSON in the reply": 2}}])
    '8 of 10 scores, 2 missing: 2 no JSON in the reply'
    """
    scores, missing = 0, Counter[str]()
    for row in rows:
        scores += row["n"]
        missing.update(row["missing"])
    total, unasked = scores + missing.total(), missing.pop(MISSING["not-asked"], 0)
    reasons = f", {missing.total():,} missing: {reason_counts(dict(missing.most_common()))}" if missing else ""
    return f"{scores:,} of {count(total, 'score')}{reasons}{f', {unasked:,} not asked' if unasked else ''}"


def drift_sentence(check: DriftCheck) -> str:
    """Whether a judge still judges as it did, in plain text."""
    before, today = (", ".join(filter(None, names)) or "a model without a name" for names in check.models)
    name = f"{before} then and {today} now" if before != today else before
    tasks = ", ".join(f"{n} {task}" for task, n in check.tasks.items())
    total = check.n + sum(rubric.n for rubric in check.rubrics)
    changes = [f"{check.same:,} the same, mean change {_change(check.change, check.low, check.high)}"] * bool(check.n)
    changes += [_rubric_change(rubric) for rubric in check.rubrics]
    skipped = "".join(f" {title or 'Other metrics'}: {count(n, 'verdict')}, too few to compare."
                      for title, n in check.skipped.items())
    missing = f" {sum(check.missing.values())} replies could not be used." if check.missing else ""
    return (f"{count(total, 'verdict')} of {', '.join(check.months)} asked again ({tasks}; {name}): "
            f"{'; '.join(changes)}. {_drift_verdict(check)}{skipped}{missing}")


def _drift_verdict(check: DriftCheck) -> str:
    if check.drifted:
        return "The judge has drifted. Do not join or compare means from before and after: judge all runs again."
    bounds = [max(abs(check.low), abs(check.high))] * bool(check.n)
    bounds += [max(abs(low), abs(high)) for rubric in check.rubrics for low, high in
               [(rubric.low, rubric.high), *(ends[1:] for ends in rubric.runs.values())] if isfinite(low)]
    if not bounds:
        return "Too few were decided both times to show a drift."
    return f"No drift shown; a mean change of up to {max(bounds):.3f} may still be there."


def _change(mean: float, low: float, high: float) -> str:
    return f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]" if isfinite(low) else f"{number(mean, signed=True)} (no interval)"


def _rubric_change(rubric: RubricDrift) -> str:
    """How the verdicts of a rubric changed, in words."""
    words = f"{rubric.metric}: {rubric.same:,} of {rubric.n:,} the same"
    if rubric.undecided:
        words += f", {rubric.undecided:,} undecided then or now"
    if rubric.kind == "ranking":
        runs = ", ".join(f"{run} {_change(*ends)}" for run, ends in rubric.runs.items())
        return (f"{words}, another first place in {rubric.first_changed:,}, mean Kendall's tau {number(rubric.tau)} "
                f"(n {rubric.taus:,}), mean change of {runs}")
    kappa = f", agreement beyond chance (weighted kappa) {number(rubric.agreement)}" if rubric.kind != "number" else ""
    return f"{words}{kappa}, mean change {_change(rubric.change, rubric.low, rubric.high)}"
