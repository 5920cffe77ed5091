"""Routers: rules that send a query to one run, or move the weight of a fusion, by what is known of it."""

from ragdash.experiments.fusion.legs.routing.features import Feature, list_features, question_features
from ragdash.experiments.fusion.legs.routing.route import AFTER, BEFORE, Router, find_routers
from ragdash.experiments.fusion.legs.routing.rules import Condition, Rule, conditions_of

__all__ = ["AFTER", "BEFORE", "Condition", "Feature", "Router", "Rule", "conditions_of", "find_routers",
           "list_features", "question_features"]
