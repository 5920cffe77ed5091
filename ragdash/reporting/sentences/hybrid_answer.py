"""The whole answer on hybrids in words: decision, price, cascade, routers, and what each run brings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.verdict import RunCheck
from ragdash.core.errors import Problem
from ragdash.core.text.template import percent
from ragdash.evaluation.latency_cost import Amount
from ragdash.evaluation.outcomes import Comparison
from ragdash.reporting.sentences.comparison import signed_interval
from ragdash.reporting.sentences.formatting import count, escape, listed, number
from ragdash.reporting.sentences.latency_cost import UNMEASURABLE, duration
from ragdash.reporting.sentences.runs.check_lines import withheld_sentence
from ragdash.reporting.sentences.what_if import (
    cascade_sentence,
    caution_sentence,
    ceiling_sentence,
    changed_queries,
    changes_sentences,
    flat_sentence,
    hybrid_answer,
    leg_sentence,
    other_metric_sentence,
    price_sentence,
    setting_text,
    steps_sentence,
)

NAMED = 5  # queries of each change
CHANGE_HEADER = ("against the best single run", "queries", "of them")
KINDS = {"before": "Before retrieval, by the question", "after": "After retrieval, by the lists"}


def routers_sentence(better: Sequence[str], tried: int, metric: str) -> str:
    """The finding: which kinds of routers beat one weight for all queries.

    Examples
    --------
    >>> routers_sentence([], 842, "NDCG@10")
    '**No router beats one weight** for all queries in NDCG@10, of 842 rules tried, on held-out queries.'
    """
    if not better:
        return (f"**No router beats one weight** for all queries in {escape(metric)}, of {tried:,} rules tried, on "
                "held-out queries.")
    which = listed([f"{kind} retrieval" for kind in better])
    return (f"**A router {which} beats one weight** for all queries in {escape(metric)}, on held-out queries, of "
            f"{tried:,} rules tried.")


def sentence_of(router) -> str:
    """The sentence of a router (`ragdash.experiments.fusion.legs.routing.Router`)."""
    return router_sentence(router.kind, router.words, bool(router.rule.conditions), router.held_out.value,
                           router.against_global, router.share, router.oracle, router.saved)


def router_sentence(kind: str, rule: str, has_condition: bool, value: float, against: Comparison, share: float,
                    oracle: float, saved: Amount) -> str:
    """The best rule of a kind, its held-out value, the difference from one weight, what it saves, and the bound."""
    title = escape(against.spec.title)
    head = f"{KINDS[kind]}: "
    if has_condition:
        head += f"“{escape(rule)}” ({percent(share)} of the queries)."
    else:
        head += f"no condition is chosen ({escape(rule)})."
    words = {"better": "better than", "worse": "worse than"}.get(against.outcome, "not shown to differ from")
    text = (f"{head} On held-out queries {title} is {escape(number(value))}, {words} one weight: "
            f"{escape(signed_interval(against))}.")
    if saved.n and abs(saved.mean) >= UNMEASURABLE:
        verb = "saves" if saved.mean >= 0 else "takes"
        more = "" if saved.mean >= 0 else " more"
        text += f" It {verb} {escape(duration(abs(saved.mean)))}{more} per query, as it runs one search."
    if np.isfinite(oracle):
        text += f" Upper bound, the best choice for each query with hindsight: {escape(number(oracle))}."
    return text


def setting_of(answer, recipe) -> str:
    """A recipe of an answer in words."""
    return setting_text(answer.method_title(recipe), recipe.params, answer.choice.runs, recipe.window)


def unscored_sentence(runs: Sequence[str]) -> str:
    """Which methods were not tried because runs have no scores; empty where all have.

    Examples
    --------
    >>> unscored_sentence(["export"])
    'There are no scores in export, so only methods that need ranks alone were tried.'
    """
    if not runs:
        return ""
    return f"There are no scores in {listed([*map(escape, runs)])}, so only methods that need ranks alone were tried."


def fused_here_sentence(name: str, legs: Sequence[str]) -> str:
    """Why a fusion of runs that are here is not fused again."""
    return (f"**{escape(name)}** is a fusion of {escape(listed(legs))}, so it adds no results of its own and is not "
            "fused again.")


def loaded_hybrid_sentence(name: str, mean: float, loaded: int, title: str, default: str, here: float) -> str:
    """That a hybrid that was loaded from a file has another value than the default hybrid of the same runs here.

    name, mean: the best of the loaded ones; default: the setting of the default hybrid; here: its mean.

    Examples
    --------
    >>> loaded_hybrid_sentence("mix", 0.5, 1, "MRR", "RRF", 0.4)[:63]
    '**mix** (MRR 0.500) is a loaded run that was fused elsewhere. F'
    >>> loaded_hybrid_sentence("mix", 0.5, 5, "MRR", "RRF", 0.4)[:72]
    '**mix** (MRR 0.500) is the best of 5 loaded runs that were fused elsewhe'
    """
    which = "a loaded run that was" if loaded == 1 else f"the best of {loaded:,} loaded runs that were"
    return (f"**{escape(name)}** ({escape(title)} {escape(number(mean))}) is {which} fused elsewhere. Fusing the runs "
            f"chosen here, {escape(default)}, has {escape(number(here))}.")


def why_other_sentence(name: str, legs: Sequence[str], outside: int, total: int, measured: Amount,
                       modeled: Amount) -> str:
    """Why a hybrid that was loaded differs from a fusion of the runs here, in value and in time.

    outside, total: its results that none of these runs returned, of all; measured: milliseconds of its search;
    modeled: of the hybrid of this page.

    Examples
    --------
    >>> unknown = Amount(np.nan, np.nan, np.nan, 0)
    >>> why_other_sentence("mix", ["a", "b"], 12, 90, unknown, unknown)[20:76]
    ' 12 of its 90 results are in none of the lists of a and '
    """
    why = (f"{outside:,} of its {count(total, 'result')} are in none of the lists of {listed([*map(escape, legs)])}, "
           "so it was fused from longer or other lists." if outside else
           "it has documents of these runs alone, in another order: another method, k, weights or window.")
    text = f"Why **{escape(name)}** differs: {why}"
    if measured.n and modeled.n:
        text += (f" Its {duration(measured.mean)} per query were measured. Those of a hybrid here are modeled, "
                 f"{duration(modeled.mean)}: the slowest of its searches.")
    return text


def measured_sentence(name: str, measured: Amount, estimate: Amount) -> str:
    """What the search of a loaded run took that is the hybrid, next to the estimate from the times of its runs.

    Examples
    --------
    >>> measured_sentence("mix", Amount(85.0, 80.0, 90.0, 9), Amount(60.0, 55.0, 65.0, 9)).replace(chr(160), " ")
    'The loaded **mix** is this hybrid. Its search was measured: 85.0 ms per query; estimated in parallel: 60.0 ms.'
    """
    guess = f"; estimated in parallel: {duration(estimate.mean)}" if estimate.n else ""
    return (f"The loaded **{escape(name)}** is this hybrid. Its search was measured: {duration(measured.mean)} per "
            f"query{guess}.")


def warning_sentence(problem: Problem) -> str:
    """What to know of the runs before they are fused, and how to fix it, as Markdown.

    Examples
    --------
    >>> warning_sentence(Problem("fusion-rank-scores", {"runs": ["bm25"]}))[:61]
    "Scores in run 'bm25' that follow from the rank alone, such as"
    """
    words = problem.words("page")
    return escape(f"{words.actual[:1].upper()}{words.actual[1:]}. {words.fix}")


def withheld_hybrid(withheld: Sequence[RunCheck]) -> str:
    """The decision while these checks withhold it."""
    return escape(withheld_sentence(withheld, "no hybrid is proposed"))


def answer_sentences(answer, others: Sequence[str] = (), withheld: Sequence[RunCheck] = ()) -> list[str]:
    """An answer (`ragdash.experiments.fusion.legs.answer.Answer`) as Markdown, a sentence or two for each subject.

    The decision comes first. others: names of the runs shown that are not fused. withheld: checks of the runs that
    withhold the decision.
    """
    choice, price = answer.choice, answer.price
    result, setting = choice.held_out, setting_of(answer, choice.recipe)
    sentences = [hybrid_answer(choice.decision, setting, choice.against_single, choice.default_against_single,
                               choice.against_default, result.value, choice.runs, others, price.more("parallel"))]
    if withheld:
        sentences = [withheld_hybrid(withheld)]
    if result.n >= 2:
        if withheld or choice.decision != "tuned":
            sentences.append(f"Chosen on all queries: {setting}.")
        sentences.append(caution_sentence(result.optimism, choice.survives, result.worse, len(choice.recipes),
                                          choice.evaluations[len(choice.runs)].name))
    if choice.unscored:
        sentences.append(unscored_sentence(choice.unscored))
    if choice.decision != "unknown":
        sentences.append(price_sentence(price.extras(), price.k, choice.against_single, price.cost_reason,
                                        untimed=answer.untimed, runs=len(choice.runs), answered=not withheld))
    if choice.flat is not None:
        sentences.append(flat_sentence(*choice.flat, choice.runs[-1]))
    if choice.decision != "unknown":
        sentences.append(ceiling_sentence(choice.spec.title, answer.ceiling.single, answer.ceiling.value, None,
                                          choice.against_single.sign))
        sentences += changes_sentences(answer.changes, choice.spec.title, choice.against_single)
    if answer.cascade is not None:
        cascade = answer.cascade
        sentences.append(cascade_sentence(choice.runs, cascade.recipe.params["depth"], cascade.held_out.value,
                                          cascade.against_tuned))
    if answer.routers:
        better = [router.kind for router in answer.routers if router.beats_one_weight]
        sentences.append(routers_sentence(better, sum(router.tried for router in answer.routers), choice.spec.title))
        sentences += map(sentence_of, answer.routers)
    sentences += [other_metric_sentence(row.spec.title, row.value.value, row.gain.value, row.gain.interval(),
                                        choice.runs[choice.best_run],
                                        "" if row.same else setting_of(answer, row.best)) for row in answer.others]
    if answer.legs is not None:
        legs = answer.legs
        sentences.append(steps_sentence(legs.counts(), legs.k))
        sentences += [leg_sentence(name, int(legs.brought_alone(leg).sum()), legs.spec.title, legs.value(leg),
                                   legs.time(leg)) for leg, name in enumerate(legs.legs)]
    return sentences


def ceiling_rows(ceiling) -> list[list[str]]:
    """Window, mean of the hybrid and best possible mean of a `ragdash.experiments.fusion.ceiling.Ceiling`, a row each.
    """
    return [[f"{window:,}", number(hybrid), number(best)]
            for window, hybrid, best in zip(ceiling.windows, ceiling.hybrid, ceiling.best, strict=True)]


def change_rows(changes) -> list[list[str]]:
    """What changes, how many queries, and the first of them, of `ragdash.experiments.fusion.ceiling.Changes`."""
    return [[words, f"{len(names):,}", ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")]
            for words, names in changed_queries(changes).items()]


def answer_rows(answer) -> list[list[str]]:
    """Name, mean, interval and queries of the single runs, the default and the tuned hybrid of an answer."""
    return [[evaluation.name, *map(number, (summary.mean, summary.low, summary.high)), str(summary.n)]
            for evaluation, summary in zip(answer.choice.evaluations, answer.choice.summaries, strict=True)]
