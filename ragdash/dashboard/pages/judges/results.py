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
        found = judges_data.judges()
    except InputError as error:
        elements.problems(error.problems, "judge_ledger")
        return None
    labels = judge.judge_labels(one.judge for one in found)
    own = {label: (one, cells) for label, one in zip(labels, found, strict=True) if (cells := _about(context, one))}
    if not own:
        return None
    known = {label: ((one,), cells) for label, (one, cells) in own.items()}
    several = judge.combine_judges(own)
    members = {label: own[label] for label in several.split(AND)} if several else {}
    told = Counter(name for _, cells in members.values() for name in {name for _, name in cells})
    if any(n > 1 for n in told.values()):
        known[several] = tuple(one for one, _ in members.values()), {}
    if state.get(state.JUDGE_ASKED) in known:  # whom this session asks is whom it wants to read
        st.session_state[state.JUDGE] = st.session_state.pop(state.JUDGE_ASKED)
    chosen = state.get(state.one(state.JUDGE, list(known), next(iter(known))))
    of, cells = known[chosen]
    if len(of) > 1:
        cells = judges_data.together(
            {one.judge: cells for one, cells in members.values()}, context.digests, context.scope, _read_at()
        )
    return Results(context, of, chosen, tuple(known), cells)


def _about(context: PageContext, one: Spent) -> dict[tuple[int, str], Cell]:
    return judges_data.table(context.digests, context.scope, one, _read_at())


def _read_at() -> str:
    job = judging.current()
    return judges_data.read_at(job is not None and job.running)


def finding(context: PageContext, held: Results | None) -> None:
    """What came of it, in a sentence."""
    if held is None:
        st.markdown("**Nobody has judged these runs yet.** Choose what is to be judged and who is asked; the plan "
                    "tells calls, tokens and cost before anything is sent.")
        return
    runs = len({at for at, _ in held.cells})
    n = sum(cell.n for cell in held.cells.values())
    undefined = sum(sum(cell.undefined.values()) for cell in held.cells.values())
    lacking = sum(sum(cell.missing.values()) for cell in held.cells.values())
    unasked = sum(cell.missing.get(why(reason)[0], 0) for cell in held.cells.values() for reason in judges_data.NOBODY)
    told = [*([f"{undefined:,} undefined by their texts"] if undefined else []),
            f"{lacking - unasked:,} missing" if lacking > unasked else "none missing",
            *([f"{unasked:,} not asked"] if unasked else [])]
    whose = f"**{fmt.escape(held.label)}** has" if held.one else \
        f"**{judge.judge_name(held.label, short=True)}** ({fmt.escape(held.label)}): they have"
    st.markdown(f"{whose} judged {fmt.count(runs, 'run')} by "
                f"{fmt.count(len(held.metrics), 'metric')}: {fmt.count(n, 'value')}, "
                f"{', '.join(told)}.")
    if judge.is_toy(held.label):
        st.warning(judge.TOY_NOTE, icon=":material/smart_toy:")


def section(held: Results) -> None:
    """The table with what to beware of and where to go on."""
    st.header("What came of it", anchor=False, help="Means over the n queries that have a value, with 95 % bootstrap "
              "intervals. Undefined: the texts leave nothing to judge, such as one without a claim. "
              "Missing: a verdict that failed or was not asked for. Neither counts, and neither is ever 0.")
    if len(held.known) > 1:
        st.selectbox("Judge", held.known, key=state.one(state.JUDGE, held.known, held.label), width=420,
                     format_func=lambda one: judge.judge_name(one, short=True), persist_state="session",
                     help="Several have judged these runs; each one's verdicts stand by themselves. Their mean is over "
                          "the queries on which each has a verdict. Other pages show the one last asked that has any.")
    elements.frame(_frame(held), "judged", f"What {held.label} says: mean, interval, n, what is undefined or missing",
                  formats=FORMATS, widths={"Undefined": 200, "Missing": 240, "Worth knowing": 260})
    for one in held.of:
        _spent(one, "This judge" if held.one else str(one.judge))
    _warnings(held)
    _links(held)


