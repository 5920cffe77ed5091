"""What every store promises, for each of its implementations: SQLite files, PostgreSQL, folders, buckets."""

from __future__ import annotations

import pathlib
import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import team_services

from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.core.storage.folder_files import FolderFiles
from ragdash.matching.evidence.decision_store import DecisionStore, decision_file
from ragdash.workspace import Workspace, open_workspace
from ragdash.workspace.reviews import Event, ReviewStore
from ragdash.workspace.reviews.review_file import ReviewFile
from ragdash.workspace.saved_views import SavedView, SavedViews, view_file

HOSTILE = ("", "\x00", "a\x00b", "k" * 3000, "\\", "\\0", "'; drop table events; --", "%_", "日本語 🎉", " x ", "null",
           "\u2028", "{\"a\": 1}", "\x7f\x01")
HALF = "half \ud800 of a pair"


def address(postgres, project: str):
    from ragdash.core.storage.addresses import database_address

    return database_address(postgres.url_of(project))


@pytest.fixture(params=["reviews file", "views file", "decisions file", "postgresql"])
def log(request, tmp_path, project):
    """An event log and how many values its events have."""
    if request.param == "postgresql":
        from ragdash.core.storage.shared import open_log

        return open_log(address(request.getfixturevalue("postgres"), project), "reviews"), 7
    return {"reviews file": (ReviewFile(tmp_path / "reviews.sqlite"), 7),
            "views file": (view_file(tmp_path / "views.sqlite"), 2),
            "decisions file": (decision_file(tmp_path / "decisions.sqlite"), 2)}[request.param]


def values(log, text: str, count: int) -> tuple[str | None, ...]:
    return (text,) * count if count != 2 or "decisions" not in log.location else (text, text, "1", text)


def test_events_come_back_in_order_whatever_is_in_them(log):
    log, count = log
    assert log.rows() == [] and log.keys() == {} and log.stamp() == ""
    stamps = [log.stamp()]
    for text in HOSTILE:
        log.write(lambda writer, text=text: writer.add(text, values(log, text, count)))
        stamps.append(log.stamp())
    rows = log.rows()
    assert [(row.key, row.values) for row in rows] == [(text, values(log, text, count)) for text in HOSTILE]
    assert [row.number for row in rows] == list(range(1, len(HOSTILE) + 1)) and len(set(stamps)) == len(stamps)
    for row in rows:
        assert log.rows(row.key) == [row] and log.rows(until=row.number)[-1] == row
    assert list(log.keys().items()) == [(text, 1) for text in HOSTILE] and log.rows("nobody") == []
    log.write(lambda writer: writer.add(HOSTILE[0], values(log, "again", count)))
    assert list(log.keys().items())[-1] == (HOSTILE[0], 2)


def test_half_a_character_is_kept_or_refused_with_a_message(log):
    log, count = log

    def work(writer):
        writer.add("before", values(log, "x", count))
        writer.add(HALF, values(log, HALF, count))

    try:
        log.write(work)
    except InputError as error:
        assert error.problems[0].message == "unwritable-text"
        assert log.rows() == [], "all or nothing"
    else:
        assert [row.key for row in log.rows()] == ["before", HALF] and log.rows(HALF)[0].values[0] == HALF


def test_a_writer_reads_what_it_added_and_a_failure_adds_nothing(log):
    log, count = log

    def work(writer):
        first = writer.add("k", values(log, "x", count))
        assert first and [row.key for row in writer.rows()] == ["k"] == [row.key for row in writer.rows("k")]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        log.write(work)
    assert log.rows() == [] and log.stamp() == ""
    log.write(lambda writer: None)
    assert log.rows() == []


