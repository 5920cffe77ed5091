"""A server that asks for a login: who comes in, who may change things, and that what is unclear lets nobody in."""

from __future__ import annotations

import pytest
import streamlit as st
from page_cases import leaderboard, opened, widget
from streamlit import config as st_config
from streamlit.runtime import secrets as st_secrets
from streamlit.testing.v1 import AppTest
from test_pages import upload

from ragdash.core.errors import InputError
from ragdash.dashboard.auth import login, rights, roles
from ragdash.dashboard.session.data_store import LOADED, workspace
from ragdash.matching.evidence import kept_decisions
from ragdash.workspace.reviews import ReviewStore

AUTH = {"redirect_uri": "https://rag.example.org/oauth2callback", "cookie_secret": "x" * 40, "client_id": "a",
        "client_secret": "b", "server_metadata_url": "https://login.example.org/.well-known/openid-configuration"}
LISTS = {"editors": ["Ada@Example.org"], "viewers": ["bob@example.org"]}
RUN = b"q1 Q0 d1 1 2.0 bm25\nq1 Q0 d2 2 1.0 bm25\nq2 Q0 d1 1 1.0 bm25\n"
QRELS = b"q1 0 d1 1\nq2 0 d9 2\n"
ROOT = __file__.rpartition("/tests/")[0]


def visited(secrets: dict | None, user: dict | None = None, page: str = "", **address) -> AppTest:
    at = AppTest.from_file(f"{ROOT}/app.py", default_timeout=180)
    at.secrets = secrets or {}
    at.user = user or {}
    if page:
        at.switch_page(f"pages/{page}.py")
    for name, value in address.items():
        at.query_params[name] = value
    return at.run()


def as_user(email: str, **more) -> dict:
    return {"is_logged_in": True, "email": email, **more}


def words(at: AppTest) -> str:
    return " ".join(str(one.value) for kind in (at.title, at.header, at.markdown, at.caption, at.error, at.warning)
                    for one in kind)


def inside(at: AppTest) -> bool:
    return [one.value for one in at.title] == ["Overview"]


def test_without_a_login_nothing_changes():
    at = visited(None)
    assert not at.exception and inside(at) and len(at.get("file_uploader")) == 1
    assert not [one for one in at.button if one.key == "log_out"]


def test_a_visitor_who_is_not_logged_in_sees_the_way_in_and_nothing_else():
    at = visited({"auth": AUTH, "access": LISTS}, run="abc", k="5")
    assert not at.exception and [one.value for one in at.title] == ["ragdash"]
    assert [one.label for one in at.button] == ["Log in"]
    assert not at.get("file_uploader") and not at.sidebar.selectbox and "_runs" not in at.session_state
    assert at.query_params["k"] == "5", "the link stays in the address"


@pytest.mark.parametrize("page", ["compare", "share", "queries"])
def test_no_page_is_reached_by_its_address(page):
    at = visited({"auth": AUTH, "access": LISTS}, page=page)
    assert not at.exception and [one.value for one in at.title] == ["ragdash"] and not at.table


@pytest.mark.parametrize("email", ["ada@example.org", " ADA@example.org"])
def test_an_editor_may_do_everything(email):
    at = visited({"auth": AUTH, "access": LISTS}, as_user(email))
    assert not at.exception and inside(at) and len(at.get("file_uploader")) == 1
    assert "may change" in words(at) and at.button(key="log_out")
    at = upload(at, ("one.txt", RUN), ("judged.txt", QRELS))
    assert not at.exception and len(workspace().runs()) == 1


@pytest.mark.parametrize("claim", ["email", "name"])
def test_half_a_character_in_a_claim_is_replaced_and_lets_nobody_in(claim):
    at = visited({"auth": AUTH, "access": LISTS}, {"is_logged_in": True, claim: "\ud800ada@example.org"})
    assert not at.exception and not inside(at) and "ada@example.org** is logged in" in words(at)


def test_a_viewer_sees_what_is_kept_and_changes_nothing():
    upload(opened(), ("one.txt", RUN), ("judged.txt", QRELS))
    LOADED.clear()
    (run,) = workspace().runs()
    at = visited({"auth": AUTH, "access": LISTS}, as_user("bob@example.org"))
    assert not at.exception and inside(at) and not at.get("file_uploader")
    assert "may look" in words(at)
    at.button(key=f"show_run_{run.digest[:8]}").click().run()
    at.switch_page("pages/compare.py").run()
    assert not at.exception and len(leaderboard(at)) == 1


