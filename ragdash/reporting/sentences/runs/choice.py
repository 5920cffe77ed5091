"""What to choose, in words: the run, why it, what speaks against it, and a hybrid that would be better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ragdash.analysis.verdict import HybridGain, Lean, RunCheck, Verdict
from ragdash.analysis.verdict.advice import CLOSE, Advice, Paid
from ragdash.core.console import query_count
from ragdash.core.messages import Surface
from ragdash.core.text.template import percent
from ragdash.evaluation.compare import Comparison, direction
from ragdash.metrics import Spec
from ragdash.metrics.docs.human_agreement import is_of_answers
from ragdash.reporting.sentences.answers import says_nothing_of_quality
from ragdash.reporting.sentences.comparison import signed_interval
from ragdash.reporting.sentences.formatting import count, escape, listed, number
from ragdash.reporting.sentences.latency_cost import UNMEASURABLE, duration, markdown_money, money, search_title
from ragdash.reporting.sentences.runs.estimates import value_text
from ragdash.reporting.sentences.what_if import setting_text

TITLES = {
    "clear-winner": "Clear winner",
    "no-clear-difference": "No clear difference",
    "too-few": "Too few queries",
    "not-comparable": "Not comparable yet",
    "one-run": "One run",
    "undefined": "No result",
}
NEXT_STEP_TITLE, CHANGE_TITLE = "What to build next", "What would change it"
FEW_QUERIES_CHECK = "few-queries"
OPENERS = ("Every ", "Only ", "The ", "There ", "Unjudged ")  # words with a capital as they begin a sentence
MAX_NAMES = 3  # names that a sentence lists; more are counted
FEW_NAMES = 2  # names next to their number
LOW_CEILING = 0.9  # a best possible mean below this is said next to the metric
Say = Callable[[str], str]


def bold(text: str) -> str:
    """The name of a run in Markdown."""
    return f"**{escape(text)}**"


def names_text(names: Sequence[str], name: Say) -> str:
    """Names in a list; many are counted."""
    return listed([name(text) for text in names]) if len(names) <= MAX_NAMES + 1 else f"{len(names)} runs"


def counted_names(runs: Sequence[str], name: Say, words: str = "") -> str:
    """How many runs, with their names where these are few.

    >>> counted_names(["dense"], str, " worse"), counted_names(["a", "b", "c"], str)
    ('1 worse (dense)', '3')
    """
    return f"{len(runs):,}{words}" + (f" ({listed([*map(name, runs)])})" if len(runs) <= FEW_NAMES else "")


def no_value_text(verdict: Verdict) -> str:
    """Why there is no best run by the metric, without a full stop: it has no value, or no better end."""
    title = verdict.spec.title
    if verdict.spec.metric.better is None:
        return f"Nothing says whether a higher or a lower {title} is better"
    return f"{title} is undefined for every run"


def no_value_decision(verdict: Verdict) -> str:
    """What it means for a decision that there is no best run by the metric."""
    title = verdict.spec.title
    if verdict.spec.metric.better is None:
        return f"No run can be called better by {title}."
    return f"There is nothing to decide on yet: no run has a value of {title}."


def no_value_fix(verdict: Verdict, surface: Surface) -> str:
    """What gives a best run by the metric: values, its better end, or another metric."""
    title, column = verdict.spec.title, verdict.spec.file_column
    if verdict.spec.metric.better is not None:
        return f"Load runs and judgments for which {title} has a value, or choose another metric."
    if not column or dict(verdict.spec.params).get("label"):
        return "Choose another metric."
    if surface == "page":
        return f"On Data, choose which end of {column} is better, or choose another metric."
    return (f"Say which end is better with --metric-direction '{column}=higher' or '{column}=lower', or choose another "
            "metric with --metrics.")


def verdict_title(verdict: Verdict) -> str:
    """The state in a few words, for a badge: where the best run is better than some, it says who ties for best."""
    if verdict.state != "no-clear-difference" or not verdict.better_than:
        warned = verdict.state == "clear-winner" and verdict.qualified
        only = f" in {verdict.spec.title}; quality not compared" if says_nothing_of_quality(verdict.spec) else ""
        return (f"Clear difference{only}" if only and verdict.state == "clear-winner" else TITLES[verdict.state]) + (
            ", with a warning" if warned else "")
    tied = [verdict.best or "", *(pair.candidate for pair in verdict.tied)]
    title = (f"No clear best: {' or '.join([', '.join(tied[:-1]), tied[-1]])}" if len(tied) <= MAX_NAMES else
             f"{len(tied)} runs without a clear best")
    ahead = {pair.candidate for pair in verdict.against_baseline if pair.outcome == "better"}
    ahead |= {verdict.best} if verdict.beats_baseline else set()
    beating = sum(run in ahead for run in tied)
    if not beating:
        return title
    some = "" if beating == len(tied) else f"{beating} of them " if beating > 1 else f"{verdict.best} "
    return f"{title}; {some}better than the baseline {verdict.baseline}"


def evidence_subject(spec: Spec) -> str:
    """How sentences call labels and scores of the answers next to a verdict on this metric."""
    return "Other scores" if is_of_answers(spec) else "The answers"


def weighing_sentence(spec: Spec) -> str:
    """What to decide where labels or scores of the answers point elsewhere than a verdict on this metric."""
    return ("Decide which of the two matters more." if is_of_answers(spec) else
            "Decide what matters more, the documents found or the answers.")


def cutoff_note(k: int | None, depths: Iterable[int]) -> str:
    """That the first k ranks hold all documents, where no run returns as many; "" elsewhere.

    Examples
    --------
    >>> cutoff_note(10, [4, 3])
    'No run returns more than 4 documents per query, so the first 10 ranks hold all of them.'
    """
    deepest = max(depths, default=0)
    return (f"No run returns more than {count(deepest, 'document')} per query, so the first {k} ranks hold all of them."
            if k and 0 < deepest < k else "")


def is_small(verdict: Verdict) -> bool:
    """Whether too few queries have a value for a choice by cost: a clear difference would not show on them."""
    return any(check.kind == FEW_QUERIES_CHECK for check in verdict.qualified)


def choice_sentence(verdict: Verdict, name: Say) -> str:
    """Which of the runs that tie for best to choose: the cheapest or fastest, where that is known; what it misses."""
    advice = verdict.advice
    if advice.choice is None or advice.paid is None:
        title = (escape if name is bold else str)(verdict.spec.title)
        return (f"{title} does not decide this. Choose by cost or speed, if you know them." if not advice.unread_times
                else f"To choose by speed, say whether the times in {name(advice.unread_times)} are seconds or "
                     "milliseconds.")
    means, tied = advice.paid.means, [verdict.best or "", *(pair.candidate for pair in verdict.tied)]
    others = sorted((run for run in tied if run in means and run != advice.choice), key=means.__getitem__)
    chosen_mean, unit = means[advice.choice], advice.paid.unit
    cheaper, what, takes = ("cheaper", "cost", "costs") if unit == "$" else ("faster", "time", "takes")
    costlier = [run for run in others if means[run] > CLOSE * chosen_mean]
    if not costlier:
        reason = f"no other of them is much {cheaper}"
    elif chosen_mean == 0:
        reason = f"its recorded {what} is 0"
    else:
        rival = verdict.best if verdict.best in costlier else costlier[0]
        reason = (f"it {takes} {_amount(chosen_mean, unit, name)} per query, {name(rival)} "
                  f"{_amount(means[rival], unit, name)}{_stage(advice.paid)}"
                  + (f", and no other of them is much {cheaper}" if costlier != others else ""))
    highest = advice.choice == verdict.best and all(pair.mean_difference for pair in verdict.tied)
    also = f"it has the highest {verdict.spec.average}, and " if highest and direction(verdict.spec) > 0 else ""
    unknown = [run for run in tied if run not in means]
    rest = f" The {what} of {names_text(unknown, name)} is not known." if unknown else ""
    return f"If you must choose now, take {name(advice.choice)}: {also}{reason}.{_but(advice, name)}{rest}"


def _amount(value: float, unit: str, name: Say) -> str:
    if unit == "ms":
        return duration(value)
    return markdown_money(value) if name is bold else money(value)


def _but(advice: Advice, name: Say) -> str:
    """The first thing that speaks against the choice, in short."""
    plain = escape if name is bold else str
    if advice.slices:
        return f" But on queries {_kind_text(advice.slices[0], plain)}, {name(advice.slices[0].candidate)} is better."
    if not advice.leans:
        return ""
    return f" But {plain(advice.leans[0].spec.title)} favors {name(advice.leans[0].rival)}."


def risk_sentence(verdict: Verdict, *, markdown: bool = True) -> str:
    """What speaks against the choice: kinds of queries on which another run is better, other metrics that lean clearly
    to another run, and a higher price; "" for nothing.
    """
    name, leans = bold if markdown else str, verdict.advice.leans
    return " ".join([*(_slice_text(pair, verdict.baseline, name) for pair in verdict.advice.slices),
                     *(_lean_text(lean, name) for lean in leans), *_untested(leans, markdown),
                     *(_dearer_text(paid, name) for paid in verdict.advice.dearer)])


def risk_line(verdict: Verdict) -> str:
    """What speaks against the choice, in Markdown with the name of that run; "" for nothing."""
    risk = risk_sentence(verdict)
    return f"**{risk_title(verdict)}:** {risk}" if risk else ""


def risk_title(verdict: Verdict) -> str:
    """Of `risk_sentence`, in Markdown."""
    return f"What speaks against choosing {escape(verdict.advice.choice or verdict.best or '')}"


def _untested(leans: Sequence[Lean], markdown: bool) -> list[str]:
    """Which of the differences are a hint only; nothing where there are none."""
    titles = listed(list(dict.fromkeys(lean.spec.title for lean in leans)))
    title = escape(titles) if markdown else titles
    return [f"Take the difference in {title} as a hint: it may be chance."] if leans else []


def _dearer_text(paid: Paid, name: Say) -> str:
    """What the run to choose takes more than another."""
    (run, own), (rival, other) = paid.means.items()
    return (f"{name(run)} {'costs' if paid.unit == '$' else 'takes'} {_amount(own, paid.unit, name)} per query, "
            f"{name(rival)} {_amount(other, paid.unit, name)}{_stage(paid)}.")


def _stage(paid: Paid) -> str:
    """Which part of a query the times are of, where they are not of all of it."""
    return f" ({search_title(paid.search_stages)})" if paid.search_stages else ""


def _slice_text(pair: Comparison, baseline: str | None, name: Say) -> str:
    """On which kind of queries another run is better than the run to choose, and by how much; the baseline of the
    reader comes second.
    """
    plain, turned = escape if name is bold else str, pair.candidate == baseline
    first, word, second = ((pair.baseline, "worse", pair.candidate) if turned else
                           (pair.candidate, "better", pair.baseline))
    return (f"On the {query_count(pair.n)} {_kind_text(pair, plain)}, {name(first)} is {word} than {name(second)} by "
            f"{plain(pair.spec.title)}: {plain(signed_interval(pair, turned=turned))}.")


def _kind_text(pair: Comparison, plain: Say) -> str:
    """Which queries a comparison within a slice is about."""
    return "" if pair.slice is None else f"whose {plain(pair.slice.attribute)} is {plain(pair.slice.value)}"


def _lean_text(lean: Lean, name: Say) -> str:
    plain = escape if name is bold else str
    title, run, rival = plain(lean.spec.title), name(lean.run), name(lean.rival)
    if lean.spec.name != "Success":
        return (f"{title} favors {rival}: {plain(number(lean.rival_value))} against {plain(number(lean.value))}. "
                f"{run} is better on {query_count(lean.better)} and worse on {lean.worse:,}.")
    return (f"{run} finds no relevant document in the first {lean.spec.k} ranks for {misses_text(lean.value, lean.n)} "
            f"queries, {rival} for {misses_text(lean.rival_value, lean.n).partition(' of ')[0]} "
            f"({title} {plain(number(lean.value))} against {plain(number(lean.rival_value))}).")


def misses_text(hit_rate: float, n: int) -> str:
    """Of how many queries nothing was found: a share where values are means of repeats; a dash for no query.

    Examples
    --------
    >>> misses_text(0.75, 8), misses_text(0.7, 8)
    ('2 of 8', '30% of 8')
    """
    if not n or not np.isfinite(hit_rate):
        return "–"
    missed = (1 - hit_rate) * n
    return f"{round(missed):,} of {n:,}" if abs(missed - round(missed)) < 1e-6 else f"{percent(1 - hit_rate)} of {n:,}"


def answers_alike(lead: str, verdict: Verdict, plain: Say) -> str:
    """Which labels and scores of the answers show no difference, after the lead, and which compare nothing."""
    if is_of_answers(verdict.spec):
        lead = f"{evidence_subject(verdict.spec)} show no significant difference"
    shown = f"{lead} ({plain(listed(verdict.alike))})." if verdict.alike else ""
    missing = (f"The answers cannot be compared by {plain(listed(verdict.one_sided))}: no two runs have a value for "
               "the same query.")
    return " ".join(filter(None, (shown, missing if verdict.one_sided else "")))


def next_step_sentence(verdict: Verdict, *, with_setting: bool = False) -> str:
    """The hybrid to build next, in Markdown; "" where none is known to be better, or a loaded run is that hybrid.

    with_setting: with its exact setting, for a reader who has no What-if page.
    """
    text = next_step_text(verdict, with_setting=with_setting)
    return f"**{NEXT_STEP_TITLE}:** {text}" if text else ""


def next_step_text(verdict: Verdict, *, with_setting: bool = False) -> str:
    """`next_step_sentence` without its title."""
    gain = verdict.advice.hybrid
    if gain is None or gain.same:
        return ""
    unmeasured = " Whether it improves the answers was not measured." if verdict.evidence else ""
    place = "" if with_setting else " The exact setting is on What-if."
    return f"{hybrid_sentence(verdict, with_setting=with_setting)}{unmeasured}{place}"


def hybrid_sentence(verdict: Verdict, *, markdown: bool = True, with_setting: bool = True) -> str:
    """That a hybrid would be better, where it is known, and whether a loaded run is that hybrid; "" where it is not.

    with_setting: with the method, its parameters and weights.
    """
    gain = verdict.advice.hybrid
    if gain is None:
        return ""
    name, plain = (bold, escape) if markdown else (str, str)
    difference = (f"{number(gain.difference, signed=True)} [{number(gain.low, signed=True)}, "
                  f"{number(gain.high, signed=True)}]")
    setting = setting_text(gain.method, gain.params, gain.runs, gain.window)
    setting = setting if setting[:2].isupper() else setting[:1].lower() + setting[1:]
    exact = f" ({plain(setting)})" if with_setting else ""
    text = (f"{_mix_text(gain, name)}{exact} would reach "
            f"{plain(gain.spec.title)} {plain(number(gain.value))}, {plain(difference)} against "
            f"{name(gain.baseline)}, on held-out queries.{_price_text(gain, plain)}")
    if gain.same:
        verb = "is" if len(gain.same) == 1 else "are"
        return f"{text} {listed([name(run) for run in gain.same])} {verb} this hybrid."
    if len(gain.loaded) == 1:
        return f"{text} The loaded {name(gain.loaded[0])} is fused in another way."
    return f"{text} The loaded hybrids are fused in another way." if gain.loaded else text


def _mix_text(gain: HybridGain, name: Say) -> str:
    """A hybrid in plain words: an equal mix of runs, or one with their weights."""
    weights = gain.params.get("weights")
    if "depth" in gain.params:
        return f"A cascade of {listed([name(run) for run in gain.runs])}"
    if not isinstance(weights, (list, tuple)) or len(set(weights)) == 1:
        return f"An equal mix of {listed([name(run) for run in gain.runs])}"
    return "A mix of " + listed([f"{name(run)} (weight {weight:.3g})"
                                 for run, weight in zip(gain.runs, weights, strict=True)])


def _price_text(gain: HybridGain, plain: Callable[[str], str]) -> str:
    """What a hybrid takes more per query, as the next sentence; "" where nothing is recorded."""
    dollars = f" and {plain(money(gain.cost.mean))}" if gain.cost.n else ""
    if not gain.time.n:
        return f" It costs{dollars[4:]} more per query." if dollars else ""
    if abs(gain.time.mean) < UNMEASURABLE:
        return " It takes no measurable time more per query." + (f" It costs{dollars[4:]} more." if dollars else "")
    less = "less" if gain.time.mean < 0 else "more"
    costs = f", and costs{dollars[4:]} more" if dollars else ""
    return f" With parallel searches it takes {plain(duration(abs(gain.time.mean)))} {less} per query{costs}."


def tied_note(verdict: Verdict, *, markdown: bool = True) -> str:
    """Why a run ties for best and one with a better mean does not; "" where the marks are in the order of the means."""
    if verdict.state != "no-clear-difference" or not verdict.better_than or verdict.summary is None:
        return ""
    name = bold if markdown else str
    tied = min(verdict.tied, key=lambda pair: pair.sign * pair.mean_difference)
    beaten = max(verdict.better_than, key=lambda pair: pair.sign * pair.mean_difference)
    if not beaten.sign * beaten.mean_difference > tied.sign * tied.mean_difference:
        return ""
    return ("“Not clearly worse” is decided by the paired test, not by the mean alone: "
            f"{_with_mean(beaten, verdict, name)} is significantly worse than {name(verdict.best or '')}. "
            f"{_with_mean(tied, verdict, name)} is not shown to be, because its differences vary more from query to "
            "query.")


def _with_mean(pair: Comparison, verdict: Verdict, name: Say) -> str:
    mean = np.nan if verdict.summary is None else verdict.summary.mean + pair.mean_difference
    return f"{name(pair.candidate)} ({value_text(pair.spec, mean)})"


def ceiling_note(specs: Iterable[Spec], best: Iterable[float], *, markdown: bool = True) -> str:
    """The best possible mean of each metric that cannot come near 1 with these judgments; "" for none.

    Examples
    --------
    >>> from ragdash.metrics import parse_specs
    >>> ceiling_note(parse_specs("P@10 R@10"), [0.149, 1.0], markdown=False)
    'With these judgments Precision@10 can be at most 0.149.'
    """
    plain = escape if markdown else str
    low = [f"{plain(spec.title)} can be at most {plain(number(value))}"
           for spec, value in zip(specs, best, strict=True) if spec.metric.better == "higher" and value < LOW_CEILING]
    return f"With these judgments {listed(low)}." if low else ""


def findings_text(checks: Sequence[RunCheck], surface: Surface) -> str:
    """What the first checks found; of those of one kind the first, with the names of the other runs."""
    by_kind: dict[str, list[RunCheck]] = {}
    for check in checks:
        by_kind.setdefault(check.kind, []).append(check)
    findings = []
    for first, *others in by_kind.values():
        names = list(dict.fromkeys(run for check in others for run in check.runs))
        shown = names if len(names) <= MAX_NAMES else [f"{len(names)} more runs"]
        text = first.found(surface) + (f" (also {listed(shown)})" if names else "")
        findings.append(uncapital(text) if findings and text.startswith(OPENERS) else text)
    rest = len(findings) - MAX_NAMES
    return "; ".join([*findings[:MAX_NAMES], *([f"and {rest:,} more"] if rest > 0 else [])])


def uncapital(text: str) -> str:
    """A sentence as the second half of another one."""
    return text[:1].lower() + text[1:]