def test_an_id_is_added_once(log):
    log, count = log
    if count != 7:  # a log without ids knows none
        assert not log.write(lambda writer: writer.has("k", writer.add("k", values(log, "x", count))))
        return
    assert log.write(lambda writer: [writer.add("k", values(log, "x", count), "f" * 32) for _ in range(2)]) == [
        "f" * 32, None]
    made = log.write(lambda writer: [writer.add("k", values(log, "x", count)) for _ in range(3)])
    assert len(set(made)) == 3 and [row.id for row in log.rows()] == ["f" * 32, *made]
    assert log.write(lambda writer: (writer.has("k", made[0]), writer.has("other", made[0]),
                                     writer.has("k", "0" * 32))) == (True, False, False)


def test_erased_events_are_gone_and_the_others_keep_their_numbers(log):
    log, count = log
    assert log.erase(lambda row: None) == 0, "nothing is there yet, and nothing is made"
    for text in ("first", "secret-of-ada", "third", "secret-of-eve"):
        log.write(lambda writer, text=text: writer.add("k", values(log, text, count)))
    stamp, ids = log.stamp(), [row.id for row in log.rows()]

    def change(row):
        if row.values[0] == "secret-of-ada":
            return None
        return ("nobody", *row.values[1:-1], "") if row.values[0] == "secret-of-eve" else row.values

    assert log.erase(change) == 2
    rows = log.rows()
    assert [(row.number, row.values[0]) for row in rows] == [(1, "first"), (3, "third"), (4, "nobody")]
    assert [row.id for row in rows] == [ids[0], *ids[2:]] and log.keys() == {"k": 3}
    erased = log.stamp()
    assert erased != stamp and log.erase(change) == 0 and log.stamp() == erased
    log.write(lambda writer: writer.add("k", values(log, "fifth", count)))
    assert len({stamp, erased, log.stamp()}) == 3 and log.rows()[-1].values[0] == "fifth"


def test_nothing_but_erasing_changes_an_event(log, request):
    """And what was erased is not left in the bytes of a file."""
    log, count = log
    log.write(lambda writer: [writer.add("k", values(log, text, count)) for text in ("secret-of-ada", "second")])
    log.erase(lambda row: None if row.values[0] == "secret-of-ada" else row.values)
    if log.location.startswith("postgresql"):
        with pytest.raises(InputError, match="never changed"):
            log._database.write(lambda connection: connection.exec_driver_sql("delete from ragdash.events"))
        return
    path = pathlib.Path(log.location)
    assert not [file for file in path.parent.iterdir() if b"secret-of-ada" in file.read_bytes()]
    if "decisions" not in path.name:  # its rows were never guarded
        with closing(sqlite3.connect(path)) as db, pytest.raises(sqlite3.Error, match="never deleted"):
            db.execute("delete from events")


def test_writers_wait_for_each_other_so_a_stamp_never_names_two_states(log):
    """A number that is given before a commit would let a reader see 2 without 1, and 1 later under the same stamp."""
    log, count = log
    inside, finish, seen = threading.Event(), threading.Event(), []

    def slow(writer):
        writer.add("slow", values(log, "x", count))
        inside.set()
        finish.wait(10)

    def add_second():
        log.write(lambda writer: writer.add("quick", values(log, "x", count)))

    first = threading.Thread(target=lambda: log.write(slow))
    first.start()
    assert inside.wait(20)
    second = threading.Thread(target=add_second)
    second.start()
    seen.append((log.stamp(), [row.key for row in log.rows()]))
    second.join(0.05)
    assert second.is_alive(), "the second writer waits"
    finish.set()
    first.join()
    second.join()
    assert seen == [("", [])] and [(row.number, row.key) for row in log.rows()] == [(1, "slow"), (2, "quick")]


def test_many_writers_lose_nothing_and_add_nothing_twice(log):
    log, count = log
    log.write(lambda writer: writer.add("first", values(log, "x", count)))

    def write(number: int) -> None:
        for step in range(25):
            log.write(lambda writer, step=step: writer.add(f"{number}", values(log, f"{step}", count)))

    from team_services import threads

    for thread in threads(4, write):
        thread.join()
    rows = log.rows()
    assert [row.number for row in rows] == list(range(1, 102))
    assert all([row.values[0] for row in rows if row.key == f"{number}"] == [f"{step}" for step in range(25)]
               for number in range(4))


