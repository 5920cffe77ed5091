"""Public runs with stored reference values (trec_eval, gdeval, ir_measures, ranx), where the folder with them is there.

Looked for at $RAGDASH_TEST_DATA, else beside the project at ../shared/data.
"""

from __future__ import annotations

import bz2
import gzip
import json
import os
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from helpers import TREC

from ragdash.core.records import Run
from ragdash.evaluation.evaluate import evaluate
from ragdash.io import read_run, read_truth

DATA = Path(os.environ.get("RAGDASH_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")
FOLDERS = ("s01_trec_eval_test", "s02_evidencerag_dense_vs_hybrid", "s03_tilde_dl19_bm25", "s04_flexneuart_manner",
           "s05_ir_measures_compat")
CUT_OFF = r"P|R|Success|nDCG|AP|RR"

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.skipif(not DATA.is_dir(), reason=f"SKIPPED: no shared data at {DATA} (set RAGDASH_TEST_DATA)"),
]


def references() -> list:
    """(folder, "run | qrels | rel>=1") of every stored evaluation."""
    found = []
    for folder in FOLDERS:
        path = DATA / folder / "reference.json"
        if path.is_file():
            found += [pytest.param(folder, key, id=f"{folder}: {key}") for key in json.loads(path.read_text())["runs"]]
    return found or [pytest.param("", "", id="no shared data")]


every_reference = pytest.mark.parametrize("folder, key", references())


@cache
def load(folder: str, key: str):
    reference = json.loads((DATA / folder / "reference.json").read_text())["runs"][key]
    run, qrels, _ = key.split(" | ")
    return read_run(DATA / folder / run), read_truth(DATA / folder / qrels), reference


def our_name(theirs: str, rel: int, max_grade: int) -> str | None:
    """The spec of a reference column, None where it is not ours to compute."""
    binary = f"(rel={rel})" if rel != 1 else ""
    also = f", rel={rel}" if rel != 1 else ""
    if found := re.fullmatch(rf"({CUT_OFF})(@\d+)?", theirs):
        name, cut = found.groups()
        return f"{name}{'' if name == 'nDCG' else binary}{cut or ''}"
    if found := re.fullmatch(r"nDCGexp(@\d+)", theirs):
        return f"nDCG(gain='exp'){found[1]}"
    if found := re.fullmatch(r"RBP@p([\d.]+)", theirs):
        return f"RBP(p={found[1]}{also})"
    if found := re.fullmatch(r"RBPgraded@p([\d.]+)", theirs):
        return f"RBP(p={found[1]}, gain='graded')"
    return {"num_ret": "n_ret", "num_rel": f"n_rel{binary}", "num_rel_ret": f"n_rel_ret{binary}",
            "Rprec": f"Rprec{binary}", "bpref": f"bpref{binary}", "Judged@10": "Judged@10",
            "ERR@20_gdeval_g4": "ERR(max_grade=4)@20", f"ERR@20_own_g{max_grade}": "ERR@20"}[theirs]


def columns(reference: dict, names) -> dict[str, str]:
    """{reference column: our spec}"""
    meta = reference["meta"]
    rel = meta["relevance_level_for_binary_metrics"]
    return {theirs: our_name(theirs, rel, meta["max_grade"]) for theirs in names}


def tolerance(theirs: str) -> float:
    """gdeval prints five decimals; values of single queries are stored with eight."""
    return 5.1e-6 if theirs.startswith(("ERR@20_gdeval", "nDCGexp")) else 5.1e-9


def assert_close(ours: dict, expected: dict, about: str = "") -> None:
    wrong = {name: (ours[name], value) for name, value in expected.items()
             if not abs(ours[name] - value) <= tolerance(name)}
    assert not wrong, f"{about} (ours, reference)"


def text_of(path: Path) -> str:
    openers = {".gz": gzip.open, ".bz2": bz2.open}
    with openers.get(path.suffix, open)(path, "rt", encoding="utf-8") as file:
        return file.read()


@every_reference
def test_the_files_hold_what_the_reference_says(folder, key):
    run, truth, reference = load(folder, key)
    meta = reference["meta"]
    assert sum(run.lengths) == meta["run_lines"]
    assert (len(run), len(truth)) == (meta["queries_in_run"], meta["queries_in_qrels"])
    counts = evaluate(run, truth, "RR").counts
    assert counts["queries"] - counts["missing"] == meta["queries_evaluated_both"]
    assert counts["extra"] == len(meta["queries_in_run_not_in_qrels"])


@every_reference
def test_means_over_the_queries_of_run_and_truth(folder, key):
    run, truth, reference = load(folder, key)
    expected = reference["mean_over_queries_in_run_and_qrels"]
    names = columns(reference, expected)
    found = evaluate(run, truth, list(names.values()), missing="skip", unanswerable="zero")
    assert_close(dict(zip(names, np.nanmean(found.values, axis=0), strict=True)), expected)


@every_reference
def test_means_over_all_queries_of_the_truth(folder, key):
    """Judged@10 apart: the reference fills it with 0 for an empty ranking, where it is undefined."""
    run, truth, reference = load(folder, key)
    expected = dict(reference["mean_over_all_qrels_queries_missing_zero"])
    expected.pop("Judged@10")
    names = columns(reference, expected)
    found = evaluate(run, truth, list(names.values()), **TREC).summary(resamples=10)
    assert {summary.n for summary in found} == {reference["meta"]["queries_in_qrels"]}
    assert_close(dict(zip(names, [summary.mean for summary in found], strict=True)), expected)


@every_reference
def test_values_of_each_query(folder, key):
    run, truth, reference = load(folder, key)
    if "per_query" not in reference:
        pytest.skip("the reference has means only")
    names = columns(reference, next(iter(reference["per_query"].values())))
    found = evaluate(run, truth, list(names.values()), missing="skip", unanswerable="zero")
    rows = dict(zip(found.query_ids.to_pylist(), found.values, strict=True))
    for query, expected in reference["per_query"].items():
        assert_close(dict(zip(names, rows[query], strict=True)), expected, query)


@every_reference
def test_means_of_the_order_of_the_rows(folder, key):
    """The same files, taken as lists without scores."""
    _, truth, reference = load(folder, key)
    lines = [line.split() for line in text_of(DATA / folder / key.split(" | ")[0]).splitlines()]
    in_order = Run.build("rows", [line[0] for line in lines], [line[2] for line in lines])
    expected = reference["mean_file_order"]
    names = columns(reference, expected)
    found = evaluate(in_order, truth, list(names.values()), missing="skip", unanswerable="zero")
    assert_close(dict(zip(names, np.nanmean(found.values, axis=0), strict=True)), expected)
