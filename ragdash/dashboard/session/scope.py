"""What runs are measured against: truth, conventions, slice and matching; and each run's match and evaluation there.

Every cached call is keyed by content digests and scalars; the data itself goes in unhashed (a leading underscore),
because Streamlit hashes only a sample of large arrays. What comes out is shared between sessions and must not be
changed. The similarity of chunks and gold spans is computed once for a run, a truth and a way to compare; thresholds
and decisions are applied to the cached scores.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from threading import Thread

import numpy as np
import pyarrow as pa

from ragdash.core.errors import InputError, Unavailable
from ragdash.core.records import Conventions, Run, Truth
from ragdash.core.slices import Slice, slices
from ragdash.dashboard.caches import kept_cache, shared_cache
from ragdash.dashboard.caches.shared_cache import once_a_run, shared
from ragdash.dashboard.session.data_store import LOADED
from ragdash.evaluation.evaluate import Evaluation, check_overlap, evaluate_match
from ragdash.evaluation.repeats import digests_of, mean_over_repeats
from ragdash.evaluation.scoring.default_judges import default_judges
from ragdash.evaluation.stats import RESAMPLES, resample_weights
from ragdash.matching.evidence import FLOOR, EvidenceScores, digest, kept_decisions
from ragdash.matching.match import Match, Matching
from ragdash.metrics import Spec, parse_specs
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.tasks.examples import prompt_additions
from ragdash.models.local import default_score_cache

EMBEDDING = "embedding"  # the similarity that a model computes
JUDGE_VIEWS = ("Judged", "Entailed")  # views of the texts as a judge reads them
MODEL_VIEWS = (*JUDGE_VIEWS, "Scored")  # views of what models and judges have answered
EVALUATING = "Evaluating the runs …"
_MOST_WEIGHTS = 200_000_000  # bytes


@dataclass(frozen=True)
class Scope:
    """What runs are measured against, and the match and evaluation of a run (by digest) under these choices.

    Parameters
    ----------
    truth_digest : str
        Digest of the truth.
    conventions : Conventions
        What is done where files leave a choice.
    slice : str
        Token of a slice of the queries; "" for all queries.
    matching : Matching
        What makes a document a relevant one.
    decisions : str
        State of the reviewers' decisions on evidence (DecisionStore.stamp); "" for none.
    runs : tuple of str
        Digests of the runs shown: judged metrics that name no judge are read by one for all of them.
    judge : str
        The judge chosen for all pages, read wherever it has values; "" for the one with values on most queries.
    common : tuple of str
        Digests of runs: only queries that all of them have are in scope. Without such a query it leaves out none.
    """

    truth_digest: str
    conventions: Conventions
    slice: str = ""
    matching: Matching = field(default_factory=Matching)
    decisions: str = ""
    runs: tuple[str, ...] = ()
    judge: str = ""
    common: tuple[str, ...] = ()

    @property
    def truth(self) -> Truth:
        """The truth itself."""
        return LOADED.truth(self.truth_digest)

    @property
    def whole(self) -> Scope:
        """The same scope with all queries."""
        return replace(self, slice="", common=())

    @property
    def part(self) -> str:
        """Names the queries in scope, for keys of caches; "" for all queries."""
        return " ".join((self.slice, *self.common)) if self.common else self.slice

    def of_runs(self, runs: Sequence[str], judge: str = "") -> Scope:
        """The scope of the runs shown: where missing queries are skipped, the queries that all of them have."""
        return replace(self, runs=tuple(runs), judge=judge,
                       common=tuple(runs) if self.conventions.missing == "skip" else ())

    def with_evidence(self, decisions: str | None = None) -> Scope:
        """The scope with relevance by evidence, whatever the sidebar says; decisions: under this state of them."""
        return replace(self, matching=replace(self.matching, by="evidence"),
                       decisions=self.decisions if decisions is None else decisions)

    @property
    def by_evidence(self) -> bool:
        """Whether evidence decides what is relevant."""
        return self.matching.by == "evidence"

    @property
    def basis(self) -> str:
        """A sentence for captions that says what is relevant here; empty for the usual, by id."""
        return " Relevant by evidence." if self.by_evidence else ""

    @property
    def slices(self) -> dict[str, Slice]:
        """All slices of the truth's queries, by token."""
        return slices_of(self.truth_digest)

    @property
    def queries(self) -> np.ndarray:
        """Which queries of the truth are in scope: (Q,) bool."""
        sliced = self.queries_of_slice
        common = sliced & self._common_queries if self.common else sliced
        return common if common.any() else sliced

    @property
    def queries_of_slice(self) -> np.ndarray:
        """Which queries of the truth are in the slice, whatever runs have of them: (Q,) bool."""
        return self.slices[self.slice].queries if self.slice else np.ones(len(self.truth), bool)

    @property
    def _common_queries(self) -> np.ndarray:
        """Which queries of the truth all runs of `common` have: (Q,) bool."""
        missing = [self.match_by_id(repeat).missing for run in self.common for repeat in digests_of(run)]
        return ~np.any(missing, axis=0)

    @property
    def resample_weights(self) -> np.ndarray | None:
        """Resamples of the queries in scope, shared by all intervals; None where they are better drawn each time."""
        return _resample_weights(int(self.queries.sum()))

    def cache_key(self, specs: Sequence[Spec] = ()) -> tuple[object, ...]:
        """Everything besides the run that the values of these specs depend on.

        The settings of evidence count where it decides or a spec is a metric of evidence; the state of the models' and
        judges' answers counts where a spec or the similarity reads them.
        """
        evidence = self.by_evidence or _need_evidence(specs)
        views = {spec.metric.view for spec in specs}
        uses_models = not views.isdisjoint(MODEL_VIEWS) or (evidence and self.matching.how == EMBEDDING)
        return (self.truth_digest, *vars(self.conventions).values(), self.part,
                *((*self.matching.key, self.decisions) if evidence else ()),
                _scores_stamp() if uses_models else "",
                *((_verdicts_stamp(), *self.judges(specs).items()) if "Judged" in views else ()))

    def judges(self, specs: Sequence[Spec]) -> dict[tuple[str, int], str]:
        """{(metric, votes): the judge read on every page} of the judged specs that name none."""
        open_specs = tuple(str(spec) for spec in specs if spec.metric.view == "Judged")
        return _judges(self.runs, self.truth_digest, self.conventions.ties, self.judge, open_specs, _verdicts_stamp(),
                       _scope=self) if open_specs and self.runs else {}

    def is_kept(self, specs: Sequence[Spec]) -> bool:
        """Whether values of these specs may outlive the process: they depend on no answers of models, no decisions."""
        evidence = self.by_evidence or _need_evidence(specs)
        return not (evidence and (self.decisions or self.matching.how == EMBEDDING))

    def match(self, run: str, specs: Sequence[Spec] = ()) -> Match:
        """The run matched with the truth. Raises InputError where they have no query in common.

        Of repeats that count as one line: the one that lacks most queries.
        specs: metrics that will be computed on it, so that the evidence is at hand where they need it.
        """
        run = self.representative(run)
        match = self.match_by_id(run, for_judges=not {spec.metric.view for spec in specs}.isdisjoint(JUDGE_VIEWS))
        _check_common_queries(run, self.truth_digest, tuple(vars(self.conventions).values()), _match=match)
        if judges := self.judges(specs):
            return (self.match_by_evidence(run) if self.by_evidence or _need_evidence(specs) else match
                    ).by_judges(judges)
        return self.match_by_evidence(run) if self.by_evidence or _need_evidence(specs) else match

    def match_by_id(self, run: str, *, for_judges: bool = False) -> Match:
        """The same by ids, queries in common or not; InputError where the conventions refuse the run.

        for_judges: prepare the texts as judges read them; they are put together once, as are the judges' verdicts.
        """
        run, truth, ties = self.representative(run), self.truth_digest, self.conventions.ties
        match = _matched(run, truth, ties, _run=LOADED.run(run), _truth=self.truth)
        if for_judges:
            match = _with_judge_texts(run, truth, ties, str(default_verdict_store().path), _match=match)
        return match.with_options(**vars(self.conventions))

    def representative(self, run: str) -> str:
        """The run itself; of repeats that count as one line the one that lacks most queries, as its checks see it."""
        repeats = digests_of(run)
        return run if len(repeats) == 1 else max(
            repeats, key=lambda repeat: int(self.match_by_id(repeat).missing.sum()))

    def match_by_evidence(self, run: str) -> Match:
        """The match with its evidence at hand, under the threshold and the decisions of the scope.

        Where there is none (no texts, no gold spans), a metric that asks for it is unavailable, as without the cache.
        """
        match = self.match_by_id(run)
        try:
            return _matched_by_evidence(self.evidence_key(run), self.matching, self.decisions, _match=match,
                                        _scope=self).with_options(**vars(self.conventions))
        except Unavailable:
            return match.with_options(self.matching)

    def evaluation(self, run: str, specs: Sequence[Spec]) -> Evaluation:
        """Values of the specs for every query in scope; of repeats (`joined_digest`) their means.

        Raises InputError for parameters that do not fit together.
        """
        if len(repeats := digests_of(run)) > 1:
            return _mean_over_repeats(run, self.cache_key(specs), tuple(map(str, specs)),
                                      _evaluations=[self.evaluation(repeat, specs) for repeat in repeats])
        return _evaluation(run, self.cache_key(specs), tuple(map(str, specs)), _specs=specs, _scope=self)

    def announced(self, runs: Sequence[str], specs: Sequence[Spec]) -> AbstractContextManager[None]:
        """Show a text while the specs of these runs are evaluated, run by run; nothing where all are known."""
        key, names = self.cache_key(specs), tuple(map(str, specs))
        is_known = all(_evaluation.known(repeat, key, names) is not None for run in runs for repeat in digests_of(run))
        return nullcontext() if is_known else shared_cache.announced(EVALUATING)

    def evidence_key(self, run: str) -> tuple[str, ...]:
        """Everything that the similarities of chunks and gold spans depend on, whatever the threshold."""
        stamp = _scores_stamp() if self.matching.how == EMBEDDING else ""
        return run, self.truth_digest, self.conventions.ties, self.matching.how, self.matching.model, stamp

    def evidence(self, run: str) -> EvidenceScores:
        """The similarity of the run's chunks and the gold spans, under the decisions. Unavailable without texts."""
        scores = _evidence(self.evidence_key(run), _match=self.match_by_id(run), _matching=self.matching)
        return _decided(self.evidence_key(run), self.decisions, _scores=scores) if self.decisions else scores

    def decided_pairs(self, run: str) -> frozenset[tuple[str, str, str]]:
        """The decisions on pairs of this run: (query id, digest of the chunk, digest of the span)."""
        return _decided_pairs(self.evidence_key(run), self.decisions, _scores=self.evidence(run))


