"""What the package asks of a model. Anything with these members will do, a fake of three lines as well.

Letters: N texts or pairs, V numbers of a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np

ENCODER, SCORER, NLI = "encoder", "cross-encoder", "nli"
Pair: TypeAlias = tuple[str, str]
"""(reference, answer), in this order: a cross-encoder is not symmetric."""


class Encoder(Protocol):
    """Texts to vectors whose cosine says how alike they are.

    weights: a hash of everything the vectors depend on; max_length: word pieces that it reads of a text, 0: all.
    """

    weights: str
    max_length: int

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """(N, V) float32, a row per text; its length means nothing."""
        ...

    def cut(self, texts: Sequence[str]) -> np.ndarray:
        """Whether a text is longer than what is read of it: (N,) bool."""
        ...


class PairScorer(Protocol):
    """Pairs of texts to scores in [0, 1]; activation: the word for what brings them there, "sigmoid"; of an NLI
    model "softmax", and the score is the probability that the first text entails the second."""

    weights: str
    max_length: int
    activation: str

    def score(self, pairs: Sequence[Pair]) -> np.ndarray:
        """(N,) float64 in [0, 1]."""
        ...

    def cut(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Whether a pair is longer than what is read of it: (N,) bool."""
        ...
