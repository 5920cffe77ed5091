"""`python -m ragdash ...` and `python -m streamlit ...` without their imports: a process that has them already forks.

`Popen` starts a process of its own as subprocess.Popen does, with these files, this environment, folder and session:
it can be signaled and killed. Where the start itself is what a test is about, the test takes subprocess.Popen.
"""

from __future__ import annotations

import array
import contextlib
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import traceback
from functools import cache
from pathlib import Path

MODULES = ("ragdash.cli.main", "ragdash.cli.commands.judging.judge", "ragdash.cli.commands.test_sets.testset",
           "ragdash.evaluation.evaluate", "ragdash.evaluation.scoring.run_judge", "ragdash.metrics", "ragdash.io",
           "ragdash.models.judge.tasks", "requests", "pyarrow.compute", "pandas", "scipy.stats")
COMMANDS = {"ragdash": ("judge", "testset"), "streamlit": ("run",)}  # of each package that `python -m` starts
SERVER = ("streamlit.web.cli", "streamlit.web.bootstrap", "streamlit.web.server.starlette.starlette_server")
HEADER = struct.Struct("!I")
WAITED = struct.Struct("!i")  # as os.waitpid says it


class Popen(subprocess.Popen):
    """A process of one of COMMANDS is forked where it is already loaded; any other is started as ever."""

    _answers: socket.socket | None = None

    def _execute_child(self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags,
                       shell, *files_and_more):
        p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, *_, start_new_session, _ = files_and_more
        python, option, package, command, *_ = [*args, "", "", "", ""]
        if shell or executable or preexec_fn or (python, option) != (sys.executable, "-m") or \
                command not in COMMANDS.get(package, ()):
            super()._execute_child(args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo,
                                   creationflags, shell, *files_and_more)
            return
        order = {"package": package, "arguments": [str(argument) for argument in args[3:]],
                 "folder": os.fspath(cwd or os.getcwd()), "new_session": bool(start_new_session),
                 "environment": dict(os.environ if env is None else env)}
        files = [given if given >= 0 else own for given, own in zip((p2cread, c2pwrite, errwrite), range(3),
                                                                   strict=True)]
        self._answers, theirs = socket.socketpair()
        with theirs:
            content = json.dumps(order).encode()
            _starter(package).sendmsg([HEADER.pack(len(content)) + content],
                               [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [*files, theirs.fileno()]))])
        (self.pid,) = HEADER.unpack(self._answers.recv(HEADER.size, socket.MSG_WAITALL))
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)

    def _try_wait(self, wait_flags):
        if self._answers is None:
            return super()._try_wait(wait_flags)
        if wait_flags & os.WNOHANG and not select.select([self._answers], [], [], 0)[0]:
            return 0, 0
        return self.pid, self._status()

    def _internal_poll(self, _deadstate=None, **_):
        if self._answers is None:
            return super()._internal_poll(_deadstate)
        if self.returncode is None and self._waitpid_lock.acquire(False):
            try:
                if self.returncode is None and (ended := self._try_wait(os.WNOHANG))[0] == self.pid:
                    self._handle_exitstatus(ended[1])
            finally:
                self._waitpid_lock.release()
        return self.returncode

    def _status(self) -> int:
        content = self._answers.recv(WAITED.size, socket.MSG_WAITALL)
        self._answers.close()
        return WAITED.unpack(content)[0] if content else signal.SIGKILL


@cache
def _starter(package: str) -> socket.socket:
    """The socket of the process that forks for commands of this package; it ends when this process does."""
    ours, theirs = socket.socketpair()
    with theirs:
        subprocess.Popen([sys.executable, __file__, package, str(theirs.fileno())], pass_fds=[theirs.fileno()],
                         stdin=subprocess.DEVNULL, start_new_session=True,
                         env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    return ours


def _load(package: str) -> None:
    """Import what the commands of this package would import."""
    for module in SERVER if package == "streamlit" else MODULES:
        importlib.import_module(module)
    if package == "streamlit":
        warm_up = importlib.import_module("ragdash.dashboard.monitoring.warm_up")
        warm_up.warm_up()


def _serve(package: str, asked: socket.socket) -> None:
    """Fork for each order, until whoever asks is gone."""
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    _load(package)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those that watch a command need no funeral
    while True:
        content, ancillary, *_ = asked.recvmsg(HEADER.size, socket.CMSG_SPACE(16))
        if not content:
            return
        files = array.array("i", ancillary[0][2]).tolist()
        order = json.loads(asked.recv(HEADER.unpack(content)[0], socket.MSG_WAITALL))
        if os.fork() == 0:
            asked.close()
            _watch(order, files)
        for file in files:
            os.close(file)


def _watch(order: dict, files: list[int]) -> None:
    """Fork once more for the command, say its id at once and its status when it has ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = os.fork()
    if process == 0:
        os.close(files[3])
        _run(order, files[:3])
    os.setsid()
    answers = socket.socket(fileno=files[3])
    for file in files[:3]:
        os.close(file)
    with contextlib.suppress(BrokenPipeError):
        answers.sendall(HEADER.pack(process))
        answers.sendall(WAITED.pack(os.waitpid(process, 0)[1]))
    os._exit(0)


def _run(order: dict, files: list[int]) -> None:
    """Be the command."""
    if order["new_session"]:
        os.setsid()
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    sys.argv[1:] = order["arguments"]
    status = 1
    try:
        runpy.run_module(order["package"], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[2])) as socket_of_orders:
        _serve(sys.argv[1], socket_of_orders)
