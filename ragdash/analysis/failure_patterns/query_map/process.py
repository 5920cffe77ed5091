"""Computes a map in a process of its own: `python -m ragdash.analysis.failure_patterns.query_map.process IN OUT`.

IN: JSON lines {"text": ...}, or an .npz file with vectors and their source. OUT: an .npz file. A local model embeds the
texts where one is named; what it computes is kept. Progress is written as JSON lines, as `ragdash score` does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson

from ragdash.analysis.failure_patterns.query_map.build import WORDS, QueryMap, laid_out
from ragdash.analysis.failure_patterns.query_map.layout import LAYOUTS
from ragdash.analysis.failure_patterns.query_map.words import word_vectors
from ragdash.core.errors import InputError
from ragdash.evaluation.scoring import run_plan
from ragdash.evaluation.scoring.required_scores import plan_texts
from ragdash.evaluation.scoring.score_worker import line
from ragdash.models.local import ENCODER, default_score_cache
from ragdash.models.local.score_cache import text_key

_FIELDS = ("places", "vectors", "layout", "source", "share", "left_out")


def command(texts: str, out: str, layout: str, model: str | None) -> list[str]:
    """The command line for this interpreter; model: a folder or a name of the hub's cache, None: words."""
    chosen = () if model is None else ("--model", model)
    return [sys.executable, "-m", __name__, texts, out, "--layout", layout, *chosen]


def read_map(path: Path) -> QueryMap:
    """The map that the process wrote."""
    with np.load(path) as columns:
        places, vectors, layout, source, share, left_out = (columns[name] for name in _FIELDS)
    return QueryMap(places, vectors, str(layout), str(source), float(share), int(left_out))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compute the map; the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("texts")
    parser.add_argument("out")
    parser.add_argument("--layout", choices=LAYOUTS, default="pca")
    parser.add_argument("--model")
    parser.add_argument("--progress", choices=("json",), default="json")
    options = parser.parse_args(arguments)
    try:
        vectors, source = _vectors(Path(options.texts), options.model)
        _write("progress", {"done": 0, "total": 0, "words": "placing the questions"})
        result = laid_out(vectors, source, options.layout, progress=lambda done, total: _write(
            "progress", {"done": done, "total": total, "words": f"t-SNE, step {done:,} of {total:,}"}))
    except InputError as error:
        _write("problems", [problem.as_dict() for problem in error.problems])
        return 2
    np.savez(options.out, **{name: np.asarray(getattr(result, name)) for name in _FIELDS})
    _write("report", {"queries": int(result.shown.sum())})
    return 0


def _vectors(path: Path, model: str | None) -> tuple[np.ndarray, str]:
    """(vectors (Q, V), their source)."""
    if path.suffix == ".npz":
        with np.load(path) as columns:
            return columns["vectors"], str(columns["source"])
    texts = [orjson.loads(row)["text"] for row in path.read_bytes().splitlines()]
    return _embedded(texts, model) if model else (word_vectors(texts), WORDS)


def _embedded(texts: Sequence[str | None], model: str) -> tuple[np.ndarray, str]:
    """(vectors of the texts (Q, V), NaN for none; the name of the model)."""
    distinct = list(dict.fromkeys(text for text in texts if text is not None and text.strip()))
    store = default_score_cache()
    plan = plan_texts(distinct, model, store)
    run_plan(plan, progress=lambda progress: _write("progress", {**progress.as_dict(), "words": str(progress)}))
    encoder = store.find_model(ENCODER, plan.tasks[0].name)
    if encoder is None:
        return np.full((len(texts), 1), np.nan), plan.tasks[0].name
    values, known, _ = store.vectors(encoder, [text_key(text) for text in distinct])
    values = np.where(known[:, None], values, np.nan).astype(np.float64)
    values = np.concatenate([values, np.full((1, values.shape[1]), np.nan)])  # -1: no text
    row_of = {text: row for row, text in enumerate(distinct)}
    return values[[row_of.get(text, -1) for text in texts]], encoder.name


def _write(kind: str, content: object) -> None:
    sys.__stdout__.buffer.write(line(kind, content))
    sys.__stdout__.flush()


if __name__ == "__main__":
    sys.exit(main())
