"""Messages that no page would send, to a server that only shows: nothing of the workspace changes."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from sessions import Server, Session  # noqa: E402

from ragdash.workspace import Workspace  # noqa: E402

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


async def collect(server: Server) -> tuple[list[WidgetState], str]:
    """Everything that an editor's pages could send, and the address of a view."""
    session, messages = Session(server.address), []
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


async def visitor(server: Server, view: str, page: str) -> Session:
    """Somebody new who has opened the view and then this page."""
    session = Session(server.address, query=view)
    await session.open()
    await session.visit(page)
    return session


async def attack(server: Server, messages: list[WidgetState], view: str) -> None:
    """All of them, ten at a time, and an upload that no page offers; then somebody else opens the view."""
    for page in ("data", "queries", "compare"):
        session = await visitor(server, view, page)
        for start in range(0, len(messages), 10):
            session.values = {message.id: message for message in messages[start:start + 10]}
            try:
                await asyncio.wait_for(session.set(messages[start]), PATIENCE)
            except TimeoutError:  # a value of a wrong type ends the runs of the sender's own page
                await session.close()
                session = await visitor(server, view, page)
    with suppress(OSError):  # refused, or taken and looked at by nobody
        await asyncio.to_thread(session._put, f"/_stcore/upload_file/{session.session_id}/forged", "x.trec", RUN)
    await session.close()
    other = Session(server.address, query=view)
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
