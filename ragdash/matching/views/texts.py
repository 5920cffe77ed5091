"""What a metric of texts may look at: answers with references, and with the texts they were made from.

Letters: Q queries (of the truth), D distinct texts, P pairs of an answer and a reference, N tokens.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from sys import intern
from typing import TypeVar

import numpy as np

from ragdash.core.errors import Problem, Unavailable
from ragdash.core.text import listed, number_value, numbers, tokens

Computed = TypeVar("Computed")


@dataclass(frozen=True, eq=False)
class TokenCodes:
    """Tokens of distinct texts as numbers: text i is codes[starts[i]:starts[i + 1]]; equal tokens have equal codes.

    codes (N,) int64, below size, which is 2^48 at most; starts (D + 1,) int64.
    """

    codes: np.ndarray
    starts: np.ndarray
    size: int

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each text: (D,) int64."""
        return np.diff(self.starts)

    def codes_of(self, text: int) -> np.ndarray:
        """The tokens of one text, as codes."""
        return self.codes[self.starts[text]:self.starts[text + 1]]

    def grams(self, n: int) -> TokenCodes:
        """The same of every n tokens in a row; a text of fewer has none. n = 1 or 2."""
        if n == 1:
            return self
        adjacent = np.ones(max(len(self.codes) - 1, 0), bool)
        borders = self.starts[(self.starts > 0) & (self.starts < len(self.codes))]
        adjacent[borders - 1] = False
        starts = np.concatenate(([0], np.cumsum(np.maximum(self.lengths - 1, 0))))
        pairs = (self.codes[:-1] * self.size + self.codes[1:])[adjacent]
        if self.size < 1 << 24:
            return TokenCodes(pairs, starts, self.size**2)
        distinct, pairs = np.unique(pairs, return_inverse=True)
        return TokenCodes(pairs, starts, len(distinct))

    def sequence_ids(self) -> np.ndarray:
        """A number for each text, the same for texts of the same tokens in the same order: (D,) int64."""
        book: dict[bytes, int] = {}
        ends = self.starts.tolist()
        return np.array([book.setdefault(self.codes[a:b].tobytes(), len(book))
                         for a, b in pairwise(ends)], np.int64)

    def distinct(self) -> TokenCodes:
        """The same with each token once in a text."""
        text = np.repeat(np.arange(len(self.lengths)), self.lengths)
        order = np.lexsort((self.codes, text))
        text, codes = text[order], self.codes[order]
        first = np.ones(len(codes), bool)
        first[1:] = (text[1:] != text[:-1]) | (codes[1:] != codes[:-1])
        counts = np.bincount(text[first], minlength=len(self.lengths))
        return TokenCodes(codes[first], np.concatenate(([0], np.cumsum(counts))), self.size)


def token_codes(texts: Iterable[str], how: Callable[[str], list[str]]) -> TokenCodes:
    """Each text's tokens as numbers, in the order in which tokens are first met."""
    book: dict[str, int] = defaultdict(lambda: len(book))
    codes, ends = array("q"), array("q", [0])
    for text in texts:
        codes.extend(map(book.__getitem__, how(text)))
        ends.append(len(codes))
    return TokenCodes(np.array(codes, np.int64), np.array(ends, np.int64), max(len(book), 1))


