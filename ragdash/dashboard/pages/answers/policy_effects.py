"""What a labeling policy sets aside: verdicts and labels of the runs shown that were given under another one.

Nothing of it is deleted: under the policy before, or without one, it is shown again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np
import streamlit as st

from ragdash.analysis.judge_validation import LabelStore, policy_digest
from ragdash.core.errors import InputError
from ragdash.dashboard.auth import rights
from ragdash.dashboard.components import judge_note
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.dashboard.pages.answers.judge.asked_metrics import asked_metrics
from ragdash.dashboard.session import state
from ragdash.matching.views.judged import IMPORTED
from ragdash.metrics import METRICS
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.task_runner import read, task_names
from ragdash.models.judge.tasks import TASKS, Case
from ragdash.models.judge.tasks.examples import additions_under
from ragdash.models.judge.tasks.policy import ASKED, BY_TASK, Policy, current_policy, policy_of, save_policy
from ragdash.reporting.sentences import formatting as fmt

ANY_CASE = Case("q", "text", "text [1].", ("text",), (("1", "text"),))


@dataclass(frozen=True)
class GivenUnder:
    """What is known of the runs shown under a policy, None for no policy.

    verdicts: {metric: number} of the metrics whose prompts a policy changes; labels: their number.
    """

    policy: Policy | None
    verdicts: Mapping[str, int]
    labels: int

    def beyond(self, other: GivenUnder) -> GivenUnder:
        """What is known under this policy and not under the other."""
        more = {name: n - other.verdicts.get(name, 0) for name, n in self.verdicts.items()
                if n > other.verdicts.get(name, 0)}
        return GivenUnder(self.policy, more, self.labels)

    def __bool__(self) -> bool:
        return bool(self.verdicts or self.labels)

    @property
    def words(self) -> str:
        """732 verdicts (Correctness, Faithfulness) and 12 labels."""
        titles = ", ".join(METRICS[name].title for name in self.verdicts)
        parts = [f"{fmt.count(sum(self.verdicts.values()), 'verdict')} ({titles})"] if self.verdicts else []
        return fmt.listed([*parts, *([fmt.count(self.labels, "label")] if self.labels else [])])


def given_under(context: PageContext, policy: Policy | None) -> GivenUnder:
    """What the judges and people said of the runs shown under this policy; InputError for stores that are unreadable.
    """
    digest = policy.digest if policy else ""
    counts = [LabelStore().label_counts(run) for run in context.digests]
    labels = sum(n for of_run in counts for what, n in of_run.items() if policy_digest(what) == digest)
    store, scope = default_verdict_store(), context.scope
    key = (str(store.path), store.stamp(), additions_under(policy).digest, scope.truth_digest, scope.conventions.ties)
    return GivenUnder(policy, _verdicts(tuple(context.digests), key, _context=context, _policy=policy), labels)


@st.cache_resource(max_entries=32, show_spinner=False)
def _verdicts(runs: tuple[str, ...], key: tuple, _context: PageContext, _policy: Policy | None) -> Mapping[str, int]:
    store, additions = default_verdict_store(), additions_under(_policy)
    counts: dict[str, int] = {}
    for usage in judges_data.judges():
        names = [] if usage.judge.host == IMPORTED else filter(_has_rules, asked_metrics(usage))
        for name in names:
            askings = [judges_data.judged(run, _context.scope).askings(name) for run in runs]
            n = sum(bool(np.isfinite(judgment.value)) for of_run in askings
                    for judgment in read(of_run, store, usage.judge, additions=additions))
            counts[name] = max(n, counts.get(name, 0))
    return {name: n for name, n in counts.items() if n}


@cache
def _has_rules(name: str) -> bool:
    """Whether a policy changes the prompts of a metric."""
    return bool(task_names(TASKS[name].start(ANY_CASE)) & BY_TASK.keys())


def set_aside_by(context: PageContext, policy: Policy | None) -> GivenUnder:
    """What is shown now, and would not be under another policy."""
    return given_under(context, current_policy()).beyond(given_under(context, policy))


def _others(context: PageContext) -> list[GivenUnder]:
    """What other policies than the current one hide of the runs shown, no policy first."""
    current = current_policy()
    digests = {policy_digest(what) for run in context.digests for what in LabelStore().label_counts(run)}
    before = st.session_state.get(state.POLICY_BEFORE)
    known = dict.fromkeys([None, *([before] if before else []), *map(policy_of, sorted(digests - {""}))])
    others = [policy for policy in known if policy != current]
    shown = given_under(context, current) if others else None
    return [hidden for policy in others if (hidden := given_under(context, policy).beyond(shown))]


def render_note(context: PageContext) -> None:
    """Where the policy in force hides verdicts or labels: which, and the way back; else nothing."""
    try:
        others = _others(context)
    except InputError:  # the tabs say what cannot be read
        return
    if not others:
        return
    current = current_policy()
    with st.container(border=True, key="policy_note"):
        force = f"The labeling policy {current.digest} is in force." if current else "No labeling policy is in force."
        lines = [f":orange[:material/gavel:] **{force}** What was given under other rules is kept, and not shown:"]
        lines += [f"- {name_of(hidden.policy)}: {fmt.escape(hidden.words)}" for hidden in others]
        st.markdown("\n".join(lines))
        with st.container(horizontal=True, vertical_alignment="center", key="policy_ways"):
            for hidden in others if rights.may("save-policy") else []:
                title = f"Go back to policy {hidden.policy.digest}" if hidden.policy else "Go back to no policy"
                st.button(title, icon=":material/undo:", key=f"policy_to_{hidden.policy and hidden.policy.digest}",
                          on_click=change_policy, args=(hidden.policy, current))
            judge_note.link_to_judge("Ask the judge under this policy" if current else "Ask the judge")


def name_of(policy: Policy | None) -> str:
    """A policy in a list: its digest."""
    return f"under policy {policy.digest}" if policy else "without a policy"


def change_policy(policy: Policy | None, shown: Policy | None) -> None:
    """Put a policy in force in place of the one shown, None for none; an error is shown on the page."""
    try:
        with rights.change("save-policy"):
            save_policy(policy, shown)
    except InputError as error:
        state.set_notice(error.problems)
        return
    st.session_state[state.POLICY_BEFORE] = shown
    for name, answer in asdict(policy).items() if policy else ():
        st.session_state[f"{state.POLICY_ANSWER}_{name}"] = answer


def chosen_policy() -> Policy:
    """The policy of the answers that are chosen on the page."""
    return Policy(**{name: st.session_state[f"{state.POLICY_ANSWER}_{name}"] for name in ASKED})
