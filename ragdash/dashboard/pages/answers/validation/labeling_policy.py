"""The labeling policy on the Judge validation tab: four decisions before the first label, which the judge reads too."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers import policy_effects
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.metrics import Spec
from ragdash.metrics.docs.human_agreement import says_right
from ragdash.models.judge.tasks.policy import ASKED, BY_TASK, Policy, current_policy
from ragdash.reporting.sentences import formatting as fmt


def labeling_policy(context: PageContext, spec: Spec, labeled: bool) -> None:
    """Render the policy; open as long as nothing is labeled and nothing decided that matters to the labels.

    Parameters
    ----------
    spec
        What is labeled: only of what says whether answers are right, and of judges that read the policy, it is first.
    labeled
        Whether any answer on this sheet has a label.
    """
    policy = current_policy()
    matters = spec.name in BY_TASK or says_right(spec)
    title = f"Labeling policy ({policy.digest})" if policy else (
        "Labeling policy: decide four things first" if matters else "Labeling policy for right answers")
    is_open = matters and policy is None and not labeled
    with st.expander(title, icon=":material/gavel:", key="labeling_policy", expanded=is_open):
        st.caption("Your decisions are part of the prompts of LLM judges. Labels and verdicts under another policy are "
                   "kept and not mixed with these." if policy is None else "In force:")
        if policy is not None:
            for name, answer in asdict(policy).items():
                st.caption(fmt.escape(ASKED[name][1][answer]))
        if read_only():
            return
        for name, (question, answers) in ASKED.items():
            key = f"{state.POLICY_ANSWER}_{name}"
            st.session_state.setdefault(key, asdict(policy)[name] if policy else next(iter(answers)))
            st.radio(question, list(answers), format_func=answers.get, key=key, persist_state="session")
        chosen = policy_effects.chosen_policy()
        if chosen != policy:
            _say_what_is_set_aside(context, "Saving this policy", chosen, policy)
        with st.container(horizontal=True, key="policy_buttons"):
            st.button("Save policy", icon=":material/save:", key="policy_save", help=tooltip("labeling_policy"),
                      disabled=chosen == policy, on_click=_save, args=(policy,))
            if policy is not None:
                st.button("Remove policy", icon=":material/delete:", key="policy_remove",
                          on_click=policy_effects.change_policy, args=(None, policy))


def _save(shown: Policy | None) -> None:
    """Put what is chosen now in force."""
    policy_effects.change_policy(policy_effects.chosen_policy(), shown)


def _say_what_is_set_aside(context: PageContext, step: str, to: Policy, before: Policy | None) -> None:
    """Say what a step hides, before it is taken; nothing where it hides nothing."""
    try:
        hidden = policy_effects.set_aside_by(context, to)
    except InputError:  # the tab says what cannot be read
        return
    if hidden:
        st.markdown(f":orange[:material/warning:] **{step} hides {fmt.escape(hidden.words)}**, given "
                    f"{policy_effects.name_of(before)}, on all pages. They are kept: you can go back at any time. "
                    "Under the new policy, the judge has to be asked again.")
