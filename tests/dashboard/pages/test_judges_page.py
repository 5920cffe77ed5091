"""The LLM judge tab with the scripted endpoint of the tests: plan, start, stop, resume, failures, keys, files."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import page_cases
import pyarrow as pa
import pytest
from helpers import until
from models.judge.server import Server, toy
from page_cases import address, keys, widget
from speed import quick
from streamlit.testing.v1 import AppTest

from ragdash.analysis.judge_validation import choose_examples
from ragdash.core.records import Run, Truth
from ragdash.dashboard.jobs import judging
from ragdash.dashboard.pages.answers.judge import sentences as judges_sentences
from ragdash.dashboard.session import state
from ragdash.evaluation.evaluate import evaluate_match, summaries
from ragdash.evaluation.scoring.run_judge import prepare_judging, run_judging
from ragdash.io import read_run, read_truth
from ragdash.matching.match import Match
from ragdash.metrics import parse_specs
from ragdash.models.judge import Endpoint, default_verdict_store
from ragdash.models.judge.endpoint import KNOWN, Judge
from ragdash.models.judge.question import Reply
from ragdash.models.judge.task_runner import first_round
from ragdash.models.judge.tasks import TASKS
from ragdash.models.judge.tasks.examples import save_examples

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "sample_runs"
IDS = [f"q{at}" for at in range(6)]
GPT, CLAUDE = Judge("gpt.example.org", "gpt-5"), Judge("claude.example.org", "claude")
SECRET = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in KNOWN.values():
        monkeypatch.delenv(name, raising=False)
    yield
    judging.forget()
    judging.forget_plans()


def the_case() -> tuple[Truth, list[Run]]:
    truth = Truth.build("truth", IDS, ["a"] * 6, np.ones(6, int), details=pa.table(
        {"query_id": IDS, "query": [f"What is the color of stone {at}?" for at in range(6)],
         "answers": [[f"Stone {at} is grey."] for at in range(6)]}))
    runs = [Run.build(name, IDS, ["a"] * 6, np.ones(6), details=pa.table({
        "query_id": IDS, "answer": [f"Stone {at} is {'grey' if at % 2 else 'purple'} {name}." for at in range(6)],
        "contexts": [[f"Stone {at} is grey {name}.", "Rivers flow."] for at in range(6)]}))
        for name in ("one", "two")]
    return truth, runs


def opened(server: Server | None = None, runs: list[Run] | None = None, truth: Truth | None = None,
           more: dict | None = None, secrets: dict | None = None, user: dict | None = None, **held) -> AppTest:
    own_truth, own_runs = the_case()
    if server is not None:
        held = {state.JUDGE_URL: server.url, state.JUDGE_MODEL: "toy", state.JUDGE_METRICS: ["Faithfulness"], **held}
    return page_cases.opened("answers/judge", state=held, secrets=secrets, user=user,
                             **address(truth or own_truth, runs or own_runs, **(more or {})))


def texts(at: AppTest) -> str:
    return "\n".join(one.value for one in (*at.markdown, *at.caption, *at.error, *at.warning)).replace("\\", "")


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception, at.exception
    return at


def plan(at: AppTest) -> AppTest:
    at.button(key="judge_plan").click().run()
    assert not at.exception, at.exception
    until(lambda: not any(job.running for job in judging._plans.values()))
    return run(at)


def start(at: AppTest) -> AppTest:
    at.button(key="judge_start").click().run()
    assert not at.exception and judging.current() is not None, texts(at)
    return at


def finish(at: AppTest) -> AppTest:
    until(lambda: not judging.current().running)
    return run(at)


def told(at: AppTest) -> dict[str, str]:
    return {one.label: one.value for one in at.metric}


def judged(at: AppTest):
    return next(one.value for one in at.dataframe if "Judged metric" in one.value)


def without_values(at: AppTest):
    """The row in place of the results where no metric of any run has a value."""
    return next(one.value for one in at.table if "No value of" in one.value)


def test_a_plan_names_the_examples_in_the_prompts(serve):
    truth, runs = the_case()
    labels = [{query: float(at % 2) for at, query in enumerate(IDS)}] * 2
    examples = choose_examples([Match(one, truth) for one in runs], labels, "Faithfulness", per_class=1,
                               groups={}).examples
    save_examples("Faithfulness", examples)
    at = plan(opened(serve()))
    shown = len({example.query_id for example in examples.examples})
    assert f"Faithfulness: 2 examples from human labels in the prompt ({examples.digest})" in texts(at)
    assert told(at)["Calls"] == str(12 - 2 * shown), "the queries of the examples are not asked"
    at = finish(start(at))
    assert judged(at)["n"].tolist() == [6 - shown] * 2


def test_a_field_that_the_click_on_start_leaves_counts(serve):
    """The browser sends both together: the plan is of other settings, so nothing is started."""
    server = serve()
    at = plan(opened(server))
    asked = len(server.seen)
    at.number_input(key=state.JUDGE_CALLS).set_value(3)
    at.button(key="judge_start").click().run()
    assert not at.exception and judging.current() is None and len(server.seen) == asked
    assert "The form has changed since the plan, so nothing was started" in texts(at) and "judge_plan" in keys(at)
    start(plan(at))
    assert "nothing was started" not in texts(at)


def test_opening_the_page_asks_nobody_and_starts_nothing(serve):
    server = serve()
    at = opened(server)
    assert "No judge scores yet" in texts(at) and keys(at).count("judge_plan") == 1
    assert "judge_start" not in keys(at) and judging.current() is None and not judging._plans
    assert not server.asked and not default_verdict_store().path.exists()


def test_plan_start_and_what_came_of_it(serve):
    server = serve()
    at = plan(opened(server, **{state.JUDGE_PRICE_IN: 10.0, state.JUDGE_PRICE_OUT: 20.0}))
    seen = told(at)
    assert seen["Calls"] == "12" and seen["Stored"] == "0" and seen["Sent to"] == server.url.split("/")[2]
    assert float(seen["Expected cost"]) > 0 and not server.asked
    assert "judge_agreed" not in keys(at, "checkbox")
    at = finish(start(at))
    assert len(server.asked) == 12 and re.search(r"Done: 12 calls, 0\.\d+ paid, 0 verdicts already stored", texts(at))
    headings = [heading.value for heading in at.header]
    assert headings.index("Results") < headings.index("Run a judge"), "the result is read first"
    table = judged(at)
    assert table["Run"].tolist() == ["one", "two"] and table["n"].tolist() == [6, 6]
    truth, runs = the_case()
    spec = parse_specs("Faithfulness")
    for row, own in zip(table.to_dict("records"), summaries([evaluate_match(Match(one, truth), spec) for one in runs]),
                        strict=True):
        assert (row["Mean"], row["Low"], row["High"]) == pytest.approx((own[0].mean, own[0].low, own[0].high))
        assert 0 < row["Mean"] < 1
    assert "12 verdicts, 1,440 tokens in and 360 out, about 0.0216 at the given prices" in texts(at)
    again = plan(at)
    assert told(again)["Calls"] == "0" and told(again)["Stored"] == "12" and "judge_start" not in keys(again)
    assert "Nothing to ask" in texts(again)


def test_some_stored_verdicts_are_asked_again_to_see_whether_the_judge_changed(serve):
    server, (truth, runs) = serve(), the_case()
    names = ["Faithfulness", "AnswerRelevanceJudged"]
    run_judging(prepare_judging(runs, truth, names, Endpoint(server.url, "toy")))
    stamp, paid = default_verdict_store().stamp(), len(server.asked)
    at = plan(opened(server, **{state.JUDGE_METRICS: names}))
    assert told(at)["Stored"] == str(paid) == "24" and "judge_start" not in keys(at)
    at.button(key="judge_drift").click().run()
    at = finish(at)
    assert "24 the same, mean change +0.000" in at.info[0].value.replace("\\", "") and len(server.asked) == 2 * paid
    assert default_verdict_store().stamp() == stamp, "no verdict was stored"


def test_a_plan_tells_what_follows_from_the_answers(serve):
    server = serve()
    at = plan(opened(server, **{state.JUDGE_METRICS: ["ClaimFaithfulness"], state.JUDGE_PRICE_IN: 10.0,
                                state.JUDGE_PRICE_OUT: 20.0}))
    first = next(one for one in at.metric if one.label == "Calls")
    assert first.value == "12" and re.fullmatch(r"then about \d+", first.delta)
    cost = next(one for one in at.metric if one.label == "Expected cost")
    read = next(one for one in at.metric if one.label == "Input tokens")
    tokens = int(read.value.replace(",", "")), int(read.delta.removesuffix(" output").replace(",", ""))
    assert cost.delta == "at these prices" and float(cost.value) == pytest.approx(
        (10 * tokens[0] + 20 * tokens[1]) / 1e6, rel=1e-3), "with the follow-up calls, as the tokens are"
    assert "claims is estimated from the length of the texts" in texts(at)
    assert str(tokens[0]) not in re.sub(r"\D", " ", texts(at)).split(), "one number of tokens"
    assert not server.asked


@pytest.mark.slow
def test_progress_is_seen_by_all_and_after_a_stop_nothing_is_asked_twice(serve):
    server = serve(delay=0.1)
    mine = start(plan(opened(server, **{state.JUDGE_AT_ONCE: 1})))
    until(lambda: len(server.asked) >= 3 and "progress" in judging.current().worker.messages)
    server.resumed.clear()
    other = opened()
    for at in (run(mine), other):
        assert re.search(r"\*\*toy at 127\.0\.0\.1:\d+\*\* is judging one and two: Faithfulness", texts(at))
        assert re.search(r"\d+ of 12 questions", at.get("progress")[0].proto.text)
        assert "judge_plan" not in keys(at) and "judge_start" not in keys(at), "one at a time"
    for part in ("answers", "answers/validation"):
        at = page_cases.opened(part, **address(*the_case()))
        assert "is judging one and two: Faithfulness. Its values cover what is judged so far" in texts(at), part
    elsewhere = other.switch_page("pages/compare.py").run()
    assert not elsewhere.exception and judging.current().running, "it goes on while other pages are looked at"
    mine.button(key="judge_stop").click().run()
    server.resumed.set()
    mine = finish(mine)
    assert "Stopped (" in texts(mine) and "nothing is billed twice" in texts(mine)
    before = len(server.asked)
    assert 3 <= before < 12 and judged(mine)["n"].sum() == before, "what was on its way is kept"
    server.delay = 0.0
    mine = plan(mine)
    assert told(mine)["Calls"] == str(12 - before) and told(mine)["Stored"] == str(before)
    mine = finish(start(mine))
    assert "is judging" not in texts(page_cases.opened("answers", **address(*the_case())))
    assert len(server.asked) == 12 and judged(mine)["n"].tolist() == [6, 6]
    assert len({json.dumps(body["messages"]) for body in server.asked}) == 12


def test_the_judge_that_was_just_asked_is_the_one_shown(serve):
    truth, runs = the_case()
    with_another = serve()
    for one in runs:
        run_judging(prepare_judging([one], truth, "Faithfulness", Endpoint(with_another.url, "another")))
    at = opened(server := serve())
    assert "**another at" in texts(at)
    at = finish(start(plan(at)))
    assert len(server.asked) == 12 and "**toy at" in texts(at) and "**another at" not in texts(at)
    at.selectbox(key="judge").set_value(f"another at {with_another.url.split('/')[2]}").run()
    assert "**another at" in texts(run(at)), "the choice of a person stays"


def test_one_call_to_try_does_not_take_the_place_of_another_judge(serve):
    """Its verdict is kept, but pages go on showing the judge that has scored the runs."""
    truth, runs = the_case()
    run_judging(prepare_judging(runs, truth, "Faithfulness", Endpoint(serve().url, "another")))
    at = plan(opened(server := serve()))
    at.button(key="judge_try").click().run()
    at = finish(at)
    assert len(server.asked) == 1 and "a judge with more verdicts stays the one shown" in texts(at)
    assert "**another at" in texts(at) and "**toy at" not in texts(at)
    assert [judge.model for judge in default_verdict_store().judges()] == ["another", "toy"]
    run_judging(prepare_judging(runs[:1], truth, "Faithfulness", Endpoint(server.url, "toy"), sample=2))
    assert [judge.model for judge in default_verdict_store().judges()] == ["toy", "another"], "more than a trial"


def test_a_budget_of_calls_ends_it_and_says_so(serve):
    server = serve()
    at = plan(opened(server, **{state.JUDGE_CALLS: 5}))
    at.button(key="judge_try").click().run()
    at = finish(at)
    assert len(server.asked) == 1 and "One call was answered (1 call," in texts(at)
    at = finish(start(plan(at)))
    assert "Budget spent (5 calls" in texts(at) and len(server.asked) == 6
    again = opened()
    assert (again.selectbox(key=state.JUDGE_URL).value, again.text_input(key=state.JUDGE_MODEL).value) == (
        server.url, "toy"), "remembered"


def test_one_call_shows_the_question_the_reply_and_the_verdict(serve):
    at = plan(opened(server := serve()))
    at.button(key="judge_try").click().run()
    at = finish(at)
    reply, verdict, question = [one.value for one in at.code][:3]
    asked = server.asked[0]["messages"]
    assert all(one["content"] in question or one["content"].startswith(question[:200]) for one in asked[:1])
    assert "content words stand in the contexts" in reply and json.loads(verdict) == json.loads(reply)
    assert not at.warning and "Verdict, as it was read" in texts(at)


def test_one_call_without_a_verdict_shows_the_reply_and_why(serve):
    at = plan(opened(serve("chatter")))
    at.button(key="judge_try").click().run()
    at = finish(at)
    assert "The call that was tried gives no verdict: no JSON in the reply" in at.warning[0].value
    assert ":material/check: One" not in texts(at)
    reply, question = [one.value for one in at.code][:2]
    assert reply.startswith("I think") and "Stone" in question
    assert "No verdict: no JSON in the reply: it holds no complete JSON object." in texts(at)
    truth, known = the_case()
    scores = page_cases.opened("answers", **address(truth, known))
    assert "LLM judge" not in [one.value for one in scores.header] and "has also scored" not in texts(scores)


def test_unusable_replies_are_counted_and_can_be_read_and_do_not_end_green(serve):
    server = serve(*["chatter"] * 9)  # three replies each to the first three questions
    at = finish(start(plan(opened(server, **{state.JUDGE_AT_ONCE: 1}))))
    assert "**9 of 12 scores, 3 missing: 3 no JSON in the reply** (Faithfulness). Done: 18 calls" in texts(at)
    assert ":material/check: Done" not in texts(at)
    assert [one.label for one in at.expander].count("The first replies without a verdict") == 1
    assert sum(one.value.startswith("I think") for one in at.code) == 3
    assert "judged 2 runs by 1 metric: 9 values, 3 missing." in texts(at)


def test_votes_are_read_with_their_agreement(serve):
    server = serve()
    at = finish(start(plan(opened(server, **{state.JUDGE_VOTES: 3, state.JUDGE_SAMPLE: 4}))))
    table = judged(at)
    assert len(server.asked) == 24 and table["n"].tolist() == [4, 4] and table["Votes"].tolist() == [3, 3]
    assert table["Votes agree"].tolist() == [1, 1] and "no verdict of the judge yet (2)" in table["Missing"].tolist()
    assert table["Differ on"].tolist() == ["0 of 4"] * 2
    table = judged(finish(start(plan(opened(server, **{state.JUDGE_VOTES: 1})))))  # one vote on all queries
    assert len(server.asked) == 28 and table["n"].tolist() == [6, 6] and table["Differ on"].tolist() == ["0 of 4"] * 2


@pytest.mark.parametrize("fault, found, fix", [("401", "401", "key"), ("404", "404", "base URL"),
                                                ("404-model", "model", "model")])
def test_an_endpoint_that_does_not_work_is_told_and_verdicts_stay(serve, fault, found, fix):
    server = serve("", "", *[fault] * 40)
    at = finish(start(plan(opened(server, **{state.JUDGE_AT_ONCE: 1}))))
    card = at.error[0].value.replace("\\", "")
    assert found in card and "expected" in card and fix in card and "--" not in card
    assert "Stopped by the error above" in texts(at) and judged(at)["n"].sum() == 2
    assert "judge_plan" in keys(at), "it can be started again"


def test_an_endpoint_that_is_not_there_is_told(serve):
    server = serve()
    at = plan(opened(server, **{state.JUDGE_URL: "http://127.0.0.1:1/v1"}))
    at = finish(start(at))
    assert "no connection" in at.error[0].value.replace("\\", "") and not server.asked


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://host/v1", "https://me:pass@host/v1",
                                 "https://host/v1?key=abc"])
def test_an_address_that_is_none_is_told_before_anything_starts(url):
    at = opened(None, **{state.JUDGE_URL: url, state.JUDGE_MODEL: "toy"})
    assert len(at.error) == 1 and at.button(key="judge_plan").disabled
    assert "pass" not in at.error[0].value.replace("password", "") and "abc" not in at.error[0].value


def test_a_typed_key_is_in_no_file_command_or_address(cold_jobs, serve, tmp_path, monkeypatch):
    server = serve(delay=0.2)
    asked, begin = [], subprocess.Popen.__init__

    def noted(self, command, *args, **options):
        asked.append((command, options.get("env") or {}))
        begin(self, command, *args, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", noted)
    at = start(plan(opened(server, **{state.JUDGE_KEY_FROM: "typed", state.JUDGE_KEY: SECRET})))
    until(lambda: server.seen)
    assert server.seen[0]["Authorization"] == f"Bearer {SECRET}"
    job = judging.current()
    for listed in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert SECRET.encode() not in listed.read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
    holding = [path for path in (*Path(job.folder.name).rglob("*"), *tmp_path.rglob("*"))
               if path.is_file() and SECRET.encode() in path.read_bytes()]
    at = finish(run(at))
    holding += [path for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert not holding and default_verdict_store().path.exists()
    assert [SECRET in str(environment) for _, environment in asked] == [False, True], "the one that asks, not the plan"
    assert not any(SECRET in str(command) for command, _ in asked)
    assert SECRET not in str(dict(at.query_params)) and SECRET not in repr(job) + str(job.details) + str(job.key)
    assert at.text_input(key=state.JUDGE_KEY).proto.type == at.text_input(key=state.JUDGE_KEY).proto.PASSWORD
    assert SECRET not in texts(at) + str([one.value for one in at.code])


def test_a_key_of_the_environment_goes_to_its_own_host_alone(serve, monkeypatch):
    server = serve()
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("DATABASE_PASSWORD", SECRET)
    for name, why in (("OPENAI_API_KEY", "is sent to api.openai.com only"), ("DATABASE_PASSWORD", "_API_KEY"),
                      ("PATH", "_API_KEY")):
        at = opened(server, **{state.JUDGE_VARIABLE: name})
        assert why in at.error[0].value.replace("\\", "") and at.button(key="judge_plan").disabled
    monkeypatch.setenv("MY_API_KEY", "another-key-1234")
    at = opened(server, **{state.JUDGE_VARIABLE: "MY_API_KEY"})
    assert "MY_API_KEY is set on the server" in texts(at)
    finish(start(plan(at)))
    assert {one["Authorization"] for one in server.seen} == {"Bearer another-key-1234"}
    at = plan(opened(server, **{state.JUDGE_VARIABLE: "NO_API_KEY", state.JUDGE_MODEL: "other"}))
    at.button(key="judge_start").click().run()
    assert "Type the key under Key" in at.error[0].value


def test_texts_leave_this_machine_only_after_a_yes_that_names_the_host(monkeypatch):
    at = plan(opened(None, **{state.JUDGE_URL: "https://judge.invalid/v1", state.JUDGE_MODEL: "toy"}))
    box = at.checkbox(key="_judge_agreed")
    assert "judge.invalid" in box.label.replace("\\", "") and not box.value and at.button(key="judge_start").disabled
    started = []
    monkeypatch.setattr(judging, "start", lambda *given: started.append(given) or True)
    at.button(key="judge_start").proto.disabled = False  # a page that was tampered with
    at.button(key="judge_start").click().run()
    assert not at.exception and not started
    box = at.checkbox(key="_judge_agreed").check().run().button(key="judge_start")
    assert not box.disabled
    at.button(key="judge_start").click().run()
    assert len(started) == 1
    at = plan(at)
    assert not at.checkbox(key="_judge_agreed").value, "another plan, another yes"


@pytest.mark.parametrize("how", ["viewer", "read-only"])
def test_who_may_only_look_can_neither_start_nor_stop(serve, monkeypatch, how):
    from test_access import AUTH, LISTS, as_user

    server = serve(delay=0.2)

    viewer = {"secrets": {"auth": AUTH, "access": LISTS}, "user": as_user("bob@example.org")}
    visitor = viewer if how == "viewer" else {}
    editor = start(plan(opened(server)))
    if how == "read-only":
        monkeypatch.setenv("RAGDASH_READ_ONLY", "1")
    at = opened(server, **visitor)
    assert "is judging one and two" in texts(at) and not {"judge_stop", "judge_plan", "judge_start"} & set(keys(at))
    editor = finish(editor)
    at = opened(server, **visitor)
    assert not {"judge_stop", "judge_plan", "judge_start", "verdicts_read"} & set(keys(at))
    assert "Only editors can run judges" in texts(at) and judged(at)["n"].tolist() == [6, 6]


def test_runs_without_texts_say_what_they_lack():
    truth, _ = the_case()
    bare = Run.build("bare", IDS, ["a"] * 6, np.ones(6))
    at = opened(None, [bare], truth)
    assert "Nothing to judge in bare" in texts(at) and "judge_plan" not in keys(at)
    said = Run.build("said", IDS, ["a"] * 6, np.ones(6), details=pa.table({"query_id": IDS, "answer": ["grey"] * 6}))
    at = opened(None, [said], truth)
    assert at.multiselect(key=state.JUDGE_METRICS).value == ["AnswerRelevanceJudged"]
    assert re.search(r"Not possible with these texts: .*Faithfulness.*Give the run a column contexts", texts(at))
    assert "Faithfulness" not in at.multiselect(key=state.JUDGE_METRICS).options


def test_without_the_library_the_command_that_fixes_it_stands_there(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name, package=None: None)
    at = opened()
    assert any("ragdash[judge]" in one.value for one in at.code) and "judge_plan" not in keys(at)


@pytest.mark.slow
def test_a_killed_server_takes_its_process_along_and_the_next_goes_on(serve, tmp_path):
    server = serve(delay=0.5)  # 6 s of work: the kill comes long before its end
    code = f"""
