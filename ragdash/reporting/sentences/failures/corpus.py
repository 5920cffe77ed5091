"""The corpus seen from its failures, in words."""

from __future__ import annotations

import numpy as np

from ragdash.analysis.failure_patterns.corpus import CorpusView, Hubs, Part, RankCopies, Unfound
from ragdash.core.text.template import percent
from ragdash.reporting.sentences.formatting import count, escape, number, percent_interval, query_count


def hubs_sentence(hubs: Hubs, run: str, k: int) -> str:
    """How many documents a run returns far more often than chance explains, and how many places they take."""
    of = f"{count(hubs.documents, 'document')} of the corpus" if hubs.of_corpus else \
        count(hubs.documents, "returned document")
    if not hubs.hubs:
        return f"None of the {of} is in more top-{k} lists of {escape(run)} than chance explains."
    top = max(hubs.hubs, key=lambda hub: hub.n)
    skew = "" if np.isnan(hubs.skew) else f" Skew of the k-occurrence: {escape(number(hubs.skew, 1))}."
    return (f"**{count(len(hubs.hubs), 'hub')}** among {of} {'takes' if len(hubs.hubs) == 1 else 'take'} "
            f"{percent(hubs.places)} of the places in the top {k} of {escape(run)}. Most often: "
            f"{escape(top.document)}, for {query_count(top.n)}, relevant for {top.relevant:,}.{skew}")


def copies_sentence(copies: RankCopies, run: str, k: int, queries: int) -> str:
    """How many ranks go to texts that are already above."""
    if not copies.texts:
        return f"{escape(run)} has no texts of its documents, so copies cannot be seen."
    kind = "equal or nearly equal" if copies.near else "equal"
    if not copies.places:
        return f"No text occurs twice in a top {k} of {escape(run)} ({kind} texts were looked for)."
    lost = int(copies.queries.sum())
    return (f"In **{lost:,} of {query_count(queries)}**, {kind} texts take "
            f"{count(copies.places, 'rank')} in the top {k} of {escape(run)}.")


def unfound_sentence(unfound: Unfound) -> str:
    """How many relevant documents no run returns."""
    missing = len(unfound.queries)
    if not unfound.relevant:
        return "No query in scope has a relevant document."
    if not missing:
        return f"Each of the {count(unfound.relevant, 'relevant document')} is returned by some run."
    asked, share = len(np.unique(unfound.queries)), percent(missing / unfound.relevant)
    return (f"**{missing:,} of {count(unfound.relevant, 'relevant document')}** ({share}), "
            f"of {query_count(asked)}, {'is' if missing == 1 else 'are'} returned by no run shown, at "
            f"any of its up to {unfound.depth:,} ranks.")


def never_sentence(view: CorpusView) -> str:
    """How many documents of the corpus no run ever returns."""
    if view.never is None:
        return "Documents that no run returns can be counted where a corpus is loaded."
    if not len(view.never):
        return f"Every one of the {view.hubs.documents:,} documents of the corpus is returned for some query."
    share = len(view.never) / max(view.hubs.documents, 1)
    relevant = ("None of them is relevant for a query" if not view.never_relevant else
                f"{count(view.never_relevant, 'of them is', 'of them are')} relevant for a query")
    return (f"**{len(view.never):,} of {view.hubs.documents:,} documents** of the corpus ({percent(share)}) are "
            f"returned for no query by any run shown. {relevant}.")


def part_text(part: Part) -> str:
    """17% [5%, 32%]"""
    return f"{percent(part.share)} {percent_interval(part)}".rstrip()


def corpus_sentences(view: CorpusView) -> list[str]:
    """The four findings, as Markdown."""
    return [unfound_sentence(view.unfound), never_sentence(view), hubs_sentence(view.hubs, view.run, view.k),
            copies_sentence(view.copies, view.run, view.k, view.queries)]
