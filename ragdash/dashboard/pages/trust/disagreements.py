"""Where judge and person part, for one run: the confusion table, votes, missing verdicts, disagreements to read."""

from __future__ import annotations

import html
from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis.judge_validation import Agreement, Disagreement
from ragdash.dashboard.components import query_links
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.answers.data import Told
from ragdash.dashboard.pages.trust import data as trust_data
from ragdash.dashboard.pages.trust import sentences as trust_sentences
from ragdash.dashboard.pages.trust.data import Held
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements, texts
from ragdash.metrics.bands import YES
from ragdash.models.judge.panel import chosen
from ragdash.models.judge.tasks import Judgement
from ragdash.reporting.sentences import fmt

MOST_CLASSES = 5  # of a confusion table that is drawn
CONTEXTS, LONG = 20, 1_500  # contexts shown, characters of each
CLAIMS = 60
GOOD = ("supported", "entailed", "useful", "yes")


def one_run(data: Held) -> None:
    """Everything of the run looked at."""
    context = data.context
    names = {context.digests[index]: context.names[index] for index in data.judged}
    usual = context.digests[
        next(iter([index for index in data.labelled if index == context.baseline] or data.labelled or data.judged))
    ]
    key = state.choice_key(state.LOOKED, list(names), usual)
    st.header("Where they differ" if data.labelled else "What is missing", anchor=False)
    if len(names) > 1:
        st.selectbox("Run looked at", list(names), format_func=names.get, key=key, persist_state="session", width=240)
    run_index = context.digests.index(state.get(state.LOOKED))
    validation = data.found[run_index]
    if validation.agreement.n:
        left_column, right = st.columns(2, gap="large")
        with left_column:
            _confusion(validation.agreement)
        with right:
            st.markdown(trust_sentences.leaning(validation, data.spec), help=trust_sentences.TERMS["Bias"])
            _votes(data, run_index)
            _missing(validation.missing)
        _disagreements(data, run_index)
    else:
        if data.labelled:
            st.caption("No labels of this run.")
        _votes(data, run_index)
        _missing(validation.missing)


def _confusion(agreed: Agreement) -> None:
    """Queries by what the person and what the judge said; where they agree bold."""
    st.markdown(f"**Person and judge on {fmt.count(agreed.n, 'query', 'queries')}**: they agree on "
                f"{int(np.trace(agreed.confusion)):,}", help="A row for what the person said, a column for what the "
                f"judge said. Yes is a value from {YES:g} on, unless every value counts by itself.")
    if len(agreed.classes) > MOST_CLASSES:
        elements.frame(confusion_table(agreed), "trust_confusion", "Queries by label and verdict")
        return
    rows = []
    for r, name in enumerate(agreed.classes):
        cells = {f"Judge: {judge_class}": f"**{agreed.confusion[r, c]:,}**" if r == c else f"{agreed.confusion[r, c]:,}"
                 for c, judge_class in enumerate(agreed.classes)}
        rows.append({" ": f"Person: {name}", **cells})
    st.table(rows, border="horizontal", hide_index=True, alt="Queries by what the person and what the judge said")


def confusion_table(agreed: Agreement) -> pd.DataFrame:
    """A row per class of the label, a column per class of the verdict."""
    frame = pd.DataFrame(agreed.confusion, columns=[f"Judge {name}" for name in agreed.classes])
    frame.insert(0, "Label", list(agreed.classes))
    return frame


def _votes(data: Held, run_index: int) -> None:
    votes = data.found[run_index].votes
    if votes is None or not votes.n:
        st.caption("One vote on each query: nothing tells how steady the judge is with itself."
                   if data.judge and not data.local else "")
        return
    if len(chosen(data.judge)[1]) > 1:
        st.markdown(f"**Judges**: on {fmt.count(votes.n, 'query', 'queries')} with verdicts of two or more they were "
                    f"unanimous on {fmt.number(votes.unanimous)}; Fleiss' kappa {fmt.number(votes.kappa)}, mean "
                    f"spread {fmt.number(votes.spread)}.",
                    help="The judges' own verdicts, one vote each, among themselves. Fleiss' kappa is agreement beyond "
                         "chance, 1 where they are always alike; the spread is the standard deviation of a query's "
                         "verdicts. The numbers above are of their mean.")
        return
    st.markdown(f"**Votes**: asked again on {fmt.count(votes.n, 'query', 'queries')}, the judge was unanimous on "
                f"{fmt.number(votes.unanimous)} of them; Fleiss' kappa {fmt.number(votes.kappa)}, mean spread "
                f"{fmt.number(votes.spread)}.",
                help="The same question asked several times. Fleiss' kappa is agreement of the votes beyond chance, 1 "
                     "where they are always alike; the spread is the standard deviation of a query's votes. The "
                     "numbers above are of the first vote.")


def _missing(missing: Mapping[str, int]) -> None:
    if not missing:
        st.caption("Every query has a verdict.")
        return
    total = sum(missing.values())
    st.markdown(f"**Without a verdict**: {fmt.count(total, 'query', 'queries')}, which take part in nothing and are "
                "never 0.")
    st.table([{"Reason": fmt.escape(reason), "Queries": f"{n:,}"} for reason, n in missing.items()],
             border="horizontal", hide_index=True, alt="Queries without a verdict by reason")


