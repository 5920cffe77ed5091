"""Disagreements between judge and human labels for one run: confusion table, votes, missing verdicts, examples."""

from __future__ import annotations

import html
from collections.abc import Mapping
from functools import partial

import numpy as np
import streamlit as st

from ragdash.analysis.judge_validation import Agreement, Disagreement
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.components import query_links
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.answers.data import AnswerTexts
from ragdash.dashboard.pages.answers.validation import data as trust_data
from ragdash.dashboard.pages.answers.validation import sentences as trust_sentences
from ragdash.dashboard.pages.answers.validation.data import TrustData
from ragdash.dashboard.pages.answers.validation.tables import confusion_table, source_name
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements, texts
from ragdash.dashboard.widgets.steps import steps
from ragdash.metrics.bands import YES
from ragdash.models.judge.panel import parse_choice
from ragdash.models.judge.tasks import Judgment
from ragdash.reporting.sentences import formatting as fmt

MOST_CLASSES = 5  # in a confusion table rendered as text; larger ones are data frames
MOST_CONTEXTS, LONGEST_CONTEXT = 20, 1_500  # contexts shown, and characters of each
MOST_CLAIMS = 60
CONTEXTS_HEIGHT = 360  # pixels; longer contexts scroll
POSITIVE_VERDICTS = ("supported", "entailed", "useful", "yes")


def run_disagreements(data: TrustData) -> None:
    """Render the disagreements of the selected run."""
    context = data.context
    short = short_names(context.names, PAGE_NAME)
    names = {context.digests[index]: short[index] for index in data.judged_runs}
    usual = context.digests[
        next(
            iter(
                [index for index in data.labeled_runs if index == context.baseline]
                or data.labeled_runs
                or data.judged_runs
            )
        )
    ]
    key = state.choice_key(state.LOOKED, list(names), usual)
    st.header("Disagreements" if data.labeled_runs else f"Missing {_noun(data)}s", anchor=False)
    if len(names) > 1:
        st.selectbox("Selected run", list(names), format_func=names.get, key=key, persist_state="session", width=240)
    run_index = context.digests.index(state.get(state.LOOKED))
    validation = data.validations[run_index]
    if validation.agreement.n:
        left_column, right = elements.two_columns("agreement_columns")
        with left_column:
            _confusion_section(validation.agreement, source_name(data))
        with right:
            st.markdown(trust_sentences.bias_sentence(validation, data.spec), help=tooltip("bias"))
            _vote_agreement(data, run_index)
            _missing_verdicts(data, validation.missing)
        _disagreements(data, run_index)
    else:
        if data.labeled_runs:
            st.caption("No labels for this run.")
        _vote_agreement(data, run_index)
        _missing_verdicts(data, validation.missing)


def _confusion_section(agreed: Agreement, source: str) -> None:
    """Queries by label and verdict; agreements in bold."""
    st.markdown(f"**Labels and {source} on {fmt.query_count(agreed.n)}**: they agree on "
                f"{int(np.trace(agreed.confusion)):,}",
                help=tooltip("confusion", yes=f"{YES:g}", word=agreed.classes[-1]))
    if len(agreed.classes) > MOST_CLASSES:
        elements.frame(confusion_table(agreed, source), "trust_confusion", "Queries by label and verdict")
        return
    rows = []
    for r, name in enumerate(agreed.classes):
        cells = {f"{source.capitalize()}: {judge_class}":
                 f"**{agreed.confusion[r, c]:,}**" if r == c else f"{agreed.confusion[r, c]:,}"
                 for c, judge_class in enumerate(agreed.classes)}
        rows.append({"Label": name, **cells})
    st.table(rows, border="horizontal", hide_index=True, alt="Queries by label and verdict")



def _vote_agreement(data: TrustData, run_index: int) -> None:
    votes = data.validations[run_index].votes
    if votes is None or not votes.n:
        st.caption("The judge was asked once per query, so how steady its verdicts are is unknown."
                   if data.judge and not data.is_local else "")
        return
    if len(parse_choice(data.judge)[1]) > 1:
        st.markdown(
            f"**Judges**: {fmt.count(votes.n, 'query has', 'queries have')} verdicts of two or more judges. They "
            f"all agree on {fmt.percent(votes.unanimous)} of them (beyond chance, Fleiss' kappa: "
            f"{fmt.number(votes.kappa)}; mean spread {fmt.number(votes.spread)}).",
            help=tooltip("judge_agreement"),
        )
        return
    st.markdown(
        f"**Repeated votes**: on {fmt.query_count(votes.n)} the judge was asked more than once. It said "
        f"the same each time on {fmt.percent(votes.unanimous)} of them (beyond chance, Fleiss' kappa: "
        f"{fmt.number(votes.kappa)}; mean spread {fmt.number(votes.spread)}).",
        help=tooltip("vote_agreement"),
    )


def _noun(data: TrustData) -> str:
    """What a query of the source has or lacks: a verdict of a judge, a value in a file or of a metric."""
    return "verdict" if source_name(data) == "judge" else "value"


def _missing_verdicts(data: TrustData, missing: Mapping[str, int]) -> None:
    noun = _noun(data)
    if not missing:
        st.caption(f"Every query has a {noun}.")
        return
    st.markdown(f"**Without a {noun}**: {fmt.query_count(sum(missing.values()))}. They are left out, not counted as 0.")
    if data.spec.file_column:  # the only reason there is
        return
    st.table([{"Reason": fmt.escape(reason), "Queries": f"{n:,}"} for reason, n in missing.items()],
             border="horizontal", hide_index=True, alt=f"Queries without a {noun} by reason")


