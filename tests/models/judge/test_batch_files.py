"""Judging by batch files: rounds, faults of lines, the budget, and the same verdicts as asked one by one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from models.judge.batch_service import answer, requests_in

from ragdash.cli.main import main
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.batch_files import lines
from ragdash.models.judge.batch_files.lines import read_line, request_files
from ragdash.models.judge.verdict_store.jsonl import export_verdicts

ROOT = Path(__file__).parents[3]
RUN, TRUTH = str(ROOT / "sample_runs" / "dense.jsonl"), str(ROOT / "sample_runs" / "truth.jsonl")
METRICS = "ClaimFaithfulness Faithfulness"


@pytest.fixture
def judge(capsys):
    """Run `ragdash judge` with batch options: (exit status, text on standard error)."""
    def run(*options, metrics=METRICS, sample="6", url="http://127.0.0.1:9/v1"):
        status = main(["judge", RUN, "--truth", TRUTH, "--metrics", metrics, "--base-url", url, "--model", "toy",
                       "--sample", sample, *map(str, options)])
        return status, capsys.readouterr().err

    return run


def stored() -> set[tuple]:
    """Task, vote, value of every verdict."""
    rows = map(json.loads, export_verdicts(default_verdict_store()))
    return {(row["key"], row["task"], row["vote"], json.dumps(row["reply"]["value"])) for row in rows}


def test_three_rounds_with_broken_expired_lost_foreign_and_repeated_lines(judge, tmp_path, serve, monkeypatch):
    requests, replies = tmp_path / "requests.jsonl", tmp_path / "replies.jsonl"
    status, text = judge("--batch-out", requests)
    assert status == 0 and "round 1 of 2: 12 requests (6 Claims, 6 Faithfulness)" in text and "Nothing was sent" in text
    first = requests_in(requests)
    assert len({row["custom_id"] for row in first}) == 12 and all(len(row["custom_id"]) == 64 for row in first)
    assert first[0]["body"]["response_format"]["json_schema"]["strict"] and first[0]["body"]["temperature"] == 0
    answer(requests, replies, {0: "shape", 1: "expired", 2: "error", 3: "lost", 6: "twice", 7: "shape"})
    with replies.open("a") as file:
        file.write('{"custom_id": "other", "response": {"status_code": 200, "body": {}}, "error": null}\nnot JSON\n')
    second = tmp_path / "second.jsonl"
    status, text = judge("--batch-in", replies, "--batch-out", second)
    assert status == 0 and "7 new verdicts" in text and "1 repeated" in text and "1 of other questions" in text
    assert "a line that is no reply of a batch" in text and "another reply to the request" in text
    assert "the reply does not have the shape asked for (2)" in text
    assert "the batch ended before it was answered (1)" in text and "the endpoint failed (1)" in text
    assert re.search(r"round 2 of 3: 7 requests \(4 Claims, 2 Verify, 1 Faithfulness, 4 of them again\)", text)
    broken = [row["body"]["messages"] for row in requests_in(second) if len(row["body"]["messages"]) > 2]
    assert len(broken) == 2 and all("This reply cannot be used" in talk[3]["content"] for talk in broken)
    before = stored()
    status, text = judge("--batch-in", replies)
    assert "0 new verdicts" in text and stored() == before and "round 2 of 3: 7 requests" in text
    answer(second, replies)
    third = tmp_path / "third.jsonl"
    status, text = judge("--batch-in", replies, "--batch-out", third)
    assert status == 0 and "round 3 of 3: 4 requests (4 Verify)" in text and "(n 6)" in text
    answer(third, replies)
    status, text = judge("--batch-in", replies, "--batch-out", tmp_path / "none.jsonl")
    assert status == 0 and text.count("(n 6)") == 2 and "nothing left to ask; 18 verdicts known" in text
    assert not (tmp_path / "none.jsonl").exists()
    by_files = {row[1:] for row in stored()}
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "other"))  # asked one by one: the same verdicts
    assert judge("--yes", url=serve().url)[0] == 0
    assert {row[1:] for row in stored()} == by_files and len(by_files) > 8


def test_the_budget_is_for_all_rounds_and_failed_lines_give_up_in_the_end(judge, tmp_path):
    requests, replies = tmp_path / "requests.jsonl", tmp_path / "replies.jsonl"
    prices = ("--price-in", "1000", "--price-out", "1000", "--max-calls", "9")
    text = judge("--batch-out", requests, *prices)[1]
    assert "9 requests" in text and "3 questions over the budget" in text and "to pay" in text
    answer(requests, replies)
    status, text = judge("--batch-in", replies, "--batch-out", tmp_path / "next.jsonl", *prices)
    assert status == 0 and "nothing within the budget" in text and not (tmp_path / "next.jsonl").exists()
    spent = 9 * (120 + 30) / 1000  # tokens and price of the scripted replies
    text = judge("--batch-out", requests, *prices[:4], "--max-cost", str(spent))[1]
    assert "nothing within the budget" in text
    for attempt in range(3):  # always the wrong shape: asked three times, as over the network
        options = ("--batch-in", replies) if attempt else ()
        assert judge("--batch-out", requests, *options, metrics="Correctness", sample="2")[0] == 0
        answer(requests, replies, {0: "shape", 1: "shape"})
    status, text = judge("--batch-in", replies, "--batch-out", tmp_path / "fourth.jsonl", metrics="Correctness",
                         sample="2")
    assert "nothing left to ask; 2 given up: the reply does not have the shape asked for" in text
    assert "round 1 of 1: 2 requests" not in text and not (tmp_path / "fourth.jsonl").exists()
    assert "2 requests" in judge("--batch-out", requests, metrics="Correctness", sample="2")[1]  # a fresh start


def test_errors_that_name_a_parameter_change_the_next_file_and_all_foreign_lines_are_an_error(judge, tmp_path):
    requests, replies = tmp_path / "requests.jsonl", tmp_path / "replies.jsonl"
    judge("--batch-out", requests, metrics="Faithfulness", sample="3")
    answer(requests, replies, dict.fromkeys(range(3), "format"))
    text = judge("--batch-in", replies, "--batch-out", requests, metrics="Faithfulness", sample="3")[1]
    assert "round 2 of 2: 3 requests" in text
    assert {row["body"]["response_format"]["type"] for row in requests_in(requests)} == {"json_object"}
    assert judge("--batch-in", requests, "--batch-out", requests)[0] == 2
    status, text = judge("--batch-in", replies, metrics="Correctness", sample="3")
    assert status == 2 and "3 lines about other questions" in text
    assert judge("--batch-in", tmp_path / "absent.jsonl")[0] == 2


def test_anthropic_takes_a_list_and_votes_are_questions_of_their_own(judge, tmp_path):
    requests, replies = tmp_path / "requests.json", tmp_path / "replies.jsonl"
    options = ("--kind", "anthropic", "--votes", "2")
    assert "round 1 of 1: 6 requests" in judge("--batch-out", requests, *options, metrics="Faithfulness",
                                               sample="3")[1]
    rows = json.loads(requests.read_text())["requests"]
    assert rows[0]["params"]["max_tokens"] and rows[0]["params"]["tool_choice"]["type"] == "tool"
    answer(requests, replies, {0: "expired", 1: "canceled", 2: "error"})
    text = judge("--batch-in", replies, "--batch-out", requests, *options, metrics="Faithfulness", sample="3")[1]
    assert "3 new verdicts; without a verdict: the batch ended before it was answered (2), the endpoint asked" in text
    assert "round 2 of 2: 3 requests" in text
    answer(requests, replies)
    status, text = judge("--batch-in", replies, *options, metrics="Faithfulness", sample="3")
    assert status == 0 and "(n 3; votes agree" in text and "nothing left to ask; 6 verdicts known" in text
    before = stored()
    for content in ("query_id,score\nq1,0.5\n", requests.read_text(), ""):
        words = f"{len(list(filter(str.strip, content.splitlines())))} line"
        wrong = tmp_path / "wrong.txt"
        wrong.write_text(content)
        status, text = judge("--batch-in", wrong, *options, metrics="Faithfulness", sample="3")
        assert status == 2 and f"no reply of a batch in {words}" in text and "0 new verdicts" not in text
        assert stored() == before
    status, text = judge("--batch-in", wrong, "--batch-in", replies, *options, metrics="Faithfulness", sample="3")
    assert status == 0 and "3 read before" in text, "one file that fits is enough"


def test_files_keep_to_the_limits_of_the_service_and_odd_lines_are_none(monkeypatch):
    monkeypatch.setitem(lines.MOST_LINES, "openai", 2)
    files = request_files("openai", [(str(n), b'{"model": "m"}') for n in range(5)])
    assert [file.count(b"\n") for file in files] == [2, 2, 1]
    monkeypatch.setitem(lines.MOST_BYTES, "anthropic", 64 + 100)
    files = request_files("anthropic", [(str(n), b'{"model": "m"}') for n in range(5)])
    assert [len(json.loads(file)["requests"]) for file in files] == [2, 2, 1]
    for line in (b"[]", b"{}", b'{"custom_id": 1, "result": {}}',
                 b'{"custom_id": "a"}', b'{"custom_id": "a", "result": 3}',
                 b'{"custom_id": "a", "response": {"status_code": "no number"}}'):
        assert read_line(line) is None
