"""Texts as every metric reads them: one normalization of a kind, one tokenizer, and what a text says of itself."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ragdash.core.text.normalization import ARTICLES, listed, normalize
from ragdash.core.text.numbers import number_value, numbers
from ragdash.core.text.sentences import sentences, without_reasoning
from ragdash.core.text.tokenizer import STOP_WORDS, content_words, stop_words, tokens, words
from ragdash.core.text.word_diff import differing

if TYPE_CHECKING:
    from ragdash.core.text.amounts.stated_quantities import is_quantity, states_quantities
    from ragdash.core.text.refusals import is_refusal

__all__ = ["ARTICLES", "STOP_WORDS", "content_words", "differing", "is_quantity", "is_refusal", "listed", "normalize",
           "number_value", "numbers", "sentences", "states_quantities", "stop_words", "tokens",
           "without_reasoning", "words"]


_LATER = {"is_quantity": "amounts.stated_quantities", "is_refusal": "refusals",
          "states_quantities": "amounts.stated_quantities"}


def __getattr__(name: str) -> object:
    """What reads quantities and refusals, when it is first asked for: these patterns take longest to compile."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    return globals()[name]
