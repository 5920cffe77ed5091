"""Is the test set any good? The answer in sentences (Markdown), and what cannot be known with so few runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ragdash.analysis.test_set.budget import BudgetEstimate, SampleEstimate
from ragdash.analysis.test_set.check import LabelCheck, TestSetCheck
from ragdash.analysis.test_set.label_lint import KINDS
from ragdash.analysis.test_set.query_quality import FEWEST_RUNS
from ragdash.analysis.test_set.relabel import RelabelAgreement, RelabelGroup
from ragdash.analysis.test_set.unjudged.settle import JudgmentPlan
from ragdash.analysis.test_set.verdict_carriers import VerdictCarriers
from ragdash.analysis.verdict import RunCheck, without_outcome
from ragdash.core.console import query_count
from ragdash.core.records.arguments import checked
from ragdash.core.text.template import percent
from ragdash.reporting.sentences.formatting import count, escape, listed, number, percent_interval
from ragdash.reporting.sentences.runs.check_lines import withheld_sentence

NAMED = 5  # queries named in a sentence
MAX_PAIRS = 3  # of the best run and the next ones: how many queries each verdict rests on
FEW_RELEVANT = 10  # relevant documents from which chances are no longer called rough
MANY_RELEVANT = 1.0  # unjudged ones per query above which metrics with an ideal are too sure (benchmarks/judgments.py)


def withhold_pairs(check: TestSetCheck, withheld: Sequence[RunCheck]) -> TestSetCheck:
    """The check without outcomes of the pairs that one of these checks of runs is about."""
    return replace(check, carriers=tuple(replace(pair, comparison=without_outcome(pair.comparison, withheld))
                                         for pair in check.carriers))


@checked
def check_sentences(check: TestSetCheck, withheld: Sequence[RunCheck] = ()) -> list[str]:
    """The sentences of a report on a test set, the most important first.

    withheld: checks of the runs that withhold the verdict on them, as everywhere: no run is named best then.
    """
    check = withhold_pairs(check, withheld)
    answer = escape(withheld_sentence(withheld, "no run is named best")) if withheld else answer_sentence(check)
    return [
        *([answer] if answer else []),
        detectable_sentence(check),
        *([saturation_sentence(check)] if check.quality else []),
        *(carriers_sentence(pair, check.query_ids) for pair in check.carriers[:MAX_PAIRS]
          if pair.comparison.outcome != "not-comparable"),
        *([discrimination_sentence(check)] if check.quality else []),
        *label_sentences(check.labels),
    ]


def answer_sentence(check: TestSetCheck) -> str:
    """Yes or no: do the queries show which of these runs is best? "" where `detectable_sentence` says why not."""
    pairs = [pair.comparison for pair in check.carriers if np.isfinite(pair.comparison.detectable)]
    if not pairs:
        return ""
    leader, runs = escape(pairs[0].candidate), count(len(check.runs), "run")
    open_pairs = [pair for pair in pairs if pair.outcome != "better"]
    if not open_pairs:
        others = "all others" if len(pairs) == len(check.runs) - 1 else f"the {len(pairs)} runs closest to it"
        return f"**Yes: it shows that {leader} is the best of these {runs}**, better than {others}."
    pair = min(open_pairs, key=lambda pair: abs(pair.mean_difference))
    size = number(abs(pair.mean_difference))
    lead = f"**{leader}** and {_bold(pair.baseline)} have the same mean" if not float(size) else (
        f"**{leader}** is {size} ahead of {_bold(pair.baseline)}")
    return (f"**Not for these {runs}: it does not show which is best.** {lead}; a difference of about "
            f"{number(pair.detectable)} or more would show. That is no fault of the questions: the closer the runs, "
            "the more queries it takes.")


def detectable_sentence(check: TestSetCheck) -> str:
    """With this test set you can distinguish runs that differ by 0.12."""
    title = escape(check.spec.title)
    if not check.runs:
        return ("**Not known without runs**: nothing shows which differences this test set can detect. Questions, "
                "judgments and documents are checked below.")
    if len(check.runs) == 1:
        return ("**Not known yet.** One run alone does not show which differences this test set can detect: that "
                "depends on how much two runs differ from query to query. Load a second run.")
    low, high = check.detectable
    if not np.isfinite(high):
        compared = [pair.comparison for pair in check.carriers if pair.comparison.n >= 2]
        few = [comparison for comparison in compared if np.isinf(comparison.detectable)]
        if few:
            return f"{query_count(few[0].n)}: too few to distinguish any two runs on {title}."
        why = (f"All queries have the same difference on {title}" if compared else
               f"The runs cannot be compared query by query on {title}")
        return f"{why}, so no detectable difference is known."
    pairs = [pair.comparison for pair in check.carriers if np.isfinite(pair.comparison.detectable)]
    queries = query_count(max(comparison.n for comparison in pairs))
    if number(low) == number(high):
        size = f"by about {number(high)}"
    else:
        close, far = (min(pairs, key=lambda c: abs(c.detectable - end)) for end in (low, high))
        size = (f"by about {number(low)} where their rankings are alike ({_bold(close.candidate)} and "
                f"{_bold(close.baseline)}), by about {number(high)} where they are not ({_bold(far.candidate)} and "
                f"{_bold(far.baseline)})")
    family = pairs[0].family.size
    corrected = f", corrected for {family:,} pairs of runs" if family > 1 else ""
    return f"You can distinguish runs that differ {size} on {title} ({queries}, 80% power{corrected})."


def saturation_sentence(check: TestSetCheck) -> str:
    """How many queries leave no room, and how many say nothing."""
    quality, n = check.quality, int(check.quality.defined.sum())
    solved, failed, equal = (int(mask.sum()) for mask in (quality.solved, quality.failed, quality.equal))
    title, runs = escape(check.spec.title), "the run" if len(check.runs) == 1 else "every run"
    text = (f"On {solved:,} of {query_count(n)} {runs} has the best possible {title}, on {failed:,} the "
            "worst.")
    if len(check.runs) == 1:
        return f"{text} One run does not show whether these queries distinguish runs."
    if equal == 1:
        return f"{text} 1 query gives all runs the same value: it does not help to choose between them."
    return f"{text} {query_count(equal)} give all runs the same value: they do not help to choose between them."


def carriers_sentence(pair: VerdictCarriers, query_ids: Sequence[str]) -> str:
    """How many queries a verdict rests on."""
    leader, other, outcome = _bold(pair.leader), _bold(pair.other), pair.comparison.outcome
    n = pair.comparison.n
    if outcome == "better":
        head = f"{leader} is better than {other}"
        if pair.dissolving is None:
            head += ", and stays significantly better whichever of its wins are removed"
        else:
            head += (f". The verdict rests on {len(pair.dissolving):,} of {query_count(n)} at most: "
                     f"without {_named(pair.dissolving, query_ids)} it is no longer significant")
        tail = "" if pair.reversing is None else (
            f" Without {query_count(len(pair.reversing))} {other} is ahead.")
        return f"{head}.{tail}"
    if not np.isfinite(pair.comparison.mean_difference):
        return f"{leader} and {other} have no two queries in common."
    if pair.comparison.mean_difference == 0 or pair.reversing == ():
        return f"{leader} and {other} have the same mean."
    head = f"{leader} and {other} do not differ significantly"
    if pair.reversing is None:
        return f"{head}. {other} is better at no query."
    return (f"{head}. Without {query_count(len(pair.reversing))} ({_named(pair.reversing, query_ids)}) "
            f"{other} would be ahead.")


def _bold(run: str) -> str:
    return f"**{escape(run)}**"


def _named(rows: Sequence[int], query_ids: Sequence[str]) -> str:
    names = [escape(query_ids[row]) for row in rows[:NAMED]]
    return listed([*names, f"{len(rows) - NAMED:,} more"] if len(rows) > NAMED else names)


def discrimination_sentence(check: TestSetCheck) -> str:
    """Which queries disagree with the rest, and how reliable the order of the runs is."""
    runs = len(check.runs)
    if runs < FEWEST_RUNS:
        return (f"To see which queries distinguish good runs from bad ones, load at least {FEWEST_RUNS} runs, better "
                "ten.")
    values = check.quality.discrimination
    known = values[~np.isnan(values)]
    text = (f"On {int((known < 0).sum()):,} of the {query_count(len(known))} where runs differ, the runs "
            "that are worse on the other queries do better (negative discrimination): such a query may have wrong "
            "judgments, or be of another kind.")
    if runs < 10:
        text += f" With {count(runs, 'run')} that is a hint at most."
    value, low, high = check.quality.reliability
    if not np.isfinite(value):
        return text
    if low <= 0:
        return (f"{text} Whether other queries would rank these runs in the same order is not known (reliability, "
                f"Cronbach's alpha: below {number(high, 2)}).")
    return (f"{text} Reliability (Cronbach's alpha): {number(value, 2)} [{number(low, 2)}, {number(high, 2)}]; 1 means "
            "that other queries would rank these runs in the same order.")


def label_sentences(labels: LabelCheck) -> list[str]:
    """Near copies, judgments that look wrong, and who judged."""
    copies, sentences = labels.copies, []
    if copies.questions_compared:
        kind = "nearly the same as" if copies.near[0] else "equal to"
        again = len({second for _, second in copies.question_pairs})
        sentences.append(f"{_count_or_none(again, 'question is', 'questions are')} {kind} another one "
                         f"({copies.questions_compared:,} compared).")
    if copies.documents_compared:
        extra = sum(len(group) - 1 for group in copies.document_groups)
        kind = "nearly the same text as" if copies.near[1] else "the same text as"
        sentences.append(f"{_count_or_none(extra, 'judged document has', 'judged documents have')} {kind} another one "
                         f"({copies.documents_compared:,} compared).")
    else:
        sentences.append("The judged documents have no texts here. Load the documents to look for copies and answers "
                         "in them.")
    counts = Counter(finding.kind for finding in labels.findings)
    if counts:
        kinds = [f"{KINDS[kind][0].lower()}{KINDS[kind][1:]}" + (f" ({counts[kind]:,})" if len(counts) > 1 else "")
                 for kind in KINDS if counts[kind]]
        sentences.append(f"{count(len(labels.findings), 'judgment')} to look at: {'; '.join(kinds)}.")
    else:
        sentences.append("No judgment looks wrong by the rules.")
    if len(labels.authors) == 1:
        [name] = labels.authors
        sentences.append(f"All judgments are by {escape(name)} alone: how far two people would agree is not known.")
    elif labels.authors:
        sentences.append(f"{len(labels.authors):,} people judged.")
    else:
        sentences.append("The file does not say who judged, so nobody knows how far two people would agree.")
    return sentences


def _count_or_none(number_of: int, singular: str, plural: str) -> str:
    return count(number_of, singular, plural) if number_of else f"No {singular}"


def relabel_sentence(result: RelabelAgreement) -> str:
    """How far judging again agrees with the old labels."""
    if not result.all.labeled:
        return "Nothing is judged again yet."
    parts = [f"{_share(group)} of the {name}" for name, group in (
        ("judgments in doubt", result.suspicious), ("others", result.others)) if group.labeled]
    kappa = f" Beyond chance (Cohen's kappa): {number(result.all.kappa, 2)}." if np.isfinite(result.all.kappa) else ""
    return f"You agree with the old label at {listed(parts)}.{kappa}"


def _share(group: RelabelGroup) -> str:
    return f"{group.agreed:,} of {group.labeled:,} ({percent(group.share)} {percent_interval(group)})"


def plan_sentences(plan: JudgmentPlan, names: Mapping[str, str] | None = None) -> list[str]:
    """Which run leads and how surely, what judging the listed documents can change, and cautions.

    names: other names of the runs. Where no judgment shows how likely a document is relevant, the first sentence says
    what several chances would mean, instead of one forecast.
    """
    names = names or {}
    leader, rivals = names.get(plan.leader, plan.leader), [names.get(run, run) for run in plan.rivals]
    if plan.assumptions and plan.expected:
        return [unknown_sentence(plan, names), *plan_cautions(plan), *unanswerable_sentences(plan.unanswerable)]
    first = plan_sentence(leader, rivals, plan.sure, plan.needed, plan.undecided, plan.total)
    return [first, *([change_sentence(plan)] if rivals and len(plan.table) else []), *plan_cautions(plan),
            *unanswerable_sentences(plan.unanswerable)]


def unanswerable_sentences(queries: int) -> list[str]:
    """What is not offered: the documents of queries that the truth marks as unanswerable.

    Examples
    --------
    >>> unanswerable_sentences(2)
    ['The documents of 2 queries marked as unanswerable are not offered: none of them is relevant.']
    >>> unanswerable_sentences(0)
    []
    """
    if not queries:
        return []
    return [f"The documents of {query_count(queries)} marked as unanswerable are not offered: none of "
            "them is relevant."]


def plan_sentence(leader: str, rivals: Sequence[str], sure: float, needed: tuple[float, float, float],
                  undecided: float, total: int) -> str:
    """How sure it is that a run leads, and how many judgments settle it.

    Examples
    --------
    >>> plan_sentence("a", ["b"], 0.784, (3.0, 14.0, 40.0), 0.0, 90).split(". ")[1]
    'About 14 [3, 40] of 90 judgments, in the order below, settle which run is better.'
    """
    if not rivals:
        return (f"On these queries {escape(leader)} is better with a probability of {_probability(sure)}: no further "
                "judgment is needed for that.")
    others = listed([escape(name) for name in rivals])
    text = f"On these queries {escape(leader)} is better than {others} with a probability of {_probability(sure)}"
    if not total:
        return f"{text}. No judgment within these ranks can settle it."
    text += (f". About {_needed(needed)} of {total:,} judgments, in the order below, settle which run is better.")
    return text if undecided < 0.005 else f"{text} In {percent(undecided)} of the simulations even all of them do not."


def change_sentence(plan: JudgmentPlan) -> str:
    """How likely the documents of the table, once judged, put another run ahead."""
    count_of = len(plan.table)
    which = "this document" if count_of == 1 else f"these {count_of:,} documents"
    change = plan.table["change"][-1].as_py()
    text = f"Judging {which} changes which run is ahead with a probability of {_probability(change)}"
    return f"{text}." if count_of == plan.total else (f"{text}; judging all {plan.total:,}, of "
                                                      f"{_probability(1 - plan.sure)}.")


def unknown_sentence(plan: JudgmentPlan, names: Mapping[str, str]) -> str:
    """What several chances of relevance would mean, where no judgment shows the right one."""
    cases = []
    for one in plan.assumptions:
        case = (f"with {percent(one.chance)} of them relevant, {escape(names.get(one.leader, one.leader))} is better "
                f"with a probability of {_probability(one.sure)}")
        cases.append(f"{case} ({_needed(one.needed)} judgments settle it)" if one.needed[1] > 0 else case)
    return ("**Which run is better on these queries cannot be forecast**: no returned document is judged not relevant, "
            f"so nothing shows how likely the unjudged ones are relevant. W{'; '.join(cases)[1:]}. Judge the first "
            "documents below, also as not relevant: then there is a forecast.")


def _probability(value: float) -> str:
    return "more than 99%" if value > 0.995 else "less than 1%" if value < 0.005 else percent(value)


def _needed(needed: tuple[float, float, float]) -> str:
    low, middle, high = (f"{value:,.0f}" for value in needed)
    return f"{middle} [{low}, {high}]"


def plan_cautions(plan: JudgmentPlan) -> list[str]:
    """What the probabilities of a plan rest on, and where they are not to be relied on."""
    title, sentences = escape(plan.spec.title), []
    if not (plan.rivals and plan.total) and not (plan.basis == "unknown" and plan.expected):
        return sentences
    if plan.basis == "unknown":
        sentences.append("The order below assumes 50%, so chances and shares in it are no forecast.")
    elif plan.basis == "judged" and plan.relevant < FEW_RELEVANT:
        sentences.append(f"The chances of being relevant are from {count(plan.judged, 'judged document')}, "
                         f"{plan.relevant:,} of them relevant: rough until there are {FEW_RELEVANT}.")
    if not plan.additive and plan.expected > MANY_RELEVANT:
        sentences.append(f"About {plan.expected:.1f} relevant documents per query are expected among the unjudged "
                         f"ones, and {title} depends on their number: the probability is not reliable until more "
                         "is judged: it can even name the wrong run. nDCG, recall, P@k and DCG@k have no such error.")
    return sentences


def estimate_sentences(estimate: BudgetEstimate) -> list[str]:
    """What a sample shows of each run and of the difference of each pair; the clearest caution last."""
    title, unit = escape(estimate.spec.title), "query" if estimate.unit == "query" else "document"
    plural = "queries" if unit == "query" else "documents"
    sentences = [f"{count(estimate.judged, f'judged {unit}', f'judged {plural}')} of {estimate.population:,} represent "
                 f"all: estimated {title} if every unjudged document were judged."]
    for name, current, mean in zip(estimate.runs, estimate.current, estimate.means, strict=True):
        sentences.append(f"{escape(name)}: {_interval(mean)}; {number(current)} if none of them is relevant.")
    for (first, second), gap in estimate.differences.items():
        names = escape(estimate.runs[first]), escape(estimate.runs[second])
        ahead = names if gap.value > 0 else names[::-1]
        sure = np.isfinite(gap.low) and (gap.low > 0 or gap.high < 0)
        sentences.append(f"{names[0]} minus {names[1]}: {_interval(gap, signed=True)}. " + (
            f"On these queries {ahead[0]} is better than {ahead[1]}." if sure else
            "The judgments do not decide which is better."))
    sentences.append("The intervals allow for the judgments that are missing, not for other queries.")
    return sentences


def _interval(estimate: SampleEstimate, *, signed: bool = False) -> str:
    low, high = (number(end, signed=signed) for end in (estimate.low, estimate.high))
    return f"{number(estimate.value, signed=signed)} [{low}, {high}]"
