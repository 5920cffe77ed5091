"""A named pipe that nobody writes or reads yet: the command says what it waits for, and goes on when it is there."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from helpers import call

import ragdash
from ragdash.core import paths
from ragdash.evaluation.latency_cost import read_prices

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
NOTE = "note: waiting for "


@pytest.fixture
def pipe(files, monkeypatch):
    monkeypatch.setattr(paths, "SILENT", 0.1)
    os.mkfifo(files / "pipe")
    return files / "pipe"


def write_late(pipe: Path, content: bytes) -> threading.Thread:
    """Write to a pipe when its reader has waited long enough for the note."""
    def write() -> None:
        for _ in range(1000):
            with suppress(OSError):  # nobody reads yet
                descriptor = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
                time.sleep(0.6)
                with open(descriptor, "wb") as file:
                    file.write(content)
                return
            time.sleep(0.02)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("arguments", [
    ("evaluate", "pipe", "--truth", "qrels.txt", "-m", "RR"), ("evaluate", "run.trec", "--truth", "pipe", "-m", "RR"),
    ("check", "pipe"), ("gate", "run.trec", "--truth", "qrels.txt", "--against", "pipe")])
def test_an_input_that_does_not_come_is_named(files, pipe, capfdbinary, monkeypatch, arguments):
    monkeypatch.chdir(files)
    content = (files / ("run.trec" if arguments[1] == "pipe" else "qrels.txt")).read_bytes()
    writer = write_late(pipe, content)
    status, _, err = call(capfdbinary, *arguments)
    writer.join(5)
    assert status in (0, 2) and err.count(f"{NOTE}pipe") == 1


def test_an_output_that_nobody_takes_is_named(files, pipe, capfdbinary):
    arguments, taken = ("convert", files / "run.trec", "--format", "trec", "-o"), []
    assert NOTE not in call(capfdbinary, *arguments, files / "run.txt")[2]  # everything is imported now
    reader = threading.Timer(2, lambda: taken.append(pipe.read_bytes()))
    reader.start()
    status, _, err = call(capfdbinary, *arguments, pipe)
    reader.join(20)
    assert status == 0 and NOTE in err and taken == [(files / "run.txt").read_bytes()]


@pytest.mark.parametrize("read, content", [
    (read_prices, b'[price."small"]\nprompt = 1\n'), (ragdash.read_run, b"q1 Q0 d1 1 1.0 tag\n"),
    (ragdash.read_truth, b"q1 0 d1 1\n")])
def test_what_comes_through_a_pipe_is_read_once(pipe, read, content):
    writer = write_late(pipe, content)
    outcome: list = []
    reader = threading.Thread(target=lambda: outcome.append(read(pipe)), daemon=True)
    reader.start()
    reader.join(20)
    writer.join(5)
    assert len(outcome) == 1


def test_files_on_a_disk_are_read_without_a_note(files, pipe, capfdbinary):
    (files / "empty.txt").touch()
    for name in ("run.trec", "empty.txt"):
        assert NOTE not in call(capfdbinary, "check", files / name)[2]