def _disagreements(data: TrustData, run_index: int) -> None:
    """The disagreements one by one, largest distance first."""
    validation = data.validations[run_index]
    disagreements = validation.disagreements
    st.markdown(f"### Disagreements ({len(disagreements):,})")
    if not disagreements:
        st.caption(f"The {source_name(data)} agrees with every label.")
        return
    digest = data.context.digests[run_index]
    position = min(st.session_state.get(state.APART_AT, {}).get(digest, 0), len(disagreements) - 1)
    with st.container(horizontal=True, vertical_alignment="center", key="trust_steps"):
        steps("apart", position, len(disagreements), partial(_go_to, digest))
        st.caption(f"{position + 1:,} of {len(disagreements):,}, largest distance first")
        query_links.link("Open on the Queries page", digest, **{state.QUERY: disagreements[position].query_id})
    _show_disagreement(data, run_index, disagreements[position])


def _go_to(run: str, position: int) -> None:
    st.session_state[state.APART_AT] = {**st.session_state.get(state.APART_AT, {}), run: position}


def _show_disagreement(data: TrustData, run_index: int, disagreement: Disagreement) -> None:
    """One disagreement with everything that judge and labeler saw."""
    context = data.context
    answers = answers_data.read_answer_texts(context.digests[run_index], context.scope)
    row = answers.ids.index(disagreement.query_id)
    judgment = (
        None
        if data.is_local
        else trust_data.verdict_details(context.digests[run_index], context.scope, data.spec).judgments.get(
            disagreement.query_id
        )
    )
    with st.container(border=True, key="apart_one"):
        st.subheader(
            fmt.escape(fmt.query_title(disagreement.query_id, answers.questions[row])),
            anchor=False,
        )
        st.markdown(
            f"{source_name(data).capitalize()} **{fmt.number(disagreement.verdict, 2)}** · "
            f"label **{fmt.number(disagreement.label, 2)}** · "
            f"{elements.swatch(context.slots[run_index], context.names[run_index])}"
        )
        left_column, right = elements.two_columns("disagreement_columns")
        with left_column:
            show_answer(answers, row)
            _show_judge_reasons(judgment)
        height = CONTEXTS_HEIGHT if answers.contexts[row] else "content"
        with right, st.container(height=height, border=False, key="apart_contexts"):
            show_contexts(answers, row)


def show_answer(answers: AnswerTexts, row: int, *, references: bool = True) -> None:
    """Render the answer of a query, and its references where they are to be seen. row: in `answers`."""
    st.markdown("**Answer**")
    st.html(texts.paragraph_html(texts.text_html(answers.answers[row])))
    if not references:
        return
    st.markdown("**Reference**" if len(answers.references[row]) < 2 else "**References** (any of them counts)")
    for text in answers.references[row] or (None,):
        st.html(texts.paragraph_html(texts.text_html(text)))


def show_contexts(answers: AnswerTexts, row: int) -> None:
    """Render the contexts of a query, or the document texts used instead. row: in `answers`."""
    contexts = answers.contexts[row]
    st.markdown("**Contexts**" if contexts is None or answers.contexts_recorded else
                f"**Texts of the top {fmt.count(len(contexts), 'document')}** (no contexts)")
    if contexts is None:
        st.caption("Unknown: the run has neither contexts nor texts for this query.")
    elif not contexts:
        st.caption("No contexts were given.")
    else:
        st.html(texts.list_html(contexts, MOST_CONTEXTS, LONGEST_CONTEXT))
        if len(contexts) > MOST_CONTEXTS:
            st.caption(f"First {MOST_CONTEXTS} of {len(contexts):,}.")


def _show_judge_reasons(judgment: Judgment | None) -> None:
    """Render the judge's reason, or its claims with a verdict each."""
    if judgment is None or not judgment.rows:
        return
    st.markdown("**Reason of the judge**")
    if len(judgment.rows) == 1 and "claim" not in judgment.rows[0]:
        st.html(texts.paragraph_html(texts.text_html(str(judgment.rows[0].get("reason") or ""))))
        return
    rows = []
    for row in judgment.rows[:MOST_CLAIMS]:
        verdict = next((str(row[key]) for key in ("verdict", "score", "evasive") if row.get(key) is not None), "")
        mark = "✓" if verdict in POSITIVE_VERDICTS or verdict == "1" else "✗" if "verdict" in row else "·"
        text = next((str(row[key]) for key in ("claim", "question") if row.get(key)), "")
        chunks = ", ".join(map(str, row.get("chunks") or ()))
        details = " · ".join(filter(None, (str(row.get("judge") or ""), str(row.get("reason") or ""), chunks)))
        rows.append(f"<li>{mark} <b>{html.escape(verdict)}</b> {html.escape(text)}"
                    f"<br><small>{html.escape(details)}</small></li>")
    st.html(f'<ul style="padding-left:1.2em;margin:0;overflow-wrap:anywhere">{"".join(rows)}</ul>')
    if len(judgment.rows) > MOST_CLAIMS:
        st.caption(f"First {MOST_CLAIMS} of {len(judgment.rows):,}.")
