"""The verdicts of judges, in a file and in a database that servers share."""

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pytest
from models.judge.scripted import Scripted, case
from team_services import threads

from ragdash.evaluation.scoring.judge_renewal import find_older, past_judge, set_aside
from ragdash.evaluation.scoring.run_judge import prepare_judging
from ragdash.matching.match import Match
from ragdash.matching.views.judge_versions import stored_versions
from ragdash.models.judge import Endpoint, Judge, Question, Reply, Usage, VerdictStore, default_verdict_store
from ragdash.models.judge.batch_files.open_batches import OpenBatches, copy_open_batches
from ragdash.models.judge.verdict_store.jsonl import export_verdicts, import_verdicts
from ragdash.models.judge.verdict_store.store import usage_by_judge

JUDGE, OTHER = Judge("localhost", "a\\b"), Judge("host \x00", "b" * 3000, '{"x": "y"}')
VERDICT = Reply({"reason": "so \x00 \\0", "score": 1}, None, "raw \x00 \ud800 \\ text", Usage(10, 5), "a-1", 0.5, 1,
                "2026-01-01T00:00:00+00:00", "text", {"temperature": 0})
READ_BACK = dataclasses.replace(VERDICT, raw="raw \x00 ? \\ text", cached=True)
FAILURE = Reply(None, "refused", attempts=1, note="no \x00 note")


def questions(count: int, task: str = "T") -> list[Question]:
    return [Question(task, "1", "s", f"text {number}", {"type": "object"}, ("a",), 10) for number in range(count)]


@pytest.fixture(params=["file", "postgresql"])
def open_store(request, tmp_path, project, monkeypatch):
    """A function that opens the same verdicts again."""
    if request.param == "file":
        return lambda: VerdictStore(tmp_path / "judge.sqlite")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "local"))
    monkeypatch.setenv("RAGDASH_WORKSPACE", request.getfixturevalue("postgres").url_of(project))
    return default_verdict_store


def test_verdicts_stay_failures_give_way_and_every_text_comes_back(open_store):
    store, (first, second, third) = open_store(), questions(3)
    keys = [OTHER.key(question) for question in (first, second, third)]
    assert (store.judges(), store.get(keys), store.stamp(), store.pace(OTHER, "T")[0]) == ([], {}, "", 0)
    store.save(OTHER, [(first, VERDICT), (second, FAILURE), (third, Reply(None, "budget", attempts=1))])
    stamp, other = store.stamp(), open_store()
    assert other.get(keys) == {keys[0]: READ_BACK} and other.known_keys(keys) == {keys[0]}
    assert {key: (reply.missing, reply.note) for key, reply in other.failed(keys).items()} == {
        keys[1]: ("refused", "no \x00 note")}
    other.save(OTHER, [(first, dataclasses.replace(VERDICT, value={"score": 0})), (second, VERDICT)])
    assert store.stamp() != stamp and store.failed(keys) == {} and store.get(keys)[keys[0]] == READ_BACK
    store.save(OTHER, [(first, dataclasses.replace(VERDICT, value={"score": 0}))], replaced=[keys[0]])
    assert other.get(keys)[keys[0]].value == {"score": 0} and store.pace(OTHER, "T") == (2, 5.0)
    with store.writing() as writer:
        writer.use(JUDGE)
        writer.save_mode("http://x", "m\x00", {"mode": "tools"})
        assert writer.find_verdict(keys[1]) == READ_BACK and writer.find_verdict(b"nothing") is None
    assert other.judges() == [JUDGE, OTHER] and other.find_judge() == JUDGE
    assert other.learned_mode("http://x", "m\x00") == {"mode": "tools"} and other.learned_mode("http://x", "m") == {}
    store.save(JUDGE, [(first, FAILURE)])
    assert [(usage.judge, usage.verdicts, usage.failures, usage.completion, usage.tasks)
            for usage in usage_by_judge(other)] == [(JUDGE, 0, 1, 0, {"T"}), (OTHER, 2, 0, 10, {"T"})]


