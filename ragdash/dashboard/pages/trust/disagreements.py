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


def one_run(held: Held) -> None:
    """Everything of the run looked at."""
    context = held.context
    names = {context.digests[at]: context.names[at] for at in held.judged}
    usual = context.digests[
        next(iter([at for at in held.labelled if at == context.baseline] or held.labelled or held.judged))
    ]
    key = state.one(state.LOOKED, list(names), usual)
    st.header("Where they differ" if held.labelled else "What is missing", anchor=False)
    if len(names) > 1:
        st.selectbox("Run looked at", list(names), format_func=names.get, key=key, persist_state="session", width=240)
    at = context.digests.index(state.get(state.LOOKED))
    one = held.found[at]
    if one.agreement.n:
        left, right = st.columns(2, gap="large")
        with left:
            _confusion(one.agreement)
        with right:
            st.markdown(trust_sentences.leaning(one, held.spec), help=trust_sentences.TERMS["Bias"])
            _votes(held, at)
            _missing(one.missing)
        _disagreements(held, at)
    else:
        if held.labelled:
            st.caption("No labels of this run.")
        _votes(held, at)
        _missing(one.missing)


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
        cells = {f"Judge: {other}": f"**{agreed.confusion[r, c]:,}**" if r == c else f"{agreed.confusion[r, c]:,}"
                 for c, other in enumerate(agreed.classes)}
        rows.append({" ": f"Person: {name}", **cells})
    st.table(rows, border="horizontal", hide_index=True, alt="Queries by what the person and what the judge said")


def confusion_table(agreed: Agreement) -> pd.DataFrame:
    """A row per class of the label, a column per class of the verdict."""
    frame = pd.DataFrame(agreed.confusion, columns=[f"Judge {name}" for name in agreed.classes])
    frame.insert(0, "Label", list(agreed.classes))
    return frame


def _votes(held: Held, at: int) -> None:
    votes = held.found[at].votes
    if votes is None or not votes.n:
        st.caption("One vote on each query: nothing tells how steady the judge is with itself."
                   if held.judge and not held.local else "")
        return
    if len(chosen(held.judge)[1]) > 1:
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


def _disagreements(held: Held, at: int) -> None:
    """One after the other, the furthest apart first."""
    one = held.found[at]
    found = one.disagreements
    st.markdown(f"### Disagreements ({len(found):,})")
    if not found:
        st.caption("Judge and person agree on every labelled query.")
        return
    digest = held.context.digests[at]
    place = min(st.session_state.get(state.APART_AT, {}).get(digest, 0), len(found) - 1)
    with st.container(horizontal=True, vertical_alignment="center", key="trust_steps"):
        st.button("Previous", icon=":material/arrow_back:", key="apart_before", disabled=place == 0, on_click=_go,
                  args=(digest, place - 1))
        st.button("Next", icon=":material/arrow_forward:", key="apart_next", disabled=place == len(found) - 1,
                  on_click=_go, args=(digest, place + 1))
        st.caption(f"{place + 1:,} of {len(found):,}, the furthest apart first")
        query_links.link("On the Queries page", digest, **{state.QUERY: found[place].query_id})
    _one(held, at, found[place])


def _go(run: str, place: int) -> None:
    st.session_state[state.APART_AT] = {**st.session_state.get(state.APART_AT, {}), run: place}


def _one(held: Held, at: int, apart: Disagreement) -> None:
    """A disagreement with all that either side could see."""
    context = held.context
    told = answers_data.told(context.digests[at], context.scope)
    row = told.ids.index(apart.query_id)
    said = None if held.local else trust_data.read_by(context.digests[at], context.scope, held.spec).judgements.get(
        apart.query_id)
    with st.container(border=True, key="apart_one"):
        st.subheader(fmt.escape(apart.query_id + (f": {told.questions[row][:400]}" if told.questions[row] else "")),
                     anchor=False)
        st.markdown(f"Judge **{fmt.number(apart.verdict, 2)}** · person **{fmt.number(apart.label, 2)}** · "
                    f"{elements.swatch(context.slots[at], context.names[at])}")
        left, right = st.columns(2, gap="large")
        with left:
            texts_of(told, row)
            _judged(said)
        with right:
            contexts_of(told, row)


def texts_of(told: Told, row: int) -> None:
    """Answer and references of a query."""
    st.markdown("**Answer**")
    st.html(texts.block(texts.shown(told.answers[row])))
    st.markdown("**Reference**" if len(told.references[row]) < 2 else "**References**, any one will do")
    for text in told.references[row] or (None,):
        st.html(texts.block(texts.shown(text)))


def contexts_of(told: Told, row: int) -> None:
    """The contexts of a query, or what stands in for them."""
    contexts = told.contexts[row]
    st.markdown("**Contexts**" if contexts is None or told.given else
                f"**Texts of the first {fmt.count(len(contexts), 'document')}**, for want of contexts")
    if contexts is None:
        st.caption("Not known: the run holds neither contexts nor texts for this query.")
    elif not contexts:
        st.caption("None was given.")
    else:
        st.html(texts.numbered(contexts, CONTEXTS, LONG))
        if len(contexts) > CONTEXTS:
            st.caption(f"The first {CONTEXTS} of {len(contexts):,}.")


def _judged(said: Judgement | None) -> None:
    """The judge's reason, or its claims with a verdict each."""
    if said is None or not said.rows:
        return
    st.markdown("**What the judge says**")
    if len(said.rows) == 1 and "claim" not in said.rows[0]:
        st.html(texts.block(texts.shown(str(said.rows[0].get("reason") or ""))))
        return
    rows = []
    for one in said.rows[:CLAIMS]:
        verdict = next((str(one[key]) for key in ("verdict", "score", "evasive") if one.get(key) is not None), "")
        mark = "✓" if verdict in GOOD or verdict == "1" else "✗" if "verdict" in one else "·"
        text = next((str(one[key]) for key in ("claim", "question") if one.get(key)), "")
        chunks = ", ".join(map(str, one.get("chunks") or ()))
        below = " · ".join(filter(None, (str(one.get("judge") or ""), str(one.get("reason") or ""), chunks)))
        rows.append(f"<li>{mark} <b>{html.escape(verdict)}</b> {html.escape(text)}"
                    f"<br><small>{html.escape(below)}</small></li>")
    st.html(f'<ul style="padding-left:1.2em;margin:0;overflow-wrap:anywhere">{"".join(rows)}</ul>')
    if len(said.rows) > CLAIMS:
        st.caption(f"The first {CLAIMS} of {len(said.rows):,}.")