@pytest.fixture(params=["folder", "postgresql", "postgresql and s3", "postgresql and a folder of blobs"])
def open_home(request, tmp_path, project, monkeypatch):
    """A function that opens the same workspace again, as another server does."""
    if request.param == "folder":
        return lambda read_only=False: Workspace(tmp_path / "kept", read_only)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "local"))
    url, blobs = request.getfixturevalue("postgres").url_of(project), None
    if request.param.endswith("s3"):
        request.getfixturevalue("s3").create_bucket(Bucket=project)
        blobs = f"s3://{project}/some/prefix"
    elif request.param.endswith("blobs"):
        blobs = f"file://{tmp_path}/blobs"
    return lambda read_only=False: open_workspace(url, blobs, read_only=read_only)


def run_of(name: str, docs: int = 3) -> Run:
    ids = [f"{name} {number}" for number in range(docs)]
    return Run.build(name, ["q\x00"] * docs, ids, np.arange(docs, 0, -1.0), settings={"k": docs})


def test_a_run_and_a_truth_survive_and_another_server_sees_them(open_home):
    first, second = open_home(), open_home()
    first.check()
    assert first.runs() == () and first.stamp() == second.stamp()
    run = run_of("bm25")
    truth = Truth.build("gold", ["q\x00"], ["bm25 0"], [1], details=pa.table({"query_id": ["q\x00"], "query": ["x?"]}))
    entry, stamp = first.add_run(run), second.stamp()
    first.add_truth(truth, "other name")
    assert second.stamp() > stamp and second.runs()[0] == entry and entry.facts["queries"] == 1
    assert second.load_run(run.digest).digest == run.digest and second.load_run(run.digest).settings == {"k": 3}
    assert second.load_truth(truth.digest).name == "other name"
    assert second.add_run(run) == entry, "the same content is kept once"
    reader = open_home(read_only=True)
    reader.check()
    assert reader.load_run(run.digest[:12]).name == "bm25"
    for change in (lambda: reader.add_run(run_of("new")), lambda: reader.rename(run.digest, "x")):
        with pytest.raises(InputError) as raised:
            change()
        assert raised.value.problems[0].message == "read-only-workspace"


def test_what_people_type_comes_back(open_home):
    home, run = open_home(), run_of("bm25")
    home.add_run(run)
    for text in HOSTILE:
        home.describe(run.digest, f"<{text}>")
        home.tag(run.digest, [f"<{text}>", "nightly"])
        home.keep_settings(run.digest, {text: text})
        home.keep_prices(f"{text}#")
        entry = open_home().find(run.digest)
        tag = " ".join(f"<{text}>".split())
        assert (entry.description, entry.tags) == (f"<{text}>", (tag, "nightly"))
        assert open_home().settings() == {run.digest: {text: text}} and open_home().prices() == f"{text}#"
    home.rename(run.digest, HALF)
    assert open_home().find(run.digest).name == HALF.encode("utf-8", "replace").decode()
    for prefix in (*HOSTILE, HALF, "zz", run.digest + "0"):
        assert prefix == HALF or open_home().find(prefix) is None


def test_many_who_change_one_text_at_the_same_moment_lose_nothing(open_home):
    """Each makes the new text of the one that is stored, and nobody else writes in between."""
    home = open_home()
    digest = home.add_run(run_of("a")).digest

    def work(number: int) -> None:
        own = open_home()
        own.tag(digest, lambda stored: [*stored, f"tag {number}"], "run")
        own.keep_settings(digest, lambda stored: {**stored, f"s{number}": "1"})
        own.keep_prices(lambda stored: f"{stored or ''}# {number}\n")
        own.describe(digest, lambda stored: f"{stored} {number}", "run")
        own.rename(digest, lambda stored: f"{stored} {number}", "run")

    for thread in team_services.threads(6, work):
        thread.join()
    assert sorted(home.find(digest).tags) == [f"tag {number}" for number in range(6)]
    assert sorted(home.settings()[digest]) == [f"s{number}" for number in range(6)]
    assert sorted(home.prices().splitlines()) == [f"# {number}" for number in range(6)]
    assert sorted(home.find(digest).description.split()) == sorted(home.find(digest).name.split()[1:]) == [*"012345"]
    home.rename(digest, lambda stored: " ", "run")
    assert home.find(digest).name.startswith("a ")

    def fail(stored: tuple) -> list:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        home.tag(digest, fail)
    assert len(home.find(digest).tags) == 6


