"""What every test stands on: a cache and a workspace of its own, never the user's."""

from __future__ import annotations

import contextlib
import gc
import gettext
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections import Counter
from functools import cache

import pytest

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the workers of the tests and the many processes that tests start
sys.dont_write_bytecode = False  # would compile all of the package and of the tests again, each of them
for _library in ("OPENBLAS", "OMP"):  # read when numpy and torch are imported: their threads wait actively, and the
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")  # workers of the tests have no core left for that
MEMORY = "/dev/shm"  # temporary files in memory: storage is written through to the disk, which tests would wait for
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4e9:
    os.environ["TMPDIR"] = MEMORY
    tempfile.tempdir = None  # read again

from fixed_cases import pin_cases, seed_generators  # noqa: E402
from slow_tests import is_slow  # noqa: E402

pin_cases()
gettext.find = cache(gettext.find)  # argparse looks for the files of a translation at each word of each command line
gc.set_threshold(50_000, 20, 20)  # the source of the tests and of the package is most of what there is, and stays
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    # started in the background by a shell: the processes that tests start and stop would not hear Ctrl+C either
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGDASH_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("RAGDASH_WORKSPACE", str(tmp_path_factory.mktemp("workspace")))
        patch.delenv("RAGDASH_READ_ONLY", raising=False)
        yield


@pytest.fixture(autouse=True)
def seeded():
    """Start every test with the same state of the global generators."""
    seed_generators()


@pytest.fixture
def serve():
    """Start a scripted judge: serve(*faults, ...) -> Server; all are closed in the end."""
    from models.judge.server import Server

    with contextlib.ExitStack() as servers:
        yield lambda *faults, **options: servers.enter_context(Server(faults=faults, **options))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One worker more than processors: a test of a browser, a server or a process waits for it half of its time."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


def pytest_itemcollected(item):
    """A test that asks for the browser drives one, in whichever file it is; others are slow by what they use."""
    if not isinstance(item, pytest.Function):
        return
    if "browser" in item.fixturenames:
        item.add_marker("browser")
    elif not item.get_closest_marker("smoke") and is_slow(item):
        item.add_marker("slow")


def pytest_collection_finish(session):
    """Leave what the collection has loaded out of garbage collections: hypothesis starts one for each test."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter, config):
    """With --durations N, list the N slowest files as well."""
    if not config.option.durations:
        return
    seconds = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    terminalreporter.section(f"slowest {config.option.durations} files")
    for file, total in seconds.most_common(config.option.durations):
        terminalreporter.write_line(f"{total:.2f}s {file}")
