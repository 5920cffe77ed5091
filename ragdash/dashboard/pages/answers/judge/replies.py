"""What came of a judging job: how many scores, why others are missing, and the first replies as they came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import orjson
import streamlit as st

from ragdash.core.errors import Problem
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.scoring.run_judge import NO_USE_REASONS
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import judge as sentences_judge

TRIED = ("Its verdict is saved. One verdict says nothing about a run, so a judge with more verdicts stays the one "
         "shown. Plan and start to ask for the rest.")


def render_outcome(report: Mapping, metrics: Sequence[str], summary: str, problems: Sequence[Problem], *,
                   trial: bool) -> None:
    """Render how a job ended. summary: its calls in words; trial: it was a single call."""
    examples = report.get("examples") or []
    if report["stopped"] == "error":
        elements.problems([replace(problem, file=problem.field, field=None) for problem in problems
                           if problem.severity == "error"], "judge_error")
        render_stopped("Stopped by the error above", f"{sentences_judge.score_counts(report['rows'])}; {summary}")
    elif trial and examples:
        _render_trial(examples[0], summary)
        return
    else:
        _render_scores(report, metrics, summary)
    unread = [example for example in examples if example["missing"]]
    if unread:
        with st.expander("The first replies without a verdict", icon=":material/chat_error:", key="judge_replies"):
            for index, example in enumerate(unread):
                _render_example(example, index)


def render_stopped(reason: str, summary: str = "") -> None:
    """Render why a job ended early. summary: its scores and calls in words; a job that was killed has none."""
    counts = f" ({summary})" if summary else ""
    billing = "nothing is billed twice" if summary else "requests that were in flight may be billed again"
    st.caption(f":material/stop_circle: {reason}{counts}. Verdicts are saved. Starting again continues from there, and "
               f"{billing}.")


def _render_scores(report: Mapping, metrics: Sequence[str], summary: str) -> None:
    """The scores that are there, green only where every reply could be used."""
    titles = fmt.escape(fmt.listed([sentences_judge.metric_title(name) for name in metrics]))
    counts = fmt.escape(sentences_judge.score_counts(report["rows"]))
    end = {"budget": "Budget spent", None: "Done"}.get(report["stopped"], "Stopped")
    if any(NO_USE_REASONS & row["missing"].keys() for row in report["rows"]):
        st.warning(f"**{counts}** ({titles}). {end}: {summary}. Starting again asks again what failed.",
                   icon=":material/warning:")
    elif report["stopped"]:
        render_stopped(end, f"{summary}; {counts}")
    else:
        st.caption(f":material/check: {end}: {summary}. {counts} ({titles}).")


def _render_trial(example: Mapping, summary: str) -> None:
    """The question of a single call, the reply as it came, and the verdict or why there is none."""
    if example["missing"]:
        st.warning(f"**The call that was tried gives no verdict: {fmt.escape(example['missing'])}.** "
                   f"({summary})", icon=":material/warning:")
    else:
        st.caption(f":material/check: One call was answered ({summary}). {TRIED}")
    _render_example(example, 0)


def _render_example(example: Mapping, index: int) -> None:
    with st.container(border=True, key=f"judge_reply_{index}"):
        st.caption(f"Reply of the judge ({fmt.escape(example['task'])})")
        if example["reply"]:
            st.code(example["reply"], language=None, wrap_lines=True)
        else:
            st.caption("No text came.")
        if example["missing"]:
            note = f": {fmt.escape(example['note'])}" if example["note"] else ""
            st.markdown(f":material/close: No verdict: {fmt.escape(example['missing'])}{note}.")
        else:
            st.caption("Verdict, as it was read")
            st.code(orjson.dumps(example["verdict"], option=orjson.OPT_INDENT_2).decode(), language="json",
                    wrap_lines=True)
        with st.popover("Question sent", icon=":material/help:"):
            st.code(example["question"], language=None, wrap_lines=True)
