"""Judging on a budget: draw documents or whole queries with known probabilities, and estimate means from them."""

from ragdash.analysis.test_set.budget.design import JudgmentSample, draw_judgments
from ragdash.analysis.test_set.budget.estimate import BudgetEstimate, estimate_means
from ragdash.analysis.test_set.budget.stratified import SampleEstimate, stratified_total

__all__ = ["BudgetEstimate", "JudgmentSample", "SampleEstimate", "draw_judgments", "estimate_means", "stratified_total"]
