"""Verdicts of LLM judges on the query shown: values, claims and chunks. Reads only this query from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.core.terms import tooltip
from ragdash.dashboard.components import judge_note
from ragdash.dashboard.pages.queries import claims_html
from ragdash.dashboard.pages.queries.data import QueryCase
from ragdash.dashboard.pages.queries.ranking_html import RankingColumn
from ragdash.dashboard.session import state
from ragdash.dashboard.session.scope import answers_stamp
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.scoring.claims import JudgeFindings, query_case, read_query_verdicts
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.endpoint import Judge, judge_names
from ragdash.models.judge.tasks import Case
from ragdash.models.judge.verdict_store.store import usage_by_judge
from ragdash.models.local import default_score_cache
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import judge as sentences_judge

CLAIMS_HEIGHT = 340  # pixels; longer lists of claims scroll


@dataclass(frozen=True)
class QueryVerdicts:
    """Verdicts on one query.

    texts (N,): the texts of each run as judges see them; judges: findings (N,) by judge; judge: the selected judge,
    None if there is none; problems: why the verdicts cannot be read.
    """

    texts: tuple[Case, ...] = ()
    judges: Mapping[Judge, tuple[JudgeFindings, ...]] = field(default_factory=dict)
    judge: Judge | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def judges_by_label(self) -> dict[str, Judge]:
        """Judges by their labels, as the URL and the picker use them."""
        return {name: judge for judge, name in judge_names(self.judges).items()}

    @property
    def findings(self) -> Sequence[JudgeFindings]:
        """Findings of the selected judge for each run."""
        return self.judges[self.judge] if self.judge else [JudgeFindings()] * len(self.texts)


def load_verdicts(case: QueryCase) -> QueryVerdicts:
    """Load the verdicts on a query in all runs shown; the judge with most verdicts unless another one is selected."""
    context, verdict_store = case.data.context, default_verdict_store()
    try:
        verdicts = _query_verdicts(
            (*context.digests, context.scope.truth_digest, case.query, str(verdict_store.path), *answers_stamp()),
            _case=case,
        )
    except InputError as error:
        return QueryVerdicts(problems=tuple(error.problems))
    if len(verdicts.judges) < 2:
        return replace(verdicts, judge=next(iter(verdicts.judges), None))
    names, read = verdicts.judges_by_label, context.scope.judge
    default = read if read in names else next(iter(names))
    return replace(verdicts, judge=names[state.get(state.choice_key(state.CLAIMS_JUDGE, list(names), default))])


@st.cache_resource(max_entries=1_000, show_spinner=False)
def _query_verdicts(facts: tuple, _case: QueryCase) -> QueryVerdicts:
    texts = tuple(query_case(match, _case.query) for match in _case.matches)
    store = default_verdict_store()
    by_judge = read_query_verdicts(texts, store, default_score_cache())
    verdicts = {usage.judge: usage.verdicts for usage in usage_by_judge(store)}
    order = sorted(by_judge, key=lambda judge: -verdicts.get(judge, 0))
    return QueryVerdicts(texts, {judge: by_judge[judge] for judge in order})


def add_verdicts(columns: Sequence[RankingColumn], verdicts: QueryVerdicts, ranks: int) -> list[RankingColumn]:
    """Add chunk verdicts and link anchors to the columns of the rankings. ranks: number of ranks shown."""
    if not verdicts.judge:
        return list(columns)
    judged_columns = []
    for index, (column, texts, findings) in enumerate(zip(columns, verdicts.texts, verdicts.findings, strict=True)):
        ranking = column.ranking
        shown_docs = set() if ranking is None else {ranking.docs[row] for row in ranking.first(ranks)}
        anchors = claims_html.chunk_anchors(texts, index)
        judged_columns.append(replace(column, anchors=anchors, anchors_shown=frozenset(shown_docs & anchors.keys()),
                             chunk_labels=claims_html.chunk_labels(findings, anchors)))
    return judged_columns


def render_verdicts(columns: Sequence[RankingColumn], verdicts: QueryVerdicts) -> None:
    """Render the verdicts, or a link to the LLM judge tab if there are none."""
    if verdicts.problems:
        st.markdown("### Judge verdicts")
        elements.problems(verdicts.problems, "verdicts")
    elif not verdicts.judge:
        if any(text.answer or text.contexts for text in verdicts.texts):
            with st.container(horizontal=True, vertical_alignment="center", key="no_verdicts"):
                st.caption("No judge scores for this query yet.", width="content")
                judge_note.link_to_judge("Run a judge")
    else:
        st.markdown("### Judge verdicts")
        _choose_judge(verdicts)
        theme = elements.theme()
        with st.container(height=CLAIMS_HEIGHT, key="claims"):
            st.html(claims_html.target_style(theme) + claims_html.values_table(columns, verdicts.findings, theme))
            st.html(claims_html.claim_cards(columns, verdicts.texts, verdicts.findings, theme))
        st.caption("The claims are below the values: scroll in the frame. Click the name of a chunk to jump to it "
                   "above. Claims without a verdict count neither as supported nor as unsupported.")


def _choose_judge(verdicts: QueryVerdicts) -> None:
    """Select the judge if there are several."""
    if len(verdicts.judges) > 1:
        st.selectbox(
            "Judge",
            list(verdicts.judges_by_label),
            format_func=lambda name: sentences_judge.judge_name(name, short=True),
            key=state.CLAIMS_JUDGE,
            width=520,
            persist_state="session",
            help=tooltip("shown_judge"),
        )
    judge, version = verdicts.judge, sentences_judge.judge_version(verdicts.judge.model, verdicts.findings)
    names = [sentences_judge.judge_name(judge)] if len(verdicts.judges) == 1 or sentences_judge.is_toy(judge) else []
    if names or version:
        st.caption(f":material/gavel: {fmt.escape('. '.join(filter(None, (*names, version))))}")
