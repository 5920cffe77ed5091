"""Builders and random cases that the tests share."""

from __future__ import annotations

import functools
import inspect
import io
import itertools
import json
import time
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from fixed_cases import seed_generators

from ragdash.cli.main import main
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import Evaluation, evaluate

TREC = {"missing": "zero", "unanswerable": "zero"}  # what trec_eval -c does
WILD = tuple(float(np.float32(sign * 10.0**power)) for sign in (-1, 1) for power in range(-37, 38, 2))
SCORES = {"ties": (-1.0, -0.0, 0.0, 2.5), "distinct": None, "some ties": tuple(i / 8 for i in range(-20, 20)),
          "wild": WILD}
CLOSE = tuple(sign * (0.7 + i * 2.0**-50) for sign in (-1, 1) for i in range(40))  # told apart in 64 bits alone


def call(capfdbinary, *arguments) -> tuple[int, str, str]:
    """(exit status, standard output, standard error) of one command."""
    status = main([str(argument) for argument in arguments])
    out, err = capfdbinary.readouterr()
    return status, out.decode(), err.decode()


def problems_of(refused: Callable, *arguments, **options) -> tuple[Problem, ...]:
    """The problems for which a call is refused."""
    with pytest.raises(InputError) as raised:
        refused(*arguments, **options)
    return raised.value.problems


def message_of(refused: Callable, *arguments, **options) -> str:
    """The message of the first problem for which a call is refused."""
    return problems_of(refused, *arguments, **options)[0].message


def json_lines(rows: Iterable) -> bytes:
    """A file of JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def frame_bytes(rows: Iterable, method: str, **options) -> bytes:
    """A file that pandas writes, by the name of its method, such as to_excel."""
    out = io.BytesIO()
    getattr(pd.DataFrame(rows), method)(out, **options)
    return out.getvalue()


def zip_of(files: dict[str, bytes]) -> bytes:
    """An archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return out.getvalue()


def over(**cases: Iterable) -> Callable[[Callable], Callable]:
    """Turn a check of one case into a test of them all: over(seed=range(9)); what fails says in which case.

    For many quick cases: each begins with the same state of the global generators, but fixtures are those of the test.
    """
    ((name, values),) = cases.items()

    def decorate(check: Callable) -> Callable:
        @functools.wraps(check)
        def test(*args, **kwargs):
            for value in values:
                seed_generators()
                try:
                    check(*args, **kwargs, **{name: value})
                except BaseException as fault:
                    fault.add_note(f"{name} = {value!r}")
                    raise

        signature = inspect.signature(check)
        test.__signature__ = signature.replace(
            parameters=[parameter for parameter in signature.parameters.values() if parameter.name != name])
        return test

    return decorate