def _disagreements(data: Held, run_index: int) -> None:
    """One after the other, the furthest apart first."""
    validation = data.found[run_index]
    disagreements = validation.disagreements
    st.markdown(f"### Disagreements ({len(disagreements):,})")
    if not disagreements:
        st.caption("Judge and person agree on every labelled query.")
        return
    digest = data.context.digests[run_index]
    position = min(st.session_state.get(state.APART_AT, {}).get(digest, 0), len(disagreements) - 1)
    with st.container(horizontal=True, vertical_alignment="center", key="trust_steps"):
        st.button("Previous", icon=":material/arrow_back:", key="apart_before", disabled=position == 0, on_click=_go,
                  args=(digest, position - 1))
        st.button(
            "Next",
            icon=":material/arrow_forward:",
            key="apart_next",
            disabled=position == len(disagreements) - 1,
            on_click=_go,
            args=(digest, position + 1),
        )
        st.caption(f"{position + 1:,} of {len(disagreements):,}, the furthest apart first")
        query_links.link("On the Queries page", digest, **{state.QUERY: disagreements[position].query_id})
    _one(data, run_index, disagreements[position])


def _go(run: str, position: int) -> None:
    st.session_state[state.APART_AT] = {**st.session_state.get(state.APART_AT, {}), run: position}


def _one(data: Held, run_index: int, disagreement: Disagreement) -> None:
    """A disagreement with all that either side could see."""
    context = data.context
    answers = answers_data.told(context.digests[run_index], context.scope)
    row = answers.ids.index(disagreement.query_id)
    judgement = (
        None
        if data.local
        else trust_data.read_by(context.digests[run_index], context.scope, data.spec).judgements.get(
            disagreement.query_id
        )
    )
    with st.container(border=True, key="apart_one"):
        st.subheader(
            fmt.escape(disagreement.query_id + (f": {answers.questions[row][:400]}" if answers.questions[row] else "")),
            anchor=False,
        )
        st.markdown(
            f"Judge **{fmt.number(disagreement.verdict, 2)}** · person **{fmt.number(disagreement.label, 2)}** · "
            f"{elements.swatch(context.slots[run_index], context.names[run_index])}"
        )
        left_column, right = st.columns(2, gap="large")
        with left_column:
            texts_of(answers, row)
            _judged(judgement)
        with right:
            contexts_of(answers, row)


def texts_of(answers: Told, row: int) -> None:
    """Answer and references of a query."""
    st.markdown("**Answer**")
    st.html(texts.paragraph_html(texts.text_html(answers.answers[row])))
    st.markdown("**Reference**" if len(answers.references[row]) < 2 else "**References**, any one will do")
    for text in answers.references[row] or (None,):
        st.html(texts.paragraph_html(texts.text_html(text)))


def contexts_of(answers: Told, row: int) -> None:
    """The contexts of a query, or what stands in for them."""
    contexts = answers.contexts[row]
    st.markdown("**Contexts**" if contexts is None or answers.given else
                f"**Texts of the first {fmt.count(len(contexts), 'document')}**, for want of contexts")
    if contexts is None:
        st.caption("Not known: the run holds neither contexts nor texts for this query.")
    elif not contexts:
        st.caption("None was given.")
    else:
        st.html(texts.list_html(contexts, CONTEXTS, LONG))
        if len(contexts) > CONTEXTS:
            st.caption(f"The first {CONTEXTS} of {len(contexts):,}.")


def _judged(judgement: Judgement | None) -> None:
    """The judge's reason, or its claims with a verdict each."""
    if judgement is None or not judgement.rows:
        return
    st.markdown("**What the judge says**")
    if len(judgement.rows) == 1 and "claim" not in judgement.rows[0]:
        st.html(texts.paragraph_html(texts.text_html(str(judgement.rows[0].get("reason") or ""))))
        return
    rows = []
    for row in judgement.rows[:CLAIMS]:
        verdict = next((str(row[key]) for key in ("verdict", "score", "evasive") if row.get(key) is not None), "")
        mark = "✓" if verdict in GOOD or verdict == "1" else "✗" if "verdict" in row else "·"
        text = next((str(row[key]) for key in ("claim", "question") if row.get(key)), "")
        chunks = ", ".join(map(str, row.get("chunks") or ()))
        details = " · ".join(filter(None, (str(row.get("judge") or ""), str(row.get("reason") or ""), chunks)))
        rows.append(f"<li>{mark} <b>{html.escape(verdict)}</b> {html.escape(text)}"
                    f"<br><small>{html.escape(details)}</small></li>")
    st.html(f'<ul style="padding-left:1.2em;margin:0;overflow-wrap:anywhere">{"".join(rows)}</ul>')
    if len(judgement.rows) > CLAIMS:
        st.caption(f"The first {CLAIMS} of {len(judgement.rows):,}.")