def by_scope(run: str, scope: Scope, *facts: Hashable) -> tuple:
    """The key of what is computed of a run in a scope, without a metric."""
    return run, scope.cache_key(), *facts


@shared(max_entries=16)
def slices_of(truth: str) -> dict[str, Slice]:
    """The slices of the queries of a truth, by the token that names them in a Scope."""
    return {
        f"{query_slice.attribute}={query_slice.value}": query_slice
        for attribute_slices in slices(LOADED.truth(truth)).values()
        for query_slice in attribute_slices
    }


@shared(max_entries=2)
def _resample_weights(queries: int) -> np.ndarray | None:
    return resample_weights(queries) if queries * RESAMPLES <= _MOST_WEIGHTS else None


def draw_resamples(scope: Scope) -> None:
    """Draw the resamples of a scope in a thread, unless they are there: the first intervals will ask for them."""
    if scope.common:
        return  # which queries these are takes longer
    queries = int(scope.queries.sum())
    if queries * RESAMPLES <= _MOST_WEIGHTS and _resample_weights.known(queries) is None:
        Thread(target=_resample_weights, args=(queries,), name="ragdash-resamples", daemon=True).start()


def answers_stamp() -> tuple[str, str]:
    """Changes whenever a local model or a judge has given a new answer."""
    return _scores_stamp(), _verdicts_stamp()


