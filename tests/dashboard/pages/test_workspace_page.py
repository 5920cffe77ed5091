"""What is uploaded is kept: links after a restart, the list on the Data page, read-only serving."""

from __future__ import annotations

import numpy as np
import pytest
from page_cases import OpenContainer, keys, leaderboard, opened
from speed import quick
from streamlit.testing.v1 import AppTest
from test_pages import texts, upload

from ragdash.core import paths
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.dashboard.pages.data.columns import saved_mappings
from ragdash.dashboard.session import run_facts
from ragdash.dashboard.session.data_store import LOADED, SessionRun, workspace
from ragdash.workspace import Workspace, atomic_folders

RUN = b"q1 Q0 d1 1 2.0 bm25\nq1 Q0 d2 2 1.0 bm25\nq2 Q0 d1 1 1.0 bm25\n"
OTHER = b"q1 Q0 d2 1 2.0 dense\nq2 Q0 d9 1 1.0 dense\n"
QRELS = b"q1 0 d1 1\nq2 0 d9 2\n"


@pytest.fixture
def restarted():
    """Let go of everything in memory, as a restart does; what it gives does so again."""
    LOADED.clear()
    yield LOADED.clear
    LOADED.clear()


def uploaded() -> AppTest:
    return upload(opened(), ("one.txt", RUN), ("two.run", OTHER), ("judged.txt", QRELS))


def test_a_link_opens_after_a_restart_and_in_another_browser(restarted):
    at = uploaded()
    at.switch_page("pages/compare.py").run()
    link, before = dict(at.query_params), leaderboard(at)
    assert not at.exception
    restarted()
    again = opened("compare", **link)
    assert dict(again.query_params) == link and leaderboard(again).equals(before)


def test_a_link_to_a_fixed_run_opens_after_a_restart(restarted):
    at = upload(opened(), ("chunks.run", b"q1 Q0 d1#0 1 2.0 a\nq1 Q0 d1#1 2 1.0 a\nq2 Q0 d9#3 1 1.0 a\n"),
                ("judged.txt", QRELS))
    digest = at.session_state["_runs"][0].digest
    next(one for one in at.button if one.label == "Collapse chunks at '#'").click().run()
    (fixed,) = at.session_state["_runs"]
    assert fixed.origin == digest and not at.exception
    link = dict(at.query_params)
    restarted()
    (entry,) = opened(**link).session_state["_runs"]
    assert entry == fixed


def test_an_empty_workspace_is_not_spoken_of_and_samples_are_not_kept():
    at = opened()
    at.button(key="samples").click().run()
    assert not at.exception and {path.suffix for path in paths.workspace().iterdir()} <= {
        ".sqlite", ".sqlite-wal", ".sqlite-shm", ".lock"}
    assert not workspace().runs() and not workspace().truths()  # their verdicts and labels alone, beside the user's own
    assert "Kept in the workspace" not in str(at.main)


def test_what_is_kept_is_listed_and_shown_with_a_click(restarted):
    uploaded()
    restarted()
    at = opened()
    run = workspace().runs()[0]
    assert [entry for entry in at.session_state["_runs"]] == [] and at.session_state["_truth"] is None
    at.button(key=f"show_run_{run.digest[:8]}").click().run()
    assert not at.exception and [entry.digest for entry in at.session_state["_runs"]] == [run.digest]
    assert at.session_state["_truth"] == workspace().truths()[0].digest, "the only truth there is comes along"


def test_files_of_answers_are_not_listed_with_zero_documents(restarted):
    upload(opened(), ("bot.csv", b"question,answer,ground_truth\nhow many?,two,2\nwhich?,both,both\n"))
    restarted()
    listed = texts(opened("data"))
    assert "run, 2 queries, no retrieved documents" in listed
    assert "ground truth, 2 queries, no judged documents" in listed, "without a judgment it is no file of judgments"


def test_all_of_a_few_runs_are_shown_with_one_click(restarted):
    uploaded()
    restarted()
    at = opened()
    at.button(key="shelf_all").click().run()
    assert not at.exception and len(at.session_state["_runs"]) == 2
    at.switch_page("pages/compare.py").run()
    assert not at.exception and len(leaderboard(at)) == 2


def with_change_open(run, monkeypatch, **visitor) -> AppTest:
    """The Data page with the panel of one run open; AppTest cannot open it itself."""
    from ragdash.dashboard.pages.data import workspace_list

    real = workspace_list.st.popover

    monkeypatch.setattr(workspace_list.st, "popover", lambda *rest, **more: OpenContainer(real(*rest, **more))
                        if more.get("key") == f"change_run_{run.digest[:8]}" else real(*rest, **more))
    return opened(**visitor)


