"""Many variants of one configuration: which setting matters, groups by settings, and the best compromises."""

from ragdash.analysis.variants.compare_variants import COST, LATENCY, Variants, best_compromises, compare_variants
from ragdash.analysis.variants.main_effects import FEWEST_RUNS, MainEffects, SettingEffect, main_effects
from ragdash.analysis.variants.repeats import MergedVariants, merge_variants

__all__ = ["COST", "FEWEST_RUNS", "LATENCY", "MainEffects", "MergedVariants", "SettingEffect", "Variants",
           "best_compromises", "compare_variants", "main_effects", "merge_variants"]
