"""Union without copies, and cascades, against plain definitions and by hand; what they need and leave out."""

from __future__ import annotations

import numpy as np
import pytest
from fusion_cases import random_lists, run_of

from ragdash import InputError, Run, Truth, evaluate, fuse, parse_specs
from ragdash.cli.main import main
from ragdash.experiments.fusion import candidates as candidates_module
from ragdash.experiments.fusion.judged_pool import judged_pool
from ragdash.experiments.fusion.recipe import make_recipe
from ragdash.io import read_run, write_run
from ragdash.matching.text_copies import first_copies, near_pairs

LONG = "the soviet probe luna 15 fell into the sea of crises while the crew of apollo 11 slept in eagle on the moon"


def texts_run(name: str, rows: dict[str, list[tuple[str, str | None]]], scores: bool = True) -> Run:
    """A run from {query: [(document, text)]}, best first."""
    flat = [(query, doc, text, -float(rank)) for query, docs in rows.items() for rank, (doc, text) in enumerate(docs)]
    queries, docs, texts, values = ([row[i] for row in flat] for i in range(4))
    return Run.build(name, queries, docs, values if scores else None, texts=texts)


def ids(run: Run, query: str = "q") -> list[str]:
    return run.ranking(query)["doc_id"].to_pylist()


def plain_union(lists: list[list[str]], text_of: dict[str, str]) -> list[str]:
    """Round robin as LangChain's MergerRetriever does, then each id and each text once."""
    merged, texts = [], set()
    for rank in range(max(map(len, lists), default=0)):
        for docs in lists:
            if rank < len(docs) and docs[rank] not in merged and text_of.get(docs[rank]) not in texts:
                merged.append(docs[rank])
                texts.add(text_of.get(docs[rank], docs[rank]))
    return merged


def test_the_union_takes_turns_and_has_each_text_once():
    first = texts_run("a", {"q": [("a1", "Same  TEXT"), ("a2", "two"), ("a3", None), ("a4", "")]})
    second = texts_run("b", {"q": [("b1", "other"), ("b2", "same text"), ("a3", "three"), ("b4", ""), ("a1", "x")]})
    fused = fuse([first, second], "union")
    assert ids(fused) == ["a1", "b1", "a2", "a3", "a4", "b4"]  # b2 has the text of a1; empty texts are no copies
    assert fused.ranking("q")["score"].to_pylist() == pytest.approx([1, 1 / 2, 1 / 3, 1 / 5, 1 / 7, 1 / 8])
    [note] = fused.problems
    assert (note.kind, note.severity, note.facts["count"]) == ("fusion-copies", "note", 1)
    assert ids(fuse([first, second], "union", same="id")) == ["a1", "b1", "a2", "b2", "a3", "a4", "b4"]
    assert ids(fuse([first, second], "union", window=1)) == ["a1", "b1"]


def test_near_copies_are_left_out_unless_their_numbers_differ():
    near, other = f"{LONG} then".title(), LONG.replace("15", "16")
    runs = [texts_run("a", {"q": [("a1", LONG), ("a2", near)], "p": [("a2", near)]}),
            texts_run("b", {"q": [("b1", other), ("b2", f" {LONG} ")], "p": [("a1", LONG)]})]
    fused = fuse(runs, "union", same="near")
    assert ids(fused) == ["a1", "b1"] and ids(fused, "p") == ["a2"]  # copies count within a query alone
    [note] = [problem for problem in fused.problems if problem.kind == "fusion-copies"]
    assert "nearly the same text" in str(note) and note.facts["count"] == 3
    assert ids(fuse(runs, "union")) == ["a1", "b1", "a2"]


@pytest.mark.parametrize("rows_in_a_block", [1 << 16, 40])
def test_the_union_is_that_of_its_plain_definition_and_has_its_values(monkeypatch, rows_in_a_block):
    blocks = candidates_module.query_blocks
    monkeypatch.setattr(candidates_module, "query_blocks", lambda starts: blocks(starts, rows_in_a_block))
    systems = random_lists(11)
    text_of = {f"d{doc:02}": f"text {doc % 7}" for doc in range(20)}
    runs = [texts_run(f"r{i}", {query: [(doc, text_of[doc]) for doc in docs] for query, docs in lists.items()})
            for i, lists in enumerate(systems)]
    truth = Truth.build("qrels", [f"q{i}" for i in range(30) for _ in range(2)], ["d03", "d11"] * 30, [1, 2] * 30)
    specs, pool = parse_specs("nDCG@10 R@3 RR"), judged_pool(runs, truth)
    for same, texts in (("text", text_of), ("id", {})):
        fused = fuse(runs, "union", same=same)
        for query in fused.query_ids.to_pylist():
            lists = [list(lists.get(query, {})) for lists in systems]
            assert ids(fused, query) == plain_union(lists, texts), query
        values = pool.values([make_recipe(runs, "union", params={"same": same})], specs)[0].T
        np.testing.assert_array_equal(values, evaluate(fused, truth, specs).values)


