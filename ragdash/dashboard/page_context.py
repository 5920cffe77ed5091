"""What a page shows: the selection of runs, the scope they are measured in, and their results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from ragdash.analysis.comparability.run_coverage import answered_queries
from ragdash.analysis.diagnosis import Diagnosis
from ragdash.analysis.verdict import RunCheck, Verdict, best_run, verdict_state, withhold
from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.dashboard import link_notes
from ragdash.dashboard.caches import diagnosis_cache, evaluation_cache, shared_cache, verdict_cache
from ragdash.dashboard.jobs import ahead
from ragdash.dashboard.session import relevance, reviews, run_fixes, state
from ragdash.dashboard.session.data_store import LOADED, SessionRun, deepest_rank
from ragdash.dashboard.session.scope import Scope, draw_resamples
from ragdash.dashboard.session.truths import loaded_truths
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compare import Comparison, ComparisonRules, best_first, select_comparable
from ragdash.evaluation.curves import Curves
from ragdash.evaluation.evaluate import Evaluation, Summary
from ragdash.metrics import METRICS, Spec, parse_spec
from ragdash.reporting.plots.common.theme import COLORED, color_best
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.answers import missing_answers
from ragdash.reporting.sentences.comparability import rank_notes

CUTOFFS = (1, 3, 5, 10, 20, 50, 100)  # offered in the sidebar; any other can be typed
DEFAULT_METRIC, DEFAULT_K = "nDCG@k", 10
COLUMNS = ["nDCG@k", "R@k", "P@k", "RR", "Success@k"]  # the leaderboard's first metrics
CURVES = [name for name, metric in METRICS.items() if metric.curve]  # what can be drawn against the cutoff
SCALES = {"log": "Logarithmic", "linear": "Linear"}
TRADE_OFFS = {"k": "By cutoff", "11": "11-point interpolated"}


class PageEnds(Exception):
    """Nothing more to draw; the shell catches it. After st.stop() Streamlit would take no address from us."""


@dataclass(frozen=True)
class Selection:
    """What the sidebar selects: the runs shown in order of loading, the baseline among them, metric and cutoff."""

    entries: tuple[SessionRun, ...]
    baseline: int
    template: str
    k: int

    @property
    def names(self) -> list[str]:
        return [entry.name for entry in self.entries]

    @property
    def slots(self) -> list[int]:
        """The colors of the runs."""
        return [entry.slot for entry in self.entries]

    @property
    def digests(self) -> list[str]:
        return [entry.digest for entry in self.entries]

    @property
    def depth(self) -> int:
        """The deepest rank of the runs shown."""
        return deepest_rank(self.digests)

    @property
    def spec(self) -> Spec:
        """The metric of the sidebar at its cutoff."""
        return spec_of(self.template, self.k)

    def others(self, baseline: int | None = None) -> list[int]:
        """The indices of all runs but one: the candidates."""
        return [run for run in range(len(self.entries)) if run != (self.baseline if baseline is None else baseline)]


@dataclass(frozen=True)
class Results:
    """The cached numbers of the runs shown, in their order, in a scope."""

    selection: Selection
    scope: Scope

    def under(self, scope: Scope) -> Results:
        """Of the same runs in another scope."""
        return replace(self, scope=scope)

    def summary(self, specs: Sequence[Spec]) -> list[tuple[Summary, ...]]:
        """For each run a Summary for each spec."""
        return evaluation_cache.summary(self.selection.digests, self.scope, specs)

    def evaluations(self, specs: Sequence[Spec]) -> list[Evaluation]:
        """For each run the values of every query in scope."""
        with self.scope.announced(self.selection.digests, specs):
            return [replace(self.scope.evaluation(entry.digest, specs), name=entry.name)
                    for entry in self.selection.entries]

    def computable(self, specs: Sequence[Spec]) -> tuple[list[Spec], list[Problem]]:
        """The specs whose parameters fit these runs, and the problems of the others."""
        with suppress(InputError):  # together first, as the tables ask for them
            return [*specs] if not specs or self.evaluations(specs) else [], []
        computable, problems = [], []
        for spec in specs:
            try:
                for digest in self.selection.digests:
                    self.scope.evaluation(digest, (spec,))
                computable.append(spec)
            except InputError as error:
                problems.extend(error.problems)
        return computable, problems

    def curves(self, name: str) -> list[Curves]:
        """For each run the metric at every cutoff."""
        return [evaluation_cache.curve(digest, self.scope, name, self.selection.depth)
                for digest in self.selection.digests]

    def interpolated(self) -> list[tuple[np.ndarray, int]]:
        """For each run (mean interpolated precision at the eleven recall levels, n queries)."""
        return [evaluation_cache.interpolated(digest, self.scope) for digest in self.selection.digests]

    def first_ranks(self) -> list[np.ndarray]:
        """For each run the rank of the first relevant document of each query that has one; NaN where none returned.

        Of repeats: each query once for each repeat.
        """
        return [evaluation_cache.first_ranks(digest, self.scope) for digest in self.selection.digests]

    def counts(self) -> list[dict[str, int]]:
        """For each run: queries, missing, unanswerable, extra."""
        return [evaluation_cache.counts(digest, self.scope) for digest in self.selection.digests]

    def answered(self) -> list[int]:
        """To how many of the queries in scope each run has an answer."""
        return [int((answered_queries(self.scope.match(digest)) & self.scope.queries).sum())
                for digest in self.selection.digests]

    def missing_answers(self) -> list[str]:
        """For how many of the queries in scope the runs have answers, where some lack one: a sentence each."""
        return missing_answers(self.selection.names, self.answered(), int(self.scope.queries.sum()))

    def notes_on_means(self) -> list[str]:
        """What the means leave out or count as 0, one sentence each."""
        sentences = [*fmt.query_counts(self.selection.names, self.counts(), self.scope.conventions,
                                       of_runs=self.scope.truth.queries_only,
                                       rankings=any(entry.run.has_rankings for entry in self.selection.entries)),
                     *rank_notes(self.selection.names, [entry.collapse for entry in self.selection.entries])]
        return sentences if not self.scope.by_evidence else [
            sentence.replace("relevant document", "gold span") for sentence in sentences]

    def comparable(self, specs: Sequence[Spec]) -> list[Spec]:
        """The specs whose means can be compared query by query."""
        return select_comparable(self.scope.evaluation(self.selection.digests[0], specs), specs)[0]

    def comparison_rules(self, margin: float | None = None) -> ComparisonRules:
        """How differences are tested."""
        return evaluation_cache.comparison_rules(self.scope, len(self.selection.entries), margin)

    def compared(self, specs: Sequence[Spec], baseline: int | None = None,
                 margin: float | None = None) -> dict[tuple[int, Spec], Comparison]:
        """Each other run against the baseline on each spec that can be compared; the family of a spec is all pairs.

        A pair about which a check withholds the verdict has the outcome "not-comparable".
        """
        verdict = self._main_verdict()
        return {key: withhold(comparison, verdict)
                for key, comparison in self._tested(specs, baseline, margin).items()}

    @shared_cache.once_a_run
    def _main_verdict(self) -> Verdict:
        """That of the sidebar's metric: while a check withholds it, no comparison has an outcome."""
        return self.verdict(self.selection.spec, tuple(state.get(state.ACCEPTED) or ()))

    def _tested(self, specs: Sequence[Spec], baseline: int | None = None,
                margin: float | None = None) -> dict[tuple[int, Spec], Comparison]:
        """As `compared`, whatever speaks against the runs."""
        names, digests = self.selection.names, self.selection.digests
        baseline = self.selection.baseline if baseline is None else baseline
        candidates = self.selection.others(baseline)
        rows = evaluation_cache.compared(digests[baseline], [digests[index] for index in candidates], self.scope,
                                         self.comparable(specs), self.comparison_rules(margin))
        return {(index, comparison.spec): replace(comparison, candidate=names[index], baseline=names[baseline])
                for index, row in zip(candidates, rows, strict=True) for comparison in row}

    def verdict(self, spec: Spec, accepted: Sequence[str] = (), evidence: Sequence[Spec] = ()) -> Verdict:
        """Which run is best on the metric, whether that can be said, and what speaks against it.

        accepted: kinds of checks that the reader accepts in spite of what they say; evidence: labels and scores of the
        answers that the runs are compared on too.
        """
        names, checks = self.selection.names, self.checks(spec)
        if any(check.kind == "no-common-query" for check in checks):
            return verdict_state(names, [], {}, checks, accepted, spec=spec)
        summaries = [row[0] for row in self.summary([spec])]
        best = best_run(summaries)
        comparisons = {} if best is None else {index: pair for (index, _), pair in self._tested([spec], best).items()}
        others = [] if best is None or not evidence else [
            *self._tested(evidence).values(), *(self._tested(evidence, best).values() if best != self.selection.baseline
                                                else ())]
        return verdict_state(names, summaries, comparisons, checks, accepted, evidence=others,
                             against_baseline=tuple(self._tested([spec]).values()))

    def checks(self, spec: Spec) -> tuple[RunCheck, ...]:
        """What speaks against comparing these runs on the metric, the worst first."""
        return verdict_cache.checks(self.selection.digests, self.selection.names, self.scope, spec, self.selection.k,
                                    loaded_truths.names_in_question(self.selection.digests))

    def best_possible(self, spec: Spec) -> float:
        """The mean that a perfect ranking would have; NaN for metrics that judgments of documents do not decide."""
        return evaluation_cache.perfect_mean(self.selection.digests[0], self.scope, spec)

    def label_attributes(self) -> dict[str, str]:
        """{attribute: digest of its run} of the labels that the files of the selected runs give to their answers."""
        return {name: digest for digest in self.selection.digests
                for name in evaluation_cache.slices_of_labels(digest, self.scope)}

    def compared_by_slice(self, spec: Spec, attribute: str, margin: float | None = None) -> list[list[Comparison]]:
        """The same on one spec within each slice of an attribute: a row per slice, a column per candidate."""
        labeled = "" if attribute in {part.attribute for part in self.scope.slices.values()} else (
            self.label_attributes().get(attribute, ""))
        names, digests, baseline = self.selection.names, self.selection.digests, self.selection.baseline
        others = self.selection.others()
        rows = evaluation_cache.compared_by_slice(
            digests[baseline], [digests[index] for index in others], self.scope, spec, attribute,
            self.comparison_rules(margin), labeled)
        verdict = self._main_verdict()
        return [[withhold(replace(comparison, candidate=names[index], baseline=names[baseline]), verdict)
                 for index, comparison in zip(others, row, strict=True)] for row in rows]

    def diagnosis(self, run: str, right: float | None = None) -> Diagnosis:
        """Where each query went wrong first, by the rules of this session; right: see diagnosis_cache.diagnosis."""
        return diagnosis_cache.diagnosis(run, self.scope, self.selection.k, right)

    def gains(self, run: str, spec: Spec) -> np.ndarray:
        """By how much the mean of the spec could rise at most with each stage fixed: (S,), NaN undefined."""
        return diagnosis_cache.gains(run, self.scope, self.selection.k, spec)


