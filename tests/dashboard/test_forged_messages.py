"""Messages that no page would send, to a server that only shows: nothing of the workspace changes."""

from __future__ import annotations

import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from live_dashboard import free_port  # noqa: E402
from sessions import Server, Session  # noqa: E402

from ragdash.workspace import Workspace  # noqa: E402
from ragdash.workspace.people.audit import AuditLog  # noqa: E402

pytestmark = pytest.mark.slow
PATIENCE = 3  # seconds for the answer to ten messages
RUN, QRELS = b"q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n", b"q1 0 d1 1\n"


def state_of(folder: Path) -> list[tuple]:
    workspace = Workspace(folder, read_only=True)
    entries = (*workspace.runs(None), *workspace.truths(None))
    return sorted((entry.digest, entry.name, entry.tags, entry.description, entry.archived) for entry in entries)


def forged(element) -> list[WidgetState]:
    """What a click, a word or a choice in this element would send, and more than it would."""
    widget = getattr(element, element.WhichOneof("type"))
    if not (identifier := getattr(widget, "id", "")):
        return []
    return [WidgetState(id=identifier, trigger_value=True), WidgetState(id=identifier, string_value="forged"),
            WidgetState(id=identifier, bool_value=True),
            WidgetState(id=identifier, string_trigger_value={"data": "forged"}),
            WidgetState(id=identifier, json_value='{"forged": true}')]


async def collect(server: Server, login: str = "") -> tuple[list[WidgetState], str]:
    """Everything that an editor's pages could send, and the address of a view."""
    session, messages = Session(server.address, login=login), []
    await session.open()
    await session.visit("data")
    await session.upload("forged.trec", RUN)
    await session.upload("judgments.qrels", QRELS)
    view = session.query
    for page in ("data", "queries", "compare", "failures", "test-set", "answers"):
        await session.visit(page)
        messages += [message for element in list(session.shown.values()) for message in forged(element)]
    await session.close()
    return messages, view


async def visitor(server: Server, view: str, page: str, login: str = "") -> Session:
    """Somebody new who has opened the view and then this page."""
    session = Session(server.address, query=view, login=login)
    await session.open()
    await session.visit(page)
    return session


async def attack(server: Server, messages: list[WidgetState], view: str, login: str = "") -> None:
    """All of them, ten at a time, and uploads that no page offers; then somebody else opens the view."""
    for page in ("data", "queries", "compare"):
        session = await visitor(server, view, page, login)
        for start in range(0, len(messages), 10):
            session.values = {message.id: message for message in messages[start:start + 10]}
            try:
                await asyncio.wait_for(session.set(messages[start]), PATIENCE)
            except TimeoutError:  # a value of a wrong type ends the runs of the sender's own page
                await session.close()
                session = await visitor(server, view, page, login)
        with suppress(OSError):  # refused, or taken and looked at by nobody
            await asyncio.to_thread(session._put, f"/_stcore/upload_file/{session.session_id}/forged", "x.trec", RUN)
        await session.close()
    other = Session(server.address, query=view, login=login)
    await other.open()
    assert not other.failed and {"Metric", "Cutoff k"} <= {element.selectbox.label for element in other.shown.values()}
    await other.close()


def run_apart(work):
    """The result of a coroutine, run in a thread of its own: a browser of another test may have a loop in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, work).result()


def test_forged_messages_change_nothing_on_a_server_that_only_shows(tmp_path):
    editor = Server.start(tmp_path)
    try:
        messages, view = run_apart(collect(editor))
    finally:
        editor.stop()
    before = state_of(tmp_path / "workspace")
    assert len(before) == 2 and len(messages) > 100
    viewer = Server.start(tmp_path, (), "--read-only")
    try:
        run_apart(attack(viewer, messages, view))
    finally:
        viewer.stop()
    assert state_of(tmp_path / "workspace") == before
    assert not list(tmp_path.glob("workspace/reviews*")), "no notes"


SECRET = "0123456789abcdef" * 4


def logged_in(port: int, email: str) -> str:
    """The cookie that a login sets, signed with the secret of the server."""
    from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

    name = "_streamlit_user"
    claims = {"email": email, "is_logged_in": True, "origin": f"http://127.0.0.1:{port}"}
    return f"{name}={create_signed_value(SECRET, name, json.dumps(claims)).decode()}"


def with_login(folder: Path, port: int) -> None:
    """Secrets of a server with an admin and a viewer."""
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit" / "secrets.toml").write_text(f"""
[auth]
redirect_uri = "http://127.0.0.1:{port}/oauth2callback"
cookie_secret = "{SECRET}"
client_id = "ragdash"
client_secret = "{SECRET}"
server_metadata_url = "http://127.0.0.1:9/.well-known/openid-configuration"

[access]
admins = ["kim@example.org"]
viewers = ["bob@example.org"]
""")


async def knock(server: Server, messages: list[WidgetState], login: str) -> Session:
    """Open the server as somebody whom it must not let in, and send everything."""
    session = Session(server.address, login=login)
    await session.open()
    session.values = {message.id: message for message in messages[:200]}
    with suppress(TimeoutError):
        await asyncio.wait_for(session.set(messages[0]), PATIENCE)
    await session.close()
    return session


def test_messages_of_an_admin_change_nothing_when_a_viewer_or_a_stranger_sends_them(tmp_path):
    """The same server with the same pages; only the login is another one. What was done is in the audit log."""
    port = free_port()
    with_login(tmp_path, port)
    server = Server.start(tmp_path, port=port)
    try:
        messages, view = run_apart(collect(server, logged_in(port, "kim@example.org")))
        before, folder = state_of(tmp_path / "workspace"), tmp_path / "workspace"
        assert len(before) == 2 and len(messages) > 100
        log = AuditLog(folder / "audit.sqlite")
        uploads = len(log.entries())
        assert uploads == 2 and {entry.who for entry in log.entries()} == {"kim@example.org"}
        run_apart(attack(server, messages, view, logged_in(port, "bob@example.org")))
        for login in ("", logged_in(port, "eve@example.org"), logged_in(port, "kim@example.org")[:-1] + "x"):
            session = run_apart(knock(server, messages, login))
            assert "Metric" not in {getattr(element.selectbox, "label", "") for element in session.shown.values()}
        assert state_of(folder) == before and not list(folder.glob("reviews*")), "nothing of it is kept"
        assert {entry.outcome for entry in log.entries()[uploads:]} <= {"refused"}
    finally:
        server.stop()


def test_a_message_that_cannot_be_read_is_one_line_of_the_log(tmp_path):
    """Before and after the first page was opened: bytes that are no message, and text."""
    async def send() -> None:
        for opens in ("connect", "connect", "open"):
            for message in (b"\xff\xff no message", "no message"):
                session = Session(server.address)
                await getattr(session, opens)()
                await session._socket.send(message)
                await session._socket.wait_closed()

    server = Server.start(tmp_path)
    try:
        run_apart(send())
    finally:
        server.stop()
    log = server.log.read_text()
    assert "Traceback" not in log
    for words, reason in (("deserializing", "(DecodeError: "), ("Exception in ASGI application", "(KeyError: ")):
        lines = [line for line in log.splitlines() if words in line]
        assert len(lines) == 3 and all(reason in line for line in lines), "why"
