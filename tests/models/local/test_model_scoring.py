"""The work: each text once, longest first, kept as it goes; stopped and gone on with; told in numbers."""

from __future__ import annotations

import numpy as np
import pytest
from fakes import Asymmetric, Letters, Seeded, case, stopping

from ragdash.core.console import duration
from ragdash.core.errors import InputError
from ragdash.core.records import Run
from ragdash.evaluation.scoring.plan import ScoringProgress, ScoringTask
from ragdash.evaluation.scoring.required_scores import plan_scoring
from ragdash.evaluation.scoring.run_local_models import FIRST_BLOCK, run_plan, score, shards_of
from ragdash.matching.views.local_models import Scored
from ragdash.models.local import ENCODER, default_score_cache
from ragdash.models.local.model_folder import Folder
from ragdash.models.local.sentence_transformers import BATCH


def many(n: int, name: str = "run"):
    """A run of n answers of different lengths, each the reference of the next."""
    texts = ["ab" + "c" * i for i in range(n)]
    ids = [f"q{i}" for i in range(n)]
    return case(dict(zip(ids, texts, strict=True)), {one: [texts[i - 1]] for i, one in enumerate(ids)}, name=name)


def test_repeated_texts_are_computed_once_over_runs_references_and_questions(store):
    run, truth = case({"q": "ab", "p": "ab"}, {"q": ["ab", "c"], "p": ["c"]}, {"q": "c", "p": "cc"})
    other, _ = case({"q": "ab", "p": "b"}, {"q": ["x"]}, name="other")
    encoder = Letters()
    report = score([run, other, run], truth, "SBERT SemanticRelevance", model=encoder, store=store)
    assert sorted(encoder.given) == ["ab", "b", "c", "cc"]
    assert (report.computed, report.reused, report.cancelled) == (4, 0, False)


def test_a_second_time_nothing_is_computed_and_no_model_is_asked(store):
    run, truth = many(100)
    score([run], truth, "SBERT CrossEncoder", model=Letters(), cross_encoder=Asymmetric(), store=store)

    class Never(Letters):
        def encode(self, texts):
            raise AssertionError("asked")

    told = []
    report = score([run], truth, "SBERT CrossEncoder", model=Never(), cross_encoder=Asymmetric(), store=store,
                   progress=told.append)
    assert (report.computed, report.reused) == (0, 200) and told == []
    assert report.models[0].startswith("letters (letters-")


def test_only_what_is_new_is_computed(store):
    run, truth = case({"q": "a", "p": "b"}, {"q": ["c"], "p": ["c"]})
    score([run], truth, model=Letters(), store=store)
    run, truth = case({"q": "a", "p": "bb"}, {"q": ["c"], "p": ["cc"]})
    encoder = Letters()
    report = score([run], truth, model=encoder, store=store)
    assert sorted(encoder.given) == ["bb", "cc"] and (report.computed, report.reused) == (2, 2)


def test_other_weights_compute_again(store):
    run, truth = many(5)
    score([run], truth, model=Letters("one"), store=store)
    assert score([run], truth, model=Letters("two"), store=store).computed == 5
    assert score([run], truth, model=Letters("one", max_length=3), store=store).computed == 5


def test_the_longest_come_first_in_shards_that_hang_on_the_texts_alone(store):
    encoder = Letters()
    run, truth = many(1000)
    score([run], truth, model=encoder, store=store)
    lengths = list(map(len, encoder.given))
    assert lengths == sorted(lengths, reverse=True)
    assert encoder.blocks == list(map(len, shards_of(sorted(encoder.given, key=len, reverse=True))))
    assert encoder.blocks[:3] == [64, 96, 96] and sum(encoder.blocks) == 1000
    short = [f"{i}" for i in range(1500)]
    assert list(map(len, shards_of(short))) == [64, 128, 256, 512, 512, 28]
    assert list(map(len, shards_of(["a" * 5000] * 100))) == [32, 32, 32, 4]
    assert [text for shard in shards_of(short) for text in shard] == short


def test_a_job_that_goes_on_cuts_the_same_batches():
    texts = ["b" * (3000 - i) for i in range(400)]
    first, *_ = shards_of(texts)
    rest = [text for shard in shards_of(texts[len(first):]) for text in shard]
    assert len(first) % BATCH == 0 and [*first, *rest] == texts


@pytest.mark.parametrize("listener", [stopping(FIRST_BLOCK), lambda progress: progress.stage == "loading"])
def test_a_listener_that_says_no_stops_it_and_a_second_start_goes_on(store, listener):
    run, truth = many(300)
    first, second = Letters(), Letters()
    report = score([run], truth, model=first, store=store, progress=listener)
    assert report.cancelled and report.computed == FIRST_BLOCK == len(first.given) and "goes on" in str(report)
    again = score([run], truth, model=second, store=store)
    assert (again.computed, again.reused, again.cancelled) == (300 - FIRST_BLOCK, FIRST_BLOCK, False)
    assert not set(first.given) & set(second.given)


def test_control_c_in_the_model_keeps_the_blocks_before(store):
    class Interrupted(Letters):
        def encode(self, texts):
            if self.blocks:
                raise KeyboardInterrupt
            return super().encode(texts)

    run, truth = many(200)
    assert score([run], truth, model=Interrupted(), store=store).cancelled
    assert score([run], truth, model=Letters(), store=store).reused == FIRST_BLOCK


