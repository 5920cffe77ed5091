"""The truths that are loaded and not in use: named, with buttons to use, join or remove each."""

from __future__ import annotations

import streamlit as st

from ragdash.core.paths import numbered
from ragdash.core.records import Truth
from ragdash.core.text.short_names import PAGE_NAME
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.truths import loaded_truths
from ragdash.dashboard.widgets import elements
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.comparability import fix_label, joined_sentence

CONTENTS = {"answers": "references", "evidence": "evidence", "attributes": "attributes"}


def render() -> None:
    """Which truth is in use and which is not; nothing where there is one. What a join took and what it left."""
    used = LOADED.truth(state.truth() or "")
    for problem in loaded_truths.join_notes():
        if problem.severity == "warning":
            elements.warning(problem)
        else:
            st.caption(fmt.escape(joined_sentence(problem.facts)))
    others = loaded_truths.others()
    mine, *names = numbered([used.name if used else "", *(truth.name for truth in others)])  # two files may share one
    for truth, name in zip(others, names, strict=True):
        with st.container(horizontal=True, vertical_alignment="center", key=f"other_truth_{truth.judged_digest[:8]}"):
            in_use = f"**{fmt.escape(mine)}** is in use ({contents(used)})." if used else "None is in use."
            if used and truth.judgments and loaded_truths.same_judgments(truth, used):
                in_use += " Both have the same judgments."
            foreign = [] if used is None else loaded_truths.unreturned(used, truth)
            ids = loaded_truths.spelling_of_queries(truth, used) if used else None
            if used and ids == "" and not foreign and loaded_truths.agree(used, truth):
                in_use += " They do not contradict each other: **Join both** takes what either has."
            st.markdown(f":orange-badge[:material/warning: not in use] The ground truth **{fmt.escape(name)}** is "
                        f"loaded and not in use ({contents(truth)}). {in_use}", width="content")
            if foreign:
                st.markdown(f"{fmt.escape(name if foreign[0] is truth else mine)} names relevant documents that no run "
                            "returns: joining them would count every one as not found.", width="content")
            st.button(f"Use {fmt.escape(fmt.shorten_middle(name, PAGE_NAME))}", icon=":material/swap_horiz:",
                      type="primary" if used in foreign else "secondary",
                      key=f"use_truth_{truth.judged_digest[:8]}", on_click=loaded_truths.choose, args=(truth.digest,))
            if ids is not None:
                label = f"{fix_label([('ids', ids)])} and join both" if ids else "Join both"
                st.button(f"{label} anyway" if foreign else label, type="tertiary" if foreign else "secondary",
                          icon=":material/merge:", key=f"join_truth_{truth.judged_digest[:8]}",
                          on_click=loaded_truths.join, args=(truth.digest, ids))
            st.button("Remove", icon=":material/delete:", key=f"forget_truth_{truth.judged_digest[:8]}",
                      type="tertiary", on_click=loaded_truths.forget, args=(truth.digest,))


def contents(truth: Truth) -> str:
    """What a truth holds: "100 judgments and references for 20 queries", "references for 20 queries, no judgments"."""
    columns = truth.details.column_names if truth.details is not None else ()
    parts = [fmt.count(truth.judgments, "judgment")] if truth.judgments else []
    parts += [word for name, word in CONTENTS.items() if name in columns]
    queries = f"for {fmt.query_count(len(truth))}"
    if not parts:
        return f"no judgments {queries}"
    return f"{fmt.listed(parts)} {queries}{'' if truth.judgments else ', no judgments'}"
