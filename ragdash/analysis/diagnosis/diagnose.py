"""(Match, DiagnosisRules) -> Diagnosis: every check of the corridor for every query, and the first that fails.

Letters: Q queries of the truth, S stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from ragdash.analysis.diagnosis.answer_checks import AnswerChecks, check_answers, judge_specs
from ragdash.analysis.diagnosis.permission_checks import check_permissions
from ragdash.analysis.diagnosis.potential_gain import BestValues
from ragdash.analysis.diagnosis.result import Diagnosis
from ragdash.analysis.diagnosis.retrieval_checks import RetrievalChecks, check_retrieval
from ragdash.analysis.diagnosis.rules import AUTO, DiagnosisRules
from ragdash.analysis.diagnosis.stages import FINE, NAMES
from ragdash.core.errors import Problem
from ragdash.core.records.arguments import checked
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.scoring.default_judges import with_default_judges
from ragdash.matching.file_labels import unused_labels
from ragdash.matching.match import Match
from ragdash.matching.question_types import read_kinds

Checks = dict[str, tuple[np.ndarray, np.ndarray]]
"""stage -> (whether its check could be made, whether it failed): (Q,) bool both."""


@checked
def diagnose(match: Match, rules: DiagnosisRules | None = None, answers: Evaluation | None = None) -> Diagnosis:
    """Find the first stage at which each query went wrong.

    The rules are in docs/reference/diagnosis.md. A check that cannot be made is skipped and reported.

    Parameters
    ----------
    match
        A run and its truth, by id or by evidence. Gold is looked up in truth.corpus, if there is one.
    rules
        Cutoff, coverage and the thresholds of answers; default DiagnosisRules().
    answers
        The run evaluated on `text_specs(rules)`, if it is known already.

    Returns
    -------
    Diagnosis

    Raises
    ------
    InputError
        The run has answers and no query in common with the truth, or `answers` are of another truth or run.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> diagnosis = diagnose(Match(run, truth), DiagnosisRules(k=1))
    >>> [diagnosis.stage_of(query).name for query in ("q1", "q2")]
    ['below-k', 'fine']
    """
    rules = rules or DiagnosisRules()
    marked, unclear = read_kinds(match.truth)
    bare = marked["no_answer"] | marked["out_of_scope"]
    retrieval = check_retrieval(match, rules, marked["multi_hop"])
    answer_checks = check_answers(match, rules, answers)
    permissions = check_permissions(match, rules)
    checks = {**_retrieval(retrieval), **_answers(answer_checks)}
    checks = {name: (known & ~bare, failed & ~bare) for name, (known, failed) in checks.items()}
    checks["forbidden"] = permissions.known, permissions.leaks  # also of a question without an answer
    checks["answered-unanswerable"] = (
        bare & answer_checks.has_answer & ~permissions.leaks,
        bare & answer_checks.has_answer & answer_checks.says & ~answer_checks.declines & ~answer_checks.right,
    )
    checks["no-gold"] = _no_gold(checks)
    known, failed = (np.stack([checks[name][side] for name in NAMES[:FINE]]) for side in (0, 1))
    failed &= known
    stage = np.where(failed.any(axis=0), failed.argmax(axis=0), FINE).astype(np.int8)
    known = np.concatenate([known, [~failed[0]]])
    settings = {**asdict(match.conventions), "match": match.matching.by, **asdict(rules), **answer_checks.settings}
    if match.matching.by == "evidence":
        settings |= {"match_how": match.matching.how, "match_threshold": match.matching.threshold}
    stage.flags.writeable = known.flags.writeable = False
    return Diagnosis(match.run.name, match.run.digest, match.truth.digest, match.query_ids, rules, stage, known,
                     {**retrieval.numbers, **permissions.numbers, **answer_checks.numbers}, marked,
                     BestValues.of(match), answer_checks.own_contexts, answer_checks.label_column, answer_checks.judge,
                     {**retrieval.reasons, **answer_checks.reasons}, settings,
                     _problems(match, rules, (*unclear, *retrieval.problems)))


def _problems(match: Match, rules: DiagnosisRules, others: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Also labels of the run's file that are not counted, unless the rules say whether to count labels."""
    labels = unused_labels(match) if rules.label_column == AUTO else None
    return (*others, labels) if labels else others


def diagnose_runs(matches: Sequence[Match], k: int) -> list[Diagnosis]:
    """Several runs by the default rules at a cutoff; where judges have scored them, all by the same judge."""
    rules = DiagnosisRules(k=k)
    return [diagnose(match, rules) for match in with_default_judges(matches, judge_specs(rules))]


def _retrieval(retrieval: RetrievalChecks) -> Checks:
    """The checks from the corpus to the score threshold. What a chunk without a text may hold is not known."""
    gold = retrieval.gold > 0
    there = gold & retrieval.searchable
    enough, above = retrieval.in_k >= retrieval.needed, retrieval.above >= retrieval.needed
    clear, clear_in_k = retrieval.unread == 0, retrieval.unread_in_k == 0
    return {"not-in-corpus": (gold & retrieval.in_corpus_known,
                              (retrieval.in_corpus == 0) & (retrieval.retrieved == 0)),
            "not-retrieved": (there & ((retrieval.retrieved > 0) | clear), retrieval.retrieved == 0),
            "below-k": (there & ((retrieval.in_k > 0) | clear_in_k), retrieval.in_k == 0),
            "partly-covered": (there & (enough | clear_in_k), ~enough),
            "below-threshold": (there & retrieval.scored & (above | clear_in_k), ~above)}


def _answers(answers: AnswerChecks) -> Checks:
    """The checks of the answer to a question that has one; who fails an earlier check does not come to these."""
    return {"wrong-answer": (answers.judged, ~answers.right & ~answers.declines),
            "not-grounded": (~np.isnan(answers.support) & ~answers.declines, ~answers.grounded),
            "refused": (answers.says, answers.declines & ~answers.right)}


def _no_gold(checks: Checks) -> tuple[np.ndarray, np.ndarray]:
    """Queries without anything that shows whether they went right; the check itself can always be made."""
    checkable = [checks[name][0] for name in ("not-retrieved", "below-k", "partly-covered", "wrong-answer",
                                         "answered-unanswerable")]
    failed = [np.logical_and(*checks[name]) for name in ("not-in-corpus", "forbidden")]
    unchecked = ~np.any([*checkable, *failed], axis=0)
    return np.ones(len(unchecked), bool), unchecked
