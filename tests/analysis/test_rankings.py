"""One query: rankings with grades and repeats, moves between runs, what covers the evidence; texts word by word."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from ragdash.analysis.query_rankings import LONGEST, evidence_coverage, grades_of, rank_moves, ranking, unique_to_run
from ragdash.core.errors import Unavailable
from ragdash.core.records import Conventions, Run, Truth
from ragdash.core.text import differing
from ragdash.matching.match import Match, Matching

SPAN = "the probe crashed in the Sea of Crises"


def truth(evidence: bool = True) -> Truth:
    columns = {"query_id": ["q1", "q2"], "evidence": [[{"text": SPAN, "source": "a"}], []]}
    return Truth.build("truth", ["q1", "q1", "q2"], ["a", "n", "z"], [2, 0, 1],
                       details=pa.table(columns) if evidence else None)


def run(texts: bool = True) -> Run:
    docs = ["b", "a", "c", "a", "d"]
    return Run.build("run", ["q1"] * 5, docs, [3.0, 2.0, 2.0, 2.0, 1.0],
                     texts=["none", f"One day {SPAN}.", None, "again", "x" * (LONGEST + 1)] if texts else None)


def test_the_ranking_of_a_query_with_grades_and_repeats():
    found = ranking(Match(run(), truth()), 0)
    assert found.docs == ("b", "c", "a", "a", "d"), "equal scores by document id, descending"
    assert found.rank.tolist() == [1, 2, 3, 3, 4] and found.repeated.tolist() == [False] * 3 + [True, False]
    assert np.isnan(found.grades).tolist() == [True, True, False, False, True] and found.grades[2] == 2
    assert found.depth == 4 and found.first(3).tolist() == [0, 1, 2]
    assert found.texts([0, 1]) == ["none", None] and found.sources([0]) == [None]
    as_filed = ranking(Match(run(), truth(), Conventions(ties="file")), 0)
    assert as_filed.docs == ("b", "a", "c", "a", "d") and as_filed.rank.tolist() == [1, 2, 3, 2, 4]


def test_the_ranks_are_those_that_the_metrics_see():
    for ties in ("docid", "file"):
        match = Match(run(), truth(), Conventions(ties=ties))
        one = ranking(match, 0)
        assert one.rank[list(one.docs).index("a")] == match.ranked.rank[match.ranked.query == 0][0]


def test_a_query_that_the_run_lacks_has_no_ranking():
    assert ranking(Match(run(), truth()), 1) is None
    assert grades_of(truth(), 0) == {"a": 2, "n": 0} and grades_of(truth(), 1) == {"z": 1}


def test_moves_and_what_one_run_alone_found():
    other = Run.build("other", ["q1"] * 3, ["e", "b", "a"])
    pair = [ranking(Match(one, truth()), 0) for one in (run(), other)]
    docs, ranks = rank_moves(pair, 2)
    assert docs == ("b", "e", "c")
    np.testing.assert_array_equal(ranks, [[1, 2], [np.nan, 1], [2, np.nan]])
    assert unique_to_run(docs, ranks, 2) == [["c"], ["e"]]
    docs, ranks = rank_moves([*pair, None], 9)
    assert ranks.shape == (5, 3) and np.isnan(ranks[:, 2]).all()
    assert rank_moves([None], 5)[0] == () and unique_to_run((), rank_moves([None], 5)[1], 5) == [[]]


def test_what_covers_the_evidence_of_one_query():
    match = Match(run(), truth())
    one = ranking(match, 0)
    (row,) = evidence_coverage(match, 0, one, 9).to_pylist()
    assert (row["doc_id"], row["rank"], row["start"], row["stop"]) == ("a", 3, 8, 8 + len(SPAN))
    whole = match.evidence.table().to_pylist()
    assert [each["doc_id"] for each in whole] == ["a"], "the same as over all queries"
    assert len(evidence_coverage(match, 0, one, 2)) == 0
    for bare in (Match(run(False), truth()), Match(run(), truth(False))):
        with pytest.raises(Unavailable):
            evidence_coverage(bare, 0, ranking(bare, 0), 9)


def said(text: str, spans) -> list[str]:
    return [text[start:stop] for start, stop in spans]


@pytest.mark.parametrize(("one", "other", "left", "right"), [
    ("in the Sea of Storms, 1969", "The sea of Crises in 1969", ["Storms"], ["Crises"]),
    ("Kaldi, a goatherd", "A goatherd named Kaldi", [], ["named"]),
    ("red fish, blue fish", "fish: blue", ["red", "fish"], []), ("b a", "a b", [], []),
    ("Luna 24.", "luna 24", [], []), ("", "luna", [], ["luna"]), ("<b>x</b>", "", ["b>x</b"], [])])
def test_texts_are_told_apart_word_by_word(one, other, left, right):
    a, b = differing(one, other)
    assert (said(one, a), said(other, b)) == (left, right)


def test_very_long_texts_stay_quick():
    a, b = differing("word " * 300_000, "other " * 300_000)
    assert len(a) == len(b) == 1_500


def test_a_repeat_among_equal_scores_does_not_disturb_the_ranks_of_the_evidence():
    own = Run.build("run", ["q1"] * 3, ["b", "b", "a"], [1.0, 1.0, 1.0], texts=[SPAN, SPAN, "last"])
    (row,) = Match(own, truth(), None, Matching("evidence")).evidence.table().to_pylist()
    assert (row["doc_id"], row["rank"]) == ("b", 1)
