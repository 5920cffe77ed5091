"""The suite's random cases are the same in every run, whatever is imported and however strings are hashed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from hypothesis import settings

TESTS = Path(__file__).parents[1]
DRAW = """
import sys, hashlib
from fixed_cases import pin_cases, with_cases
from hypothesis import strategies as st
pin_cases()
if "imports" in sys.argv:
    import ragdash.cli.main, ragdash.metrics, numpy.linalg
cases = []

@with_cases(200, text=st.text(), data=st.binary(), number=st.integers(), real=st.floats())
def check(text, data, number, real):
    cases.append((text, data, number, repr(real)))

check()
print(hashlib.sha256(repr(cases).encode()).hexdigest())
"""


def drawn(folder: Path, hash_seed: str, *arguments: str) -> str:
    """Digest of the cases that a process draws."""
    script = folder / "draw.py"
    script.write_text(DRAW)
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    return subprocess.run([sys.executable, script, *arguments], cwd=TESTS.parent, env=environment, check=True,
                          text=True, capture_output=True).stdout


def test_cases_depend_neither_on_imports_nor_on_hashes(tmp_path):
    assert drawn(tmp_path, "1") == drawn(tmp_path, "2", "imports")


def test_the_profile_is_in_force():
    assert settings().derandomize and settings().database is None and settings().deadline is None


def test_no_test_undoes_it():
    undone = re.compile(r"derandomize=False|default_rng\(\)|SystemRandom\(|\brandom\.Random\(\)")
    texts = {path: path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py") if path != Path(__file__)}
    assert [str(path) for path, text in texts.items() if undone.search(text)] == []