@once_a_run
def _scores_stamp() -> str:
    try:
        return default_score_cache().stamp()
    except InputError as error:  # the metric itself is unavailable then, with this reason
        return str(error.problems[0].as_dict())


@once_a_run
def _verdicts_stamp() -> str:
    try:
        return f"{default_verdict_store().stamp()} {prompt_additions().digest}".strip()
    except InputError as error:  # as above
        return str(error.problems[0].as_dict())


def _need_evidence(specs: Sequence[Spec]) -> bool:
    """Whether one of the specs is a metric of the evidence."""
    return any(spec.metric.view == "Covered" for spec in specs)


@shared(max_entries=256)
def _judges(runs: tuple[str, ...], truth: str, ties: str, judge: str, specs: tuple[str, ...], stamp: str,
            _scope: Scope) -> dict[tuple[str, int], str]:
    matches = [_scope.match_by_id(repeat, for_judges=True) for run in runs for repeat in digests_of(run)]
    return default_judges(matches, parse_specs(list(specs)), judge)


@shared(max_entries=64)
def _matched(run: str, truth: str, ties: str, _run: Run, _truth: Truth) -> Match:
    match = Match(_run, _truth, Conventions(ties=ties))
    match.ranked.relevant()  # built here, once, to be shared under every other convention
    return match


