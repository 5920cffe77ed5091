"""RAGChecker's arithmetic on lists worked by hand, and on the example that its makers publish."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest

from ragdash.models.judge.tasks.ragchecker_scores import FAMILY, Checked, average_precision

DATA = Path(os.environ.get("RAGDASH_TEST_DATA", "nowhere"), "s07_ragchecker_examples", "checking_outputs.json")
THEIRS = {"Precision": "precision", "Recall": "recall", "F1": "f1", "ClaimRecall": "claim_recall",
          "ContextPrecision": "context_precision", "ContextUtilization": "context_utilization",
          "NoiseSensitivityRelevant": "noise_sensitivity_in_relevant",
          "NoiseSensitivityIrrelevant": "noise_sensitivity_in_irrelevant", "Hallucination": "hallucination",
          "SelfKnowledge": "self_knowledge", "Faithfulness": "faithfulness"}

# Chunk 1 and 2 hold claims of the reference, chunk 3 none. Claims of the answer: one right and in chunk 1; one right
# and nowhere; one wrong and in chunks 2 and 3; one wrong and in chunk 3 only; one wrong and nowhere.
HAND = Checked(correct=(True, True, False, False, False), found=(True, False, True, False),
               supports=((True, False, False), (False, False, False), (False, True, True), (False, False, True),
                         (False, False, False)),
               holds=((True, True, False), (True, False, False), (False, False, False), (False, False, False)))
BY_HAND = {"Precision": 2 / 5, "Recall": 2 / 4, "F1": 2 * 0.4 * 0.5 / 0.9, "ClaimRecall": 2 / 4,
           "ContextPrecision": 2 / 3, "ContextUtilization": 1 / 2, "NoiseSensitivityRelevant": 1 / 5,
           "NoiseSensitivityIrrelevant": 1 / 5, "Hallucination": 1 / 5, "SelfKnowledge": 1 / 5, "Faithfulness": 3 / 5}


@pytest.mark.parametrize("name", FAMILY)
def test_lists_worked_by_hand(name):
    assert FAMILY[name][0](HAND) == pytest.approx(BY_HAND[name], abs=1e-12)


@pytest.mark.parametrize("name", FAMILY)
def test_a_metric_looks_only_at_what_it_names(name):
    function, looks_at = FAMILY[name]
    assert function(Checked(**{part: getattr(HAND, part) for part in looks_at})) == function(HAND)


@pytest.mark.parametrize("name", FAMILY)
def test_a_share_of_nothing_is_undefined_and_not_0(name):
    assert math.isnan(FAMILY[name][0](Checked()))


@pytest.mark.parametrize(("name", "checked"), [
    ("ContextUtilization", Checked(found=(True, False), holds=((False,), (False,)))),  # nothing there to be used
    ("NoiseSensitivityRelevant", Checked(correct=(True,), supports=((True,),), holds=())),  # no claim of the reference
    ("NoiseSensitivityIrrelevant", Checked(correct=(True,), supports=((True,),), holds=())),
    ("F1", Checked(correct=(True,), found=())),
])
def test_other_shares_of_nothing(name, checked):
    assert math.isnan(FAMILY[name][0](checked))


def test_f1_is_0_where_nothing_is_right():
    assert FAMILY["F1"][0](Checked(correct=(False,), found=(False, False))) == 0.0


@pytest.mark.parametrize(("useful", "value"), [
    ((True, False, True), (1 + 2 / 3) / 2), ((False, True), 0.5), ((False, False), 0.0), ((True,), 1.0)])
def test_average_precision_of_useful_chunks(useful, value):
    assert average_precision(useful) == pytest.approx(value)
    assert math.isnan(average_precision(()))


@pytest.mark.skipif(not DATA.exists(), reason="RAGDASH_TEST_DATA names no folder with RAGChecker's example")
def test_the_published_example():
    results = json.loads(DATA.read_text(encoding="utf-8"))["results"]
    assert len(results) == 2
    for one in results:
        checked = Checked(*(_entailed(one[key]) for key in (
            "answer2response", "response2answer", "retrieved2response", "retrieved2answer")))
        found = {THEIRS[name]: function(checked) for name, (function, _) in FAMILY.items()}
        assert found == pytest.approx(one["metrics"], abs=1e-12)


def _entailed(verdicts):
    return verdicts == "Entailment" if isinstance(verdicts, str) else tuple(map(_entailed, verdicts))
