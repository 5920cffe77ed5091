"""What judges said of the query in view: values, claims, chunks; only this query is read from the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.pages.queries import claims_html
from ragdash.dashboard.pages.queries.query_data import Case
from ragdash.dashboard.pages.queries.ranking_html import Column
from ragdash.dashboard.session import scope, state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.scoring.claims import Heard, case_of, hear
from ragdash.models.judge import default_ledger
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.tasks import Case as Texts
from ragdash.models.local import default_store
from ragdash.reporting.sentences import fmt
from ragdash.reporting.sentences import judge as sentences_judge

PAGE = "pages/judges.py"


@dataclass(frozen=True)
class Verdicts:
    """What there is to tell of a query: the texts of each run (N,) as judges get them, and what each judge said (N,);
    judge: the one that is read, None for none; problems: why the ledger cannot be read.
    """

    texts: tuple[Texts, ...] = ()
    judges: Mapping[Judge, tuple[Heard, ...]] = field(default_factory=dict)
    judge: Judge | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def names(self) -> dict[str, Judge]:
        """The judges by their labels, as the address and the picker have them."""
        return dict(zip(sentences_judge.judge_labels(self.judges), self.judges, strict=True))

    @property
    def heard(self) -> Sequence[Heard]:
        """What the judge that is read said of each run."""
        return self.judges[self.judge] if self.judge else [Heard()] * len(self.texts)


def heard(one: Case) -> Verdicts:
    """The verdicts on this query in all runs shown, by the judge that is chosen: the one last asked unless another."""
    context, ledger = one.desk.context, default_ledger()
    try:
        found = _heard((*context.digests, context.scope.truth, one.query, str(ledger.path), *scope.heard()), _one=one)
    except InputError as error:
        return Verdicts(problems=tuple(error.problems))
    if len(found.judges) < 2:
        return replace(found, judge=next(iter(found.judges), None))
    names = found.names
    return replace(found, judge=names[state.get(state.one(state.HEARD, list(names), next(iter(names))))])


@st.cache_resource(max_entries=1_000, show_spinner=False)
def _heard(facts: tuple, _one: Case) -> Verdicts:
    texts = tuple(case_of(match, _one.query) for match in _one.matches)
    return Verdicts(texts, hear(texts, default_ledger(), default_store()))


def beside(columns: Sequence[Column], said: Verdicts, ranks: int) -> list[Column]:
    """The columns of the rankings with what the judge said of their chunks, and a place for each to link to."""
    if not said.judge:
        return list(columns)
    found = []
    for at, (column, texts, one) in enumerate(zip(columns, said.texts, said.heard, strict=True)):
        own = column.ranking
        shown = set() if own is None else {own.docs[row] for row in own.first(ranks)}
        anchors = claims_html.anchors(texts, at)
        found.append(replace(column, anchors=anchors, anchored=frozenset(shown & anchors.keys()),
                             judged=claims_html.said_of(one, anchors)))
    return found


def shown(columns: Sequence[Column], said: Verdicts) -> None:
    """The verdicts below the answers; where there are none, how to come by some."""
    if said.problems:
        st.markdown("### What judges say")
        elements.problems(said.problems, "verdicts")
    elif not said.judge:
        if any(text.answer or text.contexts for text in said.texts):
            with st.container(horizontal=True, vertical_alignment="center", key="no_verdicts"):
                st.caption("No judge has said anything of this query.", width="content")
                st.page_link(PAGE, label="Ask one", icon=":material/gavel:", width="content")
    else:
        st.markdown("### What judges say")
        _choose(said)
        theme = elements.theme()
        st.html(claims_html.marking(theme) + claims_html.values(columns, said.heard, theme))
        st.html(claims_html.cards(columns, said.texts, said.heard, theme))
        st.caption("A click on a chunk's name leads to it above. Claims that no verdict is there for do not count, "
                   "neither as supported nor as not supported.")


def _choose(said: Verdicts) -> None:
    """Whose verdicts are read, chosen where there are several."""
    if len(said.judges) > 1:
        st.selectbox("Judge", list(said.names), format_func=lambda one: sentences_judge.judge_name(one, short=True),
                     key=state.HEARD, width=520, persist_state="session",
                     help="The one last asked comes first. Which judge a metric's value is from stands below each "
                          "table of values.")
    if len(said.judges) == 1 or sentences_judge.is_toy(said.judge):
        st.caption(f":material/gavel: {fmt.escape(sentences_judge.judge_name(said.judge))}")
