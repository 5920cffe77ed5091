"""What local models computed, in a file and in a database that servers share; workers that compute for all of them."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import page_cases
import pytest
import test_answer_scoring as page
from models.local.fakes import Letters, Seeded
from team_services import threads
from workspace.team.worker_trial import wait

from ragdash.cli.commands.serving.worker import ScoreJobs
from ragdash.cli.main import main
from ragdash.dashboard.jobs import scoring, shared_queue
from ragdash.evaluation.scoring.score_worker import Worker
from ragdash.models.local import ENCODER, SCORER, ScoreCache, default_score_cache, find_model_folder
from ragdash.models.local.score_cache import text_key
from ragdash.workspace.team.job_worker import JobWorker

own_places, folder = page.own_places, page.folder
NAMES = ("plain", "NUL \x00 and \\0", "x" * 3000)


@pytest.fixture(params=["file", "postgresql"])
def open_store(request, tmp_path, project, monkeypatch):
    """A function that opens the same values again, as another server does."""
    if request.param == "file":
        return lambda: ScoreCache(tmp_path / "scores.sqlite")
    monkeypatch.setenv("RAGDASH_WORKSPACE", request.getfixturevalue("postgres").url_of(project))
    return default_score_cache


def test_values_come_back_under_their_key_whatever_the_model_is_called(open_store):
    store, other, rng = open_store(), open_store(), np.random.default_rng(0)
    assert (store.models(ENCODER), store.stamp(), store.use(ENCODER, "m", "w")) == ([], "", None)
    keys = [text_key(str(number)) for number in range(6_000)]
    for name in NAMES:
        model, vectors = store.use(ENCODER, name, f"weights of {len(name)}", 256), rng.normal(size=(6_000, 4))
        assert not other.known_keys("vectors", model, keys)
        store.save("vectors", model, keys[:-1], np.arange(5_999) % 2, vectors[:-1])
        values, known, cut = other.vectors(model, keys)
        assert known.sum() == 5_999 and not known[-1] and cut[:4].tolist() == [False, True, False, True]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.testing.assert_allclose(values[:-1], (vectors / lengths)[:-1], atol=1e-3)
        assert other.known_keys("vectors", model, keys) == set(keys[:-1])
        assert other.find_model(ENCODER).name == name
    assert {model.name for model in other.models(ENCODER)} == set(NAMES) and other.find_model(SCORER) is None
    scorer = store.use(SCORER, "s", "w", 0, "sigmoid")
    store.save("scores", scorer, keys[:3], np.zeros(3), np.array([0.1 + 0.2, np.nan, -1e300]))
    store.save("scores", scorer, keys[:1], np.ones(1), np.ones(1))
    values, known, cut = other.scores(scorer, keys[:4])
    assert values[[0, 2]].tolist() == [0.1 + 0.2, -1e300] and np.isnan(values[[1, 3]]).all(), "bit for bit"
    assert known.tolist() == [True] * 3 + [False] and not cut.any(), "what was kept stays"
    assert scorer.activation == "sigmoid" and scorer.max_length == 0


def test_names_of_the_same_weights_share_and_other_weights_do_not(open_store):
    store = open_store()
    first, second = store.use(ENCODER, "one", "abcdef012", 256), store.use(ENCODER, "two", "abcdef012", 256)
    others = [store.use(ENCODER, "one", "abcdef012", 128), store.use(ENCODER, "one", "fedcba", 256)]
    assert first.id == second.id and len({first.id, *(model.id for model in others)}) == 3
    store.save("vectors", first, [b"k"], np.zeros(1), np.ones((1, 2)))
    assert store.known_keys("vectors", second, [b"k"]) and not store.known_keys("vectors", others[0], [b"k"])
    assert store.find_model(ENCODER).weights == "fedcba" and store.find_model(ENCODER, "two").id == first.id
    assert store.use(ENCODER, "three", "abcdef012").max_length == 128, "the newest of these weights"
    store.save_rate(first, 12.5)
    assert open_store().find_model(ENCODER, "two").rate == 12.5


def test_the_stamp_changes_with_every_addition(open_store):
    store, other = open_store(), open_store()
    seen = [store.stamp()]
    model = store.use(ENCODER, "m", "w", 256)
    for act in (lambda: None, lambda: store.save("vectors", model, [b"x"], np.zeros(1), np.ones((1, 2))),
                lambda: store.save("scores", model, [b"k"], np.zeros(1), np.zeros(1)),
                lambda: store.use(ENCODER, "m", "w", 256)):
        act()
        seen.append(store.stamp())
    assert len(set(seen)) == 5 and store.stamp() == seen[-1]
    wait(lambda: other.stamp() == seen[-1], 30)


def test_servers_that_write_at_once_lose_nothing(open_store):
    def write(number: int) -> None:
        store = open_store()
        for step in range(25):
            model = store.use(ENCODER, "m", "w", 256)
            keys = [text_key(f"{step}"), text_key(f"{number} {step}")]
            store.save("vectors", model, keys, np.zeros(2), np.ones((2, 3)))

    running = threads(4, write)
    for thread in running:
        thread.join(120)
    (model,) = open_store().models(ENCODER)
    keys = [text_key(f"{step}") for step in range(25)]
    keys += [text_key(f"{number} {step}") for number in range(4) for step in range(25)]
    assert open_store().known_keys("vectors", model, keys) == set(keys)


@pytest.fixture
def shared_workspace(postgres, project, tmp_path, monkeypatch) -> str:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "local"))
    monkeypatch.setenv("RAGDASH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RAGDASH_WORKSPACE", postgres.url_of(project))
    monkeypatch.setattr(Worker, "start", lambda *_: pytest.fail("no process of the server computes"))
    return postgres.url_of(project)


def a_worker(address: str) -> JobWorker:
    """A worker in this process."""
    return JobWorker(shared_queue.queue(), {"score": ScoreJobs(address, None)}, threading.Event(), lease=5)


class Slow(Seeded):
    """Computes one shard, then somebody asks for the end."""

    def encode(self, texts):
        scoring.stop()
        wait(lambda: shared_queue.newest("score").cancelled)
        threading.Event().wait(1.5)  # the worker looks twice a second
        return super().encode(texts)


def loads(monkeypatch, folder: Path, kind: type[Letters]) -> Letters:
    """Let the library make this model of the folder."""
    model = kind(find_model_folder(ENCODER, str(folder)).weights())
    monkeypatch.setattr("ragdash.models.local.sentence_transformers.load", lambda *_: model)
    return model


def test_a_page_lets_a_worker_compute_and_every_server_shows_it(shared_workspace, folder, monkeypatch, capsys):
    model = loads(monkeypatch, folder, Seeded)
    at = page.opened(folder)
    at.button(key="score_start").click().run()
    assert not at.exception and scoring.current().waiting and not model.given
    assert "Waiting for a worker" in at.get("progress")[0].proto.text and "no worker" in page.texts(at)
    again = page.opened(folder)
    assert "score_start" not in page_cases.keys(again, "button"), "one at a time, seen by every session"
    assert a_worker(shared_workspace).run(once=True) == 1
    at.run()
    assert not at.exception and "18 computed, 0 known before" in page.texts(at) and len(model.given) == 18
    assert np.isfinite(page.one_by_one(at)["SBERT similarity"].to_numpy(float)).all()
    assert main(["jobs"]) == 0 and "18 computed" in capsys.readouterr().out
    assert not (Path(default_score_cache().path)).exists(), "values are in the database alone"


def test_a_job_is_stopped_from_another_server_and_goes_on_from_there(shared_workspace, folder, monkeypatch):
    for size in ("FIRST_BLOCK", "BATCH"):
        monkeypatch.setattr(f"ragdash.evaluation.scoring.run_local_models.{size}", 4)
    model = loads(monkeypatch, folder, Slow)
    at = page.opened(folder)
    at.button(key="score_start").click().run()
    assert a_worker(shared_workspace).run(once=True) == 1
    at.run()
    assert not at.exception and "Stopped. What was done is kept" in page.texts(at)
    assert shared_queue.newest("score").record.state == "canceled" and 0 < len(model.given) < 18
    done, model = len(model.given), loads(monkeypatch, folder, Seeded)
    at.button(key="score_start").click().run()
    assert a_worker(shared_workspace).run(once=True) == 1
    at.run()
    assert f"{18 - done} computed, {done} known before" in page.texts(at) and len(model.given) == 18 - done


def test_a_worker_without_the_model_says_so(shared_workspace, folder, monkeypatch):
    at = page.opened(folder)
    at.button(key="score_start").click().run()
    folder.rename(folder.with_name("elsewhere"))
    assert a_worker(shared_workspace).run(once=True) == 1
    at.run()
    assert not at.exception and shared_queue.newest("score").record.state == "failed"
    assert any("tiny" in card.value for card in at.error)
