"""Sentences of the Judge validation tab: the labeling questions, summaries of the numbers, and the glossary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ragdash.analysis.judge_validation import (
    DOCUMENT,
    Agreement,
    CorrectedDifference,
    Estimate,
    JudgeValidation,
)
from ragdash.core.errors import Problem
from ragdash.core.terms import tooltips
from ragdash.core.text.metric_names import answer_aspect, is_of_contexts, words_of
from ragdash.evaluation.stats import MIN_GROUPS, MIN_LABELS
from ragdash.metrics import Spec
from ragdash.metrics.docs.human_agreement import SAYS_RIGHT, WORD_OVERLAP
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.judge_validation import (
    NOT_SETTLED,
    OUTCOMES,
    difference_outcome,
    not_settled_sentence,
    source_of,
)
from ragdash.reporting.sentences.runs.estimates import points

GLOSSARY = tooltips("judge_alone", "labels_alone", "corrected", "labeled_and_judged", "accuracy", "constant_answer",
                    "kappa", "bias")
FEWEST_SHOWN = 5  # queries labeled in both runs, below which their interval says nothing
SHOWN_ELSEWHERE = ("unavailable", "no-labels", "few-labels", "no-gain", "all-labeled")  # `run_summary` has the last
GROUPED_WARNINGS = {
    "lexical-only": "The local judge used only words, lengths and scores, which capture neither negation nor "
    "paraphrase. Compute local model scores on the Answers page to add them.",
}
QUESTIONS = {  # labeling question, and predicate for a run with only yes or no values
    "Faithfulness": ("Does the answer state only what its contexts state?", "is faithful"),
    "ClaimFaithfulness": ("What share of the answer's statements do the contexts support?", "is faithful"),
    "RAGAS.Faithfulness": ("What share of the answer's statements do the contexts support?", "is faithful"),
    "RAGChecker.Faithfulness": ("What share of the answer's statements do the contexts support?", "is faithful"),
    "NLIFaithfulness": ("What share of the answer's sentences do the contexts support?", "is faithful"),
    "SupportCoverage": ("Do the contexts support what the answer states?", "is supported"),
    "AnswerRelevanceJudged": ("Does the answer address the whole question, and nothing else?", "is relevant"),
    "ContextRelevance": ("Do the contexts contain what is needed to answer the question?", "has the contexts it needs"),
    "Correctness": ("Does the answer agree with a reference? If that says there is no answer: does the answer decline?",
                    "is right"),
    "RAGAS.ContextPrecision": ("Are the contexts useful for the reference answer, with useful ones first?",
                               "has useful contexts"),
    "ContextPrecisionRatio": ("What share of the contexts is useful for the reference answer?", "has useful contexts"),
    "RAGAS.ContextRecall": ("What share of the reference answer do the contexts support?", "has all it needs"),
}


LABELS_OF_SAMPLES = (":material/label: The samples come with labels of 22 random answers of each run. **No person made "
                     "them:** a language model did, which saw no verdict. In your own data a person labels.")
TO_REPORT = ("**Report the range in bold.** The true value is in it with 95% confidence. It accounts for the "
             "{source}'s errors; the mean of the {source} alone does not.")
SAME_QUESTION = {"grounded": "Faithfulness", "right": "Correctness", "relevant": "AnswerRelevanceJudged"}  # by what a
# score says of an answer


OF_CONTEXTS = {"precision": "RAGAS.ContextPrecision", "recall": "RAGAS.ContextRecall",
               **dict.fromkeys(("relevancy", "relevance"), "ContextRelevance")}  # by a word of a score of contexts


def question(spec: Spec) -> str:
    """The question a person answers when labeling for a metric."""
    name = _asked_of_contexts(spec.file_column) or SAME_QUESTION.get(
        answer_aspect(spec.file_column) or _aspect(spec), spec.name)
    if name in QUESTIONS:
        return QUESTIONS[name][0]
    if spec.metric.better == "lower":
        return f"Does this show: {spec.metric.title}? Yes is 1, the worst."
    return f"How good is this by {spec.metric.title}? {spec.metric.summary_line.split('. ')[0].rstrip('.')}."


def _asked_of_contexts(column: str) -> str:
    """The metric with the question for a score of contexts in a file; "" for other columns."""
    words = words_of(column) if is_of_contexts(column) else frozenset()
    return next((name for word, name in OF_CONTEXTS.items() if word in words), "")


def _aspect(spec: Spec) -> str:
    """What a computed metric, higher is better, says of an answer: a person is asked that, not for the value."""
    if spec.metric.better != "higher" or spec.name in QUESTIONS:
        return ""
    if spec.name in (*SAYS_RIGHT, "SBERT", "CrossEncoder"):
        return "right"
    compared = {"references": "right", "contexts": "grounded", "question": "relevant"}
    return compared.get("question" if spec.name == "SemanticRelevance" else WORD_OVERLAP.get(spec.name, ""), "")


def label_source(column: str, labels: Sequence[float], *, saved: bool) -> str:
    """Where the labels come from, where a column of the files is used; else "". saved: some are of this page."""
    if not column or not len(labels):
        return ""
    halves = "" if 0.5 not in labels else " An answer that is partly right counts as 0.5."
    return (f":material/label: {fmt.count(len(labels), 'label')} from the column {fmt.escape(column)} of the files"
            f"{' and from this page' if saved else ''}.{halves} The intervals hold only if the labeled queries are a "
            "random sample.")


def grouping(by: str, groups: Mapping[str, str], labeled: Sequence[int | None]) -> str:
    """Which queries count as a group, and how many groups are labeled; "" where queries are independent."""
    if not by:
        return ""
    same = "the same relevant document" if by == DOCUMENT else f"the same {fmt.escape(by)}"
    fewest = min((n for n in labeled if n is not None), default=0)
    return (f":material/account_tree: Queries with {same} count as one group in every interval: "
            f"{fmt.count(len(set(groups.values())), 'group')}, {fewest:,} of them labeled"
            + (" in the run with the fewest." if len(labeled) > 1 else "."))


def run_summary(validation: JudgeValidation, spec: Spec, *, binary: bool, name: str, source: str) -> str:
    """Summarize the validation of the judge on one run: first what to report, then how far both agree.

    binary: all values are 0 or 1, so means are shares; source: "judge", "score" or "metric". The interval is the
    headline, whatever it is; the estimate within it comes second.
    """
    agreed, corrected = validation.agreement, validation.corrected
    alone = f"The {source} alone says {_mean_text(validation.judge.mean, binary)}"
    total = fmt.query_count(validation.judge.n)
    if not validation.judge.n:
        return f"{name}: no verdicts."
    if not agreed.n:
        return f"{name}: no labels yet. {alone} over {total}; how often it is wrong is unknown."
    agreement = _agreement_sentence(agreed, source)
    if not np.isfinite(corrected.low):
        return f"{name}: {_uncorrected(validation, binary)} {alone}. {agreement}"
    of_labels = validation.headline == "labels"
    unlike = not_settled_sentence(validation, source, partial(_mean_text, binary=binary))
    result = validation.labels if of_labels else corrected
    share = f"the run {QUESTIONS[spec.name][1]} in" if binary and spec.name in QUESTIONS else \
        "the share lies in" if binary else f"the mean of {fmt.escape(spec.metric.title)} lies in"
    first = f"{name}: {share} **{range_text(result, binary)}** of {total}" if binary else \
        f"{name}: {share} **{range_text(result, binary)}** over {total}"
    if unlike:
        return f"{first}. **{NOT_SETTLED}**{unlike.removeprefix(NOT_SETTLED)} {agreement}"
    of = " of the labels alone" if of_labels else ""
    why = f" With the {source}, the result is no more exact than by the labels." if of_labels else ""
    return (f"{first}; best estimate{of}: {_mean_text(result.mean, binary)}. {alone}.{why}"
            f"{'' if of_labels else _narrower(validation, source)} {agreement}")


def _agreement_sentence(agreed: Agreement, source: str) -> str:
    """How far labels and verdicts agree, and what a constant answer would reach."""
    nothing = f" So the {source} says no more about a single answer than that." if agreed.adds_nothing else ""
    return (f"The {source} agrees with {fmt.percent(agreed.accuracy)} of {fmt.count(agreed.n, 'label')}"
            f"{_agreement_ends(agreed)}. Always saying “{agreed.constant_class}” would agree with "
            f"{fmt.percent(agreed.constant)}.{nothing}")


def _uncorrected(validation: JudgeValidation, binary: bool) -> str:
    """Why there is no corrected interval, and what there is."""
    labels = validation.labels
    if not np.isfinite(labels.low):
        return f"An interval needs {MIN_GROUPS} labeled groups."
    alone = f"By the labels alone: **{range_text(labels, binary)}**; best estimate: {_mean_text(labels.mean, binary)}."
    if validation.agreement.n < MIN_LABELS:
        return f"{alone} The corrected mean needs {MIN_LABELS} labels on this run."
    return f"{'All' if not validation.rest else 'Nearly all'} queries are labeled, so verdicts add nothing. {alone}"


def _agreement_ends(agreed: Agreement) -> str:
    """The interval of the share of labels on which both agree, after a blank; "" for none."""
    low, high = agreed.accuracy_low, agreed.accuracy_high
    return f" [{fmt.percent(low)},{fmt.NBSP}{fmt.percent(high)}]" if np.isfinite(low) else ""


def _narrower(validation: JudgeValidation, source: str) -> str:
    """What the judge adds to the labels, as a sentence after a blank; "" where both intervals round to one width."""
    widths = [value.high - value.low for value in (validation.corrected, validation.labels)]
    share = 1 - widths[0] / widths[1] if np.isfinite(widths).all() and widths[1] > 0 else 0.0
    if abs(share) < 0.01:
        return ""
    change = f"{fmt.percent(abs(share))} {'narrower' if share > 0 else 'wider'}"
    return f" The {source} makes the interval {change} than the labels alone."


def difference_sentence(estimated: CorrectedDifference, spec: Spec, name: str, *, binary: bool, source: str) -> str:
    """Summarize the paired difference of a run to the baseline."""
    corrected = estimated.corrected
    alone = f"The {source} alone says {_difference_text(estimated.judge.mean, binary)}."
    of_labels = f"labels alone: {_difference_with_ends(estimated.labels, binary)}."
    if not np.isfinite(corrected.low) and corrected.n >= MIN_LABELS:
        why = f"nearly all queries are labeled. {of_labels.capitalize()}" if np.isfinite(estimated.labels.low) else \
            f"an interval needs {MIN_GROUPS} groups labeled in both runs."
        return f"{name}: {why} {alone}"
    if not np.isfinite(corrected.low):
        there = f"there {'is' if corrected.n == 1 else 'are'} {corrected.n:,}"
        first = of_labels + " " + alone if np.isfinite(estimated.labels.low) and corrected.n >= FEWEST_SHOWN else \
            alone[:1].lower() + alone[1:]
        return (f"{name}: {first} The corrected difference needs {MIN_LABELS} queries with a label in both runs; "
                f"{there}.")
    outcome = OUTCOMES[difference_outcome(estimated, spec)]
    return f"{name}: {outcome}, {_difference_with_ends(corrected, binary)} corrected. {alone}"


def bias_sentence(validation: JudgeValidation, spec: Spec) -> str:
    """Whether the judge is more lenient or stricter than the labels, and by how much."""
    source = source_of(spec)
    bias, distance = validation.agreement.bias, fmt.number(validation.agreement.apart, 2)
    if abs(bias) < 0.005:
        return (f"On average the {source} is neither more lenient nor stricter than the labels. Verdict and label are "
                f"{distance} apart on average.")
    lenient = (bias > 0) == (spec.metric.better != "lower")
    return (f"The {source} is {'more lenient' if lenient else 'stricter'} than the labels: "
            f"{fmt.number(bias, 2, signed=True)} on average. Verdict and label are {distance} apart on average.")


def warnings(problems_by_run: Mapping[str, Sequence[Problem]]) -> list[str]:
    """Warnings as lines; those of one kind on several runs are grouped, those shown elsewhere are left out.

    Parameters
    ----------
    problems_by_run
        {name of one or two runs: problems}.
    """
    kinds: dict[str, dict[str, Problem]] = {}
    for name, run_problems in problems_by_run.items():
        for problem in run_problems:
            kinds.setdefault(problem.kind, {})[name] = problem
    lines = []
    for kind, problems in kinds.items():
        if kind in GROUPED_WARNINGS:
            lines.append(GROUPED_WARNINGS[kind].format(fmt.escape(fmt.listed(list(problems)))))
        elif kind not in SHOWN_ELSEWHERE:
            lines += dict.fromkeys(map(_line, problems.values()))
    return lines


def _line(problem: Problem) -> str:
    return (fmt.escape(f"{problem.file}: ") if problem.file else "") + fmt.problem_line(problem)


def label_text(value: float) -> str:
    """Text of a label: Yes, No, In between, or the number.

    Examples
    --------
    >>> label_text(1.0), label_text(0.8)
    ('Yes (1)', '0.8')
    """
    return {1.0: "Yes (1)", 0.0: "No (0)", 0.5: "In between (0.5)"}.get(value, f"{value:g}")


def _mean_text(value: float, binary: bool) -> str:
    return fmt.percent(value) if binary else fmt.number(value)


def _difference_text(value: float, binary: bool, unit: bool = True) -> str:
    return points(value, signed=True, unit=unit) if binary else fmt.number(value, signed=True)


def _difference_with_ends(estimate: Estimate, binary: bool) -> str:
    return (f"{_difference_text(estimate.mean, binary)} [{_difference_text(estimate.low, binary, False)}, "
            f"{_difference_text(estimate.high, binary, False)}]")


def range_text(estimate: Estimate, binary: bool) -> str:
    """The interval as a range: 72% to 99%, or 0.720 to 0.986."""
    return f"{_mean_text(estimate.low, binary)} to {_mean_text(estimate.high, binary)}"
