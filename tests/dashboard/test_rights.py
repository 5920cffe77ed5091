"""Who may do what: every action with every role, and that every write of a page asks for its right."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import source_trees
from page_cases import opened
from test_access import AUTH, OPEN, as_user, samples, say, words
from test_pages import upload
from test_workspace_page import with_change_open

from ragdash.core.errors import InputError
from ragdash.dashboard.auth import rights, roles
from ragdash.dashboard.auth.actions import ACTIONS
from ragdash.dashboard.session.data_store import workspace
from ragdash.matching.evidence import kept_decisions
from ragdash.workspace.people.audit import audit_log
from ragdash.workspace.reviews import ReviewStore

ROOT = Path(__file__).resolve().parents[2]
LISTS = {"admins": ["kim@example.org"], "editors": ["ada@example.org"], "viewers": ["bob@example.org"]}
PEOPLE = {"admin": "kim@example.org", "editor": "ada@example.org", "viewer": "bob@example.org", "": "eve@example.org"}
SECRETS = {"auth": AUTH, "access": LISTS}
EVERYBODY, CHANGERS, ADMINS = ("viewer", "editor", "admin"), ("editor", "admin"), ("admin",)
MATRIX = {  # action: the roles that may do it
    "upload": CHANGERS, "save-mapping": CHANGERS, "change-stored": CHANGERS, "delete-stored": ADMINS,
    "read-audit": ADMINS, "describe-run": CHANGERS, "decide-evidence": CHANGERS, "use-relinked": CHANGERS,
    "add-mix": CHANGERS, "save-prices": CHANGERS, "review": CHANGERS, "label": CHANGERS, "save-policy": CHANGERS,
    "save-examples": CHANGERS,
    "save-rubric": CHANGERS, "plan-judge": CHANGERS, "ask-judge": CHANGERS, "stop-judge": CHANGERS,
    "import-verdicts": CHANGERS,
    "compute-scores": EVERYBODY, "compute-map": EVERYBODY, "plan-drafts": CHANGERS, "write-drafts": CHANGERS,
    "save-drafts": CHANGERS, "decide-draft": CHANGERS, "relabel": CHANGERS, "save-view": CHANGERS,
}
WRITES = {  # what a page may call to change something outside its own session
    "ReviewStore().add", "ReviewStore().undo", "ReviewStore().take_in", "LabelStore().add", "RelabelStore().add",
    "DraftDecisionStore().say", "Sets().keep", "kept_decisions().keep", "store().save", "store().delete",
    "store().restore", "save_policy",
    "save_examples", "save_rubric", "remember_endpoint", "keep_rankings", "read_replies",
    "import_verdicts", "scoring.start", "mapping.start", "mapping.stop", "judging.start", "judging.plan",
    "judging.stop", "judging.drop", "drafting.start", "drafting.plan", "drafting.stop", "scoring.stop",
    "_mappings.move_to_end"}
WORKSPACE_WRITES = ("add_run", "add_truth", "add_record", "rename", "describe", "tag", "order", "archive", "delete",
                    "keep_mapping", "keep_prices", "keep_settings", "keep_version", "dismiss_rebuilt")
TAILS = {name.rpartition(".")[2] for name in (*WRITES, *WORKSPACE_WRITES)}
HELPERS = {  # called within a change alone: the test of them is below
    "_imported_verdicts", "_delete_entry", "_home_of", "_change_places", "_rename_entry", "_describe_entry",
    "_tag_entry"}
GIVEN_ON = ("_try_change",)  # functions of the list of the workspace that make a change of what they are given


class Secrets(dict):
    """Streamlit's secrets, as a file with these settings gives them."""

    def load_if_toml_exists(self) -> bool:
        return bool(self)


@pytest.fixture
def visitor(monkeypatch):
    """Make somebody the visitor of a server with these lists."""
    monkeypatch.setattr(roles.st, "secrets", Secrets(SECRETS))

    def become(email: str) -> None:
        monkeypatch.setattr(roles, "user", lambda: as_user(email) if email else {})

    return become


def test_the_matrix_names_every_action():
    assert MATRIX.keys() == ACTIONS.keys()


