"""Criteria of one's own: from a TOML file to values, with one criterion per query, and through the command."""

from __future__ import annotations

import json
import math

import pytest

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.metrics import METRICS, parse_spec
from ragdash.metrics.judged import register_rubrics
from ragdash.models.judge.task_runner import first_round
from ragdash.models.judge.tasks import TASKS, Case
from ragdash.models.judge.tasks.rubrics import (
    PREFIX,
    Rubric,
    read_rubric,
    rubric_task,
    rubric_toml,
    save_rubric,
    stored_rubrics,
    system_prompt,
)

POLITE = Rubric("polite", "Is the answer polite?")
GRADED = Rubric("clear", "How clear is it?", "labels", ("poor", "fair", "good"), (("poor", "no sense"),))
NUMBER = Rubric("full", "How complete?", "number", anchors=(("1", "useless"), ("5", "complete")),
                sees=("answer", "references", "contexts"))
OWN = Rubric("own", "Does the answer meet the criterion?", column="criterion")


@pytest.fixture(autouse=True)
def no_rubrics_left():
    yield
    for registry in (METRICS, TASKS):
        for name in [name for name in registry if name.startswith(PREFIX)]:
            registry.pop(name)


def test_a_file_is_read_back_and_says_what_is_wrong_with_it():
    for rubric in (POLITE, GRADED, NUMBER, OWN):
        again = read_rubric(rubric_toml(rubric))
        assert again == rubric and again.digest == rubric.digest
    assert len({rubric.digest for rubric in (POLITE, GRADED, NUMBER, OWN)}) == 4
    assert Rubric("polite", "Is it rude?").digest != POLITE.digest == Rubric("polite", POLITE.question,
                                                                             title="Tone").digest
    for text, kind in (("name = 'a b'\nquestion = 'x'", "name"), ("name = 'a'\nquestion = ' '", "question"),
                       ("name = 'a'\nquestion = 'x'\nkind = 'rank'", "kind"),
                       ("name = 'a'\nquestion = 'x'\nsees = ['all']", "sees"),
                       ("name = 'a'\nquestion = 'x'\nkind = 'labels'\nlabels = ['b', 'b']", "labels"),
                       ("name = 'a'\nquestion = 'x'\nkind = 'number'\n[anchors]\n1 = 'low'\nx = 'high'", "anchors"),
                       ("name = 'a'\nquestion = 'x'\nlabels = 'b'", "table"), ("name = ", "toml")):
        with pytest.raises(InputError) as error:
            read_rubric(text.encode(), "r.toml")
        assert [problem.message for problem in error.value.problems] == [f"bad-rubric/{kind}"]
    with pytest.raises(InputError, match="the fields color"):
        read_rubric(b"name = 'a'\nquestion = 'x'\ncolor = 'red'")


def test_verdicts_become_values_worked_by_hand():
    case = Case("q1", "When?", "In May.", ("May 3",), (("d1", "It was May."),), (("criterion", "names a month"),))
    expected = [(POLITE, "pass", 1), (POLITE, "fail", 0), (GRADED, "poor", 0), (GRADED, "fair", 0.5),
                (GRADED, "good", 1), (NUMBER, 2, 0.25), (NUMBER, 5, 1), (OWN, "pass", 1)]
    for rubric, verdict, value in expected:
        asking = rubric_task(rubric).start(case)
        question, = next(asking)
        reply = question.check({"reason": "so", "decidable": "yes", "verdict": verdict})
        with pytest.raises(StopIteration) as end:
            asking.send([type("Reply", (), {"value": reply})()])
        assert end.value.value.value == value, rubric
        assert ("<reference>" in question.user) == (rubric is NUMBER) and "<answer>" in question.user
        assert ("names a month" in question.user) == (rubric is OWN)
    assert "poor: no sense" in system_prompt(GRADED) and "cannot decide" in system_prompt(GRADED)
    assert "A number from 1 to 5" in system_prompt(NUMBER)
    keys = {(question.task, question.version) for rubric in (POLITE, GRADED) for question in first_round(
        [rubric_task(rubric).start(case)])}
    assert keys == {("Rubric:polite", f"1-{POLITE.digest}"), ("Rubric:clear", f"1-{GRADED.digest}")}
    with pytest.raises(StopIteration) as end:
        next(rubric_task(OWN).start(Case("q2", "When?", "In May.")))
    assert end.value.value.missing == "no-criterion" and math.isnan(end.value.value.value)


def test_a_rubric_is_judged_evaluated_and_validated_like_any_metric(serve, tmp_path, capsys):
    truth, run = tmp_path / "truth.jsonl", tmp_path / "run.jsonl"
    rows = [(f"q{i}", f"In {'May' if i % 2 else 'time'} {i}.") for i in range(24)]
    truth.write_text("".join(json.dumps({"query_id": query, "query": "When?", "relevant": {"d": 1}, "attributes": {
        "criterion": "names a month"} if query != "q23" else {}}) + "\n" for query, _ in rows))
    run.write_text("".join(json.dumps({"query_id": query, "retrieved": [{"doc_id": "d"}], "answer": answer}) + "\n"
                           for query, answer in rows))
    (tmp_path / "own.toml").write_bytes(rubric_toml(OWN))
    server = serve(judge=lambda asked: {"reason": "so", "verdict": "cannot decide" if "time 0." in asked.user else
                                        "pass" if "May" in asked.all("answer")[0] else "fail"})
    files = [str(run), "--truth", str(truth)]
    status = main(["judge", *files, "--rubric", str(tmp_path / "own.toml"), "--base-url", server.url, "--model", "toy"])
    text = capsys.readouterr().err
    assert status == 0 and len(server.asked) == 23 and "Rubric.own 0.500 (n 22" in text  # 11 of 22
    assert "1 no criterion for the query" in text and "1 the judge cannot decide" in text
    assert main(["evaluate", *files, "-m", "Rubric.own rubric.OWN", "--format", "json"]) == 0
    mean = json.loads(capsys.readouterr().out)["runs"][0]["metrics"]["Rubric.own"]
    assert (mean["mean"], mean["n"]) == (0.5, 22)
    (tmp_path / "edited.toml").write_bytes(rubric_toml(Rubric("own", "Another question?", column="criterion")))
    edited = ["judge", *files, "--rubric", str(tmp_path / "edited.toml"), "--base-url", server.url,
              "--model", "toy"]
    assert main([*edited, "--dry-run"]) == 0 and "23 calls, 0 verdicts known" in capsys.readouterr().err
    assert main([*edited, "-m", "P@5"]) == 2 and stored_rubrics() == [OWN], "only what is asked is kept"
    capsys.readouterr()
    labels = tmp_path / "labels.csv"
    labels.write_text("query_id,label\n" + "".join(f"{query},{int('May' in answer)}\n" for query, answer in rows[1:]))
    assert main(["trust", *files, "-m", "Rubric.own", "--labels", str(labels), "--format", "json"]) == 0
    assert "toy" in capsys.readouterr().out
    assert main(["report", *files, "-m", "Rubric.own", "-o", str(tmp_path / "report.html")]) == 0
    assert "own (rubric)" in (tmp_path / "report.html").read_text()
    save_rubric(Rubric("own", "Another question?", column="criterion"))  # its verdicts are not those of before
    register_rubrics()
    capsys.readouterr()
    assert main(["evaluate", *files, "-m", "Rubric.own", "--format", "json"]) in (0, 2)
    assert '"n": 22' not in capsys.readouterr().out
    with pytest.raises(InputError):
        parse_spec("Rubric.absent")
