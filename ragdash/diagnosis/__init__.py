"""For each query of a run the first stage at which it went wrong, from gold evidence to a right answer."""

from ragdash.diagnosis.answering import text_specs
from ragdash.diagnosis.corridor import diagnose
from ragdash.diagnosis.gains import Gain
from ragdash.diagnosis.kinds import KINDS, kinds
from ragdash.diagnosis.result import Diagnosis, Step
from ragdash.diagnosis.rules import Rules
from ragdash.diagnosis.stages import FINE, NAMES, STAGES, Stage
from ragdash.diagnosis.verdicts import Verdict

__all__ = ["FINE", "KINDS", "NAMES", "STAGES", "Diagnosis", "Gain", "Rules", "Stage", "Step", "Verdict",
           "diagnose", "kinds", "text_specs"]
