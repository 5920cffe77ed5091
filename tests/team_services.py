"""A PostgreSQL server and an S3 server for tests, in temporary folders; None where they are not installed."""

from __future__ import annotations

import contextlib
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

PASSWORD = "pass-w0rd-of-the-test"
_QUICK = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")


def postgres_programs() -> Path | None:
    """The folder with initdb and postgres."""
    folders = [path.parent for path in map(Path, glob.glob("/usr/lib/postgresql/*/bin/initdb"))]
    if found := shutil.which("initdb"):
        folders.append(Path(found).resolve().parent)
    return max(folders, default=None, key=lambda path: [int(text) for text in path.parts[-2:-1] if text.isdigit()])


def missing() -> str:
    """What tests of the team set-up lack, in a clear line; "" where everything is there."""
    import importlib.util

    packages = [name for name in ("sqlalchemy", "psycopg", "obstore", "moto") if importlib.util.find_spec(name) is None]
    programs = [] if postgres_programs() else ["the programs of PostgreSQL (apt install postgresql)"]
    return f"tests of shared workspaces need {', '.join(packages + programs)}" if packages + programs else ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Postgres:
    """A server of its own. `durable`: with the settings that a real one has, for tests that stop it hard."""

    def __init__(self, durable: bool = False, settings: tuple[str, ...] = ()):
        self.programs, self.port = postgres_programs(), free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="ragdash-postgres-"))
        self.settings = (*(() if durable else _QUICK), *settings)
        self._as_user = {}
        if os.getuid() == 0:  # PostgreSQL refuses to run as root
            user = pwd.getpwnam("nobody")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self.data = self.folder / "data"
        self._run("initdb", "-D", str(self.data), "-U", "owner", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        (self.data / "pg_hba.conf").write_text(
            "host all locked 127.0.0.1/32 scram-sha-256\nlocal all all trust\nhost all all 127.0.0.1/32 trust\n")
        self._process: subprocess.Popen | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql://owner@127.0.0.1:{self.port}/postgres"

    def url_of(self, project: str, user: str = "owner") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/postgres?project={project}"

    def start(self, wait: bool = True) -> None:
        options = [word for setting in self.settings for word in ("-c", setting)]
        self._process = subprocess.Popen(
            [str(self.programs / "postgres"), "-D", str(self.data), "-p", str(self.port), "-k", str(self.folder),
             "-h", "127.0.0.1", "-c", "shared_buffers=16MB", "-c", "max_connections=400", *options],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=open(self.folder / "log", "ab"), **self._as_user)  # noqa: SIM115  (the server keeps it)
        while wait and subprocess.run([str(self.programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p",
                                       str(self.port)]).returncode:
            if self._process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text()[-2000:])
            time.sleep(0.02)

    def stop(self, how: int = signal.SIGQUIT) -> None:
        """SIGQUIT: at once, as after a power failure; SIGINT: in order."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()

    def sql(self, statement: str) -> list[tuple]:
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run([str(self.programs / program), *arguments], cwd=self.folder, capture_output=True,
                              text=True, **self._as_user)
        if done.returncode:
            raise RuntimeError(done.stderr)


@contextlib.contextmanager
def s3_server() -> Iterator[str]:
    """An S3 server in this process; the address of its endpoint."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def threads(count: int, work) -> list[threading.Thread]:
    """Threads that call work(number), started."""
    started = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(count)]
    for thread in started:
        thread.start()
    return started
