"""What files say of single queries, from the file to the pages: labels of each run, and what an asker may not see."""

from __future__ import annotations

import json
import re

from page_cases import drawn, listed, opened, texts
from test_pages import upload


def plain(at) -> str:
    return texts(at).replace("\\", "")


def leaderboard(at):
    """The means of the leaderboard, by run."""
    return listed(at, "leaderboard_runs").set_index("Run")


def test_each_run_shows_its_own_label():
    rows = ["question,config,answer,retrieved,verdict,judge_score"]
    for query in range(6):
        for name in ("dense", "sparse"):
            right = name == "dense" or query == 2
            rows.append(f'Q{query}?,{name},said by {name},"[""d{query}""]",{"Correct" if right else "Refusal"},'
                        f"{0.9 if right else 0.25}")
    qrels = ["question,doc_id,grade", *(f"Q{query}?,d{query},1" for query in range(6))]
    at = upload(opened(), ("answers.csv", "\n".join(rows).encode()), ("gold.csv", "\n".join(qrels).encode()))
    link = dict(at.query_params)
    lines = plain(opened("queries", **{**link, "query": "Q1?"})).splitlines()
    of_run = {name: next(line for line in lines if f"\u00a0{name} NDCG@10" in line) for name in ("dense", "sparse")}
    assert "from the file: verdict Correct, judge_score 0.900" in of_run["dense"]
    assert "from the file: verdict Refusal, judge_score 0.250" in of_run["sparse"]
    means = leaderboard(opened("compare", **{**link, "metric": "file:verdict(label='Correct')"}))
    assert means["Share correct (verdict)"].round(3).to_dict() == {"dense": 1.0, "sparse": 0.167}, "share of Correct"


def test_a_leak_is_seen_from_the_file_to_the_pages():
    queries = [f"q{number}" for number in range(12)]
    truth = [{"query_id": query, "query": f"What does {query} say?", "relevant": [f"{query}-a"],
              "allowed": [f"{query}-a", f"{query}-b"], "principal": f"team {number % 2}"}
             for number, query in enumerate(queries)]
    runs = {"safe": [{"query_id": query, "retrieved": [f"{query}-b", f"{query}-a"]} for query in queries],
            "leaky": [{"query_id": query, "retrieved": [f"{query}-secret", f"{query}-a"] if number % 2 else
                       [f"{query}-b", f"{query}-a"]} for number, query in enumerate(queries)]}
    files = [(f"{name}.jsonl", "\n".join(map(json.dumps, rows)).encode())
             for name, rows in (*runs.items(), ("truth", truth))]
    at = upload(opened(), *files)
    assert not at.error
    link = {**dict(at.query_params), "k": "2"}

    leaks = leaderboard(opened("compare", **{**link, "metric": "Leak@k"}))["Leak@2"]
    assert leaks.to_dict() == {"safe": 0.0, "leaky": 0.5}

    query = opened("queries", **{**link, "query": "q1"})
    assert "principal: team 1" in plain(query)
    assert "**Returned although forbidden**: 1 of the first 2 documents are forbidden" in plain(query)
    assert "1 of 2 are left, fewer than 2: filtered away" in plain(query)
    marked = re.findall(r'600">([\w-]+)</b><div style="display:flex[^>]*>(.*?)</td>', drawn(query))
    assert len(marked) == 4
    forbidden = [doc for doc, chips in marked if ">forbidden<" in chips]
    assert forbidden == ["q1-secret"]
    assert ">forbidden<" not in drawn(opened("queries", **{**link, "query": "q0"}))

    failures = plain(opened("failures", **link))
    assert "first fix **Returned although forbidden**: 6 of 12 queries" in failures
    assert "**safe**: no failure found" in failures
