"""Answers that decline, and answers that only look so: 445 texts in twelve languages, and how fast they are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from speed import quick

from ragdash.core.text import is_refusal

LINES = (Path(__file__).parent / "refusal_texts" / "texts.tsv").read_text(encoding="utf-8").splitlines()
TEXTS = [(label == "1", language, text) for label, language, text in (line.split("\t") for line in LINES)]


def test_texts_that_decline_are_recognized_with_few_false_alarms():
    alarms = [is_refusal(text) for _, _, text in TEXTS]
    right = sum(alarm and declines for alarm, (declines, _, _) in zip(alarms, TEXTS, strict=True))
    assert right / sum(alarms) >= 0.95 and right / sum(declines for declines, _, _ in TEXTS) >= 0.95


@pytest.mark.parametrize("language", sorted({language for _, language, _ in TEXTS}))
def test_each_language_is_recognized(language):
    texts = [(declines, text) for declines, name, text in TEXTS if name == language]
    assert sum(is_refusal(text) for declines, text in texts if declines) >= 0.8 * sum(declines for declines, _ in texts)
    assert sum(not is_refusal(text) for declines, text in texts if not declines) >= 0.9 * sum(
        not declines for declines, _ in texts)


@pytest.mark.parametrize(("answer", "declines"), [
    ("The document does not mention the price.", True), ("The law does not mention the price.", False),
    ("The text doesn't just list prices.", False), ("Paris. The text does not say more.", False),
    ("Sorry! The text does not say.", True), ('He said: "I cannot answer that."', False),
    ("While the context mentions Paris, it does not specify the year.", True),
    ("Although the context does not give a date, it states that the bridge opened in 1932.", False),
    ("I'm not sure, but it is Geneva.", False), ("No results found.", True),
    ("The excerpt says nothing about it.", True),
    ("**Answer:** The context does not provide the name.", True)])
def test_subject_place_and_quotation_decide(answer, declines):
    assert is_refusal(answer) == declines


@pytest.mark.parametrize("text", ["the text and context of ", "not context ", "we find no ", "kann ich nicht ", "no "])
def test_long_texts_take_little_time(text):
    quick(lambda: is_refusal(text * 400), 0.5)


@pytest.mark.parametrize("answer", [
    "The passages do not name the tortoises.", "The passages give no cost for Luna 9.", "Not stated.",
    "No date is given; the passages end with Chandrayaan-3.", "There is nothing about Carle Pieters in the passages.",
    "None of the passages names a probe that ended there.", "The passages name no substance for power plants."])
def test_short_ways_to_say_that_the_passages_lack_it(answer):
    assert is_refusal(answer)


@pytest.mark.parametrize("answer", [
    "The document gives no reason to doubt the result: 42.", "No fee is charged.", "The passages name Paris.",
    "There is nothing to pay.", "No passenger was named in the lawsuit."])
def test_answers_that_only_sound_like_it(answer):
    assert not is_refusal(answer)


@pytest.mark.parametrize(("answer", "question", "declines"), [
    ("The documents give no exact year, but it was built about 1210.", "", False),
    ("The documents do not name the price, but you may ask the vendor.", "", True),
    ("The documents do not name the price, but they describe the pump.", "", True),
    ("I could not find the year. However, it was built about 1210.", "", False),
    ("I could not find the year. However, they mention a fire.", "", True),
    ("About 8,000, although the text gives no exact figure.", "", False),
    ("Vitamins A and C; the text does not mention any others.", "", False),
    ("The museum is open.", "", False), ("The name is not given in the text.", "Who built it?", True),
    ("The text does not mention a fee.", "Does the text mention a fee?", False),
    ("It is unclear from the text whether a fee is due.", "Is a fee due?", True),
    ("The lake covers 14 square kilometers. I have no information on its depth.", "What is the lake's depth?", True),
    ("The hall seats 900. I have no information on standing places.", "What is the capacity of the hall?", False),
    ("The brochure describes the colors. It contains no information on the engine.", "", True),
    ("Step 1: none found. So the question cannot be answered.", "", True),
    ('{"answer": null, "reason": "not there"}', "", True), ('{"answer": "null and void"}', "", False),
    ("Jag vet inte.", "", True), ("Bilmiyorum.", "", True), ("Nevím.", "", True), ("मुझे नहीं पता।", "", True),
    ("Tôi không tìm thấy thông tin.", "", True), ("Det er ikke noe gebyr.", "", False)])
def test_what_follows_and_what_was_asked_decide(answer, question, declines):
    assert is_refusal(answer, question) == declines
