"""What of the answers cannot be computed, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.core.errors import Problem
from ragdash.core.messages import render
from ragdash.core.text.metric_names import is_human_label, is_spent
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.stats import MIN_LABELS
from ragdash.io.field_names import USUAL_NAMES
from ragdash.metrics import METRICS, Spec
from ragdash.metrics.docs.human_agreement import WORD_OVERLAP
from ragdash.reporting.sentences.formatting import (
    count,
    escape,
    listed,
    listed_few,
    problem_line,
    query_count,
)
from ragdash.reporting.sentences.merge_problems import Key, merge_key

REFERENCES_FIX = render("check-no-references", {"names": list(USUAL_NAMES["answers"])}).fix
"""How to add right answers: one sentence for every place where they are missing."""
SINGLE_WORDS = ("Metrics of grounding without a model compare single words: they do not see word order, negations and "
                "paraphrases. A high value does not prove that the answer follows from the contexts. A low value is a "
                "reason to look.")

MAX_NUMBERS = 5  # runs that the answer to how many answers are right names


def unavailable_metrics(names: Sequence[str], evaluations: Sequence[Evaluation], *,
                        excluded: Sequence[str] = ()) -> list[str]:
    """What cannot be computed, why, and what would help: one line for each reason, with all runs that it holds for.

    Judged metrics apart: see ragdash.reporting.sentences.judge. excluded: messages that the page has already.
    """
    reasons: dict[Key, tuple[Problem, list[str]]] = {}
    for name, evaluation in zip(names, evaluations, strict=True):
        for problem in evaluation.problems:
            if problem.kind == "unavailable" and problem.message not in excluded and not _is_judged(problem.field):
                reasons.setdefault(merge_key(problem), (problem, []))[1].append(name)
    return [_line(problem, runs, names) for problem, runs in reasons.values()]


def missing_answers(names: Sequence[str], answered: Sequence[int], total: int) -> list[str]:
    """For how many queries runs have answers, where some queries lack them; runs with equally many together.

    Examples
    --------
    >>> missing_answers(["a", "b", "c"], [18, 24, 18], 24)
    ['a and c have answers to 18 of 24 queries: answer metrics that ragdash computes leave out the other 6.']
    >>> missing_answers(["a", "b"], [24, 0], 24), missing_answers(["a"], [0], 24)
    (['b has answers to none of 24 queries.'], [])
    >>> missing_answers(["a", *"bcdef"], [24, 0, 0, 0, 0, 0], 24)
    ['b, c, d and 2 more have answers to none of 24 queries.']
    """
    lines = []
    for number in sorted({number for number in answered if number < total} if any(answered) else ()):
        runs = [name for name, own in zip(names, answered, strict=True) if own == number]
        who = f"{escape(listed_few(runs))} {'has' if len(runs) == 1 else 'have'} answers to"
        rest = total - number
        lines.append(f"{who} {number:,} of {query_count(total)}: answer metrics that ragdash computes leave out the "
                     f"other{f' {rest:,}' if rest > 1 else ''}." if number else
                     f"{who} none of {query_count(total)}.")
    return lines


def wordless_answers(names: Sequence[str], answered: Sequence[int], with_words: Sequence[int]) -> list[str]:
    """Why the answers of which it is known whether they decline are fewer than all: a sentence for each run.

    Examples
    --------
    >>> wordless_answers(["a", "b"], [100, 100], [96, 100])
    ['a: 4 of 100 answers have no letter and no digit, such as “.”. Declined does not count them.']
    """
    return [f"{escape(name)}: {total - known:,} of {count(total, 'answer')} "
            f"{'has' if total - known == 1 else 'have'} no letter and no digit, such as “.”. Declined does not count "
            f"{'it' if total - known == 1 else 'them'}."
            for name, total, known in zip(names, answered, with_words, strict=True) if known < total]


def judge_error_note(spec: Spec) -> str:
    """What the interval of an LLM judge's mean leaves out; empty for other metrics.

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> judge_error_note(parse_spec("Correctness"))
    'A judge gave these scores. Judge validation shows how often it is wrong.'
    >>> judge_error_note(parse_spec("TokenF1"))
    ''
    """
    return "A judge gave these scores. Judge validation shows how often it is wrong." if spec.metric.view == "Judged" \
        else ""


def right_answers_note(spec: Spec | None, labels: Sequence[int], numbers: Sequence[tuple[str, str]]) -> str:
    """How many answers are right, by which number, and why it is that one, in markdown.

    spec: of `right_answers_metric`; labels: human labels that check the judge or score, of each run; numbers: each run
    with its number, and over how many answers, such as ("**dense** 62% [52%, 71%]", "of 110 answers").

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> right_answers_note(parse_spec("Correctness"), [22, 22], [("**dense** 72% to 99%", "of 122 answers"),
    ...     ("**sparse** 70% to 95%", "of 122 answers")]) # doctest: +NORMALIZE_WHITESPACE
    '**How many answers are right?** Of 122 answers each: **dense** 72% to 99% and **sparse** 70% to 95%, by Correctness
     as corrected on Judge validation: a judge read each answer next to its reference, and 22 labels of each run check
     the judge.'
    >>> right_answers_note(parse_spec("TokenF1"), [], [("**dense** 62% [52%, 71%]", "of 110 answers")])
    ... # doctest: +NORMALIZE_WHITESPACE
    '**How many answers are right?** **dense** 62% [52%, 71%] of 110 answers. This is an estimate from their words and
     numbers: no person and no judge has checked them.'
    """
    if spec is None or not numbers:
        return ""
    answer = f"**How many answers are right?** {_first_numbers(numbers)}"
    title = escape(spec.title)
    if spec.file_column and dict(spec.params).get("label"):
        return f"{answer}, by {title}: labels of the answers are stronger evidence than any metric."
    if spec.file_column and is_human_label(spec.file_column, text=False):
        return f"{answer}, by {title}: people's scores in the file are stronger evidence than any metric."
    if spec.file_column:
        error = "Judge validation shows how often it is wrong" if any(labels) else "How often it is wrong is not known"
        return f"{answer}, by {title}, a score in the file. {error}."
    if spec.metric.view == "Judged" and min(labels, default=0) >= MIN_LABELS:
        checked = count(min(labels), "label") if len(set(labels)) == 1 else f"{min(labels):,} labels or more"
        return (f"{answer}, by {title} as corrected on Judge validation: a judge read each answer next to its "
                f"reference, and {checked} of each run check the judge.")
    if spec.metric.view == "Judged":
        return (f"{answer}, by {title}: a judge read each answer next to its reference, and nobody has checked the "
                f"judge. To check it, label {MIN_LABELS} answers of each run on Judge validation.")
    return (f"{answer}. This is an estimate from their words and numbers: no person and no judge has checked "
            "them.")


def _first_numbers(numbers: Sequence[tuple[str, str]]) -> str:
    """The first runs with their numbers, the others counted; of how many answers once where it is the same for all."""
    counts, rest = {over for _, over in numbers}, len(numbers) - MAX_NUMBERS
    once = f"{counts.pop().capitalize()} each: " if len(counts) == 1 < len(numbers) else ""
    texts = [number if once else f"{number} {over}" for number, over in numbers]
    return once + listed([*texts[:MAX_NUMBERS], count(rest, "more run")] if rest > 0 else texts)


def word_overlap_note(spec: Spec, *, markdown: bool = True) -> str:
    """What a metric that counts common words does not show; empty for other metrics.

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> word_overlap_note(parse_spec("TokenF1"))
    'Token F1 is word overlap with the references: in free prose it often goes with being right, but does not show it.'
    >>> word_overlap_note(parse_spec("NumberMatch"))
    ''
    """
    other = WORD_OVERLAP.get(spec.name)
    if other is None:
        return ""
    meaning = {"contexts": "it often goes with being faithful to them, but does not show it",
               "references": "in free prose it often goes with being right, but does not show it",
               "question": "it is unrelated to being right"}[other]
    title = escape(spec.title) if markdown else spec.title
    return f"{title} is word overlap with the {other}: {meaning}."


def says_nothing_of_quality(spec: Spec) -> bool:
    """Whether a metric says what an answer takes, in time, tokens or money, and not how good it is."""
    return is_spent(spec.file_column) if spec.file_column else spec.metric.family == "cost"


def no_quality_note(spec: Spec, *, markdown: bool = True) -> str:
    """That a metric of time, tokens or money is no verdict on quality; empty for other metrics.

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> no_quality_note(parse_spec("Latency"))
    'Latency measures time or cost: it says nothing about how good the answers are.'
    >>> no_quality_note(parse_spec("TokenF1"))
    ''
    """
    if not says_nothing_of_quality(spec):
        return ""
    title = escape(spec.title) if markdown else spec.title
    return f"{title} measures time or cost: it says nothing about how good the answers are."


def _line(problem: Problem, runs: Sequence[str], names: Sequence[str]) -> str:
    words = problem.words("page")
    if "run" not in problem.facts:
        return problem_line(problem, "page")
    every = len(runs) == len(names) and len(names) > 1
    head = "Every run shown" if every else listed_few([f"**{escape(run)}**" for run in runs])
    return f"{head}: {escape(words.reason)}. {escape(words.fix)}"


def _is_judged(field: str | None) -> bool:
    name = (field or "").partition("(")[0]
    return name in METRICS and METRICS[name].view == "Judged"