def test_an_error_of_the_model_is_not_swallowed_and_keeps_the_blocks_before(store):
    class Broken(Letters):
        def encode(self, texts):
            if self.blocks:
                raise RuntimeError("no memory")
            return super().encode(texts)

    run, truth = many(200)
    with pytest.raises(RuntimeError, match="no memory"):
        score([run], truth, model=Broken(), store=store)
    assert score([run], truth, model=Letters(), store=store).reused == FIRST_BLOCK


def test_progress_counts_up_with_a_rate_and_the_time_left(store):
    told = []
    run, truth = many(300)
    score([run], truth, model=Letters(), store=store, progress=told.append)
    assert told[0] == ScoringProgress(kind=ENCODER, model="letters", stage="loading", done=0, total=300)
    assert [one.done for one in told[1:]] == [64, 192, 300] and all(one.rate > 0 for one in told[1:])
    assert told[-1].left == 0 and told[1].left > 0 and told[1].as_dict()["total"] == 300
    assert str(told[0]) == "letters: loading"
    assert (
        str(ScoringProgress(kind=ENCODER, model="m", stage="computing", done=64, total=3000, rate=40.0, left=73.4))
        == "m: 64 of 3,000 texts, 40.0 a second, 1 min 13 s left"
    )


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (3599, "59 min 59 s"),
                                                (3600, "1 h 0 min"), (7500, "2 h 5 min")])
def test_durations_are_words(seconds, words):
    assert duration(seconds) == words


def test_the_estimate_is_by_the_size_first_and_by_the_pace_of_the_last_time_then(store, tmp_path):
    texts = tuple("x" * 376 for _ in range(1000))  # 96 word pieces
    new = ScoringTask(ENCODER, "m", "w", Folder(ENCODER, "m", tmp_path, 90_868_376), None, texts, texts)
    assert new.seconds == pytest.approx(10 + 96_000 / 3_800)
    assert ScoringTask(ENCODER, "m", "w", Letters(), None, texts, texts).seconds is None
    assert ScoringTask(ENCODER, "m", "w", Letters(), None, texts, ()).seconds == 0
    run, truth = many(50)
    score([run], truth, model=Letters(), store=store)
    rate = store.find_model(ENCODER).rate
    assert rate > 0
    run, truth = many(70)
    todo = plan_scoring([run], truth, model=Letters(), store=store)
    assert len(todo.tasks[0].todo) == 20 and todo.tasks[0].seconds == pytest.approx(10 + 20 * 20 / rate, rel=0.2)
    assert "letters: 20 texts to compute, 50 known, about 10 s" in str(todo)


def test_a_plan_computes_nothing(store):
    encoder = Letters()
    run, truth = many(5)
    prepared = plan_scoring([run], truth, model=encoder, store=store)
    assert encoder.given == [] and not store.path.exists() and "5 texts to compute, 0 known" in str(prepared)
    assert run_plan(prepared).computed == 5


def test_the_values_do_not_hang_on_how_the_texts_were_batched(store, tmp_path):
    run, truth = many(300)
    score([run], truth, model=Seeded(), store=store, progress=stopping(64))
    score([run], truth, model=Seeded(), store=store)
    score([run], truth, model=Seeded())
    texts = ["ab" + "c" * i for i in range(300)]
    refs = tuple((texts[i - 1],) for i in range(300))
    one, two = (
        Scored(tuple(texts), refs, (None,) * 300, place).values("SBERT") for place in (store, default_score_cache())
    )
    np.testing.assert_array_equal(one, two)
    vectors = Seeded().encode(texts).astype(float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    exact = (vectors * np.roll(vectors, 1, axis=0)).sum(axis=1)
    np.testing.assert_allclose(one, exact, atol=6e-5)


def test_a_run_without_answers_is_left_out_with_a_word_and_alone_it_is_an_error(store):
    run, truth = many(3)
    mute = Run.build("mute", ["q0"], ["d"])
    report = score([run, mute], truth, model=Letters(), store=store)
    assert report.computed == 3 and "mute" in report.problems[0].actual and report.problems[0].severity == "warning"
    with pytest.raises(InputError) as caught:
        score([mute], truth, model=Letters(), store=store)
    assert caught.value.problems[0].severity == "error"


@pytest.mark.parametrize(("metrics", "says"), [("nDCG@10", "SBERT"), ("", "no metric"), ("SBERD", "SBERT")])
def test_a_metric_without_a_model_is_refused(store, metrics, says):
    with pytest.raises(InputError, match=says):
        score([], None, metrics, model=Letters(), store=store)


def test_models_that_are_missing_are_told_together(store):
    run, truth = many(3)
    with pytest.raises(InputError) as caught:
        score([run], truth, "SBERT CrossEncoder", store=store)
    assert [problem.field for problem in caught.value.problems] == ["--model", "--cross-encoder"]
    assert "RAGDASH_SBERT_MODEL" in caught.value.problems[0].fix


def test_a_report_is_a_dictionary_that_json_takes(store):
    import json

    run, truth = case({"q": "a" * 30}, {"q": ["b"]})
    report = json.loads(json.dumps(score([run], truth, model=Letters(), store=store).as_dict()))
    assert report["computed"] == 2 and report["problems"][0]["kind"] == "cut-texts"
