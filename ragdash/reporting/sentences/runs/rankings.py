"""What rankings hold, in words: which run is ahead, and whether the test shows that."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ragdash.core.text.template import percent
from ragdash.evaluation.evaluate import Summary
from ragdash.evaluation.outcomes import Comparison
from ragdash.reporting.sentences.formatting import (
    count,
    escape,
    interval,
    listed,
    number,
    percent_interval,
    query_count,
    unbroken,
)
from ragdash.reporting.sentences.runs.choice import bold, names_text

LITTLE = 0.01  # a gain in recall that is not worth more documents
FIRST_RANK_ADVICE = ("If your generator reads only the first documents, the share on top matters most. If a re-ranker "
                     "follows, the misses matter most.")


def outcome_clause(pairs: Collection[Comparison]) -> str:
    """Whether a run is really ahead of the others: a sentence that follows what it is ahead in.

    pairs: every other run against it, of one metric; "" for none.
    """
    better = [pair.candidate for pair in pairs if pair.outcome == "worse"]
    unclear = [pair.candidate for pair in pairs if pair.tied]
    run = next((bold(pair.baseline) for pair in pairs), "")
    if better and len(better) == len(pairs):
        return (f"The difference to {names_text(better, bold)} is significant." if len(pairs) == 1 else
                f"{run} is significantly better than all others.")
    if better and unclear:
        return (f"{run} is significantly better than {names_text(better, bold)}, but not than "
                f"{names_text(unclear, bold)}.")
    if unclear:
        return (f"The difference to {names_text(unclear, bold)} is not significant." if len(pairs) == 1 else
                f"{run} is not significantly better than any other.")
    if any(pair.outcome == "not-comparable" for pair in pairs):
        return "The runs are not comparable yet."
    return "On so few queries, no difference can be significant." if any(
        pair.outcome == "too-few" for pair in pairs) else ""


def first_rank_sentence(names: Sequence[str], first: np.ndarray, none: np.ndarray, summaries: Sequence[Summary],
                        ahead: Collection[Comparison] = (), fewest: Collection[Comparison] = ()) -> str:
    """Which run most often has a relevant document on top, and which misses least often.

    first, none: (N,) shares of queries with a relevant document at rank 1, and with none returned; summaries: of the
    shares at rank 1; ahead, fewest: every other run against the best of each.
    """
    best, least = int(np.argmax(first)), int(np.argmin(none))
    others = np.arange(len(names)) != best
    text = f"{bold(names[best])} puts a relevant document first for {_share_text(first[best], summaries[best])}"
    if len(names) == 1:
        return text + (f". It misses entirely for {percent(none[0])}." if none[0] else
                       ". It returns one for every query, at some rank.")
    low, high = (percent(end(first[others])) for end in (np.min, np.max))
    text += f", the other{'s' if len(names) > 2 else ''} for {low if low == high else f'{low} to {high}'}."
    shares = [percent(share) for share in none]
    fewest_names = [bold(name) for name, share in zip(names, shares, strict=True) if share == shares[least]]
    if len(fewest_names) == len(names):
        misses = f"Each misses entirely for {shares[least]}." if none.any() else "None misses entirely."
        return " ".join(filter(None, [text, outcome_clause(ahead), misses]))
    who = listed(fewest_names) if len(fewest_names) < 3 else count(len(fewest_names), "run")
    verb, rest = ("misses" if len(fewest_names) == 1 else "miss"), none[[share != shares[least] for share in shares]]
    low, high = (percent(end(rest)) for end in (np.min, np.max))
    always = f"always return{'s' if len(fewest_names) == 1 else ''} one"
    how = always if not none[least] else f"{verb} entirely for {shares[least]}"
    span, subject = low if low == high else f"{low} to {high}", f"the other{'s' if len(rest) > 1 else ''}"
    misses = (f"{who} {how}, {subject} for {span}." if none[least] else
              f"{who} {how}; {subject} {'miss' if len(rest) > 1 else 'misses'} for {span}.")
    compared = outcome_clause(fewest) if len(fewest_names) == 1 else ""
    return " ".join(filter(None, [text, outcome_clause(ahead), misses, compared]))


def _share_text(share: float, summary: Summary) -> str:
    """A share with its interval and n; without these where the summary counts queries without a relevant document."""
    if not np.isclose(share, summary.mean):
        return f"{percent(share)} of the queries with a relevant document"
    parts = [percent(share), unbroken(percent_interval(summary)), f"of {query_count(summary.n)}"]
    return " ".join(filter(None, parts))


def recall_sentence(names: Sequence[str], ks: np.ndarray, recall: np.ndarray, k: int, summaries: Sequence[Summary],
                    ahead: Collection[Comparison] = ()) -> str:
    """Which run has the highest mean recall within k documents, whether that is clear, and what twice as many add.

    Parameters
    ----------
    ks
        (K,) cutoffs, ascending, k among them.
    recall
        (N, K) mean recall of each run; NaN undefined. Empty text where it is undefined at k.
    summaries
        (N,) of recall at k.
    ahead
        Every other run against the best one.

    Examples
    --------
    >>> from ragdash import Summary, parse_specs
    >>> from ragdash.reporting.sentences.formatting import NBSP, strip_markdown
    >>> one, other = (Summary(parse_specs("R@5")[0], mean, mean - 0.1, mean + 0.1, 90, 0) for mean in (0.6, 0.5))
    >>> text = recall_sentence(["dense", "bm25"], np.array([5, 10]), np.array([[0.6, 0.605], [0.5, 0.6]]), 5,
    ...                        [one, other])
    >>> strip_markdown(text).replace(NBSP, " ").split(". ")[0]
    'dense has the highest mean Recall@5: 0.600 [0.500, 0.700] over 90 queries'
    """
    position = int(np.searchsorted(ks, k))
    if not np.isfinite(recall[:, position]).any():
        return ""
    best = int(np.nanargmax(recall[:, position]))
    who = f"**{escape(names[best])}** has the highest mean Recall@{k}: " if len(names) > 1 else f"Recall@{k} is "
    at_k, deeper = recall[best, position], int(np.searchsorted(ks, min(2 * k, int(ks[-1]))))
    summary = summaries[best]
    value = " ".join(filter(None, [number(at_k), unbroken(interval(summary)), f"over {query_count(summary.n)}."]))
    sentence = " ".join([f"{who}{value}", *filter(None, [outcome_clause(ahead)])])
    if deeper <= position or not np.isfinite(recall[best, deeper]):
        return sentence
    later = recall[best, deeper]
    effect = "a larger k adds little" if later - at_k < LITTLE else "the generator then has more to read"
    whose = f"{bold(names[best])} has" if ahead else "it is"
    return f"{sentence} With {int(ks[deeper]):,} documents {whose} {number(later)}; {effect}."
