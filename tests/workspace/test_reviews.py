"""What a person says of queries: what holds, what it does to a truth, and what leaves and enters as files."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from helpers import run_of, truth_of

from ragdash.core.errors import InputError
from ragdash.core.paths import workspace
from ragdash.evaluation.evaluate import evaluate
from ragdash.io import read_truth
from ragdash.workspace.reviews import (
    FILE,
    VERDICTS,
    Event,
    Reviews,
    ReviewStore,
    holding,
    import_reviews,
    judged_only,
    read_events,
    reviewed,
    reviews_jsonl,
    reviews_qrels,
)

T = "truth-1"
GOLD = truth_of({"q1": {"a": 1, "b": 0}, "q2": {"c": 1}, "q3": []})


@pytest.fixture
def store(tmp_path) -> ReviewStore:
    return ReviewStore(tmp_path)


def said(store: ReviewStore, *events: Event, truth: str = T) -> list[str]:
    return [event.id for event in store.add(truth, events)]


def note(text: str, query: str = "q1", **more) -> Event:
    return Event("note", query, text, **more)


def grade(doc: str, value, query: str = "q1") -> Event:
    return Event("judgement", query, str(value), doc_id=doc)


def test_nothing_is_there_before_something_was_said(store):
    reviews = store.read(T)
    assert (reviews.events, reviews.problems, store.stamp(), store.truths()) == ((), (), "", {})
    assert reviews.counts == {"note": 0, "verdict": 0, "judgement": 0, "queries": 0}
    assert not store.path.exists()


def test_what_was_said_is_there_for_the_next_one(store):
    said(store, note("look here", by="me", when="2026-01-02T03:04:05Z"), note("of one run", run="r1"),
         Event("verdict", "q2", "wrong run", run="r1"), grade("d", 2))
    again = ReviewStore(store.folder).read(T)
    assert again.notes == {("q1", ""): "look here", ("q1", "r1"): "of one run"}
    assert again.verdicts == {("q2", "r1"): "wrong run"} and again.judgments == {("q1", "d"): 2}
    assert again.counts == {"note": 2, "verdict": 1, "judgement": 1, "queries": 2}
    assert [event.by for event in again.of("q1")] == ["me", "", ""] and again.of("q9") == ()
    assert store.truths() == {T: 4} and store.read("truth-2").events == ()


def test_the_latest_holds_and_an_empty_one_withdraws(store):
    said(store, note("one"), note("two"), note("other", run="r1"))
    assert store.read(T).notes == {("q1", ""): "two", ("q1", "r1"): "other"}
    said(store, note(""))
    assert store.read(T).notes == {("q1", "r1"): "other"}
    assert len(store.history(T)) == 4


def test_undo_brings_back_what_held_before_and_can_be_undone(store):
    said(store, grade("d", 1))
    second = said(store, grade("d", 2))[0]
    undo = store.undo(T, second)
    assert store.read(T).judgments == {("q1", "d"): 1}
    store.undo(T, undo.id)
    assert store.read(T).judgments == {("q1", "d"): 2}
    third = said(store, grade("d", ""))[0]
    assert store.read(T).judgments == {}
    store.undo(T, third)
    store.undo(T, second)
    assert store.read(T).judgments == {("q1", "d"): 1}
    with pytest.raises(InputError, match="the id of an event"):
        store.undo(T, "0" * 32)
    with pytest.raises(InputError):
        store.undo("truth-2", second)


def test_an_undo_and_its_undo():
    one, two = Event("note", "q", "one", id="1" * 32), Event("note", "q", "two", id="2" * 32)
    undo = Event("undo", "", two.id, id="3" * 32)
    again = Event("undo", "", undo.id, id="4" * 32)
    assert holding([one, two]) == (two,) and holding([one, two, undo]) == (one,)
    assert holding([one, two, undo, again]) == (two,) and holding([undo, one, two]) == (one,)


def test_stamps_change_with_what_is_said_and_only_then(store):
    stamps = [store.stamp()]
    for event in (note("one"), note("two"), grade("d", 1)):
        said(store, event)
        stamps.append(store.stamp())
    assert len(set(stamps)) == 4 and store.stamp() == stamps[-1]
    snapshot = store.read(T)
    other = ReviewStore(store.folder / "other")
    said(other, grade("d", 1), note("two"))
    assert other.read(T).stamp == snapshot.stamp != Reviews(T).stamp
    said(other, note("three"))
    assert other.read(T).stamp != snapshot.stamp


def test_which_queries_were_spoken_of(store):
    ids = pa.array(["q3", "q1", "q2"])
    said(store, note("n", "q1"), note("m", "q2", run="r1"), Event("verdict", "q3", "fine"),
         Event("verdict", "q1", "wrong gold"), note("of another ground truth", "q9"))
    reviews = store.read(T)
    assert reviews.queries(ids, "note").tolist() == [False, True, True]
    assert reviews.queries(ids, "note", run="r2").tolist() == [False, True, False]
    assert reviews.queries(ids, "verdict", "wrong gold").tolist() == [False, True, False]
    assert reviews.queries(ids, "judgement").tolist() == [False] * 3


@pytest.mark.parametrize("event", [
    Event("opinion", "q1", "x"), Event("note", "", "x"), Event("verdict", "q1", "good"), grade("", 1),
    grade("d", "1.5"), grade("d", "٣"), grade("d", 2**31), grade("d", -2**31 - 1),
    grade("d", "01"),
    Event("judgement", "q1", "1", run="r", doc_id="d"),
    Event("note", "q1", "x", doc_id="d"), Event("note", "q1", "x" * 100_001), Event("note", "q1", "\ud800"),
    Event("note", "q1", 3), Event("undo", "", "1" * 32)])
def test_what_cannot_be_said_is_said(store, event):
    with pytest.raises(InputError):
        said(store, note("right"), event)
    assert store.history(T) == ()  # all or none


def test_every_grade_of_32_bits_can_be_given(store):
    said(store, grade("low", -2**31), grade("high", 2**31 - 1))
    assert [(event.doc_id, event.value) for event in store.history(T)] == [
        ("low", str(-2**31)), ("high", str(2**31 - 1))]


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a\0b", "عربى\u202e", "x" * 100_000, "two\nlines",
                                  "'; --"])
def test_every_text_comes_back_as_it_was(store, text):
    said(store, note(text, query=text[:50]))
    assert store.read(T).notes == {(text[:50], ""): text}
    assert read_events(reviews_jsonl(T, store.history(T)))[0][1].value == text


def test_the_folder_is_the_users_workspace(monkeypatch, tmp_path):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "kept"))
    assert ReviewStore().path == workspace() / FILE == tmp_path / "kept" / FILE
    said(ReviewStore(), note("one"))
    assert (tmp_path / "kept").stat().st_mode & 0o77 == 0


def test_judgments_are_applied_and_the_rest_stays(store):
    said(store, grade("z", 2), grade("b", 1), grade("y", 0, "q3"), grade("w", 1, "q7"), truth=GOLD.digest)
    new = reviewed(GOLD, store.read(GOLD.digest))
    assert new.query_ids.equals(GOLD.query_ids)
    rows = sorted(zip(new.queries.tolist(), new.docs.to_pylist(), new.grades.tolist(), strict=True))
    assert rows == [(0, "a", 1), (0, "b", 1), (0, "z", 2), (1, "c", 1), (2, "y", 0)]
    assert new.grades.tolist() == [2, 1, 1, 1, 0]  # by query, then grade descending
    assert {problem.kind: problem.actual[:1] for problem in new.problems} == {
        "replaced-judgments": "1", "extra-queries": "1"}
    same = truth_of({"q1": {"a": 1, "b": 1, "z": 2}, "q2": {"c": 1}, "q3": {"y": 0}})
    assert new.digest == same.digest != GOLD.digest
    assert GOLD.judgments == 3  # the first one is as it was


@pytest.mark.parametrize(("judged", "grades", "replaced"), [
    ({"a": 3}, [3, 0, 1], 1), ({"a": 0}, [0, 0, 1], 1), ({"a": 1}, [1, 0, 1], 0), ({"a": 2, "b": 3}, [3, 2, 1], 2),
    ({"a": 2, "z": 1}, [2, 1, 0, 1], 1)])
def test_a_judgment_of_the_first_row_of_a_truth_is_replaced_and_counted(store, judged, grades, replaced):
    """GOLD begins with q1, a: its row is 0, which is a row like any other."""
    said(store, *(grade(doc, value) for doc, value in judged.items()), truth=GOLD.digest)
    new = reviewed(GOLD, store.read(GOLD.digest))
    assert new.grades.tolist() == grades
    assert [problem.actual[:2] for problem in new.problems] == [f"{replaced} "] * (replaced > 0)


def test_an_evaluation_with_and_one_without(store):
    run = run_of({"q1": ["z", "a"], "q2": ["c"], "q3": ["y"]})
    said(store, grade("z", 1), Event("verdict", "q2", "wrong gold"), Event("verdict", "q1", "wrong gold", run="r"),
         truth=GOLD.digest)
    reviews = store.read(GOLD.digest)
    without, with_ = (evaluate(run, truth, "P@1") for truth in (GOLD, reviewed(GOLD, reviews)))
    assert without.values[:, 0].tolist() == pytest.approx([0, 1, np.nan], nan_ok=True)
    assert with_.values[:, 0].tolist() == pytest.approx([1, 1, np.nan], nan_ok=True)
    assert without.truth_digest != with_.truth_digest
    fewer = reviewed(GOLD, reviews, leave_out=True)
    assert fewer.query_ids.to_pylist() == ["q1", "q3"]  # the verdict on one run leaves no query out
    assert evaluate(run, fewer, "P@1").query_ids.to_pylist() == ["q1", "q3"]
    assert [problem.kind for problem in fewer.problems] == ["left-out-queries"]


def test_details_stay_with_their_queries(store):
    details = pa.table({"query_id": ["q1", "q2", "q3"], "query": ["one?", "two?", "three?"]})
    truth = truth_of({"q1": ["a"], "q2": ["b"], "q3": ["c"]}, details=details)
    said(store, Event("verdict", "q2", "wrong gold"), grade("n", 1, "q3"), truth=truth.digest)
    new = reviewed(truth, store.read(truth.digest), leave_out=True)
    assert new.details["query"].to_pylist() == ["one?", "three?"]
    assert list(zip(new.queries.tolist(), new.docs.to_pylist(), strict=True)) == [(0, "a"), (1, "c"), (1, "n")]


def test_reviews_of_another_truth_are_not_applied(store):
    said(store, grade("z", 1))
    with pytest.raises(InputError, match="with digest"):
        reviewed(GOLD, store.read(T))
    nothing = reviewed(GOLD, store.read(GOLD.digest))
    assert nothing is GOLD


def test_judgments_as_qrels(store, tmp_path):
    said(store, grade("z", 2), grade("b", 0), grade("x y", 1, "q2"), note("not in there"))
    content = reviews_qrels(store.read(T))
    assert content.decode().splitlines() == ["q1\t0\tz\t2", "q1\t0\tb\t0", "q2\t0\tx y\t1"]
    (tmp_path / "new.qrels").write_bytes(content)
    assert read_truth(tmp_path / "new.qrels").pairs.tolist() == judged_only(store.read(T)).pairs.tolist()
    assert reviews_qrels(Reviews(T)) == b""


def test_out_as_jsonl_and_in_again(store, tmp_path):
    ids = said(store, note("one"), note("two"), grade("d", 2), Event("verdict", "q2", VERDICTS[1], run="r1"))
    store.undo(T, ids[1])
    content = reviews_jsonl(T, store.history(T))
    assert json.loads(content.splitlines()[2])["value"] == 2
    other = ReviewStore(tmp_path / "other")
    done = import_reviews(other, content)
    assert (done.added, done.known, done.replaced) == (5, 0, 0)
    assert other.read(T).stamp == store.read(T).stamp and other.history(T) == store.history(T)
    again = import_reviews(other, content)
    assert (again.added, again.known, again.replaced) == (0, 5, 0)
    only = ReviewStore(tmp_path / "what holds")
    import_reviews(only, reviews_jsonl(T, store.read(T).events))
    assert only.read(T).stamp == store.read(T).stamp


def test_what_an_import_replaces_is_counted(store, tmp_path):
    other = ReviewStore(tmp_path / "other")
    said(store, note("theirs"), grade("d", 1), grade("e", 1))
    said(other, note("ours"), grade("d", 1))
    done = import_reviews(other, reviews_jsonl(T, store.history(T)))
    assert (done.added, done.known, done.replaced) == (3, 0, 1)
    assert other.read(T).notes == {("q1", ""): "theirs"}


@pytest.mark.parametrize("line", [
    b"{", b"[]", b"3", b'{"kind": "note", "query_id": "q", "value": "x"}',
    b'{"truth": "t", "kind": "note", "value": "x"}',
    b'{"truth": 3, "kind": "note", "query_id": "q", "value": "x"}', b"\xff",
    b'{"truth": "t", "kind": "judgement", "query_id": "q", "doc_id": "d", "value": true}',
    b'{"truth": "t", "kind": "note", "query_id": "q", "value": null}',
    b'{"truth": "t", "kind": "note", "query_id": "q", "value": "x", "id": "7"}'])
def test_lines_that_are_no_reviews_are_named(store, line):
    good = b'{"truth": "t", "kind": "note", "query_id": "q", "value": "x", "more": 1}\n\n'
    with pytest.raises(InputError) as caught:
        import_reviews(store, good + line, "reviews.jsonl")
    assert {(problem.file, problem.line) for problem in caught.value.problems} == {("reviews.jsonl", 3)}
    assert store.truths() == {}
    assert import_reviews(store, b"\xef\xbb\xbf" + good, None).added == 1
