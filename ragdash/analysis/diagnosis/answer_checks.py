"""What the checks look at of each answer: is it right, does it decline, is it in its contexts?

Letters: Q queries of the truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.diagnosis.rules import AUTO, MOST_JUDGED, DiagnosisRules
from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.text import is_quantity, is_refusal
from ragdash.evaluation.compare import direction
from ragdash.evaluation.evaluate import Evaluation, evaluate_match
from ragdash.matching.answer_alignment import references
from ragdash.matching.file_labels import human_label_column, label_columns, read_labels_of
from ragdash.matching.match import Match
from ragdash.matching.question_types import right_refusals
from ragdash.metrics import Spec, parse_specs
from ragdash.metrics.bands import EDGE, YES
from ragdash.metrics.docs.human_agreement import JUDGED_RIGHT


def judge_specs(rules: DiagnosisRules | None = None) -> tuple[Spec, ...]:
    """The judged metric whose verdicts decide first; none where the rules look at none."""
    return parse_specs([JUDGED_RIGHT]) if (rules or DiagnosisRules()).judge_first else ()


def text_specs(rules: DiagnosisRules | None = None) -> tuple[Spec, ...]:
    """What the checks of answers look at: evaluated once, and kept, these serve every `diagnose` of the run."""
    rules = rules or DiagnosisRules()
    return parse_specs(["CoverEM", "Refusal", "NumberMatch", rules.right_spec, rules.grounded_spec])


@dataclass(frozen=True, eq=False)
class AnswerChecks:
    """What is known of each answer; undefined values are NaN.

    contains_reference, right_value, refusal, support (Q,): CoverEM, the metric of rules.right, Refusal, the metric of
    rules.grounded; label (Q,): what the file's labels say, in [0, 1]; verdict (Q,): the same of a judge; states_number
    (Q,): NumberMatch where every reference is a number; may_decline (Q,) bool: declining is right; has_answer (Q,)
    bool: the run has an answer, possibly empty; own_contexts: the contexts come from the run; label_column: whose
    labels, "" for none; judge: whose verdicts, "" for none; reasons: {stage: why its check is possible for no query}.
    """

    rules: DiagnosisRules
    contains_reference: np.ndarray
    right_value: np.ndarray
    refusal: np.ndarray
    support: np.ndarray
    has_answer: np.ndarray
    own_contexts: bool
    reasons: Mapping[str, str]
    label: np.ndarray
    states_number: np.ndarray
    may_decline: np.ndarray
    label_column: str
    verdict: np.ndarray
    judge: str = ""

    @property
    def settings(self) -> dict[str, str]:
        """Whose verdicts say which answers are right, if there are any."""
        return {"judge": self.judge} if self.judge else {}

    @property
    def says(self) -> np.ndarray:
        """The answer has a letter or a digit: (Q,) bool."""
        return ~np.isnan(self.refusal)

    @property
    def declines(self) -> np.ndarray:
        """The answer declines: (Q,) bool."""
        return self.refusal == 1

    @property
    def judged(self) -> np.ndarray:
        """There is an answer, and something that shows whether it is right: (Q,) bool."""
        return ((self.contains_reference == 1) | ~np.isnan(self.right_value) | ~np.isnan(self.label)
                | ~np.isnan(self.verdict) | ~np.isnan(self.states_number) | (self.declines & self.may_decline))

    @property
    def right(self) -> np.ndarray:
        """The first that is known decides: the label, the judge's verdict, declining where that is right, the number of
        the reference, and else the answer holds a reference or is near to one: (Q,) bool; False where not judged.
        """
        near = (self.contains_reference == 1) | _reaches(self.right_value, self.rules.right, self.rules.right_spec)
        by_text = np.where(np.isnan(self.states_number), near, self.states_number == 1)
        by_text |= self.declines & self.may_decline
        score = np.where(np.isnan(self.label), self.verdict, self.label)
        return np.where(np.isnan(score), by_text, score >= YES - EDGE)

    @property
    def grounded(self) -> np.ndarray:
        """Enough of the answer is in its contexts: (Q,) bool; False where it is not known."""
        return _reaches(self.support, self.rules.grounded, self.rules.grounded_spec)

    @property
    def numbers(self) -> dict[str, np.ndarray]:
        """Numbers of the answer checks, (Q,) float64 each, NaN where not known."""
        return {"answered": self.has_answer.astype(np.float64), "held": self.contains_reference,
                "near": self.right_value, "label": self.label, "verdict": self.verdict,
                "states_number": self.states_number,
                "may_decline": self.may_decline.astype(np.float64),
                "declines": self.refusal, "support": self.support,
                "right": np.where(self.judged, self.right.astype(np.float64), np.nan)}


def _reaches(values: np.ndarray, cut: float, spec: Spec) -> np.ndarray:
    """Which values are at the cut or on its better side: (Q,) bool."""
    return (values - cut) * direction(spec) >= -EDGE


def check_answers(match: Match, rules: DiagnosisRules, evaluation: Evaluation | None = None) -> AnswerChecks:
    """evaluation: of this run and truth on text_specs(rules), all queries; computed where it is not given.

    InputError where it is of another run, truth or part; KeyError where it lacks one of the specs.
    """
    if evaluation is not None and (evaluation.digest, evaluation.truth_digest, len(evaluation.query_ids)) != (
            match.run.digest, match.truth.digest, len(match.query_ids)):
        raise InputError([Problem("other-answers", {"evaluation": evaluation.name, "run": match.run.name},
                                  field="answers")])
    texts, reasons = _answers(match)
    column, label = _labels(match, rules)
    if not np.isnan(label).all():
        reasons.pop("wrong-answer", None)
    if texts is None:  # labels of answers that the file does not have still say which were right
        undefined = np.full(len(match.query_ids), np.nan)
        return AnswerChecks(rules, undefined, undefined, undefined, undefined, ~np.isnan(label), False, reasons,
                            label, undefined, ~np.isnan(undefined), column, undefined)
    evaluation = evaluation or evaluate_match(match, text_specs(rules))
    covers_reference, refusal, right_value, support = (evaluation.column(spec) for spec in (
        "CoverEM", "Refusal", rules.right_spec, rules.grounded_spec))
    if np.isnan(refusal).all():  # the metric wants a truth with references, which declining does not need
        refusal = np.array([float(is_refusal(text)) if text is not None and any(map(str.isalnum, text)) else np.nan
                            for text in texts], np.float64)
    reasons |= {stage: problem.actual for stage, values, spec in (("wrong-answer", right_value, rules.right_spec),
                                                                 ("not-grounded", support, rules.grounded_spec))
                for problem in evaluation.problems if stage not in reasons and np.isnan(values).all()
                and (stage != "wrong-answer" or np.isnan(label).all())
                and problem.kind == "unavailable" and problem.field == spec.name}
    own_contexts = "not-grounded" not in reasons and match.grounded.has_contexts
    return AnswerChecks(
        rules,
        covers_reference,
        right_value,
        refusal,
        support,
        np.array([text is not None for text in texts], bool),
        own_contexts,
        reasons,
        np.where([text is None for text in texts], np.nan, label),
        _states_number(match, evaluation) if rules.numbers_first else np.full(len(texts), np.nan),
        right_refusals(match.truth),
        column,
        *judge_verdicts(match, rules),
    )


def _labels(match: Match, rules: DiagnosisRules) -> tuple[str, np.ndarray]:
    """(the column with labels, "" for none; what it says of each answer: (Q,))."""
    column = human_label_column(match.run) if rules.label_column == AUTO else rules.label_column
    if column not in label_columns(match.run):
        return "", np.full(len(match.query_ids), np.nan)
    return column, read_labels_of(match, column)


def judge_verdicts(match: Match, rules: DiagnosisRules) -> tuple[np.ndarray, str]:
    """(what a judge says of each answer: (Q,), whose verdicts they are); NaN and "" where it has judged too few."""
    undefined = np.full(len(match.query_ids), np.nan)
    try:
        if not rules.judge_first or not match.judged.verdict_store.judges():
            return undefined, ""
        verdicts = match.judged.read(JUDGED_RIGHT)
    except (InputError, Unavailable):  # the metric itself says so
        return undefined, ""
    judged = np.isfinite(verdicts.values)
    return (verdicts.values, verdicts.source) if judged.sum() >= MOST_JUDGED * verdicts.has_texts.sum() else (
        undefined, "")


def _states_number(match: Match, evaluation: Evaluation) -> np.ndarray:
    """NumberMatch where every reference of the query is a number and nothing else, NaN elsewhere: (Q,)."""
    is_number = [bool(texts) and all(map(is_quantity, texts)) for texts in references(match.truth)]
    return np.where(is_number, evaluation.column("NumberMatch"), np.nan)


def _answers(match: Match) -> tuple[tuple[str | None, ...] | None, dict[str, str]]:
    """(the answers, None where the run has none; {stage: why its check can be made for no query})."""
    try:
        texts = match.scored.answers
    except Unavailable:
        return None, dict.fromkeys(("wrong-answer", "not-grounded", "refused", "answered-unanswerable"),
                                   "no answers")
    reasons = {}
    for view, stage, why in (("Answered", "wrong-answer", "the ground truth has no reference answers"),
                             ("Grounded", "not-grounded", "neither contexts nor texts")):
        try:
            match.view(view)
        except Unavailable:
            reasons[stage] = why
    return texts, reasons