def until(true, seconds: float = 180.0) -> None:
    """Wait for another process or thread until this is so."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def run_of(rankings: dict, name: str = "run", **facts) -> Run:
    """A run of {"q": {"d": score}} or {"q": ["d", ...]}; a query with an empty ranking is known by its details."""
    rows = [(query, doc) for query, docs in rankings.items() for doc in docs]
    scored = any(isinstance(docs, dict) for docs in rankings.values())
    scores = np.array([docs[doc] for docs in rankings.values() for doc in docs], float) if scored else None
    if not all(rankings.values()):
        facts.setdefault("details", pa.table({"query_id": pa.array(list(rankings), pa.string())}))
    return Run.build(name, [query for query, _ in rows], [doc for _, doc in rows], scores, **facts)


def truth_of(grades: dict, name: str = "truth", **facts) -> Truth:
    """A truth of {"q": {"d": grade}} or {"q": ["d", ...]}; a query without judgments is known by its details."""
    grades = {query: docs if isinstance(docs, dict) else dict.fromkeys(docs, 1) for query, docs in grades.items()}
    rows = [(query, doc, grade) for query, docs in grades.items() for doc, grade in docs.items()]
    if not all(grades.values()):
        facts.setdefault("details", pa.table({"query_id": pa.array(list(grades), pa.string())}))
    return Truth.build(name, [row[0] for row in rows], [row[1] for row in rows],
                       np.array([row[2] for row in rows], int), **facts)


def by_query(evaluation: Evaluation) -> dict[str, dict[str, float]]:
    """{"q": {"P@5": value}}."""
    names = [str(spec) for spec in evaluation.specs]
    rows = zip(evaluation.query_ids.to_pylist(), evaluation.values.tolist(), strict=True)
    return {query: dict(zip(names, values, strict=True)) for query, values in rows}


def value(ranking, grades, metric: str, **conventions) -> float:
    """The value of one metric for one query."""
    evaluation = evaluate(run_of({"q": ranking}), truth_of({"q": grades}), metric, **conventions)
    return float(evaluation.values[0, 0])


def mean(rankings: dict, grades: dict, metric: str, **conventions) -> float:
    """The corpus value of one metric."""
    return evaluate(run_of(rankings), truth_of(grades), metric, **conventions).summary(resamples=10)[0].mean


@dataclass(frozen=True, eq=False)
class Case:
    """A run and a truth, and the same as dictionaries for whoever computes the expected values."""

    rankings: dict[str, dict[str, float]]
    grades: dict[str, dict[str, int]]
    columns: dict
    truth_columns: dict

    def run(self) -> Run:
        return Run.build("random", **self.columns)

    def truth(self) -> Truth:
        return Truth.build("random", **self.truth_columns)


@cache
def random_case(seed: int, scores: str = "any", queries: int = 9, depth: int = 50) -> Case:
    """A small case with everything that goes wrong in joints: see the words in the code.

    scores: one of SCORES, "any" of them (exact in 32 bits, as trec_eval compares them so), or "close".
    """
    rng = np.random.default_rng(seed)
    kind = rng.choice(list(SCORES)) if scores == "any" else scores
    possible_scores = CLOSE if kind == "close" else SCORES[kind]
    query_ids = _ids(rng, int(rng.integers(1, queries + 1)))
    rankings, grades = {}, {}
    for query in query_ids:
        pool = _ids(rng, int(rng.integers(1, depth + 1)))
        returned = pool[: int(rng.integers(1, len(pool) + 1))]
        n = len(returned)
        numbers = rng.permutation(n) / 4 if kind == "distinct" else rng.choice(possible_scores, n)
        rankings[query] = dict(zip(returned, numbers.tolist(), strict=True))
        judged = [pool[i] for i in rng.permutation(len(pool))[: int(rng.integers(1, len(pool) + 1))]]
        possible = (-2, 0) if rng.random() < 0.15 else (-2, 0, 1, 2, 4)  # some queries have no relevant document
        grades[query] = dict(zip(judged, rng.choice(possible, len(judged)).tolist(), strict=True))
    for side in (rankings, grades):
        if len(query_ids) > 2 and rng.random() < 0.5:
            del side[query_ids[int(rng.integers(len(query_ids)))]]
    if not rankings.keys() & grades.keys():
        return random_case(seed + 1_000_003, scores, queries, depth)
    step = 2.0**-50 if kind == "close" else 1.0
    return Case(rankings, grades, _run_columns(rng, rankings, step), _truth_columns(rng, grades))


def _ids(rng: np.random.Generator, n: int) -> list[str]:
    """n distinct ids of one style or of all styles, in random order."""
    numbers = rng.permutation(2 * n + 5).tolist()
    styles = [
        lambda i: str(i),
        lambda i: f"{i:07d}",
        lambda i: f"{i}e5",
        lambda i: f"2506.{i:03d}00",
        lambda i: f"msmarco_passage_collection_v2_{i:06d}"[:40],
        lambda i: "x" * (i % 40 + 1) + chr(0x61 + i // 40),
        lambda i: "abcdefgh" * (i % 4) + f"{i:02d}",
        lambda i: f"документ-{i}",
        lambda i: chr(0x4E00 + i) + "東京"[: i % 3],
        lambda i: ("caf\u00e9", "cafe\u0301")[i % 2] + str(i // 2),
        lambda i: "🦉" * (i % 3 + 1) + chr(0xE000 + i),
        lambda i: ("NA", "nan", "None", "null", "", "-")[i % 6] + f"{i // 6 or ''}" + "_" * (i % 6 == 4),
    ]
    style = rng.integers(len(styles) + 1)
    made = [styles[i % len(styles) if style == len(styles) else style](i) for i in numbers]
    return list(dict.fromkeys(made))[:n]


def _run_columns(rng: np.random.Generator, rankings: dict, step: float) -> dict:
    """The rows of a run in some order and kind of column, some documents twice (the second some steps lower)."""
    rows = [(query, doc, score) for query, docs in rankings.items() for doc, score in docs.items()]
    if rng.random() < 0.4:
        rows += [(query, doc, score - step * int(rng.integers(0, 3)))
                 for query, doc, score in rows if rng.random() < 0.1]
    order = rng.choice(["as is", "grouped", "sorted", "shuffled", "by score"])
    if order in ("shuffled", "grouped", "by score"):
        rows = [rows[i] for i in rng.permutation(len(rows))]
    if order in ("grouped", "sorted"):
        at = {query: i for i, query in enumerate(rankings)}
        rows.sort(key=lambda row: (at[row[0]], -row[2] if order == "sorted" else 0))
    if order == "by score":
        rows.sort(key=lambda row: -row[2])
    queries, docs, scores = zip(*rows, strict=True)
    return {"query_ids": _column(rng, queries, coded=True), "docs": _column(rng, docs), "scores": np.array(scores)}


def _truth_columns(rng: np.random.Generator, grades: dict) -> dict:
    """The judgments in some order and kind of column, some of them given twice."""
    rows = [(query, doc, grade) for query, docs in grades.items() for doc, grade in docs.items()]
    rows += [row for row in rows if rng.random() < 0.05]
    if rng.random() < 0.5:
        rows = [rows[i] for i in rng.permutation(len(rows))]
    queries, docs, numbers = zip(*rows, strict=True)
    return {"query_ids": _column(rng, queries, coded=True), "docs": _column(rng, docs), "grades": np.array(numbers)}


def _column(rng: np.random.Generator, values, coded: bool = False):
    """The values as a list or as one of the kinds of Arrow column that readers and users have."""
    kind = rng.choice(["list", "array", "slice", "chunks", "coded"] if coded else ["list", "array", "slice", "chunks"])
    array = pa.array(values, pa.string())
    if kind == "slice":
        return pa.concat_arrays([pa.array(["before", "bß"]), array, pa.array(["after"])]).slice(2, len(array))
    if kind == "chunks":
        cuts = np.sort(rng.integers(0, len(array) + 1, 4))
        return pa.chunked_array([array[a:b] for a, b in itertools.pairwise([0, *cuts.tolist(), len(array)])])
    return {"list": list(values), "array": array, "coded": array.dictionary_encode()}[kind]
