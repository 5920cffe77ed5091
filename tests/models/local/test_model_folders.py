"""Finding a model: what a folder is, is seen without loading it; what is missing is said with what fixes it."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from ragdash.core.errors import InputError
from ragdash.models.local import ENCODER, SCORER, availability, find_model_folder
from ragdash.models.local.model_folder import Folder
from ragdash.models.local.sentence_transformers import SentenceEncoder, environment, load

POOLED = [{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
          {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
SPLADE = [{"idx": 0, "path": "", "type": "sentence_transformers.sparse_encoder.models.SpladePooling"}]
ONE_MODULE = [{"idx": 0, "path": "", "type": "sentence_transformers.base.modules.transformer.Transformer"}]
CLASSIFIER = {"architectures": ["BertForSequenceClassification"]}


def folder(path, config=None, modules=None, own=None, weights="model.safetensors", words="vocab.txt"):
    path.mkdir(parents=True, exist_ok=True)
    for name, content in (("config.json", config), ("modules.json", modules),
                          ("config_sentence_transformers.json", own)):
        if content is not None:
            (path / name).write_text(content if isinstance(content, str) else json.dumps(content))
    for name in filter(None, (weights, words)):
        (path / name).write_bytes(b"weights")
    return str(path)


KINDS = [
    ("encoder", {"architectures": ["BertModel"]}, POOLED, None, ENCODER),
    ("encoder of words", None, POOLED, None, ENCODER),
    ("ms-marco", CLASSIFIER | {"id2label": {"0": "LABEL_0"}}, None, None, SCORER),
    ("cross-encoder with modules", CLASSIFIER | {"id2label": {"0": "x"}}, ONE_MODULE, {"model_type": "CrossEncoder"},
     SCORER),
    ("nli classifier", CLASSIFIER | {"id2label": {"0": "a", "1": "b", "2": "c"}}, None, None, None),
    ("classifier of two by default", CLASSIFIER, None, None, None),
    ("splade", {"architectures": ["BertForMaskedLM"]}, SPLADE, None, None),
    ("sparse by its own word", {}, POOLED, {"model_type": "SparseEncoder"}, None),
    ("language model", {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2"}, None, None, None),
    ("config of nothing", {}, None, None, None),
]


@pytest.mark.parametrize("wanted", [ENCODER, SCORER])
@pytest.mark.parametrize(("name", "config", "modules", "own", "kind"), KINDS, ids=[row[0] for row in KINDS])
def test_a_model_of_another_kind_is_refused(tmp_path, wanted, name, config, modules, own, kind):
    place = folder(tmp_path / name, config, modules, own)
    if kind == wanted:
        assert find_model_folder(wanted, place).name == name
        return
    with pytest.raises(InputError) as caught:
        find_model_folder(wanted, place)
    (problem,) = caught.value.problems
    assert problem.kind == "model-of-another-kind" and problem.file == str(tmp_path / name) and problem.fix


@pytest.mark.parametrize(("files", "says"), [
    ({}, "without config.json and modules.json"),
    ({"config": CLASSIFIER, "weights": None}, "without weights"),
    ({"config": CLASSIFIER, "words": None}, "without a tokenizer"),
    ({"config": "{not json"}, "config.json that cannot be read"),
    ({"config": "[" * 100_000}, "config.json that cannot be read"),
    ({"config": {}, "own": "[]"}, "config_sentence_transformers.json that cannot be read"),
    ({"config": {}, "modules": "["}, "modules.json that cannot be read"),
])
def test_an_unreadable_folder_is_told(tmp_path, files, says):
    place = folder(tmp_path / "m", **files)
    with pytest.raises(InputError) as caught:
        find_model_folder(ENCODER, place)
    (problem,) = caught.value.problems
    assert problem.kind == "unreadable-model" and says in problem.actual and problem.file == place


@pytest.mark.parametrize("content", ["[]", "3", "null", '"text"', '{"architectures": 5}', '{"architectures": null}',
                                     '{"num_labels": "many", "architectures": ["XForSequenceClassification"]}'])
def test_a_config_of_another_shape_is_a_problem_and_no_crash(tmp_path, content):
    with pytest.raises(InputError):
        find_model_folder(SCORER, folder(tmp_path / "m", content))


def test_nothing_named_nothing_there_and_a_file(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("x")
    for given, says in ((None, "RAGDASH_SBERT_MODEL"), ("/no/such/folder", "--hub"), ("nobody/nothing", "--hub"),
                        (str(tmp_path / "file"), "folder")):
        with pytest.raises(InputError) as caught:
            find_model_folder(ENCODER, given)
        (problem,) = caught.value.problems
        assert problem.kind == "no-model" and says in problem.fix
    monkeypatch.setenv("RAGDASH_CROSS_ENCODER", "nobody/nothing")
    with pytest.raises(InputError, match="nobody/nothing"):
        find_model_folder(SCORER)


def test_the_environment_and_a_name_before_the_path(tmp_path, monkeypatch):
    place = folder(tmp_path / "minilm" / "model", {}, POOLED)
    monkeypatch.setenv("RAGDASH_SBERT_MODEL", place)
    assert find_model_folder(ENCODER).name == "minilm/model"
    assert (
        find_model_folder(ENCODER, f"small={place}").name == "small"
        and find_model_folder(ENCODER, f"small={place}").bytes == 7
    )


@pytest.mark.parametrize("asked", ["sentence-transformers/tiny", "tiny", "mine=tiny"])
def test_a_model_that_the_hub_gave_before_is_found_by_its_name(tmp_path, asked):
    home = tmp_path / "hub" / "models--sentence-transformers--tiny"
    folder(home / "snapshots" / "abc", {}, POOLED)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text("abc\n")
    model = find_model_folder(ENCODER, asked)
    assert model.path == home / "snapshots" / "abc" and model.name == asked.split("=")[0]
    (home / "refs" / "main").write_text("gone")
    with pytest.raises(InputError, match="no model of this name"):
        find_model_folder(ENCODER, asked)


def test_the_hash_hangs_on_weights_and_tokeniser_and_not_on_the_place_or_the_readme(tmp_path):
    one, two = (find_model_folder(ENCODER, folder(tmp_path / name, {}, POOLED)) for name in "ab")
    first = one.weights()
    assert first == two.weights() and len(first) == 32
    (two.path / "README.md").write_text("words")
    (two.path / ".gitattributes").write_text("words")
    (two.path / "onnx").mkdir()
    (two.path / "onnx" / "model.onnx").write_bytes(b"other")
    assert two.weights() == first
    (two.path / "tokenizer.json").write_text("{}")
    changed = two.weights()
    (two.path / "model.safetensors").write_bytes(b"others!")
    assert len({first, changed, two.weights()}) == 3


def test_availability_says_the_library_first_then_the_folder(tmp_path, monkeypatch):
    place = folder(tmp_path / "m", {}, POOLED)
    monkeypatch.setattr("ragdash.models.local.installed.find_spec", lambda name: None if name == "torch" else name)
    assert not (missing := availability(ENCODER, place)).ok
    assert missing.problem.actual == "torch is not installed"
    assert missing.problem.fix == 'pip install "ragdash[semantic]"'
    with pytest.raises(InputError, match="torch is not installed"):
        load(find_model_folder(ENCODER, place))
    monkeypatch.setattr("ragdash.models.local.installed.find_spec", lambda name: None)
    assert availability(ENCODER).problem.actual == "sentence_transformers and torch are not installed"
    monkeypatch.setattr("ragdash.models.local.installed.find_spec", lambda name: name)
    assert availability(ENCODER, place).ok
    other = availability(SCORER, place)
    assert not other.ok and "a sentence embedding model" in other.problem.actual and other.problem.file == place
    assert "--cross-encoder" in other.problem.fix


def test_the_process_of_a_model_waits_quietly_and_what_is_set_stays():
    wanted = environment({})
    assert wanted["OMP_WAIT_POLICY"] == "PASSIVE" and wanted["GOMP_SPINCOUNT"] == "0"
    assert int(wanted["OMP_NUM_THREADS"]) >= 1
    assert environment({"RAGDASH_THREADS": "1"})["OMP_NUM_THREADS"] == "1"
    assert environment({"RAGDASH_THREADS": "100000"})["OMP_NUM_THREADS"] == wanted["OMP_NUM_THREADS"]
    assert "OMP_WAIT_POLICY" not in environment({"OMP_WAIT_POLICY": "ACTIVE"})
    for wrong in ("0", "many", "-1", "1.5", "²", "1" * 5_000):
        with pytest.raises(InputError, match="RAGDASH_THREADS"):
            environment({"RAGDASH_THREADS": wrong})


@pytest.mark.parametrize(("error", "expected"), [
    (IndexError("index out of range in self"), InputError), (RuntimeError("can't start new thread"), RuntimeError),
    (AttributeError("'Pooling' object has no attribute 'tokenize'"), InputError),
    (Exception("WordPiece error: Missing [UNK] token from the vocabulary"), InputError)])
def test_a_model_that_loads_and_fails_at_a_text_is_bad_input(tmp_path, error, expected):
    def fail(*_, **__):
        raise error

    encoder = SentenceEncoder.__new__(SentenceEncoder)
    encoder._folder, encoder._model = Folder(ENCODER, "a", tmp_path, 1), SimpleNamespace(encode=fail)
    words = "reads no text: (Index|Attribute|WordPiece|Exception)"
    with pytest.raises(expected, match="thread" if expected is RuntimeError else words):
        encoder.encode(["a text"])
