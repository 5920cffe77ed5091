"""The account of one run against the truth: queries and documents that match, and those that do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from ragdash.analysis.comparability.findings import (
    MIRRORED,
    SHOWN,
    ComparabilityEntry,
    ConventionEffect,
    describe_changes,
    format_examples,
)
from ragdash.core.arrow_columns import take
from ragdash.core.records import CHOICES, Conventions, Run, Truth
from ragdash.core.text.quoted import quoted
from ragdash.matching.match import Match, compared_scores
from ragdash.metrics import Spec

DEFAULT_K = 10


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
    examples = tuple(none[:SHOWN].to_pylist())
    treatment = {"skip": "They are undefined and left out of every mean.", "zero": "They count 0 in every mean."}
    alternative = _alternative("unanswerable", conventions)
    entry = ComparabilityEntry(
        "unanswerable-queries",
        "note" if len(none) else "ok",
        None,
        f"{len(none):,} of {len(truth):,} queries of the truth have no relevant document{format_examples(examples)}.",
        len(none),
        len(truth),
        examples,
    )
    return [
        _with_consequence(
            entry,
            f"{treatment[conventions.unanswerable]} Under '{alternative}': "
            f"{describe_changes(effects, 'unanswerable', alternative)}",
            "Judge documents for them, or choose how they count.",
            ("unanswerable", alternative),
        )
    ]


def _queries(match: Match, conventions: Conventions, effects: Sequence[ConventionEffect]) -> list[ComparabilityEntry]:
    """Queries that match, are missing, have an empty ranking or are extra."""
    return [_matched_queries(match), _missing_queries(match, conventions, effects), _empty_rankings(match),
            _extra_queries(match)]


def _matched_queries(match: Match) -> ComparabilityEntry:
    run, total = match.run, len(match.truth)
    matched = int((match.truth_query >= 0).sum())
    if matched:
        return ComparabilityEntry("matched-queries", "ok", run.name,
                                  f"{matched:,} of {total:,} queries of the truth are in the run.", matched, total)
    run_ids, truth_ids = _first(run.query_ids), _first(match.query_ids)
    return ComparabilityEntry(
        "matched-queries", "error", run.name, f"No query of the run is in the truth: the run has queries like "
        f"{_like(run_ids)}, the truth queries like {_like(truth_ids)}.", 0, total, (*run_ids, *truth_ids),
        "The run cannot be evaluated.", "Check that both belong to the same data set, and write the ids the same way.")


def _missing_queries(match: Match, conventions: Conventions,
                     effects: Sequence[ConventionEffect]) -> ComparabilityEntry:
    run, total, missing = match.run, len(match.truth), int(match.missing.sum())
    matched = bool((match.truth_query >= 0).any())
    examples = _first(match.query_ids.filter(pa.array(match.missing)))
    treatment = {"zero": "They count as empty rankings.", "skip": "They are left out of every mean."}
    alternative = _alternative("missing", conventions)
    changes = ""
    if matched:
        changes = f" Under '{alternative}': {describe_changes(effects, 'missing', alternative, run.name)}"
    return _with_consequence(
        ComparabilityEntry(
            "missing-queries", "warning" if missing and matched else "ok", run.name,
            f"{missing:,} of {total:,} queries of the truth are not in the run{format_examples(examples)}.", missing,
            total, examples),
        f"{treatment[conventions.missing]}{changes}", "Run them too, or choose how they count.",
        ("missing", alternative) if matched else None)


def _empty_rankings(match: Match) -> ComparabilityEntry:
    run, total = match.run, len(match.truth)
    empty = (match.truth_query >= 0) & (run.lengths == 0)
    count, examples = int(empty.sum()), _first(run.query_ids.filter(pa.array(empty)))
    return _with_consequence(
        ComparabilityEntry(
            "empty-rankings", "warning" if count else "ok", run.name,
            f"{count:,} of {total:,} queries have an empty ranking in the run{format_examples(examples)}.", count,
            total, examples),
        "They count 0 where something is relevant to them.", "Check that the search did not fail for them.")


def _extra_queries(match: Match) -> ComparabilityEntry:
    run, in_truth = match.run, match.truth_query >= 0
    extra, examples = int((~in_truth).sum()), _first(match.extra)
    return _with_consequence(
        ComparabilityEntry(
            "extra-queries", "warning" if extra and in_truth.any() else "ok", run.name,
            f"{extra:,} of {len(run):,} queries of the run are not in the truth{format_examples(examples)}.", extra,
            len(run), examples),
        "They are left out of every metric.", "Judge them, or leave them out of the run.")


def _documents(match: Match, conventions: Conventions) -> list[ComparabilityEntry]:
    run, rows = match.run, len(match.run.docs)
    distinct = rows - run.duplicates
    entries = [
        ComparabilityEntry(
            "returned-documents",
            "ok",
            run.name,
            f"{distinct:,} documents are returned for {len(run):,} queries, at most {run.depth:,} for one.",
            distinct,
            rows,
        )
    ]
    refused = conventions.duplicates == "error"
    examples = tuple(dict.fromkeys(take(run.docs, run.rows(run.repeated[:SHOWN])).to_pylist()))
    entries.append(
        _with_consequence(
            ComparabilityEntry(
                "duplicate-documents",
                ("error" if refused else "warning") if run.duplicates else "ok",
                run.name,
                f"{run.duplicates:,} of {rows:,} returned documents already have a better rank in their ranking"
                f"{format_examples(examples)}.",
                run.duplicates,
                rows,
                examples,
            ),
            "The run is refused." if refused else "The best rank counts, the others are passed over.",
            "Remove the repeats from the file.",
            ("duplicates", "first") if refused else None,
        )
    )
    return entries


def _judged(match: Match, specs: Sequence[Spec]) -> list[ComparabilityEntry]:
    """Unjudged documents among those returned for queries of the truth, at every cutoff of the specs and at all."""
    ranked, name = match.ranked, match.run.name
    total, judged = int(ranked.returned.sum()), len(ranked.rank)
    cutoffs = sorted({spec.k for spec in specs if spec.k}) or [DEFAULT_K]
    entries = [_no_common_document(match, total)] if total and not judged else []
    for k in cutoffs:
        cutoff = np.array([k])
        judged_in_k = int(ranked.up_to(cutoff, ranked.query, ranked.rank).sum())
        entries.append(
            _unjudged(name, int(ranked.returned_at(cutoff).sum()), judged_in_k, k, bool(judged) and k == cutoffs[-1])
        )
    return [*entries, _unjudged(name, total, judged, None, False)]


def _unjudged(name: str, total: int, judged: int, k: int | None, worth_saying: bool) -> ComparabilityEntry:
    count = total - judged
    range_text = f"in the first {k} ranks" if k else "at any rank"
    share = f" ({count / total:.1%})" if total else ""
    return _with_consequence(
        ComparabilityEntry(
            "unjudged-documents",
            "note" if count and worth_saying else "ok",
            name,
            f"{count:,} of {total:,} documents returned {range_text} have no judgment{share}.",
            count,
            total,
            k=k,
        ),
        "They count as not relevant; where runs differ in this, the one with fewer is at an advantage.",
        "Judge them, or read bpref and Judged@k with the other metrics.",
    )


def _no_common_document(match: Match, total: int) -> ComparabilityEntry:
    """No returned document is judged for its query."""
    run = match.run
    run_ids, truth_ids = tuple(run.docs.slice(0, 1).to_pylist()), _first(match.truth.docs)[:1]
    return ComparabilityEntry(
        "no-common-document",
        "error",
        run.name,
        f"None of the {total:,} documents returned is judged for its "
        f"query: the run has documents like {_like(run_ids)}, the truth documents like {_like(truth_ids)}.",
        0,
        total,
        (*run_ids, *truth_ids),
        "Every metric is 0 or undefined.",
        "Check that the ids are written the same way and that the truth judges what the run ranks.",
    )


def _ties(match: Match, conventions: Conventions, effects: Sequence[ConventionEffect]) -> ComparabilityEntry:
    run = match.run
    tied, total = _tied(run, conventions.ties), len(run.docs) - run.duplicates
    share = f" ({tied / total:.1%})" if total else ""
    changes_mean = any(effect.marked and effect.convention == "ties" for effect in effects)
    entry = ComparabilityEntry(
        "tied-documents",
        "note" if changes_mean else "ok",
        run.name,
        f"{tied:,} of {total:,} documents have the score of another one in their ranking{share}.",
        tied,
        total,
    )
    treatment = {"docid": "Equal scores are settled by document id, descending, as trec_eval does.",
            "trec_eval": "Scores that are equal in 32 bits are settled by document id, descending, as trec_eval does.",
            "file": "Equal scores stay in the order of the file."}
    return _with_consequence(
        entry,
        f"{treatment[conventions.ties]} If they were settled the other way round: "
        f"{describe_changes(effects, 'ties', MIRRORED, run.name)}",
        "Let the retriever write scores with more digits.",
        ("ties", _alternative("ties", conventions)),
    )


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
    order = "the highest score is ranked first" if run.ranked_by == "score" else "the ranks of the file are kept"
    return _with_consequence(
        ComparabilityEntry(
            "rising-scores",
            "warning" if count else "ok",
            run.name,
            f"In {count:,} of {comparable:,} queries with several "
            f"scores these rise from the first document to the last{format_examples(examples)}.",
            count,
            comparable,
            examples,
        ),
        f"They may be distances, where less is better; {order}.",
        "Where they are distances, write their negatives, or give ranks.",
    )


def rising_queries(run: Run) -> tuple[int, int, tuple[str, ...]]:
    """(Queries whose scores rise from the first row to the last, queries with several scores, examples)."""
    if run.scores is None:
        return 0, 0, ()
    rising, several = _directions(run)
    count = int(rising.sum())
    return count, int(several.sum()), _first(run.query_ids.filter(pa.array(rising))) if count else ()


def _directions(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """(the scores rise and never fall in file order; there are several scores) for each query: (Q,) bool each."""
    scores, codes = run.scores, np.repeat(np.arange(len(run)), np.diff(run.starts))
    if run.order is not None and run.ranked_by == "score":
        scores, rows = np.empty_like(run.scores), np.empty(len(codes), np.int64)
        scores[run.order], rows[run.order] = run.scores, codes
        order = np.argsort(rows, kind="stable")
        scores = scores[order]
    same_query = codes[1:] == codes[:-1]
    steps, owner = np.diff(scores)[same_query], codes[1:][same_query]
    rises, falls = (np.bincount(owner[mask], minlength=len(run)) > 0 for mask in (steps > 0, steps < 0))
    return rises & ~falls, np.bincount(owner, minlength=len(run)) > 0


def _with_consequence(
    entry: ComparabilityEntry, effect: str, fix: str, option: tuple[str, str] | None = None
) -> ComparabilityEntry:
    """The entry with what follows from it, where it counts anything."""
    return replace(entry, effect=effect, fix=fix, option=option) if entry.count else entry


def _like(examples: Sequence[str]) -> str:
    return ", ".join(map(quoted, examples)) or "none"


def _first(ids: pa.Array) -> tuple[str, ...]:
    return tuple(ids[:SHOWN].to_pylist())


def _alternative(name: str, conventions: Conventions) -> str:
    return next(choice for choice in CHOICES[name] if choice != getattr(conventions, name))
