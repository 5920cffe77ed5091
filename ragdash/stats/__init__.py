"""Statistics over queries: intervals, paired tests, corrections, effects, power. Columns in, columns out, seeded."""

from ragdash.stats.bayes import signed_rank_posterior
from ragdash.stats.bootstrap import (
    LEVEL,
    METHOD,
    METHODS,
    RESAMPLES,
    SEED,
    bootstrap_intervals,
    bootstrap_ratios,
    median_interval,
    resample_weights,
    resampled_sums,
)
from ragdash.stats.correction import benjamini_hochberg, holm
from ragdash.stats.effects import (
    ALPHA,
    POWER,
    cohens_dz,
    detectable_difference,
    equivalence,
    influence,
    noninferiority,
    queries_needed,
    superiority,
)
from ragdash.stats.logistic import Logistic, cross_fitted, logistic
from ragdash.stats.paired import EXACT_BELOW, PERMUTATIONS, randomization_test, sign_test, t_test, wilcoxon_test
from ragdash.stats.ppi import FEWEST, PSEUDO_BELOW, Ppi, ppi

__all__ = [
    "ALPHA",
    "EXACT_BELOW",
    "FEWEST",
    "LEVEL",
    "METHOD",
    "METHODS",
    "PERMUTATIONS",
    "POWER",
    "PSEUDO_BELOW",
    "RESAMPLES",
    "SEED",
    "Logistic",
    "Ppi",
    "benjamini_hochberg",
    "bootstrap_intervals",
    "bootstrap_ratios",
    "cohens_dz",
    "cross_fitted",
    "detectable_difference",
    "equivalence",
    "holm",
    "influence",
    "logistic",
    "median_interval",
    "noninferiority",
    "ppi",
    "queries_needed",
    "randomization_test",
    "resample_weights",
    "resampled_sums",
    "sign_test",
    "signed_rank_posterior",
    "superiority",
    "t_test",
    "wilcoxon_test",
]
