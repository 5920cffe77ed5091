"""Judged documents are followed to their new ids by their texts; a planted re-index has a known answer."""

from __future__ import annotations

import json
import random

import numpy as np
import pyarrow as pa
import pytest
from helpers import call, run_of, truth_of

from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError
from ragdash.core.records import Truth
from ragdash.evaluation.evaluate import evaluate
from ragdash.io import read_truth
from ragdash.matching.relink import ACCEPTED, KINDS, propose_links, relinked, texts_by_id

WORDS = [f"word{i}" for i in range(900)]
KIND_OF = ("same", "moved", "moved", "split", "split", "changed", "merged", "gone", "shifted", "reused")


def sentence(rng: random.Random, n: int = 80) -> list[str]:
    return rng.choices(WORDS, k=n)


def planted(documents: int = 300, seed: int = 3) -> tuple[dict, dict, dict]:
    """(old texts, new texts, {old id: (kind, new ids)}) of a corpus that was indexed again."""
    rng = random.Random(seed)
    old, new, answer = {}, {}, {}
    for i in range(documents):
        doc, text = f"old{i}", sentence(rng)
        old[doc] = " ".join(text)
        kind = KIND_OF[i % len(KIND_OF)]
        ids = (f"new{i}",)
        if kind == "same":
            ids = (doc,)
            new[doc] = " ".join(text)
        elif kind == "moved":
            new[ids[0]] = "  ".join(text).upper()  # white space and case aside
        elif kind == "split":
            ids = (f"new{i}a", f"new{i}b")
            new |= {ids[0]: " ".join(text[:45]), ids[1]: " ".join(text[45:])}
        elif kind == "changed":
            for place in rng.sample(range(len(text)), 4):
                text[place] = "corrected"
            new[ids[0]] = " ".join(text)
        elif kind == "merged":
            new[ids[0]] = " ".join(sentence(rng) + text + sentence(rng))
        elif kind == "shifted":  # chunk borders moved: each new chunk has half of this text and half of another
            kind, ids = "split", (f"new{i}a", f"new{i}b")
            new |= {ids[0]: " ".join(sentence(rng, 40) + text[:40]), ids[1]: " ".join(text[40:] + sentence(rng, 40))}
        elif kind == "reused":  # the id has another text now, and its own text another id
            kind = "moved"
            new |= {ids[0]: " ".join(text), doc: " ".join(sentence(rng))}
        answer[doc] = (kind, () if kind == "gone" else ids)
    return old, new, answer


def test_a_planted_re_index_is_followed():
    old, new, answer = planted()
    links = propose_links(truth_of({"q": list(old)}), old, new).links
    assert [link.doc_id for link in links] == sorted(old)
    right = [(link.kind, sorted(link.targets)) == (answer[link.doc_id][0], sorted(answer[link.doc_id][1]))
             for link in links]
    proposed = [(link.doc_id, target) for link in links for target in link.targets]
    expected = {(doc, target) for doc, (_, targets) in answer.items() for target in targets}
    precision = np.mean([pair in expected for pair in proposed])
    assert np.mean(right) >= 0.99 and precision >= 0.99 and len(expected & set(proposed)) / len(expected) >= 0.99


def test_the_shares_say_how_much_of_the_text_is_there():
    old, new, _ = planted(40)
    by_kind = {kind: [link.share for link in propose_links(truth_of({"q": list(old)}), old, new).links
                      if link.kind == kind] for kind in KINDS}
    assert set(by_kind["same"] + by_kind["moved"]) == {1.0}
    assert min(by_kind["merged"]) == 1.0 and 0.8 < min(by_kind["changed"]) < 1.0
    assert all(0.9 < share < 1 for share in by_kind["split"]) and max(by_kind["gone"]) < 0.2


def test_an_id_without_an_old_text_is_unknown_and_stays_as_it_is():
    truth = truth_of({"q": ["a", "b"]})
    relinking = propose_links(truth, {}, {"a": "some text"})
    assert [(link.kind, link.targets) for link in relinking.links] == [("unknown", ("a",)), ("unknown", ())]
    assert relinked(truth, relinking).docs.to_pylist() == ["a", "b"]


@pytest.mark.parametrize("text", ["", "x", "月は地球を回る", "two words"])
def test_short_texts_are_followed_when_they_are_equal(text):
    relinking = propose_links(truth_of({"q": ["a"]}), {"a": text or " "}, {"b": text or " "})
    assert [(link.kind, link.targets) for link in relinking.links] == [("moved", ("b",))]


def test_equal_texts_under_several_new_ids_are_all_relevant():
    relinking = propose_links(truth_of({"q": ["a"]}), {"a": "the moon"}, {"y": "The Moon", "x": "the  moon"})
    assert relinking.links[0].targets == ("x", "y")


