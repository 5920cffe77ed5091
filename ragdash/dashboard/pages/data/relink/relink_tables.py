"""Tables of a re-linking: documents by link, examples with both texts, and the means before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.core.errors import InputError, Unavailable
from ragdash.core.records import Truth
from ragdash.core.text.quoted import cut_end
from ragdash.dashboard import page_context
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED, SessionRun
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Summary
from ragdash.matching.relink import KINDS, Relinking
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt

MAX_EXAMPLES = 200  # rows
BEGINNING = 160  # characters of a text


def counts_table(relinking: Relinking) -> pd.DataFrame:
    """Documents and judgments of each kind of link that occurs."""
    judgments = Counter[str]()
    for link in relinking.links:
        judgments[link.kind] += link.judgments
    return pd.DataFrame([{"Link": kind.capitalize(), "Documents": f"{count:,}", "Judgments": f"{judgments[kind]:,}",
                          "Meaning": KINDS[kind].capitalize()} for kind, count in relinking.counts.items() if count])


def render_examples(relinking: Relinking, old: Mapping[str, str], new: Mapping[str, str]) -> None:
    """Links of one kind with the beginnings of both texts; the kinds that a person should look at come first."""
    order = ("changed", "split", "merged", "gone", "moved", "unknown", "same")
    kinds = [kind for kind in order if relinking.counts[kind]]
    if st.session_state.get(state.LINK_KIND) not in kinds:
        st.session_state[state.LINK_KIND] = kinds[0]
    kind = st.segmented_control("Examples of", kinds, format_func=str.capitalize, key=state.LINK_KIND, required=True,
                                persist_state="session")
    chosen = [link for link in relinking.links if link.kind == kind]
    rows = [{"Old id": link.doc_id, "New ids": ", ".join(link.targets) or fmt.UNDEFINED, "Shared text": link.share,
             "Judgments": link.judgments, "Old text": _beginning(old.get(link.doc_id)),
             "New text": " | ".join(_beginning(new.get(target)) for target in link.targets) or fmt.UNDEFINED}
            for link in chosen[:MAX_EXAMPLES]]
    elements.frame(pd.DataFrame(rows), f"links_{kind}", f"Judged documents that are {kind}",
                   formats={"Shared text": elements.PERCENT}, widths={"Old text": 320, "New text": 320})
    if len(chosen) > MAX_EXAMPLES:
        st.caption(f"The first {MAX_EXAMPLES} of {len(chosen):,}.")


def render_means(before: Truth, after: Truth) -> None:
    """Every mean of the loaded runs under both truths."""
    LOADED.put(before)
    LOADED.put(after)
    specs = _specs()
    rows = []
    for entry in state.runs():
        summaries = [_summaries(entry, truth, specs) for truth in (before, after)]
        for spec, old, new in zip(specs, *summaries, strict=True):
            if old is not None or new is not None:
                means = [np.nan if summary is None else summary.mean for summary in (old, new)]
                rows.append({"Run": entry.name, "Metric": spec.title, "Before": means[0], "After": means[1],
                             "Change": means[1] - means[0], "Queries": (new or old).n})
    if rows:
        elements.frame(pd.DataFrame(rows), "relinked_means", "Means before and after")
    else:
        st.caption("No run is loaded, so there are no means to compare.")


def _specs() -> list[Spec]:
    """The leaderboard's metrics and the sidebar's, without those that files bring along."""
    names = [state.get(state.METRIC), *(state.get(state.METRICS) or page_context.COLUMNS), *page_context.COLUMNS]
    templates = [name for name in dict.fromkeys(names) if name and not name.startswith("file:")]
    return page_context.specs(templates, int(state.get(state.K)))[0]


def _summaries(entry: SessionRun, truth: Truth, specs: list[Spec]) -> list[Summary | None]:
    """A summary for each spec, None where it cannot be computed: no query in common, say."""
    scope = replace(page_context.scope(), truth_digest=truth.digest)
    summaries: list[Summary | None] = []
    for spec in specs:
        try:
            summaries.append(scope.evaluation(entry.digest, (spec,)).summary(resamples=1)[0])
        except (InputError, Unavailable):
            summaries.append(None)
    return summaries


def _beginning(text: str | None) -> str:
    """The first characters of a text, in one line."""
    return cut_end(" ".join((text or "").split()), BEGINNING) or fmt.UNDEFINED
