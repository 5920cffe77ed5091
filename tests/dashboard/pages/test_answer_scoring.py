"""A page that lets a model speak: what it offers, the process at work, its end, and values that appear by themselves.

No model is loaded in this process: a stand-in writes what `python -m ragdash score` writes, and fills the cache.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import page_cases
import pandas as pd
import pyarrow as pa
import pytest
from helpers import until
from page_cases import address, keys
from streamlit.testing.v1 import AppTest

from ragdash.core.errors import Problem
from ragdash.core.records import Run, Truth
from ragdash.dashboard.jobs import scoring
from ragdash.dashboard.pages.answers import model_scores
from ragdash.evaluation.scoring.score_worker import Worker
from ragdash.io import read_runs, read_truth
from ragdash.matching.match import Match
from ragdash.models.local import ENCODER, NLI, default_score_cache, find_model_folder
from ragdash.models.local.installed import Availability
from ragdash.models.local.score_cache import pair_key, text_key

ROOT = Path(__file__).resolve().parents[3]
IDS = [f"q{at}" for at in range(6)]
TALK = """
import sys, time
from ragdash.evaluation.scoring.score_worker import line
def say(kind, content):
    sys.stdout.buffer.write(line(kind, content)); sys.stdout.flush()
say("plan", "tiny: 12 texts")
say("progress", {"done": 3, "total": 12, "words": "tiny: 3 of 12 texts, 1.5 a second, 6 s left"})
"""


@pytest.fixture(autouse=True)
def own_places(monkeypatch, tmp_path):
    for name in ("RAGDASH_SBERT_MODEL", "RAGDASH_CROSS_ENCODER", "RAGDASH_NLI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(model_scores, "library", lambda: Availability())
    model_scores._known_models.clear()
    yield
    scoring.forget()


@pytest.fixture()
def folder(tmp_path) -> Path:
    """A folder that looks like an embedding model."""
    path = tmp_path / "tiny"
    path.mkdir()
    (path / "modules.json").write_text('[{"type": "sentence_transformers.models.Transformer"}]')
    (path / "config.json").write_text("{}")
    (path / "tokenizer.json").write_text("{}")
    (path / "model.safetensors").write_bytes(b"1" * 1000)
    return path


def the_case() -> tuple[Truth, list[Run]]:
    details = pa.table({"query_id": IDS, "query": [f"question {at}?" for at in range(6)],
                        "answers": [[f"right {at}"] for at in range(6)]})
    truth = Truth.build("truth", IDS, ["a"] * 6, np.ones(6, int), details=details)
    runs = [Run.build(name, IDS, ["a"] * 6, np.ones(6), details=pa.table({
        "query_id": IDS, "answer": [f"{name} {at}" for at in range(6)]})) for name in ("one", "a/b = two")]
    return truth, runs


def opened(model: Path | None = None, kind: str = ENCODER, **more) -> AppTest:
    return page_cases.opened("answers", state={f"_model_{kind}": str(model)} if model else None,
                             **address(*the_case(), **{"answers": ["TokenF1", "SBERT"], **more}))


def one_by_one(at: AppTest) -> pd.DataFrame:
    """The table of the answers, after opening its tab."""
    at.session_state["answer_parts"] = "One by one"
    return at.run().dataframe[-1].value


def texts(at: AppTest) -> str:
    return "\n".join(one.value for one in (*at.markdown, *at.caption, *at.error)).replace("\\", "")


def compute(folder: Path, texts: list[str]) -> None:
    """Fill the cache as the process would."""
    store = default_score_cache()
    model = store.use(ENCODER, "tiny", find_model_folder(ENCODER, str(folder)).weights(), 128)
    vectors = np.random.default_rng(len(texts)).normal(size=(len(texts), 8)).astype(np.float32)
    store.save("vectors", model, [text_key(text) for text in texts], np.zeros(len(texts), bool), vectors)


def stand_in(monkeypatch, rest: str) -> list[list[str]]:
    """The process replaced by one that talks; returns the commands that were asked for."""
    asked, start = [], Worker.start.__func__

    def fake(cls, arguments, folder=None):
        asked.append(arguments)
        return start(cls, [sys.executable, "-c", TALK + rest], ROOT)

    monkeypatch.setattr(Worker, "start", classmethod(fake))
    return asked


def test_nothing_is_offered_where_no_model_is_needed():
    at = opened(answers=["TokenF1"])
    assert "needs a model" not in texts(at) and "score_start" not in keys(at, "button")


def test_opening_the_page_offers_a_choice_and_starts_nothing():
    at = opened()
    assert "**SBERT similarity** needs a model on this machine. Nothing is fetched." in texts(at)
    assert "score_start" not in keys(at, "button") and scoring.current() is None
    assert not default_score_cache().path.exists(), "looking writes nothing"


def test_the_page_and_the_plan_load_no_model_library(folder):
    code = f"""
