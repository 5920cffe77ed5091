"""The random cases of the suite, pinned: the same ones in every run, in any order, on any machine.

A property is a check with a strategy for each argument. The suite runs it with fixed cases; benchmarks/fuzz.py runs it
with new ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis.internal.conjecture import providers
from hypothesis.strategies import SearchStrategy


def pin_cases() -> None:
    """Make hypothesis draw the same cases in every run.

    Neither time nor earlier runs count. Hypothesis also draws constants that it reads from the source of the imported
    modules; without them, cases depend neither on what other tests import nor on unrelated changes of the package.
    """
    settings.register_profile("fixed", derandomize=True, database=None, deadline=None, print_blob=False,
                              suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("fixed")
    if hasattr(providers, "_get_local_constants"):  # since 6.131
        providers._get_local_constants = lambda: providers._local_constants


def seed_generators() -> None:
    """Seed the generators that code may use without a seed."""
    random.seed(0)
    np.random.seed(0)


def with_cases(count: int, **strategies: SearchStrategy) -> Callable[[Callable], Callable]:
    """Turn a check into a test with `count` fixed cases; `check` and `strategies` of the test are for new cases."""

    def decorate(check: Callable) -> Callable:
        test = settings(max_examples=count)(given(**strategies)(check))
        test.check, test.strategies = check, strategies
        return test

    return decorate