def test_a_name_and_a_description_that_are_too_long_stay_in_their_fields(restarted, monkeypatch):
    uploaded()
    run = workspace().runs()[0]
    key = f"run_{run.digest[:8]}"
    at = with_change_open(run, monkeypatch)
    for kind, name, what, most in (("text_input", "kept_name", "name", 60),
                                   ("text_area", "kept_text", "description", 2000)):
        assert not getattr(at, kind)(key=f"{name}_{key}").max_chars, "the browser would not take a longer text"
        getattr(at, kind)(key=f"{name}_{key}").set_value("x" * (most + 1)).run()
        assert f"a {what} of {most + 1:,} characters" in at.error[0].value and "Not saved" in texts(at)
        assert getattr(at, kind)(key=f"{name}_{key}").value == "x" * (most + 1), "it can be shortened"
        getattr(at, kind)(key=f"{name}_{key}").set_value("y" * most).run()
        assert not at.error and "Not saved" not in texts(at)
    assert (workspace().find(run.digest).name, workspace().find(run.digest).description) == ("y" * 60, "y" * 2000)


def test_renaming_describing_tagging_ordering_archiving_and_deleting(restarted, monkeypatch):
    uploaded()
    first, second = workspace().runs()
    key = f"run_{first.digest[:8]}"
    at = with_change_open(first, monkeypatch)
    at.text_input(key=f"kept_name_{key}").set_value("my *run*").run()
    at.text_area(key=f"kept_text_{key}").set_value("of Tuesday").run()
    at.multiselect(key=f"kept_tags_{key}").set_value(["nightly"]).run()
    assert "my \\*run\\*" in texts(at) and "of Tuesday" in texts(at) and "nightly" in texts(at)
    at.button(key=f"down_{key}").click().run()
    assert [one.digest for one in workspace().runs()] == [second.digest, first.digest]
    assert workspace().find(first.digest).name == "my *run*" and workspace().find(first.digest).tags == ("nightly",)
    at.button(key=f"archive_{key}").click().run()
    assert f"show_{key}" not in keys(at) and workspace().find(first.digest).archived
    at.toggle(key="shelf_archived").set_value(True).run()
    assert f"show_{key}" in keys(at)
    assert f"delete_{key}" not in keys(at)
    at.checkbox(key=f"sure_{key}").check().run()
    at.button(key=f"delete_{key}").click().run()
    assert not at.exception and workspace().find(first.digest) is None and len(workspace().runs(None)) == 1


@pytest.mark.parametrize("files", [("made.txt", "judged.txt"), ("judged.txt", "made.txt")])
def test_a_run_made_from_the_judgments_and_these_are_both_kept(restarted, files):
    contents = {"judged.txt": b"q1 0 d1 1\nq2 0 d9 2\n", "made.txt": b"q1 Q0 d1 1 1 made\nq2 Q0 d9 1 2 made\n"}
    at = upload(opened(), *((name, contents[name]) for name in files))
    (entry,) = at.session_state["_runs"]
    assert at.session_state["_truth"] == entry.digest and "same content" not in texts(at)
    link = dict(at.query_params)
    restarted()
    again = opened(**link)
    assert again.session_state["_truth"] == entry.digest and not again.exception
    home = workspace()
    home.rename(entry.digest, "other", "run")
    assert (home.find(entry.digest, "run").name, home.find(entry.digest, "truth").name) == ("other", "judged")
    shown = opened()
    shown.button(key=f"show_truth_{entry.digest[:8]}").click().run()
    assert shown.session_state["_truth"] == entry.digest and not shown.session_state["_runs"]
    home.delete(entry.digest, "run")
    assert home.find(entry.digest, "run") is None and home.load_truth(entry.digest).name == "judged"


def test_a_name_typed_on_a_card_is_kept_in_the_workspace(restarted):
    at = uploaded()
    first, second = at.session_state["_runs"]
    at.text_input(key=f"name_{first.key}").set_value("night run").run()
    at.text_input(key=f"name_{second.key}").set_value("night run").run()
    assert not at.exception and [entry.name for entry in at.session_state["_runs"]] == ["night run", "night run (2)"]
    restarted()
    assert [workspace().find(entry.digest).name for entry in (first, second)] == ["night run", "night run (2)"]
    at = opened()
    at.button(key="shelf_all").click().run()
    assert sorted(entry.name for entry in at.session_state["_runs"]) == ["night run", "night run (2)"]


