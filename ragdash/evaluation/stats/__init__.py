"""Statistics over queries: intervals, paired tests, corrections, effects, power. Columns in, columns out, seeded."""

from ragdash.evaluation.stats.bayesian_comparison import signed_rank_posterior
from ragdash.evaluation.stats.bootstrap import (
    METHOD,
    METHODS,
    bootstrap_intervals,
    bootstrap_ratios,
    median_interval,
    resample_weights,
    resampled_sums,
)
from ragdash.evaluation.stats.defaults import (
    ALPHA,
    FAST_RESAMPLES,
    FEWEST_RESAMPLES,
    LEVEL,
    MOST_RESAMPLES,
    PERMUTATIONS,
    POSTERIOR_DRAWS,
    POWER,
    RESAMPLES,
    SEED,
)
from ragdash.evaluation.stats.effects import (
    cohens_dz,
    detectable_difference,
    equivalence,
    influence,
    noninferiority,
    queries_needed,
    superiority,
)
from ragdash.evaluation.stats.logistic import Logistic, cross_fitted, logistic
from ragdash.evaluation.stats.multiple_testing import benjamini_hochberg, holm
from ragdash.evaluation.stats.paired import (
    EXACT_BELOW,
    randomization_test,
    sign_test,
    t_test,
    wilcoxon_test,
)
from ragdash.evaluation.stats.prediction_powered import MIN_GROUPS, MIN_LABELS, Ppi, label_interval, ppi
from ragdash.evaluation.stats.simultaneous import PairTests, test_pairs

__all__ = [
    "ALPHA",
    "EXACT_BELOW",
    "FAST_RESAMPLES",
    "FEWEST_RESAMPLES",
    "LEVEL",
    "METHOD",
    "METHODS",
    "MIN_GROUPS",
    "MIN_LABELS",
    "MOST_RESAMPLES",
    "PERMUTATIONS",
    "POSTERIOR_DRAWS",
    "POWER",
    "RESAMPLES",
    "SEED",
    "Logistic",
    "PairTests",
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
    "label_interval",
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
    "test_pairs",
    "wilcoxon_test",
]
