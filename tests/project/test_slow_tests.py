"""The fast tests are found by what a test uses; each page has one that is quick to run."""

from __future__ import annotations

import subprocess

import helpers
import page_cases
import pytest
import test_pages
from page_cases import opened
from slow_tests import uses_slow

from ragdash.dashboard import page_list


def a_page():
    return page_cases.opened("data")


def a_page_within():
    return [opened(page) for page in test_pages.PAGES]


class Started:
    def __init__(self):
        self.process = subprocess.run(["true"])


def a_process():
    return Started()


@pytest.mark.parametrize("function", [a_page, a_page_within, a_process, helpers.call,
                                      test_pages.test_a_page_with_runs_draws_them])
def test_pages_commands_and_processes_are_slow_however_they_are_reached(function):
    assert uses_slow(function)


@pytest.mark.parametrize("function", [helpers.over, page_cases.address, page_cases.texts])
def test_other_functions_are_not(function):
    assert not uses_slow(function)


def test_each_page_has_a_smoke_test():
    test = test_pages.test_a_page_with_runs_draws_them
    cases = {value: marks for mark in test.pytestmark for value, marks in cases_of(mark)}
    assert [mark.name for mark in cases[3]] == ["smoke"]
    assert cases.keys() >= page_list.addresses().keys()


def cases_of(mark: pytest.Mark) -> list[tuple]:
    """(value, its marks) of a parametrization."""
    return [(getattr(case, "values", (case,))[0], getattr(case, "marks", ())) for case in mark.args[1]]
