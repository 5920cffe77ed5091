"""A workspace is copied from a folder into a database and back, whole, and again after an interruption."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.core.storage.shared import shared_log
from ragdash.experiments.testset import Draft, DraftSet, Sets
from ragdash.experiments.testset.store import Decision, DraftDecisionStore
from ragdash.matching.evidence.decision_store import DecisionStore, decision_file
from ragdash.models.judge import Judge, Question, Reply, VerdictStore
from ragdash.models.judge.tasks.examples import examples_json
from ragdash.models.judge.tasks.kept_files import EXAMPLES, POLICY, RUBRICS, folder_files, kept_files, read_all
from ragdash.models.judge.tasks.policy import Policy, current_policy, policy_toml
from ragdash.models.judge.tasks.rubrics import Rubric, rubric_toml, stored_rubrics
from ragdash.workspace import TruthVersion, Workspace, open_workspace
from ragdash.workspace.reviews import Event, ReviewStore
from ragdash.workspace.saved_views import SavedView, SavedViews
from ragdash.workspace.store import Workspace as Store


@pytest.fixture(autouse=True)
def local_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "local"))


POLITE = Rubric("polite", "Is it polite?", "labels", ("rude", "plain", "polite"))
STRICT = Policy("wrong", "wrong", "wrong", "wrong")


def drafts(corpus: str, *questions: str) -> DraftSet:
    return DraftSet(corpus, "docs", "toy", 0, {"single": 1},
                    tuple(Draft(question, "single", question) for question in questions))


def filled(folder) -> Workspace:
    """A workspace with something of everything, and a run whose files are broken."""
    home = Workspace(folder)
    runs = [Run.build(f"run {number}", ["q", "q"], [f"d{number}", "e"], [2.0, 1.0]) for number in range(4)]
    truth = Truth.build("gold", ["q"], ["d1"], [1], details=pa.table({"query_id": ["q"], "query": ["why?"]}))
    for run in runs:
        home.add_record(run, added="2020-02-29")
    home.add_truth(truth)
    home.rename(runs[0].digest, "other \x00 name")
    home.describe(runs[1].digest, "described \\ so")
    home.tag(runs[1].digest, ["nightly", "日本"])
    home.archive(runs[2].digest)
    home.order([runs[1].digest, runs[0].digest])
    home.keep_settings(runs[0].digest, {"k": "5"})
    home.keep_prices("[models]\n")
    home.keep_mapping(["a", "b"], "export", {"query": "a"})
    home.keep_version(TruthVersion.of(truth, truth, {"moved": 1}))
    (home.folder / "runs" / runs[3].digest / "rows.parquet").write_bytes(b"broken")
    reviews = ReviewStore(folder)
    note = reviews.add(truth.judged_digest, [Event("note", "q", "hm", when="2026"), Event("verdict", "q", "fine")])[0]
    reviews.undo(truth.judged_digest, note.id)
    DraftDecisionStore(folder).say("docs", "draft", Decision("accepted"))
    Sets(folder).keep(drafts("older"))
    Sets(folder).keep(drafts("newer"))
    views = SavedViews(folder)
    views.delete(views.save(SavedView("Gone", "compare", {})).slug)
    views.save(SavedView("Kept", "compare", {"k": ["5"]}))
    DecisionStore(folder / "evidence-decisions-1.sqlite").keep({("q", "c", "s"): True, ("q", "c", "t"): False})
    question = Question("T", "1", "s", "u", {"type": "object"}, ("a",), 10)
    VerdictStore(folder / "judge.sqlite").save(Judge("host", "m"), [(question, Reply({"score": 1}, attempts=1))])
    files = {RUBRICS: ("polite", rubric_toml(POLITE)), POLICY: (POLICY, policy_toml(STRICT)),
             EXAMPLES: (EXAMPLES, examples_json({}))}
    for kind, (name, text) in files.items():
        folder_files(home.folder, kind).put(name, text)
    folder_files(home.folder, POLICY).put("prices", b"[models]")  # another file of the folder
    return home


def content(home: Workspace) -> dict:
    """What people see of a workspace, without its files."""
    entries = [(entry.digest, entry.kind, entry.name, entry.description, entry.tags, entry.archived,
                entry.facts["added"], entry.facts["parts"]) for entry in (*home.runs(None), *home.truths(None))]
    return {"entries": entries, "settings": home.settings(), "prices": home.prices(), "versions": home.versions(),
            "mappings": home.catalogue.all_mappings()}


def logs(folder) -> list:
    return [[(row.key, row.id, row.values) for row in log.rows()] for log in (
        *(ReviewStore(folder, f"{name}.sqlite")._events for name in ("reviews", "testsets")),
        SavedViews(folder)._log, decision_file(folder / "evidence-decisions-1.sqlite"))]


def test_a_folder_becomes_a_database_and_a_folder_again(postgres, s3, project, tmp_path, capsys, monkeypatch):
    source, url = filled(tmp_path / "kept"), postgres.url_of(project)
    s3.create_bucket(Bucket=project)
    blobs = f"s3://{project}/files"
    broken = [entry.digest for entry in source.runs() if entry.name == "run 3"]
    expected = content(source)
    expected["entries"] = [entry for entry in expected["entries"] if entry[0] not in broken]
    calls = []
    real = Store.tag

    def interrupt(self, *given):
        calls.append(given)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return real(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "tag", interrupt)
        assert main(["workspace", "copy", str(tmp_path / "kept"), url, "--blobs", blobs]) == 130  # Ctrl+C
    for _ in range(2):
        assert main(["workspace", "copy", str(tmp_path / "kept"), url, "--blobs", blobs]) == 2  # without the broken run
        text = capsys.readouterr().err
        assert "runs 3" in text and "reviews 3" in text and "verdicts 1" in text and "run 3" in text, text
    assert content(open_workspace(url, blobs)) == expected
    assert [entry.name for entry in source.runs() if entry.broken] == [], "the source is only read"
    monkeypatch.setenv("RAGDASH_WORKSPACE", url)
    views = SavedViews(tmp_path / "none", log=shared_log("views"))
    assert list(ReviewStore().truths().values()) == [3] and [view.name for view in views.list()] == ["Kept"]
    assert DraftDecisionStore().read("docs") == {"draft": Decision("accepted")}
    assert [name[:5] for name in Sets().names()] == ["newer", "older"]
    assert stored_rubrics() == [POLITE] and current_policy() == STRICT and list(read_all(EXAMPLES)) == [EXAMPLES]
    assert list(kept_files(POLICY).names()) == [POLICY], "no other file of the folder"
    kept = Sets().keep(drafts("older", "one more?"))  # a set that is newer in the target stays
    assert main(["workspace", "copy", str(tmp_path / "kept"), url, "--blobs", blobs]) == 2  # without the broken run
    assert [draft.id for draft in Sets().read(kept).drafts] == ["one more?"]
    assert main(["workspace", "copy", url, str(tmp_path / "back"), "--blobs", blobs]) == 0
    back = Workspace(tmp_path / "back")
    for kind, name in ((RUBRICS, "polite"), (POLICY, POLICY), (EXAMPLES, EXAMPLES)):
        assert folder_files(back.folder, kind).get(name) == folder_files(source.folder, kind).get(name)
    assert Sets(tmp_path / "back").read(kept).drafts == Sets().read(kept).drafts
    assert len(Sets(tmp_path / "back").names()) == 2
    assert content(back) == expected and logs(tmp_path / "back") == logs(tmp_path / "kept")
    assert all(back.load_run(entry.digest).digest == entry.digest for entry in back.runs(None))
    assert VerdictStore(tmp_path / "back" / "judge.sqlite").all_verdicts() == VerdictStore(
        tmp_path / "kept" / "judge.sqlite").all_verdicts()


def test_a_copy_without_a_broken_run_is_no_success(tmp_path, capsys):
    """A script that copies and then deletes must not delete what was left out."""
    source, target = tmp_path / "kept", tmp_path / "copy"
    filled(source)
    assert main(["workspace", "copy", str(source), str(target)]) == 2
    text = capsys.readouterr().err
    assert "run 3" in text and "set aside" not in text  # the source is only read
    assert sorted(entry.name for entry in Workspace(target).runs(None)) == ["other \x00 name", "run 1", "run 2"]
    assert main(["workspace", "copy", str(target), str(tmp_path / "again")]) == 0


def test_a_target_with_other_events_is_left_as_it_is(postgres, project, tmp_path, capsys):
    filled(tmp_path / "kept")
    url = postgres.url_of(project)
    from ragdash.core.storage.addresses import database_address
    from ragdash.core.storage.shared import open_log

    ReviewStore(log=open_log(database_address(url), "reviews")).add("t", [Event("note", "q", "another")])
    assert main(["workspace", "copy", str(tmp_path / "kept"), url]) == 2
    assert '"reviews"' in capsys.readouterr().err and open_workspace(url).runs() == ()
    with pytest.raises(InputError):
        open_workspace(tmp_path / "kept", "s3://bucket/x")
    assert main(["workspace", "copy", str(tmp_path / "gone"), url]) == 2