@dataclass(frozen=True)
class PageContext:
    """Everything a section of a page needs: which runs are shown, what they are measured against, their numbers.

    The parts of the selection that every section uses can be read from the context itself.
    """

    selection: Selection
    scope: Scope

    @property
    def results(self) -> Results:
        """The cached numbers of the runs shown."""
        return Results(self.selection, self.scope)

    @property
    def entries(self) -> tuple[SessionRun, ...]:
        return self.selection.entries

    @property
    def names(self) -> list[str]:
        return self.selection.names

    @property
    def slots(self) -> list[int]:
        return self.selection.slots

    @property
    def digests(self) -> list[str]:
        return self.selection.digests

    @property
    def baseline(self) -> int:
        return self.selection.baseline

    @property
    def k(self) -> int:
        return self.selection.k

    def only(self, entries: Sequence[SessionRun]) -> PageContext:
        """The context with these runs alone; the first is the baseline where that of the sidebar is not among them."""
        digests = [entry.digest for entry in entries]
        baseline = self.digests[self.baseline]
        position = digests.index(baseline) if baseline in digests else 0
        return replace(self, selection=replace(self.selection, entries=tuple(entries), baseline=position))


def spec_of(template: str, k: int) -> Spec:
    """nDCG@k with the cutoff put in; a metric typed by hand is read as written. Raises InputError."""
    takes_cutoff = template.endswith("@k") and not template.startswith("file:")
    return parse_spec(f"{template[:-1]}{k}" if takes_cutoff else template)