import sys, time
sys.path[:0] = {[str(Path(__file__).parents[up]) for up in (0, 1, 2)]}
from test_judges_page import judging, the_case
from ragdash.matching.match import Match
truth, runs = the_case()
order = judging.JudgeOrder("openai", {server.url!r}, "toy", None, ("Faithfulness",), concurrency=1)
assert judging.start(("x",), {{run.name: Match(run, truth).judged.cases for run in runs}}, order, None)
print(judging.current().worker.process.pid, flush=True)
time.sleep(600)
"""
    page = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    worker = int(page.stdout.readline())
    until(lambda: len(server.asked) >= 2)
    page.send_signal(signal.SIGKILL)
    page.wait()
    until(lambda: not alive(worker))
    before = len(server.asked)
    assert before < 12
    server.delay = 0.0
    at = finish(start(plan(opened(server))))
    assert judged(at)["n"].tolist() == [6, 6]
    assert len(server.asked) == 12, "what was on its way is kept"


@pytest.mark.slow
def test_a_job_that_is_stopped_at_once_says_that_its_requests_may_be_billed_again(serve):
    server = serve()
    server.resumed.clear()
    at = start(plan(opened(server, **{state.JUDGE_AT_ONCE: 1})))
    until(lambda: len(server.asked) == 1)
    at.button(key="judge_stop").click().run()
    at = finish(at.button(key="judge_drop").click().run())
    server.resumed.set()
    assert "requests that were in flight may be billed again" in texts(at)
    assert "billed twice" not in texts(at)
    assert told(plan(at))["Calls"] == "12", "its reply was lost"


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_the_process_reads_are_the_very_texts_of_the_page(tmp_path):
    truth = Truth.build("truth", [*IDS, "q6", "q7"], ["a"] * 8, np.ones(8, int), details=pa.table(
        {"query_id": [*IDS, "q6", "q7"], "query": ["zero?", None, "two?", "", "four?", "five?", "six?", "seven?"],
         "answers": [["a", " "], [], None, ["b", "c"], ["d"], [""], ["f"], ["g"]],
         "attributes": ['{"tone": "dry"}', '{"answerable": false}', None, None, None, None, None, None]}))
    told = Run.build("a/b = told", IDS, ["a"] * 6, np.ones(6), texts=["x y"] * 6, details=pa.table({
        "query_id": IDS, "query": ["other?", "one?", None, None, None, None],
        "answer": ["<think>hm</think>grey", "", None, "line\none", "\u2028 \u00e9", " "],
        "contexts": [["x y", "x y", "z"], [], None, ["", "x y"], [f"text {at}" for at in range(7)], ["x y"]],
        "chat_history": [[{"role": "user", "text": "Grey\n?"}, {"role": "", "text": "no"}], *[None] * 4,
                         [{"role": "assistant", "text": "so"}]]}))
    ranks = np.arange(40)
    texts_ = Run.build("texts", np.repeat(IDS[:5], 8), np.array([f"d{at % 8}" for at in ranks]), -ranks.astype(float),
                       texts=[f"text {at % 3}" if at % 7 else None for at in ranks],
                       details=pa.table({"query_id": IDS[:5], "answer": [f"it is {at}" for at in range(5)]}))
    runs = {"a/b = told": Match(told, truth).judged.cases, "texts": Match(texts_, truth).judged.cases}
    assert any(name.startswith("context") for case in runs["a/b = told"] for name, _ in case.contexts or ())
    assert [case.no_answer for case in runs["texts"]][:6] == [False, True, False, False, False, True]
    files, path = judging.write_cases(runs, tmp_path)
    again = read_truth(path)
    for file, (name, cases) in zip(files, runs.items(), strict=True):
        label, _, place = file.partition("=")
        found = Match(read_run(place), again).judged.cases
        for ours, theirs in zip(cases, found, strict=True):
            assert (ours.history, ours.no_answer) == (theirs.history, theirs.no_answer), ours
            for task in TASKS.values():
                assert task.lacks(ours) == task.lacks(theirs), (name, ours, theirs)
                assert task.lacks(ours) or ours == theirs
    assert label == "texts" and files[0].startswith("a_b _ told=")


def test_the_slice_of_the_sidebar_is_what_is_judged(serve):
    server = serve()
    truth, runs = the_case()
    kinds = pa.array([json.dumps({"kind": "odd" if at % 2 else "even"}) for at in range(6)])
    truth = Truth.build("truth", IDS, ["a"] * 6, np.ones(6, int), details=pa.table(
        {"query_id": IDS, **{name: truth.details[name] for name in ("query", "answers")}, "attributes": kinds}))
    at = plan(opened(server, runs, truth, {"slice": "kind=odd"}))
    assert told(at)["Calls"] == "6"
    at = finish(start(at))
    assert judged(at)["n"].tolist() == [3, 3] and "Missing" not in judged(at)


def asked_of(server: Server, runs: list[Run], truth: Truth, metrics: str, model: str = "toy", **options) -> None:
    run_judging(prepare_judging(runs, truth, metrics, Endpoint(server.url, model), **options))


def test_several_judges_and_what_to_beware_of(serve):
    server = serve(judge=lambda asked: {"reason": "fine", "score": 1})
    ids = [f"q{at}" for at in range(12)]
    truth = Truth.build("truth", ids, ["a"] * 12, np.ones(12, int))
    details = pa.table({"query_id": ids, "answer": [f"answer {at}" for at in range(12)],
                        "contexts": [[f"text {at}"] for at in range(12)]})
    runs = [Run.build("one", ids, ["a"] * 12, np.ones(12), settings={"generator": "gpt-4o-mini"}, details=details)]
    asked_of(server, runs, truth, "Faithfulness", "toy-judge", sample=11)
    asked_of(server, runs, truth, "Faithfulness", "gpt-4.1")
    at = opened(None, runs, truth)
    picker = at.selectbox(key="judge")
    assert [one.partition(" at ")[0] for one in picker.options] == [
        "gpt-4.1", "toy-judge", "Mean of 2 judges, one of them a script"]
    assert "Faithfulness of **one** is 1 for every answer: a judge that always gives the same score" in texts(at)
    assert "was written by gpt-4o-mini, from the judge's own family (OpenAI)" in texts(at)
    assert "**toy-judge** is" not in texts(at)
    chosen = picker.options[1].partition(" (")[0]
    picker.set_value(chosen)
    at = run(at)
    assert judged(at)["n"].tolist() == [11] and "**toy-judge** is a script" in texts(at)
    assert "own family" not in texts(at) and at.query_params["judge"] == chosen


def test_a_question_that_failed_shows_no_metric_that_was_not_asked(serve):
    def one_failure(asked):
        return {} if asked.task == "Claims" and "Stone 3" in asked.user else toy(asked)

    server = serve(judge=one_failure)
    at = finish(start(plan(opened(server, **{state.JUDGE_METRICS: ["ClaimFaithfulness"]}))))
    frame = judged(at)
    assert set(frame["Judged metric"]) == {"Claim faithfulness", "RAGAS faithfulness"}, "not RAGChecker's, nor F1's"
    assert all("(1)" in reasons for reasons in frame["Missing"])
    server.judge = lambda asked: {}
    at = finish(start(plan(opened(server, **{state.JUDGE_MODEL: "bad", state.JUDGE_METRICS: ["ClaimFaithfulness"]}))))
    row = without_values(at)
    assert len(row) == 1 and "Claim faithfulness" in row["No value of"][0], "what was asked and always failed is shown"
    assert row["Why"][0] and "not asked" not in row["Why"][0] and "(" not in row["Why"][0]
    assert "Can this judge be trusted?" not in [link.proto.label for link in at.get("page_link")]


def test_the_mean_of_two_judges_is_shown_with_whom_it_is_of_and_how_far_they_agree():
    truth, runs = the_case()
    for judge, name in (GPT, "Faithfulness"), (CLAUDE, "Faithfulness"), (CLAUDE, "Correctness"):
        for one in runs:
            match = Match(one, truth)
            asked = [questions[0] for questions in map(next, match.judged.askings(name))]
            scores = [1.0] * 6 if judge is GPT else [1.0, 1.0, 1.0, 0.5, 0.5]  # nothing of the last query
            default_verdict_store().save(judge, [(question, Reply({"reason": "so", "score": score}, attempts=1))
                                         for question, score in zip(asked, scores, strict=False)])
    at = opened(None, runs, truth)
    picker = at.selectbox(key="judge")
    assert picker.options == [str(CLAUDE), str(GPT), "Mean of 2 judges"]
    picker.set_value(f"{CLAUDE} + {GPT}")
    at = run(at)
    assert not at.exception
    frame = judged(at)
    assert frame["Judged metric"].tolist() == ["Faithfulness"] * 2, "only what both have judged"
    assert frame["Mean"].tolist() == pytest.approx([(3 * 1 + 2 * 0.75) / 5] * 2) and frame["n"].tolist() == [5, 5]
    assert frame["Judges agree"].tolist() == pytest.approx([(3 * 1 + 2 * 0.5) / 5] * 2)
    assert set(frame["Judges"]) == {f"{CLAUDE}, {GPT}"} and "Votes" not in frame
    assert f"{CLAUDE}: no verdict of the judge yet" in frame["Missing"].iloc[0]
    assert "**Mean of 2 judges** (" in texts(at) and at.query_params["judge"] == f"{CLAUDE} + {GPT}"
    found = evaluate_match(Match(runs[0], truth), parse_specs(f"Faithfulness(judge='{CLAUDE} + {GPT}')"))
    assert np.nanmean(found.values) == pytest.approx(frame["Mean"].iloc[0])
    assert frame["Differ on"].tolist() == ["2 of 5"] * 2, "not 80%: agreement of two judges is 50% at least"
    at.session_state["judges_differ"] = True
    at = run(at)
    assert "The judges differ on **4 of 10** answers" in texts(at)
    table = next(one.value for one in at.dataframe if "Gap" in one.value)
    assert table["Query"].tolist() == ["q3", "q4", "q3", "q4"] and table["Run"].tolist() == ["one"] * 2 + ["two"] * 2
    assert table[[str(CLAUDE), str(GPT), "Gap"]].to_numpy().tolist() == [[0.5, 1.0, 0.5]] * 4


def said_by(judge: Judge, names: str, scores: list[float]) -> tuple[Truth, list[Run]]:
    """Verdicts of a judge on the first queries of each run."""
    truth, runs = the_case()
    for name in names.split():
        for one in runs:
            asked = [questions[0] for questions in map(next, Match(one, truth).judged.askings(name))]
            default_verdict_store().save(judge, [(question, Reply({"reason": "so", "score": score}, attempts=1))
                                         for question, score in zip(asked, scores, strict=False)])
    return truth, runs


def test_a_trial_of_another_judge_stays_behind_the_result_until_it_is_chosen_for_all_pages():
    said_by(GPT, "Faithfulness Correctness", [0.5] * 6)
    truth, runs = said_by(CLAUDE, "Faithfulness ContextRelevance", [1.0] * 2)
    at = page_cases.opened("answers", **address(truth, runs))
    assert "Correctness and Faithfulness: verdicts of **gpt-5 at gpt.example.org**" in texts(at)
    assert "share the highest Correctness, 0.500 [0.270,\u00a00.730] over 6 queries" in texts(at)
    assert list(at.table[0].value)[-1].startswith("Context relevance"), "tried on two queries: listed last, with its n"
    at = opened(None, runs, truth, more={}, **{state.JUDGE_ASKED: CLAUDE.full_name})
    assert judged(at)["n"].tolist() == [2] * 4, "the tab shows the judge just asked"
    assert "All pages show for each metric the judge with values on most queries" in texts(at)
    at.button(key="judge_read").click()
    at = run(at)
    assert at.query_params["read_judge"] == str(CLAUDE) and f"All pages show **{CLAUDE}**, as chosen" in texts(at)
    chosen = page_cases.opened("answers", **address(truth, runs, read_judge=str(CLAUDE)))
    assert f"All pages show **{CLAUDE}**, as chosen" in texts(chosen)
    assert "verdicts of **gpt-5 at gpt.example.org**" in texts(chosen), "Correctness, which the other has not judged"
    assert f"verdicts of **{CLAUDE}**" in texts(chosen)
    at.button(key="judge_unread").click()
    assert "read_judge" not in run(at).query_params


def test_verdicts_go_out_and_results_of_other_tools_come_in(serve, tmp_path):
    server = serve()
    truth, runs = the_case()
    asked_of(server, runs, truth, "Faithfulness ClaimFaithfulness")
    at = opened(server, _verdicts_said=("", ()))
    rows = [json.loads(line) for line in at_files(at).splitlines()]
    assert {row["metric"] for row in rows} >= {"Faithfulness", "ClaimFaithfulness"} and len(rows) % 6 == 0
    at.selectbox(key="_verdicts_as").set_value("ragchecker").run()
    assert not at.exception and "no verdict on run" in texts(at)
    ragas = "user_input,response,faithfulness\n" + "".join(
        f"What is the color of stone {q}?,Stone {q} is {'grey' if q % 2 else 'purple'} one.,{q / 10}\n"
        for q in range(5)) + "What?,other,0.5\n"
    at.file_uploader[0].upload("ragas.csv", ragas.encode())
    at.run()
    at.button(key="verdicts_read").click().run()
    assert not at.exception and "5 verdicts of 6 rows" in texts(at)
    assert any("What?" in str(frame.value.get("Found", "")) for frame in at.dataframe)
    assert judged(at)["n"].tolist() == [5] and "Judge" not in judged(at)
    assert judged(at)["Mean"][0] == pytest.approx(0.2) and "no judge was called" in texts(at)
    at.file_uploader[0].upload("wrong.csv", b"a,b\n1,2\n")
    at.run()
    at.button(key="verdicts_read").click().run()
    assert "wrong.csv" in at.error[0].value.replace("\\", "")


def at_files(at: AppTest) -> str:
    """What the button of the verdicts gives."""
    from ragdash.dashboard.pages.answers.judge import data as judges_data
    from ragdash.dashboard.pages.answers.judge import verdict_files

    assert any("verdicts_download" in one.proto.id for one in at.get("download_button"))
    truth, runs = the_case()
    return verdict_files.export(Match(runs[0], truth).judged, "rows",
                                 judge=str(judges_data.judges()[0].judge)).decode()


def test_every_judged_metric_says_what_it_takes():
    assert TASKS.keys() == set(judges_sentences.metric_order())
    assert all(task.calls for task in TASKS.values())
    assert TASKS["RAGChecker.Precision"].calls == "1, then 1 per 20 claims"
    assert TASKS["RAGChecker.F1"].calls == "2, then 1 per 20 claims of both"
    assert TASKS["RAGChecker.Hallucination"].calls == "1, then 1 per 20 claims and text or chunk"
    assert all(judges_sentences.needs(name) for name in TASKS)


@pytest.mark.slow
def test_a_rerun_with_ten_thousand_verdicts_is_quick():
    ids = [f"q{at}" for at in range(5_000)]
    truth = Truth.build("truth", ids, ["a"] * 5_000, np.ones(5_000, int))
    runs = [Run.build(name, ids, ["a"] * 5_000, np.ones(5_000), details=pa.table(
        {"query_id": ids, "answer": [f"{name} {at}" for at in ids], "contexts": [[f"text {at}"] for at in ids]}))
        for name in ("one", "two")]
    endpoint = Endpoint("http://localhost:1/v1", "toy")
    for one in runs:
        asked = first_round(Match(one, truth).judged.askings("Faithfulness"))
        default_verdict_store().save(
            endpoint.judge,
            [
                (question, Reply({"reason": "so", "score": float(at % 2)}, attempts=1))
                for at, question in enumerate(asked)
            ],
        )
    at = opened(None, runs, truth)
    assert judged(at)["n"].tolist() == [5_000, 5_000]
    quick(lambda: run(at), 1.0)


def test_judging_by_batch_files_from_requests_to_results(tmp_path, monkeypatch):
    from models.judge.batch_service import answer

    files = {}
    monkeypatch.setattr("streamlit.download_button", lambda label, content, name, *rest, key, **options:
                        files.update({key: content}))
    at = opened(None, **{state.JUDGE_URL: "http://127.0.0.1:9/v1", state.JUDGE_MODEL: "toy",
                         state.JUDGE_METRICS: ["ClaimFaithfulness"], state.BATCH_READ: ("", [])})
    assert "Round 1 of 2: 12 requests (12 Claims)" in texts(at)
    for number, (faults, words) in enumerate([
            ({0: "expired"}, "Round 2 of 3: 12 requests (1 Claims, 11 Verify, 1 of them again)"),
            ({}, "Round 3 of 3: 1 request (1 Verify)"), ({}, "Nothing left to ask; 24 verdicts known")]):
        (tmp_path / "requests.jsonl").write_bytes(files["batch_download_1"])
        replies = answer(tmp_path / "requests.jsonl", tmp_path / "replies.jsonl", faults)
        field, = (one for one in at.file_uploader if one.key.startswith(state.BATCH_REPLIES))
        field.upload(f"replies-{number}.jsonl", replies.read_bytes())
        at.run()
        at.button(key="batch_read").click().run()
        assert not at.exception and words in texts(at), texts(at)
        field, = (one for one in at.file_uploader if one.key.startswith(state.BATCH_REPLIES))
        assert not field.value and at.button(key="batch_read").disabled, "files that were read are no longer listed"
        assert number or without_values(at)["No value of"][0] == "Claim faithfulness", "what was chosen, of the claims"
    assert set(judged(at)["Judged metric"]) == {"Claim faithfulness", "RAGAS faithfulness"}  # of the same verdicts
    assert judged(at)["n"].tolist() == [6] * 4 and "**toy at" in texts(at)


def test_a_batch_is_submitted_and_read_on_the_page(tmp_path):
    from models.judge.batch_endpoint import BatchEndpoint

    with BatchEndpoint(tmp_path) as service:
        at = opened(None, **{state.JUDGE_URL: service.url, state.JUDGE_MODEL: "toy", state.BATCH_READ: ("", []),
                             state.JUDGE_METRICS: ["Faithfulness"]})
        at.button(key="batch_submit").click().run()
        assert "submitted 12 requests as batch-0" in texts(at) and "1 open batch at 127.0.0.1" in texts(at)
        assert not [one for one in at.button if one.key == "batch_submit"], "nothing else to ask yet"
        service.finish()
        at.button(key="batch_poll").click().run()
        assert "batch-0: completed, 12 of 12; 12 new verdicts" in texts(at) and len(service.asked) == 12
        assert "Nothing left to ask; 12 verdicts known" in texts(at) and judged(at)["n"].tolist() == [6] * 2
    away = opened(None, **{state.JUDGE_URL: "https://judge.example.org/v1", state.JUDGE_MODEL: "toy",
                           state.BATCH_READ: ("", []), state.JUDGE_METRICS: ["Faithfulness"]})
    assert away.button(key="batch_submit").disabled
    assert "may be sent to" in widget(away, "checkbox", state.BATCH_AGREED).label


def test_a_criterion_written_on_the_page_is_judged_and_shown(serve):
    server = serve(judge=lambda asked: {"reason": "so", "verdict": "good" if "grey" in asked.user else "poor"})
    at = opened(server, **{state.RUBRIC_SAVED: ("", []), state.RUBRIC_NAME: "shade", state.RUBRIC_KIND: "labels",
                           state.RUBRIC_QUESTION: "Is it the right shade?", state.RUBRIC_SEES: ["answer"],
                           state.RUBRIC_SCALE: "poor: another\nfair\ngood: grey", state.JUDGE_METRICS: []})
    at.button(key="rubric_save").click().run()
    assert "Saved as the metric Rubric.shade" in texts(at), texts(at)
    at = finish(start(plan(at)))
    assert len(server.asked) == 12 and "1. poor" not in server.asked[0]["messages"][0]["content"]
    assert "poor: another\nfair\ngood: grey" in server.asked[0]["messages"][0]["content"]
    assert judged(at)["Judged metric"].tolist() == ["shade (rubric)"] * 2 and judged(at)["Mean"].tolist() == [0.5] * 2
    at.text_input(key=state.RUBRIC_NAME).set_value("no name")
    at.button(key="rubric_save").click().run()
    assert "a letter, then letters" in at.error[0].value.replace("\\", "")
    server.judge = lambda asked: {"reason": "so", "ranking": [
        {"id": facts["id"], "rank": 1 + text.endswith("one.")} for tag, facts, text in asked.texts if tag == "answer"]}
    at = opened(server, **{state.RUBRIC_SAVED: ("", []), state.RUBRIC_NAME: "darker", state.RUBRIC_KIND: "ranking",
                           state.RUBRIC_QUESTION: "Which is darker?", state.JUDGE_METRICS: []})
    assert "One call per query ranks the answers of all runs shown" in texts(at)
    at.button(key="rubric_save").click().run()
    at = finish(start(plan(at)))
    table = judged(at).query("`Judged metric` == 'darker (rubric)'")
    assert len(server.asked) == 18 and table["Run"].tolist() == ["one", "two"] and table["Mean"].tolist() == [0, 1]
    default_verdict_store().path.parent.joinpath("rubrics", "darker.toml").unlink()
    default_verdict_store().path.parent.joinpath("rubrics", "shade.toml").unlink()
    judges_sentences.metric_order()  # gone from the registry with its file
    assert "Rubric.shade" not in TASKS


def test_a_criterion_of_somebody_else_that_is_replaced_is_shown(serve):
    """Its own earlier texts are not: whoever tries out a criterion saves it again and again."""
    server = serve()

    def save(at, question: str):
        at.text_input(key=state.RUBRIC_QUESTION).set_value(question).run()
        return at.button(key="rubric_save").click().run()

    typed = {state.RUBRIC_SAVED: ("", []), state.RUBRIC_NAME: "tone", state.RUBRIC_SEES: ["answer"]}
    first = save(save(opened(server, **typed), "Is it kind?"), "Is it polite?")
    assert "replaced" not in texts(first)
    second = opened(server, **typed)
    assert "replaced a criterion of this name: “Is it polite?”" in texts(save(second, "Is it formal?"))
    assert "replaced" not in texts(save(second, "Is it stiff?")) and "replaced" in texts(save(first, "Is it kind?"))
    default_verdict_store().path.parent.joinpath("rubrics", "tone.toml").unlink()
    judges_sentences.metric_order()  # gone from the registry with its file


def test_votes_that_differ_by_the_temperature_alone_are_named_where_votes_are_chosen(serve):
    server = serve()
    chosen = {state.JUDGE_METRICS: ["Faithfulness", "AnswerRelevanceJudged"]}
    assert "Every vote on" not in texts(opened(server, **chosen))
    note = texts(opened(server, **chosen, **{state.JUDGE_VOTES: 3}))
    assert "Every vote on Judged answer relevance shows the judge the same text" in note
