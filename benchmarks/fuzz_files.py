"""Read changed copies of small files of many tools: nothing but a result or an InputError may come of it.

    python benchmarks/fuzz_files.py [--mutations 20000] [--seed 0]

Each copy is read as a run, as the truth, as documents, and by the readings that are offered for it. A copy that raises
anything else, or takes more than 20 seconds, is written to the folder of --keep. The process may use 2 GB: a copy that
needs more ends with a MemoryError, which counts as a failure. Exit status 1 after a failure.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "io")]

from file_mutations import mutate  # noqa: E402

from ragdash.core.errors import InputError  # noqa: E402
from ragdash.io import detect, read_corpus, read_runs, read_truth  # noqa: E402

MOST_SECONDS, MOST_BYTES = 20, 2 << 30
FOLDERS = ("real_files", "wild_shapes", "posted_shapes", "unseen_shapes", "collected_shapes")


def main(arguments: list[str] | None = None) -> int:
    """Read the copies; returns the exit status."""
    options = parse(arguments)
    warnings.simplefilter("ignore")
    files = sorted(path for name in FOLDERS for path in (ROOT / "tests" / "io" / name).iterdir()
                   if path.name != "expected.json")
    contents = [(path.name, path.read_bytes()) for path in files]
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES + memory_in_use(), resource.RLIM_INFINITY))
    failures, slowest, outcomes, start = 0, (0.0, ""), {"read": 0, "offered": 0, "refused": 0}, time.monotonic()
    for number in range(options.first, options.mutations):
        random = Random(options.seed * 10**9 + number)
        name, data = contents[number % len(contents)]
        changed = mutate(data, random)
        begin = time.monotonic()
        try:
            outcomes[read_all((name, changed))] += 1
        except Exception as error:
            failures += 1
            report(options.keep, number, name, changed, repr(error)[:300])
        seconds = time.monotonic() - begin
        slowest = max(slowest, (seconds, f"{number} of {name}"))
        if seconds > MOST_SECONDS:
            failures += 1
            report(options.keep, number, name, changed, f"{seconds:.0f} seconds")
        if number % 1000 == 999:
            print(f"{number + 1} copies, {time.monotonic() - start:.0f} s, {outcomes}, failures: {failures}, slowest "
                  f"{slowest[0]:.1f} s ({slowest[1]})", flush=True)
    return 1 if failures else 0


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mutations", type=int, default=20_000, help="how many copies (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first copy (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same copies")
    parser.add_argument("--keep", type=Path, default=Path("fuzz_failures"), help="folder for copies that fail")
    return parser.parse_args(arguments)


def read_all(source: tuple[str, bytes]) -> str:
    """Read a copy in every role, and as each offered reading says: "read", "offered" or "refused"."""
    outcome, offers = "refused", []
    for read in (detect, read_runs, read_truth, read_corpus):
        try:
            read(source)
            outcome = "read" if read is not detect else outcome
        except InputError as error:
            offers += [mapping for problem in error.problems if problem.kind == "proposed-reading"
                       for mapping in problem.facts["mappings"]]
    for mapping in offers[:3]:
        outcome = "offered" if outcome == "refused" else outcome
        for read in (read_runs, read_truth):
            with suppress(InputError):
                read(source, mapping=dict(mapping))
    return outcome


def memory_in_use() -> int:
    """Bytes of memory that the process has asked for, before a file is read."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()


def report(folder: Path, number: int, name: str, data: bytes, reason: str) -> None:
    """Keep a copy that fails."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{number}-{name}").write_bytes(data)
    print(f"copy {number} of {name}: {reason}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
