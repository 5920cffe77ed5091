"""The runs compared within each kind of queries, for what speaks against a choice.

Letters: Q queries of the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ragdash.analysis.failure_patterns.traits import outcome_attributes
from ragdash.core.records import Truth
from ragdash.core.slices import slices
from ragdash.evaluation.compare import Comparison, ComparisonRules, test_family
from ragdash.evaluation.evaluate import Evaluation
from ragdash.metrics import Spec

MOST_RUNS = 8  # among more runs, the corrected test of all pairs finds hardly any difference within a slice


def compared_by_slice(evaluations: Sequence[Evaluation], spec: Spec, truth: Truth, rules: ComparisonRules,
                      queries: np.ndarray | None = None) -> Callable[[str], Iterator[Comparison]]:
    """Give the function that `AdviceFacts.by_slice` is: every other run against one, within each attribute's slices.

    queries (Q,) bool: those that the evaluations have; None: all. An attribute that says how a run did, such as
    failure_type, is left out: the queries that one run answers well are no kind of queries. The family of an attribute
    is all pairs of runs in all of its slices, as in `compare_slices`. The function gives nothing for more than
    MOST_RUNS runs.
    """
    def compared(run: str) -> Iterator[Comparison]:
        if len(evaluations) > MOST_RUNS:
            return
        index = [evaluation.name for evaluation in evaluations].index(run)
        outcomes = outcome_attributes(truth)
        for parts in [parts for attribute, parts in slices(truth).items() if attribute not in outcomes]:
            asked = [part if queries is None else replace(part, queries=part.queries[queries]) for part in parts]
            asked = [part for part in asked if part.queries.any()]
            if len(asked) > 1:
                family = test_family(evaluations, spec, rules, asked)
                for place in range(len(asked)):
                    yield from family.against(index, place)

    return compared
