"""how="embedding": the cosine of what a sentence embedding model has said of chunk and span, read from the cache.

No model is loaded here; `ragdash score --match-how embedding` lets one speak. The texts are those that are compared:
lower case, white space collapsed.

Letters: X pairs of texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.matching.views.local_models import cosines
from ragdash.models.local.installed import library
from ragdash.models.local.protocols import ENCODER
from ragdash.models.local.score_cache import Model, ScoreCache


class Embedded:
    """A Similarity: the cosines of a model of the store. model: its name or its weights' hash; "": the one last used.

    used: the model, None before it is asked; problems: texts that it did not read to their end. A cosine below 0 and
    one of a vector without direction count as 0: nothing is alike there. Raises Unavailable where a vector is not
    there, since what is not known is not "not covered".
    """

    def __init__(self, store: ScoreCache, model: str = ""):
        self._store, self._name = store, model
        self.used: Model | None = None
        self.problems: tuple[Problem, ...] = ()

    def __call__(self, chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
        """(X,) float64 in [0, 1]."""
        try:
            self.used = self._store.find_model(ENCODER, self._name)
            if self.used is None:
                raise Unavailable("similarity-not-computed", {"model": self._name}, "match-how", library().problem)
            value, known, cut = cosines(self._store, self.used, list(zip(chunks, spans, strict=True)))
        except InputError as error:
            raise Unavailable("unreadable-similarity", field="match-how", cause=error.problems[0]) from None
        if not known.all():
            facts = {"model": self.used.name, "computed": known.sum(), "pairs": len(known)}
            raise Unavailable("similarity-computed-in-part", facts, "match-how", library().problem)
        if cut.any():
            self.problems = (Problem("cut-texts", {"pairs": int(cut.sum()), "most": self.used.max_length,
                                     "model": self.used.name}, field="match-how", severity="warning"),)
        return np.clip(np.nan_to_num(value), 0.0, 1.0)


class TextCollector:
    """In place of a Similarity: notes the texts that one would be asked for, and finds nothing alike."""

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}

    def __call__(self, chunks: Sequence[str], spans: Sequence[str], floor: float) -> np.ndarray:
        """(X,) float64: 0."""
        self.texts |= dict.fromkeys((*chunks, *spans))
        return np.zeros(len(chunks))

