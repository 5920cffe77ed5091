"""What the pages look at: the runs shown, the truth, and the choices of the sidebar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.records import Conventions
from ragdash.dashboard.caches import evaluation_cache
from ragdash.dashboard.caches.evaluation_cache import Scope
from ragdash.dashboard.session import relevance, reviews, state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.loaded_run import Entry
from ragdash.dashboard.session.scope import evidence
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compare import Comparison, comparable
from ragdash.evaluation.evaluate import Curves, Evaluation, Summary
from ragdash.metrics import Spec, parse_spec
from ragdash.reporting.sentences import fmt

CUTOFFS = (1, 3, 5, 10, 20, 50, 100)  # offered in the sidebar; any other can be typed
DEFAULT_METRIC, DEFAULT_K, DEEPEST = "nDCG@k", 10, 10_000
COLUMNS = ["nDCG@k", "R@k", "P@k", "RR", "Success@k"]  # the leaderboard's first metrics
CURVES = ["P", "R", "Success", "nDCG", "F1"]  # what can be drawn against the cutoff
SCALES = {"log": "Logarithmic", "linear": "Linear"}
TRADE_OFFS = {"k": "By cutoff", "11": "11-point interpolated"}


class PageEnds(Exception):
    """Nothing more to draw; the shell catches it. After st.stop() Streamlit would take no address from us."""


@dataclass(frozen=True)
class PageContext:
    """The runs shown that can be measured against the truth, in order of loading."""

    entries: tuple[Entry, ...]
    scope: Scope
    baseline: int
    template: str
    k: int

    @property
    def conventions(self) -> Conventions:
        return self.scope.conventions

    @property
    def names(self) -> list[str]:
        return [entry.name for entry in self.entries]

    @property
    def slots(self) -> list[int]:
        return [entry.slot for entry in self.entries]

    @property
    def digests(self) -> list[str]:
        return [entry.digest for entry in self.entries]

    @property
    def depth(self) -> int:
        """The deepest rank of the runs shown."""
        return max(1, min(DEEPEST, max(LOADED.run(digest).depth for digest in self.digests)))

    @property
    def spec(self) -> Spec:
        """The metric of the sidebar at its cutoff."""
        return spec_of(self.template, self.k)

    @property
    def basis(self) -> str:
        """A sentence for captions that says what is relevant here; empty for the usual, by id."""
        return " Relevant by evidence." if self.scope.by_evidence else ""

    def summary(self, specs: Sequence[Spec]) -> list[tuple[Summary, ...]]:
        """For each run shown a Summary for each spec."""
        return evaluation_cache.summary(self.digests, self.scope, specs)

    def curves(self, name: str) -> list[Curves]:
        """For each run shown the metric at every cutoff."""
        return [evaluation_cache.curve(digest, self.scope, name, self.depth) for digest in self.digests]

    def counts(self) -> list[dict]:
        """For each run shown: queries, missing, unanswerable, extra."""
        return [evaluation_cache.counts(digest, self.scope) for digest in self.digests]

    def counted(self) -> list[str]:
        """What the means leave out or count as 0, one sentence each."""
        said = fmt.query_counts(self.names, self.counts(), self.conventions)
        return [one.replace("without a relevant document", "without a gold span") if self.scope.by_evidence else one
                for one in said]

    def evaluations(self, specs: Sequence[Spec]) -> list[Evaluation]:
        """For each run shown the values of every query in scope."""
        return [
            replace(evaluation_cache.evaluation(entry.digest, self.scope, specs), name=entry.name)
            for entry in self.entries
        ]

    def comparable(self, specs: Sequence[Spec]) -> list[Spec]:
        """The specs whose means can be compared query by query."""
        return comparable(evaluation_cache.evaluation(self.digests[0], self.scope, specs), specs)[0]

    def others(self, baseline: int | None = None) -> list[int]:
        """The runs shown but for one: the candidates."""
        baseline = self.baseline if baseline is None else baseline
        return [at for at in range(len(self.entries)) if at != baseline]

    def compared(self, specs: Sequence[Spec], baseline: int | None = None,
                 margin: float | None = None) -> dict[tuple[int, Spec], Comparison]:
        """Each other run against the baseline on each spec that can be compared, p corrected over all of them."""
        baseline = self.baseline if baseline is None else baseline
        others = self.others(baseline)
        rows = evaluation_cache.compared(self.digests[baseline], [self.digests[at] for at in others], self.scope,
                              self.comparable(specs), evaluation_cache.rules(self.scope, margin))
        return {(at, one.spec): replace(one, candidate=self.names[at])
                for at, row in zip(others, rows, strict=True) for one in row}


def spec_of(template: str, k: int) -> Spec:
    """nDCG@k with the cutoff put in; a metric typed by hand is read as it stands. Raises InputError."""
    return parse_spec(f"{template[:-1]}{k}" if template.endswith("@k") else template)


def current() -> PageContext:
    """The view of this session; where there is none the page says what is missing and stops."""
    if not state.runs() or LOADED.truth(state.truth() or "") is None:
        _nothing()
        raise PageEnds
    shown = [entry for entry in state.runs() if entry.digest in state.get(state.SHOWN)]
    if not shown:
        elements.empty("No run is shown", "Choose one or more under **Runs shown** in the sidebar.")
        raise PageEnds
    usable, found = _usable(shown)
    elements.problems(found, "view")
    if not usable:
        raise PageEnds
    baseline = next((at for at, entry in enumerate(usable) if entry.digest == state.get(state.BASELINE)), 0)
    context = PageContext(tuple(usable), scope(), baseline, state.get(state.METRIC), int(state.get(state.K)))
    if context.scope.by_evidence:
        relevance.note(context.scope, context.digests)
    return context


def scope() -> Scope:
    """What the runs of this session are measured against."""
    return Scope(reviews.truth_in_force(), state.conventions(), state.get(state.SLICE) or "", *relevance.chosen())


def specs(templates: Sequence[str], k: int) -> tuple[list[Spec], list[Problem]]:
    """Specs of chosen and hand-typed metrics, each once, and the problems of those that cannot be read."""
    found, problems = {}, []
    for template in templates:
        try:
            found[spec_of(template, k)] = None
        except InputError as error:
            problems.extend(error.problems)
    return list(found), problems


def measurable(context: PageContext, wanted: Sequence[Spec]) -> tuple[list[Spec], list[Problem]]:
    """The specs whose parameters fit these runs, and the problems of the others."""
    kept, problems = [], []
    for spec in wanted:
        try:
            for digest in context.digests:
                evaluation_cache.evaluation(digest, context.scope, (spec,))
            kept.append(spec)
        except InputError as error:
            problems.extend(error.problems)
    return kept, problems


def _usable(shown: Sequence[Entry]) -> tuple[list[Entry], list[Problem]]:
    usable, problems = [], []
    for entry in shown:
        if LOADED.run(entry.digest) is None:
            problems.append(Problem("run-let-go", {"run": entry.name}))
            continue
        try:
            evaluation_cache.match(entry.digest, scope())
            if scope().by_evidence:
                evidence(entry.digest, scope())
            usable.append(entry)
        except InputError as error:
            problems.extend(error.problems)
        except Unavailable as missing:
            problems.append(Problem("unavailable/run-by-evidence", field=missing.problem.field, cause=missing.problem))
    return usable, problems


def _nothing() -> None:
    if state.lost():
        lost_note()
    unread = [record for record in state.files() if record.failed]
    if not state.runs() and unread:
        many = fmt.count(len(unread), "file")
        elements.empty("No runs are loaded yet", f"{many} could not be read; the **Runs** page says where and what "
                                                "fixes it.")
    elif not state.runs():
        elements.empty("No runs are loaded yet", "Open your own files, or the ready samples, on the **Runs** page.")
    else:
        many = fmt.count(len(state.runs()), "run is", "runs are")
        elements.empty(
            "What is right is not known yet",
            f"{many} loaded. Add the relevance judgements (qrels) on the **Runs** page; every metric needs them.",
        )
    st.page_link("pages/runs.py", label="Go to Runs", icon=":material/upload_file:")


def lost_note() -> None:
    """Say which runs of a link are no longer held by the server."""
    if state.lost():
        names = fmt.escape(fmt.listed(state.lost()))
        st.warning(
            f"The link asks for {names}, which this server does not hold (any more). Load the files again, or "
            "open the samples if it is these, on the **Runs** page.",
            icon=":material/link_off:",
        )
