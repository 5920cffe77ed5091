"""Rubrics, the labeling policy and examples for judges: what one server says holds on every server of the workspace."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from ragdash.core.errors import InputError
from ragdash.core.paths import workspace
from ragdash.core.storage.addresses import database_address
from ragdash.core.storage.postgres.database import Database
from ragdash.core.storage.postgres.files import DatabaseFiles
from ragdash.models.judge.tasks.examples import ExampleSet, LabelExample, examples_json, save_examples, stored_examples
from ragdash.models.judge.tasks.kept_files import EXAMPLES, KINDS, POLICY, RUBRICS, kept_files
from ragdash.models.judge.tasks.policy import Policy, current_policy, policy_toml, save_policy
from ragdash.models.judge.tasks.rubrics import Rubric, rubric_toml, save_rubric, stored_rubrics

POLITE = Rubric("polite", "Is it polite?", "labels", ("rude", "plain", "polite"))
SHORT = Rubric("short", "Is it short?")
STRICT = Policy("wrong", "wrong", "wrong", "wrong")
ADDED = ExampleSet("AnswerRelevanceJudged", "AnswerRelevance", "", "", (LabelExample("q", "1", "a", 1.0, "1", "why?"),),
                   frozenset("q"), 4, 1, 0)


@pytest.fixture(autouse=True)
def shared_workspace(postgres, project, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "local"))
    monkeypatch.setenv("RAGDASH_WORKSPACE", postgres.url_of(project))
    return postgres.url_of(project)


@pytest.fixture
def other_server(shared_workspace):
    """The files of a kind as another process has them, with connections of its own."""
    where = database_address(shared_workspace)
    database = Database(where.url, where.location)
    yield lambda kind: DatabaseFiles(database, where.project, kind, where.location)
    database.close()


def said() -> tuple:
    return stored_rubrics(), current_policy(), dict(stored_examples())


def test_what_a_server_says_is_in_the_database_and_not_in_its_folder(other_server):
    assert said() == ([], None, {})
    save_rubric(SHORT)
    save_rubric(POLITE)
    save_policy(STRICT)
    save_examples(ADDED.metric, ADDED)
    assert said() == ([POLITE, SHORT], STRICT, {ADDED.task: ADDED}), "at once, by name"
    assert {kind: sorted(other_server(kind).names()) for kind in KINDS} == {
        RUBRICS: ["polite", "short"], POLICY: [POLICY], EXAMPLES: [EXAMPLES]}
    assert not any(workspace().rglob("*.toml")) and not any(workspace().rglob("*.json"))
    save_policy(None)
    save_examples(ADDED.metric, None)
    assert said() == ([POLITE, SHORT], None, {})


def test_what_another_server_says_holds_here_a_moment_later(other_server):
    save_policy(STRICT)
    assert said() == ([], STRICT, {})
    lenient = Policy("right", "right", "between", "right")
    other_server(POLICY).put(POLICY, policy_toml(lenient))
    other_server(RUBRICS).put("polite", rubric_toml(POLITE))
    other_server(EXAMPLES).put(EXAMPLES, examples_json({ADDED.task: ADDED}))
    time.sleep(0.25)
    assert (stored_rubrics(), current_policy()) == ([POLITE], lenient)
    other_server(POLICY).delete(POLICY)
    time.sleep(0.25)
    assert said() == ([POLITE], None, {ADDED.task: ADDED})


def test_only_who_has_seen_what_is_stored_replaces_it(other_server):
    """The other server stores something within the 0.2 seconds in which this one believes what it has read."""
    assert said() == ([], None, {})
    theirs = replace(ADDED, seed=1, task="Faithfulness", metric="Faithfulness")
    other_server(EXAMPLES).put(EXAMPLES, examples_json({theirs.task: theirs}))
    save_examples(ADDED.metric, ADDED, shown=None)
    assert dict(stored_examples()) == {ADDED.task: ADDED, theirs.task: theirs}, "those of another metric stay"
    mine = replace(ADDED, seed=2)
    for added, seen in ((mine, None), (None, mine), (mine, mine)):
        with pytest.raises(InputError, match="somebody else has changed the examples of AnswerRelevanceJudged"):
            save_examples(ADDED.metric, added, seen)
    save_examples(ADDED.metric, ADDED, shown=None)  # as stored: nothing is lost
    save_examples(ADDED.metric, mine, shown=ADDED)
    assert stored_examples()[ADDED.task] == mine
    other_server(POLICY).put(POLICY, policy_toml(STRICT))
    lenient = Policy("right", "right", "between", "right")
    for policy, seen in ((lenient, None), (None, lenient)):
        with pytest.raises(InputError, match="somebody else has changed the labeling policy"):
            save_policy(policy, seen)
    save_policy(lenient, STRICT)
    assert current_policy() == lenient
    assert save_rubric(SHORT) is None and save_rubric(POLITE) is None
    other_server(RUBRICS).put("polite", rubric_toml(replace(POLITE, question="Polite?")))
    assert save_rubric(POLITE).question == "Polite?" and save_rubric(SHORT) == SHORT


def test_what_did_not_change_is_not_read_again(monkeypatch):
    save_rubric(POLITE)
    assert stored_rubrics() == [POLITE]
    monkeypatch.setattr(DatabaseFiles, "get", lambda *_: pytest.fail("read again"))
    monkeypatch.setattr(DatabaseFiles, "names", lambda *_: pytest.fail("listed again"))
    assert stored_rubrics() == [POLITE]


def test_projects_do_not_see_each_other(postgres, project, monkeypatch):
    save_rubric(POLITE)
    monkeypatch.setenv("RAGDASH_WORKSPACE", postgres.url_of(f"{project}-other"))
    assert stored_rubrics() == [] and kept_files(RUBRICS).names() == {}
