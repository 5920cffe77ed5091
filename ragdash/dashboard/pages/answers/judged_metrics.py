"""Judged metrics on the Scores tab: what the judge of the LLM judge tab has scored appears next to the other scores."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.core.errors import InputError
from ragdash.dashboard.components import judge_note
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.metrics import Spec, parse_spec
from ragdash.reporting.sentences import formatting as fmt

MAX_NAMES = 6  # judged metrics that one line names
FIRST = "Correctness"  # what the page begins with


def judged_templates(context: PageContext) -> list[str]:
    """The metrics that the judge asked last has scored on these runs, with as many votes as it gave.

    Empty without a ledger, and where the ledger cannot be read: the LLM judge tab says why.
    """
    try:
        _, cells = next(iter(judges_data.means_by_judge(context).values()), (None, {}))
    except InputError:
        return []
    votes = {}
    for (_, name), cell in cells.items():
        votes[name] = max(cell.votes, votes.get(name, 1))
    ordered = sorted(votes, key=lambda name: name != FIRST)
    return [str(_with_votes(parse_spec(name), votes[name])) for name in ordered]


def _with_votes(spec: Spec, votes: int) -> Spec:
    params = dict(spec.params) | ({"votes": votes} if votes > 1 else {})
    return Spec(spec.name, tuple(sorted(params.items())))


def render_link(context: PageContext, shown: Sequence[Spec]) -> None:
    """The way to the judge's reasons, cost and validation; nothing where no judge has scored these runs."""
    templates = judged_templates(context)
    if not templates:
        return
    titles = [parse_spec(name).title for name in templates if name not in map(str, shown)]
    if titles:
        named = [*titles[:MAX_NAMES], *([f"{len(titles) - MAX_NAMES:,} more"] if len(titles) > MAX_NAMES else [])]
        which = "it" if len(titles) == 1 else "them"
        st.caption(f":material/gavel: The judge has also scored {fmt.escape(fmt.listed(named))}: add {which} under "
                   "**Choose metrics**.")
    judge_note.link_to_judge("Reasons, cost and validation of the judge")
