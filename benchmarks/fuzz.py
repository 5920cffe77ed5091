"""Search for inputs that break the readers, with new random cases of the test suite's properties.

    python benchmarks/fuzz.py [--seconds 60] [--seed NUMBER] [--only NAME]

The suite runs these properties with fixed cases; this runs them with new ones. For each property that fails, it prints
the smallest failing case as a test to paste into the property's file. Exit status 1 if a property fails. The same seed
gives the same cases in the same order.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import unittest
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import seed as seeded

ROOT = Path(__file__).resolve().parents[1]
FILES = ("test_io_fuzz.py",)  # the files of tests that have properties
CASES = 200  # of a property, before it is the next one's turn


def main(arguments: list[str] | None = None) -> int:
    """Run the properties in turn until the time is over; returns the exit status."""
    options = parse(arguments)
    print(f"--seed {options.seed}", flush=True)
    properties = [test for test in load_properties() if options.only in test.__name__]
    if not properties:
        sys.exit(f"no property has {options.only!r} in its name")
    seeds, end = random.Random(options.seed), time.monotonic() + options.seconds
    failures, rounds = 0, 0
    settings.register_profile("new", database=None, deadline=None, derandomize=False, print_blob=False,
                              report_multiple_bugs=False, suppress_health_check=list(HealthCheck))
    settings.load_profile("new")
    while properties and time.monotonic() < end:
        for test in list(properties):
            failure = search(test, seeds.getrandbits(64))
            if failure:
                failures += 1
                properties.remove(test)
                print(failure, flush=True)
        rounds += 1
    print(f"{rounds} rounds of {CASES} cases for each property; properties that fail: {failures}")
    return 1 if failures else 0


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Parse the command line; the default seed is random."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long to search (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32), help="default: random")
    parser.add_argument("--only", default="", metavar="NAME", help="only properties with this in their name")
    return parser.parse_args(arguments)


def load_properties() -> Iterator[Callable]:
    """Import the properties from the tests."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    for name in FILES:
        path = next((ROOT / "tests").rglob(name))
        sys.path.insert(0, str(path.parent))
        yield from (test for test in vars(import_module(path.stem)).values() if hasattr(test, "strategies"))


def search(test: Callable, seed: int) -> str | None:
    """Look for a failing case among new ones; returns a text with the smallest, or None."""
    latest = {}

    @seeded(seed)
    @settings(max_examples=CASES)
    @given(**test.strategies)
    def try_case(**case):
        latest.clear()
        latest.update(case)  # the smallest case is the last to run
        test.check(**case)

    result = unittest.TestResult()
    unittest.FunctionTestCase(try_case).run(result)
    reports = [report for _, report in [*result.failures, *result.errors]]
    return "\n".join([*reports, "", as_test(test, latest, seed), ""]) if reports else None


def as_test(test: Callable, case: dict, seed: int) -> str:
    """Write a case as a test. A value that the property's file has a name for is written as the name."""
    named = {id(value): name for name, value in vars(sys.modules[test.__module__]).items() if name.isupper()}
    values = ", ".join(f"{argument}={named.get(id(value)) or repr(value)}" for argument, value in case.items())
    return f"def {test.__name__}_case_{seed % 10**6}():\n    {test.__name__}.check({values})"


if __name__ == "__main__":
    sys.exit(main())
