"""Labels as examples in the judge's prompt, on the Judge validation tab: choose, see what is held out, remove."""

from __future__ import annotations

from functools import partial

import streamlit as st

from ragdash.analysis.judge_validation import PER_CLASS, choose_examples
from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.pages.answers.validation import data as trust_data
from ragdash.dashboard.pages.answers.validation.data import TrustData
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import clicks, fields
from ragdash.metrics import Spec
from ragdash.metrics.judged import judge_request
from ragdash.models.judge.tasks import find_task
from ragdash.models.judge.tasks.examples import ExampleSet, examples_of, save_examples, stored_examples, task_of
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.judge_validation import examples_text

MOST_PER_CLASS = 5


def takes_examples(spec: Spec) -> bool:
    """Whether labels can be examples for a metric, by its kind."""
    return spec.metric.view == "Judged" and bool(task_of(judge_request(spec)[0]))


def in_force(spec: Spec) -> ExampleSet | None:
    """The examples in the prompt of a metric."""
    if not takes_examples(spec):
        return None
    name = judge_request(spec)[0]
    return examples_of(name, find_task(name).version)


def examples_editor(data: TrustData) -> None:
    """Render the choice of examples, or those in force; nothing for a metric that takes none."""
    if not takes_examples(data.spec) or data.is_local:
        return
    st.header("Examples for the judge", anchor=False, help=tooltip("judge_examples"))
    examples = in_force(data.spec)
    if examples is not None:
        show_examples(data.spec)
        return
    if not any(trust_data.labels_of_all_queries(data)):
        st.caption("Label some answers first.")
        return
    st.caption("A few of your labels, drawn at random, become part of the prompt. They and the labels drawn with them "
               "are then held out of agreement and intervals. The judge has to be asked again.")
    if read_only():
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="example_choice"):
        fields.number_input("Examples per class", 1, MOST_PER_CLASS, PER_CLASS, key=state.EXAMPLES_PER_CLASS, width=160)
        st.button("Use labels as examples", icon=":material/school:", on_click=clicks.take_choice,
                  args=(state.EXAMPLES_PER_CLASS, partial(_choose, data, _stored(data.spec))),
                  key=state.bound_key("examples_save", data.label_key))


def show_examples(spec: Spec) -> None:
    """Render the examples in force for a metric and the button that removes them; nothing where there are none."""
    examples = in_force(spec)
    if examples is None:
        return
    with st.container(key="examples_in_force"):
        st.markdown(f":material/school: {fmt.escape(examples_text(examples))}. "
                    f"{fmt.count(examples.drawn, 'label')} of {examples.labels:,} held out.")
        st.table([{"Query": fmt.escape(example.query_id), "Run": fmt.escape(example.run), "Verdict": fmt.escape(
            example.verdict)} for example in examples.examples], border="horizontal", hide_index=True,
            alt="Labeled answers in the prompt")
        if not read_only():
            st.button("Remove examples", icon=":material/delete:", on_click=_remove, args=(spec, _stored(spec)),
                      key=state.bound_key("examples_remove", judge_request(spec)[0]))


def _stored(spec: Spec) -> ExampleSet | None:
    """The examples that are stored for a metric, in force or not."""
    return stored_examples().get(task_of(judge_request(spec)[0]))


def _choose(data: TrustData, shown: ExampleSet | None, per_class: int) -> None:
    try:
        scope = data.context.scope.whole
        choice = choose_examples([scope.match(digest) for digest in data.context.digests],
                                 trust_data.labels_of_all_queries(data), judge_request(data.spec)[0],
                                 per_class=per_class, groups=data.groups)
        with rights.change("save-examples"):
            save_examples(choice.examples.metric, choice.examples, shown)
    except InputError as error:
        state.set_notice(error.problems)
        return
    state.set_notice(choice.problems)


def _remove(spec: Spec, shown: ExampleSet | None) -> None:
    try:
        with rights.change("save-examples"):
            save_examples(judge_request(spec)[0], None, shown)
    except InputError as error:
        state.set_notice(error.problems)
