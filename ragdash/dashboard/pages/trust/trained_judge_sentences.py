"""The judge that is trained on the labels in words: what it is, what it looked at, what it lacks."""

from __future__ import annotations

import streamlit as st

from ragdash.analysis.judge_validation import LocalJudge
from ragdash.dashboard.pages.trust.data import Held
from ragdash.dashboard.pages.trust.trained_judge import LOCAL
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.metrics import METRICS
from ragdash.reporting.sentences import fmt

NAMED = "local judge, trained on your labels"
IS = ("It is a logistic regression on numbers of the texts, fitted here to the labels: no key, nothing is sent "
      "anywhere. It is good for these runs and labels, not for others.")


def whose(data: Held) -> None:
    """Whose verdicts these are, and what they come from."""
    st.markdown(f":material/school: Judge: **{NAMED}**", help="A labelled query gets its verdict from a model that has "
                "not seen its label, in five folds; any other query gets the mean of the five. So no label serves both "
                "to train the judge and to say how good it is.")
    learned = data.learned
    if learned is None:
        st.caption(IS)
        return
    st.caption(f"Trained on {fmt.count(learned.labels, 'label')} in {len(learned.weights)} folds. {IS}")
    with st.expander("What it looked at", icon=":material/tune:", key="local_features"):
        _features(learned)


def _features(learned: LocalJudge) -> None:
    weights = learned.weights.mean(axis=0).tolist()
    order = sorted(range(len(weights)), key=lambda index: -abs(weights[index]))
    st.table([{"Feature": _title(learned.features[index]), "Weight": fmt.number(weights[index], 2, signed=True)}
              for index in order], border="horizontal", hide_index=True,
             alt="Features of the local judge and their weights")
    st.caption("Weights are of standardised features, their mean over the folds: above 0 speaks for the answer. Of "
               "features that go together one may take the other's weight.")
    if learned.models:
        st.caption("By local models: " + fmt.listed([f"{_title(name)} by {fmt.escape(model)}"
                                                       for name, model in learned.models.items()]) + ".")
    if learned.left_out:
        st.markdown("**Left out**")
        st.table([{"Feature": _title(name), "Why": fmt.escape(reason)} for name, reason in learned.left_out.items()],
                 border="horizontal", hide_index=True, alt="Features that no run has, and why")


def _title(name: str) -> str:
    """A feature in words: metrics by their titles."""
    first, unknown, remainder = name.partition(" not known")
    title = METRICS[first].title if first in METRICS else first[:1].upper() + first[1:]
    return fmt.escape(f"{title}{unknown}{remainder}")


def untrained(data: Held) -> None:
    """What is needed before there is anything to show."""
    lacking = [problem.words("page") for problem in data.lacking]
    elements.empty("Not trained yet", "  \n".join(
        f"Found {fmt.escape(words.found)}; expected {fmt.escape(words.expected)}.  \n:material/build: "
        f"{fmt.escape(words.fix)}" for words in lacking))


def offer() -> None:
    """The way to it from a page without verdicts."""
    st.button("Train a judge on your labels", icon=":material/school:", key="take_local",
              on_click=lambda: st.session_state.update({state.JUDGE: LOCAL}))