@shared(max_entries=256)
def _check_common_queries(run: str, truth: str, conventions: tuple[str, ...], _match: Match) -> None:
    """InputError, which is not kept, where the run and the truth have no query in common."""
    check_overlap(_match)


@shared(max_entries=64)
def _with_judge_texts(run: str, truth: str, ties: str, verdict_store: str, _match: Match) -> Match:
    match = _match.with_options()
    match.judged  # noqa: B018  (built here, once, as above)
    return match


@shared(max_entries=64)
def _matched_by_evidence(key: tuple, matching: Matching, decisions: str, _match: Match, _scope: Scope) -> Match:
    match = _match.with_options(_scope.matching, _scope.evidence(key[0]))
    match.view("Covered")  # built here, once, as above
    return match


@shared(max_entries=1024, ahead=True)  # Compare asks for 60 at each cutoff
def _evaluation(run: str, key: tuple, specs: tuple[str, ...], _specs: Sequence[Spec], _scope: Scope) -> Evaluation:
    whole, parsed = _scope.whole, parse_specs(list(specs))
    keys = {spec: whole.cache_key([spec]) for spec in parsed if whole.is_kept([spec])}
    known = kept_cache.read(run, keys, "values")
    evaluation = evaluate_match(_scope.match(run, _specs), parsed, known)
    kept_cache.keep(run, keys, {spec: evaluation.column(spec) for spec in keys if spec not in known
                                and spec not in evaluation.corpus and np.isfinite(evaluation.column(spec)).any()},
                    "values")
    if not _scope.part:
        return evaluation
    return evaluation.only(evaluation.query_ids.filter(pa.array(_scope.queries)).to_pylist())


@shared(max_entries=256)
def _mean_over_repeats(run: str, key: tuple, specs: tuple[str, ...], _evaluations: Sequence[Evaluation]) -> Evaluation:
    return mean_over_repeats(_evaluations)


@shared(max_entries=32, show_spinner="Comparing chunks with gold spans …")
def _evidence(key: tuple, _match: Match, _matching: Matching) -> EvidenceScores:
    return _match.with_options(replace(_matching, by="evidence", threshold=FLOOR)).evidence


@shared(max_entries=32)
def _decided(key: tuple, decisions: str, _scores: EvidenceScores) -> EvidenceScores:
    return _scores.decided(kept_decisions().read(decisions))


@shared(max_entries=64)
def _decided_pairs(key: tuple, decisions: str, _scores: EvidenceScores) -> frozenset[tuple[str, str, str]]:
    rows = np.flatnonzero(_scores.verdict)
    chunks, spans = _scores.row_chunk[rows], _scores.spans.part_span[_scores.row_part[rows]]
    return frozenset((_scores.query_ids[int(_scores.query[chunk])].as_py(),
                      digest(_scores.texts[_scores.text[chunk]]), digest(_scores.spans.texts[span]))
                     for chunk, span in zip(chunks.tolist(), spans.tolist(), strict=True))
