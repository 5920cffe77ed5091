"""The labeling policy on the Judge validation tab: four decisions before the first label, which the judge reads too."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.models.judge.tasks.policy import ASKED, Policy, current_policy, save_policy
from ragdash.reporting.sentences import formatting as fmt


def labeling_policy(labeled: bool) -> None:
    """Render the policy; open as long as nothing is labeled and nothing decided.

    Parameters
    ----------
    labeled
        Whether any answer on this sheet has a label.
    """
    policy = current_policy()
    title = f"Labeling policy ({policy.digest})" if policy else "Labeling policy: decide four things first"
    with st.expander(title, icon=":material/gavel:", key="labeling_policy", expanded=policy is None and not labeled):
        st.caption("Your decisions are part of the judge's prompts. Labels and verdicts under another policy are kept "
                   "and not mixed with these." if policy is None else "In force:")
        if policy is not None:
            for name, answer in asdict(policy).items():
                st.caption(fmt.escape(ASKED[name][1][answer]))
        if read_only():
            return
        for name, (question, answers) in ASKED.items():
            key = f"{state.POLICY_ANSWER}_{name}"
            st.session_state.setdefault(key, asdict(policy)[name] if policy else next(iter(answers)))
            st.radio(question, list(answers), format_func=answers.get, key=key, persist_state="session")
        with st.container(horizontal=True, key="policy_buttons"):
            st.button("Save policy", icon=":material/save:", key="policy_save", on_click=_save,
                      help=tooltip("labeling_policy"))
            if policy is not None:
                st.button("Remove policy", icon=":material/delete:", key="policy_remove", on_click=_remove)


def _save() -> None:
    try:
        with rights.change("save-policy"):
            save_policy(Policy(**{name: st.session_state[f"{state.POLICY_ANSWER}_{name}"] for name in ASKED}))
    except InputError as error:
        state.set_notice(error.problems)


def _remove() -> None:
    try:
        with rights.change("save-policy"):
            save_policy(None)
    except InputError as error:
        state.set_notice(error.problems)
