"""The verdicts of judges, in a file and in a database that servers share."""

from __future__ import annotations

import dataclasses

import pytest
from team_services import threads

from ragdash.models.judge import Judge, Question, Reply, Usage, VerdictStore, default_verdict_store
from ragdash.models.judge.verdict_store.jsonl import export_verdicts, import_verdicts
from ragdash.models.judge.verdict_store.usage import usage_by_judge

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
