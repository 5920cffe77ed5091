"""Normalisation, tokens, stems, sentences, numbers, refusals: against independent rules and by hand."""

from __future__ import annotations

import re
import string
import unicodedata
from ast import literal_eval
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from speed import quick

from ragdash.core.text import (
    STOP_WORDS,
    content_words,
    is_refusal,
    listed,
    normalize,
    number_value,
    numbers,
    sentences,
    stop_words,
    tokens,
    without_reasoning,
    words,
)
from ragdash.core.text.porter_stemmer import stem
from ragdash.core.text.quoted import cut_end, cut_middle, quoted

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
TRICKY = st.lists(st.sampled_from([*"aAnthe THE _-.,;'\"0159%$()[]{}\n\t\x00\x1c\x7f", "’", "“", "”", "é", "e\u0301",
                                   "ß",
                                  "İ", "ﬁ", "日", "本", "カ", "ﾞ", "ｶ", "ส", "วั", "ກ", "្", "ក", "٣", "٫", "ـ", "َ", "م",
                                  "\u00a0", "\u200d", "½", "…", "．", "３", "가", "ा", "क", "𠀀"]),
                                  max_size=40).map("".join)
EVERY = st.one_of(ANY_TEXT, TRICKY,
                  st.lists(st.sampled_from(["the", "a", "An,", "THE.", "of", "3.5%", "4,213", "日本"])).map(" ".join))


def squad_script(text: str) -> str:
    """The rules of the SQuAD v1.1 and v2.0 evaluation scripts, in their order."""
    text = "".join(char for char in text.lower() if char not in set(string.punctuation))
    text = re.sub(r"\b(a|an|the)\b", " ", text)
    return " ".join(text.split())