@pytest.mark.parametrize(("user", "said"), [
    (as_user("eve@example.org"), "not on the list"),
    (as_user("ada@example.org.evil.com"), "not on the list"),
    (as_user(""), "not on the list"),
    ({"is_logged_in": True, "name": "ada@example.org"}, "not on the list"),
    (as_user("ada@example.org", email_verified=False), "not verified"),
    (as_user("ada@example.org", email_verified="false"), "not verified"),
    (as_user("ada@example.org", email_verified=0), "not verified"),
    (as_user("ada@example.org", email_verified="no"), "not verified"),
])
def test_who_is_not_listed_or_not_verified_stays_outside(user, said):
    at = visited({"auth": AUTH, "access": LISTS}, user)
    assert not at.exception and said in words(at) and [one.key for one in at.button] == ["log_out"]
    assert not at.get("file_uploader")


@pytest.mark.parametrize("user", [{"email": "ada@example.org"}, {"email": "ada@example.org", "is_logged_in": False},
                                  {"email": "ada@example.org", "is_logged_in": "yes"}])
def test_an_address_without_a_login_is_nobody(user):
    assert roles.Access(frozenset(["ada@example.org"]), frozenset(), (None,)).role(user) == ""


@pytest.mark.parametrize("email", ["\u212aim@example.org", "kim@example.org\u00a0", "kim@e\u017fample.org"])
def test_an_address_with_letters_that_only_look_the_same_in_small_is_another(email):
    access = roles.Access(frozenset(["kim@example.org", "kim@esample.org"]), frozenset(), (None,))
    assert access.role(as_user(email)) == "" and access.role(as_user("KIM@example.org")) == "editor"


ROLES = [  # address, what its login says of groups, role by the lists below
    ("ada@example.org", {}, "editor"), ("bob@example.org", {}, "viewer"), ("eve@example.org", {}, ""),
    ("eve@example.org", {"groups": ["search", "x"]}, "editor"), ("eve@example.org", {"groups": "search"}, "editor"),
    ("eve@example.org", {"groups": ["readers"]}, "viewer"), ("bob@example.org", {"groups": ["search"]}, "editor"),
    ("ada@example.org", {"groups": ["readers"]}, "editor"), ("eve@example.org", {"groups": ["Search"]}, ""),
    ("eve@example.org", {"groups": [1, None, {"search": 1}, ["search"]]}, ""), ("eve@example.org", {"groups": 7}, ""),
    ("eve@example.org", {"groups": {"search": True}}, ""), ("eve@example.org", {"roles": ["search"]}, ""),
    ("", {"groups": ["search"]}, ""), ("eve@example.org", {"groups": ["search"], "email_verified": False}, ""),
    ("eve@example.org", {"groups": ["search"], "is_logged_in": False}, ""),
]


@pytest.mark.parametrize(("email", "claims", "role"), ROLES)
def test_the_role_is_the_higher_one_of_address_and_groups(email, claims, role):
    lists = roles.Access(frozenset(["ada@example.org"]), frozenset(["bob@example.org"]), (None,), None,
                         frozenset(["search"]), frozenset(["readers"]))
    assert lists.role({**as_user(email), **claims}) == role
    nested = roles.Access(frozenset(), frozenset(), (None,), None, frozenset(["search"]), groups_claim="realm.roles")
    assert nested.role({**as_user("eve@example.org"), "realm": {"roles": ["search"]}}) == "editor"
    assert nested.role({**as_user("eve@example.org"), "realm.roles": ["search"]}) == "editor"
    assert nested.role({**as_user("eve@example.org"), "realm": ["search"], "groups": ["search"]}) == ""


def test_a_project_has_lists_of_its_own_and_a_group_sees_the_pages(monkeypatch):
    given = {**LISTS, "viewer_groups": ["readers"],
             "projects": {"search": {"editors": ["eve@example.org"]}, "closed": {}}}
    monkeypatch.setattr(roles.st, "secrets", type("Secrets", (dict,), {"load_if_toml_exists": lambda self: True})(
        auth=AUTH, access=given))
    seen = {}
    for project in ("", "search", "closed", "other"):
        monkeypatch.setenv("RAGDASH_WORKSPACE", f"postgresql://db/x?project={project}" if project else "kept")
        seen[project] = [roles.access().role(as_user(f"{name}@example.org")) for name in ("ada", "bob", "eve")]
    assert seen == {"": ["editor", "viewer", ""], "search": ["", "", "editor"], "closed": ["", "", ""],
                    "other": ["editor", "viewer", ""]}
    monkeypatch.undo()
    at = visited({"auth": AUTH, "access": given}, as_user("eve@example.org", groups=["readers"]))
    assert not at.exception and inside(at) and not at.get("file_uploader") and "may look" in words(at)


