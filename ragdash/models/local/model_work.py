"""What a local model does with a shard of texts or pairs, on whatever machine.

Letters: N texts or pairs.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.models.local.model_folder import Folder
from ragdash.models.local.protocols import ENCODER, Encoder, PairScorer


class ShardValues(NamedTuple):
    """values: vectors (N, V) or scores (N,); cut (N,) bool; max_length, activation: of the model."""

    values: np.ndarray
    cut: np.ndarray
    max_length: int
    activation: str


@dataclass
class ModelWork:
    """The work on a shard. The model is loaded by the first one.

    Parameters
    ----------
    kind
        ENCODER, SCORER or NLI.
    source
        The folder of a model, which is the same on every machine, or a model.
    weights
        Hash of the model: on another machine the folder may hold another one.
    device, threads
        As `ragdash.models.local.sentence_transformers.load` has them.
    """

    kind: str
    source: Folder | Encoder | PairScorer
    weights: str
    device: str | None = None
    threads: int | None = None
    _model: Any = None

    def __call__(self, items: Sequence[Any]) -> ShardValues:
        """What the model says of a shard."""
        model, items = self.load(), list(items)
        values = model.encode(items) if self.kind == ENCODER else model.score(items)
        return ShardValues(values, model.cut(items), model.max_length, getattr(model, "activation", ""))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_model": None}

    def load(self) -> Encoder | PairScorer:
        """The model, loaded once."""
        if self._model is None:
            self._model = self._of_folder(self.source) if isinstance(self.source, Folder) else self.source
        return self._model

    def _of_folder(self, folder: Folder) -> Encoder | PairScorer:
        facts = {"path": str(folder.path), "host": socket.gethostname()}
        if not folder.path.is_dir():
            raise InputError([Problem("ray-no-model", facts)])
        from ragdash.models.local.sentence_transformers import load

        model = load(folder, self.device, self.threads)
        if model.weights != self.weights:
            raise InputError([Problem("ray-other-model", facts)])
        return model