def test_a_name_that_cannot_be_kept_is_not_shown(restarted, monkeypatch):
    at = uploaded()
    entry = at.session_state["_runs"][0]

    def fail(*_):
        raise InputError([Problem("unusable-workspace/full", {"reason": "no space"}, "workspace")])

    monkeypatch.setattr(Workspace, "rename", fail)
    at.text_input(key=f"name_{entry.key}").set_value("night run").run()
    assert not at.exception and at.session_state["_runs"][0].name == entry.name
    assert "Free space on that disk" in texts(at)


def test_where_nothing_may_be_changed_a_name_belongs_to_the_view(restarted, monkeypatch):
    link = dict(uploaded().query_params)
    monkeypatch.setenv("RAGDASH_READ_ONLY", "1")
    at = opened(**link)
    entry = at.session_state["_runs"][0]
    at.text_input(key=f"name_{entry.key}").set_value("night run").run()
    assert not at.exception and at.session_state["_runs"][0].name == "night run"
    assert workspace().find(entry.digest).name == entry.name


def test_a_broken_run_is_named_and_the_others_are_shown(restarted):
    uploaded()
    restarted()
    first, second = workspace().runs()
    (workspace().folder / "runs" / first.digest / "rows.parquet").write_bytes(b"x")
    at = opened()
    at.button(key=f"show_run_{first.digest[:8]}").click().run()
    assert not at.exception and any(first.name in card.value and "broken" in card.value.replace("\\", "")
                                    for card in at.error)
    assert "Cannot be read" in texts(at) and f"show_run_{first.digest[:8]}" not in keys(at)
    at.button(key=f"show_run_{second.digest[:8]}").click().run()
    assert [entry.digest for entry in at.session_state["_runs"]] == [second.digest]


def test_read_only_shows_and_changes_nothing(restarted, monkeypatch):
    uploaded()
    restarted()
    monkeypatch.setenv("RAGDASH_READ_ONLY", "1")
    at = opened()
    run = workspace().runs()[0]
    assert not at.get("file_uploader") and "samples" not in keys(at)
    assert not any("change_" in str(one.proto) for one in at.get("popover")) and "nothing can be added" in texts(at)
    at.button(key=f"show_run_{run.digest[:8]}").click().run()
    assert not at.exception and at.session_state["_runs"][0].digest == run.digest


def test_what_cannot_be_kept_is_loaded_all_the_same_and_told(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "file"))
    at = upload(opened(), ("one.txt", RUN))
    assert len(at.session_state["_runs"]) == 1
    assert any("but not saved" in card.value.replace("\\", "") for card in at.error)


def test_a_mapping_outlasts_the_process():
    saved_mappings.save(["a", "b"], "mine", {"query_id": "a"}, {})
    saved_mappings.clear()
    assert saved_mappings.saved_for(["b", "a"]) == {"mine": {"query_id": "a"}}


def test_fifty_kept_runs_open_quickly_and_none_is_read(monkeypatch):
    home = Workspace(paths.workspace())
    for at in range(50):
        home.add_run(Run.build(f"run {at}", ["q"], [f"d{at}"], np.array([1.0])))
    home.add_truth(Truth.build("truth", ["q"], ["d1"], [1]))
    monkeypatch.setattr(atomic_folders, "fetch", lambda place: pytest.fail("a run was read"))
    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "runs", lambda *_: pytest.fail("the whole list was read"))
        at = opened()
        quick(at.run, 2)
    assert "Kept in the workspace (51)" in str(at.main)
    assert not at.exception and sum(key.startswith("show_") for key in keys(at)) == 15
    at.text_input(key="shelf_search").set_value("run 49").run()
    assert not at.exception and sum(key.startswith("show_") for key in keys(at)) == 1


def test_a_run_that_was_let_go_is_told_and_the_rest_is_shown(restarted):
    at = uploaded()
    first = at.session_state["_runs"][0]
    workspace().delete(first.digest)
    restarted()
    at.switch_page("pages/compare.py").run()
    assert not at.exception and len(leaderboard(at)) == 1
    assert any("no longer has" in card.value for card in at.error)