def test_mappings_of_wide_and_hostile_tables(open_home):
    home, wide = open_home(), [f"a column with a long name {number}" for number in range(400)]
    for columns in (wide, list(HOSTILE), ["a"], wide[:399]):
        assert home.mappings(columns) == {}
        for name in ("first", "", "n" * 3000, "x\x00"):
            home.keep_mapping(columns, name, {"query": columns[0]})
        home.keep_mapping(reversed(columns), "first", {"query": columns[-1]})
        assert list(open_home().mappings(columns)) == ["first", "x\x00", "n" * 3000, ""]
        assert open_home().mappings(columns)["first"] == {"query": columns[-1]}
    assert len(home._catalogue.all_mappings()) == 16


def test_a_mapping_can_be_made_of_the_one_that_is_kept(open_home):
    columns, seen = ["a", "b"], []

    def change(stored, new="a"):
        seen.append(stored)
        if stored == {"query": "b"}:
            raise ZeroDivisionError
        return {"query": new}

    open_home().keep_mapping(columns, "mine", change)
    open_home().keep_mapping(columns, "mine", lambda stored: change(stored, "b"))
    with pytest.raises(ZeroDivisionError):
        open_home().keep_mapping(columns, "mine", change)
    assert seen == [None, {"query": "a"}, {"query": "b"}]
    assert open_home().mappings(columns) == {"mine": {"query": "b"}}


def test_a_beginning_of_several_digests_names_none_of_them(open_home):
    home, runs = open_home(), [run_of(f"run {number}") for number in range(17)]  # two of them begin alike
    for run in runs:
        home.add_run(run)
    first = next(run for run in runs if sum(other.digest[0] == run.digest[0] for other in runs) > 1)
    start = first.digest[0]
    assert home.find(start) is None and open_home().find(first.digest[:12]).digest == first.digest
    for call in (home.load_run, home.delete, lambda digest: home.rename(digest, "x"), home.archive):
        with pytest.raises(InputError, match="a beginning that no other one has"):
            call(start)
    assert sorted(entry.name for entry in home.runs()) == sorted(run.name for run in runs)


def test_order_archive_delete_and_back(open_home):
    home, runs = open_home(), [run_of(name) for name in "abcd"]
    for run in runs:
        home.add_run(run)
    home.order([runs[2].digest, runs[0].digest])
    assert [entry.name for entry in home.runs()] == ["c", "a", "b", "d"]
    home.order([entry.digest for entry in reversed(home.runs())])
    assert [entry.name for entry in home.runs()] == ["d", "b", "a", "c"]
    home.archive(runs[1].digest)
    assert [entry.name for entry in home.runs()] == ["d", "a", "c"] and len(home.runs(None)) == 4
    assert [entry.name for entry in home.runs(True)] == ["b"]
    home.rename(runs[3].digest, "renamed")
    home.delete(runs[3].digest)
    assert home.find(runs[3].digest) is None and open_home().find(runs[3].digest) is None
    with pytest.raises(InputError) as raised:
        home.load_run(runs[3].digest)
    assert raised.value.problems[0].message == "not-kept"
    back = home.add_run(runs[3])
    assert back.name == "d" and not back.archived and home.load_run(back.digest).digest == back.digest


