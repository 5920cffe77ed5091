"""Broken files by the thousand: whatever bytes come, a reader gives a result or an InputError.

    python benchmarks/fuzz.py [CASES]

Runs the fuzz tests of the readers with CASES (20,000) cases in all, instead of the test suite's 1,500.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "io" / "test_io_fuzz.py"


def main() -> int:
    """Run them; returns pytest's exit status."""
    tests = len(re.findall(r"^def test_", TESTS.read_text(), re.MULTILINE))
    cases = -(-int(sys.argv[1] if len(sys.argv) > 1 else 20_000) // tests)
    print(f"{tests} tests with {cases:,} cases each", flush=True)
    environment = {**os.environ, "RAGDASH_FUZZ_CASES": str(cases)}
    return subprocess.run([sys.executable, "-m", "pytest", "-q", str(TESTS)], cwd=ROOT, env=environment,
                          check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