def test_verdicts_move_between_stores(open_store, tmp_path):
    file, store = VerdictStore(tmp_path / "elsewhere.sqlite"), open_store()
    file.save(JUDGE, [(question, VERDICT) for question in questions(700)])
    lines = list(export_verdicts(file))
    assert import_verdicts(store, lines)[0] == 700 and import_verdicts(store, lines)[0] == 0
    assert [row[1] for row in store.all_verdicts()] == [row[1] for row in file.all_verdicts()]
    assert list(export_verdicts(store)) == lines
    keys = [JUDGE.key(question) for question in questions(700)]
    assert len(store.get(keys)) == 700 == len(store.known_keys(keys))


def test_servers_that_write_at_once_keep_one_verdict_of_each_question(open_store):
    asked, stores = questions(60), [open_store(), open_store()]
    keys = [JUDGE.key(question) for question in asked]
    stores[0].save(OTHER, [(asked[0], VERDICT)])

    def write(number: int) -> None:
        with stores[number % 2].writing() as writer:
            for question in asked:
                writer.save(JUDGE, [(question, dataclasses.replace(VERDICT, value={"score": number}))])

    for thread in threads(3, write):
        thread.join()
    replies = stores[0].get(keys)
    assert len(replies) == 60 and stores[1].get(keys) == replies
    assert len(stores[0].all_verdicts()) == 61


def test_versions_of_a_model_are_told_apart(open_store):
    store, asked = open_store(), questions(9)
    assert store.versions(JUDGE) == [] and stored_versions(store, JUDGE) == [""]

    def by(model: str, time: str) -> Reply:
        return dataclasses.replace(VERDICT, model=model, at=time)

    rows = [by("b\\0-2", "2026-02"), by("b\\0-2", "2026-05"), by("B \x00", "2026-05"), by("", "2026-01"),
            by("a", "2026-05"), by("newest", "2026-06-01T00:00:00+00:00")]
    store.save(JUDGE, list(zip(asked, rows, strict=False)))
    store.save(JUDGE, [(dataclasses.replace(asked[6], task="Place:best"), by("place", "2027")),
                       (dataclasses.replace(asked[7], task="Placement"), by("a", "2025")), (asked[8], FAILURE)])
    store.save(OTHER, [(asked[0], by("of another judge", "2026-09"))])
    expected = [("", 1, "2026-01"), ("B \x00", 1, "2026-05"), ("a", 2, "2026-05"), ("b\\0-2", 2, "2026-05"),
                ("newest", 1, "2026-06-01T00:00:00+00:00")]
    assert store.versions(JUDGE) == open_store().versions(JUDGE) == expected
    assert stored_versions(store, JUDGE) == ["newest", "b\\0-2", "a", "B \x00", JUDGE.model]
    usage, = (usage for usage in usage_by_judge(store) if usage.judge == JUDGE)
    assert (usage.verdicts, usage.failures, usage.tasks) == (7, 1, {"T", "Placement"})
    keys = [JUDGE.key(question) for question in asked]
    hidden = dataclasses.replace(store, hidden=frozenset(keys[:2]))
    assert hidden.known_keys(keys) == set(keys[2:6]) and set(hidden.get(keys)) == set(keys[2:6])


def test_versions_of_a_prompt_are_told_apart(open_store):
    store = open_store()
    prompts = [dataclasses.replace(questions(1)[0], system=system) for system in ("one", "one", "two", "one\nExamples")]
    store.save(JUDGE, [(prompt, VERDICT) for prompt in prompts])
    assert [row[3] for row in store.all_verdicts()] == [prompt.prompt_version for prompt in prompts[1:]]
    assert len({JUDGE.key(prompt) for prompt in prompts}) == 3 == len(store.get([JUDGE.key(one) for one in prompts]))


