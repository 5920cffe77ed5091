"""Files with answers and no references, and files without answers: the commands say which field is missing."""

import json

import pytest

from ragdash.cli.main import main

ROW = '{config},{number},Which stone is number {number}?,"[\'Stone {number} is gray.\', \'Marble is white.\']",{last}'


def written(path, column, last):
    rows = [ROW.format(config=config, number=number, last=last) for config in ("a", "b") for number in range(20)]
    path.write_text("\n".join([f"config,id,question,contexts,{column}", *rows]), encoding="utf-8")
    return str(path)


def said(capfdbinary, *arguments) -> tuple[int, str, str]:
    status = main(list(arguments))
    out, err = (stream.decode() for stream in capfdbinary.readouterr())
    return status, out, err


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_answers_without_references_are_compared_with_their_contexts(tmp_path, capfdbinary, command):
    file = written(tmp_path / "answers.csv", "answer", "It is gray.")
    status, out, err = said(capfdbinary, command, file)
    assert status == 0 and "Support coverage" in out and "NDCG" not in out
    assert "There are no reference answers" in out + err
    assert command == "compare" or "reference, reference_answer, ground_truth" in err


@pytest.mark.parametrize("command", ["evaluate", "compare", "check"])
def test_a_file_without_answers_is_said_to_lack_them(tmp_path, capfdbinary, command):
    _, out, err = said(capfdbinary, command, written(tmp_path / "questions.csv", "reference", "gray"))
    assert "no answers and no ids of retrieved documents" in out + err and "column retrieved" not in out + err
    assert "answer, response, output," in out + err


def test_check_counts_answers_references_and_queries_without_an_answer(tmp_path, capfdbinary):
    path = tmp_path / "half.jsonl"
    path.write_text("\n".join(json.dumps({
        "query_id": f"q{number}", "contexts": ["Gray."], "answer": "gray" if number < 5 else None, "reference": "gray"})
        for number in range(8)), encoding="utf-8")
    _, out, _ = said(capfdbinary, "check", str(path))
    assert "no retrieved documents, 5 answers" in out and "0 of 0" not in out and "8 reference answers" in out
    assert "queries without answer 3 of 8" in " ".join(out.split())
    assert "3 of 8 queries have no answer in the run" in out


def test_rankings_with_answers_and_no_truth_name_the_metrics_that_need_none(tmp_path, capfdbinary):
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(json.dumps({"query_id": f"q{number}", "answer": "gray", "retrieved": [
        {"doc_id": "d", "score": 1.0, "text": "Gray."}]}) for number in range(8)), encoding="utf-8")
    status, _, err = said(capfdbinary, "evaluate", str(path))
    assert status == 2 and '--metrics "SupportCoverage ' in err
    status, out, _ = said(capfdbinary, "evaluate", str(path), "--metrics", "SupportCoverage")
    assert status == 0 and "Support coverage" in out


def test_the_report_speaks_of_answers_and_gives_no_reason_of_retrieval(tmp_path, capfdbinary):
    reports = []
    for column in ("answer", "reference"):
        file = written(tmp_path / f"{column}.csv", column, "It is gray.")
        assert said(capfdbinary, "report", file, "-o", str(tmp_path / "report.html"))[0] == 0
        reports.append((tmp_path / "report.html").read_text(encoding="utf-8"))
    answered, unanswered = reports
    assert "Answers of configurations compared" in answered and "returns first" not in answered
    assert "queries of the runs" not in answered and "There are no reference answers" in answered
    assert "no answers and no ids of retrieved documents" in unanswered
    assert "no relevant document is known" not in unanswered