def test_a_run_and_judgments_of_one_digest_are_changed_apart(open_home):
    home = open_home()
    run, truth = Run.build("made", ["q1", "q2"], ["d1", "d2"], [1.0, 2.0]), Truth.build(
        "judged", ["q1", "q2"], ["d1", "d2"], [1, 2])
    digest = run.digest
    assert digest == truth.digest
    home.add_truth(truth)
    home.add_run(run)
    home.rename(digest, "oracle", "run")
    home.describe(digest, "by hand", "truth")
    home.tag(digest, ["check"], "run")
    home.archive(digest, kind="truth")
    entries = [(entry.name, entry.description, entry.tags, entry.archived)
            for entry in (home.find(digest, "run"), home.find(digest, "truth"))]
    assert entries == [("oracle", "", ("check",), False), ("judged", "by hand", (), True)]
    home.delete(digest, "run")
    assert home.find(digest, "run") is None and open_home().load_truth(digest).name == "judged"
    home.delete(digest)
    assert home.find(digest) is None


def test_the_beginning_of_the_list_is_that_of_the_whole(open_home):
    home, truth = open_home(), Truth.build("truth", ["q"], ["d"], [1])
    assert home.summary(3).count == 0 and home.summary(3).first == () and home.runs_of(["x"]) == ()
    runs = [home.add_run(run_of(f"run {number}")) for number in range(4)]
    home.add_truth(truth)
    home.order([runs[2].digest])
    home.archive(runs[0].digest)
    home.delete(runs[3].digest)
    whole = (*home.runs(), *home.truths())
    for limit in (1, 2, 3, 9):
        summary = open_home().summary(limit)
        assert (summary.count, summary.archived, summary.first) == (4, 1, whole[:limit])
    some = home.runs_of([runs[0].digest, runs[2].digest, runs[2].digest, runs[3].digest, truth.digest, "\x00"])
    assert {entry.digest for entry in some} == {runs[0].digest, runs[2].digest}


@pytest.fixture(params=["postgresql", "s3", "folder"])
def blobs(request, tmp_path, project):
    from ragdash.workspace.opening import open_blobs

    url = request.getfixturevalue("postgres").url_of(project)
    if request.param == "s3":
        request.getfixturevalue("s3").create_bucket(Bucket=project)
    return open_blobs(url, {"postgresql": None, "s3": f"s3://{project}/p", "folder": f"file://{tmp_path}/b"}[
        request.param])


def test_a_blob_is_written_once_and_whole(blobs, monkeypatch):
    contents = {"a/b.parquet": b"", "a/c.parquet": b"\x00" * 20_000, "a/b/c-1_x": bytes(range(256)) * 100}
    if hasattr(blobs, "_project"):
        monkeypatch.setattr("ragdash.core.storage.postgres.blobs.PIECE", 7000)  # several pieces
    blobs.check()
    for name, content in contents.items():
        with pytest.raises(FileNotFoundError):
            blobs.get(name)
        blobs.put(name, content)
        with pytest.raises(FileExistsError):
            blobs.put(name, b"another")
    assert {name: blobs.get(name) for name in contents} == contents
    blobs.delete(["a/b.parquet", "a/never"])
    with pytest.raises(FileNotFoundError):
        blobs.get("a/b.parquet")
    assert blobs.get("a/c.parquet") == contents["a/c.parquet"]
    results = []

    def put(number: int) -> None:
        try:
            blobs.put("same", f"{number}".encode())
            results.append(number)
        except FileExistsError:
            pass

    from team_services import threads

    for thread in threads(4, put):
        thread.join()
    assert len(results) == 1 and blobs.get("same") == f"{results[0]}".encode(), "one of many writers wins"