@given(EVERY)
def test_squad_is_what_the_script_does_with_composed_text(text):
    assert normalize(text) == squad_script(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize("text, expected", [
    ("The Eiffel-Tower!", "eiffeltower"), ("  a  b\tthe\nc ", "b c"), ("U.S.", "us"), ("", ""), ("?!...", ""),
    ("3.5%", "35"), ("-5", "5"), ("“the” end", "“ ” end"), ("Isn’t", "isn’t"), ("日本の首都。", "日本の首都。"),
    ("cafe\u0301", "caf\u00e9"), ("The", ""), ("a_b", "ab"), ("a\x00b", "\x00b")])
def test_squad_by_hand(text, expected):
    assert normalize(text) == expected


@pytest.mark.parametrize("text, language, expected", [
    ("The Eiffel-Tower!", "en", "eiffel tower"), ("don't don’t", "en", "dont dont"),
    ("3.5% of $4,213.", "en", "3.5 of 4213"),
    ("v1.2, a.b 1,234,567 0,5 3,14", "en", "v1.2 b 1234567 0,5 3,14"), ("ＴＯＫＹＯ３．５ ﬁn", "en", "tokyo3.5 fin"),
    ("Straße STRASSE", "en", "strasse strasse"), ("cafe\u0301 café", "en", "café café"),
    ("日本語とEnglish 3個", "en", "日 本 語 と english 3 個"), ("ｶﾞｽ", "en", "ガ ス"), ("สวัสดี", "en", "ส วั ส ดี"),
    ("ភ្នំ", "en", "ភ្ នំ"), ("ສະບາຍດີ", "en", "ສ ະ ບ າ ຍ ດີ"), ("서울은 수도", "en", "서울은 수도"),
    ("مُحَمَّد ـ محمـد ٣٫٥", "en", "محمد محمد 3.5"), ("L'été à l’Est", "fr", "été à est"), ("L'été", "en", "lété"),
    ("Die Stadt", "de", "stadt"), ("Die Stadt", "en", "die stadt"), ("the a", "none", "the a"),
    ("क्या है?", "en", "क्या है"),
    ("a\u200db\ufeff", "en", "ab"), ("C++ & €5", "en", "c 5"), ("...", "en", ""), ("", "en", "")])
def test_unicode_by_hand(text, language, expected):
    assert normalize(text, "unicode", language=language) == expected


def test_every_vowel_sign_of_arabic_and_the_letter_that_lengthens_are_left_out():
    ranges = ((0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06DC),
              (0x06DF, 0x06E8), (0x06EA, 0x06ED))  # Unicode: Arabic marks, without the two signs between the last three
    marks = [chr(code) for first, last in ranges for code in range(first, last + 1)]
    assert [mark for mark in marks if normalize(f"\u0633{mark}\u0644", "unicode") != "\u0633\u0644"] == []
    assert normalize("\u0633\u0644\u064a\u0660", "unicode") == "\u0633\u0644\u064a0", "letters and digits stay"


@given(EVERY)
def test_unicode_is_done_after_one_time(text):
    once = normalize(text, "unicode", language="none")
    assert normalize(once, "unicode", language="none") == once


@given(EVERY)
def test_composed_and_decomposed_text_are_one(text):
    for how in ("squad", "unicode"):
        assert normalize(unicodedata.normalize("NFD", text), how) == normalize(unicodedata.normalize("NFC", text), how)


@pytest.mark.parametrize("how, expected", [
    ("squad", ["capital", "of", "us", "its", "35", "café"]),
    ("set", ["the", "capital", "of", "the", "us", "its", "35", "café"]),
    ("rouge", ["the", "capital", "of", "the", "u", "s", "it", "s", "3", "5", "caf"]),
    ("unicode", ["capital", "of", "u", "s", "its", "3.5", "café"])])
def test_tokens_of_each_kind(how, expected):
    assert tokens("The capital of the U.S. it's 3.5% café", how) == expected


def test_unknown_tokens_are_refused():
    with pytest.raises(ValueError, match="squad, set, rouge or unicode"):
        tokens("a", "words")


@cache
def nltk_stemmer():
    """NLTK takes long to import: only where a test asks for it."""
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@given(EVERY)
def test_rouge_tokens_are_those_of_rouge_score(text):
    from rouge_score.tokenize import tokenize as rouge_score_tokens

    assert tokens(text, "rouge") == rouge_score_tokens(text, None)
    assert tokens(text, "rouge", stem=True) == rouge_score_tokens(text, nltk_stemmer())


ROOTS = st.text(st.sampled_from("abeioustlyrczw"), max_size=6)
ENDS = st.sampled_from(["", "s", "sses", "ies", "ed", "eed", "ied", "ing", "y", "ly", "ational", "tional", "alli",
                        "bli",
                        "logi", "fulli", "ization", "iveness", "icate", "ative", "ness", "ement", "ion", "able", "e",
                        "ll"])


@given(st.tuples(ROOTS, ENDS, ENDS).map("".join))
def test_stems_are_those_of_nltk(word):
    assert tokens(word, "rouge", stem=True) == ([nltk_stemmer().stem(word) if len(word) > 3 else word] if word else [])


@pytest.mark.parametrize("word, stem", [("running", "run"), ("relational", "relat"), ("dying", "die"), ("news", "news"),
                                        ("was", "was"), ("generalizations", "gener"), ("hopping", "hop"),
                                        ("agreed", "agre")])
def test_stems_by_hand(word, stem):
    assert tokens(word, "rouge", stem=True) == [stem]


def test_stop_words_pass_the_normalization_of_the_text():
    assert len(STOP_WORDS) == 174 and {"i", "cannot", "very"} <= STOP_WORDS and not {"will", "can", "us"} & STOP_WORDS
    assert content_words("Don't say the year isn’t 2019, or say it.") == {"say", "year", "2019"}
    assert content_words("Don't; isn’t", "unicode") == frozenset()
    assert stop_words("squad") >= {"dont", "isn’t"} and "" not in stop_words("squad")


@given(EVERY)
def test_words_bear_the_tokens_of_the_text(text):
    text = unicodedata.normalize("NFC", text)  # marks in their canonical order
    for how in ("squad", "unicode"):
        found = list(words(text, how))
        assert [token for *_, bears in found for token in bears] == tokens(text, how)
        assert all(start < stop for start, stop, _ in found)
        assert all(one[1] <= two[0] for one, two in pairwise(found))


@pytest.mark.parametrize("how, expected", [
    ("squad", ["Paris", "co-founder", "日本の首都", "3.5%", "U.S"]),
    ("unicode", ["Paris", "co", "founder", "日", "本", "の", "首", "都", "3.5", "U.S"])])
def test_words_leave_out_marks_at_their_edges(how, expected):
    text = "“Paris”, (co-founder) 日本の首都。 the 3.5% U.S."
    assert [text[start:stop].strip("“”。") for start, stop, _ in words(text, how)] == expected


@pytest.mark.parametrize("text, expected", [
    ("He is Dr. Smith. He paid $3.5m! Why?", ["He is Dr. Smith.", "He paid $3.5m!", "Why?"]),
    ("In the U.S. it rose, e.g. oil. J. Doe left.", ["In the U.S. it rose, e.g. oil.", "J. Doe left."]),
    ("日本。中国！韩国？", ["日本。", "中国！", "韩国？"]),
    ("He said “no.” Then left.", ["He said “no.”", "Then left."]),
    ("One\nTwo\n\n- three", ["One", "Two", "- three"]), ("1. First. 2. Second.", ["1. First.", "2. Second."]),
    ("ما هو؟ نعم.", ["ما هو؟", "نعم."]), ("no end", ["no end"]), ("", []), ("  \n ", []),
    ("Wait ... what", ["Wait ...", "what"])])
def test_sentences(text, expected):
    assert [text[start:stop] for start, stop in sentences(text)] == expected


@given(EVERY)
def test_sentences_lose_nothing_but_white_space(text):
    spans = sentences(text)
    assert "".join("".join(text[a:b] for a, b in spans).split()) == "".join(text.split())
    assert all(a < b for a, b in spans) and spans == sorted(spans)


@pytest.mark.parametrize("text, expected", [
    ("$4,213 million, 3.5% and -5", ["4213", "3.5", "5"]), ("4,213.50 4.213,5 4'213.5 4\u202f213,5", ["4213.5"] * 4),
    ("3,5 0,250 007 12 000 10.0", ["3.5", "0.25", "7", "12000", "10"]), ("1,234,567 1.234.567", ["1234567", "1234567"]),
    ("2019-2020, 12/05", ["2019", "2020", "12", "5"]), ("Q3 B2B x7 49ers 4km", ["49", "4"]), ("٣٫٥ ３", ["3.5", "3"]),
    ("1.2.3", ["1.2.3"]), ("as shown [1], [2, 3] and [4-6] in 2019", ["2019"]),
    ("1. One\n2) Two\n - 3. Three 4. x", ["4"]),
    ("page 5.", ["5"]), ("none", []), ("", []), ("½ ² ①", []), ("120 340", ["120", "340"])])
def test_numbers(text, expected):
    assert [number_value(text[start:stop]) for start, stop in numbers(text)] == expected


DECLINES = ["I don't know.", "I’m sorry, but I do not have that information.", "Sorry. I cannot answer this question.",
            "The context does not mention his age.", "Based on the documents, there is no information about it.",
            "Unknown", "N/A", "The answer cannot be determined from the passage.", "I am unable to determine this.",
            "The provided passages contain no relevant information.", "**Unfortunately, the text doesn't say.**",
            "The year is not specified in the given context.", "Ich weiß es nicht.", "Je ne sais pas.", "No lo sé.",
            "我不知道", "わかりません", "لا أعرف", "There is not enough information to answer."]
ANSWERS = ["Paris.", "The song “I don't know” is by The Sheepdogs.", "No.",
           "It is not known why he left, but he did so in 1999.",
           "Paris. I don't know more than that.", "The information does not change the result.", "None", "0",
           "He did not find the answer.", "There is no evidence of life on Mars.", "The unknown soldier",
           "Yes, I know him."]


@pytest.mark.parametrize("answer", DECLINES)
def test_refusals_are_recognized(answer):
    assert is_refusal(answer)


@pytest.mark.parametrize("answer", [*ANSWERS, "", "..."])
def test_answers_are_no_refusals(answer):
    assert not is_refusal(answer)


@pytest.mark.parametrize("text, expected", [
    ("<think>a\nb</think>\n Paris ", "Paris"), ("<THINK>a</THINK>b <thinking>c</thinking>d", "b d"),
    (" as it is ", " as it is "),
    ("<think>a<think>b</think>c</think>d", "d"), ("hm</think>Paris", "Paris"), ("Paris <think>cut off", "Paris"),
    ("<think>cut off", ""), ("<think></think>", ""), ("1 < 2 </thing>", "1 < 2 </thing>")])
def test_reasoning_is_taken_off(text, expected):
    assert without_reasoning(text) == expected


def test_one_text_is_a_list_of_one():
    assert listed("abc") == ("abc",) and listed(["a", "b"]) == ("a", "b") and listed([]) == ()


@pytest.mark.slow
@pytest.mark.parametrize("text", ["the answer is 4,213. " * 50_000, "-" * 1_000_000, "<think>" * 150_000,
                                  "1," * 500_000, "日本" * 500_000, "[1 " * 300_000, "a" * 1_000_000,
                                  "* - # " * 170_000, "“" * 1_000_000, "i do " * 200_000, ". " * 500_000,
                                  "1,234" * 200_000, "Mr. " * 250_000],
                         ids=lambda text: repr(text[:12]))
def test_a_megabyte_takes_no_more_than_seconds(text):
    def work():
        for how in ("squad", "set", "rouge", "unicode"):
            tokens(text, how)
        list(words(text, "squad"))
        numbers(text), sentences(text), is_refusal(text), without_reasoning(text)

    quick(work, 20)


@pytest.mark.parametrize("word", ["hopping", "slipping", "zipped", "letting", "falling", "filling", "hissed",
                                  "pressing", "fizzed", "buzzing", "sobbing", "lagged", "saddest", "agreed",
                                  "tied", "feed"])
def test_doubled_consonants_are_those_of_nltk(word):
    assert stem(word) == nltk_stemmer().stem(word)


@pytest.mark.parametrize("text, expected", [
    ("plain", "'plain'"), ("caf\u00e9", "'café'"), ("cafe\u0301", r"'cafe\u0301'"),
    ("\u00e9 e\u0301", r"'é e\u0301'"), ("it's e\u0301", '"it\'s e\\u0301"'),
    ("\u1112\u1161", r"'\u1112\u1161'"), ("\u0939\u093f\u0928", "'हिन'"), ("e\u0301\n", r"'e\u0301\n'"),
])
def test_a_quoted_text_shows_the_code_points_of_what_is_not_composed(text, expected):
    assert quoted(text) == expected


@given(st.text())
def test_a_quoted_text_says_exactly_what_it_is(text):
    assert literal_eval(quoted(text)) == text


@given(EVERY, st.integers(8, 40))
def test_a_text_that_is_cut_fits_and_shows_its_own_beginning_and_end(text, limit):
    end, middle = cut_end(text, limit), cut_middle(text, limit)
    assert len(end) <= limit and len(middle) <= limit and (end == text) == (middle == text) == (len(text) <= limit)
    if len(text) > limit:
        assert text.startswith(end.removesuffix("…").rstrip())
        start, _, rest = middle.partition(" … ")
        assert text.startswith(start.rstrip()) and text.endswith(rest.lstrip())


@pytest.mark.parametrize("limit", range(16, 60))
def test_texts_of_words_are_cut_between_words(limit):
    text = "How long does it take to brew a cup of tea, and could you please say it in one or two words?"
    end, middle = cut_end(text, limit), cut_middle(text, limit)
    start, rest = middle.split(" … ")
    assert set(end.removesuffix(" …").split()) | set(start.split()) | set(rest.split()) <= set(text.split())
