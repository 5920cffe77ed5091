"""A word of the field that a page shows is explained on that page, with the text of the one table of terms."""

from __future__ import annotations

import re

import pytest
from page_cases import ROOT, address, opened

from ragdash import read_run, read_truth
from ragdash.core.terms import TERMS
from ragdash.dashboard.widgets.texts import EXPLAINED

PAGES = {"overview": {}, "compare": {}, "failures": {}, "what-if": {}, "test-set": {}, "share": {},
         "speed-cost": {}}
SHOWN = ("markdown", "caption", "header", "table")
HELPED = (*SHOWN[:3], "selectbox", "multiselect", "metric", "button", "text_input")


@pytest.mark.parametrize("page", PAGES)
def test_words_of_the_field_have_help_on_every_page(page):
    truth = read_truth(ROOT / "sample_runs" / "truth.jsonl")
    runs = [read_run(ROOT / "sample_runs" / f"{name}.jsonl") for name in ("dense", "sparse", "hybrid")]
    at = opened(page, **address(truth, runs, **PAGES[page]))
    visible = " ".join(one.value.to_csv() if name == "table" else str(one.value) for name in SHOWN
                       for one in at.get(name))
    helps = " ".join(str(getattr(one.proto, "help", "")) for name in HELPED for one in at.get(name))
    words = {pattern: TERMS[term].name for pattern, term in EXPLAINED.items()
             if re.search(pattern, visible, re.IGNORECASE)}
    missing = {pattern: name for pattern, name in words.items()
               if f"**{name}**" not in helps and TERMS[EXPLAINED[pattern]].tooltip not in helps}
    assert not missing
    assert words or page not in ("overview", "what-if", "test-set", "speed-cost")
