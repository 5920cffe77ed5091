"""The documents that could be returned: looked up by id, and part of a truth's digest only where they are there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError
from ragdash.core.records import Truth

IDS, TEXTS, TITLES = ["d1", "007", "d3"], ["one", None, "three"], [None, "seven", None]
LONG = "x" * 300


def corpus(order=(0, 1, 2)) -> Corpus:
    return Corpus.build("c", *([column[i] for i in order] for column in (IDS, TEXTS, TITLES)))


def test_looked_up_by_id():
    found = corpus()
    assert found.rows(["d3", "7", "007", "d3"]).tolist() == [2, -1, 1, 2]
    assert found.has(pa.array(["d1", "x"])).tolist() == [True, False]
    assert found.texts_of(["d3", "x", "007", "d1"]).to_pylist() == ["three", None, None, "one"]
    assert found.documents(["007", "x"]).to_pylist() == [
        {"doc_id": "007", "title": "seven", "text": None}, {"doc_id": "x", "title": None, "text": None}]
    assert found.rows([]).tolist() == [] and found.texts_of([]).to_pylist() == []
    assert len(found) == 3 and "3 documents" in repr(found) and found.nbytes > 0


def test_many_in_chunks():
    ids = [f"d{i}" for i in range(1000)]
    halves = pa.chunked_array([pa.array(ids[:300]), pa.array(ids[300:])])
    found = Corpus.build("c", halves, pa.chunked_array([pa.array(ids)]))
    wanted = np.random.default_rng(0).permutation(ids)
    assert found.texts_of(pa.array(wanted)).to_pylist() == wanted.tolist()
    assert found.digest == Corpus.build("c", ids[::-1], ids[::-1]).digest


def test_the_digest_is_of_the_content():
    assert corpus().digest == corpus((2, 0, 1)).digest == Corpus.build("other", IDS, TEXTS, TITLES).digest
    others = [Corpus.build("c", IDS), Corpus.build("c", IDS, TEXTS), Corpus.build("c", IDS, TITLES, TEXTS),
              Corpus.build("c", IDS, ["one", None, LONG], TITLES), Corpus.build("c", ["d1", "7", "d3"], TEXTS, TITLES)]
    assert len({one.digest for one in [corpus(), *others]}) == 6
    assert Corpus.build("c", IDS, [None] * 3).digest == Corpus.build("c", IDS).digest
    assert Corpus.build("c", IDS, [None] * 3).texts is None


def test_a_document_twice():
    again = Corpus.build("c", ["a", "b", "a"], ["x", None, "x"])
    assert again.doc_ids.to_pylist() == ["a", "b"] and again.digest == Corpus.build("c", ["b", "a"], [None, "x"]).digest
    with pytest.raises(InputError) as caught:
        Corpus.build("c", ["a", "b", "a"], ["x", "y", "z"], file="f", lines=[1, 2, 5])
    problem, = caught.value.problems
    assert problem.line == 5 and "'a'" in problem.actual and "lines 1 and 5" in problem.actual


@pytest.mark.parametrize("columns, kind", [((["a", None],), "missing-id"), ((["a"], ["x", "y"]), "unfit-columns"),
                                           ((["a"], None, ["x", "y"]), "unfit-columns")])
def test_columns_that_do_not_fit(columns, kind):
    with pytest.raises(InputError) as caught:
        Corpus.build("c", *columns)
    assert caught.value.problems[0].kind == kind


def test_a_truth_has_the_same_digest_without_it():
    truth = Truth.build("t", ["q"], ["d1"], np.array([1]))
    beside = truth.with_corpus(corpus())
    assert truth.corpus is None and beside.corpus.doc_ids.to_pylist() == IDS
    assert truth.digest == truth.judged_digest == beside.judged_digest == beside.with_corpus(None).digest
    assert beside.digest != truth.digest
    assert beside.digest != truth.with_corpus(Corpus.build("c", IDS)).digest