def test_judgments_follow_with_their_grades_and_the_highest_counts_where_documents_became_one():
    old = {"a": "one two three four five six", "b": "seven eight nine ten eleven twelve", "c": "gone for good it is"}
    new = {"n": "one two three four five six seven eight nine ten eleven twelve"}
    truth = truth_of({"q1": {"a": 1, "b": 3, "c": 2}, "q2": {"a": 2}})
    relinking = propose_links(truth, old, new)
    assert relinking.counts == {**dict.fromkeys(KINDS, 0), "merged": 2, "gone": 1}
    after = relinked(truth, relinking)
    judged = {(after.query_ids[int(q)].as_py(), doc): int(grade)
              for q, doc, grade in zip(after.queries, after.docs.to_pylist(), after.grades, strict=True)}
    assert judged == {("q1", "n"): 3, ("q1", "c"): 2, ("q2", "n"): 2}
    assert "c" not in relinked(truth, relinking, drop_gone=True).docs.to_pylist()
    assert relinked(truth, relinking, drop_gone=True).problems[-1].facts["dropped"] == 1
    assert set(relinked(truth, relinking, accept=["same"]).docs.to_pylist()) == {"a", "b", "c"}
    assert set(relinked(truth, relinking, rejected=["a"]).docs.to_pylist()) == {"a", "n", "c"}
    assert truth.docs.to_pylist().count("a") == 2, "the ground truth itself stays"


def test_a_run_on_the_new_ids_has_its_old_mean_back():
    old, new, answer = planted(60)
    followed = [doc for doc, (kind, _) in answer.items() if kind in ("same", "moved", "changed")]
    truth = truth_of({f"q{i}": [doc] for i, doc in enumerate(followed)})
    before = run_of({f"q{i}": ["x"] * (i % 2) + [doc] for i, doc in enumerate(followed)})
    after = run_of({f"q{i}": ["x"] * (i % 2) + list(answer[doc][1]) for i, doc in enumerate(followed)})
    fixed = relinked(truth, propose_links(truth, old, new))
    assert evaluate(after, truth, "RR").values.mean() < 0.3
    assert evaluate(after, fixed, "RR").values.tolist() == evaluate(before, truth, "RR").values.tolist()


def test_references_and_queries_without_judgments_stay():
    truth = truth_of({"q": ["a"], "empty": []})
    after = relinked(truth, propose_links(truth, {"a": "t"}, {"b": "t"}))
    assert after.query_ids.to_pylist() == ["q", "empty"] and after.name == "truth (relinked)"


def test_texts_come_from_corpora_and_from_runs():
    run = run_of({"q": ["a", "b"]}, texts=["of the run", None])
    assert texts_by_id([run, Corpus.build("c", ["b", "a"], ["of the corpus", "later"])]) == {
        "a": "of the run", "b": "of the corpus"}
    assert texts_by_id([run_of({"q": ["a"]})]) == {}


def test_the_command_shows_links_and_means_and_writes_the_truth(tmp_path, capfdbinary):
    for name, docs in (("old", {"1": "the moon orbits the earth", "2": "tides follow the moon every day"}),
                       ("new", {"10": "The moon orbits the earth", "20": "tides follow the moon every day"})):
        lines = [json.dumps({"_id": doc, "title": "", "text": text}) for doc, text in docs.items()]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    (tmp_path / "qrels.txt").write_text("q1 0 1 1\nq2 0 2 1\n")
    (tmp_path / "run.txt").write_text("q1 Q0 10 1 2.0 r\nq2 Q0 x 1 2.0 r\nq2 Q0 20 2 1.0 r\n")
    arguments = ["relink", tmp_path / "qrels.txt", "--old", tmp_path / "old.jsonl", "--new", tmp_path / "new.jsonl"]
    status, out, err = call(capfdbinary, *arguments, "--runs", tmp_path / "run.txt", "-m", "RR", "-o",
                            tmp_path / "fixed.txt", "--links", tmp_path / "links.csv")
    assert status == 0 and "2 judgments of 2 with new ids" in err
    assert "moved" in out and "0.0000" in out and "0.7500" in out
    assert read_truth(tmp_path / "fixed.txt").docs.to_pylist() == ["10", "20"]
    assert (tmp_path / "links.csv").read_text().splitlines()[1] == "1,moved,10,1.0000,1"
    status, out, _ = call(capfdbinary, *arguments, "--format", "json", "--accept", "same")
    assert status == 0 and json.loads(out)["counts"]["moved"] == 2
    status, _, err = call(capfdbinary, *arguments, "--accept", "gone")
    assert status == 2 and "--accept" in err and all(kind in err for kind in ACCEPTED)


