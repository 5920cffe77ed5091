"""Grounding: worked by hand, against sets counted plainly, the marked words, every case that has no value."""

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

from ragdash.analysis.unsupported_words import sentence_support, unsupported, unsupported_numbers
from ragdash.core.text import STOP_WORDS
from ragdash.matching.views.texts import Grounded
from ragdash.metrics import grounding as metrics

DATA = Path(os.environ.get("RAGDASH_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")
ALL = [(metrics.support_coverage, {}), (metrics.support_density, {}), (metrics.hallucination_rate, {}),
       (metrics.unsupported_numbers, {}), (metrics.support_coverage, {"normalization": "unicode"}),
       (metrics.support_density, {"normalization": "unicode"}),
       (metrics.hallucination_rate, {"normalization": "unicode"})]
every_metric = pytest.mark.parametrize("metric, params", ALL, ids=lambda part: getattr(part, "__name__", str(part)))

ANSWER = "The Nile is 6,650 km long and, at 6,650 km, the longest river of Asia [1]."
CONTEXTS = ("The Nile (about 6650 km) is a river.", "Long rivers of Africa; the longest river.")


def value(metric, answer, contexts, **params) -> float:
    return float(metric(Grounded((answer,), (contexts,)), **params)[0])


def test_worked_by_hand():
    """Tokens: Nile is 6650 km long and at 6650 km longest river of Asia 1; and, at, Asia and 1 are in no context.

    Content: Nile 6650 km long longest river Asia 1, of which Asia and 1 are missing.
    """
    assert value(metrics.support_density, ANSWER, CONTEXTS) == pytest.approx(10 / 14)
    assert value(metrics.hallucination_rate, ANSWER, CONTEXTS) == pytest.approx(4 / 14)
    assert value(metrics.support_coverage, ANSWER, CONTEXTS) == pytest.approx(6 / 8)
    assert value(metrics.unsupported_numbers, ANSWER, CONTEXTS) == 0
    assert [ANSWER[start:stop] for start, stop in unsupported(ANSWER, CONTEXTS)] == ["and", "at", "Asia", "1"]


@pytest.mark.parametrize("answer, contexts, expected", [
    ("It was 4,213 in 2019", ["4213 (2018)"], 0.5), ("3.50 and 3,5", ["3.5"], 0.0), ("5 5 7", ["7"], 2 / 3),
    ("-5", ["5"], 0.0), ("35%", ["3.5%"], 1.0), ("1. One\n2. Two in 1999", ["1999"], 0.0), ("7", [], 1.0),
    ("7", ["seven"], 1.0),
    ("none", ["7"], np.nan), ("Q3", ["7"], np.nan)])
def test_numbers_that_no_context_contains(answer, contexts, expected):
    assert value(metrics.unsupported_numbers, answer, tuple(contexts)) == pytest.approx(expected, nan_ok=True)


def test_the_places_of_unsupported_numbers():
    answer = "In 2019 it was 4,213, not 4,312."
    assert [answer[a:b] for a, b in unsupported_numbers(answer, "4213 in 2019")] == ["4,312"]


@every_metric
@pytest.mark.parametrize("answer, contexts", [(None, ("a",)), ("x 1", None), ("", ("a",)), ("...", ("a",)),
                                              (None, None)])
def test_undefined_without_answer_or_contexts(metric, params, answer, contexts):
    assert np.isnan(value(metric, answer, contexts, **params))


@pytest.mark.parametrize("contexts", [(), ("",), ("", "...")])
def test_contexts_that_hold_nothing_support_nothing(contexts):
    assert value(metrics.support_coverage, "Paris 7", contexts) == value(metrics.support_density, "Paris 7",
                                                                         contexts) == 0
    assert value(metrics.hallucination_rate, "Paris 7", contexts) == 1
    assert value(metrics.unsupported_numbers, "Paris 7", contexts) == 1
    assert unsupported("Paris 7", contexts) == [(0, 5), (6, 7)]


def test_an_answer_of_stop_words_has_no_coverage_but_a_density():
    assert np.isnan(value(metrics.support_coverage, "It was not.", ("it was",)))
    assert value(metrics.support_density, "It was not.", ("it was",)) == pytest.approx(2 / 3)


def test_contexts_as_one_text_are_one_context():
    assert value(metrics.support_density, "Paris France", "Paris") == 0.5
    assert unsupported("Paris France", "Paris") == [(6, 12)]


def test_a_chinese_sentence_is_one_token_to_squad_and_letters_to_unicode():
    answer, context = "東京は日本の首都。", ("日本の首都は東京都。",)
    assert value(metrics.support_density, answer, context) == 0
    assert value(metrics.support_density, answer, context, normalization="unicode") == 1
    assert [answer[a:b] for a, b in unsupported(answer, ["日本の首都"], "unicode")] == ["東", "京", "は"]


def test_neither_order_nor_negation_is_seen():
    """What docs/guide/answers.md warns of."""
    context = ("Rome defeated Carthage; the treaty was not broken.",)
    assert value(metrics.support_density, "Carthage defeated Rome", context) == 1
    assert value(metrics.support_coverage, "The treaty was broken", context) == 1
    assert value(metrics.support_coverage, "Rome beat Carthage", context) == pytest.approx(2 / 3)


def plain_tokens(text: str) -> list[str]:
    bare = "".join(char for char in text.lower() if char not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def random_view(seed: int = 3, rows: int = 200) -> Grounded:
    rng = random.Random(seed)
    pool = ["The", "river", "Nile,", "is", "not", "long", "6,650", "km", "Asia.", "don't", "don’t", "of", "“Cairo”",
            "U.S.", "...",
            "Café", "an"]
    chunks = [" ".join(rng.choices(pool, k=rng.randint(0, 9))) for _ in range(30)]
    answers = tuple(rng.choice([None, "", " ".join(rng.choices(pool, k=rng.randint(1, 12)))]) if rng.random() < 0.3
                    else " ".join(rng.choices(pool, k=rng.randint(1, 12))) for _ in range(rows))
    return Grounded(answers, tuple(None if rng.random() < 0.1 else tuple(rng.choices(chunks, k=rng.randint(0, 4)))
                                   for _ in range(rows)))


def test_values_are_those_of_plain_counting():
    grounded = random_view()
    stops = {plain for word in STOP_WORDS for form in (word, word.replace("'", "’")) for plain in plain_tokens(form)}
    coverage, density = [], []
    for answer, contexts in zip(grounded.answers, grounded.contexts, strict=True):
        found = plain_tokens(answer) if answer is not None and contexts is not None else []
        held = {token for context in contexts or () for token in plain_tokens(context)}
        content = set(found) - stops
        coverage.append(len(content & held) / len(content) if content else np.nan)
        density.append(sum(token in held for token in found) / len(found) if found else np.nan)
    assert metrics.support_coverage(grounded) == pytest.approx(coverage, abs=1e-12, nan_ok=True)
    assert metrics.support_density(grounded) == pytest.approx(density, abs=1e-12, nan_ok=True)
    assert metrics.hallucination_rate(grounded) == pytest.approx(1 - np.array(density), abs=1e-12, nan_ok=True)
    assert 0 < np.isnan(density).sum() < np.isnan(coverage).sum() < len(density) / 2


@pytest.mark.parametrize("how", ["squad", "unicode"])
def test_marked_words_and_sentences_agree_with_the_metrics(how):
    """Where each written word is one token the marked ones are the rate; sentences add up to the answer."""
    grounded = random_view(4, 60)
    rate = metrics.hallucination_rate(grounded, normalization=how)
    checked = 0
    for answer, contexts, expected in zip(grounded.answers, grounded.contexts, rate, strict=True):
        if np.isnan(expected):
            continue
        table = sentence_support(answer, contexts, how)
        total = sum(table["tokens"].to_pylist())
        missing = sum(table["unsupported"].to_pylist())
        assert missing / total == pytest.approx(expected)
        assert len(unsupported(answer, contexts, how)) == missing or how == "unicode" or "“" in answer
        checked += 1
    assert checked > 30


def test_a_row_per_sentence():
    answer = "The Nile is in Africa. It has 9 mouths. So it is!"
    table = sentence_support(answer, ["The Nile is in Africa, it is."]).to_pylist()
    assert [answer[row["start"]:row["stop"]] for row in table] == ["The Nile is in Africa.", "It has 9 mouths.",
                                                                   "So it is!"]
    assert [row["coverage"] for row in table] == [1.0, 0.0, None]
    assert [row["density"] for row in table] == pytest.approx([1.0, 0.25, 2 / 3])
    assert [row["hallucination"] for row in table] == pytest.approx([0.0, 0.75, 1 / 3])
    assert [row["unsupported_numbers"] for row in table] == [None, 1.0, None]
    assert sentence_support("", ["a"]).num_rows == 0


@every_metric
def test_the_weight_makes_the_mean_of_all_words(metric, params):
    """Micro: parts summed over wholes summed; the weight is the whole, 0 only where the value is undefined."""
    from ragdash.metrics import METRICS

    entry = next(entry for entry in METRICS.values() if entry.function is metric)
    grounded = random_view(8, 80)
    values, weight = metric(grounded, **params), entry.weight(grounded, **params)
    assert weight.shape == values.shape
    assert (weight == 0).tolist() == np.isnan(values).tolist()
    parts = (values * weight)[weight > 0]
    assert parts == pytest.approx(np.round(parts), abs=1e-9)


def test_each_distinct_text_is_read_once(monkeypatch):
    read = Counter()

    def counting(text, how):
        read[text] += 1
        return text.split()
    monkeypatch.setattr("ragdash.matching.views.texts.tokens", counting)
    grounded = Grounded(("x y", "x y", "z"), (("one", "two"), ("two", "two"), ("one",)))
    for metric in (metrics.support_coverage, metrics.support_density, metrics.hallucination_rate):
        metric(grounded)
    assert read == {"x y": 1, "z": 1, "one": 1, "two": 1}


@every_metric
def test_a_megabyte_and_no_queries(metric, params):
    long = "The answer 答え الجواب is 4,213.\x00 " * 35_000
    assert value(metric, long, (long,), **params) in (0.0, 1.0)
    assert metric(Grounded((), ()), **params).shape == (0,)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"SKIPPED: no shared data at {DATA}")
def test_public_answers_with_their_contexts():
    """MTRAG: the first answer declines, so it states nothing; all others are counted plainly."""
    lines = (DATA / "s06_mtrag_sample" / "responses-10.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    grounded = Grounded(tuple(row["predictions"][0]["text"] for row in rows),
                        tuple(tuple(context["text"] for context in row["contexts"]) for row in rows))
    density = metrics.support_density(grounded)
    expected = []
    for answer, contexts in zip(grounded.answers, grounded.contexts, strict=True):
        held = {token for context in contexts for token in plain_tokens(context)}
        found = plain_tokens(answer)
        expected.append(sum(token in held for token in found) / len(found))
    assert np.isnan(density[0]) and density[1:] == pytest.approx(expected[1:], abs=1e-12)
    assert density[1:].min() > 0.3


@every_metric
def test_a_refusal_states_nothing(metric, params):
    contexts = ("The passages mention 7 lakes.",)
    assert np.isnan(value(metric, "The passages do not mention the 7 lakes.", contexts, **params))
    assert not np.isnan(value(metric, "There are 7 lakes.", contexts, **params))
