"""Comparisons in words: which run leads, and which differences are statistically significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.core.console import query_count
from ragdash.evaluation.compare import Comparison, ComparisonRules, best_first
from ragdash.evaluation.evaluate import Summary
from ragdash.reporting.sentences.formatting import (
    NBSP,
    UNDEFINED,
    count,
    escape,
    extreme,
    listed,
    number,
    p_value,
    query_range,
)
from ragdash.reporting.sentences.runs.estimates import estimate_text, gain_estimate, gain_text

SIGNS = {"better": "▲", "worse": "▼", "equivalent": "≈", "undecided": "", "too-few": "", "undefined": "",
         "not-comparable": ""}
COLORS = {"better": "blue", "worse": "orange"}
FOREST_MARKS = "▲ significantly better, ▼ significantly worse than **{baseline}**."
OUTCOMES = {
    "better": "▲ better",
    "worse": "▼ worse",
    "equivalent": "≈ equivalent",
    "undecided": "no significant difference",
    "too-few": "too few queries",
    "undefined": "undefined",
    "not-comparable": "not comparable yet",
}
MOST_NEEDED = 1e6  # with more queries to confirm a difference, it is too small for any test
MAX_DETAILED = 3  # candidates that get a sentence each


def leader_sentence(names: Sequence[str], summaries: Sequence[Summary], comparisons: Mapping[int, Comparison]) -> str:
    """Return which run leads on this metric, and from which of the others it differs significantly.

    summaries: one for each name, of the same spec; comparisons: every other run against the leader. Each difference is
    that of the run before it minus the leader, so below 0 where a higher value is better.
    """
    spec = summaries[0].spec
    title = escape(spec.title)
    mean = np.array([summary.mean for summary in summaries])
    order = [index for index in best_first(mean, spec.metric.better) if np.isfinite(mean[index])]
    if not order:
        return f"{title} is undefined for every run shown."
    first = summaries[order[0]]
    level = [index for index in order if number(mean[index]) == number(first.mean)]
    counts = [summaries[index].n for index in level] if spec.metric.better else [first.n]
    estimate = f"{estimate_text(first)} over {query_range(counts)}"
    if len(order) == 1 or spec.metric.better is None:
        return f"**{escape(names[order[0]])}**: {title} {escape(estimate)}."
    best = escape(extreme(spec))
    if len(level) > 1:
        leaders = escape(listed(_first([names[index] for index in level])))
        return f"**{leaders}** share the {best}, {escape(estimate)}."
    return f"**{escape(names[order[0]])}** has the {best}, {escape(estimate)}. " + _others_sentences(comparisons)


def _others_sentences(comparisons: Mapping[int, Comparison]) -> str:
    """What is worse than the leader, and what is not significantly worse."""
    worse = [comparison for comparison in comparisons.values() if comparison.outcome == "worse"]
    tied = [comparison for comparison in comparisons.values() if comparison.tied]
    few = [comparison for comparison in comparisons.values() if comparison.outcome == "too-few"]
    withheld = [f"**{escape(comparison.candidate)}**" for comparison in comparisons.values()
                if comparison.outcome == "not-comparable"]
    behind, level = (_first([_gap(comparison, len(group)) for comparison in group]) for group in (worse, tied))
    sentences = []
    if worse:
        sentences.append(worse_than(behind))
    if tied:
        sentences.append(f"{'But ' if worse else ''}{listed(level)} {_is(level)} not significantly worse.")
    if few:
        queries = query_count(min(comparison.n for comparison in few))
        sentences.append(f"{queries[0].upper()}{queries[1:]} are too few to find a significant difference.")
    if withheld:
        sentences.append(f"It is not comparable yet with {listed(_first(withheld))}.")
    return " ".join(sentences)


def better_than(names: str, best: str) -> str:
    """What the best run is better than.

    Examples
    --------
    >>> better_than("bm25 and dense", "splade")
    'splade is better than bm25 and dense.'
    """
    return f"{best} is better than {names}."


def worse_than(names: Sequence[str], best: str = "") -> str:
    """What is worse than the best run where that is the baseline: so each difference after a name subtracts it.

    Examples
    --------
    >>> worse_than(["bm25", "dense"]), worse_than(["bm25"], "splade")
    ('bm25 and dense are worse.', 'bm25 is worse than splade.')
    """
    return f"{listed(names)} {_is(names)} worse{f' than {best}' if best else ''}."


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 and not names[0].endswith(" more") else "are"


def _first(names: Sequence[str]) -> list[str]:
    """The first names; of more than a few the rest as a number."""
    rest = len(names) - MAX_DETAILED
    return [*names[:MAX_DETAILED], f"{rest} more"] if rest > 1 else list(names)


def _gap(comparison: Comparison, total: int) -> str:
    """The name, and where few are listed the difference to the leader."""
    name = f"**{escape(comparison.candidate)}**"
    return name if total > MAX_DETAILED else name + escape(gap_text(comparison))


def gap_text(comparison: Comparison, *, turned: bool = False) -> str:
    """The difference with its interval in brackets, as `signed_interval` has it."""
    return f" ({signed_interval(comparison, turned=turned)}{shared_queries(comparison)})"


def signed_interval(comparison: Comparison, *, turned: bool = False) -> str:
    """The difference with its interval, candidate minus baseline; turned: baseline minus candidate."""
    middle, low, high = comparison.mean_difference, comparison.low, comparison.high
    if turned:
        middle, low, high = 0.0 - middle, 0.0 - high, 0.0 - low
    return gain_estimate(comparison.spec, middle, low, high)


def shared_queries(comparison: Comparison) -> str:
    """Over which queries a difference is, where that is not clear: a mean of a run counts those of the run alone too.
    """
    return f", on the {query_count(comparison.n)} that both have" if comparison.left_out else ""


PAIRED_NOTE = ("A difference is over the queries on which both runs have a value, so it is not always the difference "
               "of the two means.")


def p_text(comparison: Comparison) -> str:
    """p = 0.03, p < 0.0001."""
    return f"p = {p_value(comparison.p_corrected)}".replace("= <", "<")


def family_sentence(runs: int, rules: ComparisonRules) -> str:
    """How p and the intervals were corrected: the same words under every table and picture."""
    test = f"p: paired randomization test ({rules.permutations:,} sign flips)" if rules.permutations else \
        "p: paired randomization test"
    pairs = runs * (runs - 1) // 2
    if rules.correction == "none":
        return f"{test}, not corrected; each interval is for its pair alone."
    if pairs < 2:
        return f"{test}; the interval agrees with it. Two runs need no correction."
    return (f"{test}; p and intervals are corrected for all {pairs:,} pairs of the {runs:,} runs on a metric "
            "(max-t), so an interval excludes 0 exactly where the difference is significant.")


def intervals_text(runs: int) -> str:
    """What the intervals of differences are, for a caption.

    Examples
    --------
    >>> intervals_text(2), intervals_text(3)
    ('95% intervals', '95% intervals, corrected for all 3 pairs of runs')
    """
    pairs = runs * (runs - 1) // 2
    return f"95% intervals, corrected for all {pairs:,} pairs of runs" if pairs > 1 else "95% intervals"


def too_few_sentence(candidate: str, baseline: str, title: str, n: int) -> str:
    """Why two runs are not compared, in every output.

    Examples
    --------
    >>> too_few_sentence("dense", "bm25", "MRR", 3)
    'Too few queries to compare dense and bm25 on MRR: with 3 queries no difference can be significant.'
    """
    return f"Too few queries to compare {candidate} and {baseline} on {title}: with {query_count(n)} no difference " \
           "can be significant."


def margin_sentence(margin: float) -> str:
    """What a margin is.

    Examples
    --------
    >>> margin_sentence(0.02)
    'Margin: differences up to 0.02 do not matter, so runs are equivalent if the whole interval is within ±0.02.'
    """
    return (f"Margin: differences up to {margin:g} do not matter, so runs are equivalent if the whole interval is "
            f"within ±{margin:g}.")


def comparison_sentence(comparison: Comparison, baseline: str, margin: float | None) -> str:
    """One candidate against the baseline, in markdown."""
    names = f"**{escape(comparison.candidate)}**", f"**{escape(baseline)}**"
    title = escape(comparison.spec.title)
    if comparison.n < 2:
        return (f"{names[0]} and {names[1]} cannot be compared on {title}: "
                f"{count(comparison.n, 'query has', 'queries have')} a value for both.")
    if comparison.outcome == "too-few":
        return too_few_sentence(*names, title, comparison.n)
    facts = escape(f"{direction_text(comparison, baseline)}{signed_interval(comparison)}, "
                   f"{p_text(comparison)}{shared_queries(comparison) or f', n = {comparison.n:,}'}")
    if comparison.outcome == "not-comparable":
        return f"{names[0]} and {names[1]} are not comparable yet on {title}: {facts}."
    if comparison.outcome in COLORS:
        outcome = f":{COLORS[comparison.outcome]}[{comparison.outcome}]"
        return f"{names[0]} is {outcome} than {names[1]} on {title}: {facts}."
    if comparison.outcome == "equivalent":
        return f"{names[0]} is equivalent to {names[1]} on {title}, within ±{margin:g}: {facts}."
    wider = "" if margin is None else f"The interval is not within ±{margin:g}: equivalence is not shown. "
    return (f"No significant difference between {names[0]} and {names[1]} on {title}: {facts}. "
            f"{wider}{_power_sentence(comparison)}")


def direction_text(comparison: Comparison, baseline: str) -> str:
    """Which run minus which, before a difference whose sentence does not say which is better; else ""."""
    return f"{comparison.candidate} minus {baseline} " if comparison.outcome in ("undecided", "not-comparable") else ""


PICTURE_NOTES = {
    "sorted": "Each query is a step, from the greatest gain of **{candidate}** over **{baseline}** to the greatest "
              "loss. The height of the shaded area is the difference of that query.",
    "histogram": "Each bar counts the queries of **{candidate}** with a difference of this size to **{baseline}**. "
                 "Gray: equal queries.",
    "scatter": "Each mark is a query, or several with the same two values. On the line, **{candidate}** and "
               "**{baseline}** are equal."}  # below the picture of one candidate, query by query
LABELS_NOTE = ("These slices are an outcome of one run: on queries that its file labels wrong, the other runs can look "
               "better by chance alone. Read them to see where runs differ, not to choose a run.")


def slices_sentence(comparisons: Sequence[Comparison]) -> str:
    """What the comparisons within slices mean for the decision: where runs differ, how sure that is, what to do.

    comparisons: of every slice of an attribute and every candidate, against one baseline.
    """
    compared = [comparison for comparison in comparisons if comparison.n >= 2 and comparison.slice is not None]
    if not compared:
        return "No slice has enough queries to compare the runs."
    ordered = sorted(compared, key=lambda comparison: -abs(comparison.mean_difference))
    baseline, size = f"**{escape(compared[0].baseline)}**", compared[0].family.size
    corrected = f" The intervals are corrected for {size:,} comparisons." if size > 1 else ""
    if all(comparison.outcome == "not-comparable" for comparison in compared):
        return f"The runs are not comparable yet, so do not choose by slice.{corrected}"
    decided = [comparison for comparison in ordered if comparison.outcome in COLORS]
    if not decided:
        largest = ordered[0]
        run = f"**{escape(largest.candidate)}**"
        finding, whose = (f"from {baseline}, so do not choose a run by these slices", f"that of {run} ") \
            if len({comparison.candidate for comparison in compared}) > 1 else \
            (f"between {run} and {baseline}, so do not choose between them by these slices", "")
        return (f"No slice shows a significant difference {finding}. The largest difference is {whose}on "
                f"{_slice_gap(largest)}. {detectable_sentence(largest, largest.n)}{corrected}")
    texts = [f"**{escape(comparison.candidate)}** is :{COLORS[comparison.outcome]}[{comparison.outcome}] on "
             f"{_slice_gap(comparison)}" for comparison in decided[:MAX_DETAILED]]
    if more := max(len(decided) - MAX_DETAILED, 0):
        texts.append(f"{count(more, 'more difference')} {'is' if more == 1 else 'are'} significant")
    both = {comparison.outcome for comparison in decided} == set(COLORS)
    advice = "The result is the same on every slice."
    if both:
        advice = "The better run depends on the kind of query: weigh each kind by how often users ask it."
    elif len(decided) < len(compared):
        advice = "This counts if users often ask such queries. On the other slices no difference is significant."
    return f"Compared with {baseline}, {listed(texts)}. {advice}{corrected}"


def _slice_gap(comparison: Comparison) -> str:
    """*hard* (27 queries): the difference and its interval."""
    gap = signed_interval(comparison)
    value = comparison.slice.title if comparison.slice else ""
    return f"*{escape(value)}* ({escape(gap)}, {query_count(comparison.n)})"


def outcome_list(comparisons: Sequence[Comparison], baseline: str) -> str:
    """Many candidates against the baseline on one metric, by outcome, in markdown; the best are named, others counted.

    No count of all: the verdict leaves the best run out of its own.
    """
    spec, lines = comparisons[0].spec, []
    for verdict, wording in (("better", "better than"), ("worse", "worse than"), ("equivalent", "equivalent to"),
                             ("undecided", "not significantly different from"),
                             ("too-few", "on too few queries to be compared with"),
                             ("not-comparable", "not comparable yet with")):
        matching = sorted(
            (comparison for comparison in comparisons if comparison.outcome == verdict and comparison.n >= 2),
            key=lambda comparison: -comparison.mean_difference * comparison.sign,
        )
        if matching:
            color = COLORS.get(verdict)
            wording = wording[0].upper() + wording[1:]
            wording = f":{color}[{wording.split()[0]}] {wording.split()[1]}" if color else wording
            names = [
                f"**{escape(comparison.candidate)}** "
                + escape(f"({gain_text(spec, comparison.mean_difference, signed=True)})")
                for comparison in matching[:MAX_DETAILED]
            ]
            more = [f"{len(matching) - MAX_DETAILED:,} more"] if len(matching) > MAX_DETAILED else []
            lines.append(f"- {wording} **{escape(baseline)}** on {escape(spec.title)}: {listed([*names, *more])}.")
    return "\n".join(lines)


def same_values_note(comparisons: Sequence[Comparison]) -> str:
    """Why some intervals have a width and others none, where no query of a pair differs; empty where that is not so."""
    equal = [comparison for comparison in comparisons if comparison.n >= 2 and comparison.n == comparison.ties]
    wide = list(dict.fromkeys(comparison.spec.title for comparison in equal if comparison.low < 0))
    if not wide or len(wide) == len({comparison.spec.title for comparison in equal}):
        return ""
    return (f"Where no query differs, the interval of a metric of 0 and 1 ({escape(listed(_first(wide)))}) shows how "
            "large a difference could still be. That of other metrics has no width: it says nothing about other "
            "queries.")


def _power_sentence(comparison: Comparison) -> str:
    """The detectable difference, and how many queries the observed one would need; where no query differs, what the
    interval means.
    """
    if comparison.n == comparison.ties:
        same = f"The {count(comparison.n, 'query has', 'queries have')} the same value in both runs"
        return f"{same}: the interval shows how large a difference could still be." if comparison.low < 0 else (
            f"{same}, so the interval has no width. Other queries could still differ, unless the runs are the same.")
    text = detectable_sentence(comparison, comparison.n)
    if np.isfinite(comparison.queries_needed) and comparison.queries_needed < MOST_NEEDED:
        observed = gain_text(comparison.spec, abs(comparison.mean_difference))
        text += (f" To confirm the difference between {escape(comparison.candidate)} and "
                 f"{escape(comparison.baseline)} ({observed}) you would need {needed_text(comparison)}.")
    return text


def detectable_sentence(comparison: Comparison, n: int) -> str:
    """The smallest difference that n queries detect; very few queries detect none that the metric can have.

    Where all queries have the same difference, nothing shows how much others would differ.
    """
    queries = query_count(n)
    if np.isnan(comparison.detectable):
        return "All queries have the same difference, so no detectable difference is known."
    if np.isinf(comparison.detectable):
        return f"{queries[0].upper()}{queries[1:]} {'is' if n == 1 else 'are'} too few to detect any difference."
    size = gain_text(comparison.spec, comparison.detectable)
    return f"With {queries}, differences of about {size} or more are detectable."


def needed_text(comparison: Comparison) -> str:
    """How many queries would confirm a difference that is not significant: always more than there are."""
    if comparison.queries_needed <= comparison.n:  # the estimate takes the differences for normal, the test does not
        return f"more than {query_count(comparison.n)}"
    return f"about {rounded_up(comparison.queries_needed)} queries"


def rounded_up(value: float) -> str:
    """Two digits that count: 1,200."""
    step = 10 ** max(int(np.floor(np.log10(max(value, 1)))) - 1, 0)
    return f"{int(np.ceil(value / step) * step):,}"


def difference_text(comparison: Comparison) -> str:
    """▲ better +0.060, p = 0.003: the word only if the difference is significant, or equivalent."""
    if comparison.n < 2:
        return UNDEFINED
    word = OUTCOMES[comparison.outcome] if SIGNS[comparison.outcome] else ""
    text = f"{word} {number(comparison.mean_difference, signed=True)}, {p_text(comparison)}".strip()
    return text.replace(" ", NBSP)


def influence_sentence(comparison: Comparison, leave_one_out: np.ndarray, query_ids: Sequence[str]) -> str:
    """Return whether one query decides the direction of the mean difference between these runs.

    leave_one_out (Q,): the mean difference without each query.
    """
    if comparison.n < 3 or not np.isfinite(leave_one_out).any() or comparison.mean_difference == 0:
        return ""
    flipping = [
        query_ids[index] for index in np.flatnonzero(np.sign(leave_one_out) == -np.sign(comparison.mean_difference))
    ]
    if flipping:
        more = [f"any of {len(flipping) - 3:,} more"] if len(flipping) > 3 else []
        names = [*(f"“{escape(query)}”" for query in flipping[:3]), *more]
        text = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        return (f"A single query decides the direction of {escape(comparison.candidate)} against "
                f"{escape(comparison.baseline)}: without {text} it reverses.")
    changes = np.nan_to_num(np.abs(leave_one_out - comparison.mean_difference))
    largest = int(np.argmax(changes))
    return (f"No single query reverses the difference: without “{escape(query_ids[largest])}”, "
            f"which matters most, it is {escape(gain_text(comparison.spec, leave_one_out[largest], signed=True))} "
            f"instead of {escape(gain_text(comparison.spec, comparison.mean_difference, signed=True))}.")