def test_the_command_refuses_files_that_cannot_be_read(tmp_path, capfdbinary):
    (tmp_path / "qrels.txt").write_text("q1 0 1 1\n")
    status, _, err = call(capfdbinary, "relink", tmp_path / "qrels.txt", "--old", tmp_path / "no", "--new", "no")
    assert status == 2 and "no" in err
    with pytest.raises(InputError):
        read_truth(tmp_path / "no")


def test_documents_that_an_asker_may_see_follow_too():
    details = pa.table({"query_id": ["q1", "q2"], "allowed": [["a", "b"], None]})
    truth = Truth.build("truth (relinked)", ["q1"], ["a"], [1], details=details)
    old, new = {"a": "one text here", "b": "another text there"}, {"x": "one text here", "y": "another text there"}
    relinking = propose_links(truth, old, new)
    assert [(link.doc_id, link.targets, link.judgments) for link in relinking.links] == [
        ("a", ("x",), 1), ("b", ("y",), 0)]
    after = relinked(truth, relinking)
    assert after.details["allowed"].to_pylist() == [["x", "y"], None] and after.name == "truth (relinked 2)"


FIRST, SECOND, THIRD = ("one two three four five six seven", "eight nine ten eleven twelve thirteen",
                        "red green blue yellow black white pink")


@pytest.mark.parametrize("allowed, new, expected", [
    (["a"], {"n": f"{FIRST} {SECOND}"}, []), (["a", "b"], {"n": f"{FIRST} {SECOND}"}, ["n"]),
    (["a"], {"n": FIRST, "b": SECOND}, ["n"]), (["a"], {"n": f"{FIRST} and some more words of nobody"}, ["n"]),
    (["a"], {"n": f"{FIRST} eight nine ten eleven", "m": "ten eleven twelve thirteen"}, []),
    (["a", "c"], {"a": SECOND, "n": f"{FIRST} {THIRD}"}, ["n"]), (["b"], {"b": THIRD}, []),
])
def test_a_new_document_is_allowed_where_all_its_old_text_is(allowed, new, expected):
    details = pa.table({"query_id": ["q"], "allowed": [allowed]})
    truth = Truth.build("truth", ["q"], ["a"], [1], details=details)
    after = relinked(truth, propose_links(truth, {"a": FIRST, "b": SECOND, "c": THIRD}, new))
    assert after.details["allowed"].to_pylist() == [expected]
    warned = [problem for problem in after.problems if problem.kind == "relinked-not-allowed"]
    assert len(warned) == (not expected and "n" in new) and all(problem.facts["old"] == "b" for problem in warned)


def test_the_judgment_of_a_document_that_is_gone_is_left_out_where_another_one_has_its_id():
    truth = truth_of({"q": {"a": 2, "b": 1}})
    relinking = propose_links(truth, {"a": FIRST, "b": SECOND}, {"a": SECOND})
    after = relinked(truth, relinking)
    assert dict(zip(after.docs.to_pylist(), after.grades.tolist(), strict=True)) == {"a": 1}
    assert after.problems[-1].facts["dropped"] == 1


def test_documents_of_subtopics_follow_too():
    rows = [{"subtopic": "1", "doc_id": "a", "grade": 1}, {"subtopic": "1", "doc_id": "b", "grade": 2},
            {"subtopic": "2", "doc_id": "c", "grade": 1}]
    truth = truth_of({"q": {"a": 1}}, details=pa.table({"query_id": ["q", "p"], "subtopics": [rows, None]}))
    old = {"a": FIRST, "b": SECOND, "c": THIRD}
    relinking = propose_links(truth, old, {"n": f"{FIRST} {SECOND}", "x": THIRD})
    after = relinked(truth, relinking)
    assert after.details["subtopics"].to_pylist() == [[
        {"subtopic": "1", "doc_id": "n", "grade": 2}, {"subtopic": "2", "doc_id": "x", "grade": 1}], None]


@pytest.mark.parametrize("option", ["--old", "--new"])
def test_the_command_refuses_a_file_without_texts(option, tmp_path, capfdbinary):
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "some words"}\n')
    (tmp_path / "run.trec").write_text("q1 Q0 d1 1 3 x\n")
    files = {"--old": tmp_path / "corpus.jsonl", "--new": tmp_path / "corpus.jsonl", option: tmp_path / "run.trec"}
    status, _, err = call(capfdbinary, "relink", tmp_path / "qrels.txt", *(
        item for pair in files.items() for item in pair), "--drop-gone", "-o", tmp_path / "out.jsonl")
    assert status == 2 and "no text of a document" in err and not (tmp_path / "out.jsonl").exists()
