"""A truth with what a person said of it.

Letters: R judgments of the truth, J of the reviews.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import frozen
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth
from ragdash.core.records.arguments import checked
from ragdash.core.slices import part
from ragdash.workspace.reviews.events import Reviews


@checked
def reviewed(truth: Truth, reviews: Reviews, *, leave_out: bool = False) -> Truth:
    """Apply a person's judgments to a truth.

    Parameters
    ----------
    truth
        The judgments of the file.
    reviews
        A person's judgments; they replace those of the same document, and those of unknown queries are left out. Both
        are counted among the problems of the result.
    leave_out
        Leave out the queries with the verdict "wrong gold" for all runs; they are counted too.

    Returns
    -------
    Truth
        With the same order of queries and another digest; the same truth if nothing applies.

    Raises
    ------
    InputError
        The reviews are of another truth.
    """
    if reviews.truth != truth.digest:
        raise InputError([Problem("other-truth", {"digest": reviews.truth[:12], "truth": truth.name,
                                  "truth_digest": truth.digest[:12]})])
    result = _judged(truth, reviews)
    wrong = reviews.queries(truth.query_ids, "verdict", "wrong gold", run="") if leave_out else np.zeros(0, bool)
    if wrong.any():
        result = part(result, ~wrong)
        result = replace(result, problems=(*result.problems, Problem("left-out-queries", {"queries": wrong.sum()},
                                                                     severity="warning")))
    return result


def judged_only(reviews: Reviews, name: str = "reviews") -> Truth:
    """The judgments of the reviews alone, as a truth (to be written in any format)."""
    queries, docs, grades = _columns(reviews)
    return Truth.build(name, queries, docs, np.array(grades, np.int64))


def _columns(reviews: Reviews) -> tuple[list[str], list[str], list[int]]:
    pairs = list(reviews.judgments)
    return [query for query, _ in pairs], [doc for _, doc in pairs], list(reviews.judgments.values())


def _judged(truth: Truth, reviews: Reviews) -> Truth:
    """The judgments that override those of the truth."""
    names, docs, grades = _columns(reviews)
    if not names:
        return truth
    query = pc.fill_null(pc.index_in(pa.array(names, pa.string()), value_set=truth.query_ids), -1).to_numpy()
    in_truth = query >= 0
    query, grade = query[in_truth].astype(np.int64), np.array(grades, np.int64)[in_truth]
    doc = pa.array(docs, pa.string()).filter(pa.array(in_truth))
    old = _again(truth, query, doc)
    changed = truth.grades[old[old >= 0]] != grade[old >= 0]
    remaining = np.ones(truth.judgments, bool)
    remaining[old[old >= 0]] = False
    queries = np.concatenate([truth.queries[remaining], query])
    all_docs = pa.concat_arrays([truth.docs.filter(pa.array(remaining)), doc])
    all_grades = np.concatenate([truth.grades[remaining], grade])
    order = np.lexsort((-all_grades, queries))
    return replace(truth, queries=frozen(queries[order]), docs=all_docs.take(pa.array(order)),
                   grades=frozen(all_grades[order]),
                   problems=(*truth.problems, *_problems(int(changed.sum()), int((~in_truth).sum()))))


def _again(truth: Truth, query: np.ndarray, doc: pa.StringArray) -> np.ndarray:
    """The judgment of the truth of each (query, document), -1 where it has none: (J,) int64."""
    rows = np.flatnonzero(np.isin(truth.queries, query))
    documents = pa.concat_arrays([truth.docs.take(pa.array(rows)), doc]).dictionary_encode()
    code = documents.indices.to_numpy().astype(np.int64)
    width = max(len(documents.dictionary), 1)
    keys = truth.queries[rows] * width + code[:len(rows)]
    sought = query * width + code[len(rows):]
    if not len(keys):
        return np.full(len(sought), -1)
    order = np.argsort(keys)
    slots = np.minimum(np.searchsorted(keys[order], sought), len(keys) - 1)
    return np.where(keys[order][slots] == sought, rows[order][slots], -1)


def _problems(changed: int, unknown: int) -> list[Problem]:
    problems = []
    if changed:
        problems.append(Problem("replaced-judgments", {"judgments": changed}, severity="warning"))
    if unknown:
        problems.append(Problem("extra-queries/reviews", {"judgments": unknown}, severity="warning"))
    return problems