def test_older_verdicts_are_set_aside_and_read_under_a_judge_of_their_own(open_store):
    class Dated(Scripted):
        model, at = "scripted-old", "2026-01-01T00:00:00+00:00"

        def _reply(self, question: Question) -> Reply:
            return dataclasses.replace(super()._reply(question), model=self.model, at=self.at)

    run, truth = case({f"q{i}": {"question": "What?", "answer": f"Paris {i}.", "contexts": ["Paris."]}
                       for i in range(4)})
    store = open_store()
    judged = dataclasses.replace(Match(run, truth).judged, verdict_store=store)
    half = dataclasses.replace(judged, cases=judged.cases[:3])
    endpoint = Endpoint("http://localhost:1/v1", "scripted")
    judge = endpoint.judge
    Dated(store, judge=judge).judge_all(half, "Faithfulness")
    Dated.model, Dated.at = "scripted-new", "2026-02-01T00:00:00+00:00"
    Dated(store, judge=judge).judge_all(judged, "Faithfulness")
    assert judged.read("Faithfulness").version == "scripted-old" and judged.read("Faithfulness").other_versions == {
        "scripted-new": 1}
    work = prepare_judging([run], truth, "Faithfulness", endpoint, verdict_store=store)
    renewal = find_older(work)
    assert renewal.version == "scripted-new" and len(renewal.older) == renewal.work.plan.calls == 3
    set_aside(renewal)
    assert open_store().versions(judge) == [("scripted-new", 1, Dated.at)] and store.find_judge() == judge
    assert open_store().versions(past_judge(judge, "scripted-old"))[0][:2] == ("scripted-old", 3)
    again = dataclasses.replace(judged, verdict_store=open_store(), _cache={})
    assert np.isfinite(again.read("Faithfulness", "scripted (scripted-old)").values).tolist() == [True] * 3 + [False]
    assert np.isfinite(again.read("Faithfulness").values).tolist() == [False] * 3 + [True]


BATCHES = {"url": "http://127.0.0.1/v1", "judge": "toy \x00 {}"}


def batch_keys(*numbers: int) -> list[bytes]:
    return [bytes([number]) * 16 for number in numbers]


def test_a_question_is_in_one_open_batch_at_most_whoever_reserves_it(open_store):
    mine, others = (OpenBatches.at(open_store(), **BATCHES) for _ in range(2))
    of_another = OpenBatches.at(open_store(), "http://elsewhere", "toy")
    assert (mine.read(), mine.keys(), mine.batch_ids(), mine.all_judges()) == ([], frozenset(), frozenset(), [])
    first = mine.reserve(batch_keys(1, 2), 0.5)
    assert others.reserve(batch_keys(2, 3), None) is None and of_another.reserve(batch_keys(1), None) is None
    second = others.reserve(batch_keys(3), None)
    third = of_another.reserve(batch_keys(4), 1.0)
    mine.set_file(first, "file-1")
    others.set_batch(first, "batch-1")
    of_another.set_batch(third, "batch-3")
    assert [(batch.number, batch.file, batch.batch, batch.cost, batch.keys) for batch in others.read()] == [
        (first, "file-1", "batch-1", 0.5, frozenset(batch_keys(1, 2))),
        (second, "", "", None, frozenset(batch_keys(3)))]
    assert abs(mine.read()[0].reserved_at - time.time()) < 600
    assert mine.batch_ids() - {""} == {"batch-1", "batch-3"} and len(mine.all_judges()) == 2
    others.close(first)
    assert mine.keys() == frozenset(batch_keys(3)) and mine.reserve(batch_keys(1, 2), 0.5) is not None


def test_twenty_who_reserve_the_same_questions_at_once_get_one_batch(open_store):
    numbers, stores = [], [open_store() for _ in range(20)]

    def reserve(number: int) -> None:
        numbers.append(OpenBatches.at(stores[number], **BATCHES).reserve(batch_keys(number, 77), None))

    for thread in threads(20, reserve):
        thread.join()
    assert len(numbers) == 20 and sum(number is not None for number in numbers) == 1
    assert len(OpenBatches.at(open_store(), **BATCHES).read()) == 1


def test_open_batches_move_between_workspaces_and_once(open_store, tmp_path):
    file, store = VerdictStore(tmp_path / "elsewhere" / "judge.sqlite"), open_store()
    (tmp_path / "elsewhere").mkdir()
    for source, target in ((file, store), (store, VerdictStore(tmp_path / "back.sqlite"))):
        batches = OpenBatches.at(source, **BATCHES)
        if source is file:
            batches.reserve(batch_keys(1, 2), 0.5, at=1e9, file="file-1", batch="batch-1")
            batches.reserve(batch_keys(3), None, at=2e9)
        for _ in range(2):
            assert copy_open_batches(source, target) == 2
        copied = OpenBatches.at(target, **BATCHES).read()
        assert [dataclasses.replace(batch, number=0) for batch in copied] == [
            dataclasses.replace(batch, number=0) for batch in batches.read()]
