"""Real small models: all-MiniLM-L6-v2 from its package, and a tiny cross-encoder of random weights."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fakes import case, minilm, needs_library, needs_minilm

from ragdash.core.errors import InputError
from ragdash.evaluation.scoring.run_local_models import score
from ragdash.matching.views.local_models import Scored
from ragdash.models.local import ENCODER, SCORER, find_model_folder
from ragdash.models.local.sentence_transformers import load

pytestmark = pytest.mark.slow
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of the official model's weights


@pytest.fixture(scope="session")
def encoder():
    return load(find_model_folder(ENCODER, str(minilm())), "cpu")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The folder of a cross-encoder whose random weights are wide enough to tell texts apart."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    path = tmp_path_factory.mktemp("tiny") / "cross"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz", *(
        f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")]
    path.mkdir()
    (path / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=len(words), max_position_embeddings=32, num_labels=1, initializer_range=1.0, **shape)
    BertForSequenceClassification(config).save_pretrained(path)
    BertTokenizer(str(path / "vocab.txt")).save_pretrained(path)
    return path


@needs_library
def test_a_folder_that_lacks_weights_is_refused_as_they_would_be_random(tiny, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "cut"
    shutil.copytree(tiny, folder)
    weights = load_file(folder / "model.safetensors")
    save_file({name: weight for name, weight in weights.items() if not name.startswith("classifier")},
              folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=r"lacks the weights classifier\.bias, classifier\.weight;"):
        load(find_model_folder(SCORER, str(folder)), "cpu")
    assert load(find_model_folder(SCORER, str(tiny)), "cpu").score([("a", "b")]).shape == (1,)


@needs_minilm
def test_the_package_carries_the_official_weights():
    with (minilm() / "model.safetensors").open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == SHA256


@needs_minilm
def test_known_cosines(encoder, store):
    run, truth = case({"same": "car", "alike": "car", "apart": "car"}, {
        "same": ["car"], "alike": ["automobile"], "apart": ["The committee adjourned until Tuesday."]})
    report = score([run], truth, model=encoder, store=store)
    assert report.computed == 3
    scored = Scored(("car",) * 3, (("car",), ("automobile",), ("The committee adjourned until Tuesday.",)), (None,) * 3,
                    store)
    assert scored.values("SBERT") == pytest.approx([1.0, 0.865, 0.0], abs=0.05)
    assert scored.values("SBERT")[1] == pytest.approx(0.865, abs=5e-4)


@needs_minilm
def test_float16_and_the_order_of_batches_move_a_cosine_by_less_than_a_ten_thousandth(encoder, store):
    texts = [f"Text number {i}: " + "the lander touched down near crater " * (i % 7) + str(i * i) for i in range(70)]
    run, truth = case({f"q{i}": text for i, text in enumerate(texts)}, {f"q{i}": [texts[0]] for i in range(70)})
    score([run], truth, model=encoder, store=store)
    cosines = Scored(tuple(texts), ((texts[0],),) * 70, (None,) * 70, store).values("SBERT")
    alone = np.concatenate([encoder.encode([text]) for text in texts]).astype(float)
    np.testing.assert_allclose(cosines, alone @ alone[0], atol=1e-4)


@needs_minilm
def test_texts_of_more_than_256_word_pieces_are_cut_and_said_to_be(encoder, store):
    assert encoder.max_length == 256
    assert encoder.cut(["a " * 254, "a " * 255, "", "x" * 10_000]).tolist() == [False, True, False, False]
    assert encoder.cut([]).tolist() == []
    start, long = "a " * 300, "a " * 300 + "moon landing"
    np.testing.assert_allclose(encoder.encode([start]), encoder.encode([long]), atol=1e-5)
    run, truth = case({"q": long}, {"q": ["short"]})
    (problem,) = score([run], truth, model=encoder, store=store).problems
    assert problem.kind == "cut-texts" and "256 word pieces" in problem.actual


@needs_minilm
def test_a_long_answer_and_odd_signs_are_no_trouble(encoder):
    vectors = encoder.encode(["word " * 200_000, "?!", "\x00\u200b", "東京", "🦉" * 50])
    assert vectors.shape == (5, 384) and np.isfinite(vectors).all()


@needs_library
def test_the_cross_encoder_has_a_sigmoid_whatever_its_folder_says_and_keeps_the_order(tiny, tmp_path):
    from torch.nn import Identity

    pairs = [("abc", "def"), ("def", "abc"), ("moon", "lander"), ("a" * 5, "b")]
    given = load(find_model_folder(SCORER, str(tiny)), "cpu")
    found_scores = given.score(pairs)
    assert found_scores.shape == (4,) and ((found_scores > 0) & (found_scores < 1)).all()
    assert abs(np.log(found_scores[0] / found_scores[1])) > 0.05
    raw = shutil.copytree(tiny, tmp_path / "raw")
    config = json.loads((raw / "config.json").read_text())
    config["sentence_transformers"] = {"activation_fn": "torch.nn.modules.linear.Identity"}
    (raw / "config.json").write_text(json.dumps(config))
    bare = load(find_model_folder(SCORER, str(raw)), "cpu")
    assert bare._model.predict(pairs, show_progress_bar=False).min() < 0, "this folder asks for raw scores"
    np.testing.assert_allclose(bare.score(pairs), found_scores, atol=1e-6)
    logits = given._model.predict(pairs, activation_fn=Identity(), show_progress_bar=False)
    np.testing.assert_allclose(found_scores, 1 / (1 + np.exp(-logits.astype(float))), atol=1e-6)


@needs_library
def test_pairs_of_more_word_pieces_than_the_model_reads_are_cut(tiny):
    scorer = load(find_model_folder(SCORER, str(tiny)), "cpu")
    assert scorer.max_length == 32
    assert scorer.cut([("a " * 15, "b " * 14), ("a " * 15, "b " * 15), ("a", "")]).tolist() == [False, True, False]


@needs_library
def test_scores_come_out_of_the_folder_and_a_second_time_out_of_the_cache(tiny, store):
    run, truth = case({"q": "abc", "p": "abd"}, {"q": ["abc", "x"], "p": ["abc"]})
    first = score([run], truth, "CrossEncoder", cross_encoder=str(tiny), store=store, device="cpu")
    second = score([run], truth, "CrossEncoder", cross_encoder=f"other={tiny}", store=store)
    assert (first.computed, second.computed, second.reused) == (3, 0, 3)
    assert second.models[0].startswith("other (") and "32 word pieces, sigmoid" in second.models[0]


@needs_library
@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "no tokenizer", "config of another shape"])
def test_a_damaged_folder_is_a_problem_and_no_crash(tiny, tmp_path, damage):
    path = shutil.copytree(tiny, tmp_path / "damaged")
    weights = path / "model.safetensors"
    if damage == "no tokenizer":
        for file in path.glob("*"):
            if file.name.startswith(("tokenizer", "vocab", "special")):
                file.unlink()
    elif damage == "config of another shape":
        (path / "config.json").write_text('{"architectures": ["BertForSequenceClassification"], "model_type": "bert", '
                                          '"num_labels": 1, "hidden_size": "wide"}')
    else:
        whole = weights.read_bytes()
        weights.write_bytes({"cut": whole[:len(whole) // 2], "noise": b"\xff" * 500, "empty": b""}[damage])
    with pytest.raises(InputError) as caught:
        load(find_model_folder(SCORER, str(path)), "cpu").score([("a", "b")])
    (problem,) = caught.value.problems
    assert problem.kind == "unreadable-model" and problem.file == str(path)


@needs_minilm
def test_a_process_of_its_own_writes_what_this_one_reads(store):
    """As the page does: no model library here, the values from the store."""
    code = (
        "import sys; from pathlib import Path; from fakes import case, minilm; "
        "from ragdash.models.local import ScoreCache; "
        "from ragdash.evaluation.scoring.run_local_models import score; "
        "run, truth = case({'q': 'car'}, {'q': ['automobile']}); "
        "print(score([run], truth, model=str(minilm()), store=ScoreCache(Path(sys.argv[1])), device='cpu').computed)"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code, store.path], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(Path(__file__).parent)])})
    assert done.stdout.split() == ["2"]
    scored = Scored(("car",), (("automobile",),), (None,), store)
    assert scored.values("SBERT") == pytest.approx([0.865], abs=5e-4)
