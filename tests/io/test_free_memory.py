"""Large files are refused where the container or the machine has less memory than they have bytes."""

from __future__ import annotations

import pytest

from ragdash.core.errors import InputError
from ragdash.io.source import free_memory
from ragdash.io.source.source import Source

MB = 1 << 20


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """64 MB free, 100 MB in this process, no container."""
    for name, text in (("MEMORY", "MemTotal: 9 kB\nMemAvailable: 61440 kB\nSwapFree: 4096 kB\nHugePages_Free: 0\n"),
                       ("PROCESS", "Name: x\nVmRSS: 102400 kB\n"), ("CGROUP", "max\n")):
        monkeypatch.setattr(free_memory, name, tmp_path / name)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(("size", "container", "free"), [
    (64 * MB, "max\n", None), (65 * MB, "max\n", 64 * MB), (64 * MB, f"{164 * MB}\n", None),
    (64 * MB, f"{150 * MB}\n", 50 * MB), (17 * MB, f"{50 * MB}\n", 0), (16 * MB, f"{50 * MB}\n", None)])
def test_what_is_free_is_compared_with_the_size(machine, size, container, free):
    (machine / "CGROUP").write_text(container)
    assert free_memory.too_little_memory(size) == free


def test_a_system_that_does_not_say_refuses_nothing(machine):
    for path in machine.iterdir():
        path.unlink()
    assert free_memory.too_little_memory(1 << 50) is None


def test_the_message_names_the_file_and_both_sizes(machine):
    (machine / "CGROUP").write_text(f"{120 * MB}\n")
    with pytest.raises(InputError, match="of free memory") as caught:
        Source(("large.trec", b"q1 Q0 d1 1 0.5 t\n" * (20 * MB // 17 + 1)))
    assert caught.value.problems[0].kind == "out-of-memory" and caught.value.problems[0].file == "large.trec"