def _frame(held: Results) -> pd.DataFrame:
    rows, told = [], judges_sentences.counted
    for (at, name), cell in held.cells.items():
        rows.append({"Run": held.context.names[at], "Judged metric": judge.metric_title(name), "Mean": cell.mean,
                     "Low": cell.low, "High": cell.high, "n": cell.n, "Undefined": told(cell.undefined),
                     "Missing": told(cell.missing), "Votes": cell.votes, "Votes agree": cell.agreement,
                     "Worth knowing": judge.flag_counts(cell.flags),
                     "Judges": ", ".join(map(judge.judge_name, cell.judges))})
    frame = pd.DataFrame(rows).rename(columns={} if held.one else {"Votes agree": AGREE})
    unused = [name for name in ("Votes agree", "Worth knowing", "Undefined", "Missing", "Judges") if name in frame
              if not frame[name].replace("", None).notna().any()]
    return frame.drop(columns=[*unused, *(["Votes"] if "Votes agree" in unused or not held.one else [])])


def _spent(one: Spent, name: str) -> None:
    """Tokens and cost of everything that this judge was ever asked; metrics share verdicts, so not by metric."""
    if one.judge.host == IMPORTED:
        st.caption(f"{fmt.count(one.verdicts, 'verdict')} read from a file; nobody was asked.")
        return
    both = form.prices()
    cost = (
        f", about {judges_sentences.money(Prices(*both).cost(one.prompt, one.completion))} at the prices given"
        if both
        else ""
    )
    failed = f" and {fmt.count(one.failures, 'question')} without one" if one.failures else ""
    guessed = f" Of {fmt.count(one.estimated, 'reply', 'replies')} the tokens are estimated." if one.estimated else ""
    st.caption(f"{fmt.escape(name)} so far, on all texts ever judged here: "
               f"{fmt.count(one.verdicts, 'verdict')}{failed}, "
               f"{fmt.count(one.prompt, 'token')} read and {one.completion:,} written{cost}.{guessed}")


def _warnings(held: Results) -> None:
    """A judge that always says the same; a judge of the generator's family."""
    told = [f"{fmt.escape(judge.metric_title(name))} of **{fmt.escape(held.context.names[at])}** is {cell.n:,} times "
            f"{cell.mean:g}: a judge that always says the same tells nothing. Read some of its reasons."
            for (at, name), cell in held.cells.items() if cell.alike]
    for at, digest in enumerate(held.context.digests):
        wrote = generator_of(LOADED.run(digest))
        shared = same_family(AND.join(one.judge.model for one in held.of), wrote) if wrote else ()
        if shared:
            told.append(f"**{fmt.escape(held.context.names[at])}** was written by {fmt.escape(wrote)}, of the judge's "
                        f"own family ({fmt.escape(fmt.listed(sorted(shared)))}): judges favour what is written as "
                        "they write. Hold its verdicts against people's labels.")
    for one in told[:TOLD]:
        st.caption(f":material/warning: {one}")
    if len(told) > TOLD:
        with st.expander(f"{len(told) - TOLD:,} more like these", key="judge_warnings"):
            st.markdown("\n".join(f"- {one}" for one in told[TOLD:]))


def _links(held: Results) -> None:
    name = next((name for name in held.metrics if name in METRICS), None)
    with st.container(horizontal=True, key="judge_links"):
        st.page_link("pages/trust.py", label="Can this judge be trusted?", icon=":material/handshake:")
        for at, digest in enumerate(held.context.digests if name else ()):
            if (at, name) in held.cells:
                query_links.link(f"{held.context.names[at]}: worst first", digest, **{state.METRIC: name},
                                 help=f"Its queries by {judge.metric_title(name)}, with claims and reasons.")
