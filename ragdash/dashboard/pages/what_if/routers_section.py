"""Does a router beat one weight for all queries? By the question before retrieval, by the lists after it."""

from __future__ import annotations

import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard.caches import what_if_cache
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.widgets.texts import bulleted
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.legs.routing import BEFORE
from ragdash.experiments.fusion.legs.routing.route import FEWEST
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.reporting.sentences import hybrid_answer as sentences


def render(context: PageContext, choice: Choice, pool: JudgedPool) -> None:
    """A fold that computes when it is opened; context: the runs that are fused."""
    with st.expander("Does a router beat one weight?", key="what_if_routers", on_change="rerun") as fold:
        if not fold.open:
            return
        routers = what_if_cache.routers(pool, context.digests, context.names, context.scope, choice)
        if not routers:
            st.caption(f"A router needs {FEWEST} queries with a value.")
            return
        st.markdown(sentences.routers_sentence([router.kind for router in routers if router.beats_one_weight],
                                               sum(router.tried for router in routers), choice.spec.title),
                    help=tooltip("router"))
        st.markdown(bulleted([sentences.sentence_of(router) for router in routers]))
        if all(router.kind != BEFORE for router in routers):
            st.caption("A router before retrieval needs the texts of the questions in the ground truth.")