def test_the_first_page_opens_what_was_kept_with_one_click(restarted):
    assert "reopen" not in keys(opened("overview"))
    upload(opened(), ("one.txt", RUN), ("judged.txt", QRELS),
           ("answers.jsonl", b'{"query_id": "q1", "answers": ["a"]}\n'))
    restarted()
    at = opened("overview")
    assert at.button(key="reopen").label == "Open what you had: 3 files"
    at.button(key="reopen").click().run()
    assert not at.exception and [entry.name for entry in at.session_state["_runs"]] == ["one"]
    assert LOADED.truth(at.session_state["_truth"]).name == "judged", "judgments before references alone"
    assert "reopen" not in keys(at)


def test_what_two_people_change_of_one_run_is_kept_or_shown(restarted, monkeypatch):
    uploaded()
    first = workspace().runs()[0]
    key = f"run_{first.digest[:8]}"
    at = with_change_open(first, monkeypatch)  # the page that one of them looks at, while the other changes things
    workspace().tag(first.digest, ["theirs"], "run")
    at.multiselect(key=f"kept_tags_{key}").set_value(["mine"]).run()
    assert workspace().find(first.digest).tags == ("mine", "theirs")
    workspace().describe(first.digest, "what they found", "run")
    at.text_area(key=f"kept_text_{key}").set_value("what I found").run()
    assert workspace().find(first.digest).description == "what I found"
    assert any("what they found" in one.value for one in at.warning)
    workspace().rename(first.digest, "their name", "run")
    at.text_input(key=f"kept_name_{key}").set_value("my name").run()
    assert workspace().find(first.digest).name == "my name"
    assert any("their name" in one.value for one in at.warning)


def test_settings_and_tags_that_two_people_type_for_one_run_are_both_kept(restarted):
    uploaded()
    first = workspace().runs()[0]
    session_run = SessionRun(LOADED.put(workspace().load_run(first.digest)), first.name, 0)
    for typed in ("k = 5", "k = 5\nmodel = bm25"):  # each saw a run without settings
        run_facts.keep_typed(session_run, typed, {})
    run_facts.keep_typed(session_run, "k = 10", {"k": "5"})
    assert workspace().settings()[first.digest] == {"k": "10", "model": "bm25"}
    run_facts.keep_typed(session_run, "k = 10", {"k": "10", "model": "bm25"})
    assert workspace().settings()[first.digest] == {"k": "10"}
    run_facts.keep_typed(session_run, "k = 10\nmodel = bm25\nlist = a", {"k": "10", "model": "bm25"})
    assert workspace().settings()[first.digest] == {"k": "10", "list": "a"}, "what somebody removed stays removed"
    assert run_facts.keep_typed(session_run, "k = 20\nlist = a", {"k": "10", "list": "a"}) == []
    (warning,) = run_facts.keep_typed(session_run, "k = 30\nlist = a", {"k": "10", "list": "a"})
    assert (warning.message, warning.facts["value"]) == ("text-changed", "20"), "it was replaced, and is shown"
    for tag in ("mine", "theirs"):
        run_facts.keep_tags(session_run, [tag], ())
    assert set(workspace().find(first.digest).tags) == {"mine", "theirs"}


def test_the_name_that_somebody_else_gave_a_run_meanwhile_is_shown(restarted):
    uploaded()
    first = workspace().runs()[0]
    at = opened(run=[SessionRun(LOADED.put(workspace().load_run(first.digest)), first.name, 0).token],
                state={f"edit_{first.digest[:8]}": True})
    shown = run_facts.of_run(at.session_state["_runs"][0]).name
    assert shown == first.name
    workspace().rename(first.digest, "their name", "run")
    entry = at.session_state["_runs"][0]
    (warning,) = run_facts.keep_name(entry, "my name", shown)
    assert warning.facts["value"] == "their name" and workspace().find(first.digest).name == "my name"
    assert run_facts.keep_name(entry, "mine", "my name") == []
    workspace().archive(first.digest)
    workspace().delete(first.digest)
    for keep in (lambda: run_facts.keep_name(entry, "again", "mine"),
                 lambda: run_facts.keep_typed(entry, "k = 5", {}, "mine"),
                 lambda: run_facts.keep_tags(entry, ["tag"], (), "mine")):
        with pytest.raises(InputError, match="somebody else has changed the run"):
            keep()
    assert workspace().find(first.digest, "run") is None and not workspace().settings().get(first.digest)


def test_a_file_of_which_nothing_was_read_is_not_said_to_be_loaded_and_unsaved(monkeypatch):
    from ragdash.dashboard.pages.data import workspace_list

    monkeypatch.setattr(workspace_list.rights, "change", lambda *rest: pytest.fail("nothing is to be saved"))
    workspace_list.save_upload([], "answers.jsonl")
