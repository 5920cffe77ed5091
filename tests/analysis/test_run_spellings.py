"""Runs that name the same document in two ways, and runs that are nearly the same: checks name both."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import run_of, truth_of

from ragdash.analysis.comparability.run_spellings import SAMPLE, spelled_apart
from ragdash.analysis.verdict import find_checks
from ragdash.cli.main import main
from ragdash.core.ids.normalization import with_ids_of
from ragdash.core.records import Run, Truth
from ragdash.experiments.fusion.fuse import fuse
from ragdash.io import write_run
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec

SPEC = parse_spec("nDCG@10")
QUERIES = [f"q{number}" for number in range(100)]


def rankings(seed: int, spell: str = "p{}") -> dict[str, list[str]]:
    """Ten documents of 2,000 for each query; the first is the judged one for most."""
    rng = np.random.default_rng(seed)
    return {query: [spell.format(document) for document in [1000 + number, *rng.integers(1, 999, 9).tolist()]]
            for number, query in enumerate(QUERIES)}


def the_truth(spell: str = "p{}") -> Truth:
    return truth_of({query: [spell.format(1000 + number)] for number, query in enumerate(QUERIES)})


def kinds(runs: list[Run], truth: Truth) -> list[str]:
    return [check.kind for check in find_checks([Match(run, truth) for run in runs], SPEC)]


def test_two_runs_that_write_a_document_in_two_ways_are_told_although_all_judged_ids_match():
    runs = [run_of(rankings(1), "one"), run_of(rankings(1, "p{:04d}"), "two")]
    found = spelled_apart(runs)
    assert (found.first, found.second, found.ids) == ("one", "two", "zeros") and found.count > 500
    assert "other-spellings" in kinds(runs, the_truth()), "ids of four digits are written alike, and these are judged"
    fixed = [with_ids_of(run, the_truth(), "zeros") for run in runs]
    assert spelled_apart(fixed) is None and fixed[0].digest == fixed[1].digest


@pytest.mark.parametrize("spell, ids", [("P{}", "case"), (" p{}", "trim"), ("docs/p{}.txt", "path"),
                                        ("docs/P{:04d}.txt", "case,zeros,path")])
def test_each_spelling_is_found(spell, ids):
    assert spelled_apart([run_of(rankings(1), "one"), run_of(rankings(2, spell), "two")]).ids == ids


def test_punctuation_is_found_where_two_runs_share_no_id():
    runs = [run_of(rankings(1, "p_{}"), "one"), run_of(rankings(2, "p::{}"), "two")]
    assert spelled_apart(runs).ids == "marks"
    partly = {query: ["p_1000" if doc == "p::1000" else doc for doc in docs]
              for query, docs in rankings(2, "p::{}").items()}
    assert spelled_apart([runs[0], run_of(partly, "two")]) is None


def test_runs_of_one_spelling_are_not_suspected():
    assert spelled_apart([run_of(rankings(1), "one"), run_of(rankings(2), "two")]) is None
    assert spelled_apart([run_of(rankings(1), "one")]) is None
    assert spelled_apart([run_of({"q": []}, "one"), run_of(rankings(2), "two")]) is None
    pages = [{query: [f"site/{doc}/index.html" for doc in docs] for query, docs in rankings(seed).items()}
             for seed in (1, 2)]
    assert spelled_apart([run_of(page, name) for page, name in zip(pages, "ab", strict=True)]) is None


def test_of_large_runs_the_same_queries_are_looked_at():
    size = SAMPLE // 2 + 50_000
    queries = np.repeat(np.arange(size // 100), 100)
    docs = np.arange(size) % 5000
    runs = [Run.build(name, [f"q{query}" for query in queries], [spell.format(doc) for doc in docs])
            for name, spell in (("one", "p{}"), ("two", "p{:05d}"))]
    assert spelled_apart(runs).ids == "zeros"


def test_fusion_of_runs_in_two_spellings_is_refused_and_after_the_fix_it_is_fusion_with_itself(tmp_path, capsys):
    runs = [run_of(rankings(1), "one"), run_of(rankings(1, "p{:04d}"), "two")]
    assert "fusion-spellings" in [problem.kind for problem in fuse(runs).problems]
    files = [str(tmp_path / f"{run.name}.trec") for run in runs]
    for run, file in zip(runs, files, strict=True):
        write_run(run, file)
    (tmp_path / "truth.qrels").write_text("".join(f"{query} 0 p{1000 + number} 1\n"
                                                  for number, query in enumerate(QUERIES)), encoding="utf-8")
    command = ["fuse", *files, "--truth", str(tmp_path / "truth.qrels"), "--family", "rrf"]
    assert main(command) == 2
    assert "Read the runs with --ids zeros." in capsys.readouterr().err
    assert main([*command, "--accept", "other-spellings"]) == 0
    assert "write in different ways" in capsys.readouterr().err
    assert main([*command, "--ids", "zeros"]) == 0
    assert "different ways" not in capsys.readouterr().err
    assert main(["fuse", *files, "--ids", "zeros", "-o", str(tmp_path / "fused.trec")]) == 0
    assert "different ways" not in capsys.readouterr().err, "without judgments the common form is the id"


def test_runs_that_are_nearly_the_same_are_told_once_each():
    rows = rankings(1)
    other = {query: docs if number > 1 else [docs[1], docs[0], *docs[2:]]
             for number, (query, docs) in enumerate(rows.items())}
    runs = [run_of(rows, "one"), run_of(other, "two"), run_of(rankings(2), "three")]
    checks = [check for check in find_checks([Match(run, the_truth()) for run in runs], SPEC)
              if check.kind == "nearly-same"]
    (check,) = checks
    assert check.runs == ("one", "two") and (check.facts["count"], check.facts["total"]) == (98, 100)
    assert "equal on 98 of 100 queries" in check.found() and check.fix() == "Compare only one of them."


def test_equal_values_alone_do_not_make_runs_nearly_the_same():
    assert "nearly-same" not in kinds([run_of(rankings(1), "one"), run_of(rankings(2), "two")], the_truth())


def test_runs_with_the_same_rankings_are_the_same_and_not_nearly():
    found = kinds([run_of(rankings(1), "one"), run_of(rankings(1), "two")], the_truth())
    assert "same-content" in found and "nearly-same" not in found