def test_every_action_with_every_role_is_allowed_or_refused_on_the_server(visitor, monkeypatch):
    for read_only in (False, True):
        if read_only:
            monkeypatch.setenv(rights.READ_ONLY, "1")
        for role, email in {**PEOPLE, "nobody": ""}.items():
            visitor(email)
            for action, allowed in MATRIX.items():
                expected = role in allowed and (not read_only or allowed == EVERYBODY or action == "read-audit")
                case = f"{action} as {role or 'somebody not listed'}{' read-only' * read_only}"
                assert rights.may(action) == expected, case
                done = []
                try:
                    with rights.change(action, "q1"):
                        done.append(action)
                except InputError as error:
                    assert error.problems[0].message == ("read-only-workspace" if read_only else "not-allowed"), case
                assert bool(done) == expected, case
                if email:
                    entry = audit_log().entries()[-1]
                    assert (entry.action, entry.who, entry.object) == (action, email, "q1"), case
                    assert entry.outcome == ("started" if expected else "refused"), case


def test_without_a_login_everything_is_allowed_and_nobody_is_noted(monkeypatch):
    for action in ACTIONS:
        with rights.change(action):
            pass
    assert audit_log().entries() == [] and not audit_log().path.exists()
    monkeypatch.setenv(rights.READ_ONLY, "1")
    assert [action for action in ACTIONS if rights.may(action)] == ["read-audit", "compute-scores", "compute-map"]


def test_a_change_that_fails_is_noted_and_one_that_cannot_be_noted_is_not_made(visitor, monkeypatch):
    visitor(PEOPLE["editor"])
    with pytest.raises(ZeroDivisionError), rights.change("review", "how do I return a lamp?"):
        raise ZeroDivisionError
    first, second = audit_log().entries()
    assert (first.outcome, second.outcome, second.role) == ("started", "failed", "editor")
    assert first.object == "#9130ed54b727", "an id may be the text of a question"
    audit_log().path.write_bytes(b"no database" * 100)
    made = []
    with pytest.raises(InputError), rights.change("review", "q1"):
        made.append(1)
    assert not made


def test_the_table_of_the_documentation_is_the_table_of_the_server():
    page = (ROOT / "docs" / "reference" / "deploy.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| (viewer|editor|admin) \|$", page, re.MULTILINE)
    assert rows == [(action.page, action.words, action.role) for action in ACTIONS.values()]


@cache
def sources() -> list[tuple[Path, ast.Module]]:
    paths = sorted((ROOT / "ragdash" / "dashboard").rglob("*.py"))
    return [(path, source_trees.tree(path)) for path in paths]