import subprocess
import sys
sys.path[:0] = {[str(Path(__file__).parents[up]) for up in (0, 1, 2)]}
from pathlib import Path
from test_answer_scoring import Availability, model_scores, opened, texts
model_scores.library = lambda: Availability()
assert "18 texts to compute" in texts(opened(Path({str(folder)!r})))
print(*sorted({{"torch", "transformers", "sentence_transformers"}} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == []


def test_without_the_library_the_command_that_fixes_it_stands_there(monkeypatch):
    monkeypatch.setattr(model_scores, "library",
                        lambda: Availability(Problem("unavailable/library", {"packages": ["torch"]})))
    at = opened()
    assert "Torch is not installed." in texts(at) and any("pip install" in one.value for one in at.code)


def test_the_estimate_counts_distinct_texts_and_a_wrong_folder_is_explained(folder, tmp_path):
    at = opened(folder)
    assert "tiny: 18 texts to compute, 0 known" in texts(at) and "score_start" in keys(at, "button")
    compute(folder, [f"right {at}" for at in range(6)])
    assert "tiny: 12 texts to compute, 6 known" in texts(opened(folder))
    at = opened(tmp_path / "nowhere")
    assert len(at.error) == 1 and "nowhere" in at.error[0].value and "score_start" not in keys(at, "button")


def test_one_model_is_enough_to_start_with(folder):
    at = opened(folder, answers=["SBERT", "CrossEncoder", "TokenF1"])
    assert "**SBERT similarity and Cross-encoder similarity** need a model" in texts(at)
    assert "tiny: 18 texts to compute" in texts(at) and "score_start" in keys(at, "button")


def test_the_process_gets_what_it_needs_and_shows_how_far_it_is(folder, monkeypatch):
    asked = stand_in(monkeypatch, "time.sleep(600)")
    at = opened(folder)
    at.button(key="score_start").click().run()
    job = scoring.current()
    until(lambda: "progress" in job.worker.messages)
    at.run()
    assert not at.exception and "**A model is at work** on the answers of one and a/b = two" in texts(at)
    assert "6 s left" in at.get("progress")[0].proto.text and at.get("progress")[0].proto.value == 25
    command = asked[0]
    assert command[1:4] == ["-m", "ragdash", "score"] and command[-2:] == ["--model", str(folder)]
    named = dict(text.split("=", 1) for text in command[4:6])
    assert list(named) == ["one", "a_b _ two"]
    truth, runs = the_case()
    for (_, path), run in zip(named.items(), runs, strict=True):
        assert read_runs(path)[0].details["answer"].to_pylist() == run.details["answer"].to_pylist()
    held = read_truth(command[command.index("--truth") + 1])
    assert held.details["answers"].to_pylist() == truth.details["answers"].to_pylist()
    assert held.details["query"].to_pylist() == truth.details["query"].to_pylist()
    again = opened(folder)
    assert "score_start" not in keys(again, "button"), "one at a time, seen by every session"
    again.button(key="score_stop").click().run()
    assert not job.running and "Stopped. What was done is kept" in texts(again)


def test_the_end_is_told_and_values_appear_by_themselves(folder, monkeypatch):
    stand_in(monkeypatch, "say('report', {'computed': 18, 'reused': 0, 'seconds': 2.0, 'models': ['tiny'], "
                          "'problems': []})")
    at = opened(folder)
    assert np.isnan(one_by_one(at)["SBERT similarity"].to_numpy(float)).all()
    at.session_state["answer_parts"] = "Means"
    at.run().button(key="score_start").click()
    truth, runs = the_case()
    texts_of = [text for run in runs for text in run.details["answer"].to_pylist()]
    compute(folder, texts_of + [text for cell in truth.details["answers"].to_pylist() for text in cell])
    at.run()
    until(lambda: not scoring.current().running)
    at.run()
    assert not at.exception and "18 computed, 0 known before, 2 s, by tiny" in texts(at)
    assert np.isfinite(one_by_one(at)["SBERT similarity"].to_numpy(float)).all()
    assert "needs a model" not in texts(at)


def test_a_failure_is_told(folder, monkeypatch):
    stand_in(monkeypatch, "say('problems', [{'found': 'a model of stone', 'expected': 'one', 'fix': 'Name it.'}])")
    at = opened(folder)
    at.button(key="score_start").click().run()
    until(lambda: not scoring.current().running)
    at.run()
    assert any("a model of stone; expected one. Name it." in card.value.replace("\\", "") for card in at.error)
    assert "score_start" in keys(at, "button")


def test_what_was_written_for_the_process_goes_with_it(folder, monkeypatch):
    stand_in(monkeypatch, "time.sleep(600)")
    at = opened(folder)
    at.button(key="score_start").click().run()
    job = scoring.current()
    place = Path(job.folder.name)
    assert place.is_dir()
    scoring.forget()
    assert not place.exists() and not job.running


@pytest.fixture()
def reader(tmp_path) -> Path:
    """A folder that looks like a model of natural language inference."""
    path = tmp_path / "reader"
    path.mkdir()
    (path / "config.json").write_text('{"architectures": ["BertForSequenceClassification"], "id2label": {"0": '
                                      '"contradiction", "1": "entailment", "2": "neutral"}}')
    (path / "tokenizer.json").write_text("{}")
    (path / "model.safetensors").write_bytes(b"2" * 1000)
    return path


def with_texts(monkeypatch) -> None:
    """Answers beside contexts: one run tells them, of the other the documents' texts stand in."""
    truth, _ = the_case()
    answers = {"query_id": IDS, "answer": [f"It is {at}. Not more." for at in range(6)]}
    contexts = [[f"It is {at}.", " ", f"Else {at}."] for at in range(6)]
    runs = [Run.build("one", IDS, ["a"] * 6, np.ones(6), details=pa.table({**answers, "contexts": contexts})),
            Run.build("two", IDS, ["a"] * 6, np.ones(6), texts=[f"It is {at}." for at in range(6)],
                      details=pa.table(answers))]
    monkeypatch.setattr(sys.modules[__name__], "the_case", lambda: (truth, runs))


def test_a_reader_of_sentences_is_offered_and_gets_the_contexts(reader, monkeypatch):
    with_texts(monkeypatch)
    asked = stand_in(monkeypatch, "say('report', {'computed': 36, 'reused': 0, 'seconds': 2.0, 'models': ['reader'], "
                                  "'problems': []})")
    at = opened(answers=["TokenF1", "NLIFaithfulness"])
    assert "**NLI faithfulness** needs a model" in texts(at) and "score_start" not in keys(at, "button")
    at = opened(reader, NLI, answers=["TokenF1", "NLIFaithfulness"])
    assert "reader: 24 pairs to compute, 0 known" in texts(at)
    at.button(key="score_start").click().run()
    until(lambda: not scoring.current().running)
    command, (truth, runs) = asked[0], the_case()
    assert command[-2:] == ["--nli", str(reader)] and "--model" not in command
    assert command[command.index("--metrics") + 1] == "NLIFaithfulness"
    held = read_truth(command[command.index("--truth") + 1])
    pairs = []
    for text, run in zip(command[4:6], runs, strict=True):
        written = Match(read_runs(text.split("=", 1)[1])[0], held).entailed.pairs()[2]
        assert written == Match(run, truth).entailed.pairs()[2], "the process sees what the metric looks up"
        pairs += written
    assert len(dict.fromkeys(pairs)) == 24
    store = default_score_cache()
    model = store.use(NLI, "reader", find_model_folder(NLI, str(reader)).weights(), 128, "softmax")
    distinct = list(dict.fromkeys(pairs))
    store.save("scores", model, [pair_key(pair) for pair in distinct], np.zeros(len(distinct), bool),
              np.array([float(sentence in window) for window, sentence in distinct]))
    at.run()
    assert not at.exception and "36 computed, 0 known before, 2 s, by reader" in texts(at)
    assert "needs a model" not in texts(at)
    shown = one_by_one(at)
    assert shown["NLI faithfulness"].to_numpy(float) == pytest.approx([0.5] * len(shown))


def test_no_reader_is_offered_where_there_is_nothing_to_read():
    at = opened(answers=["TokenF1", "NLIFaithfulness"])
    assert "needs a model" not in texts(at) and "score_start" not in keys(at, "button")


def test_an_embedding_model_is_no_reader(folder, monkeypatch):
    with_texts(monkeypatch)
    at = opened(folder, NLI, answers=["NLIFaithfulness", "TokenF1"])
    assert "score_start" not in keys(at, "button")
    assert any("a sentence embedding model" in one.value for one in at.error)
