"""`ragdash diagnose`: the tables, the JSON contract, a corpus, and what is wrong with input."""

import csv
import io
import json

import pytest
from helpers import call

RUN = "q1 Q0 a 1 3.0 t\nq1 Q0 b 2 2.0 t\nq2 Q0 x 1 2.0 t\nq3 Q0 y 1 2.0 t\n"
CORPUS = "".join(f'{{"_id": "{name}", "title": ""}}\n' for name in "abcxy")
QRELS = "q1 0 b 1\nq2 0 c 1\nq3 0 d 1\nq4 0 z 0\n"


@pytest.fixture
def files(tmp_path):
    for name, text in (("run.trec", RUN), ("qrels.txt", QRELS), ("corpus.jsonl", CORPUS)):
        (tmp_path / name).write_text(text)
    return tmp_path


def diagnosed(capfdbinary, files, *more):
    return call(capfdbinary, "diagnose", files / "run.trec", "--truth", files / "qrels.txt", *more)


def test_json_is_the_contract(files, capfdbinary):
    status, out, _ = diagnosed(capfdbinary, files, "--corpus", files / "corpus.jsonl", "--k", 1, "--format", "json",
                          "--queries")
    content = json.loads(out)
    assert status == 0 and list(content) == ["schema", "runs", "settings", "problems"]
    run, = content["runs"]
    assert list(run) == ["name", "digest", "stages", "waterfall", "gains", "not_assessed", "settings", "queries"]
    assert {name: n for name, n in run["stages"].items() if n} == {
        "no-gold": 1, "not-in-corpus": 1, "not-retrieved": 1, "below-k": 1}
    assert [(one["query_id"], one["stage"]) for one in run["queries"]] == [
        ("q1", "below-k"), ("q2", "not-retrieved"), ("q3", "not-in-corpus"), ("q4", "no-gold")]
    assert run["queries"][0]["why"] == "The relevant document is at rank 2; the first 1 count."
    assert run["queries"][0]["numbers"]["best_rank"] == 2 and run["queries"][1]["numbers"]["best_rank"] is None
    assert list(run["gains"]) == ["nDCG@1"]
    assert run["gains"]["nDCG@1"]["below-k"] == {"n": 1, "defined": 1, "at_most": pytest.approx(1 / 3)}
    assert run["gains"]["nDCG@1"]["no-gold"]["at_most"] is None
    assert run["gains"]["nDCG@1"]["ranked-low"] == {"n": 0, "defined": 0, "at_most": 0}
    assert run["not_assessed"]["below-threshold"] == "no score threshold is set"
    assert content["settings"]["k"] == 1 and content["settings"]["truth"]["name"] == "qrels"


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_the_tables(files, capfdbinary, form):
    status, out, _ = diagnosed(capfdbinary, files, "--format", form, "--score", 2.5)
    assert status == 0
    assert all(title in out for title in ("Relevant document found", "Below the score threshold", "Not retrieved"))
    assert "Relevant document in corpus" not in out.split("Not assessed")[0], "a step that was not assessed is no row"
    assert "Relevant document in corpus (no corpus is given)" in out and "q1" not in out
    assert "q1" in diagnosed(capfdbinary, files, "--format", form, "--queries")[1]


def test_without_rankings_the_gain_is_in_the_metric_that_leads_the_pages(tmp_path, capfdbinary):
    """2 of 4 answers are wrong, with Token F1 0: at best 1, the mean of 4 gains 2 / 4. Faithfulness gains nothing."""
    rows = [f"What is {n}?,{'It is' if n < 2 else 'not'} {n + n // 2},{n},{score}"
            for n, score in enumerate((1.0, 1.0, 0.2, 0.6))]
    file = tmp_path / "eval.csv"
    file.write_text("\n".join(["question,answer,reference,faithfulness", *rows]))
    _, out, _ = call(capfdbinary, "diagnose", file)
    plain = " ".join(out.split())
    assert "Wrong answer 2 (+0.500)" in plain and "the mean of Token F1 would move" in plain
    assert "NDCG" not in plain and "Ranked low" not in plain
    _, out, _ = call(capfdbinary, "diagnose", file, "-m", "file:faithfulness")
    assert "Wrong answer 2 (–)" in " ".join(out.split())


def test_csv_of_stages_and_of_queries(files, capfdbinary):
    rows = list(csv.DictReader(io.StringIO(diagnosed(capfdbinary, files, "--format", "csv", "-m", "R@5 RR")[1])))
    *stages, low = rows
    assert len(stages) == 11 and sum(int(row["queries"]) for row in stages) == 4
    assert (low["stage"], low["queries"]) == ("ranked-low", "") and float(low["RR at most"]) == pytest.approx(1 / 6)
    assert float(rows[2]["RR at most"]) == pytest.approx(2 / 3) and rows[2]["stage"] == "not-retrieved"
    rows = list(csv.DictReader(io.StringIO(diagnosed(capfdbinary, files, "--format", "csv", "--queries")[1])))
    assert [row["stage"] for row in rows] == ["fine", "not-retrieved", "not-retrieved", "no-gold"]


@pytest.mark.parametrize(("more", "words"), [
    (("--coverage", "2"), "a number from 0 to 1"), (("--right-by", "nDCG@10"), "an answer and its references"),
    (("-m", "Judged@5"), "no better direction"), (("--corpus", "nothing.txt"), "nothing.txt"),
    (("--right-by", "Zebra"), "Zebra")])
def test_what_is_wrong_is_told(files, capfdbinary, more, words):
    status, out, err = diagnosed(capfdbinary, files, *more)
    assert (status, out) == (2, "") and words in err


def test_a_corpus_of_other_ids_is_a_warning(files, capfdbinary):
    (files / "corpus.jsonl").write_text('{"_id": "A", "title": "x"}\n{"_id": "B", "title": "y"}\n')
    status, _, err = diagnosed(capfdbinary, files, "--corpus", files / "corpus.jsonl")
    assert status == 0 and "a corpus of 2 documents like 'A'" in err


def test_labels_that_nothing_counts_are_noted_by_every_command_and_the_report(tmp_path, capfdbinary):
    rows = [f"What is {n}?,It is {n}.,{n},{('incorrect', 'correct', 'partial', 'correct')[n % 4]}" for n in range(20)]
    file, page = tmp_path / "eval.csv", tmp_path / "report.html"
    file.write_text("\n".join(["question,answer,reference,answer_status", *rows]))
    note = "labels of 20 answers of 'eval' (column 'answer_status') that call 10 right and 5 partly right"
    for command in ("check", "diagnose"):
        _, out, err = call(capfdbinary, command, file)
        plain = " ".join((out + err).split())
        assert note in plain and "--label-column 'answer_status'" in plain, command
    problems = json.loads(call(capfdbinary, "diagnose", file, "--format", "json")[1])["problems"]
    (problem,) = [one for one in problems if one["kind"] == "unused-labels"]
    assert problem["facts"] == {"run": "eval", "column": "answer_status", "answers": 20, "right": 10, "partly": 5}
    entries = json.loads(call(capfdbinary, "check", file, "--format", "json")[1])["entries"]
    assert [entry["severity"] for entry in entries if entry["kind"] == "unused-labels"] == ["note"]
    assert call(capfdbinary, "report", file, "--full", "-o", page)[0] == 0
    assert "and 5 partly right, and are not counted" in page.read_text()
    assert "unused-labels" not in call(capfdbinary, "diagnose", file, "--format", "json", "--label-column",
                                       "answer_status")[1]
