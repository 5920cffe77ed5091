"""The store: what is put in comes out, under its key alone; what is damaged is told."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragdash.core.errors import InputError
from ragdash.core.paths import cache_folder
from ragdash.models.local import ENCODER, SCORER, ScoreCache, default_score_cache
from ragdash.models.local.score_cache import pair_key, text_key, unit


def put(store, model, texts, vectors, cut=None):
    store.save("vectors", model, [text_key(text) for text in texts], np.array(cut or [0] * len(texts)),
              np.array(vectors, np.float32))


def test_vectors_come_back_in_the_order_asked_for(store):
    model = store.use(ENCODER, "m", "w", 256)
    put(store, model, ["x", "y"], [[3, 4], [0, 2]], [0, 1])
    vectors, there, cut = store.vectors(model, [text_key(text) for text in ("y", "nothing", "x")])
    assert vectors.dtype == np.float16
    assert there.tolist() == [True, False, True] and cut.tolist() == [True, False, False]
    np.testing.assert_allclose(vectors, [[0, 1], [0, 0], [0.6, 0.8]], atol=5e-4)


def test_float16_moves_a_cosine_by_less_than_a_ten_thousandth(store):
    rng = np.random.default_rng(0)
    model, vectors = store.use(ENCODER, "m", "w", 256), rng.normal(size=(400, 384)) * rng.uniform(0.01, 100, (400, 1))
    put(store, model, [str(i) for i in range(400)], vectors)
    kept = unit(store.vectors(model, [text_key(str(i)) for i in range(400)])[0]).astype(np.float64)
    exact = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert 0 < np.abs(kept @ kept.T - exact @ exact.T).max() < 1e-4


def test_more_keys_than_one_statement_takes(store):
    model, keys = store.use(SCORER, "m", "w", 0, "sigmoid"), [pair_key((str(i), "a")) for i in range(1700)]
    store.save("scores", model, keys[:1699], np.zeros(1699), np.arange(1699) / 1699)
    values, there, _ = store.scores(model, keys)
    assert there.sum() == 1699 and np.isnan(values[1699]) and values[1698] == 1698 / 1699
    assert store.known_keys("scores", model, keys) == set(keys[:1699])


def test_a_pair_is_not_its_mirror_and_not_its_joined_texts():
    assert len({pair_key(pair) for pair in [("a", "b"), ("b", "a"), ("ab", ""), ("", "ab")]}) == 4
    assert text_key("é") != text_key("e\u0301") and text_key("\ud800") != text_key("?")


@pytest.mark.parametrize("other", [("w", 128), ("w2", 256)])
def test_other_weights_or_another_length_share_nothing(store, other):
    model, changed = store.use(ENCODER, "m", "w", 256), store.use(ENCODER, "m", *other)
    put(store, model, ["x"], [[1, 0]])
    assert changed.id != model.id and store.known_keys("vectors", changed, [text_key("x")]) == set()


def test_another_name_for_the_same_weights_shares_everything(store):
    first, second = store.use(ENCODER, "one", "w", 256), store.use(ENCODER, "two", "w", 256)
    put(store, first, ["x"], [[1, 0]])
    assert first.id == second.id and store.known_keys("vectors", second, [text_key("x")])
    assert store.find_model(ENCODER).name == "two" and store.find_model(ENCODER, "one").name == "one"


def test_the_model_is_the_one_last_used_the_one_named_or_the_one_of_these_weights(store):
    assert store.find_model(ENCODER) is None and store.use(ENCODER, "m", "abcdef012") is None
    for name, weights in (("one", "abcdef012"), ("two", "012345678"), ("one", "abcdef012")):
        store.use(ENCODER, name, weights, 256)
    assert store.find_model(ENCODER).name == "one" and store.find_model(ENCODER, "two").weights == "012345678"
    assert store.find_model(ENCODER, "012345").name == "two" and store.find_model(ENCODER, "01234") is None
    assert store.find_model(SCORER) is None


def test_what_was_kept_stays(store):
    model = store.use(SCORER, "m", "w", 0, "sigmoid")
    for value in (0.25, 0.75):
        store.save("scores", model, [b"k"], np.zeros(1), np.array([value]))
    assert store.scores(model, [b"k"])[0].tolist() == [0.25]


def test_numbers_that_are_none_are_kept_as_computed_and_undefined(store):
    model, scorer = store.use(ENCODER, "m", "w", 256), store.use(SCORER, "m", "w", 0)
    put(store, model, ["zero", "nan", "inf"], [[0, 0], [np.nan, 1], [np.inf, 1]])
    vectors, there, _ = store.vectors(model, [text_key(text) for text in ("zero", "nan", "inf")])
    assert there.all() and np.isnan(vectors).any(axis=1).all()
    store.save("scores", scorer, [b"k"], np.zeros(1), np.array([np.nan]))
    assert np.isnan(store.scores(scorer, [b"k"])[0]).all() and store.scores(scorer, [b"k"])[1].all()


def test_a_store_that_is_not_there_is_empty_and_is_not_made_by_reading(store):
    assert store.models(ENCODER) == [] and store.stamp() == "" and not store.path.parent.exists()


def test_the_stamp_changes_with_every_addition(store):
    seen = [store.stamp()]
    model = store.use(ENCODER, "m", "w", 256)
    seen.append(store.stamp())
    put(store, model, ["x"], [[1, 0]])
    seen.append(store.stamp())
    store.save("scores", model, [b"k"], np.zeros(1), np.zeros(1))
    seen.append(store.stamp())
    store.use(ENCODER, "m", "w", 256)
    seen.append(store.stamp())
    assert len(set(seen)) == 5 and store.stamp() == seen[-1]


def test_a_damaged_store_is_told_with_its_place(store):
    store.path.parent.mkdir()
    store.path.write_bytes(b"this is no database, whatever its name says" * 99)
    for act in (lambda: store.models(ENCODER), lambda: store.use(ENCODER, "m", "w", 256), store.stamp):
        with pytest.raises(InputError) as caught:
            act()
        assert caught.value.problems[0].kind == "unusable-cache"
        assert caught.value.problems[0].file == str(store.path) and "RAGDASH_CACHE" in caught.value.problems[0].fix


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="RAGDASH_CACHE"):
        ScoreCache(tmp_path / "file" / "semantic.sqlite").use(ENCODER, "m", "w", 256)


def test_a_process_that_is_killed_leaves_what_it_had_kept(store):
    code = ("import os, sys, numpy as np; from pathlib import Path; from ragdash.models.local import ScoreCache; "
            "s = ScoreCache(Path(sys.argv[1])); m = s.use('encoder', 'm', 'w', 256); "
            "s.save('vectors', m, [b'k'], np.zeros(1), np.ones((1, 3))); os.kill(os.getpid(), 9)")
    done = subprocess.run([sys.executable, "-c", code, store.path], cwd=Path(__file__).parents[3], check=False)
    assert done.returncode != 0 and store.known_keys("vectors", store.find_model(ENCODER), [b"k"]) == {b"k"}


def test_two_writers_wait_for_each_other(store):
    model = store.use(ENCODER, "m", "w", 256)
    put(store, model, ["x"], [[1, 0]])
    with sqlite3.connect(store.path) as db:
        db.execute("update vectors set cut = 1")
        assert store.known_keys("vectors", model, [text_key("x")])  # a reader does not wait
        store.vectors(model, [text_key("x")])
    db.close()
    put(store, model, ["y"], [[1, 0]])


@pytest.mark.parametrize(("platform", "variables", "place"), [
    ("linux", {"RAGDASH_CACHE": "/own"}, "/own"),
    ("linux", {"XDG_CACHE_HOME": "/xdg"}, "/xdg/ragdash"),
    ("linux", {}, "~/.cache/ragdash"),
    ("darwin", {"XDG_CACHE_HOME": "/xdg"}, "~/Library/Caches/ragdash"),
    ("win32", {"LOCALAPPDATA": "/local"}, "/local/ragdash/Cache"),
    ("win32", {}, "~/AppData/Local/ragdash/Cache"),
])
def test_the_cache_is_where_the_system_keeps_such_things(monkeypatch, platform, variables, place):
    for name in ("RAGDASH_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == Path(place).expanduser()
    assert default_score_cache().path.parent == cache_folder()
