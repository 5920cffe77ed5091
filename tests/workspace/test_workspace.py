"""The workspace: nothing is lost in it, not by a round trip, a second process, a kill, a broken file or a full disk."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import random_case, run_of, truth_of

from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError
from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import evaluate
from ragdash.io import read_run, read_truth
from ragdash.workspace import Workspace, atomic_folders, catalogue

pytestmark = pytest.mark.filterwarnings("error")

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_runs"


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    return Workspace(tmp_path / "w")


def kind_of(error: pytest.ExceptionInfo) -> str:
    return error.value.problems[0].kind


def assert_same(one, other) -> None:
    """Field by field, arrays and tables by their values."""
    assert one.digest == other.digest
    for name in one.__dataclass_fields__:
        a, b = getattr(one, name), getattr(other, name)
        if name == "corpus":
            continue
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype and np.array_equal(a, b), name
            assert a.flags.writeable or not b.flags.writeable, name
        elif isinstance(a, (pa.Array, pa.ChunkedArray, pa.Table)):
            assert a.equals(b) if not isinstance(a, pa.ChunkedArray) else a.to_pylist() == b.to_pylist(), name
            assert type(a) is type(b)
        else:
            assert a == b, name


def small(name: str = "run", docs=("a", "b", "c")) -> Run:
    return run_of({"q1": dict.fromkeys(docs, 1.0), "q2": {"z": 2.0}}, name)


@pytest.mark.parametrize("seed", range(60))
def test_a_reloaded_run_and_truth_are_the_same_and_evaluate_alike(workspace, seed):
    case = random_case(seed)
    run, truth = case.run(), case.truth()
    workspace.add_run(run)
    workspace.add_truth(truth)
    again, judged = workspace.load_run(run.digest), workspace.load_truth(truth.digest)
    assert_same(run, again)
    assert_same(truth, judged)
    for ties in ("docid", "file"):
        before, after = (evaluate(*pair, "nDCG@5 RR AP P@3 bpref n_ret", ties=ties)
                         for pair in ((run, truth), (again, judged)))
        assert np.array_equal(before.values, after.values, equal_nan=True)
        assert before.problems == after.problems and before.settings == after.settings


def test_ranks_order_texts_sources_details_settings_and_problems_come_back(tmp_path):
    details = pa.table({
        "query_id": ["q2", "q3", "q1"], "answer": ["yes", None, ""], "prompt_tokens": pa.array([1, None, 3]),
        "contexts": pa.array([["one", None], [], None], pa.list_(pa.string())),
        "latency_ms": pa.array([{"retrieval": 1.5, "total": None}, None, {"retrieval": None, "total": 2.0}],
                               pa.struct([("retrieval", pa.float64()), ("total", pa.float64())]))})
    settings = {"model": "m", "deep": {"k": [1, 2.5, None, True]}, "wild": float("nan"), "text": "🌒 é"}
    for at, (ranks, scores) in enumerate(((None, None), ([2, 1, 1, 2], None), ([2, 1, 1, 2], [1.0, 1.0, 5.0, -0.0]),
                                          (None, [1.0, 2.0, 2.0, 2.0]))):
        workspace = Workspace(tmp_path / str(at))
        run = Run.build("r", ["q2", "q1", "q2", "q1"], ["a", "b", "a", "ü"], None if scores is None else
                        np.array(scores), ranks, texts=["t", None, "", "x"], sources=["s", "s", None, ""],
                        details=details, settings=settings)
        workspace.add_run(run)
        again = workspace.load_run(run.digest)
        assert np.isnan(again.settings["wild"])
        kept = {key: value for key, value in settings.items() if key != "wild"}
        assert {key: again.settings[key] for key in kept} == kept
        assert [run.ranking(q).to_pylist() for q in ("q1", "q2", "q3")] == [again.ranking(q).to_pylist() for q in (
            "q1", "q2", "q3")]
        assert_same(*(Run(**{**vars_of(one), "settings": {}}) for one in (run, again)))


def vars_of(run: Run) -> dict:
    return {name: getattr(run, name) for name in Run.__dataclass_fields__}


@pytest.mark.parametrize("name", ["dense", "sparse", "hybrid"])
def test_the_samples_come_back(workspace, name):
    run, truth = read_run(SAMPLES / f"{name}.jsonl"), read_truth(SAMPLES / "truth.jsonl")
    workspace.add_run(run)
    workspace.add_truth(truth)
    assert_same(run, workspace.load_run(run.digest))
    assert_same(truth, workspace.load_truth(truth.digest))


def test_runs_and_truths_without_rows_come_back(workspace):
    run, truth = run_of({"q": []}), truth_of({"q": {}})
    workspace.add_run(run)
    workspace.add_truth(truth)
    assert_same(run, workspace.load_run(run.digest))
    assert_same(truth, workspace.load_truth(truth.digest))


@pytest.mark.parametrize("settings", [{1: 2}, {"a": (1, 2)}, {"a": object()}])
def test_settings_that_json_does_not_hold_are_refused(workspace, settings):
    with pytest.raises(InputError) as error:
        workspace.add_run(Run.build("r", ["q"], ["d"], settings=settings))
    assert kind_of(error) == "unwritable-settings" and not workspace.runs()


def test_nothing_is_made_before_something_is_kept(workspace):
    assert workspace.runs() == workspace.truths() == () and workspace.find("0" * 12) is None
    assert workspace.mappings(["a"]) == {} and workspace.prices() is None and workspace.stamp() == 0
    assert not workspace.folder.exists()


def test_names_descriptions_tags_order_archive_and_delete_outlast_the_process(workspace):
    digests = [workspace.add_run(small(f"run {at}", [f"d{at}"])).digest for at in range(4)]
    workspace.rename(digests[0], "  my \n run ")
    workspace.rename(digests[1], " ")
    workspace.describe(digests[0], "what it is")
    workspace.tag(digests[0], ["a", " b ", "a", ""])
    with pytest.raises(InputError, match="no run or set of judgments ffffffffffff"):
        workspace.order([digests[0], "f" * 32])
    workspace.order([digests[3], digests[0][:12]])
    workspace.archive(digests[1])
    workspace.delete(digests[2])
    again = Workspace(workspace.folder)
    assert [one.name for one in again.runs()] == ["run 3", "my run"]
    assert again.runs()[1].description == "what it is" and again.runs()[1].tags == ("a", "b")
    assert [one.name for one in again.runs(None)] == ["run 3", "my run", "run 1"]
    assert [one.name for one in again.runs(True)] == ["run 1"]
    again.tag(digests[0], "one tag")
    assert again.find(digests[0]).tags == ("one tag",)
    assert again.load_run(digests[0]).name == "my run" and again.load_run(digests[1]).name == "run 1"
    again.archive(digests[1], False)
    assert len(again.runs()) == 3
    with pytest.raises(InputError) as error:
        again.load_run(digests[2])
    assert kind_of(error) == "not-kept" and not (workspace.folder / "runs" / digests[2]).exists()
    assert again.add_run(small("back", ["d2"])).name == "back" and again.load_run(digests[2]).name == "back"
    assert again.find(digests[0][:12]).digest == digests[0] and again.find("") is None


def test_the_same_content_is_kept_once_under_its_first_name(workspace):
    first = workspace.add_run(small("one"))
    assert workspace.add_run(small("two")) == first and len(workspace.runs()) == 1
    assert first.facts["queries"] == 2 and first.facts["depth"] == 3 and first.facts["size"] > 0


def test_typed_settings_and_the_day_of_the_upload_are_kept(workspace):
    first = workspace.add_run(small())
    date.fromisoformat(first.facts["added"])
    workspace.keep_settings(first.digest, {"chunk_size": "256", "model": "<b>"})
    workspace.keep_settings("f" * 40, {"not": "kept there"})
    again = Workspace(workspace.folder)
    assert again.settings() == {first.digest: {"chunk_size": "256", "model": "<b>"}, "f" * 40: {"not": "kept there"}}
    workspace.keep_settings("f" * 40, {})
    assert list(again.settings()) == [first.digest]
    workspace.keep_settings(first.digest, {"half\ud800": "a character\udfff"})
    assert again.settings() == {first.digest: {"half?": "a character?"}}, "what no page could draw"


def test_mappings_and_prices_are_kept(workspace):
    workspace.keep_mapping(["b", "a"], "mine", {"query_id": "a"})
    workspace.keep_mapping(["a", "b"], "other", {"query_id": "b"})
    workspace.keep_mapping(["a", "b"], "mine", {"doc_id": "a"})
    assert list(workspace.mappings(["a", "b"]).items()) == [("mine", {"doc_id": "a"}), ("other", {"query_id": "b"})]
    assert workspace.mappings(["a"]) == {}
    workspace.keep_prices("x = 1\n")
    assert Workspace(workspace.folder).prices() == "x = 1\n"


def test_fifty_runs_are_listed_without_being_read(workspace, monkeypatch):
    for at in range(50):
        workspace.add_run(small(f"run {at}", [f"d{at}"]))
    monkeypatch.setattr(atomic_folders, "fetch", lambda place: pytest.fail("a run was read"))
    monkeypatch.setattr(pq, "ParquetFile", lambda *rest, **more: pytest.fail("a file was opened"))
    assert [one.name for one in Workspace(workspace.folder).runs()] == [f"run {at}" for at in range(50)]


def damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "cut":
        path.write_bytes(content[:len(content) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "gone":
        path.unlink()
    elif how == "words":
        path.write_text("not a table")
    else:  # a letter of a value, which only a checksum tells
        at = content.index(b"PAR1") + 60
        content[at] ^= 0xFF
        path.write_bytes(content)


@pytest.mark.parametrize("file", ["rows", "queries"])
@pytest.mark.parametrize("how", ["cut", "empty", "gone", "words", "letter"])
def test_a_broken_file_is_named_and_set_aside_and_the_others_stay_usable(workspace, how, file):
    broken, whole = (workspace.add_run(small(name, [name])) for name in ("broken", "whole"))
    damage(workspace.folder / "runs" / broken.digest / f"{file}.parquet", how)
    with pytest.raises(InputError) as error:
        workspace.load_run(broken.digest)
    (problem,) = error.value.problems
    assert problem.kind == "broken-workspace-file" and "'broken'" in problem.actual
    assert Path(problem.file).parent == workspace.folder / "broken" and Path(problem.file).is_dir()
    assert workspace.runs()[0].broken == problem.file and workspace.load_run(whole.digest).name == "whole"
    with pytest.raises(InputError) as error:
        workspace.load_run(broken.digest)
    assert kind_of(error) == "broken-workspace-file"
    assert workspace.add_run(small("broken", ["broken"])).broken == ""
    assert workspace.load_run(broken.digest).digest == broken.digest


@pytest.mark.parametrize("name", [b"score", b"query", b"doc_id"])
def test_a_damaged_name_of_a_column_is_named_and_the_run_set_aside(workspace, name):
    run = Run.build("broken", ["q", "q"], ["a", "b"], [2.0, 1.0])
    digest = workspace.add_run(run).digest
    path = workspace.folder / "runs" / digest / "rows.parquet"
    path.write_bytes(path.read_bytes().replace(name, name[:-1] + bytes([name[-1] ^ 1])))
    with pytest.raises(InputError) as error:
        workspace.load_run(digest)
    assert kind_of(error) == "broken-workspace-file" and workspace.runs()[0].broken
    assert (workspace.folder / "broken").is_dir()


def test_a_run_under_the_name_of_another_is_broken(workspace):
    one, two = (workspace.add_run(small(name, [name])).digest for name in ("one", "two"))
    for file in ("rows", "queries"):
        content = (workspace.folder / "runs" / one / f"{file}.parquet").read_bytes()
        (workspace.folder / "runs" / two / f"{file}.parquet").write_bytes(content)
    with pytest.raises(InputError, match="its content is another"):
        workspace.load_run(two)


@pytest.mark.parametrize("content", [b"no database at all" * 99, None])
def test_a_broken_catalogue_is_set_aside_and_made_anew(workspace, content):
    digests = {workspace.add_run(small(name, [name])).digest for name in ("one", "two")}
    truth = workspace.add_truth(truth_of({"q": ["d"]}))
    path = workspace.folder / catalogue.FILE
    if content is None:
        content = bytearray(path.read_bytes())
        content[100:4000] = b"\xff" * 3900
    path.write_bytes(content)
    assert {one.digest for one in workspace.runs()} == digests and workspace.truths()[0].facts == truth.facts
    assert {one.name for one in workspace.runs()} == {"one", "two"}
    assert list((workspace.folder / "broken").glob(f"{catalogue.FILE}*"))
    assert workspace.add_run(small("three")).name == "three"


def test_a_broken_catalogue_is_replaced_once_by_those_who_find_it_at_the_same_moment(workspace, monkeypatch):
    workspace.add_run(small("one", ["one"]))
    (workspace.folder / catalogue.FILE).write_bytes(b"no database at all" * 99)
    met, once = threading.Barrier(3), catalogue.Catalogue._once
    waiting = threading.local()

    def meet_when_broken(self, *args, **options):
        try:
            return once(self, *args, **options)
        except sqlite3.DatabaseError:
            if not getattr(waiting, "over", False):
                waiting.over = True
                met.wait(30)
            raise

    monkeypatch.setattr(catalogue.Catalogue, "_once", meet_when_broken)
    with ThreadPoolExecutor(3) as pool:
        names = list(pool.map(lambda name: Workspace(workspace.folder).add_run(small(name, [name])).name, "abc"))
    assert names == ["a", "b", "c"]
    assert sorted(entry.name for entry in Workspace(workspace.folder).runs()) == ["a", "b", "c", "one"]
    assert not list((workspace.folder / "broken").glob(f"{catalogue.FILE}-[0-9]"))  # a second one set aside


@pytest.mark.parametrize("damage", [
    "update things set facts = '['", "update things set tags = '{}' where name = 'one'",
    "update things set facts = x'ff00ff'", "update things set description = cast(x'ff' as text)",
    "update kept set value = 'x' where key like 'settings:%'", "update mappings set mapping = '5'",
])
def test_a_damaged_cell_costs_no_more_than_its_row(workspace, damage):
    one, two = (workspace.add_run(small(name, [name])).digest for name in ("one", "two"))
    workspace.rename(two, "mine")
    workspace.tag(two, ["kept"])
    workspace.keep_prices("# prices")
    workspace.keep_settings(one, {"k": "5"})
    workspace.keep_mapping(["a"], "m", {"query": "a"})
    with closing(sqlite3.connect(workspace.folder / catalogue.FILE)) as db, db:
        db.execute(damage)
    served = Workspace(workspace.folder)
    served.settings(), served.mappings(["a"]), served.runs()
    assert served.prices() == "# prices" and {entry.digest for entry in served.runs()} == {one, two}
    if "description" not in damage:
        assert served.find(two).name == "mine" and served.find(two).tags == ("kept",)
    assert served.settings() == ({} if "kept" in damage else {one: {"k": "5"}})
    assert served.mappings(["a"]) == ({} if "mappings" in damage else {"m": {"query": "a"}})
    assert served.rebuilt() and list((workspace.folder / "broken").glob(f"{catalogue.FILE}*"))
    served.rename(one, "other")
    assert Workspace(workspace.folder).find(one).name == "other"


def test_every_page_of_the_list_is_looked_at_once_until_the_list_changes(workspace, monkeypatch):
    workspace.add_run(Run.build("bm25", ["q"], ["d"]))
    statements, connect = [], catalogue.open_reader

    def traced(*arguments):
        db = connect(*arguments)
        db.set_trace_callback(statements.append)
        return db

    monkeypatch.setattr(catalogue, "open_reader", traced)

    def looks() -> int:
        statements.clear()
        for _ in range(3):  # as a page does: another object at each rerun
            assert Workspace(workspace.folder).runs()
        return sum("quick_check" in statement for statement in statements)

    looks()
    assert looks() == 0
    os.utime(workspace.folder / "catalogue.sqlite", ns=(1, 1))
    assert looks() == 1, "somebody changed it"
    assert looks() == 0


@pytest.mark.parametrize("table", ["things", "mappings", "kept", "changes"])
def test_a_page_that_nobody_reads_is_found_before_a_change_is_kept(workspace, table):
    digest = workspace.add_run(small()).digest
    with closing(sqlite3.connect(workspace.folder / catalogue.FILE)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
        pages = [row[0] for row in db.execute("select rootpage from sqlite_master where tbl_name = ?", (table,))]
    with (workspace.folder / catalogue.FILE).open("r+b") as file:
        file.seek((pages[-1] - 1) * 4096)
        file.write(b"\xa5" * 4096)
    served = Workspace(workspace.folder)
    served.rename(digest, "renamed")
    served.keep_prices("# prices")
    served.keep_mapping(["a"], "m", {"query": "a"})
    again = Workspace(workspace.folder)
    assert again.find(digest).name == "renamed" and again.prices() == "# prices" and again.mappings(["a"])
    assert again.rebuilt()


def test_a_change_of_what_somebody_else_deleted_is_an_error(workspace):
    digest = workspace.add_run(small()).digest
    other = Workspace(workspace.folder)
    other.delete(digest)
    for change in (lambda: workspace.rename(digest, "new"), lambda: workspace.tag(digest, ["new"]),
                   lambda: workspace.describe(digest, "new"), lambda: workspace.archive(digest)):
        with pytest.raises(InputError) as error:
            change()
        assert kind_of(error) == "not-kept"
    workspace.delete(digest)


def test_a_workspace_of_a_newer_version_is_left_alone(workspace):
    workspace.add_run(small())
    with sqlite3.connect(workspace.folder / catalogue.FILE) as db:
        db.execute("pragma user_version = 99")
    for action in (workspace.runs, lambda: workspace.add_run(small("other", ["x"]))):
        with pytest.raises(InputError) as error:
            action()
        assert kind_of(error) == "newer-workspace"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
@pytest.mark.parametrize("call", ["fsync", "rename", "mkdir", "write"])
def test_a_disk_that_fails_is_a_readable_problem_and_damages_nothing(workspace, monkeypatch, number, call):
    kept = workspace.add_run(small("kept"))

    def fails(*rest, **more):
        raise OSError(number, os.strerror(number))

    where, name = {"fsync": (os, "fsync"), "rename": (os, "rename"), "mkdir": (tempfile, "mkdtemp"),
                   "write": (pq, "write_table")}[call]
    with monkeypatch.context() as patch:
        patch.setattr(where, name, fails)
        with pytest.raises(InputError) as error:
            workspace.add_run(small("new", ["x"]))
    assert kind_of(error) == "unusable-workspace" and os.strerror(number) in str(error.value)
    assert workspace.runs() == (kept,) and workspace.load_run(kept.digest).name == "kept"
    assert not list((workspace.folder / "new").iterdir()), "nothing half written is left"
    assert workspace.add_run(small("new", ["x"])).name == "new"


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_disk_that_is_really_full_damages_nothing(workspace):
    kept = workspace.add_run(small("kept"))
    code = (
        "import resource, sys; import numpy as np; from ragdash.core.records import Run; "
        "from ragdash.core.errors import InputError; from ragdash.workspace import Workspace\n"
        "run = Run.build('big', ['q'] * 200_000, [str(i) for i in range(200_000)], np.arange(2e5))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "try:\n    Workspace(sys.argv[1]).add_run(run)\nexcept InputError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(workspace.folder)], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert "File too large" in done.stdout and workspace.runs() == (kept,)
    assert workspace.load_run(kept.digest).name == "kept"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_without_the_right_to_write_can_be_read():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        place = Path(folder) / "w"
        run = small()
        Workspace(place).add_run(run)
        for path in (place, *place.rglob("*")):
            os.chmod(path, 0o755 if path.is_dir() else 0o644)
        os.seteuid(65534)
        try:
            workspace = Workspace(place)
            assert workspace.runs()[0].name == "run" and workspace.load_run(run.digest).digest == run.digest
            for action in (lambda: workspace.add_run(small("x", ["x"])), lambda: workspace.rename(run.digest, "x"),
                           lambda: workspace.delete(run.digest), workspace.check):
                with pytest.raises(InputError) as error:
                    action()
                assert kind_of(error) == "unusable-workspace" and "read-only" in str(error.value)
            Workspace(place, read_only=True).check()
        finally:
            os.seteuid(0)
        assert Workspace(place).load_run(run.digest).name == "run"


def test_a_file_in_place_of_the_folder_is_a_readable_problem(tmp_path):
    (tmp_path / "w").write_text("a file")
    with pytest.raises(InputError) as error:
        Workspace(tmp_path / "w").add_run(small())
    assert kind_of(error) == "unusable-workspace"


def test_read_only_changes_nothing(workspace):
    kept = workspace.add_run(small())
    served = Workspace(workspace.folder, read_only=True)
    for action in (lambda: served.add_run(small("x", ["x"])), lambda: served.rename(kept.digest, "x"),
                   lambda: served.delete(kept.digest), lambda: served.keep_prices("")):
        with pytest.raises(InputError) as error:
            action()
        assert kind_of(error) == "read-only-workspace"
    damage(workspace.folder / "runs" / kept.digest / "rows.parquet", "cut")
    with pytest.raises(InputError, match="cannot be read"):
        served.load_run(kept.digest)
    assert served.runs() == (kept,) and not (workspace.folder / "broken").exists()
    with pytest.raises(InputError) as error:
        Workspace(workspace.folder / "none", read_only=True).check()
    assert kind_of(error) == "no-workspace"


def test_many_threads_and_a_second_process_share_it(workspace):
    code = ("import sys, numpy as np; from ragdash.core.records import Run; from ragdash.workspace import Workspace\n"
            "for at in range(20):\n"
            "    Workspace(sys.argv[1]).add_run(Run.build(f'run {at}', ['q'], [f'd{at}'], np.array([1.0])))\n")
    other = subprocess.Popen([sys.executable, "-c", code, str(workspace.folder)], cwd=ROOT)

    def work() -> None:
        for at in range(20):
            Workspace(workspace.folder).add_run(Run.build(f"run {at}", ["q"], [f"d{at}"], np.array([1.0])))

    with ThreadPoolExecutor(3) as threads:
        results = [threads.submit(work) for _ in range(3)]
    assert [str(result.exception() or "") for result in results] == [""] * 3 and other.wait(60) == 0
    assert sorted(one.name for one in workspace.runs()) == sorted(f"run {at}" for at in range(20))
    assert all(workspace.load_run(one.digest).name == one.name for one in workspace.runs())
    assert not list((workspace.folder / "new").iterdir())


def test_a_new_list_waits_for_another_writer(tmp_path):
    path = tmp_path / catalogue.FILE
    with closing(sqlite3.connect(path, check_same_thread=False, isolation_level=None)) as other:
        other.execute("create table other (x)")
        other.execute("begin immediate")
        timer = threading.Timer(0.3, lambda: other.execute("commit"))
        timer.start()
        assert Workspace(tmp_path).add_run(small("a", ["x"])).name == "a"
        timer.join()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
def test_a_kill_at_any_moment_loses_nothing_that_was_acknowledged(workspace):
    done = subprocess.run([sys.executable, str(ROOT / "tests" / "workspace_writer.py"), str(workspace.folder), "100"],
                          cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ,
                                                                                      "PYTHONPATH": str(ROOT)})
    told = [line.split(" ", 1) for line in done.stdout.splitlines()]
    names = {digest: rest for digest, rest in told if rest.startswith("run")}
    tags = {digest: rest.removeprefix("tag ") for digest, rest in told if rest.startswith("tag")}
    assert len(names) > 50, "the writers were killed too early to tell anything"
    listed = {one.digest: one for one in workspace.runs()}
    assert names.keys() <= listed.keys() and not any(one.broken for one in listed.values())
    for digest, one in listed.items():
        run = workspace.load_run(digest)
        assert run.name == names.get(digest, one.name)
        assert digest not in tags or one.tags == (tags[digest],)
    again = workspace.add_run(small("after", ["x"]))
    assert workspace.load_run(again.digest).name == "after"


def test_what_a_killed_process_left_is_cleared_away_in_time(workspace):
    workspace.add_run(small())
    for name, age in (("old", 2 * atomic_folders.LEFT), ("young", 60)):
        left = workspace.folder / "new" / name
        left.mkdir()
        (left / "rows.parquet").write_bytes(b"half")
        past = os.stat(left).st_mtime - age
        os.utime(left, (past, past))
    workspace.add_run(small("other", ["x"]))
    assert [path.name for path in (workspace.folder / "new").iterdir()] == ["young"]


def test_what_cannot_be_cleared_away_does_not_stop_a_run_from_being_kept(workspace):
    workspace.add_run(small())
    stray = workspace.folder / "new" / "stray"  # a file: only folders are made there
    stray.write_bytes(b"")
    past = stray.stat().st_mtime - 2 * atomic_folders.LEFT
    os.utime(stray, (past, past))
    added = workspace.add_run(small("other", ["x"]))
    assert workspace.load_run(added.digest).name == "other" and stray.exists()


def test_a_truth_with_everything_comes_back(workspace):
    details = pa.table({"query_id": ["q1", "q2"], "answers": pa.array([["a", "b"], None], pa.list_(pa.string())),
                        "evidence": pa.array([[{"text": "t", "source": None}], []], pa.list_(pa.struct(
                            [("text", pa.string()), ("source", pa.string())]))), "attributes": ['{"a": 1}', None]})
    truth = Truth.build("t", ["q1", "q1"], ["a", "b"], [0, -2], details=details)
    workspace.add_truth(truth)
    assert_same(truth, workspace.load_truth(truth.digest))


def test_the_corpus_of_a_truth_comes_back(workspace):
    truth = truth_of({"q": ["d"]})
    for corpus in (Corpus.build("c", ["d", "e"], ["one", None], [None, "title"]), Corpus.build("ids", ["d"]), None):
        held = truth.with_corpus(corpus)
        workspace.add_truth(held)
        again = workspace.load_truth(held.digest)
        assert again.digest == held.digest and (again.corpus is None) == (corpus is None)
        if corpus is not None:
            assert again.corpus.documents(["e", "d", "x"]).equals(corpus.documents(["e", "d", "x"]))
            assert again.corpus.name == corpus.name
    (workspace.folder / "truths" / workspace.truths()[0].digest / "corpus.parquet").unlink()
    with pytest.raises(InputError, match="corpus"):
        workspace.load_truth(workspace.truths()[0].digest)


@pytest.mark.skipif(os.name != "posix", reason="rights of files as POSIX has them")
def test_only_the_owner_may_read_what_is_kept(tmp_path):
    mask = os.umask(0o022)
    try:
        workspace = Workspace(tmp_path / "new" / "w")
        workspace.add_run(small())
        workspace.add_truth(truth_of({"q": ["d"]}))
        paths = [tmp_path / "new", *(tmp_path / "new").rglob("*")]
        assert len(paths) > 8
        assert {path.name: oct(path.stat().st_mode & 0o777) for path in paths
                if path.stat().st_mode & 0o077} == {}
    finally:
        os.umask(mask)


@pytest.mark.parametrize("damage_list", ["removed", "emptied", "without tables"])
@pytest.mark.parametrize("next_step", ["list", "add", "keep a price table"])
def test_a_lost_list_is_built_again_from_the_files_and_said(workspace, damage_list, next_step):
    digests = {workspace.add_run(small(name, [name])).digest for name in ("one", "two")}
    truth = workspace.add_truth(truth_of({"q": ["d"]}))
    assert workspace.rebuilt() is None
    path = workspace.folder / catalogue.FILE
    for tail in ("", "-wal", "-shm"):
        path.with_name(path.name + tail).unlink(missing_ok=True)
    if damage_list == "emptied":
        path.write_bytes(b"")
    if damage_list == "without tables":
        with closing(sqlite3.connect(path)) as db:
            db.execute("pragma journal_mode = wal")
            db.execute("vacuum")
    served = Workspace(workspace.folder)
    if next_step == "add":
        digests.add(served.add_run(small("three", ["three"])).digest)
    if next_step == "keep a price table":
        served.keep_prices("")
    assert {run.digest for run in served.runs()} == digests
    assert [entry.facts for entry in served.truths()] == [truth.facts]
    problem = served.rebuilt()
    assert problem.kind == "rebuilt-workspace-list" and problem.severity == "warning" and problem.facts["count"] == 3
    served.dismiss_rebuilt()
    assert Workspace(workspace.folder).rebuilt() is None


def test_a_read_only_workspace_with_a_lost_list_is_not_shown_as_empty(workspace):
    workspace.add_run(small())
    (workspace.folder / catalogue.FILE).write_bytes(b"")
    with pytest.raises(InputError) as error:
        Workspace(workspace.folder, read_only=True).runs()
    assert kind_of(error) == "lost-workspace-list"


def test_scores_and_labels_of_a_file_are_kept_with_their_run(workspace, tmp_path):
    scores = FileScores.build(
        [
            ("q1", "run", "mrr", 0.5),
            ("q2", "run", "mrr", None),
            ("q1", "run", "verdict", "Correct"),
            ("q2", "run", "judge", True),
        ]
    )
    run = small().with_file_scores(scores)
    entry = workspace.add_run(run)
    again = Workspace(workspace.folder).load_run(entry.digest)
    assert again.digest == run.digest != small().digest
    assert again.file_scores.by_query() == scores.by_query()
    assert again.file_scores.label_names == ("verdict",) and small().file_scores is None
    assert workspace.load_run(workspace.add_run(small()).digest).file_scores is None


def test_a_run_whose_file_may_not_be_read_is_not_taken_for_broken(workspace, monkeypatch):
    digest = workspace.add_run(Run.build("bm25", ["q"], ["d"])).digest

    def refuse(folder):
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(atomic_folders, "fetch", refuse)
        with pytest.raises(InputError) as raised:
            workspace.load_run(digest)
    assert raised.value.problems[0].message == "unusable-workspace/read-only"
    assert not workspace.find(digest).broken and workspace.load_run(digest).digest == digest


@pytest.mark.parametrize("digest", ["", ".", "..", "nope", "/", "../beside"])
def test_only_what_is_kept_can_be_deleted(digest, tmp_path):
    home = Workspace(tmp_path / "home")
    digests = [home.add_run(Run.from_dict({"q": [name]}, name)).digest for name in "ab"]
    (tmp_path / "beside").mkdir()
    for wrong in (digest, str(tmp_path / "beside")):
        with pytest.raises(InputError) as raised:
            home.delete(wrong)
        assert raised.value.problems[0].message == "not-kept"
    assert [home.load_run(one).digest for one in digests] == digests and (tmp_path / "beside").is_dir()


def test_tags_of_a_run_that_is_deleted_at_that_moment_change_nothing(tmp_path):
    catalogue = Workspace(tmp_path).catalogue
    catalogue.change("0" * 32, "run", tags=lambda stored: stored)
    assert Workspace(tmp_path).runs(None) == ()
