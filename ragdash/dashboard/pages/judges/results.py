"""What came of judging: means with intervals, what is missing and why, tokens and cost so far, what to beware of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from ragdash.analysis.judge_validation import generator_of, same_family
from ragdash.core.errors import InputError
from ragdash.dashboard.components import query_links
from ragdash.dashboard.jobs import judging
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.judges import data as judges_data
from ragdash.dashboard.pages.judges import form
from ragdash.dashboard.pages.judges import sentences as judges_sentences
from ragdash.dashboard.pages.judges.data import Cell
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.widgets import elements
from ragdash.matching.views.judged import IMPORTED
from ragdash.matching.views.panel_verdicts import why
from ragdash.metrics import METRICS
from ragdash.models.judge.endpoint import Prices
from ragdash.models.judge.panel import AND
from ragdash.models.judge.verdict_store.usage import Spent
from ragdash.reporting.sentences import fmt, judge

AGREE = "Judges agree"
TOLD = 4  # warnings told one by one
FORMATS = {"Mean": "%.3f", "Low": "%.3f", "High": "%.3f", "Votes agree": "percent", AGREE: "percent"}


@dataclass(frozen=True)
class Results:
    """What the chosen judge says, or several as one. label: the name; known: those of all who have judged these runs;
    cells: {(place of the run, metric): Cell}.
    """

    context: PageContext
    of: tuple[Spent, ...]
    label: str
    known: tuple[str, ...]
    cells: Mapping[tuple[int, str], Cell]

    @property
    def metrics(self) -> list[str]:
        return list(dict.fromkeys(name for _, name in self.cells))

    @property
    def one(self) -> Spent | None:
        """The judge, None where they are several."""
        return self.of[0] if len(self.of) == 1 else None


def results(context: PageContext) -> Results | None:
    """What the judge chosen by the session says of the runs shown; None where no judge has said anything of them.

    The ledger that cannot be read is told as a problem.
    """
    try:
        usages = judges_data.judges()
    except InputError as error:
        elements.problems(error.problems, "judge_ledger")
        return None
    labels = judge.labels(usage.judge for usage in usages)
    spoken = {
        label: (usage, cells) for label, usage in zip(labels, usages, strict=True) if (cells := _about(context, usage))
    }
    if not spoken:
        return None
    choices = {label: ((usage,), cells) for label, (usage, cells) in spoken.items()}
    panel = judge.together(spoken)
    members = {label: spoken[label] for label in panel.split(AND)} if panel else {}
    judge_counts = Counter(name for _, cells in members.values() for name in {name for _, name in cells})
    if any(n > 1 for n in judge_counts.values()):
        choices[panel] = tuple(usage for usage, _ in members.values()), {}
    if state.get(state.JUDGE_ASKED) in choices:  # whom this session asks is whom it wants to read
        st.session_state[state.JUDGE] = st.session_state.pop(state.JUDGE_ASKED)
    label = state.get(state.choice_key(state.JUDGE, list(choices), next(iter(choices))))
    of, cells = choices[label]
    if len(of) > 1:
        cells = judges_data.together(
            {usage.judge: cells for usage, cells in members.values()}, context.digests, context.scope, _read_at()
        )
    return Results(context, of, label, tuple(choices), cells)


def _about(context: PageContext, usage: Spent) -> dict[tuple[int, str], Cell]:
    return judges_data.table(context.digests, context.scope, usage, _read_at())


def _read_at() -> str:
    job = judging.current()
    return judges_data.read_at(job is not None and job.running)


def finding(context: PageContext, results: Results | None) -> None:
    """What came of it, in a sentence."""
    if results is None:
        st.markdown("**Nobody has judged these runs yet.** Choose what is to be judged and who is asked; the plan "
                    "tells calls, tokens and cost before anything is sent.")
        return
    runs = len({index for index, _ in results.cells})
    n = sum(cell.n for cell in results.cells.values())
    undefined = sum(sum(cell.undefined.values()) for cell in results.cells.values())
    lacking = sum(sum(cell.missing.values()) for cell in results.cells.values())
    unasked = sum(
        cell.missing.get(why(reason)[0], 0) for cell in results.cells.values() for reason in judges_data.NOBODY
    )
    counts = [*([f"{undefined:,} undefined by their texts"] if undefined else []),
            f"{lacking - unasked:,} missing" if lacking > unasked else "none missing",
            *([f"{unasked:,} not asked"] if unasked else [])]
    subject = f"**{fmt.escape(results.label)}** has" if results.one else \
        f"**{judge.named(results.label, short=True)}** ({fmt.escape(results.label)}): they have"
    st.markdown(f"{subject} judged {fmt.count(runs, 'run')} by "
                f"{fmt.count(len(results.metrics), 'metric')}: {fmt.count(n, 'value')}, "
                f"{', '.join(counts)}.")
    if judge.is_toy(results.label):
        st.warning(judge.TOY_SAID, icon=":material/smart_toy:")


def section(results: Results) -> None:
    """The table with what to beware of and where to go on."""
    st.header("What came of it", anchor=False, help="Means over the n queries that have a value, with 95 % bootstrap "
              "intervals. Undefined: the texts leave nothing to judge, such as one without a claim. "
              "Missing: a verdict that failed or was not asked for. Neither counts, and neither is ever 0.")
    if len(results.known) > 1:
        st.selectbox("Judge", results.known, key=state.choice_key(state.JUDGE, results.known, results.label), width=420,
                     format_func=lambda label: judge.named(label, short=True), persist_state="session",
                     help="Several have judged these runs; each one's verdicts stand by themselves. Their mean is over "
                          "the queries on which each has a verdict. Other pages show the one last asked that has any.")
    elements.frame(
        _frame(results),
        "judged",
        f"What {results.label} says: mean, interval, n, what is undefined or missing",
        formats=FORMATS,
        widths={"Undefined": 200, "Missing": 240, "Worth knowing": 260},
    )
    for usage in results.of:
        _spent(usage, "This judge" if results.one else str(usage.judge))
    _warnings(results)
    _links(results)


def _frame(results: Results) -> pd.DataFrame:
    rows, counted = [], judges_sentences.counted
    for (index, name), cell in results.cells.items():
        rows.append({"Run": results.context.names[index], "Judged metric": judge.title(name), "Mean": cell.mean,
                     "Low": cell.low, "High": cell.high, "n": cell.n, "Undefined": counted(cell.undefined),
                     "Missing": counted(cell.missing), "Votes": cell.votes, "Votes agree": cell.agreement,
                     "Worth knowing": judge.flagged(cell.flags),
                     "Judges": ", ".join(map(judge.named, cell.judges))})
    frame = pd.DataFrame(rows).rename(columns={} if results.one else {"Votes agree": AGREE})
    empty = [name for name in ("Votes agree", "Worth knowing", "Undefined", "Missing", "Judges") if name in frame
              if not frame[name].replace("", None).notna().any()]
    return frame.drop(columns=[*empty, *(["Votes"] if "Votes agree" in empty or not results.one else [])])


def _spent(usage: Spent, name: str) -> None:
    """Tokens and cost of everything that this judge was ever asked; metrics share verdicts, so not by metric."""
    if usage.judge.host == IMPORTED:
        st.caption(f"{fmt.count(usage.verdicts, 'verdict')} read from a file; nobody was asked.")
        return
    prices = form.prices()
    cost = (
        f", about {judges_sentences.money(Prices(*prices).cost(usage.prompt, usage.completion))} at the prices given"
        if prices
        else ""
    )
    failed = f" and {fmt.count(usage.failures, 'question')} without one" if usage.failures else ""
    guessed = (
        f" Of {fmt.count(usage.estimated, 'reply', 'replies')} the tokens are estimated." if usage.estimated else ""
    )
    st.caption(f"{fmt.escape(name)} so far, on all texts ever judged here: "
               f"{fmt.count(usage.verdicts, 'verdict')}{failed}, "
               f"{fmt.count(usage.prompt, 'token')} read and {usage.completion:,} written{cost}.{guessed}")


def _warnings(results: Results) -> None:
    """A judge that always says the same; a judge of the generator's family."""
    sentences = [
        f"{fmt.escape(judge.title(name))} of **{fmt.escape(results.context.names[index])}** is {cell.n:,} times "
        f"{cell.mean:g}: a judge that always says the same tells nothing. Read some of its reasons."
        for (index, name), cell in results.cells.items()
        if cell.alike
    ]
    for index, digest in enumerate(results.context.digests):
        wrote = generator_of(LOADED.run(digest))
        shared = same_family(AND.join(usage.judge.model for usage in results.of), wrote) if wrote else ()
        if shared:
            sentences.append(
                f"**{fmt.escape(results.context.names[index])}** was written by {fmt.escape(wrote)}, of the judge's "
                f"own family ({fmt.escape(fmt.listed(sorted(shared)))}): judges favour what is written as "
                "they write. Hold its verdicts against people's labels."
            )
    for sentence in sentences[:TOLD]:
        st.caption(f":material/warning: {sentence}")
    if len(sentences) > TOLD:
        with st.expander(f"{len(sentences) - TOLD:,} more like these", key="judge_warnings"):
            st.markdown("\n".join(f"- {sentence}" for sentence in sentences[TOLD:]))


def _links(results: Results) -> None:
    name = next((name for name in results.metrics if name in METRICS), None)
    with st.container(horizontal=True, key="judge_links"):
        st.page_link("pages/trust.py", label="Can this judge be trusted?", icon=":material/handshake:")
        for index, digest in enumerate(results.context.digests if name else ()):
            if (index, name) in results.cells:
                query_links.link(f"{results.context.names[index]}: worst first", digest, **{state.METRIC: name},
                                 help=f"Its queries by {judge.title(name)}, with claims and reasons.")