@pytest.mark.parametrize(("secrets", "found"), [
    ({"auth": AUTH, "access": {**LISTS, "editor_groups": "search"}}, "'search'"),
    ({"auth": AUTH, "access": {**LISTS, "viewer_groups": [""]}}, "['']"),
    ({"auth": AUTH, "access": {**LISTS, "groups_claim": 7}}, "groups_claim = 7"),
    ({"auth": AUTH, "access": {**LISTS, "projects": {"search": ["ada@example.org"]}}}, "projects ="),
    ({"auth": AUTH, "access": {**LISTS, "projects": {"search": {"judge_hosts": []}}}}, "projects ="),
    ({"auth": AUTH, "access": {**LISTS, "projects": {"search": {"editors": ["ada"]}}}}, "['ada']"),
    ({"access": LISTS}, "without [auth]"),
    ({"auth": AUTH}, "no [access]"),
    ({"auth": AUTH, "access": {"editor": ["ada@example.org"]}}, "editor"),
    ({"auth": AUTH, "access": {"editors": "ada@example.org"}}, "'ada@example.org'"),
    ({"auth": AUTH, "access": {"viewers": ["ada"]}}, "['ada']"),
    ({"auth": AUTH, "access": ["ada@example.org"]}, "access ="),
    ({"auth": True, "access": LISTS}, "without [auth]"),
])
def test_what_is_unclear_lets_nobody_in_and_says_how_to_fix_it(secrets, found):
    at = visited(secrets, as_user("ada@example.org"))
    assert not at.exception and found in at.error[0].value.replace("\\", "") and not at.get("file_uploader")
    assert [one.value for one in at.title] == ["ragdash"]


def test_a_file_that_cannot_be_read_lets_nobody_in(tmp_path, monkeypatch):
    """Streamlit takes such a file for none, and the login with it."""
    broken = tmp_path / "secrets.toml"
    broken.write_text("[auth\n")
    real = st.get_option
    monkeypatch.setattr(roles.st, "get_option", lambda name: [str(broken)] if name == "secrets.files" else real(name))
    monkeypatch.setattr(roles.st.secrets, "load_if_toml_exists", lambda: False)
    with pytest.raises(InputError, match=r"secrets\.toml"):
        roles.access()
    assert rights.role() == "" and not rights.may("compute-map")
    at = visited(None)
    assert not at.exception and "secrets.toml" in at.error[0].value and not at.get("file_uploader")


def test_outside_a_session_nothing_is_changed_where_there_is_a_login(monkeypatch):
    assert rights.may("delete-stored")
    monkeypatch.setattr(roles, "access", lambda: roles.Access(frozenset(["ada@example.org"]), frozenset(), (None,)))
    assert not rights.may("compute-map")


def test_each_provider_has_its_button(monkeypatch):
    shared = {name: AUTH[name] for name in ("redirect_uri", "cookie_secret")}
    providers = {"google": {"client_id": "a"}, "microsoft": {"client_id": "b"}}
    asked = []
    monkeypatch.setattr(login.st, "login", asked.append)
    at = visited({"auth": {**shared, **providers, "client_kwargs": {"prompt": "login"}}, "access": LISTS})
    assert [one.label for one in at.button] == ["Log in with google", "Log in with microsoft"]
    at.button(key="login_microsoft").click().run()
    assert asked == ["microsoft"] and not at.exception


def test_a_login_that_is_not_set_up_says_so():
    at = visited({"auth": AUTH, "access": LISTS})
    at.button(key="login_default").click().run()
    assert not at.exception and "docs/reference/deploy.md" in at.error[0].value


def samples() -> dict:
    at = opened()
    at.button(key="samples").click().run()
    return dict(at.query_params)


def say(at: AppTest, page: str) -> AppTest:
    """What the page offers to be kept: a note on a query, a decision on a pair."""
    if page == "queries":
        return widget(at, "text_area", "review_note").set_value("strange").run()
    return widget(at, "button", "pair_accept").click().run()


