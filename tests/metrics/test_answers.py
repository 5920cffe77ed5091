"""Answer metrics: worked by hand, against the SQuAD script's rules and rouge-score, on public data with stored values.

The data are looked for where tests/metrics/test_shared_data.py looks for them.
"""

from __future__ import annotations

import json
import os
import random
import re
import string
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ragdash.core.errors import InputError, Unavailable
from ragdash.matching.views.texts import Answered, token_codes
from ragdash.metrics import answers as metrics

DATA = Path(os.environ.get("RAGDASH_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")
on_public_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"SKIPPED: no shared data at {DATA}")

PARIS = ("The capital of France is Paris", "Paris is the capital city of France")
ALL = [(metrics.exact_match, {}), (metrics.exact_match, {"normalization": "unicode"}), (metrics.token_f1, {}),
       (metrics.token_f1, {"tokens": "set"}), (metrics.token_f1, {"normalization": "unicode", "language": "fr"}),
       (metrics.rouge_l, {}), (metrics.rouge_l, {"tokens": "unicode"}),
       (metrics.rouge_l, {"tokens": "rouge", "stem": "porter"}),
       (metrics.cover_exact_match, {}), (metrics.rouge_1, {}), (metrics.rouge_2, {}),
       (metrics.answer_relevance, {}), (metrics.refusal, {})]
every_metric = pytest.mark.parametrize("metric, params", ALL, ids=lambda part: getattr(part, "__name__", str(part)))


def view(*rows) -> Answered:
    """Rows of (answer, reference or references, question)."""
    full = [(*row, None, None)[:3] for row in rows]
    references = tuple((right,) if isinstance(right, str) else tuple(right or ()) for _, right, _ in full)
    return Answered(tuple(row[0] for row in full), references, tuple(row[2] for row in full))


def value(metric, answer, reference=None, question=None, **params) -> float:
    return float(metric(view((answer, reference, question)), **params)[0])


# The rules of the SQuAD v1.1 evaluation script, and of v2.0 for empty answers, written out.

