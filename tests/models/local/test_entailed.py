"""NLIFaithfulness: sentences against windows by hand with a fake, undefined cases, and a real folder's own labels."""

from __future__ import annotations

import json
import math

import numpy as np
import pyarrow as pa
import pytest
from fakes import needs_library

from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import evaluate
from ragdash.evaluation.scoring.run_local_models import score
from ragdash.matching.match import Match
from ragdash.matching.views.nli import windows_of
from ragdash.models.local import NLI, SCORER, find_model_folder
from ragdash.models.local.model_folder import entailment


class Holds:
    """An NLI model that is sure where the window holds the sentence as it is, else at 0.4."""

    activation, weights, max_length, name = "softmax", "holds", 0, "holds"

    def __init__(self):
        self.given = []

    def score(self, pairs):
        self.given += pairs
        return np.array([0.5 if sentence in window else 0.4 for window, sentence in pairs])

    def cut(self, pairs):
        return np.zeros(len(pairs), bool)


def case(answers, contexts):
    ids = [f"q{i}" for i in range(len(answers))]
    details = pa.table({"query_id": ids, "answer": pa.array(answers, pa.string()),
                        "contexts": pa.array(contexts, pa.list_(pa.string()))})
    return (Run.build("run", ids, ["d"] * len(ids), details=details),
            Truth.build("truth", ids, ["d"] * len(ids), [1] * len(ids)))


def test_windows_slide_by_two_and_end_with_the_text():
    text = "A one. B two. C three. D four. E five. F six."
    assert windows_of(text) == ["A one. B two. C three.", "C three. D four. E five.", "D four. E five. F six."]
    assert windows_of("A one. B two.") == ["A one. B two."] and windows_of(" \n") == []


def test_share_of_sentences_that_some_window_entails():
    run, truth = case(["A one. X is not there.", "F six.", "Nothing.", None, "A one.", ""],
                      [["Else. There.", "A one. B two."], ["A one. B two. C three. D four. E five. F six."], ["A one."],
                       ["A one."], [], ["A one."]])
    model = Holds()
    report = score([run], truth, "NLIFaithfulness", nli=model)
    assert report.computed == len(model.given) == 2 * 2 + 3 + 1 and not report.problems
    evaluation = evaluate(run, truth, "NLIFaithfulness")
    assert evaluation.values[:, 0].tolist() == pytest.approx([0.5, 1, 0, math.nan, math.nan, math.nan], nan_ok=True)
    assert evaluation.settings["NLIFaithfulness"].startswith("holds (holds, all word pieces, softmax")
    assert score([run], truth, "NLIFaithfulness", nli=Holds()).computed == 0


def test_unavailable_says_how_to_compute_it_and_partly_computed_is_told():
    run, truth = case(["A one.", "B two."], [["A one."], ["B two."]])
    problem = next(one for one in evaluate(run, truth, "NLIFaithfulness").problems if one.kind == "unavailable")
    assert "ragdash score" in problem.fix and "--nli" in problem.fix
    score([case(["A one."], [["A one."]])[0]], truth, "NLIFaithfulness", nli=Holds())
    evaluation = evaluate(run, truth, "NLIFaithfulness")
    assert evaluation.values[:, 0].tolist() == pytest.approx([1, math.nan], nan_ok=True)
    assert [one.kind for one in evaluation.problems if one.field == "NLIFaithfulness"] == ["computed-in-part"]


def test_without_contexts_or_a_model_it_is_an_error_to_score():
    run, truth = case([None, "A one."], [["A one."], None])
    with pytest.raises(InputError, match="answers that have contexts"):
        score([run], truth, "NLIFaithfulness", nli=Holds())
    run, truth = case(["A one."], [["A one."]])
    with pytest.raises(InputError, match="--nli"):
        score([run], truth, "NLIFaithfulness")
    assert Match(run, truth).entailed.pairs()[2] == [("A one.", "A one.")]


@pytest.mark.parametrize(("names", "label"), [
    ({"0": "contradiction", "1": "entailment", "2": "neutral"}, 1), ({"0": "ENTAILMENT", "1": "NEUTRAL"}, 0),
    ({"0": "entailment", "1": "not_entailment"}, 0), ({"0": "LABEL_0", "1": "LABEL_1"}, None), (None, None),
    ({"0": "entailment", "1": "entailment"}, None), ({"²": "entailment"}, None), ({"1" * 5_000: "entailment"}, None)])
def test_the_label_is_found_by_its_name(names, label):
    assert entailment(names) == label


@pytest.mark.slow
@needs_library
def test_a_real_folder_is_read_by_its_own_labels(tmp_path):
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    from ragdash.models.local.sentence_transformers import load

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    config = BertConfig(vocab_size=len(words), max_position_embeddings=32, initializer_range=1.0, hidden_size=16,
                        num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
                        id2label={0: "contradiction", 1: "entailment", 2: "neutral"})
    BertForSequenceClassification(config).save_pretrained(tmp_path)
    BertTokenizer(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    pairs = [("a b", "c"), ("c", "a b"), ("h", "g")]
    second = load(find_model_folder(NLI, str(tmp_path)), "cpu").score(pairs)
    changed = json.loads((tmp_path / "config.json").read_text())
    changed["id2label"] = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    (tmp_path / "config.json").write_text(json.dumps(changed))
    first = load(find_model_folder(NLI, str(tmp_path)), "cpu").score(pairs)
    assert ((first > 0) & (second > 0) & (first + second < 1)).all() and (abs(first - second) > 1e-6).all()
    with pytest.raises(InputError, match="3 labels"):
        find_model_folder(SCORER, str(tmp_path))
