"""Previous and next on every page that shows one thing after another: off at the first and at the last, else on."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
import test_answers_page
import test_queries_page
import test_testset_page
from page_cases import opened
from streamlit.testing.v1 import AppTest

from ragdash.experiments.testset import Sets

ROOT = Path(__file__).resolve().parents[2]


def drafts() -> AppTest:
    Sets().keep(test_testset_page.the_set())
    return opened("test-set")


PAGES: dict[str, tuple[int, Callable[[], AppTest]]] = {  # begin of the keys: steps, the page at the first of them
    "answer": (2, lambda: test_answers_page.opened("good", "bad", look="good", kind="declined")),
    "draft": (3, drafts),
    "query": (10, lambda: test_queries_page.opened(case="better", order="gains")),
}
ELSEWHERE = {"apart": "test_trust_page.py", "pair": "test_evidence_threshold.py", "relabel": "test_test_set_check.py"}


@pytest.mark.parametrize("name", PAGES)
def test_steps_end_at_the_first_and_at_the_last(name):
    many, open_page = PAGES[name]
    at = open_page()
    for step in range(many):
        assert at.button(key=f"{name}_before").disabled == (step == 0), step
        assert at.button(key=f"{name}_next").disabled == (step == many - 1), step
        if step < many - 1:
            at.button(key=f"{name}_next").click().run()
            assert not at.exception
    at.button(key=f"{name}_before").click().run()
    assert not at.button(key=f"{name}_next").disabled


def test_every_pair_of_steps_is_walked():
    """A new page with steps needs a line above."""
    texts = [path.read_text() for path in (ROOT / "ragdash").rglob("*.py")]
    calls = [call for text in texts if "steps(" in text or "_next" in text for call in ast.walk(ast.parse(text))
             if isinstance(call, ast.Call)]
    assert {call.args[0].value for call in calls if getattr(call.func, "id", "") == "steps"} == \
        PAGES.keys() | ELSEWHERE.keys()
    by_hand = {node.value for call in calls if getattr(call.func, "attr", "") == "button"
               for word in call.keywords if word.arg == "key" for node in ast.walk(word.value)
               if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.endswith("_next")}
    assert not by_hand, "the buttons are those of ragdash/dashboard/widgets/steps.py"
    for name, file in ELSEWHERE.items():
        assert f"{name}_next" in next((ROOT / "tests").rglob(file)).read_text()