def test_no_near_pair_is_missed_and_none_is_made_up():
    rng = np.random.default_rng(5)
    texts = []
    for _ in range(60):
        row = rng.integers(0, 30, int(rng.integers(1, 25))).tolist()
        texts += [" ".join(f"w{chr(97 + word)}" for word in row[:cut]) for cut in (len(row), max(len(row) - 2, 1))]

    def shingles(text: str) -> set:
        words = text.split()
        return {tuple(words[i:i + 3]) for i in range(max(len(words) - 2, 1))}

    for least in (0.5, 0.8):
        expected = {}
        for i, text in enumerate(texts):
            for j in range(i + 1, len(texts)):
                a, b = shingles(text), shingles(texts[j])
                if len(a & b) / len(a | b) >= least - 1e-9:
                    expected[i, j] = len(a & b) / len(a | b)
        first, second, share = near_pairs(texts, least)
        assert dict(zip(zip(first.tolist(), second.tolist(), strict=True), share.tolist(), strict=True)) == \
            pytest.approx(expected)
        assert len(expected) > 30
    assert [len(part) for part in near_pairs([])] == [len(part) for part in near_pairs(["", "one"])] == [0, 0, 0]
    import pyarrow as pa

    assert first_copies(pa.array([None, None], pa.string()), np.zeros(2, int), np.arange(2), near=True).all()


def test_a_cascade_keeps_the_first_runs_order_below_its_depth():
    first = run_of("a", {"q": {"d1": 5.0, "d2": 4.0, "d3": 3.0, "d4": 2.0}, "only first": {"d1": 2.0, "d2": 1.0}})
    second = run_of("b", {"q": {"d4": 9.0, "d3": 8.0, "d1": 7.0, "d9": 6.0}, "only second": {"d1": 1.0}}, scores=False)
    orders = {1: ["d1", "d2", "d3", "d4"], 3: ["d3", "d1", "d2", "d4"], 50: ["d4", "d3", "d1", "d2"]}
    for depth, order in orders.items():
        fused = fuse([first, second], "cascade", depth=depth)
        assert ids(fused) == order and ids(fused, "only first") == ["d1", "d2"]
        assert len(fused.ranking("only second")) == 0
    assert ids(fuse([first, first.renamed("copy")], "cascade")) == ids(first)
    for wrong, runs in (({"depth": 0}, [first, second]), ({"n": 5}, [first, second]), ({}, [first, second, first])):
        with pytest.raises(InputError):
            fuse(runs, "cascade", **wrong)


def test_a_union_without_texts_is_refused_with_a_way_out(capsys, tmp_path):
    paths = []
    for name, docs in (("a", {"d1": 2.0, "d2": 1.0}), ("b", {"d2": 2.0, "d3": 1.0})):
        paths.append(str(tmp_path / f"{name}.trec"))
        write_run(run_of(name, {"q": docs}), paths[-1])
    out = str(tmp_path / "out.trec")
    assert main(["fuse", *paths, "--method", "union", "-o", out]) == 2
    assert "--param same=id" in capsys.readouterr().err
    assert main(["fuse", *paths, "--method", "union", "--param", "same=id", "-o", out]) == 0
    assert ids(read_run(out)) == ["d1", "d2", "d3"]
    judged = tmp_path / "qrels.txt"
    judged.write_text("q 0 d1 1\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["fuse", *paths, "--method", "union", "--param", "same=id", "--truth", str(judged)]) == 2
    assert "--truth with --tune, or without --method, --preset and --param" in " ".join(capsys.readouterr().err.split())
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(f'{{"_id": "d{i}", "text": "text {i % 2}"}}' for i in (1, 2, 3)), encoding="utf-8")
    assert main(["fuse", *paths, "--corpus", str(corpus), "--method", "union", "-o", out]) == 0
    assert "1 document left out" in capsys.readouterr().err and ids(read_run(out)) == ["d1", "d2"]
    assert main(["fuse", *paths, "--method", "cascade", "--param", "depth=50", "-o", out]) == 0
    assert ids(read_run(out)) == ["d2", "d1"]
    assert main(["fuse", *paths, "--method", "union", "--param", "same=words", "-o", out]) == 2
    assert "id, text, near" in capsys.readouterr().err


@pytest.mark.parametrize("ties", ["x", "", None])
def test_an_order_of_ties_that_is_none_is_refused(ties):
    run = Run.from_dict({"q": {"a": 1.0, "b": 1.0}})
    with pytest.raises(InputError, match="docid, file or trec_eval"):
        fuse([run, run], ties=ties)


@pytest.mark.parametrize("window", [float("nan"), 2.5, "5", True])
def test_a_window_that_is_no_count_is_refused(window):
    run = Run.from_dict({"q": {"a": 2.0, "b": 1.0}})
    with pytest.raises(InputError, match="window"):
        fuse([run, run], window=window)


def test_a_window_wider_than_any_run_takes_all():
    run = Run.from_dict({"q": {"a": 2.0, "b": 1.0}})
    assert fuse([run, run], window=10**30).ranking("q").equals(fuse([run, run]).ranking("q"))
