"""Texts as every metric reads them: one normalisation of a kind, one tokeniser, and what a text says of itself."""

from ragdash.text.differing import differing
from ragdash.text.normal import ARTICLES, listed, normalise
from ragdash.text.numbers import number_value, numbers
from ragdash.text.sayings import is_refusal, sentences, without_reasoning
from ragdash.text.tokens import STOP_WORDS, content_words, stop_words, tokens, words

__all__ = ["ARTICLES", "STOP_WORDS", "content_words", "differing", "is_refusal", "listed", "normalise", "number_value",
           "numbers", "sentences", "stop_words", "tokens", "without_reasoning", "words"]
