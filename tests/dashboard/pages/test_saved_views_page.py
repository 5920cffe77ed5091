"""Saved views on the pages: saved on Share, listed, opened by a short address, deleted and brought back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from history_cases import TRUTH, commits
from page_cases import address, drawn, opened, shown, texts, widget
from test_access import AUTH, LISTS, as_user
from test_compare_page import session

from ragdash.core.paths import workspace
from ragdash.workspace.saved_views import SavedView, SavedViews

LONGEST = 120


def labels(at) -> list[str]:
    """The labels of the links to other pages."""
    return [link.proto.label for link in at.main.get("page_link")]


def save(at, name: str, note: str = ""):
    widget(at, "text_input", "view_name").set_value(name)
    widget(at, "text_input", "view_note").set_value(note)
    return shown(widget(at, "button", "save_view").click().run())


@pytest.fixture()
def saved():
    """The Share page after a view of Compare was saved there."""
    at = opened("compare", **session(baseline="new", k="5", detail="queries"))
    at.switch_page("pages/share.py").run()
    return save(at, "Dense vs. hybrid", "Why we switch")


def test_a_saved_view_opens_by_its_name_with_every_choice_of_its_page(saved):
    link = next(code.value for code in saved.main.get("code") if "view=" in code.value)
    assert link.endswith("/compare?view=dense-vs-hybrid") and len(link) <= LONGEST
    at = opened("overview", view="dense-vs-hybrid")
    assert at.title[0].value == "Compare" and at.query_params["view"] in ("dense-vs-hybrid", ["dense-vs-hybrid"])
    assert set(at.query_params) == {"view"}
    assert (at.session_state["k"], at.session_state["detail"]) == ("5", "queries")
    names = {entry.digest: entry.name for entry in at.session_state["_runs"]}
    assert names[at.session_state["baseline"]] == "new"
    assert "Saved view **Dense vs\\. hybrid**" in texts(at) or "Saved view **Dense vs. hybrid**" in texts(at)
    assert "Why we switch" in texts(at)


def test_a_changed_view_has_an_address_of_its_own_and_a_page_without_it_no_mark(saved):
    at = opened("compare", view="dense-vs-hybrid")
    shown(widget(at, "selectbox", "k").set_value("10").run())
    assert "view" not in at.query_params and len(at.query_params["run"]) == 3
    assert "Saved view" not in texts(shown(at.run()))
    again = opened("compare", view="dense-vs-hybrid")
    again.switch_page("pages/failures.py").run()
    assert "Saved view" not in texts(again) and "view" not in again.query_params


def test_the_view_is_listed_where_it_helps_and_deleted_with_a_way_back(saved):
    assert "Dense vs" in str(labels(saved))
    assert "Dense vs" in str(labels(opened("overview"))), "before anything is loaded"
    at = shown(widget(saved, "button", "delete_view_dense-vs-hybrid").click().run())
    assert "Dense vs" not in str(labels(at)) and "Deleted: Dense vs" in texts(at)
    at = shown(widget(at, "button", "restore_view").click().run())
    assert "Dense vs" in str(labels(at)) and "Deleted:" not in texts(at)


def test_views_of_other_data_are_folded_away_where_runs_are_loaded(saved):
    at = opened("overview", **session(baseline="new"))
    assert not [box for box in at.expander if "of other data" in box.label] and "Dense vs" in str(labels(at))
    at = opened("overview", **address(TRUTH, commits(2), metric="RR"))
    [box] = [box for box in at.expander if "of other data" in box.label]
    assert box.label == "1 saved view of other data"
    assert "Dense vs" in str([link.proto.label for link in box.get("page_link")])


def test_a_name_that_exists_is_replaced_only_after_a_question(saved):
    at = save(saved, "dense vs. HYBRID", "second")
    assert "Replace it?" in at.warning[0].value
    store = SavedViews(workspace())
    assert store.list()[0].note == "Why we switch"
    at = shown(widget(at, "button", "replace_view").click().run())
    assert [view.note for view in store.list()] == ["second"] and not at.warning
    save(at, " ")
    assert len(store.list()) == 1 and "Type a name" in saved.error[0].value


def test_a_view_that_somebody_else_saves_meanwhile_is_not_deleted_or_replaced_unseen(saved):
    store = SavedViews(workspace())
    at = save(saved, "dense vs. HYBRID", "second")
    assert "Replace it?" in at.warning[0].value
    newer = store.save(replace(store.list()[0], note="theirs"), replace_existing=True)
    at = shown(widget(at, "button", "replace_view").click().run())
    assert store.list() == (newer,) and "Replace it?" in at.warning[0].value, "the question is about theirs now"
    store.save(replace(newer, note="newer"), replace_existing=True)
    at = shown(widget(at, "button", "delete_view_dense-vs-hybrid").click().run())
    assert store.list()[0].note == "newer" and "somebody else has changed the view" in at.error[0].value
    at = shown(widget(at, "button", "delete_view_dense-vs-hybrid").click().run())
    assert store.list() == ()


def test_an_unknown_view_is_said_with_those_that_exist(saved):
    at = opened("overview", view="<b>gone</b>")
    assert "There is no saved view" in at.warning[0].value and "<b>" not in at.warning[0].value.replace("\\<", "")
    assert "Dense vs" in str(labels(at))
    at.run()
    assert at.warning and "view" in at.query_params, "it is said until something is loaded"


def test_a_view_with_a_run_gone_says_so_and_keeps_its_baseline(saved):
    store = SavedViews(workspace())
    view = store.list()[0]
    gone = "0123456789ab.7.gone"
    tokens = [token for token in view.parameters["run"] if not token.endswith(".new")]
    store.save(replace(view, parameters={**view.parameters, "run": [gone, *tokens], "baseline": ["0"]}),
               replace_existing=True)
    at = opened("compare", view="dense-vs-hybrid")
    for _ in range(2):  # also when the page is loaded again
        said = " ".join(warning.value for warning in at.warning)
        assert "The baseline of the link, gone, is not loaded" in said and "asks for gone" in said
        at = opened("compare", **dict(at.query_params))
    shown(widget(at, "button", "forget_missing").click().run())
    assert not at.warning and len(at.query_params["run"]) == 2


def test_a_server_that_only_shows_opens_views_and_saves_none(saved, monkeypatch):
    monkeypatch.setenv("RAGDASH_READ_ONLY", "1")
    at = opened("compare", view="dense-vs-hybrid")
    assert "Saved view" in texts(at)
    at = opened("share", **session())
    keys = [button.key for button in at.button]
    assert "save_view" not in keys and not any(key.startswith("delete_view") for key in keys)
    assert "saves no views" in texts(at) and "Dense vs" in str(labels(at))


def test_a_login_gives_the_name_and_viewers_save_nothing():
    secrets = {"auth": AUTH, "access": LISTS}
    at = opened("share", secrets=secrets, user=as_user("ada@example.org", name="Ada L."), **session())
    at = save(at, "Mine")
    assert SavedViews(workspace()).list()[0].author == "Ada L." and "Ada L" in texts(at)
    at = opened("share", secrets=secrets, user=as_user("bob@example.org"), **session())
    assert "save_view" not in [button.key for button in at.button] and "Mine" in labels(at)


def test_names_from_other_people_are_shown_as_written():
    bad = "<img src=x onerror=alert(1)> **b** :material/home: [x](http://y)"
    SavedViews(workspace()).save(SavedView(bad, "compare", {key: value if isinstance(value, list) else [value]
                                                            for key, value in session().items()}, bad, author=bad))
    at = opened("share", **session())
    slug = SavedViews(workspace()).list()[0].slug
    for page in (at, opened("compare", view=slug), opened("overview", view="other")):
        words = "\n".join([texts(page), *labels(page)])
        assert "\\*\\*b\\*\\*" in words and "[x](http" not in words and "<img" not in drawn(page)


def test_a_workspace_that_cannot_be_read_stops_no_page(saved):
    (workspace() / "views.sqlite").write_bytes(b"no database at all" * 100)
    at = opened("share", **session())
    assert "views.sqlite" in at.error[0].value
