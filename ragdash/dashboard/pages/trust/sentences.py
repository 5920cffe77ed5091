"""The Trust page in words: what a person is asked, what the numbers say in a sentence, what the words mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.analysis.judge_validation import Difference, Estimate, Trust
from ragdash.core.errors import Problem
from ragdash.evaluation.stats import MIN_LABELS
from ragdash.metrics import Spec
from ragdash.reporting.sentences import fmt
from ragdash.reporting.sentences.judge_validation import TOLD, verdict_of

TERMS = {
    "Judge alone": "The mean of the judge's verdicts over all queries. It has no interval: more queries would not fix "
                   "what the judge gets wrong.",
    "Labels alone": "The mean of what people said of the labelled queries, with its interval; the judge plays no part.",
    "Corrected": "The judge's mean, shifted by what it got wrong on the labelled queries, with an interval that allows "
                 "for both kinds of chance (prediction-powered inference, as in ARES).",
    "n, N": "Labelled queries, and queries that are judged alone.",
    "Accuracy": "Share of the labelled queries on which judge and person agree.",
    "Kappa": "Cohen's kappa: agreement beyond what chance would give. 1 is full agreement, 0 is chance, undefined "
             "where both said the same of every query.",
    "Bias": "Mean of verdict minus label: above 0 the judge gives more than the person.",
}
GLOSSARY = "  \n".join(f"**{term}**: {meaning}" for term, meaning in TERMS.items())
SAID_ELSEWHERE = ("unavailable", "no-labels", "few-labels")
GATHERED = {
    "no-gain": "The corrected interval of {} is wider than that of the labels alone: this judge adds nothing there. "
               "Take the labels' interval, if you decide so before you look at where they lie.",
    "all-labelled": "Nearly every judged query of {} is labelled, and the judge has nothing to add: take the interval "
                    "of the labels alone.",
    "lexical-only": "The local judge looked at words, lengths and scores alone, and words see neither negation nor "
                    "paraphrase. What local models say, computed on the Answers page, joins in."}
WORDED = {  # what a person is asked, and what is told of a run whose every value is yes or no
    "Faithfulness": ("Does the answer state only what its contexts state?", "is faithful"),
    "ClaimFaithfulness": ("Which share of what the answer states do the contexts support?", "is faithful"),
    "RAGAS.Faithfulness": ("Which share of what the answer states do the contexts support?", "is faithful"),
    "RAGChecker.Faithfulness": ("Which share of what the answer states do the contexts support?", "is faithful"),
    "NLIFaithfulness": ("Which share of the answer's sentences do the contexts support?", "is faithful"),
    "SupportCoverage": ("Do the contexts support what the answer states?", "is supported"),
    "AnswerRelevanceJudged": ("Does the answer speak of what was asked, wholly and of nothing else?", "is relevant"),
    "ContextRelevance": ("Do the contexts hold what is needed to answer the question?", "has the contexts it needs"),
    "Correctness": ("Does the answer say what a reference says?", "is right"),
    "RAGAS.ContextPrecision": ("Are the contexts useful for the reference answer, the useful ones first?",
                               "has useful contexts"),
    "ContextPrecisionRatio": ("Which share of the contexts is useful for the reference answer?", "has useful contexts"),
    "RAGAS.ContextRecall": ("Which share of the reference answer do the contexts support?", "has all it needs"),
}


def question(spec: Spec) -> str:
    """What a person is asked to label an answer for a metric."""
    if spec.name in WORDED:
        return WORDED[spec.name][0]
    if spec.metric.better == "lower":
        return f"Does this show: {spec.metric.title}? Yes is 1, the worst."
    return f"How good is this by {spec.metric.title}? {spec.metric.summary_line.split('. ')[0].rstrip('.')}."


def summary(validation: Trust, spec: Spec, *, binary: bool, name: str) -> str:
    """What is known of one run, in a sentence or two."""
    agreed, corrected, judge_alone = validation.agreement, validation.corrected, _value(validation.judge.mean, binary)
    total = fmt.count(validation.judge.n, "query", "queries")
    if not validation.judge.n:
        return f"{name}: no verdicts."
    if not agreed.n:
        return f"{name}: no labels yet. The judge alone says {judge_alone} over {total}, and its error is unknown."
    kappa = "kappa undefined" if np.isnan(agreed.kappa) else f"kappa {fmt.number(agreed.kappa, 2)}"
    first = f"{name}: on {fmt.count(agreed.n, 'label')} the judge agrees in {_percent(agreed.accuracy)} ({kappa})."
    if agreed.n < MIN_LABELS:
        return (
            f"{first} These are too few for an interval, {MIN_LABELS} are needed; the judge alone says {judge_alone}."
        )
    if not np.isfinite(corrected.low):
        return (
            f"{first} With nearly all queries labelled, the labels alone tell: {_with_ends(validation.labels, binary)}."
        )
    mean = _with_ends(corrected, binary)
    result = f"it {WORDED[spec.name][1]} in {mean} of {total}" if binary and spec.name in WORDED else \
        f"the mean is {mean} over {total}"
    return f"{first} Corrected for its errors, {result}; the judge alone says {judge_alone}."


def difference(estimated: Difference, spec: Spec, name: str, *, binary: bool) -> str:
    """The paired difference of a run to the baseline, in a sentence."""
    corrected, judge_alone = estimated.corrected, _difference(estimated.judge.mean, binary)
    if not np.isfinite(corrected.low):
        return (
            f"{name}: the judge alone says {judge_alone}; {fmt.count(corrected.n, 'query', 'queries')} labelled in "
            f"both runs, {MIN_LABELS} are needed for an interval."
        )
    outcome = TOLD[verdict_of(estimated, spec)]
    ends = f"{_difference(corrected.mean, binary)} [{_difference(corrected.low, binary, False)}, " \
           f"{_difference(corrected.high, binary, False)}]"
    return f"{name}: corrected {ends}, {outcome}; the judge alone says {judge_alone}."


def leaning(validation: Trust, spec: Spec) -> str:
    """Whether the judge gives more or less than the person, and how far apart they are."""
    bias, distance = validation.agreement.bias, fmt.number(validation.agreement.apart, 2)
    if abs(bias) < 0.005:
        return f"On average the judge is neither kinder nor stricter than the person; the values are {distance} apart."
    kinder = (bias > 0) == (spec.metric.better != "lower")
    return f"The judge is {'kinder' if kinder else 'stricter'} than the person: " \
           f"{fmt.number(bias, 2, signed=True)} on average, {distance} apart."


def warnings(problems_by_run: Mapping[str, Sequence[Problem]]) -> list[str]:
    """Warnings as lines, those of one kind about several runs as one; what the page says elsewhere is left out.

    found: {name of a run, or of two: its problems}.
    """
    kinds: dict[str, dict[str, Problem]] = {}
    for name, run_problems in problems_by_run.items():
        for problem in run_problems:
            kinds.setdefault(problem.kind, {})[name] = problem
    lines = []
    for kind, run_problems in kinds.items():
        if kind in GATHERED:
            lines.append(GATHERED[kind].format(fmt.escape(fmt.listed(list(run_problems)))))
        elif kind not in SAID_ELSEWHERE:
            lines += dict.fromkeys(map(_line, run_problems.values()))
    return lines


def _line(problem: Problem) -> str:
    return (fmt.escape(f"{problem.file}: ") if problem.file else "") + fmt.problem_line(problem)


def label_text(value: float) -> str:
    """Yes, No, In between, or another number as it is."""
    return {1.0: "Yes (1)", 0.0: "No (0)", 0.5: "In between (0.5)"}.get(value, f"{value:g}")


def _percent(share: float) -> str:
    return f"{100 * share:.0f}{fmt.NBSP}%" if np.isfinite(share) else fmt.UNDEFINED


def _value(value: float, binary: bool) -> str:
    return _percent(value) if binary else fmt.number(value)


def _difference(value: float, binary: bool, unit: bool = True) -> str:
    if not binary:
        return fmt.number(value, signed=True)
    return fmt.number(100 * value, 0, signed=True) + (f"{fmt.NBSP}points" if unit else "")


def _with_ends(estimate: Estimate, binary: bool) -> str:
    if not binary:
        return f"{fmt.number(estimate.mean)} [{fmt.number(estimate.low)}, {fmt.number(estimate.high)}]"
    return f"{_percent(estimate.mean)} [{100 * estimate.low:.0f}, {100 * estimate.high:.0f}]"
