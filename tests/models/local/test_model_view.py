"""The semantic metrics over the view Scored: values worked by hand, what is undefined, what is unavailable and why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fakes import Asymmetric, Letters, case

from ragdash.core.errors import Unavailable
from ragdash.evaluation.scoring.run_local_models import score
from ragdash.matching.views.local_models import NEEDS, Scored, needed_inputs
from ragdash.metrics import METRICS, parse_spec
from ragdash.models.local import ENCODER, SCORER, ScoreCache

ROOT = Path(__file__).parents[3]


def view(answers, references, questions, store) -> Scored:
    return Scored(tuple(answers), tuple(map(tuple, references)), tuple(questions), store)


def values(name, scored, **params) -> list[float]:
    return METRICS[name].function(scored, **params).tolist()


def scored_by(store, answers, references, questions=None, metrics="SBERT SemanticRelevance CrossEncoder", **models):
    """The view after the fakes have spoken."""
    ids = [f"q{i}" for i in range(len(answers))]
    questions = questions or ["a"] * len(answers)
    run, truth = case(dict(zip(ids, answers, strict=True)), dict(zip(ids, references, strict=True)),
                      dict(zip(ids, questions, strict=True)))
    models = {"model": Letters(), "cross_encoder": Asymmetric(), **models}
    score([run], truth, metrics, store=store, **models)
    return view(answers, references, questions, store)


def test_the_cosine_of_letters_by_hand_and_the_best_of_several_references(store):
    scored = scored_by(store, ["aab", "ccc", "aab"], [["ab"], ["aaa", "cb", "c"], ["c"]], ["b", "b", "aab"])
    # counts (2, 1, 0) and (1, 1, 0): 3 / sqrt(5 * 2)
    assert values("SBERT", scored) == pytest.approx([3 / 10**0.5, 1.0, 0.0], abs=1e-3)
    assert values("SemanticRelevance", scored) == pytest.approx([1 / 5**0.5, 0.0, 1.0], abs=1e-3)


def test_the_cross_encoder_gets_reference_and_answer_in_this_order(store):
    fake = Asymmetric()
    scored = scored_by(store, ["abc"], [["ab", "bc"]], cross_encoder=fake)
    assert set(fake.given) == {("ab", "abc"), ("bc", "abc")}
    assert values("CrossEncoder", scored) == [1 / 3]
    turned = view(["ab"], [["abc"]], ["a"], store)
    with pytest.raises(Unavailable):  # the other way round is another pair
        values("CrossEncoder", turned)


def test_opposite_vectors_have_minus_one(store):
    class Signed(Letters):
        def encode(self, texts):
            return np.array([[1.0 if text == "yes" else -1.0, 0.0] for text in texts], np.float32)

    assert values("SBERT", scored_by(store, ["yes"], [["no"]], model=Signed())) == [-1.0]


@pytest.mark.parametrize(("answer", "references"), [
    (None, ["a"]), ("", ["a"]), (" \n\t\u00a0", ["a"]), ("a", []), ("a", [""]), ("a", ["", "  "]),
])
@pytest.mark.parametrize("name", ["SBERT", "CrossEncoder"])
def test_without_a_text_on_one_side_it_is_undefined_and_no_model_is_asked(store, name, answer, references):
    encoder, scorer = Letters(), Asymmetric()
    scored = scored_by(store, ["a", answer], [["a"], references], metrics=name, model=encoder, cross_encoder=scorer)
    found = values(name, scored)
    assert np.isnan(found[1]) and found[0] > 0
    assert encoder.given in (["a"], []) and scorer.given in ([("a", "a")], [])


def test_an_empty_reference_beside_a_full_one_is_passed_over(store):
    assert values("SBERT", scored_by(store, ["a"], [["", "a"]])) == [1.0]


def test_a_question_that_is_not_known_leaves_relevance_undefined(store):
    scored = scored_by(store, ["a", "a"], [["a"], ["a"]], ["ab", ""])
    scored = view(scored.answers, scored.references, ["ab", None], store)
    assert values("SemanticRelevance", scored) == pytest.approx([0.5**0.5, np.nan], abs=1e-3, nan_ok=True)


def test_a_vector_without_direction_is_undefined_and_not_0(store):
    scored = scored_by(store, ["xyz", "a"], [["a"], ["xyz", "a"]])
    assert values("SBERT", scored) == pytest.approx([np.nan, 1.0], nan_ok=True)


def test_only_punctuation_and_mixed_scripts_are_texts_like_others(store):
    texts = ["?!...", "東京 ab", "عَرَبِيّ a", "🦉c"]
    scored = scored_by(store, texts, [[text] for text in texts])
    assert values("SBERT", scored)[1:] == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)
    assert np.isnan(values("SBERT", scored)[0])  # the fake knows no letter of it


def test_a_query_of_which_one_reference_was_not_computed_is_undefined(store):
    scored_by(store, ["a", "b"], [["a"], ["b"]])
    more = view(["a", "b"], [["a", "aab"], ["b"]], ["a", "a"], store)
    reading = more.read("SBERT")
    assert np.isnan(reading.values[0]) and reading.values[1] == pytest.approx(1.0)
    assert (reading.computed, reading.total) == (1, 2)
    (problem,) = more.problems("SBERT")
    assert problem.kind == "computed-in-part" and "1 of 2" in problem.actual and "ragdash score" in problem.fix
    assert problem.severity == "warning"


def test_texts_that_were_cut_are_counted_once_for_each_query(store):
    long = "a" * 30
    scored = scored_by(store, [long, "b", "c", long], [["a", long], ["b"], [long], ["a"]])
    assert scored.read("SBERT").cut == 3
    (problem,) = scored.problems("SBERT")
    assert problem.kind == "cut-texts" and "20 word pieces" in problem.actual
    assert problem.actual.startswith("3 of 4 answers of run ")
    assert scored.problems("CrossEncoder") == []


@pytest.mark.parametrize("name", NEEDS)
def test_what_was_never_computed_is_unavailable_with_the_command_that_fixes_it(store, name, monkeypatch):
    scored = view(["a"], [["a"]], ["a"], store)
    for installed in (True, False):
        monkeypatch.setattr("ragdash.models.local.installed.find_spec", lambda _, here=installed: here or None)
        with pytest.raises(Unavailable) as caught:
            values(name, scored)
        problem = caught.value.problem
        assert "not computed yet" in problem.actual and ("not installed" in problem.actual) is not installed
        assert f'python -m ragdash score RUN --truth TRUTH --metrics "{name}"' in problem.fix
        assert ("--cross-encoder" in problem.fix) == (name == "CrossEncoder")
        assert ("pip install" in problem.fix) is not installed
        assert scored.problems(name) == [] and scored.settings([(name, "")]) == {}


def test_what_was_computed_is_there_without_the_library(store, monkeypatch):
    scored = scored_by(store, ["a"], [["a"]])
    monkeypatch.setattr("ragdash.models.local.installed.find_spec", lambda _: None)
    assert values("SBERT", scored) == [1.0]


def test_another_model_is_asked_for_by_its_name_and_stands_in_the_settings(store):
    class First(Letters):
        def encode(self, texts):
            return np.ones((len(texts), 2), np.float32)

    one, two = First("11111111aa"), Letters("22222222bb")
    one.name, two.name = "one", "two"
    scored_by(store, ["a"], [["b"]], model=one)
    scored = scored_by(store, ["a"], [["b"]], model=two)
    assert values("SBERT", scored) == [0.0] == values("SBERT", scored, model="two")
    assert values("SBERT", scored, model="one") == [pytest.approx(1.0)] == values("SBERT", scored, model="111111")
    assert scored.settings([("SBERT", ""), ("SBERT", "one"), ("CrossEncoder", "")]) == {
        "SBERT": "two (22222222, 20 word pieces)", "SBERT(model='one')": "one (11111111, 20 word pieces)",
        "CrossEncoder": "asymmetric (asymmetr, all word pieces, sigmoid)"}
    with pytest.raises(Unavailable, match="with three"):
        values("SBERT", scored, model="three")
    assert parse_spec("sbert(model='one')") == METRICS["SBERT"].spec(model="one")


def test_a_damaged_cache_makes_the_metric_unavailable(store):
    store.path.parent.mkdir()
    store.path.write_bytes(b"no database" * 1000)
    scored = view(["a"], [["a"]], ["a"], store)
    with pytest.raises(Unavailable, match="RAGDASH_CACHE"):
        values("SBERT", scored)
    assert scored.problems("SBERT") == [] and scored.settings([("SBERT", "")]) == {}


def test_nothing_to_hold_against_gives_no_value_and_no_complaint(store):
    scored_by(store, ["a"], [["a"]])
    empty = view(["", None], [[], []], [None, None], store)
    assert np.isnan([values(name, empty) for name in NEEDS]).all()
    assert values("SBERT", view([], [], [], store)) == []


def test_each_text_is_wanted_once(store):
    first = view(["a", "b"], [["x", "a"], ["x"]], ["q", "x"], store)
    second = view(["a", "c"], [["x", "a"], ["x"]], ["q", "x"], store)
    texts, pairs = needed_inputs([first, second], ["SBERT", "SemanticRelevance", "CrossEncoder"])
    assert sorted(texts) == ["a", "b", "c", "q", "x"]
    assert sorted(pairs) == [("a", "a"), ("x", "a"), ("x", "b"), ("x", "c")]
    assert needed_inputs([first], ["CrossEncoder"])[0] == [] and needed_inputs([first], ["SBERT"])[1] == []


def test_models_of_a_kind_do_not_mix(store):
    scored_by(store, ["a"], [["a"]], metrics="SBERT")
    assert [model.kind for model in store.models(ENCODER)] == [ENCODER] and store.models(SCORER) == []


def test_reading_values_imports_no_model_library():
    code = (
        "import sys, pathlib; import ragdash.matching.views.local_models as v; "
        "import ragdash.evaluation.scoring, ragdash.evaluation.scoring.score_worker; "
        "from ragdash.models.local import ScoreCache, availability; availability('encoder', '.'); "
        "s = v.Scored(('a',), (('a',),), ('a',), ScoreCache(pathlib.Path('nowhere'))); s.problems('SBERT'); "
        "print(sorted({'torch', 'sentence_transformers', 'transformers', 'huggingface_hub'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_store_is_a_value():
    assert ScoreCache(Path("x")) == ScoreCache(Path("x"))
