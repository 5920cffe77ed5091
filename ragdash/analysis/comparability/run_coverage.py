"""The account of one run against the truth: queries and documents that match, and those that do not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ragdash.analysis.comparability.findings import (
    MIRRORED,
    SHOWN,
    ComparabilityEntry,
    ConventionEffect,
    changes,
)
from ragdash.core.arrow_columns import take
from ragdash.core.ranking.reverse_scores import DISTANCES
from ragdash.core.records import CHOICES, Conventions, Run, Truth
from ragdash.io.field_names import USUAL_NAMES
from ragdash.matching.match import Match
from ragdash.matching.tied_ranks import compared_scores
from ragdash.metrics import Spec, has_answers

DEFAULT_K = 10
REVERSE = ("scores", "reverse")
CHANCE = 0.05  # of rising scores in rows in any order, below which they are no chance


def check_run(
    match: Match, conventions: Conventions, specs: Sequence[Spec], effects: Sequence[ConventionEffect]
) -> list[ComparabilityEntry]:
    """Every count of a run against the truth, those that are 0 as well (severity "ok")."""
    return [*_queries(match, conventions, effects), *_documents(match, conventions), *_judged(match, specs),
            _ties(match, conventions, effects), _rising(match.run)]


def check_truth(
    truth: Truth, conventions: Conventions, effects: Sequence[ConventionEffect]
) -> list[ComparabilityEntry]:
    """What the truth itself leaves open."""
    answerable = np.bincount(truth.queries[truth.grades >= 1], minlength=len(truth)) > 0
    none = truth.query_ids.filter(pa.array(~answerable))
    if not truth.judgments and (truth.details is None or "evidence" not in truth.details.column_names):
        return [ComparabilityEntry("unanswerable-queries/no-judgments", "note", None, len(none), len(truth))]
    alternative = _alternative("unanswerable", conventions)
    return [ComparabilityEntry(
        f"unanswerable-queries/{conventions.unanswerable}", "note" if len(none) else "ok", None, len(none), len(truth),
        _first(none), {"alternative": alternative, **changes(effects, "unanswerable", alternative)},
        ("unanswerable", alternative) if len(none) else None)]


def _queries(match: Match, conventions: Conventions, effects: Sequence[ConventionEffect]) -> list[ComparabilityEntry]:
    """Queries that match, are missing, have an empty ranking or no answer, or are extra."""
    return [_matched_queries(match), _missing_queries(match, conventions, effects), _empty_rankings(match),
            *_without_answer(match), _extra_queries(match)]


def _matched_queries(match: Match) -> ComparabilityEntry:
    run, total = match.run, len(match.truth)
    matched = int((match.truth_query >= 0).sum())
    if matched:
        return ComparabilityEntry("matched-queries", "ok", run.name, matched, total)
    ours, theirs = _first(run.query_ids), _first(match.query_ids)
    return ComparabilityEntry("matched-queries/none", "error", run.name, 0, total, (*ours, *theirs),
                              {"ours": ours, "theirs": theirs})


def _missing_queries(match: Match, conventions: Conventions,
                     effects: Sequence[ConventionEffect]) -> ComparabilityEntry:
    run, missing = match.run, int(match.missing.sum())
    matched = bool((match.truth_query >= 0).any())
    alternative = _alternative("missing", conventions) if matched else ""
    facts = changes(effects, "missing", alternative, run.name) if matched else {"moves": [], "more": 0,
                                                                                "unmoved": False}
    suffix = "" if run.has_rankings else "-answers"
    return ComparabilityEntry(
        f"missing-queries/{conventions.missing}{suffix}", "warning" if missing and matched else "ok", run.name, missing,
        len(match.truth), _first(match.query_ids.filter(pa.array(match.missing))),
        {"alternative": alternative, **facts}, ("missing", alternative) if missing and matched else None)


def _empty_rankings(match: Match) -> ComparabilityEntry:
    run = match.run
    empty = (match.truth_query >= 0) & (run.lengths == 0) & run.has_rankings
    return ComparabilityEntry("empty-rankings", "warning" if empty.any() else "ok", run.name, int(empty.sum()),
                              len(match.truth), _first(run.query_ids.filter(pa.array(empty))))


def _without_answer(match: Match) -> list[ComparabilityEntry]:
    """Queries that the run names without an answer to them; nothing for a run of rankings alone."""
    run, named = match.run, match.truth_query >= 0
    answered = np.zeros(len(run), bool)
    if has_answers(run) and run.details is not None:
        answered = run.details["answer"].is_valid().to_numpy()
    elif run.has_rankings or run.file_scores is not None:
        return []
    lacking = named & ~answered
    count, examples = int(lacking.sum()), _first(run.query_ids.filter(pa.array(lacking)))
    message, facts = ("without-answer", {}) if answered.any() else (
        "without-answer/all", {"names": list(USUAL_NAMES["answer"])})
    return [ComparabilityEntry(message, "warning" if count else "ok", run.name, count, len(match.truth), examples,
                               facts)]


def answered_queries(match: Match) -> np.ndarray:
    """Which queries of the truth the run has an answer to: (Q,) bool; an empty cell is none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from ragdash.core.records import Run, Truth
    >>> details = pa.table({"query_id": ["p", "q", "x"], "answer": ["yes", None, "no"]})
    >>> run = Run.build("run", [], [], details=details)
    >>> answered_queries(Match(run, Truth.build("truth", ["q", "p"], ["d", "d"], [1, 1]))).tolist()
    [False, True]
    """
    answered = np.zeros(len(match.truth), bool)
    details = match.run.details
    if details is not None and "answer" in details.column_names:
        rows = details["answer"].is_valid().to_numpy() & (match.truth_query >= 0)
        answered[match.truth_query[rows]] = True
    return answered


def _extra_queries(match: Match) -> ComparabilityEntry:
    run, in_truth = match.run, match.truth_query >= 0
    extra = int((~in_truth).sum())
    return ComparabilityEntry("extra-queries", "warning" if extra and in_truth.any() else "ok", run.name, extra,
                              len(run), _first(match.extra))


def _documents(match: Match, conventions: Conventions) -> list[ComparabilityEntry]:
    run, rows = match.run, len(match.run.docs)
    refused = conventions.duplicates == "error"
    severity = "ok" if not run.duplicates else "error" if refused else "warning"
    examples = tuple(dict.fromkeys(take(run.docs, run.rows(run.repeated[:SHOWN])).to_pylist()))
    return [
        ComparabilityEntry("returned-documents", "ok", run.name, rows - run.duplicates, rows,
                           facts={"queries": len(run), "depth": run.depth}),
        ComparabilityEntry(f"duplicate-documents/{conventions.duplicates}", severity, run.name, run.duplicates, rows,
                           examples, option=("duplicates", "first") if refused and run.duplicates else None),
    ]


def _judged(match: Match, specs: Sequence[Spec]) -> list[ComparabilityEntry]:
    """Unjudged documents among those returned for queries of the truth, at every cutoff of the specs and at all."""
    ranked, name = match.ranked, match.run.name
    total, judged = int(ranked.returned.sum()), len(ranked.rank)
    cutoffs = sorted({spec.k for spec in specs if spec.k}) or [DEFAULT_K]
    entries = [_no_common_document(match, total)] if total and not judged and match.truth.judgments else []
    for k in cutoffs:
        cutoff = np.array([k])
        judged_in_k = int(ranked.up_to(cutoff, ranked.query, ranked.rank).sum())
        entries.append(
            _unjudged(name, int(ranked.returned_at(cutoff).sum()), judged_in_k, k, bool(judged) and k == cutoffs[-1])
        )
    return [*entries, _unjudged(name, total, judged, None, False)]


def _unjudged(name: str, total: int, judged: int, k: int | None, worth_saying: bool) -> ComparabilityEntry:
    count = total - judged
    return ComparabilityEntry("unjudged-documents", "note" if count and worth_saying else "ok", name, count, total, k=k)


def _no_common_document(match: Match, total: int) -> ComparabilityEntry:
    """No returned document is judged for its query."""
    run = match.run
    ours, theirs = tuple(run.docs.slice(0, 1).to_pylist()), _first(match.truth.docs)[:1]
    return ComparabilityEntry("no-common-document", "error", run.name, 0, total, (*ours, *theirs),
                              {"ours": ours, "theirs": theirs})


def _ties(match: Match, conventions: Conventions, effects: Sequence[ConventionEffect]) -> ComparabilityEntry:
    run = match.run
    tied, total = _tied(run, conventions.ties), len(run.docs) - run.duplicates
    changes_mean = any(effect.marked and effect.convention == "ties" for effect in effects)
    return ComparabilityEntry(
        f"tied-documents/{conventions.ties}", "note" if changes_mean else "ok", run.name, tied, total,
        facts=changes(effects, "ties", MIRRORED, run.name),
        option=("ties", _alternative("ties", conventions)) if tied else None)


def _tied(run: Run, ties: str) -> int:
    """Documents with the score of a neighbor of their ranking, repeats not counted."""
    if run.ranked_by != "score" or len(run.docs) < 2:
        return 0
    first_rows = np.delete(np.arange(len(run.docs)), run.repeated) if run.duplicates else slice(None)
    scores, starts = compared_scores(run, ties)[first_rows], np.concatenate(([0], np.cumsum(run.lengths)))
    equal = scores[1:] == scores[:-1]
    inner = starts[1:-1]
    equal[inner[(inner > 0) & (inner < len(scores))] - 1] = False
    tied = np.zeros(len(scores), bool)
    tied[1:] |= equal
    tied[:-1] |= equal
    return int(tied.sum())


def _rising(run: Run) -> ComparabilityEntry:
    """Queries whose scores rise from the first to the last row: a distance, perhaps, that is ranked as a similarity."""
    count, comparable, examples = rising_queries(run)
    if not look_like_distances(run, count, comparable):
        return ComparabilityEntry("rising-scores/few", "ok", run.name, count, comparable, examples)
    message = "rising-scores" if run.ranked_by == "score" else "rising-scores/ranked"
    return ComparabilityEntry(message, "warning", run.name, count, comparable, examples,
                              option=REVERSE if run.ranked_by == "score" else None)


def look_like_distances(run: Run, count: int, total: int) -> bool:
    """Whether scores that rise in count of total queries do so in most of them, and in more than by chance.

    The scores of n rows in random order rise with a chance of 1 in n!. The binomial distribution with the mean chance
    has a heavier tail than the sum of such queries (Hoeffding, 1956). Scores that are known to be distances do not.
    """
    if not total or count * 2 <= total or run.settings.get("scores") == DISTANCES:
        return False
    from scipy.special import bdtrc, factorial

    lengths = np.diff(run.starts)
    return bool(bdtrc(count - 1, total, (1 / factorial(lengths[lengths > 1])).mean()) < CHANCE)


def rising_queries(run: Run) -> tuple[int, int, tuple[str, ...]]:
    """(Queries whose scores rise from the first row to the last, queries with several scores, examples)."""
    if run.scores is None:
        return 0, 0, ()
    if run.order is None and run.scores_fall:  # in the order of the file they never rise
        return 0, int((np.diff(run.starts) > 1).sum()), ()
    rising, several = _directions(run)
    count = int(rising.sum())
    return count, int(several.sum()), _first(run.query_ids.filter(pa.array(rising))) if count else ()


def _directions(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """(the scores rise and never fall in file order; there are several scores) for each query: (Q,) bool each."""
    scores, several = run.scores, np.diff(run.starts) > 1
    codes = np.repeat(np.arange(len(run)), np.diff(run.starts))
    if run.order is not None and run.ranked_by == "score":
        scores, rows = np.empty_like(run.scores), np.empty(len(codes), np.int64)
        scores[run.order], rows[run.order] = run.scores, codes
        scores = scores[np.argsort(rows, kind="stable")]
    within = codes[1:] == codes[:-1]  # a query, not from one to the next
    rises, falls = (np.bincount(codes[1:][within & (scores[1:] > scores[:-1])], minlength=len(run)) > 0,
                    np.zeros(len(run), bool))
    if rises.any():
        falls = np.bincount(codes[1:][within & (scores[1:] < scores[:-1])], minlength=len(run)) > 0
    return rises & ~falls, several


def _first(ids: pa.Array) -> tuple[str, ...]:
    return tuple(ids[:SHOWN].to_pylist())


def _alternative(name: str, conventions: Conventions) -> str:
    return next(choice for choice in CHOICES[name] if choice != getattr(conventions, name))
