"""Find what speaks against a comparison of runs: every trap that makes good numbers mean nothing.

Letters: Q queries, D documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.comparability import ComparabilityEntry, check_ids
from ragdash.analysis.comparability.between_runs import same_rankings
from ragdash.analysis.comparability.run_spellings import MOST_PAIRED, spelled_apart
from ragdash.analysis.run_similarity import collect_top_k, rank_biased_overlap
from ragdash.analysis.test_set.unjudged.bounds import bounds, present_mean
from ragdash.analysis.verdict.checks import LEVELS, RunCheck
from ragdash.analysis.verdict.fused_runs import fusion_checks
from ragdash.analysis.verdict.known_documents import KnownShares, unknown_ids
from ragdash.analysis.verdict.missing_queries import MOST_MISSING, common_queries, missing_queries
from ragdash.analysis.verdict.score_direction import score_direction
from ragdash.core.errors import Unavailable
from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.evaluation.scoring.default_judges import with_default_judges
from ragdash.io.field_names import USUAL_NAMES
from ragdash.matching.match import Match
from ragdash.metrics import Spec, has_answers

FEW_QUERIES = 20
DEFAULT_K = 10
NEARLY_EQUAL, NEARLY_ALIKE = 0.97, 0.9  # share of queries with the same value, and rank-biased overlap of the top 10
SPARSE = 3.0  # judged documents per query up to which unjudged ones are normal
UNEVEN = 0.1  # difference of judged shares that is worth saying
FORMULAS = ("AP", "Rprec", "nDCG")  # metrics whose bounds are fast without being monotone
_IDS = {"respelled-queries": "other-ids", "respelled-documents": "other-ids", "another-level": "other-level",
        "finer-truth": "other-level"}


def find_checks(matches: Sequence[Match], spec: Spec, k: int | None = None, *,
                ids: Sequence[ComparabilityEntry] | None = None, truths: Sequence[str] = (),
                queries: np.ndarray | None = None, known: Sequence[KnownShares] | None = None,
                spellings: Sequence[RunCheck] | None = None) -> tuple[RunCheck, ...]:
    """Every check that fires for these runs, the worst first.

    Parameters
    ----------
    matches
        The runs that are compared, matched with one truth.
    spec
        The metric of the verdict.
    k
        The cutoff chosen; default that of the metric, or 10.
    ids
        What `check_ids` gave for the same runs, where it is there already.
    truths
        Names of the files with judgments, where several are loaded.
    queries : bool array (Q,)
        The queries that count; default all.
    known
        What `known_shares` gave for each run, where it is there already. Like `ids`, it depends on the ids alone.
    spellings
        What `spelling_checks` gave for the same runs, where it is there already.

    Returns
    -------
    tuple of RunCheck
    """
    if not matches:
        return ()
    matches, k = with_default_judges(matches, [spec]), spec.k or k or DEFAULT_K
    common = common_queries(matches, queries)
    checks = [*_several_truths(truths), *_joined_truths(matches[0].truth)]
    ids = check_ids([match.run for match in matches], matches[0].truth) if ids is None else ids
    ids_of: dict[str | None, list[ComparabilityEntry]] = {}
    for entry in ids:
        ids_of.setdefault(entry.run, []).append(entry)
    for match in matches:
        checks += [*_without_rankings(match.run, spec), *_repeated_questions(match.run), *score_direction(match),
                   *missing_queries(match, spec, queries), *_ids_of(match, spec, ids_of.get(match.run.name, ()))]
    checks += [*_without_references(matches), *_same_content(matches), *fusion_checks(matches),
               *_other_spellings(matches, checks, spellings)]
    if matches[0].matching.by == "id" and matches[0].truth.judgments:
        checks += _stale(matches[0].truth)
        checks += [RunCheck("near-ids", "qualified", (), entry.facts) for entry in ids if entry.kind == "near-ids"]
        checks += [*unknown_ids(matches, checks, known), *_shallow(matches, k), *_inverted(matches)]
        checks += _judged(matches, spec, k)
    values = [_values_of(match, spec, common) for match in matches]
    checks += [*_values(matches, spec, values), *_nearly_same(matches, spec, values), *_other_judges(matches, spec)]
    return tuple(sorted(checks, key=lambda check: LEVELS.index(check.level)))


def _several_truths(truths: Sequence[str]) -> list[RunCheck]:
    if len(truths) < 2:
        return []
    return [RunCheck("several-truths", "withheld", (), {
        "count": len(truths), "names": list(truths), "used": truths[-1]})]


def _joined_truths(truth: Truth) -> list[RunCheck]:
    """What files that were joined say differently of the same document or reference."""
    return [RunCheck("several-truths/joined", "qualified", (), problem.facts) for problem in truth.problems
            if problem.message == "joined-truths/conflicts"
            and problem.facts["what"] in ("judgments", "answers", "evidence")]


def _ids_of(match: Match, spec: Spec, ids: Sequence[ComparabilityEntry]) -> list[RunCheck]:
    """Ids that would match if they were written alike, and sets that have nothing in common."""
    name, run, checks = match.run.name, match.run, []
    if match.matching.by == "id" and match.truth.judgments:
        if len(run) and not (match.truth_query >= 0).any():
            checks.append(RunCheck("no-common-query", "withheld", (name,), {"run": name}))
        elif run.has_rankings and not len(match.ranked.rank):
            checks.append(RunCheck("no-common-document", "withheld", (name,), {"run": name}))
    kinds = _IDS | ({"respelled-allowed": "other-ids/allowed"} if spec.metric.view == "Permitted" else {})
    for entry in ids:
        if entry.kind not in kinds or entry.severity == "note":
            continue
        many = entry.count > MOST_MISSING * entry.total or entry.kind in ("another-level", "finer-truth")
        facts = {"run": name, "count": entry.count, "total": entry.total, "examples": list(entry.examples[:2]),
                 "flags": entry.flags, "ids": entry.kind.partition("-")[2]}
        checks.append(RunCheck(kinds[entry.kind], "withheld" if many else "qualified", (name,), facts, entry.option,
                               entry.also))
    fixed = any(check.kind in ("other-ids", "other-level") for check in checks)
    return [check for check in checks if not (fixed and check.kind.startswith("no-common"))]


def _same_content(matches: Sequence[Match]) -> list[RunCheck]:
    return [RunCheck("same-content", "qualified", pair, {"first": pair[0], "second": pair[1]})
            for pair in same_rankings([match.run for match in matches])]


def _without_rankings(run: Run, spec: Spec) -> list[RunCheck]:
    """A run without documents: whether its file has some, under names that only a proposed reading knows."""
    proposals = [problem.facts.get("mappings") for problem in run.problems if problem.kind == "proposed-reading"]
    is_left_out = any({"retrieved", "doc_id"} & reading.keys() for readings in proposals if isinstance(readings, list)
                      for reading in readings)
    if run.has_rankings and not (is_left_out and not len(run.docs)):
        return []
    if is_left_out:
        return [RunCheck("unread-rankings", "qualified", (run.name,), {"run": run.name})]
    if not has_answers(run) and run.file_scores is None:
        return [RunCheck("no-rankings/no-answers", "qualified", (run.name,), {
            "run": run.name, "names": list(USUAL_NAMES["answer"])})]
    with_contexts = run.details is not None and "contexts" in run.details.column_names
    return [RunCheck("no-rankings/contexts" if with_contexts else "no-rankings",
                     "qualified" if spec.metric.of_rankings else "note", (run.name,), {"run": run.name})]


def _repeated_questions(run: Run) -> list[RunCheck]:
    """Rows of one question that were read as queries of their own, "question (2)"."""
    if not any(problem.kind == "repeated-question" for problem in run.problems):
        return []
    base = pc.replace_substring_regex(run.query_ids, r" \(\d+\)$", "")
    repeated = pc.sum(pc.and_(pc.not_equal(base, run.query_ids), pc.is_in(base, value_set=run.query_ids))).as_py()
    return [RunCheck("repeated-questions", "qualified", (run.name,), {
        "run": run.name, "rows": len(run), "questions": len(run) - repeated})] if repeated else []


def _without_references(matches: Sequence[Match]) -> list[RunCheck]:
    """Answers, and nothing that says which of them are right."""
    runs, truth = [match.run for match in matches], matches[0].truth
    known = {"answers", "evidence"}.intersection(truth.details.column_names if truth.details is not None else ())
    if truth.judgments or known or any(run.file_scores is not None for run in runs) or not any(map(has_answers, runs)):
        return []
    return [RunCheck("no-references", "qualified", (), {"names": list(USUAL_NAMES["answers"])})]


def _stale(truth: Truth) -> list[RunCheck]:
    """Judged documents that are not among the documents there are: ids from before they were indexed again."""
    if truth.corpus is None:
        return []
    judged = pc.unique(truth.docs.filter(pa.array(truth.grades >= 1)))
    count = int((~truth.corpus.has(judged)).sum())
    if count <= MOST_MISSING * len(judged):
        return []
    return [RunCheck("stale-judgments", "qualified", (), {"count": count, "total": len(judged)})]


def _shallow(matches: Sequence[Match], k: int) -> list[RunCheck]:
    deepest = max(matches, key=lambda match: match.run.depth).run
    return [
        RunCheck("shallow-run", "withheld", (match.run.name,), {
            "run": match.run.name, "depth": match.run.depth, "other": deepest.name, "other_depth": deepest.depth,
            "k": k}, ("k", str(match.run.depth)))
        for match in matches if 0 < match.run.depth < min(k, deepest.depth)
    ]


def _inverted(matches: Sequence[Match]) -> list[RunCheck]:
    """Every run ranks low grades first: rank and grade rise together, by more than chance."""
    for match in matches:
        slopes = _rank_grade_correlation(match)
        if len(slopes) < 5 or slopes.mean() < 0.15 or slopes.mean() < 3 * slopes.std(ddof=1) / np.sqrt(len(slopes)):
            return []
    return [RunCheck("inverted-grades", "qualified")]


def _rank_grade_correlation(match: Match) -> np.ndarray:
    """Correlation of rank and grade among the judged documents returned, of each query where both vary."""
    ranked = match.ranked
    query, rank, grade = ranked.query, np.log1p(ranked.rank.astype(float)), ranked.grade.astype(float)
    n = np.maximum(np.bincount(query, minlength=ranked.queries), 1)
    rank = rank - (np.bincount(query, rank, ranked.queries) / n)[query]
    grade = grade - (np.bincount(query, grade, ranked.queries) / n)[query]
    both, ranks, grades = (np.bincount(query, product, ranked.queries)
                           for product in (rank * grade, rank**2, grade**2))
    varies = (ranks > 1e-12) & (grades > 1e-12)
    return both[varies] / np.sqrt(ranks[varies] * grades[varies])


def _judged(matches: Sequence[Match], spec: Spec, k: int) -> list[RunCheck]:
    """Unjudged documents: normal with few judgments per query, else what they could change."""
    truth = matches[0].truth
    per_query = np.bincount(truth.queries, minlength=len(truth))
    mean = float(per_query[per_query > 0].mean()) if (per_query > 0).any() else 0.0
    shares = [judged_share(match, k) for match in matches]
    if min(shares) == 1:
        return []
    if mean <= SPARSE:
        return [RunCheck("sparse-judgments", "note", (), {"mean": mean})]
    if len(matches) < 2:
        return []
    checks, worst, best = [], int(np.argmin(shares)), int(np.argmax(shares))
    if shares[best] - shares[worst] > UNEVEN:
        names = matches[worst].run.name, matches[best].run.name
        checks.append(RunCheck("uneven-judgments", "qualified", (names[0],), {
            "low": shares[worst], "high": shares[best], "k": k, "worst": names[0], "best": names[1]}))
    return [*checks, *_could_change(matches, spec)]


def judged_share(match: Match, k: int) -> float:
    """Share of the documents in the first k ranks that are judged; 1 where nothing is returned."""
    cutoff = np.array([k])
    returned = int(match.ranked.returned_at(cutoff).sum())
    return int(match.ranked.up_to(cutoff, match.ranked.query, match.ranked.rank).sum()) / returned if returned else 1.0


def _could_change(matches: Sequence[Match], spec: Spec) -> list[RunCheck]:
    """The best run could end up behind another one, whatever the unjudged documents are."""
    if spec.metric.bounds != "monotone" and spec.name not in FORMULAS:
        return []
    sign = -1 if spec.metric.better == "lower" else 1
    worse, better = ("high", "low") if sign < 0 else ("low", "high")
    try:
        means = np.array([sign * present_mean(match, spec) for match in matches])
        if np.isnan(means).all():
            return []
        best = int(np.nanargmax(means))
        worst_end = sign * getattr(bounds(matches[best], spec, [worse]), f"mean_{worse}")
        best_end = {index: sign * getattr(bounds(match, spec, [better]), f"mean_{better}")
                    for index, match in enumerate(matches) if index != best}
    except Unavailable:
        return []
    others = [index for index, end in best_end.items() if end > worst_end]
    if not others:
        return []
    other = max(others, key=best_end.__getitem__)
    return [RunCheck("unjudged", "qualified", (), {
        "metric": spec.title, "best": matches[best].run.name, "other": matches[other].run.name,
        "low": sign * worst_end, "high": sign * best_end[other]})]


def _other_judges(matches: Sequence[Match], spec: Spec) -> list[RunCheck]:
    """Runs whose values are by different judges, or by versions of one."""
    if spec.metric.view != "Judged" or len(matches) < 2:
        return []
    from ragdash.matching.views.judged import setting
    from ragdash.metrics.judged import judge_request

    request = judge_request(spec)
    judges = {match.run.name: match.judged.settings([request]).get(setting(*request), "") for match in matches}
    if len(set(filter(None, judges.values()))) < 2:
        return []
    return [RunCheck("other-judges", "withheld", (), {"metric": spec.title, "name": spec.name, "judges": [
        f"{run}: {judge}" for run, judge in judges.items() if judge]})]


def _values_of(match: Match, spec: Spec, queries: np.ndarray | None) -> np.ndarray:
    """The value of each query that counts, NaN where it is undefined; none where there is nothing to evaluate."""
    if not (match.truth_query >= 0).any():
        return np.zeros(0)  # said by the ids
    values = evaluate_match(match, [spec]).column(spec)
    return values if queries is None else values[np.asarray(queries, bool)]


def _values(matches: Sequence[Match], spec: Spec, values: Sequence[np.ndarray]) -> list[RunCheck]:
    """Few queries with a value, and runs that are perfect on all of them."""
    checks, counts = [], []
    for match, column in zip(matches, values, strict=True):
        if not len(column):
            continue
        defined = column[~np.isnan(column)]
        counts.append(len(defined))
        best = spec.range[0] if spec.metric.better == "lower" else spec.range[1]
        if len(defined) >= 3 and spec.metric.better and (defined == best).all():
            checks.append(RunCheck(f"perfect-score{_made_by(spec)}", "qualified", (match.run.name,), {
                "run": match.run.name, "metric": spec.title, "count": len(defined)}))
    if counts and 0 < min(counts) < FEW_QUERIES:
        checks.append(RunCheck("few-queries", "qualified", (), {"count": min(counts)}))
    return checks


def _nearly_same(matches: Sequence[Match], spec: Spec, values: Sequence[np.ndarray]) -> list[RunCheck]:
    """Runs that differ on hardly a query and rank nearly alike, each with the first one that it is like."""
    pairs = [(first, second) for first, second in combinations(range(len(matches)), 2)
             if _share_equal(values[first], values[second]) >= NEARLY_EQUAL] if len(matches) <= MOST_PAIRED else []
    alike = sorted({index for pair in pairs for index in pair})
    if not alike:
        return []
    overlap = rank_biased_overlap(collect_top_k([matches[index] for index in alike], DEFAULT_K)).mean
    same = {frozenset(pair) for pair in same_rankings([match.run for match in matches])}
    checks, described = [], set()
    for first, second in pairs:
        names = matches[first].run.name, matches[second].run.name
        likeness = overlap[alike.index(first), alike.index(second)]
        if second in described or frozenset(names) in same or not likeness >= NEARLY_ALIKE:
            continue
        described.add(second)
        both = ~np.isnan(values[first]) & ~np.isnan(values[second])
        checks.append(RunCheck("nearly-same", "qualified", names, {
            "first": names[0], "second": names[1], "metric": spec.title, "overlap": float(likeness),
            "count": int(np.isclose(values[first][both], values[second][both], atol=1e-9).sum()),
            "total": int(both.sum())}))
    return checks


def _share_equal(one: np.ndarray, other: np.ndarray) -> float:
    """The share of queries on which two runs have the same value; 0 where they share fewer than FEW_QUERIES."""
    if len(one) != len(other):
        return 0.0
    both = ~np.isnan(one) & ~np.isnan(other)
    return float(np.isclose(one[both], other[both], atol=1e-9).mean()) if both.sum() >= FEW_QUERIES else 0.0


def _other_spellings(matches: Sequence[Match], checks: Sequence[RunCheck],
                     spellings: Sequence[RunCheck] | None) -> Sequence[RunCheck]:
    """Runs that name the same document in two ways, judged or not; the judgments come first where ids differ there."""
    if any(check.kind in ("other-ids", "other-level") for check in checks):
        return []
    return spelling_checks([match.run for match in matches]) if spellings is None else spellings


def spelling_checks(runs: Sequence[Run]) -> list[RunCheck]:
    """What speaks against joining the rankings of these runs: they name the same document in two ways."""
    apart = spelled_apart(runs)
    if apart is None:
        return []
    facts = {"first": apart.first, "second": apart.second, "count": apart.count, "total": apart.total,
             "examples": list(apart.examples), "ids": apart.ids, "flags": f"--ids {apart.ids}"}
    return [RunCheck("other-spellings", "qualified", (), facts, ("ids", apart.ids))]


def _made_by(spec: Spec) -> str:
    """Which words say why a perfect value may mean little: by whom or from what it was given."""
    if spec.metric.view in ("Supplied", "Timed"):
        return "/label" if dict(spec.params).get("label") else "/file"
    if spec.metric.view in ("Judged", "Scored", "Entailed"):
        return "/judge"
    return "" if spec.metric.of_rankings else "/answers"
