"""What runs on an engine: models, judges and the matching of evidence come to the same on both."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from models.judge.asking_cases import questions
from models.local.fakes import Asymmetric, Letters, Seeded, case

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.evaluation.scoring.run_local_models import score
from ragdash.matching.evidence import match_evidence, pair_shards
from ragdash.models.engines import LOCAL
from ragdash.models.judge import Endpoint, Patience, VerdictStore, ask
from ragdash.models.local import SCORER, ScoreCache
from ragdash.models.local.model_folder import Folder
from ragdash.models.local.model_work import ModelWork

TEXTS = [f"{i} the lander touched down " + "near a crater " * (i % 5) for i in range(200)]


def rows(store: ScoreCache) -> list[tuple]:
    """All that a cache holds."""
    with sqlite3.connect(store.path) as db:
        return [db.execute(f"select key, cut, value from {table} order by key").fetchall()
                for table in ("vectors", "scores")]


def test_models_say_the_same_bit_for_bit(engine, tmp_path):
    run, truth = case({f"q{i}": text for i, text in enumerate(TEXTS)}, {f"q{i}": [TEXTS[i - 1]] for i in range(200)})
    models = {"model": Seeded(), "cross_encoder": Asymmetric()}
    caches = [ScoreCache(tmp_path / name / "cache.sqlite") for name in ("local", "other")]
    seen = []
    for cache, by in zip(caches, (LOCAL, engine), strict=True):
        report = score([run], truth, "SBERT CrossEncoder", store=cache, engine=by, progress=seen.append, **models)
        assert (report.computed, report.cancelled) == (400, False)
    assert rows(caches[0]) == rows(caches[1]) and seen[-1].done == seen[-1].total == 200


def test_a_listener_that_says_no_keeps_what_is_done(engine, tmp_path):
    run, truth = case({f"q{i}": text for i, text in enumerate(TEXTS)}, {f"q{i}": ["x"] for i in range(200)})
    store = ScoreCache(tmp_path / "cache.sqlite")
    report = score([run], truth, model=Letters(), store=store, engine=engine, progress=lambda one: one.done < 64)
    assert report.cancelled and report.computed == 64
    assert score([run], truth, model=Letters(), store=store).reused == 64


def similar_texts(n: int) -> tuple[Run, Truth]:
    """A run of chunks and the truth with spans that are in some of them, with a few letters changed."""
    rng = random.Random(3)
    stock = "".join(rng.choices("etaoin shrdlu", k=20_000))
    starts = [rng.randrange(19_000) for _ in range(n)]
    spans = ["".join(rng.choice("xyz") if rng.random() < 0.1 else letter for letter in stock[start + 40:start + 160])
             for start in starts]
    ids = [f"q{i}" for i in range(n)]
    run = Run.build("run", [one for one in ids for _ in range(4)], [f"d{i}" for i in range(4 * n)],
                    texts=[stock[(start + shift) % 19_000:][:180] for start in starts for shift in (0, 80, 300, 9000)])
    evidence = [[{"text": span, "source": None}] for span in spans]
    return run, Truth.build("truth", [], [], [], details=pa.table({"query_id": ids, "evidence": evidence}))


@pytest.mark.parametrize("how", ["partial", "sequence", "exact", "tokens"])
def test_evidence_is_the_same_however_it_is_cut(engine, how, monkeypatch):
    run, truth = similar_texts(30)
    whole = match_evidence(run, truth, how, 0.2)
    monkeypatch.setattr(pair_shards, "PAIRS", 17)
    cut = match_evidence(run, truth, how, 0.2, engine=engine)
    assert (how == "exact") == (len(whole.score) == 0)
    for name in ("row_chunk", "row_part", "score", "kind"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(cut, name))


def test_a_judge_is_called_by_the_engine_and_the_ledger_is_the_same(engine, serve, tmp_path):
    server, asked = serve(), questions(3)
    endpoint, patience = Endpoint(server.url, "toy"), Patience(attempts=3, first=0.01, longest_delay=0.02)
    store = VerdictStore(tmp_path / "judge.sqlite")
    outcome = ask(asked, endpoint, store, engine=engine, patience=patience)
    assert [reply.value["score"] for reply in outcome.replies] == [1, 1, 1]
    assert (outcome.asked, len(server.asked), outcome.stopped) == (3, 3, None)
    again = ask(asked, endpoint, store)
    assert list(again.replies) == [replace(one, cached=True) for one in outcome.replies] and len(server.asked) == 3


@pytest.mark.slow
def test_a_key_stays_where_it_is_and_one_that_is_missing_on_a_worker_is_said(cluster, serve, tmp_path, monkeypatch):
    from ragdash.models.engines import open_engine

    server, store = serve(), VerdictStore(tmp_path / "judge.sqlite")
    monkeypatch.setenv("MY_API_KEY", "sk-not-for-workers")  # the cluster was started without it
    endpoint = Endpoint(server.url, "toy", key_env="MY_API_KEY")
    outcome = ask(questions(2), endpoint, store, engine=open_engine("ray"))
    assert outcome.stopped == "error" and "MY_API_KEY" in str(outcome.problem) and not server.asked


def test_a_model_that_is_not_on_the_worker_or_another_one_is_said(tmp_path, monkeypatch):
    absent = Folder(SCORER, "cross", tmp_path / "nowhere", 1)
    with pytest.raises(InputError, match=r"no model at .*nowhere on "):
        ModelWork(SCORER, absent, "w")(["a"])
    monkeypatch.setattr("ragdash.models.local.sentence_transformers.load", lambda *_: Letters("other-1"))
    with pytest.raises(InputError, match="another model at "):
        ModelWork(SCORER, replace(absent, path=tmp_path), "letters-1").load()


@pytest.mark.parametrize(("options", "says"), [
    (["evaluate", "RUN", "--truth", "TRUTH"], "documents matched by their ids"),
    (["evaluate", "RUN", "--truth", "TRUTH", "--match", "evidence", "--match-how", "embedding"], "score --match-how"),
    (["judge", "RUN", "--truth", "TRUTH", "--model", "m", "--batch-out", "x"], "--engine ray with --batch-out")])
def test_an_engine_that_would_do_nothing_is_refused(options, says, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("ragdash.models.engines.opening.find_spec", lambda name: None)
    monkeypatch.setattr("ragdash.cli.commands.judging.judge.open_engine", lambda name: None)
    files = {"RUN": tmp_path / "run.trec", "TRUTH": tmp_path / "qrels.txt"}
    files["RUN"].write_text("q Q0 d 1 1.0 r\n")
    files["TRUTH"].write_text("q 0 d 1\n")
    assert main([*(str(files.get(one, one)) for one in options), "--engine", "ray"]) == 2
    assert says in capsys.readouterr().err
