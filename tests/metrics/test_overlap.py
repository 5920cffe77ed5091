"""BLEU and chrF come from sacrebleu; without it the message says how to install it."""

from __future__ import annotations

import json
import math
import sys

import pytest
from helpers import by_query

from ragdash.evaluation.evaluate import evaluate
from ragdash.io import read_run, read_truth

ANSWERS = {"q1": "The cat sat on the mat.", "q2": "About thirty-five minutes.", "q3": "No.", "q4": None}
REFERENCES = {"q1": ["The cat sat on the mat."], "q2": ["Thirty-five minutes.", "35 minutes"], "q3": ["Yes."],
              "q4": ["Yes."]}
SACREBLEU = {  # 2.6.0: sentence_bleu, sentence_chrf, and chrF++
    "BLEU": {"q1": 1.0, "q2": 0.3194715521, "q3": 0.5}, "chrF": {"q1": 1.0, "q2": 0.884705819, "q3": 0.0877192982},
    "chrF(words=2)": {"q1": 1.0, "q2": 0.7986628805, "q3": 0.1530612245},
}


def values(specs: str):
    run = "\n".join(json.dumps({"query_id": query, "retrieved": [], "answer": text}) for query, text in ANSWERS.items())
    truth = "\n".join(json.dumps({"query_id": query, "answers": texts}) for query, texts in REFERENCES.items())
    return evaluate(read_run(("run.jsonl", run.encode())), read_truth(("truth.jsonl", truth.encode())), specs)


@pytest.mark.parametrize("spec", SACREBLEU)
def test_equal_to_sacrebleu(spec):
    pytest.importorskip("sacrebleu")
    scores = {query: row[spec] for query, row in by_query(values(spec)).items()}
    assert math.isnan(scores.pop("q4")), "no answer"
    assert scores == pytest.approx(SACREBLEU[spec], abs=1e-9)


def test_without_the_library_the_message_has_the_line_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    result = values("BLEU chrF TokenF1")
    assert all(map(math.isnan, result.values[:, :2].ravel())) and result.values[0, 2] == 1.0
    assert any('pip install "ragdash[text]"' in problem.fix for problem in result.problems)