def asked_for(node: ast.AST) -> str | None:
    """The action of `rights.change("...")`, None for anything else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "change" \
            and ast.unparse(node.func) == "rights.change":
        return node.args[0].value if isinstance(node.args[0], ast.Constant) else "any"
    return None


def is_write(node: ast.AST) -> bool:
    """Whether it is something that writes, called or passed on."""
    if not isinstance(node, ast.Attribute | ast.Name) or not isinstance(node.ctx, ast.Load):
        return False
    if (node.attr if isinstance(node, ast.Attribute) else node.id) not in TAILS:
        return False
    name = ast.unparse(node)
    return name in WRITES or (name.rpartition(".")[2] in WORKSPACE_WRITES
                              and name.startswith(("workspace().", "home.")))


def is_guard(node: ast.AST) -> bool:
    """Whether what is in it is done within a change."""
    if isinstance(node, ast.With):
        return any(asked_for(item.context_expr) for item in node.items)
    if isinstance(node, ast.Call):
        clicked = [keyword.value.id for keyword in node.keywords if isinstance(keyword.value, ast.Name)]
        return (isinstance(node.func, ast.Name) and node.func.id in GIVEN_ON) or "_try_change" in clicked
    return isinstance(node, ast.FunctionDef) and node.name in HELPERS


def unguarded(node: ast.AST) -> list[ast.expr]:
    """What writes outside of a change."""
    if is_guard(node):
        return []
    found = [node] if is_write(node) else []
    return [*found, *(write for child in ast.iter_child_nodes(node) for write in unguarded(child))]


def test_every_write_of_a_page_is_within_a_change():
    faults = [f"{path.relative_to(ROOT)}:{write.lineno}: {ast.unparse(write)}" for path, tree in sources()
              if path.parent.name not in ("jobs", "auth") for write in unguarded(tree)]
    assert not faults, faults
    code = ("def f():\n    ReviewStore().add(1)\n    with rights.change('review'):\n        save_policy(1)\n"
            "    workspace().delete(2)\n    st.button('x', on_click=mapping.stop)\n")
    assert [write.lineno for write in unguarded(ast.parse(code))] == [2, 5, 6]


def test_what_is_given_on_is_done_by_functions_that_ask():
    trees = {path.stem: tree for path, tree in sources()}
    functions = {node.name: node for node in ast.walk(trees["workspace_list"]) if isinstance(node, ast.FunctionDef)}
    assert [node.func.id for node in ast.walk(functions["_try_change"]) if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)] == ["make"]
    (guard,) = [node for node in ast.walk(functions["_try_change"]) if isinstance(node, ast.With)]
    assert asked_for(guard.items[0].context_expr) == "any" and "make(*text)" in ast.unparse(guard)
    given = "_try_change, 'change-stored', entry.digest, partial("
    assert ast.unparse(functions["_render_editor"]).count(given) == 3, "a name, a description and tags"
    for name in HELPERS:
        for path, tree in sources():
            assert name not in [node.func.id for node in unguarded_calls(tree) if isinstance(node.func, ast.Name)], path


def unguarded_calls(node: ast.AST) -> list[ast.Call]:
    """Every call outside of a change."""
    if is_guard(node):
        return []
    found = [node] if isinstance(node, ast.Call) else []
    return [*found, *(call for child in ast.iter_child_nodes(node) for call in unguarded_calls(child))]


def test_every_action_is_asked_for_somewhere_and_no_other():
    asked = {action for _, tree in sources() for node in ast.walk(tree) if (action := asked_for(node))} - {"any"}
    text = "\n".join(path.read_text(encoding="utf-8") for path, _ in sources())
    asked |= {action for action in ACTIONS if f'"{action}", entry.digest' in text}  # given to _try_change
    assert asked == ACTIONS.keys() - {"read-audit"} and "rights.may(READ_AUDIT)" in text


@pytest.mark.parametrize("page", ["queries", "data/evidence"])
@pytest.mark.parametrize("role", PEOPLE)
def test_a_click_of_somebody_whose_role_was_taken_away_changes_nothing(page, role):
    """The page was drawn for an editor, as one that was tampered with is; its text is not in the log."""
    at = opened(page, state=OPEN[page], secrets=SECRETS, user=as_user(PEOPLE["editor"]), **samples())
    at.user = as_user(PEOPLE[role])
    say(at, page)
    assert not at.exception
    kept = bool(ReviewStore().truths() or kept_decisions().read())
    assert kept == (role in CHANGERS)
    log = [(entry.who, entry.role, entry.outcome) for entry in audit_log().entries()
           if entry.action in ("review", "decide-evidence")]
    assert log == {"": []}.get(role, [(PEOPLE[role], role, "started" if kept else "refused")]) or role == ""
    assert "strange" not in repr(audit_log().entries())
    if role in CHANGERS and page == "queries":
        (truth,) = ReviewStore().truths()
        assert ReviewStore().history(truth)[0].by == PEOPLE[role]


RUN = b"q1 Q0 d1 1 2.0 bm25\nq1 Q0 d2 2 1.0 bm25\nq2 Q0 d1 1 1.0 bm25\n"


@pytest.mark.parametrize("role", CHANGERS)
def test_an_editor_archives_and_only_an_admin_deletes_for_good(role, monkeypatch):
    upload(opened(secrets=SECRETS, user=as_user(PEOPLE[role])), ("one.txt", RUN))
    (run,) = workspace().runs()
    key = f"run_{run.digest[:8]}"
    at = with_change_open(run, monkeypatch, secrets=SECRETS, user=as_user(PEOPLE[role]))
    sure = [box for box in at.checkbox if box.key == f"sure_{key}"]
    assert bool(sure) == (role == "admin")
    if sure:
        sure[0].check().run()
        at.user = as_user(PEOPLE["editor"])
        at.button(key=f"delete_{key}").click().run()
        assert "an admin of this server" in words(at) and len(workspace().runs(None)) == 1
    assert audit_log().entries()[0].action == "upload"


def test_only_an_admin_is_offered_the_audit_log():
    for role in ("", *EVERYBODY):
        at = opened(secrets=SECRETS, user=as_user(PEOPLE[role]))
        assert ("Audit log" in [box.label for box in at.expander]) == (role == "admin"), role
    assert "Audit log" not in [box.label for box in opened().expander], "nobody is known without a login"