@pytest.mark.parametrize("kind", ["file", "postgresql"])
def test_many_who_change_one_note_at_the_same_moment_lose_nothing(kind, request, project, tmp_path):
    from ragdash.core.storage.shared import open_log

    log = None if kind == "file" else open_log(address(request.getfixturevalue("postgres"), project), "reviews")
    store = ReviewStore(tmp_path, log=log)

    def work(number: int) -> None:
        for step in range(5):
            store.add("t", lambda stored, step=step: [
                Event("note", "q", f"{stored.notes.get(('q', ''), '')} {number}.{step}")])

    for thread in team_services.threads(4, work):
        thread.join()
    texts = store.read("t").notes["q", ""].split()
    assert sorted(texts) == [f"{number}.{step}" for number in range(4) for step in range(5)]
    assert store.add("t", lambda stored: []) == () and len(store.history("t")) == 20
    with pytest.raises(InputError):
        store.add("t", lambda stored: [Event("undo", "", "0" * 32)])
    assert len(store.history("t")) == 20


def test_reviews_views_and_decisions_work_in_a_database(postgres, project, monkeypatch, tmp_path):
    from ragdash.core.storage.shared import open_log

    logs = {name: open_log(address(postgres, project), name) for name in ("reviews", "views", "evidence-decisions")}
    reviews = ReviewStore(log=logs["reviews"])
    note, grade = reviews.add("t", [Event("note", "q", "x\x00y"), Event("judgement", "q", "2", doc_id="d")])
    reviews.undo("t", note.id)
    assert [event.kind for event in reviews.read("t").events] == ["judgement"] and reviews.truths() == {"t": 3}
    taken = reviews.take_in([("t", grade), ("t", replace(grade, id="a" * 32, value="0"))])
    assert (taken.added, taken.known, taken.replaced) == (1, 1, 1)
    with pytest.raises(InputError) as raised:
        reviews.undo("t", "0" * 32)
    assert raised.value.problems[0].message == "unknown-review"
    views = SavedViews(tmp_path, log=logs["views"])
    view = views.save(SavedView("Dense", "compare", {"run": ["a"]}))
    views.delete(view.slug)
    views.restore(view.slug)
    assert views.list() == (view,) and not list(tmp_path.iterdir())
    decisions = DecisionStore(tmp_path / "none", logs["evidence-decisions"])
    assert decisions.keep({("q", "c", "s"): True}) == 1 and decisions.keep({("q", "c", "s"): True}) == 0
    before = decisions.stamp()
    decisions.keep({("q", "c", "s"): None, ("q", "c", "t"): False})
    assert decisions.read() == {("q", "c", "t"): False} and decisions.read(before) == {("q", "c", "s"): True}
    monkeypatch.setenv("RAGDASH_WORKSPACE", postgres.url_of(project))
    assert ReviewStore().truths() == {"t": 4} and "owner" not in ReviewStore().location
    with pytest.raises(Exception, match="never changed or deleted"):
        postgres.sql(f"delete from ragdash.events where project = '{project}'")


def test_projects_of_one_database_do_not_see_each_other(postgres, project):
    first, second = (open_workspace(postgres.url_of(f"{project}-{name}")) for name in "ab")
    run = run_of("bm25")
    first.add_run(run)
    assert second.runs() == () and second.find(run.digest) is None and second.stamp() == 0
    second.add_run(run)
    second.delete(run.digest)
    assert first.load_run(run.digest).digest == run.digest


def test_the_names_below_a_folder_of_blobs(blobs):
    for name in ("p/values/r1/a", "p/values/r1/b", "p/values/r10/a", "p/values/r2/a", "q/values/r1/z", "p/values/r"):
        blobs.put(name, b"x")
    assert blobs.names("p/values/r1") == ["p/values/r1/a", "p/values/r1/b"]
    assert blobs.names("p/values/none") == [] and len(blobs.names("p")) == 5
    blobs.delete(blobs.names("p/values/r1"))
    assert blobs.names("p/values/r1") == [] and blobs.names("p/values/r10") == ["p/values/r10/a"]