@dataclass(frozen=True, eq=False)
class Answered:
    """Answers with the references, in the order of the truth's queries.

    answers (Q,): what the run answered, reasoning taken off, None where it gave none; references (Q,): right answers,
    () where none is known; questions (Q,): None where not known. lacking: {"references" or "questions": what an
    Unavailable says} where no query has any. Each distinct text is tokenized once a way.
    """

    answers: tuple[str | None, ...]
    references: tuple[tuple[str, ...], ...]
    questions: tuple[str | None, ...]
    lacking: Mapping[str, tuple] = field(default_factory=dict)

    def need(self, what: str) -> None:
        """Raise Unavailable where no query has "references" or "questions"."""
        if what in self.lacking:
            raise Unavailable(*self.lacking[what])

    @property
    def queries(self) -> int:
        """Q."""
        return len(self.answers)

    @cached_property
    def _index(self) -> dict[str, int]:
        """Index of every distinct text."""
        all_texts = (*self.answers, *(text for texts in self.references for text in listed(texts)), *self.questions)
        return {text: i for i, text in enumerate(dict.fromkeys(text for text in all_texts if text is not None))}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The distinct texts: (D,)."""
        return tuple(self._index)

    @cached_property
    def answer(self) -> np.ndarray:
        """Index of each answer among the texts, -1 for none: (Q,) int64."""
        return np.array([self._index.get(text, -1) for text in self.answers], np.int64)

    @cached_property
    def question(self) -> np.ndarray:
        """Index of each question among the texts, -1 for none: (Q,) int64."""
        return np.array([self._index.get(text, -1) for text in self.questions], np.int64)

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(query, answer, reference) of every answer with each of its references, as indices: (P,) int64 each.

        Raises Unavailable where no query has a reference.
        """
        self.need("references")
        rows = [(q, self._index[answer], self._index[text])
                for q, (answer, texts) in enumerate(zip(self.answers, self.references, strict=True))
                if answer is not None for text in listed(texts)]
        return tuple(np.array(rows, np.int64).reshape(-1, 3).T)

    @cached_property
    def _cache(self) -> dict:
        return {}

    def cached(self, key: object, compute: Callable[[tuple[str, ...]], Computed]) -> Computed:
        """found(texts), computed when a key is first asked for and kept."""
        if key not in self._cache:
            self._cache[key] = compute(self.texts)
        return self._cache[key]

    def coded(self, how: str, stem: bool = False, language: str = "en") -> TokenCodes:
        """The tokens of the texts (ragdash.core.text.tokenizer)."""
        return self.cached((how, stem, language), lambda texts: token_codes(
            texts, lambda text: tokens(text, how, stem=stem, language=language)))

    def best(self, query: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The highest value of each query that is not NaN, NaN where it has none: (Q,). query, values (P,)."""
        best_values = np.full(self.queries, -np.inf)
        defined = ~np.isnan(values)
        np.maximum.at(best_values, query[defined], values[defined])
        return np.where(np.isinf(best_values), np.nan, best_values)


@dataclass(frozen=True, eq=False)
class Grounded:
    """Answers with the texts they were made from, in the order of the truth's queries.

    answers (Q,): as in Answered; contexts (Q,): the texts given to the generator, () for none given, None where it is
    not known; given False: the texts of the first documents replace them; problems: what is worth knowing of them;
    questions (Q,): None where not known, () where none is. Each distinct text is read once.
    """

    answers: tuple[str | None, ...]
    contexts: tuple[tuple[str, ...] | None, ...]
    has_contexts: bool = True
    problems: tuple[Problem, ...] = ()
    questions: tuple[str | None, ...] = ()

    @property
    def queries(self) -> int:
        """Q."""
        return len(self.answers)

    @cached_property
    def _users(self) -> dict[str, list[int]]:
        """The queries of each distinct context, of those that have an answer."""
        users: dict[str, list[int]] = defaultdict(list)
        for q, (answer, contexts) in enumerate(zip(self.answers, self.contexts, strict=True)):
            if answer is not None and contexts is not None:
                for context in dict.fromkeys(listed(contexts)):
                    users[context].append(q)
        return users

    @cached_property
    def _cache(self) -> dict:
        return {}

    @cached_property
    def _declines(self) -> list[bool]:
        """Whether each answer declines to answer: (Q,)."""
        from ragdash.core.text import is_refusal  # its patterns take long to compile

        pairs = list(zip(self.answers, self.questions or [None] * self.queries, strict=True))
        known = {pair: pair[0] is not None and is_refusal(pair[0], pair[1] or "") for pair in dict.fromkeys(pairs)}
        return [known[pair] for pair in pairs]

    def support(self, how: str) -> tuple[list[list[str] | None], list[set[str]]]:
        """(tokens of each answer, those of them that some context holds): (Q,) each.

        None: no answer, a refusal, which states nothing, or no contexts.
        """
        return self._supported(how, lambda text: tokens(text, how))

    def number_support(self) -> tuple[list[list[str] | None], list[set[str]]]:
        """(numbers of each answer, those of them that some context holds): (Q,) each, as `support`."""
        return self._supported("numbers", lambda text: [number_value(text[a:b]) for a, b in numbers(text)])

    def _supported(self, key: str, read: Callable[[str], list[str]]) -> tuple[list[list[str] | None], list[set[str]]]:
        if key not in self._cache:
            tokens_of = {
                text: list(map(intern, read(text))) for text in dict.fromkeys(self.answers) if text is not None
            }
            answer_tokens = [None if answer is None or contexts is None or declines else tokens_of[answer]
                             for answer, contexts, declines in zip(self.answers, self.contexts, self._declines,
                                                                   strict=True)]
            token_sets = [set(answer_words or ()) for answer_words in answer_tokens]
            supported = [set() for _ in answer_tokens]
            for context, queries in self._users.items():
                if any(token_sets[q] for q in queries):
                    context_tokens = set(read(context))
                    for q in queries:
                        supported[q] |= token_sets[q] & context_tokens
            self._cache[key] = answer_tokens, supported
        return self._cache[key]
