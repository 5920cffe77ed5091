"""Criteria of one's own: from a TOML file to values, with one criterion per query, and through the command."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import pytest

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.metrics import METRICS, parse_spec
from ragdash.metrics.judged import register_rubrics
from ragdash.models.judge.json_schema import SchemaMismatch
from ragdash.models.judge.question import Reply
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
                       ("name = 'a'\nquestion = 'x'\nkind = 'order'", "kind"),
                       ("name = 'a'\nquestion = 'x'\nsees = ['all']", "sees"),
                       ("name = 'a'\nquestion = 'x'\nkind = 'labels'\nlabels = ['b', 'b']", "labels"),
                       ("name = 'a'\nquestion = 'x'\nkind = 'number'\n[anchors]\n1 = 'low'\nx = 'high'", "anchors"),
                       ("name = 'a'\nquestion = 'x'\nkind = 'number'\n[anchors]\n1 = 'a'\nnan = 'b'", "anchors"),
                       ("name = 'a'\nquestion = 'x'\nkind = 'number'\n[anchors]\n1 = 'a'\ninf = 'b'", "anchors"),
                       ("name = 'a'\nquestion = 'x'\nkind = 'number'\n[anchors]\n'1e308' = 'a'\n'-1e308' = 'b'",
                        "anchors"),
                       ("name = 'a'\nquestion = 'x'\nlabels = 'b'", "table"), ("name = ", "toml")):
        with pytest.raises(InputError) as error:
            read_rubric(text.encode(), "r.toml")
        assert [problem.message for problem in error.value.problems] == [f"bad-rubric/{kind}"]
    with pytest.raises(InputError, match=r"unknown fields \(color\)"):
        read_rubric(b"name = 'a'\nquestion = 'x'\ncolor = 'red'")


def test_the_guide_of_a_rubric_has_its_own_scale():
    for rubric in (POLITE, GRADED, NUMBER):
        save_rubric(rubric)
    register_rubrics()
    guides = {rubric.name: METRICS[rubric.metric] for rubric in (POLITE, GRADED, NUMBER)}
    assert len({guide.formula for guide in guides.values()}) == 3
    assert "one of: fail (0), pass (1)." in guides["polite"].doc
    assert "one of: poor (0), fair (0.5), good (1)." in guides["clear"].doc
    assert "a number from 1 to 5; 1 counts 0 and 5 counts 1." in guides["full"].doc


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


BEST = Rubric("best", "Which answer names the place most exactly?", "ranking", anchors=(("exact", "a street"),))


def test_a_ranking_is_blind_shuffled_complete_and_worth_the_share_of_answers_ranked_below():
    answers = {"dense": "Paris", "sparse": "Rue de Rivoli", "hybrid": "Rue de Rivoli", "web": "France"}
    case = Case("q1", "Where?", "Rue de Rivoli", rivals=tuple((f"run-{run}", text) for run, text in answers.items()))
    task = rubric_task(BEST)
    orders = []
    for vote in range(4):
        question, = next(task.start(replace(case, vote=vote)))
        orders.append(re.findall(r'<answer id="(\w)">\n(.*)\n', question.user))
    assert {letter for order in orders for letter, _ in order} == set("ABC"), "equal texts are one answer"
    assert len({tuple(text for _, text in order) for order in orders}) == 4, "each vote has its own order"
    assert not any(run in question.user + question.system for run in ("dense", "sparse", "hybrid", "run-"))
    others = [next(task.start(replace(case, answer=text)))[0] for text in answers.values()]
    assert len({other.user for other in others}) == 1, "all runs ask the same question, so it is asked once"
    assert len({next(task.start(replace(case, query_id=f"q{i}")))[0].user for i in range(12)}) > 1
    letters = {text: letter for letter, text in orders[0]}
    ranking = [{"id": letters["Rue de Rivoli"], "rank": 1}, {"id": letters["Paris"], "rank": 2},
               {"id": letters["France"], "rank": 2}]
    for broken in (ranking[:2], [*ranking, ranking[0]], [*ranking[:2], ranking[0]],
                   [*ranking[:2], {"id": "D", "rank": 3}], [*ranking[:2], {"id": letters["France"], "rank": 4}],
                   [*ranking[:2], {"id": letters["France"], "rank": 1.5}]):
        with pytest.raises(SchemaMismatch):
            others[0].check({"reason": "so", "ranking": broken})
    shares = {}
    for run, text in answers.items():
        asking = task.start(replace(case, answer=text))
        question, = next(asking)
        with pytest.raises(StopIteration) as end:
            asking.send([Reply(question.check({"reason": "so", "ranking": ranking}))])
        shares[run] = end.value.value.value
    # by hand: Rivoli is above 2 of 3 others and level with its twin; Paris and France are level, below two
    assert shares == {"dense": 1 / 6, "sparse": 2.5 / 3, "hybrid": 2.5 / 3, "web": 1 / 6} and sum(shares.values()) == 2
    for rivals, missing in (((("a", "Rue de Rivoli"), ("b", None)), "no-rivals"), (tuple(
            (str(i), f"text {i}") for i in range(27)), "too-many-answers")):
        with pytest.raises(StopIteration) as end:
            next(task.start(replace(case, rivals=rivals)))
        assert end.value.value.missing == missing
    with pytest.raises(StopIteration) as end:
        next(task.start(replace(case, rivals=(("a", case.answer), ("b", case.answer)))))
    assert end.value.value.value == 0.5, "equal answers tie without a call"
    assert "exact: a street" in system_prompt(BEST)
    for sees in (("question",), ("question", "answer", "contexts")):
        with pytest.raises(InputError):
            replace(BEST, sees=sees)


def test_runs_are_ranked_by_one_call_a_query_and_compared_like_on_any_metric(serve, tmp_path, capsys):
    queries, files = [f"q{i}" for i in range(24)], []
    truth = tmp_path / "truth.jsonl"
    truth.write_text("".join(json.dumps({"query_id": query, "query": "Where?", "relevant": {"d": 1}}) + "\n"
                             for query in queries))
    texts = {"low": "Far off {}.", "high": "Rue {} exact exact.", "middle": "Rue {} exact."}
    for run, text in texts.items():
        path = tmp_path / f"{run}.jsonl"
        path.write_text("".join(json.dumps({"query_id": query, "retrieved": [{"doc_id": "d"}], "answer": text.format(
            query)}) + "\n" for query in queries if (run, query) != ("low", "q0")))
        files.append(str(path))
    (tmp_path / "best.toml").write_bytes(rubric_toml(BEST))

    def ranked(asked):
        given = [(facts["id"], text.count("exact")) for tag, facts, text in asked.texts if tag == "answer"]
        entries = [{"id": letter, "rank": 1 + sum(other > exact for _, other in given)} for letter, exact in given]
        return {"reason": "the most exact first", "ranking": entries[1:] if "Rue q1 " in asked.user else entries}

    server = serve(judge=ranked)
    about = ["--truth", str(truth)]

    def judge(*runs):
        status = main(["judge", *runs, *about, "--rubric", str(tmp_path / "best.toml"), "--base-url", server.url,
                       "--model", "toy"])
        return status, "".join(capsys.readouterr())

    assert judge(files[0])[0] == 2 and not server.asked, "one run has nothing to be ranked against"
    status, text = judge(*files)
    broken = sum("Rue q1 " in json.dumps(body) for body in server.asked)
    assert status == 0 and len(server.asked) - broken == 23 and broken >= 1, "one call a query for all three runs"
    assert "high: Rubric.best 1.000 (n 23" in text and "the reply does not have the shape asked for" in text
    assert "low: Rubric.best 0.000 (n 22" in text and "1 no answer" in text
    main(["evaluate", files[1], *about, "-m", "Rubric.best", "--format", "json"])
    alone = json.loads(capsys.readouterr().out)
    assert alone["runs"][0]["metrics"]["Rubric.best"]["mean"] == 1 and "3 runs ranked" in json.dumps(alone)
    main(["compare", *files, *about, "-m", "Rubric.best", "--format", "json"])
    result = json.loads(capsys.readouterr().out)
    outcomes = {(pair["baseline"], pair["candidate"]): pair for pair in result["comparisons"]}
    assert outcomes["low", "high"]["outcome"] == "better"
    assert outcomes["low", "high"]["mean_difference"] == pytest.approx(1)
    assert outcomes["low", "middle"]["mean_difference"] == pytest.approx(0.5)
    paid = len(server.asked)
    assert judge(*reversed(files[1:]))[0] == 0 and len(server.asked) > paid, "another set of runs is another question"
    main(["compare", *files, *about, "-m", "Rubric.best", "--format", "json"])
    result = json.loads(capsys.readouterr().out)
    assert [check["kind"] for check in result["verdict"]["checks"] if check["level"] == "withheld"] == ["other-judges"]
    assert "2 runs ranked" in json.dumps(result["verdict"]["checks"])


@pytest.mark.parametrize("field", ["question = 5", "question = [1]", "question = true", "question = 2026-01-01",
                                   'question = "a"\ntitle = 5', 'question = "a"\nkind = ["pass"]'])
def test_a_field_of_another_type_is_refused_and_not_written_as_text(field):
    with pytest.raises(InputError) as raised:
        read_rubric(f'name = "polite"\n{field}\n'.encode())
    assert raised.value.problems[0].message == "bad-rubric/table"
