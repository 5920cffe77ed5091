"""Saved views in the workspace: saved, replaced, deleted, restored, and shared by processes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from helpers import message_of

from ragdash.core.errors import InputError
from ragdash.workspace.saved_views import LONGEST_SLUG, SavedView, SavedViews, slug_of

VIEW = SavedView("Dense vs hybrid", "compare", {"run": ["a", "b"], "k": ["5"], "shown": [""]}, "Why we switch",
                 "2026-11-22T10:00:00+00:00", "Ada")


def test_a_view_comes_back_as_it_was_saved_and_the_newest_is_first(tmp_path):
    views = SavedViews(tmp_path)
    assert views.list() == () and views.find("dense-vs-hybrid") is None and not list(tmp_path.iterdir())
    saved = views.save(VIEW)
    assert saved == replace(VIEW, slug="dense-vs-hybrid") == SavedViews(tmp_path).find("dense-vs-hybrid")
    second = views.save(replace(VIEW, name="Later"))
    assert SavedViews(tmp_path, read_only=True).list() == (second, saved)


def test_the_stamp_is_another_one_after_a_change_and_for_another_file_in_its_place(tmp_path):
    views, stamps = SavedViews(tmp_path), []
    for _ in range(2):
        stamps.append(views.stamp())
        views.save(VIEW)
        stamps.append(views.stamp())
        assert views.stamp() == stamps[-1]
        for path in tmp_path.iterdir():
            path.unlink()
    assert stamps[0] == stamps[2] and len(set(stamps)) == 3


def test_a_name_that_exists_is_asked_for_and_replaced_on_request(tmp_path):
    views = SavedViews(tmp_path)
    views.save(VIEW)
    again = replace(VIEW, name=" dense  VS hybrid ", note="new")
    assert message_of(lambda: views.save(again)) == "saved-view/exists"
    assert views.save(again, replace_existing=True).slug == "dense-vs-hybrid"
    (seen,) = views.list()
    assert seen.note == "new"
    newer = views.save(replace(again, note="newer"), replace_existing=True)  # by somebody else, after the question
    assert message_of(lambda: views.save(VIEW, replace_existing=seen)) == "saved-view/exists"
    assert message_of(lambda: views.delete(seen.slug, seen)) == "changed-meanwhile" and views.list() == (newer,)
    assert views.save(again, replace_existing=newer).note == "new"
    other = views.save(replace(VIEW, name="Dense vs. hybrid!"))
    assert other.slug == "dense-vs-hybrid-2", "another name with the same letters is another view"


def test_a_name_or_a_note_that_is_too_long_is_refused_and_not_cut(tmp_path):
    views = SavedViews(tmp_path)
    for long, words in ((replace(VIEW, name="n" * 400), "a name of 400 characters; expected at most 80"),
                        (replace(VIEW, note="n" * 501), "a note of 501 characters; expected at most 500")):
        with pytest.raises(InputError, match=words):
            views.save(long)
    assert views.save(replace(VIEW, name="n" * 80, note="m" * 500)).note == "m" * 500
    assert len(views.list()) == 1


def test_a_deleted_view_can_be_restored_and_nothing_is_lost(tmp_path):
    views = SavedViews(tmp_path)
    saved = views.save(VIEW)
    views.delete(saved.slug)
    views.delete(saved.slug)
    assert views.list() == () and views.find(saved.slug) is None
    views.restore(saved.slug)
    assert views.list() == (saved,)
    views.restore("never-there")
    with pytest.raises(InputError, match="is there"):
        views.restore(saved.slug)  # by a page that shows it as deleted
    with closing(sqlite3.connect(views.path)) as db:
        assert [kind for kind, in db.execute("select kind from events")] == ["saved", "deleted", "restored"]
        for statement in ("delete from events", "update events set slug = 'x'"):
            with pytest.raises(sqlite3.IntegrityError, match="never"):
                db.execute(statement)


def test_what_cannot_be_saved_is_said(tmp_path):
    assert message_of(lambda: SavedViews(tmp_path).save(replace(VIEW, name=" \n"))) == "saved-view/no-name"
    shown = SavedViews(tmp_path, read_only=True)
    for call in (lambda: shown.save(VIEW), lambda: shown.delete("a"), lambda: shown.restore("a")):
        assert message_of(call) == "read-only-workspace"
    (tmp_path / "views.sqlite").write_bytes(b"no database at all" * 100)
    assert message_of(SavedViews(tmp_path).list).startswith("unusable-workspace")
    assert message_of(lambda: SavedViews(tmp_path).save(VIEW)).startswith("unusable-workspace")


@pytest.mark.parametrize(("name", "slug"), [
    ("Ärger & Öl", "arger-ol"), ("../../etc/passwd", "etc-passwd"),
    ("<script>alert(1)</script>", "script-alert-1-script"),
    ("x" * 80, "x" * LONGEST_SLUG), ("a" * 39 + " b", "a" * 39)])
def test_a_name_in_an_address_has_plain_letters_alone(name, slug, tmp_path):
    assert slug_of(name) == slug
    assert SavedViews(tmp_path).save(replace(VIEW, name=name)).slug == slug


def test_names_without_latin_letters_have_different_addresses(tmp_path):
    views = SavedViews(tmp_path)
    slugs = {views.save(replace(VIEW, name=name)).slug for name in ("結果", "比較", "🎉")}
    assert len(slugs) == 3 and all(slug.startswith("view-") for slug in slugs)
    hostile = views.save(replace(VIEW, name="a\x00b\u202ec\ud800", note="one\r\ntwo"))
    assert hostile.name == "a b c?" and hostile.note == "one two" and views.find(hostile.slug) == hostile


@pytest.mark.parametrize("content", [
    "{", "[1]", "null", "5", "{}", "[" * 100_000, '{"name": 5, "page": "compare", "parameters": {}}',
    '{"name": "a", "page": ["compare"], "parameters": {}}', '{"name": "a", "page": "compare", "parameters": [1]}',
    '{"name": "a", "page": "compare", "parameters": {"k": [10]}}', '{"name": "a", "page": "compare"}',
    '{"name": "\\ud800", "page": "compare", "parameters": {}}', b"\xff"])
def test_a_damaged_view_is_named_and_the_others_are_listed(tmp_path, content):
    views = SavedViews(tmp_path)
    saved = views.save(VIEW)
    with closing(sqlite3.connect(views.path)) as db, db:
        db.execute("insert into events (slug, kind, view) values ('odd', 'saved', ?)", (content,))
    assert views.list() == (saved,) and views.find("odd") is None
    problem, = views.problems()
    assert (problem.message, problem.severity, problem.facts["slug"]) == ("broken-view", "warning", "odd")
    again = views.save(replace(VIEW, name="Odd"))
    assert again.slug == "odd-2", "what is damaged is not written over"
    views.delete("odd")
    assert not views.problems()
