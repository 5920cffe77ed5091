"""For each query of a run the first stage at which it went wrong, from relevant documents to a right answer."""

from ragdash.analysis.diagnosis.answer_checks import judge_specs, judge_verdicts, text_specs
from ragdash.analysis.diagnosis.diagnose import diagnose, diagnose_runs
from ragdash.analysis.diagnosis.explanations import Reason, explain
from ragdash.analysis.diagnosis.potential_gain import RANKED_LOW, Gain, RankedLow, movable_stages
from ragdash.analysis.diagnosis.result import ANSWER_OUTCOMES, Declined, Diagnosis, RightAnswers, WaterfallStep
from ragdash.analysis.diagnosis.rules import DiagnosisRules
from ragdash.analysis.diagnosis.stages import FAILURES, FINE, NAMES, STAGES, Stage
from ragdash.matching.question_types import KINDS, kinds

__all__ = [
    "ANSWER_OUTCOMES",
    "FAILURES",
    "FINE",
    "KINDS",
    "NAMES",
    "RANKED_LOW",
    "STAGES",
    "Declined",
    "Diagnosis",
    "DiagnosisRules",
    "Gain",
    "RankedLow",
    "Reason",
    "RightAnswers",
    "Stage",
    "WaterfallStep",
    "diagnose",
    "diagnose_runs",
    "explain",
    "judge_specs",
    "judge_verdicts",
    "kinds",
    "movable_stages",
    "text_specs",
]
