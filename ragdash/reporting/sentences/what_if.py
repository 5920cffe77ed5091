"""Hybrids in words: would one help, which, how sure is that, and what the window leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.core.text.template import percent
from ragdash.evaluation.latency_cost import Amount
from ragdash.evaluation.outcomes import Comparison
from ragdash.reporting.sentences.comparison import MOST_NEEDED, OUTCOMES, rounded_up, signed_interval
from ragdash.reporting.sentences.formatting import UNDEFINED, count, escape, listed, number, query_count
from ragdash.reporting.sentences.latency_cost import duration, extra_time, money

OPTIMISTIC = "Measured on the queries that chose it, so the top is optimistic."
ADDED_LACKS = ("Its times are modeled: those of the slowest of its searches. It has no answers: they would have to be "
               "generated from its documents.")
SAME_DOCUMENTS = {"id": "Same id", "text": "Same text", "near": "Same or nearly the same text"}  # of a union
MAX_NAMES = 40  # characters of the names of runs in the name of their mix


def setting_text(title: str, params: Mapping[str, object], names: Sequence[str], window: int | None = None) -> str:
    """A fusion setting in words: the title of its method, its parameters, its weights by the names of the runs.

    Examples
    --------
    >>> setting_text("Reciprocal rank fusion", {"k": 20.0, "weights": (0.3, 0.7), "base": 1}, ["bm25", "dense"], 10)
    'Reciprocal rank fusion, k = 20, weight 0.3 for bm25, weight 0.7 for dense, window 10'
    """
    parts = [title]
    if isinstance(params.get("k"), float):
        parts.append(f"k = {params['k']:g}")
    norm = params.get("norm")
    if norm is not None:
        parts.append(norm if isinstance(norm, str) else " and ".join(norm))  # type: ignore[arg-type]
    weights = params.get("weights")
    if isinstance(weights, (list, tuple)):
        parts += [f"weight {weight:.3g} for {name}" for weight, name in zip(weights, names, strict=True)]
    parts += [f"{name} = {params[name]:g}" for name in ("gamma", "sigma", "phi", "depth")
              if isinstance(params.get(name), (int, float))]
    if "same" in params:
        parts.append(SAME_DOCUMENTS[str(params["same"])].lower())
    if window is not None:
        parts.append(f"window {window}")
    return ", ".join(parts)


def mix_name(method: str, params: Mapping[str, object], names: Sequence[str], preset: str | None = None,
             window: int | None = None) -> str:
    """A name for a fused run that tells it from other mixes of the same runs.

    Examples
    --------
    >>> mix_name("weighted", {"norm": "z-score", "weights": (0.5, 0.5)}, ["dense", "sparse"])
    'dense + sparse (z-score 0.5/0.5)'
    >>> mix_name("rrf", {"k": 60.0, "weights": None}, ["dense", "sparse"], window=10)
    'dense + sparse (rrf k 60, top 10)'
    >>> mix_name("cascade", {"depth": 50}, ["sparse", "dense"])
    'sparse + dense (cascade depth 50)'
    """
    norm, weights = params.get("norm"), params.get("weights")
    words = [preset or (norm if method == "weighted" and isinstance(norm, str) else method)]
    if isinstance(params.get("k"), float):
        words.append(f"k {params['k']:g}")
    if "depth" in params:
        words.append(f"depth {params['depth']:g}")
    if "same" in params:
        words.append(f"by {params['same']}")
    if isinstance(weights, (list, tuple)):
        words.append("/".join(f"{weight:.2g}" for weight in weights))
    top = f", top {window}" if window is not None else ""
    joined = " + ".join(names)
    return f"{joined if len(joined) <= MAX_NAMES else count(len(names), 'run')} ({' '.join(words)}{top})"


def hybrid_answer(decision: str, setting: str, tuned: Comparison, default: Comparison, tuned_default: Comparison,
                  value: float, fused: Sequence[str] = (), others: Sequence[str] = (),
                  more_time: Amount | None = None) -> str:
    """One sentence: would a hybrid help, which, how sure, at what latency?

    tuned, default: the tuned hybrid (on held-out queries) and the default against the best single run; tuned_default:
    the tuned one against the default; value: the held-out mean of the tuned hybrid; fused: the names of the runs
    fused; others: those of the runs shown that are not fused; more_time: milliseconds that the hybrid takes more than
    the best single run, with parallel searches.
    """
    title, single = escape(tuned.spec.title), f"**{escape(tuned.baseline)}**"
    queries = query_count(tuned.n)
    if decision == "unknown":
        return f"No answer yet: {title} has a value for {queries} only. A choice needs two or more."
    if decision == "default":
        what = listed([escape(name) for name in fused]) if fused else "these runs"
        return (f"**Yes: fuse {what} with {escape(default.candidate)}.** {title} is {_gain(default)} than with "
                f"{single}, the best single run, over {queries}{_latency(more_time)}. Tuning is not shown to add to "
                f"it: {_difference(tuned_default)} on held-out queries.")
    if decision == "tuned":
        return (f"**Yes: build this hybrid: {escape(setting)}.** {title} is {escape(number(value))} on held-out "
                f"queries, {_gain(tuned)} than with {single}, the best single run, over {queries}"
                f"{_latency(more_time)}.")
    verb = "would be worse than" if tuned.outcome == "worse" else "is not shown to be better than"
    outside = escape(others[0]) if len(others) == 1 else count(len(others), "other run")
    parts = "" if not others else (f" of {listed([escape(name) for name in fused])} ({outside} "
                                f"{'is' if len(others) == 1 else 'are'} not in the mix)")
    return (f"**No: a new hybrid{parts} {verb} {escape(tuned.baseline)} alone.** The best one that tuning finds "
            f"differs from it by {_difference(tuned)} in {title} on held-out queries, over {queries}"
            f"{_latency(more_time)}.{_needed(tuned)}")


def _latency(more: Amount | None) -> str:
    """What the hybrid takes more per query, as the end of a sentence; nothing where it is not known."""
    return f"; with parallel searches it takes {extra_time(more)} per query" if more is not None and more.n else ""


def _gain(comparison: Comparison) -> str:
    word = "lower" if comparison.sign < 0 else "higher"
    low, high = sorted((comparison.sign * comparison.low, comparison.sign * comparison.high))
    return escape(f"{number(abs(comparison.mean_difference))} [{number(low)}, {number(high)}] {word}")


def _difference(comparison: Comparison) -> str:
    return escape(signed_interval(comparison))


def _needed(comparison: Comparison) -> str:
    """How many queries would settle it, where the hybrid is ahead."""
    needed = comparison.queries_needed
    if comparison.sign * comparison.mean_difference <= 0 or not np.isfinite(needed) or needed <= comparison.n:
        return ""
    if needed >= MOST_NEEDED:
        return " It is too small to confirm with any usual number of queries."
    return f" To confirm a difference this small you would need about {rounded_up(needed)} queries."


def caution_sentence(optimism: float, survives: float, worse: float, settings: int, default: str) -> str:
    """What choosing on the same queries would have promised, and how often the choice loses to the default, named."""
    first = f"{settings:,} settings were tried. "
    if abs(optimism) < 0.0005:
        first += "The best one does as well on held-out queries as on the queries that chose it."
        survives = np.nan  # as a share of a small gain, what is left would be chance
    else:
        first += (f"On the queries that chose it, the best one looks {escape(number(abs(optimism)))} "
                  f"{'better' if optimism >= 0 else 'worse'} than on held-out queries.")
    if survives <= 0:
        first += " None of its gain over the best single run remains on held-out queries."
    elif np.isfinite(survives):
        first += f" On held-out queries {percent(survives)} of its gain over the best single run remains."
    return (f"{first} In {percent(worse)} of the checks on held-out queries it is worse than the default, "
            f"{escape(default)}.")


def left_out_sentence(family: str, results: int, limit: int) -> str:
    """Which methods were not tried because the runs are large; family: what was tried, "weighted" or "rrf"."""
    tried, left = ("RRF was", "ISR and RBC") if family == "rrf" else (
        "RRF with k = 60 and weighted sums were", "Other values of k, weighted RRF, CombMNZ, ISR and RBC")
    return (f"These runs have {results:,} results, more than {limit:,}. To keep the page fast, only {tried} tried. "
            f"{left} were left out: under **Try a mix** you can see what they score.")


def flat_sentence(name: str, low: float, high: float, run: str) -> str:
    """How far a weight or k can move without a significant loss."""
    of = f" of {escape(run)}" if name == "weight" else ""
    if low == high:
        return f"The {name}{of} matters: its neighbors are significantly worse than {low:g}."
    values = f"Weights{of}" if name == "weight" else f"Values of {name}"
    return f"{values} from {low:g} to {high:g} are not significantly worse than the chosen one."


def window_sentence(window: int | None, depths: Sequence[int], engine: str = "") -> str:
    """How much of the runs a window uses."""
    if window is None:
        return f"All results of each run are used: up to {max(depths):,} per query."
    whose = f"{engine}'s default window" if engine else "The window"
    shallow = min(depths)
    if shallow < window:
        return (f"{whose} takes {window:,} results of each run; the shortest has {shallow:,}, so the fused run may "
                "differ from the engine's.")
    return f"{whose} used {window:,} of your {max(depths):,} results."


def outcome_text(comparison: Comparison | None, *, withheld: bool = False) -> str:
    """+0.096 [+0.024, +0.167] ▲ better; a dash for no comparison; withheld: while the fused runs are not comparable."""
    if comparison is None:
        return UNDEFINED
    return f"{signed_interval(comparison)} {OUTCOMES['not-comparable' if withheld else comparison.outcome]}"


def mix_sentence(comparison: Comparison, mean: float, *, held_out: bool = False, withheld: bool = False) -> str:
    """The mean of a mix, and its outcome against the best single run; held_out: of queries that did not choose it;
    withheld: as in `outcome_text`."""
    where = " on held-out queries" if held_out else ""
    return (f"{escape(comparison.spec.title)} **{escape(number(mean))}**{where}, against "
            f"{escape(comparison.baseline)} {escape(outcome_text(comparison, withheld=withheld))}.")


def chosen_mix_note(title: str, mean: float, held_out: float) -> str:
    """Why the mean of the chosen setting on all queries is not the one to report; "" where it is the same.

    Examples
    --------
    >>> chosen_mix_note("MRR", 0.825, 0.801)
    'On the queries that chose this setting, MRR is 0.825: that is too optimistic to report.'
    >>> chosen_mix_note("MRR", 0.825, 0.825)
    ''
    """
    return "" if number(mean) == number(held_out) else (
        f"On the queries that chose this setting, {escape(title)} is {escape(number(mean))}: that is too optimistic to "
        "report.")


def churn_sentence(changes, title: str, held_out: Comparison | None = None) -> str:
    """How many results change against the best single run: first results, top-k sets, queries that gain and lose.

    held_out: the chosen setting against the best single run on held-out queries, where the queries of changes chose it.
    """
    depth = f" (it returns at most {count(changes.k, 'document')})" if changes.is_depth else ""
    text = (f"Against the best single run{depth}, the first result changes for {len(changes.first):,} of "
            f"{query_count(changes.queries)}, the set of the first {changes.k:,} for {len(changes.top):,}. "
            f"{escape(title)} gets better for {query_count(len(changes.gained))} and worse for {len(changes.lost):,}")
    if held_out is None:
        return f"{text}."
    alike = (held_out.wins, held_out.losses) == (len(changes.gained), len(changes.lost))
    return f"{text}, also on held-out queries." if alike else (
        f"{text}, on the queries that chose this setting. On held-out queries, as the gain is measured, it is "
            f"better for {held_out.wins:,} and worse for {held_out.losses:,}.")


def changes_sentences(changes, title: str, held_out: Comparison | None = None) -> list[str]:
    """What `ragdash.experiments.fusion.ceiling.Changes` say: results and queries that change, then ties at the cutoff.
    """
    lines = [churn_sentence(changes, title, held_out)]
    if changes.tied:
        lines.append(tied_sentence(len(changes.tied), changes.queries, changes.k))
    return lines


def changed_queries(changes) -> dict[str, Sequence[str]]:
    """What each number of `changes_sentences` counts -> the ids of these queries."""
    k = changes.k
    return {"first result differs": changes.first, f"top {k} differ": changes.top, f"ranks {k} and {k + 1} tied":
            changes.tied, "better": changes.gained, "worse": changes.lost}


def tied_sentence(tied: int, queries: int, k: int) -> str:
    """The share of queries whose top-k set depends on the rule for ties.

    Examples
    --------
    >>> tied_sentence(3, 12, 10)
    'For 25% of the queries, ranks 10 and 11 have the same score. Another rule for ties changes their top 10.'
    """
    return (f"For {percent(tied / queries)} of the queries, ranks {k:,} and {k + 1:,} have the same score. Another "
            f"rule for ties changes their top {k:,}.")


def ceiling_sentence(title: str, best: float, ceiling: float, window: int | None, sign: int = 1) -> str:
    """The most that any order of the documents of all runs could reach; sign: -1 where a lower value is better."""
    if not np.isfinite(ceiling):
        return f"No query has a value of {escape(title)}, so no fusion has a ceiling."
    where = "" if window is None else f" in the first {window:,} results of each run"
    gap = sign * (ceiling - best)
    verb = "exceed" if sign > 0 else "go below"
    text = (f"No fusion of these runs can {verb} {escape(title)} {escape(number(ceiling))}: that is the best order of "
            f"all documents{where}.")
    if gap < 0.005:
        return text + " There is nothing to gain here: the best single run is that good already."
    return text + f" The best single run has {escape(number(best))}."


def window_curve_sentence(title: str, windows: Sequence[int], values: np.ndarray, sign: int = 1) -> str:
    """With which window the chosen setting is best, of values (W,); sign: -1 where a lower value is better.

    Examples
    --------
    >>> window_curve_sentence("Recall@5", (5, 10, 20), np.array([0.7, 0.8, 0.75]))
    'The hybrid is best with the first 10 results of each run (Recall@5 0.800); with all of them it has 0.750.'
    """
    if not len(windows) or not np.isfinite(values).all():
        return ""
    best = int(np.argmax(sign * np.round(values, 3)))  # the smallest of windows that look equal
    if best == len(windows) - 1:
        return f"The hybrid is best with all results of each run ({escape(title)} {escape(number(values[best]))})."
    return (f"The hybrid is best with the first {windows[best]:,} results of each run ({escape(title)} "
            f"{escape(number(values[best]))}); with all of them it has {escape(number(values[-1]))}.")


def missing_times_sentence(untimed: Sequence[str], runs: int) -> str:
    """Which runs lack the times of their searches.

    Examples
    --------
    >>> missing_times_sentence(["bm25"], 2)
    'bm25 does not record how long its searches take (`latency_ms`, best with stage `retrieval`).'
    """
    if not untimed:
        return "No query has the search times of all runs of the hybrid."
    who = "These runs" if len(untimed) == runs else listed([escape(name) for name in untimed])
    verb, whose = ("does", "its") if len(untimed) == 1 else ("do", "their")
    return f"{who} {verb} not record how long {whose} searches take (`latency_ms`, best with stage `retrieval`)."


def price_sentence(more_of: Mapping[str, Amount], k: int, comparison: Comparison, cost_reason: str = "", *,
                   untimed: Sequence[str] = (), runs: int = 0, answered: bool = False) -> str:
    """What the hybrid takes more than the best single run, and what it gives for that.

    more_of: parallel and sequence in milliseconds, cost in dollars, tokens of the first k results; comparison: the
    tuned hybrid, held out, against the best single run; cost_reason: why there are no dollars; untimed: the runs
    without times; runs: how many there are; answered: `hybrid_answer` is next to it, with the gain and the time of
    parallel searches.
    """
    more = more_of["parallel"]
    name, title = escape(comparison.baseline), escape(comparison.spec.title)
    gain = f"{title} {_difference(comparison)}"
    if not more.n:
        text = f"{missing_times_sentence(untimed, runs)} So the price of a hybrid is not known."
        return text if answered else f"{text} It would be paid for {gain} against {name}."
    sequence = extra_time(more_of["sequence"])
    text = f"With one search after the other the hybrid takes {sequence} per query." if answered else (
        f"With parallel searches the hybrid takes {extra_time(more)} per query than {name}, for {gain}. "
        f"With one search after the other it takes {sequence}.")
    dollars, tokens = more_of["cost"], more_of["tokens"]
    if dollars.n:
        text += f" Its searches cost {escape(money(dollars.mean))} more per query."
    elif cost_reason == "generation":
        text += " The recorded costs pay for answers too, so they are not added up."
    if tokens.n:
        sign = "more" if tokens.mean >= 0 else "fewer"
        text += (f" Its first {k} results have about {abs(tokens.mean):,.0f} tokens {sign} "
                 f"{escape(f'[{number(tokens.low, 0, signed=True)}, {number(tokens.high, 0, signed=True)}]')}.")
    return text


def cascade_sentence(runs: Sequence[str], depth: object, value: float, against: Comparison) -> str:
    """What re-ranking the first run by the second would be worth, against the tuned hybrid; both held out."""
    words = {"better": "better than", "worse": "worse than", "equivalent": "equivalent to"}
    outcome = words.get(against.outcome, "not shown to differ from")
    return (f"A cascade ({escape(runs[0])}, its first {depth:g} re-ranked by {escape(runs[1])}) has "  # type: ignore
            f"{escape(against.spec.title)} {escape(number(value))} on held-out queries: {outcome} the tuned hybrid, "
            f"{_difference(against)}.")


def other_metric_sentence(title: str, value: float, gain: float, interval: tuple[float, float], single: str,
                          best: str) -> str:
    """The chosen hybrid by a metric that had no part in the choice; best: the setting this metric would pick, if other.

    Examples
    --------
    >>> other_metric_sentence("MRR", 0.8, 0.1, (0.05, 0.15), "bm25", "").split(". ")[-1]
    'MRR would choose the same setting.'
    """
    low, high = interval
    text = (f"By {escape(title)}, which had no part in the choice, it has {escape(number(value))} on held-out queries: "
            + escape(f"{number(gain, signed=True)} [{number(low, signed=True)}, {number(high, signed=True)}]")
            + f" against {escape(single)}. ")
    return text + (f"{escape(title)} would choose {escape(best)}." if best
                   else f"{escape(title)} would choose the same setting.")


STEP_TITLES = {"found": "found", "search": "no search returned it", "depth": "returned too deep",
               "fusion": "lost by the fusion", "rerank": "lost by the re-ranker"}


def steps_sentence(counts: Mapping[str, int], k: int) -> str:
    """Where relevant documents are lost on the way to the first k results.

    Examples
    --------
    >>> steps_sentence({"found": 7, "search": 2, "depth": 0, "fusion": 1}, 10)[47:]
    'Of the other 3, 2 were returned by no search and 1 was lost in the fusion.'
    """
    total, verb = sum(counts.values()), "reaches" if counts["found"] == 1 else "reach"
    text = f"{counts['found']:,} of {count(total, 'relevant document')} {verb} the first {k}."
    clauses = {"search": "were returned by no search", "depth": f"came only below rank {k}",
               "fusion": "were lost in the fusion", "rerank": "were lost by the re-ranker"}
    lost = [(number, clause.replace("were ", "was ") if number == 1 else clause)
            for name, clause in clauses.items() if (number := counts.get(name))]
    if len(lost) == 1:
        number, clause = lost[0]
        return f"{text} The other {'one' if number == 1 else f'{number:,}'} {clause}."
    *parts, last = [f"{number:,} {clause}" for number, clause in lost] or [""]
    comma = "," if len(parts) > 1 else ""
    return f"{text} Of the other {total - counts['found']:,}, {', '.join(parts)}{comma} and {last}." if parts else text


def leg_sentence(name: str, alone: int, title: str, value: Amount, time: Amount) -> str:
    """What one run gives to the fusion, and what it takes."""
    brings = f"{escape(name)} alone brings {alone:,} of those found"
    share = escape(f"{number(value.mean, signed=True)} [{number(value.low, signed=True)}, "
                   f"{number(value.high, signed=True)}]") if value.n else "undefined"
    takes = f" It takes {escape(duration(time.mean))} per query." if time.n else ""
    return f"{brings}. Its share (Shapley value) of {escape(title)} is {share}.{takes}"