def test_values_are_read_by_another_server_and_go_with_their_run(open_home):
    home, runs = open_home(), [run_of("a"), run_of("b")]
    arrays = {"k1": np.array([0.5, np.nan]), "k2": np.arange(3.0)}
    for run in runs:
        home.add_run(run)
        home.values.keep(run.digest, arrays)
    read = open_home().values.read(runs[0].digest, ["k2", "k1", "k3"])
    assert {key: array.tobytes() for key, array in read.items()} == {key: a.tobytes() for key, a in arrays.items()}
    blobs, folder = home.values._blobs, home.values._name(runs[1].digest, "").rstrip("/")
    name = f"{folder}/k1"
    blobs.delete([name])
    blobs.put(name, b"damaged")
    assert list(open_home().values.read(runs[1].digest, ["k1", "k2"])) == ["k2"]
    assert open_home().values.problems()[0].message == "broken-values" and name not in blobs.names(folder)
    home.delete(runs[0].digest)
    assert home.values.read(runs[0].digest, ["k1"]) == {} and blobs.names(folder) == [f"{folder}/k2"]


@pytest.fixture(params=["folder", "postgresql"])
def open_files_of(request, tmp_path, project):
    """A function that opens the same small files again, as another server does."""
    if request.param == "folder":
        return lambda: FolderFiles(tmp_path / "sets", ".jsonl")
    from ragdash.core.storage.shared import open_files

    where = address(request.getfixturevalue("postgres"), project)
    return lambda: open_files(where, "sets")


def test_small_files_are_replaced_as_a_whole_and_the_newest_comes_first(open_files_of):
    files, other = open_files_of(), open_files_of()
    assert files.names() == {}
    with pytest.raises(FileNotFoundError):
        files.get("none")
    contents = {"a": b"", "日本-1": bytes(range(256)) * 5000, "b_2": b"\x00\xff"}
    for name, content in contents.items():
        files.put(name, content)
        time.sleep(0.02)  # more than the clock of any file system
    assert list(other.names()) == ["b_2", "日本-1", "a"] and {name: other.get(name) for name in contents} == contents
    other.put("a", b"again")
    assert next(iter(files.names())) == "a" and files.get("a") == b"again" and len(files.names()) == 3
    assert all(abs(when - time.time()) < 120 for when in files.names().values())


def test_a_small_file_is_deleted_and_every_server_hears_of_changes(open_files_of):
    files, other = open_files_of(), open_files_of()
    stamps = [files.stamp()]
    for change in (lambda: files.put("a", b"1"), lambda: files.put("a", b"2"), lambda: other.delete("a"),
                   lambda: other.delete("a"), lambda: files.put("b", b"3")):
        change()
        time.sleep(0.25)  # how long a server may believe what it knows
        stamps.append(files.stamp())
        assert stamps[-1] == other.stamp()
    assert list(files.names()) == ["b"]
    with pytest.raises(FileNotFoundError):
        other.get("a")
    assert set(stamps) == {None} or stamps == sorted(set(stamps)), "it never repeats"


def test_a_small_file_that_two_servers_write_is_that_of_one_of_them(open_files_of):
    contents = [bytes([number]) * 300_000 for number in range(4)]

    def write(number: int) -> None:
        files = open_files_of()
        for _ in range(10):
            files.put("same", contents[number])

    running = team_services.threads(4, write)
    while any(thread.is_alive() for thread in running):
        if "same" in open_files_of().names():
            assert open_files_of().get("same") in contents
    assert open_files_of().get("same") in contents and list(open_files_of().names()) == ["same"]


def test_many_who_change_one_small_file_at_the_same_moment_lose_nothing(open_files_of):
    def work(number: int) -> None:
        for step in range(5):
            open_files_of().change("same", lambda stored, step=step: (stored or b"") + f"{number} {step}\n".encode())

    for thread in team_services.threads(4, work):
        thread.join()
    files = open_files_of()
    assert sorted(files.get("same").split(b"\n")[:-1]) == [f"{number} {step}".encode() for number in range(4)
                                                           for step in range(5)]
    with pytest.raises(ZeroDivisionError):
        files.change("same", lambda stored: 1 // 0)
    assert len(files.get("same").splitlines()) == 20 and list(files.names()) == ["same"]
    files.change("same", lambda stored: None)
    files.change("none", lambda stored: None)
    assert files.names() == {}
