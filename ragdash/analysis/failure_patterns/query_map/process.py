"""Computes a map in a process of its own: `python -m ragdash.analysis.failure_patterns.query_map.process IN OUT`.

IN: JSON lines {"text": ...}. OUT: an .npz file. A local model embeds the texts where one is named; what it computes is
kept. Progress is written as JSON lines, as `ragdash score` does. `ragdash worker` does the same in its own process.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ragdash.analysis.failure_patterns.query_map.build import WORDS, QueryMap, laid_out
from ragdash.analysis.failure_patterns.query_map.layout import LAYOUTS
from ragdash.analysis.failure_patterns.query_map.words import word_vectors
from ragdash.core.console import Progress
from ragdash.core.errors import InputError
from ragdash.evaluation.scoring.required_scores import plan_texts
from ragdash.evaluation.scoring.run_local_models import run_plan
from ragdash.evaluation.scoring.score_worker import line
from ragdash.models.local import ENCODER, ScoreCache, default_score_cache
from ragdash.models.local.score_cache import text_key

_FIELDS = ("places", "vectors", "layout", "source", "share", "left_out")
Listener = Callable[[Mapping[str, Any]], bool]
"""Called with the progress; False ends the work."""


class _Stopped(Exception):
    """The listener has answered False."""


def arguments_of(texts: str, out: str, layout: str, model: str | None, stored: str | None) -> list[str]:
    """The arguments. model: a folder or a name of the hub's cache that embeds the texts; stored: the name of one that
    has embedded them before; both None: words.
    """
    chosen = {"--model": model, "--stored": stored}
    return [texts, out, "--layout", layout, *(text for flag, name in chosen.items() if name for text in (flag, name))]


def command(arguments: Sequence[str]) -> list[str]:
    """The command line for this interpreter."""
    return [sys.executable, "-m", __name__, *arguments]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what `arguments_of` gives."""
    parser.add_argument("texts")
    parser.add_argument("out")
    parser.add_argument("--layout", choices=LAYOUTS, default="pca")
    parser.add_argument("--model")
    parser.add_argument("--stored")


def read_map(path: Path) -> QueryMap:
    """The map that the process wrote."""
    with np.load(path) as columns:
        places, vectors, layout, source, share, left_out = (columns[name] for name in _FIELDS)
    return QueryMap(places, vectors, str(layout), str(source), float(share), int(left_out))


def write_map(options: argparse.Namespace, store: ScoreCache, listener: Listener) -> int | None:
    """Place the questions as the options say, and write the map; how many are on it. None: the listener has ended it.

    What a model has computed until then is kept in the store. Raises InputError as `query_map` does.
    """
    def step(words: str, done: int, total: int) -> None:
        if not listener({"done": done, "total": total, "words": words}):
            raise _Stopped

    try:
        vectors, source = _vectors(options, store, listener)
        step("placing the questions", 0, 0)
        result = laid_out(vectors, source, options.layout,
                          progress=lambda done, total: step(f"t-SNE, step {done:,} of {total:,}", done, total))
    except _Stopped:
        return None
    np.savez(options.out, **{name: np.asarray(getattr(result, name)) for name in _FIELDS})
    return int(result.shown.sum())


def main(arguments: Sequence[str] | None = None) -> int:
    """Compute the map; the exit status."""
    parser = argparse.ArgumentParser()
    add_options(parser)
    parser.add_argument("--progress", choices=("json",), default="json")

    def listener(content: Mapping[str, Any]) -> bool:
        _write("progress", content)
        return True

    try:
        queries = write_map(parser.parse_args(arguments), default_score_cache(), listener)
    except InputError as error:
        _write("problems", [problem.as_dict() for problem in error.problems])
        return 2
    _write("report", {"queries": queries})
    return 0


def _vectors(options: argparse.Namespace, store: ScoreCache, listener: Listener) -> tuple[np.ndarray, str]:
    """(vectors (Q, V), their source)."""
    texts = [orjson.loads(row)["text"] for row in Path(options.texts).read_bytes().splitlines()]
    if options.model is None and options.stored is None:
        return word_vectors(texts), WORDS
    distinct = list(dict.fromkeys(text for text in texts if text is not None and text.strip()))
    name = options.stored or _embed(distinct, options.model, store, listener)
    encoder = store.find_model(ENCODER, name)
    if encoder is None:
        return np.full((len(texts), 1), np.nan), name
    values, known, _ = store.vectors(encoder, [text_key(text) for text in distinct])
    values = np.where(known[:, None], values, np.nan).astype(np.float64)
    values = np.concatenate([values, np.full((1, values.shape[1]), np.nan)])  # -1: no text
    row_of = {text: row for row, text in enumerate(distinct)}
    return values[[row_of.get(text, -1) for text in texts]], encoder.name


def _embed(texts: Sequence[str], model: str, store: ScoreCache, listener: Listener) -> str:
    """Let a model embed what it has not embedded yet; its name."""
    def say(progress: Progress) -> bool:
        return listener({**progress.as_dict(), "words": str(progress)})

    plan = plan_texts(texts, model, store)
    if run_plan(plan, progress=say).cancelled:
        raise _Stopped
    return plan.tasks[0].name


def _write(kind: str, content: object) -> None:
    sys.__stdout__.buffer.write(line(kind, content))
    sys.__stdout__.flush()


if __name__ == "__main__":
    sys.exit(main())
