"""Default levels, seeds and numbers of random draws: the one home of each."""

LEVEL, ALPHA, POWER = 0.95, 0.05, 0.8
SEED = 0
RESAMPLES = 10_000  # of a table's intervals
FEWEST_RESAMPLES = 40  # one beyond each end of an interval at LEVEL
MOST_RESAMPLES = 1_000_000  # no digit that is shown changes beyond
FAST_RESAMPLES = 2_000  # of figures with many intervals and of percentiles, where the third digit is not read
PERMUTATIONS = 100_000
POSTERIOR_DRAWS = 50_000
