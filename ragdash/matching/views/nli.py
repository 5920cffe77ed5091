"""What NLIFaithfulness may look at: the sentences of answers, and windows of their contexts, with what a local model
said of entailment. No model is loaded here.

Letters: Q queries (of the truth), P pairs of a window and a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.text import sentences
from ragdash.matching.views.local_models import ModelValues, coverage_problems
from ragdash.matching.views.ranked import Values
from ragdash.models.judge.tasks import Case
from ragdash.models.local.installed import library
from ragdash.models.local.model_folder import OPTIONS
from ragdash.models.local.protocols import NLI
from ragdash.models.local.score_cache import ScoreCache, pair_key

NAME = "NLIFaithfulness"
WINDOW, STEP = 3, 2  # sentences of a context read together, and how far the window slides
ENTAILED = 0.5  # probability from which on a window entails a sentence


@dataclass(frozen=True, eq=False)
class Entailed:
    """cases (Q,): answers and contexts; store: what models said; run: its name."""

    cases: tuple[Case, ...]
    store: ScoreCache
    run: str = ""

    def pairs(self) -> tuple[np.ndarray, np.ndarray, list[tuple[str, str]]]:
        """(query (P,) ascending, sentence (P,) ascending, counted through all answers; (window, sentence) pairs (P,)).

        Answers without a sign and queries without contexts make none. Raises Unavailable where no query makes any.
        """
        if not self._pairs[2]:
            raise Unavailable("no-answers-beside-contexts", {"run": self.run}, "contexts")
        return self._pairs

    @cached_property
    def _pairs(self) -> tuple[np.ndarray, np.ndarray, list[tuple[str, str]]]:
        query, number, pairs, count = [], [], [], 0
        for q, case in enumerate(self.cases):
            windows = [window for _, text in case.contexts or () for window in windows_of(text)]
            for sentence in _split(case.answer or "") if windows else ():
                query += [q] * len(windows)
                number += [count] * len(windows)
                pairs += [(window, sentence) for window in windows]
                count += 1
        return np.array(query, np.int64), np.array(number, np.int64), pairs

    def values(self, model: str = "") -> Values:
        """Share of the answer's sentences that a window entails: (Q,). Unavailable where nothing was computed."""
        return self.read(NAME, model).values

    def read(self, name: str, model: str = "") -> ModelValues:
        """The values with how they came about."""
        query, number, pairs = self.pairs()
        try:
            model_id = self.store.find_model(NLI, model)
            if model_id is None:
                raise _not_computed(model)
            value, known, cut = self.store.scores(model_id, [pair_key(pair) for pair in pairs])
        except InputError as error:
            raise Unavailable("unreadable", field=NAME, cause=error.problems[0]) from None
        if not known.any():
            raise _not_computed(model_id.name)
        first = np.flatnonzero(np.diff(number, prepend=-1))
        supported = np.maximum.reduceat(np.where(np.isnan(value), -1.0, value), first) >= ENTAILED
        owner = query[first]
        total = np.bincount(owner, minlength=len(self.cases))
        share = np.divide(np.bincount(owner, supported, len(self.cases)), total, out=np.full(len(total), np.nan),
                          where=total > 0)
        share[np.unique(query[~known | np.isnan(value)])] = np.nan
        queries = np.unique(query)
        return ModelValues(
            share, model_id, int((~np.isnan(share[queries])).sum()), len(queries), len(np.unique(query[cut]))
        )

    def problems(self, name: str, model: str = "") -> list[Problem]:
        """What to know of the values, as warnings: computed in part, texts that were cut. Never raises."""
        try:
            reading = self.read(name, model) if name == NAME else None
        except Unavailable:
            reading = None
        return coverage_problems(NAME, self.run, reading, "cut-texts/windows") if reading else []

    def settings(self, names: Iterable[tuple[str, str]]) -> dict[str, str]:
        """{"NLIFaithfulness": the model that its values are of}."""
        try:
            models = {name + (f"(model={model!r})" if model else ""): self.store.find_model(NLI, model)
                    for name, model in names}
        except InputError:
            return {}
        return {name: str(model) for name, model in models.items() if model}


def windows_of(text: str) -> list[str]:
    """WINDOW sentences in a row, every STEP sentences; the last window ends with the text."""
    pieces = _split(text)
    starts = [*range(0, max(len(pieces) - WINDOW, 0), STEP), max(len(pieces) - WINDOW, 0)] if pieces else []
    return list(dict.fromkeys(" ".join(pieces[start:start + WINDOW]) for start in starts))


def _split(text: str) -> list[str]:
    return [text[start:stop] for start, stop in sentences(text)]


def _not_computed(model: str) -> Unavailable:
    facts = {"metric": NAME, "model": model, "option": OPTIONS[NLI]}
    return Unavailable("not-computed", facts, NAME, library().problem)
