"""Can these runs be compared, and which is best? Checks that speak against a comparison, and the verdict."""

from ragdash.analysis.verdict.advice import (
    MOST_RUNS,
    AdviceFacts,
    HybridGain,
    Lean,
    compared_by_slice,
    lean_specs,
    paid_of,
)
from ragdash.analysis.verdict.answer_evidence import evidence_specs
from ragdash.analysis.verdict.checks import (
    FIXES,
    LEVELS,
    MISSING_FIELDS,
    NEVER_ACCEPTED,
    NO_RANKINGS,
    RunCheck,
    badges,
    can_be_accepted,
    checks_to_show,
    merge_alike,
    of_level,
    withheld_checks,
)
from ragdash.analysis.verdict.decide import checks_of, decide, evaluation_checks
from ragdash.analysis.verdict.detect import (
    FEW_QUERIES,
    find_checks,
    judged_share,
    spelling_checks,
)
from ragdash.analysis.verdict.known_documents import KnownShares, known_shares
from ragdash.analysis.verdict.missing_queries import MOST_MISSING
from ragdash.analysis.verdict.verdict import (
    STATES,
    Verdict,
    advise,
    best_run,
    verdict_state,
    withhold,
    without_outcome,
)

__all__ = ["FEW_QUERIES", "FIXES", "LEVELS", "MISSING_FIELDS", "MOST_MISSING", "MOST_RUNS", "NEVER_ACCEPTED",
           "NO_RANKINGS", "STATES", "AdviceFacts", "HybridGain", "KnownShares", "Lean", "RunCheck", "Verdict", "advise",
           "badges", "best_run", "can_be_accepted", "checks_of", "checks_to_show", "compared_by_slice", "decide",
           "evaluation_checks", "evidence_specs", "find_checks", "judged_share", "known_shares", "lean_specs",
           "merge_alike", "of_level", "paid_of", "spelling_checks", "verdict_state",
           "withheld_checks", "withhold", "without_outcome"]
