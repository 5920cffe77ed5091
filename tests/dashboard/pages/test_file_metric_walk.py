"""One metric that a file brings along, from the file to every place where a result is shown."""

from __future__ import annotations

import html
import json
import re

from page_cases import charts, listed, opened, texts
from test_pages import upload

from ragdash.cli.main import main

QUERIES = 30


def ranks(name: str) -> list[int]:
    """The rank of the only relevant document of each query."""
    return [1 + (query * 3) % 2 if name == "dense" else 1 + (query * 7) % 5 for query in range(QUERIES)]


def rows(name: str) -> list[dict]:
    """A run whose file holds an MRR that was computed on three documents only."""
    result = []
    for query, rank in enumerate(ranks(name)):
        docs = [f"x{query}_{i}" for i in range(4)]
        docs.insert(rank - 1, f"d{query}")
        result.append({"query_id": f"q{query}", "query": f"question {query}?", "retrieved": docs, "config": name,
                       "mrr": round(1 / rank, 4) if rank <= 3 else 0.0})
    return result


def file_mean(name: str) -> float:
    return sum(round(1 / rank, 4) for rank in ranks(name) if rank <= 3) / QUERIES


RUNS = "\n".join(json.dumps(row) for name in ("dense", "sparse") for row in rows(name)).encode()
QRELS = "".join(f"q{query} 0 d{query} 1\n" for query in range(QUERIES)).encode()
REASON = "RR@3 gives them in 30 of 30 queries"


def plain(at) -> str:
    return " ".join([texts(at), *(part.value for kind in (at.header, at.subheader) for part in kind)]).replace("\\", "")


def test_a_metric_of_a_file_is_on_every_page():
    at = upload(opened(), ("runs.jsonl", RUNS), ("qrels.txt", QRELS))
    link = {**dict(at.query_params), "metric": "file:mrr"}
    assert (file_mean("dense"), round(file_mean("sparse"), 3)) == (0.75, 0.367)

    overview = plain(opened("overview", **link))
    assert "dense has the highest mrr (file), 0.750 [0." in overview.replace("**", "")
    assert "0.367 :small" in overview and "If mrr (file) decides, choose **dense**" in overview
    assert "file 0.367, recomputed 0.457 as MRR" in overview and REASON in overview

    at = opened("compare", **link)
    board = listed(at, "leaderboard_runs").set_index("Run")
    assert {"mrr (file)", "MRR"} <= set(board.columns), "the file's and the computed one are side by side"
    assert board["mrr (file)"].round(3).to_dict() == {"dense": 0.75, "sparse": 0.367}
    assert f"over {QUERIES} queries" in plain(at) and "worse" in board.loc["sparse", "Outcome"]
    assert "worse" in str(at.table[0].value.iloc[0].tolist()) and REASON in plain(at)
    assert charts(opened("compare/queries", **link))["compare_sorted"]["data"]

    at = opened("queries", **link)
    assert "dense mrr (file) **0.500**" in plain(at), "the worst query of the best run comes first"
    assert "sparse mrr (file) **1.000**" in plain(at), "of equal ones the one where the runs differ most"
    assert set(listed(at, "query_rows").columns) >= {"dense", "sparse", "Range"}

    at = opened("threshold-bands", **{**link, "targets": ["file:mrr=0.5"], "banded": ["file:mrr"]})
    assert "dense" in plain(at) and "mrr (file)" in plain(at) and any("mrr" in key for key in charts(at))

    failures = opened("failures", **{**link, "k": "1"})  # with k = 1 some queries fail, and a fix gains
    assert "mrr (file)" in plain(failures)


def test_the_same_metric_is_in_json_and_in_reports(tmp_path, capsys):
    (tmp_path / "runs.jsonl").write_bytes(RUNS)
    (tmp_path / "qrels.txt").write_bytes(QRELS)
    files = [str(tmp_path / "runs.jsonl"), "--truth", str(tmp_path / "qrels.txt")]
    assert main(["evaluate", *files, "--metrics", "file:mrr RR", "--format", "json", "--per-query"]) == 0
    printed = capsys.readouterr()
    by_run = {run["name"]: run for run in json.loads(printed.out)["runs"]}
    for name, run in by_run.items():
        summary = run["metrics"]["file:mrr"]
        assert summary["n"] == QUERIES and summary["low"] < summary["mean"] < summary["high"]
        assert abs(summary["mean"] - file_mean(name)) < 1e-12
        assert [values["file:mrr"] for values in run["per_query"].values()] == [row["mrr"] for row in rows(name)]
    assert REASON in printed.err

    assert main(["compare", *files, "-m", "file:mrr", "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    (comparison,) = content["comparisons"]
    assert (comparison["metric"], comparison["outcome"]) == ("file:mrr", "worse") and comparison["high"] < 0
    assert (content["verdict"]["state"], content["verdict"]["best"]) == ("clear-winner", "dense")

    for options in ([], ["--full"]):
        assert main(["report", *files, "-m", "file:mrr RR", "-o", str(tmp_path / "r.html"), *options]) == 0
        text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", (tmp_path / "r.html").read_text())).split())
        assert "dense has the highest mrr (file), 0.750" in text and REASON in text
