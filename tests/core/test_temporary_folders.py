"""Folders of processes: which are removed at the next start of a worker or dashboard."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ragdash.core.storage.temporary_folders import remove_leftovers, temporary_folder

OWNER = """
import sys, time
from pathlib import Path
from ragdash.core.storage.temporary_folders import temporary_folder
with temporary_folder("job") as folder:
    Path(folder, "texts.jsonl").write_text("private")
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def _owner(folder: Path) -> tuple[subprocess.Popen, Path]:
    process = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)})
    return process, Path(process.stdout.readline().strip())


def test_the_folder_of_a_killed_process_goes_and_that_of_a_living_one_stays(tmp_path):
    process, folder = _owner(tmp_path)
    try:
        with temporary_folder("judge") as own:
            assert remove_leftovers() == 0 and (folder / "texts.jsonl").exists()
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert (folder / "texts.jsonl").exists()  # nobody could take it away
            assert remove_leftovers() == 1
            assert not folder.exists() and Path(own).exists()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not say when a process began")
def test_the_number_of_an_ended_process_may_be_another_ones_now(tmp_path):
    with temporary_folder("job") as folder:
        kind, place, process, start, _ = Path(folder).name.removeprefix("ragdash-").split("-", 4)
    earlier = tmp_path / f"ragdash-{kind}-{place}-{process}-{int(start) - 1}-x"
    elsewhere = tmp_path / f"ragdash-{kind}-{'0' * 8}-{process}-{int(start) - 1}-x"  # another container
    for path in (earlier, elsewhere):
        path.mkdir()
    assert remove_leftovers() == 1
    assert not earlier.exists() and elsewhere.exists()


def test_other_names_and_links_stay(tmp_path):
    with temporary_folder("testset-plan") as folder:
        name = Path(folder).name
    gone = name.rsplit("-", 3)[0] + "-999999999-1"
    kept = tmp_path / "kept"
    kept.mkdir()
    for other in ("ragdash-job-abcdefgh", f"other-{gone}-x", f"{gone}-x-y"):
        (tmp_path / other).mkdir()
    (tmp_path / f"{gone}-link").symlink_to(kept)
    (tmp_path / f"{gone}-file").write_text("")
    (tmp_path / f"{gone}-folder").mkdir()
    before = {path.name for path in tmp_path.iterdir()}
    assert remove_leftovers() == 1
    assert before - {path.name for path in tmp_path.iterdir()} == {f"{gone}-folder"} and kept.exists()