def end_unless_comparable(context: PageContext, spec: Spec, what: str) -> None:
    """End the page where a metric cannot be compared query by query; what: the thing that it therefore lacks."""
    if not context.results.comparable([spec]):
        elements.empty(f"{fmt.escape(spec.title)} has no {what}", "It is no mean over queries, or has no better end. "
                       "Choose another metric in the sidebar.")
        raise PageEnds


def current() -> PageContext:
    """The view of this session; where there is none the page says what is missing and stops."""
    if not state.runs() or LOADED.truth(state.truth() or "") is None:
        link_notes.explain_missing_data()
        raise PageEnds
    link_notes.note_missing_data()
    shown_entries = [entry for entry in state.runs() if entry.digest in state.get(state.SHOWN)]
    if not shown_entries:
        elements.empty("No run is shown", "Choose one or more under **Runs shown** in the sidebar.")
        raise PageEnds
    usable, problems = _usable(shown_entries)
    elements.problems(problems, "view")
    run_fixes.offer_matching_queries(shown_entries)
    if not usable:
        raise PageEnds
    context = _of_runs(usable)
    _offer(context)
    context = _with_colors_of_best(context)
    if context.scope.by_evidence:
        relevance.note_relevance(context.scope, context.digests)
    return context


def compute_ahead() -> ahead.AheadRequest | None:
    """Have what the pages of results ask for first computed, where there is something new; nothing waits."""
    usable = [] if LOADED.truth(state.truth() or "") is None else _usable(state.shown_runs())[0]
    return _offer(_of_runs(usable)) if usable else None


