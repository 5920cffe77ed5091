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
    """The metrics that judges have scored on these runs, those on most queries first, with as many votes as the judge
    gave that is shown. Metrics without any value are left out: a call that failed scores nothing.

    Empty without a ledger, and where the ledger cannot be read: the LLM judge tab says why.
    """
    try:
        by_judge = judges_data.means_by_judge(context)
    except InputError:
        return []
    totals: dict[str, tuple[bool, int, int]] = {}  # metric: (of the judge chosen, its values, its votes)
    for label, (_, cells) in by_judge.items():
        for name in dict.fromkeys(name for _, name in cells):
            of_metric = [cell for (_, other), cell in cells.items() if other == name]
            n = sum(cell.n for cell in of_metric)
            shown = (bool(n) and label == context.scope.judge, n, max(cell.votes for cell in of_metric))
            totals[name] = max(totals.get(name, shown), shown, key=lambda judge: judge[:2])
    totals = {name: judge for name, judge in totals.items() if judge[1]}
    most = max((n for _, n, _ in totals.values()), default=0)
    ordered = sorted(totals, key=lambda name: (2 * totals[name][1] < most, name != FIRST))
    return [str(_with_votes(parse_spec(name), totals[name][2])) for name in ordered]


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
