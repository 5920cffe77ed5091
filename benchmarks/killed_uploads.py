"""kill -9 and Ctrl+C of a server while files are on their way to it: what a page has shown must be in the workspace.

    python benchmarks/killed_uploads.py [--times 12]

Three sessions upload runs, each its next one as soon as the page shows the last. A server is ended once some uploads
are shown and others are under way: in turn while their bytes are sent, and while they are read. Then a page that was
open names its upload again to the next server, as browsers do, which must go on without it. `benchmarks/faults.py`
runs this too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "dashboard")]

from sessions import Server, Session  # noqa: E402
from streamlit.proto.WidgetStates_pb2 import WidgetState  # noqa: E402

from ragdash.workspace import Workspace  # noqa: E402

SESSIONS = 3
LARGE = 300_000  # rows of every other upload: about 8 MB
PATIENCE = 300.0  # seconds for the uploads before a kill
SENT, READ = "being sent", "being read"


@dataclass
class Uploads:
    """What the sessions of one server have done: shown, names that a page has shown; under_way, those that are not yet
    shown, and whether they are being sent or read; last: the field's value that a page sent last.
    """

    shown: list[str] = field(default_factory=list)
    under_way: dict[str, str] = field(default_factory=dict)
    last: list[WidgetState] = field(default_factory=list)

    def count(self, stage: str) -> int:
        """How many uploads are in this stage."""
        return list(self.under_way.values()).count(stage)


class Uploader(Session):
    """A session that notes when the bytes of its upload have arrived, and what it says of them."""

    uploads: Uploads

    def _put(self, path: str, name: str, content: bytes) -> None:
        self.uploads.under_way[name] = SENT
        super()._put(path, name, content)
        self.uploads.under_way[name] = READ

    async def set(self, state: WidgetState) -> float:
        """Note the value of an upload field, and send it."""
        self.uploads.last.append(state)
        return await super().set(state)


def killed_servers(folder: Path, times: int = 12) -> Counter:
    """End `times` servers on one workspace, one after the other; what was shown is there, and read as it was."""
    counts: Counter = Counter()
    rng = random.Random(5)
    for number in range(times):
        server, uploads = Server.start(folder / "server"), Uploads()
        how = signal.SIGINT if number % 4 > 1 else signal.SIGKILL
        stage = (SENT, READ)[number % 2]
        try:
            at_the_end = asyncio.run(_upload_until_the_kill(server, number, uploads, how, stage, rng.uniform(0, 0.2)))
        finally:
            try:
                server.process.wait(30)
            except subprocess.TimeoutExpired:
                counts["wrong"] += 1
                server.stop()
        counts["servers ended"] += 1
        counts["uploads shown"] += len(uploads.shown)
        counts.update({f"uploads {name} at the end": n for name, n in at_the_end.items()})
        workspace = Workspace(folder / "server" / "workspace")
        entries = workspace.runs()
        counts["lost"] += len(set(uploads.shown) - {entry.name for entry in entries})
        counts["wrong"] += sum(workspace.load_run(entry.digest).digest != entry.digest for entry in entries)
        counts["pages that named a lost upload again"] += bool(uploads.last)
        counts["wrong"] += _names_it_again(folder, uploads.last[-1]) if uploads.last else 0
    counts["wrong"] += (folder / "server" / "server.log").read_text().count("Traceback")
    return counts


async def _upload_until_the_kill(server: Server, number: int, uploads: Uploads, how: signal.Signals, stage: str,
                                 delay: float) -> dict[str, int]:
    """Sessions upload until the server is ended; how many uploads were in which stage when it was."""
    sessions = [asyncio.create_task(_upload(server, f"{number}x{index}", uploads)) for index in range(SESSIONS)]
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not (len(uploads.shown) >= SESSIONS and uploads.count(stage)):
        await asyncio.sleep(0.002)
    if stage == READ:
        await asyncio.sleep(delay)
    stages = {name: uploads.count(name) for name in (SENT, READ)}
    server.process.send_signal(how)
    await asyncio.gather(*sessions)
    return stages


async def _upload(server: Server, name: str, uploads: Uploads) -> None:
    """One session uploads runs one after the other, every other one large; a name is noted when the page shows it."""
    session = Uploader(server.address)
    session.uploads = uploads
    try:
        await session.open()
        await session.visit("data")
        for upload in range(200):
            run = f"run{name}x{upload}"
            rows = LARGE if upload % 2 else 3
            content = b"".join(b"q%d Q0 %s-%d 1 %d t\n" % (i % 50, run.encode(), i, rows - i) for i in range(rows))
            await session.upload(f"{run}.trec", content)
            if run in session.query:
                uploads.shown.append(run)
                del uploads.under_way[f"{run}.trec"]
    except (OSError, EOFError, RuntimeError, TimeoutError):
        pass
    except Exception as error:  # the libraries of the websocket and of HTTP have errors of their own for a closed one
        if not any(word in type(error).__name__ for word in ("Closed", "Disconnected", "InvalidMessage")):
            raise


def _names_it_again(folder: Path, state: WidgetState) -> int:
    """1 where the next server fails on a page that names an upload of the last one."""
    server = Server.start(folder / "server")
    try:
        return asyncio.run(_page_after_a_restart(server, state))
    finally:
        server.stop()


async def _page_after_a_restart(server: Server, state: WidgetState) -> int:
    session = Session(server.address)
    await session.open()
    await session.visit("data")
    uploader = next(element.file_uploader for element in session.shown.values()
                    if element.WhichOneof("type") == "file_uploader")
    again = WidgetState(id=uploader.id)
    again.file_uploader_state_value.CopyFrom(state.file_uploader_state_value)
    await session.set(again)
    failed = int(bool(session.failed) or "Drop the file again" not in session.texts())
    await session.close()
    return failed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the trial and print what it counted; 1 where something was lost or wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=12, help="servers ended")
    times = parser.parse_args(arguments).times
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        counts = killed_servers(Path(folder), times)
    for name, count in counts.items():
        print(f"{name}: {count:,}")
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"lost {counts['lost']}, wrong {counts['wrong']} ({time.monotonic() - start:.0f} s); load {load}")
    return int(bool(counts["lost"] or counts["wrong"]))


if __name__ == "__main__":
    sys.exit(main())