def script_tokens(text: str) -> list[str]:
    bare = "".join(char for char in text.lower() if char not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def script_f1(answer: str, reference: str) -> float:
    ours, right = script_tokens(answer), script_tokens(reference)
    if not ours or not right:
        return float(ours == right)
    same = sum((Counter(ours) & Counter(right)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(ours), same / len(right)
    return 2 * precision * recall / (precision + recall)


def best(function, answer: str, references) -> float:
    return max(function(answer, reference) for reference in references)


def random_rows(seed: int = 5, rows: int = 400) -> list[tuple[str, list[str]]]:
    rng = random.Random(seed)
    pool = ["the", "The", "a", "capital", "capitals", "of", "France,", "Paris", "paris.", "3.5%", "35", "-5", "U.S.",
            "was",
            "running", "ran", "...", "“quote”", "café", "it's", "an", "2019"]

    def text() -> str:
        return " ".join(rng.choices(pool, k=rng.choice([0, 1, 2, 5, 12, 40])))
    return [(text(), [text() for _ in range(rng.randint(1, 3))]) for _ in range(rows)]


@pytest.mark.parametrize("metric, params, expected", [
    (metrics.exact_match, {}, 0.0), (metrics.token_f1, {}, 2 * 5 / (5 + 6)),
    (metrics.token_f1, {"tokens": "set"}, 12 / 13),
    (metrics.rouge_l, {}, 2 * 3 / (5 + 6)), (metrics.rouge_l, {"tokens": "rouge"}, 2 * 4 / (6 + 7)),
    (metrics.rouge_1, {}, 12 / 13), (metrics.rouge_2, {}, 2 * 2 / (5 + 6)),
    (metrics.rouge_l, {"tokens": "unicode"}, 6 / 11),
    (metrics.token_f1, {"normalization": "unicode"}, 10 / 11)])
def test_the_worked_example(metric, params, expected):
    """C: printed 0.923 is the form of sets; SQuAD's is 0.909, ROUGE-L 0.545 without and 0.615 with articles."""
    assert value(metric, *PARIS, **params) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric, answer, reference, params, expected", [
    (metrics.exact_match, "the Paris!", "paris", {}, 1), (metrics.exact_match, "3.5%", "35", {}, 1),
    (metrics.exact_match, "3.5%", "35", {"normalization": "unicode"}, 0),
    (metrics.exact_match, "Paris, France", "Paris", {}, 0),
    (metrics.exact_match, "４,２１３", "4213", {"normalization": "unicode"}, 1),
    (metrics.exact_match, "x", ["a", "X."], {}, 1),
    (metrics.exact_match, "L'eau", "eau", {"normalization": "unicode", "language": "fr"}, 1),
    (metrics.token_f1, "a b b", "b b b c", {}, 2 * 2 / (2 + 4)),
    (metrics.token_f1, "b b", "b c", {"tokens": "set"}, 2 / 3),
    (metrics.token_f1, "x y", ["z", "x", "x y z"], {}, 0.8), (metrics.token_f1, "東京都", "京都", {}, 0.0),
    (metrics.token_f1, "東京都", "京都", {"normalization": "unicode"}, 0.8),
    (metrics.rouge_l, "a b c d", "b d c", {}, 4 / 6),
    (metrics.rouge_1, "running fast", "runs fast", {}, 0.5),
    (metrics.rouge_1, "running fast", "runs fast", {"stem": "porter"}, 1),
    (metrics.rouge_2, "x y z", "y z x", {}, 0.5), (metrics.rouge_2, "x", "x", {}, 0.0),
    (metrics.rouge_2, "p q", "q p", {}, 0.0),
    (metrics.rouge_l, "東京都", "京都", {"tokens": "unicode"}, 0.8)])
def test_worked_by_hand(metric, answer, reference, params, expected):
    assert value(metric, answer, reference, **params) == pytest.approx(expected, abs=1e-12)


def test_em_and_f1_are_the_squad_scripts():
    rows = random_rows()
    found = metrics.exact_match(view(*rows)), metrics.token_f1(view(*rows))
    assert found[0].tolist() == [best(lambda a, r: float(script_tokens(a) == script_tokens(r)), *row) for row in rows]
    assert found[1] == pytest.approx([best(script_f1, *row) for row in rows], abs=1e-12)
    assert 10 < found[0].sum() < len(rows) / 2


@pytest.mark.parametrize("name, metric", [("rougeL", metrics.rouge_l), ("rouge1", metrics.rouge_1),
                                          ("rouge2", metrics.rouge_2)])
@pytest.mark.parametrize("stem", ["no", "porter"])
def test_rouge_is_rouge_scores(name, metric, stem):
    rows = random_rows(7)
    from rouge_score.rouge_scorer import RougeScorer  # with NLTK, which takes long to import

    scorer = RougeScorer([name], use_stemmer=stem == "porter")
    expected = [scorer.score_multi(references, answer)[name].fmeasure for answer, references in rows]
    found = metric(view(*rows), tokens="rouge", stem=stem)
    says = [any(re.search("[^\\W_]", reference) for reference in references) for _, references in rows]
    assert found == pytest.approx(expected, abs=1e-12) and sum(says) > 300


def test_values_do_not_hang_on_the_blocks_of_pairs(monkeypatch):
    rows = random_rows(9, 50)
    whole = metrics.token_f1(view(*rows)), metrics.rouge_2(view(*rows))
    monkeypatch.setattr(metrics, "_BLOCK", 3)
    assert metrics.token_f1(view(*rows)).tolist() == whole[0].tolist()
    assert metrics.rouge_2(view(*rows)).tolist() == whole[1].tolist()


@pytest.mark.parametrize("answer, question, expected", [
    ("Paris is the capital of France", "What is the capital of France?", 2 * 4 / (5 + 5)), ("Paris", "Capital?", 0.0),
    ("", "Capital?", 0.0), ("Paris", None, np.nan), ("Paris", "???", np.nan), (None, "Capital?", np.nan)])
def test_answer_relevance_is_the_overlap_with_the_question(answer, question, expected):
    assert value(metrics.answer_relevance, answer, "no matter", question) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("answer, expected", [("I don't know.", 1), ("Paris", 0), ("", np.nan), (" ... ", np.nan),
                                              (None, np.nan)])
def test_refusal_needs_an_answer(answer, expected):
    assert value(metrics.refusal, answer) == pytest.approx(expected, nan_ok=True)


@every_metric
def test_no_answer_is_undefined(metric, params):
    assert np.isnan(value(metric, None, "Paris", "Capital?", **params))


@every_metric
def test_no_reference_is_undefined(metric, params):
    expected = {"refusal": 0.0, "answer_relevance": 0.0}.get(metric.__name__, np.nan)
    assert value(metric, "Paris", (), "Capital?", **params) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("answer, reference", [("", ""), ("...", ""), ("", "?!"), ("the", "a")])
def test_two_texts_without_a_token(answer, reference):
    """SQuAD 2.0: an empty answer is right where there is none to give; sets and ROUGE call it 0."""
    assert value(metrics.exact_match, answer, reference) == value(metrics.token_f1, answer, reference) == 1
    for metric in (metrics.rouge_l, metrics.rouge_1, metrics.rouge_2):
        assert value(metric, answer, reference) == 0
    assert value(metrics.token_f1, answer, reference, tokens="set") == 0


@pytest.mark.parametrize("answer, reference", [("", "Paris"), ("?", "Paris"), ("Paris", ""), ("Paris", "...")])
def test_one_text_without_a_token_is_wrong(answer, reference):
    for metric, params in ALL[:-2]:
        assert value(metric, answer, reference, **params) == 0


def test_rouge_tokens_that_read_nothing_of_a_script_are_undefined():
    for metric in (metrics.rouge_l, metrics.rouge_1, metrics.rouge_2):
        assert np.isnan(value(metric, "東京です", "東京", tokens="rouge"))
        assert value(metric, "東京です", ["東京", "Tokyo city"], tokens="rouge") == 0
    assert value(metrics.rouge_l, "Tokyo 東京", "Tokyo (東京)", tokens="rouge") == 1


@every_metric
def test_where_no_query_has_a_reference_only_what_needs_one_is_unavailable(metric, params):
    lacking = {"references": ("no-references", {"truth": "t"}, "answers")}
    answered = Answered(("Paris", "I don't know."), ((), ()), ("Paris?", "x"), lacking)
    if metric.__name__ in ("refusal", "answer_relevance"):
        assert metric(answered, **params).tolist() == {"refusal": [0, 1], "answer_relevance": [1, 0]}[metric.__name__]
        return
    with pytest.raises(Unavailable, match="without right answers"):
        metric(answered, **params)


def test_without_a_question_answer_relevance_alone_is_unavailable():
    lacking = {"questions": ("no-questions", {"truth": "t", "run": "r"}, "query")}
    answered = Answered(("Paris",), (("Paris",),), (None,), lacking)
    with pytest.raises(Unavailable, match="without the text of a query"):
        metrics.answer_relevance(answered)
    assert metrics.exact_match(answered) == metrics.rouge_l(answered) == 1


@every_metric
def test_a_megabyte_and_mixed_scripts(metric, params):
    long = "The answer 答え الجواب is 4,213.\x00 " * 35_000
    found = metric(view((long, (long, "short"), "Which answer?"), ("x", long, long)), **params)
    assert found[0] == {"answer_relevance": found[0], "refusal": 0.0}.get(metric.__name__, 1.0)
    assert not np.isnan(found[1])


@every_metric
def test_no_queries(metric, params):
    assert metric(Answered((), (), ()), **params).shape == (0,)


@every_metric
def test_queries_do_not_meddle_with_each_other(metric, params):
    rows = [(answer, references, references[-1] + " " + answer) for answer, references in random_rows(11, 60)]
    rows[::7] = [(None, references, question) for _, references, question in rows[::7]]
    whole = metric(view(*rows), **params)
    alone = [value(metric, *row, **params) for row in rows]
    assert whole == pytest.approx(alone, abs=1e-12, nan_ok=True)
    defined = whole[~np.isnan(whole)]
    assert len(defined) > 30 and defined.min() >= 0 and defined.max() <= 1


def test_one_reference_given_as_text_is_one_reference():
    assert metrics.token_f1(Answered(("Paris",), ("Paris",), (None,)))[0] == 1


@pytest.mark.parametrize("metric, params", [
    (metrics.exact_match, {"language": "fr"}), (metrics.token_f1, {"tokens": "set", "normalization": "unicode"}),
    (metrics.answer_relevance, {"language": "de"})])
def test_parameters_that_do_not_fit_together(metric, params):
    with pytest.raises(InputError) as caught:
        value(metric, "a", "b", "c", **params)
    assert [problem.kind for problem in caught.value.problems] == ["metric-parameter"]


def test_each_distinct_text_is_tokenised_once(monkeypatch):
    read = Counter()

    def counting(text, *args, **kwargs):
        read[text] += 1
        return text.split()
    monkeypatch.setattr("ragdash.matching.views.texts.tokens", counting)
    answered = view(*[("same answer", ["one", "two"], "same answer")] * 5)
    metrics.token_f1(answered), metrics.rouge_l(answered), metrics.answer_relevance(answered)
    assert read == {"same answer": 1, "one": 1, "two": 1}


def test_pairs_of_tokens_stay_within_their_text():
    grams = token_codes(["p q r", "", "s", "q r"], str.split).grams(2)
    assert grams.lengths.tolist() == [2, 0, 0, 1]
    assert grams.codes[1] == grams.codes[2] != grams.codes[0]


# Public data with values of the SQuAD rules and of rouge-score 0.1.2, rounded to eight places.

def mtrag():
    lines = [json.loads(line) for line in (DATA / "s06_mtrag_sample" / "responses-10.jsonl").read_text().splitlines()]
    return {row["task_id"]: (row["predictions"][0]["text"], row["targets"][0]["text"]) for row in lines}


def ragchecker():
    rows = json.loads((DATA / "s07_ragchecker_examples" / "checking_inputs.json").read_text())["results"]
    return {row["query_id"]: (row["response"], row["gt_answer"]) for row in rows}


def tatqa():
    """Lists joined, the scale (million ...) behind them."""
    def joined(answer, scale) -> str:
        parts = answer if isinstance(answer, list) else [answer]
        return " ".join([*map(str, parts), *([scale] if scale else [])])
    given = json.loads((DATA / "s08_tatqa" / "sample_prediction.json").read_text())
    questions = [question for table in json.loads((DATA / "s08_tatqa" / "tatqa_dataset_dev.json").read_text())
                 for question in table["questions"]]
    return {q["uid"]: (joined(*given[q["uid"]]), joined(q["answer"], q["scale"])) for q in questions}


@pytest.mark.parametrize("answer, reference, expected", [
    ("It was Eugene Cernan, the last man on the Moon.", "Eugene Cernan", 1),
    ("It was Cernan Eugene.", "Eugene Cernan", 0),
    ("a party", "art", 0), ("Nothing is known.", "no", 0), ("No, it is not.", "No.", 1), ("It is so, yes", "yes", 0),
    ("in 1969", "1969", 1), ("in 19690", "1969", 0), ("The answer is the Moon", "moon", 1), ("", "", 1),
    ("Paris", "", 0),
    ("", "Paris", 0), ("not Paris", "Paris", 1), (None, "Paris", np.nan), ("b a b a c", "b a c", 1),
    ("I don't know.", "The documents do not say.", 1), ("I don't know.", "", 1), ("I don't know.", "Paris", 0),
    ("Paris", "The documents do not say.", 0), ("", "I don't know.", 0),
    ("Paris", ["Rome", "paris"], 1), ("Paris", None, np.nan)])
def test_an_answer_holds_a_reference(answer, reference, expected):
    np.testing.assert_array_equal(metrics.cover_exact_match(view((answer, reference), ("x", "y"))), [expected, 0])


def test_an_answer_holds_what_the_rule_written_out_finds():
    rng = random.Random(3)
    words = ["a", "b", "c", "d", "ab", "no", "1,", "x"]
    rows = [(" ".join(rng.choices(words, k=rng.randrange(9))), " ".join(rng.choices(words, k=rng.randrange(1, 4))))
            for _ in range(2_000)]
    found = metrics.cover_exact_match(view(*rows))

    def written_out(answer: str, reference: str) -> bool:
        ours, right = script_tokens(answer), script_tokens(reference)
        if reference == "no":
            return ours[:1] == right
        if not right:
            return not ours
        return any(ours[at:at + len(right)] == right for at in range(len(ours)))

    assert found.tolist() == [float(written_out(*row)) for row in rows]
    assert (found >= metrics.exact_match(view(*rows))).all() and 0 < found.mean() < 1


@on_public_data
@pytest.mark.parametrize("folder, read", [("s06_mtrag_sample", mtrag), ("s07_ragchecker_examples", ragchecker),
                                          ("s08_tatqa", tatqa)])
def test_stored_values_of_public_data(folder, read):
    stored = json.loads((DATA / folder / "reference_generation.json").read_text())["values"]
    stored = stored.get("plain_text_join", stored)
    rows = read()
    assert rows.keys() == stored["per_item"].keys()
    answered = view(*rows.values())
    found = {"squad_em": metrics.exact_match(answered), "squad_f1": metrics.token_f1(answered),
             "set_f1": metrics.token_f1(answered, tokens="set"), "rougeL_f1": metrics.rouge_l(answered, tokens="rouge"),
             "rougeL_f1_stem": metrics.rouge_l(answered, tokens="rouge", stem="porter"),
             "rouge1_f1": metrics.rouge_1(answered)}
    for name, values in found.items():
        expected = [item[name] for item in stored["per_item"].values()]
        assert values == pytest.approx(expected, abs=5.1e-9), name
        assert values.mean() == pytest.approx(stored["mean"][name], abs=1e-12), name


@on_public_data
@pytest.mark.parametrize("pair", [("gold1.jsonl", "guess1_1.jsonl"), ("gold1.jsonl", "gold1.jsonl"),
                                  ("gold3.jsonl", "guess3_1.jsonl")])
def test_stored_values_of_kilt(pair):
    """EM and F1 of all; ROUGE-L where its package (another, of sentences) sees one sentence."""
    folder = DATA / "s10_small_oracles" / "kilt"
    gold, guess = ([[output["answer"] for output in json.loads(line)["output"]]
                    for line in (folder / name).read_text().splitlines()] for name in pair)
    stored = next(row for row in json.loads((folder / "expected_values.json").read_text())["downstream"]
                  if (row["gold"], row["guess"]) == pair)
    answered = view(*[(texts[0], right) for texts, right in zip(guess, gold, strict=True)])
    assert metrics.exact_match(answered).mean() == pytest.approx(stored["em"], abs=1e-12)
    assert metrics.token_f1(answered).mean() == pytest.approx(stored["f1"], abs=1e-12)
    if pair[0] == "gold1.jsonl":
        assert metrics.rouge_l(answered, tokens="rouge").mean() == pytest.approx(stored["rougel"], abs=1e-8)


@on_public_data
def test_public_data_through_rouge_score_itself():
    rows = list(mtrag().values()) + list(ragchecker().values()) + list(tatqa().values())[::17]
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    theirs = [scorer.score(reference, answer) for answer, reference in rows]
    for name, metric in (("rouge1", metrics.rouge_1), ("rouge2", metrics.rouge_2), ("rougeL", metrics.rouge_l)):
        found = metric(view(*rows), tokens="rouge", stem="porter")
        assert found == pytest.approx([score[name].fmeasure for score in theirs], abs=1e-12)