OPEN = {"queries": {"tab": "Read, judge and note"}, "data/evidence": {}}  # the tab of the query


@pytest.mark.parametrize("page", ["queries", "data/evidence"])
def test_what_a_page_says_all_the_same_is_not_kept_on_a_read_only_server(page, monkeypatch):
    """The page was drawn for somebody who may change things, as one that was tampered with is."""
    link = samples()
    at = opened(page, state=OPEN[page], **link)
    monkeypatch.setenv(rights.READ_ONLY, "1")
    say(at, page)
    assert not at.exception and "served read-only" in words(at).replace("\\", "")
    assert not ReviewStore().truths() and not kept_decisions().read()
    again = opened(page, state=OPEN[page], **link)
    kind, key = ("text_area", "review_note") if page == "queries" else ("button", "pair_accept")
    assert widget(again, kind, key).disabled


@pytest.mark.parametrize("page", ["queries", "data/evidence"])
def test_where_changes_are_allowed_the_same_is_kept(page):
    at = say(opened(page, state=OPEN[page], **samples()), page)
    assert not at.exception and (ReviewStore().truths() or kept_decisions().read())


class Secrets(dict):
    """Streamlit's secrets, as a file with these settings gives them."""

    def load_if_toml_exists(self) -> bool:
        return bool(self)


@pytest.mark.parametrize(("settings", "variable", "hosts"), [
    ({}, None, None), ({}, "llm.internal", "llm.internal"), ({"auth": AUTH, "access": LISTS}, None, "public"),
    ({"auth": AUTH, "access": {**LISTS, "judge_hosts": ["public", "llm.internal:80"]}}, None, "public,llm.internal:80"),
    ({"auth": AUTH, "access": {**LISTS, "judge_hosts": []}}, None, ""),
    ({"auth": AUTH, "access": LISTS}, "localhost", "localhost")])
def test_hosts_of_judges_are_limited_where_there_is_a_login(monkeypatch, settings, variable, hosts):
    monkeypatch.setattr(roles.st, "secrets", Secrets(settings))
    if variable is not None:
        monkeypatch.setenv("RAGDASH_JUDGE_HOSTS", variable)
    assert roles.judge_hosts() == hosts


def test_a_server_whose_login_is_gone_lets_nobody_in(monkeypatch):
    """As where a tool replaces the file: it is deleted, then empty, then there again."""
    settings = {"auth": AUTH, "access": LISTS}
    monkeypatch.setattr(roles.st, "secrets", Secrets(settings))
    assert roles.access().role(as_user("ada@example.org")) == "editor"
    for left in ({}, {"other": "x"}):
        roles.st.secrets.clear()
        roles.st.secrets.update(left)
        with pytest.raises(InputError, match="which this server has read before"):
            roles.access()
        assert rights.role() == "" and not rights.may("review")
    roles.st.secrets.update(settings)
    assert roles.access().role(as_user("ada@example.org")) == "editor"
    monkeypatch.setattr(roles.st, "secrets", Secrets())
    assert roles.access() is None and rights.may("review"), "a server that never had a login"


def test_an_address_among_the_hosts_of_judges_is_said_to_be_none(monkeypatch):
    monkeypatch.setattr(roles.st, "secrets", Secrets({"auth": AUTH, "access": {**LISTS, "judge_hosts": ["http://x"]}}))
    with pytest.raises(InputError, match="without http:// and path"):
        roles.judge_hosts()


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", None, b"[[[", b"number = " + b"1" * 5000,
                                     b"a = " + b"[" * 100_000])
def test_a_secrets_file_that_cannot_be_read_lets_nobody_in_and_the_log_says_why_once(
        monkeypatch, tmp_path, capsys, content):
    """None: a folder of this name. Each of these ended the connection of a page, which stayed blank."""
    path = tmp_path / "secrets.toml"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    monkeypatch.setattr(st, "get_option", lambda name: [str(path)])
    monkeypatch.setattr(st_config, "get_option", lambda name: [str(path)])
    monkeypatch.setattr(st, "secrets", st_secrets.Secrets())
    for _ in range(2):
        with pytest.raises(InputError, match="which cannot be read"):
            roles._read_access()
    line, = capsys.readouterr().err.splitlines()
    assert str(path) in line