def _offer(context: PageContext) -> ahead.AheadRequest | None:
    draw_resamples(context.scope)
    selection = context.selection
    return ahead.offer([(entry.digest, entry.name) for entry in context.entries], context.baseline, context.scope,
                       selection.template, selection.k, loaded_truths.names_in_question(selection.digests))


def runs_as_drawn() -> list[SessionRun]:
    """The runs of this session, those shown with the colors that the pages of results give them."""
    usable = [] if LOADED.truth(state.truth() or "") is None else _usable(state.shown_runs())[0]
    drawn = {entry.digest: entry for entry in _with_colors_of_best(_of_runs(usable)).entries} if usable else {}
    return [drawn.get(entry.digest, entry) for entry in state.runs()]


def _of_runs(usable: Sequence[SessionRun]) -> PageContext:
    baseline = next((index for index, entry in enumerate(usable) if entry.digest == state.get(state.BASELINE)), 0)
    selection = Selection(tuple(usable), baseline, state.get(state.METRIC), int(state.get(state.K)))
    return PageContext(selection, scope().of_runs(selection.digests, state.get(state.READ_JUDGE) or ""))


def _with_colors_of_best(context: PageContext) -> PageContext:
    """Where more runs are shown than there are colors: the best by the sidebar's metric and the baseline have one."""
    if len(context.entries) <= COLORED:
        return context
    try:
        summaries = [row[0] for row in context.results.summary([context.selection.spec])]
    except InputError:  # the page says why the metric cannot be computed
        return context
    order = best_first(np.array([summary.mean for summary in summaries]), context.selection.spec.metric.better)
    slots = color_best(context.slots, order, context.baseline)
    entries = tuple(replace(entry, slot=slot) for entry, slot in zip(context.entries, slots, strict=True))
    return replace(context, selection=replace(context.selection, entries=entries))


def scope() -> Scope:
    """What the runs of this session are measured against."""
    return Scope(
        reviews.truth_with_reviews(), state.conventions(), state.get(state.SLICE) or "", *relevance.selected_matching()
    )


def specs(templates: Sequence[str], k: int) -> tuple[list[Spec], list[Problem]]:
    """Specs of chosen and hand-typed metrics, each once, and the problems of those that cannot be read."""
    readable, problems = {}, []
    for template in templates:
        try:
            readable[spec_of(template, k)] = None
        except InputError as error:
            problems.extend(error.problems)
    return list(readable), problems


def _usable(entries: Sequence[SessionRun]) -> tuple[list[SessionRun], list[Problem]]:
    usable, problems = [], []
    for entry in entries:
        if entry.run is None:
            problems.append(Problem("run-let-go", {"run": entry.name}))
            continue
        try:
            scope().match(entry.digest)
            if scope().by_evidence:
                scope().evidence(entry.digest)
            usable.append(entry)
        except InputError as error:
            problems.extend(error.problems)
        except Unavailable as missing:
            problems.append(Problem("unavailable/run-by-evidence", field=missing.problem.field, cause=missing.problem))
    return usable, problems
