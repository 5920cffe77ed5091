"""Go on with files in which one value has another type: nothing but a result or a clear message may come of it.

    python benchmarks/fuzz_types.py [--seconds 600] [--seed NUMBER] [--files FOLDER] [--only COMMAND] [--pages SHARE]

One value, or one name, of a file of the tests becomes null, true, an extreme number, an empty text, a list, an object
and so on. The copy is read in every role, and what can be read goes on to the commands that take it, and to the pages.
A traceback, a status other than 0, 1 and 2, a warning of a library and an exception box are failures: their copies
are written to the folder of --keep with the command that shows them. Exit status 1 after a failure.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import csv
import io
import json
import os
import random
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "dashboard")]

from ragdash.cli.main import main as ragdash  # noqa: E402
from ragdash.core.errors import InputError  # noqa: E402
from ragdash.io import detect, read_corpus, read_runs, read_truth  # noqa: E402

FOLDERS = ("real_files", "wild_shapes", "posted_shapes", "unseen_shapes", "collected_shapes", "changed_copies")
MOST_SECONDS = 30  # of processor time for a command
MOST_BYTES = 200_000  # of a file that is changed: more is slow, and no other shape
RAW = {"@raw 1e400@": "1e400", "@raw deep@": "[" * 90 + "]" * 90, "@raw digits@": "9" * 400}
VALUES = [None, True, False, 0, -1, 7, 1.5, 10**16, 2**53, 2**63, 2**70, -(2**63), 1e308, 5e-324, float("nan"),
          float("inf"), "", " ", "x", "\u0000", "\ud800", "nan", "null", "1e400", "7", "2026-11-29",
          "2026-11-29T10:00:00Z", "a\nb", "a" * 3000, "<b>", "{", "[]", '{"a": []}', [], {}, [[]], [None], [{}], [""],
          [1, "a", None], {"a": []}, {"a": None}, {"": 1}, [{"a": 1}], [["a", 1]], {"text": 5}, {"id": [1]},
          {"content": None}, [True], [1.5], *RAW]
NAMES = ["", " ", "x", "\u0000", "\ud800", "nan", "7", "query_id", "metadata", "score", "a.b", "a" * 300]
CELLS = ["", " ", "null", "true", "[]", "[[]]", "{}", '{"a": []}', "1e400", "-1", "9223372036854775808", "NaN", "inf",
         "\x00", "2026-11-29", "[null]", '[1, null, "a"]', "[" * 90 + "]" * 90, '"', "x", "=1+1", "a" * 3000, "1_0",
         '{"id": [1]}', "\x1b[31m", "9" * 400, "0x10", "None", "['a', 1]", '["\\ud800"]', '[1e400]',
         '{"a": 1180591620717411303424}', '[9223372036854775808]',
         '{"id": "\\u0000"}', "array(['a'])", "[nan]",
         "['\\ud800']"]


def main(arguments: list[str] | None = None) -> int:
    """Change copies until the time is over; returns the exit status."""
    search = begin(arguments)
    seeds, end = list(read_seeds(search.options.files)), time.monotonic() + search.options.seconds
    while time.monotonic() < end:
        search.try_copy(*search.random.choice(seeds))
    print(f"{search.copies} copies, {search.calls} commands and pages, failures: {len(search.seen)}, slowest "
          f"{search.slowest[0]:.1f} s ({search.slowest[1]})")
    return 1 if search.seen else 0


def begin(arguments: list[str] | None) -> Search:
    """A search with the options of the command line, whose seed is printed."""
    search = Search(parse(arguments))
    print(f"--seed {search.options.seed}", flush=True)
    warnings.simplefilter("ignore")
    return search


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Parse the command line; the default seed is random."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600, help="how long to search (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32), help="default: random")
    parser.add_argument("--files", type=Path, help="a folder of files to change (default: those of the tests)")
    parser.add_argument("--only", default="", metavar="COMMAND", help="only commands that begin so")
    parser.add_argument("--pages", type=float, default=0.02, help="share of the copies that are opened on a page")
    parser.add_argument("--keep", type=Path, default=Path("fuzz_failures"), help="folder for copies that fail")
    return parser.parse_args(arguments)


def read_seeds(folder: Path | None) -> Iterator[tuple[str, bytes]]:
    """(name, content) of the files that are changed."""
    folders = [folder] if folder else [ROOT / "tests" / "io" / name for name in FOLDERS]
    for path in sorted(path for each in folders for path in each.iterdir()):
        if path.is_file() and path.name != "expected.json" and path.stat().st_size <= MOST_BYTES:
            yield path.name, path.read_bytes()


class Search:
    """The copies, what is done with them, and the failures that were seen."""

    def __init__(self, options: argparse.Namespace):
        self.options, self.random = options, random.Random(options.seed)
        self.copies = self.calls = 0
        self.slowest, self.seen = (0.0, ""), set()
        self.folder = Path(tempfile.mkdtemp(prefix="fuzz"))
        os.environ |= {"RAGDASH_WORKSPACE": str(self.folder / "w"), "RAGDASH_CACHE": str(self.folder / "c")}

    def try_copy(self, name: str, data: bytes) -> None:
        """Change one value of a file, read it, and go on with what was read."""
        changed = changed_copy(name, data, self.random)
        if changed is None:
            return
        self.copies += 1
        suffix, content = changed
        path = self.folder / f"copy{suffix}"
        path.write_bytes(content)
        roles = self.read(name, path)
        for command in self.commands(str(path), roles):
            if command[0].startswith(self.options.only):
                self.run(name, path, command)
        if "run" in roles and self.random.random() < self.options.pages:
            self.attempt(name, path, ["a page"], lambda: open_a_page(path, self.random))

    def read(self, name: str, path: Path) -> set[str]:
        """The roles in which the file can be read."""
        roles = set()

        def read_all():
            for role, read in (("run", read_runs), ("truth", read_truth), ("corpus", read_corpus), ("", detect)):
                try:
                    read(str(path))
                    roles.add(role)
                except InputError as error:
                    [str(problem) for problem in error.problems]

        self.attempt(name, path, ["read"], read_all)
        return roles

    def commands(self, file: str, roles: set[str]) -> Iterator[list[str]]:
        """What is done with a file: `check`, and two or three commands for what can be read of it."""
        more = self.random.choice(([], ["--role", "run"], ["--role", "truth"], ["--encoding", "latin-1"]))
        yield ["check", file, *more]
        good_truth = str(ROOT / "sample_runs" / "truth.jsonl")
        good_run = self.run_for(file) if "truth" in roles else str(ROOT / "sample_runs" / "dense.jsonl")
        out, corpus = str(self.folder / "out"), str(ROOT / "sample_runs" / "corpus.jsonl")
        if "run" in roles:
            truth = ["--truth", self.truth_for(file)]
            yield from self.random.sample([
                ["evaluate", file, *truth, "--resamples", "40", "--format", self.one_of("table json csv markdown latex "
                                                                                       "junit xlsx parquet"),
                 "-o", out],
                ["evaluate", file, *truth, "--per-query", "--format", "json", "--latency"],
                ["evaluate", file, *truth, "-m", "RR P@5 Correctness TokenF1 PromptTokens Cost Latency"],
                ["evaluate", file, *truth, "--match", "evidence", "--resamples", "40"],
                ["compare", file, f"b={file}", *truth, "--permutations", "99", "--format", self.one_of("table json")],
                ["diagnose", file, *truth, "--queries", "--format", self.one_of("table json csv")],
                ["report", file, f"b={file}", *truth, "-o", out + ".html"],
                ["report", file, *truth, "--full", "-o", out],
                ["fuse", file, f"b={file}", "-o", out + ".jsonl"],
                ["convert", file, "-o", out + self.one_of(".jsonl .csv .trec .parquet .xlsx .json .tsv")],
                ["pin", file, *truth, "-o", out + ".ragdash", "--replace"],
                ["variants", *(f"{name}={file}" for name in "abcd"), *truth],
                ["judgments", file, f"b={file}", *truth], ["audit", file, *truth], ["history", file, *truth],
                ["drift", file, *truth], ["drift", good_run, "--truth", good_truth, "--against", file],
                ["trust", file, *truth, "-m", "Correctness"],
                ["trust", file, *truth, "-m", "TokenF1", "-n", "2", "--sheet", out + ".csv"],
                ["judge", file, *truth, "--model", "m", "--base-url", "http://127.0.0.1:1", "-m", "Faithfulness",
                 "--batch-out", out],
            ], 3)
        if "truth" in roles:
            yield from self.random.sample([
                ["evaluate", good_run, "--truth", file, "--resamples", "40"], ["audit", "--truth", file],
                ["convert", file, "--truth", "-o", out + self.one_of(".jsonl .csv .qrels .parquet .xlsx .json .tsv")],
                ["judgments", good_run, f"b={good_run}", "--truth", file], ["diagnose", good_run, "--truth", file],
                ["relink", file, "--old", corpus, "--new", corpus], ["audit", good_run, "--truth", file],
                ["evaluate", good_run, "--truth", file, "--match", "evidence", "--resamples", "40"],
                ["drift", good_run, "--truth", file], ["report", good_run, "--truth", file, "-o", out + ".html"],
            ], 2)
        if "corpus" in roles:
            yield from self.random.sample([
                ["evaluate", good_run, "--truth", good_truth, "--corpus", file, "-m", "RR ContextPrecision"],
                ["relink", good_truth, "--old", file, "--new", file],
                ["testset", file, "--model", "m", "--base-url", "http://127.0.0.1:1", "--max-calls", "1"],
            ], 1)

    def one_of(self, words: str) -> str:
        return self.random.choice(words.split())

    def truth_for(self, file: str) -> str:
        """A ground truth of the run's own queries: its first documents, answers and contexts."""
        path = self.folder / "made_truth.jsonl"
        try:
            run = read_runs(file)[0]
            with contextlib.suppress(InputError):
                if self.random.random() < 0.3 and len(read_truth(file)):
                    return file
        except InputError:
            return str(ROOT / "sample_runs" / "truth.jsonl")
        queries = run.query_ids.to_pylist()
        details = dict(zip(queries, run.details.to_pylist(), strict=True)) if run.details is not None else {}
        docs = run.docs.to_pylist()
        first = {query: docs[start] for query, start, end in zip(queries, run.starts, run.starts[1:], strict=False)
                 if start < end}
        rows = [{"query_id": query, "relevant": [first[query]] if query in first else [],
                 "answers": [str(details.get(query, {}).get("answer") or "x")],
                 "evidence": [str(text) for text in (details.get(query, {}).get("contexts") or [])[:1]]}
                for query in queries]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)

    def run_for(self, file: str) -> str:
        """A run of the queries of a ground truth: its judged documents, and another."""
        truth = read_truth(file)
        queries = truth.query_ids.to_pylist()
        rows = {query: ["another"] for query in queries}
        for query, doc in zip(truth.queries.tolist(), truth.docs.to_pylist(), strict=True):
            rows[queries[query]].append(doc)
        path = self.folder / "made_run.jsonl"
        path.write_text("".join(json.dumps({
            "query_id": query, "query": query, "answer": "x", "contexts": ["x"],
            "retrieved": [{"doc_id": doc, "text": doc} for doc in docs]}) + "\n" for query, docs in rows.items()))
        return str(path)

    def run(self, name: str, path: Path, command: list[str]) -> None:
        """Run one command."""
        self.attempt(name, path, command, lambda: run_command(command))

    def attempt(self, name: str, path: Path, command: list[str], act: Callable[[], object]) -> None:
        """Do something with a copy; a new kind of failure is printed, and the copy kept."""
        self.calls += 1
        start = time.process_time()
        try:
            act()
        except Exception as error:
            words = str(error) if isinstance(error, Fault) else traceback.format_exc()
            places = re.findall(r'File "[^"]*?/(ragdash/[^"]*|streamlit/[^"]*)", line (\d+)', words)
            kind = (places[-1] if places else words[-200:], words.strip().rpartition("\n")[2][:40])
            if kind not in self.seen:
                self.seen.add(kind)
                self.keep(name, path, command, words)
        seconds = time.process_time() - start
        self.slowest = max(self.slowest, (seconds, f"{' '.join(command)} of {name}"))
        if seconds > MOST_SECONDS:
            self.seen.add((name, "slow"))
            self.keep(name, path, command, f"{seconds:.0f} seconds")

    def keep(self, name: str, path: Path, command: list[str], words: str) -> None:
        """Write a copy that fails to the folder of --keep, with the command that shows it."""
        self.options.keep.mkdir(parents=True, exist_ok=True)
        copied = self.options.keep / f"{self.options.seed}-{self.copies}-{path.name}"
        copied.write_bytes(path.read_bytes())
        shown = " ".join(str(copied) if word == str(path) else word for word in command)
        print(f"FAILURE {time.strftime('%H:%M')} {shown} (of {name})\n" + "\n".join(words.strip().split("\n")[-9:]),
              flush=True)


class Fault(Exception):
    """A command that ends in another way than with a result or a clear message."""


def run_command(command: list[str]) -> None:
    """Run a command of ragdash; Fault where it fails."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = ragdash(command)
        except SystemExit as stopped:
            status = stopped.code
    words = err.buffer.getvalue().decode("utf-8", "replace")
    if status not in (0, 1, 2) or "Traceback" in words or re.search(r"\w+Warning\b|encountered in ", words):
        raise Fault(f"status {status}\n{words}")
    if status == 2 and not words.strip():
        raise Fault("status 2 without a word")
    if re.search(r"<(pyarrow|pandas|numpy|ragdash)\.|object at 0x|help\(Run", words):
        raise Fault(f"status {status}: words of the inside\n{words}")


def open_a_page(path: Path, random: random.Random) -> None:
    """Open one of the pages with the run; an exception box there is an AssertionError."""
    from page_cases import address, opened

    runs = read_runs(str(path))[:2]
    try:
        truth = read_truth(str(path))
    except InputError:
        truth = read_truth(str(ROOT / "sample_runs" / "truth.jsonl"))
    opened(random.choice(sorted(page.stem for page in (ROOT / "pages").glob("*.py"))), **address(truth, runs))


def changed_copy(name: str, data: bytes, random: random.Random) -> tuple[str, bytes] | None:
    """(ending, content) of a copy with one value changed; None where the file has no values that are known here."""
    ending = Path(name).suffix.lower()
    if data.startswith(b"PAR1"):
        return change_parquet(data, random)
    with contextlib.suppress(ValueError, RecursionError):
        text = data.decode("utf-8-sig")
        if text.lstrip()[:1] in ("{", "["):
            return change_json(text, random)
        if ending in (".yaml", ".yml"):
            return ".yaml", as_json(change_value(json.loads(json.dumps(yaml.safe_load(text), default=str)), random))
        if "\n" in text.strip() or "," in text:
            return change_table(text, random)
    return None


def change_json(text: str, random: random.Random) -> tuple[str, bytes]:
    """A changed copy of JSON or JSON lines; now and then the rows as a table of Parquet or YAML."""
    try:
        return random.choice((".json", ".json", ".json", ".yaml")), as_json(change_value(json.loads(text), random))
    except json.JSONDecodeError:
        rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    if random.random() < 0.1 and (table := as_parquet(rows, random)):
        return ".parquet", table
    if random.random() < 0.3:
        return ".jsonl", b"\n".join(map(as_json, change_value(rows, random, everywhere=True)))
    changed = random.randrange(len(rows))
    return ".jsonl", b"\n".join(as_json(change_value([row], random)[0] if number == changed else row)
                                for number, row in enumerate(rows)) + b"\n"


def change_value(whole, random: random.Random, everywhere: bool = False):
    """A copy of a value with one of its parts, or of its names, replaced: one of the rows, or everywhere."""
    whole = copy.deepcopy(whole)
    kinds: dict[tuple, list[tuple]] = {}
    for path in paths_of(whole):
        kinds.setdefault(tuple("*" if type(part) is int else part for part in path), []).append(path)
    if not kinds:
        return whole
    alike, new = random.choice(list(kinds.values())), random.choice(VALUES)
    renamed, name = random.random() < 0.15, random.choice(NAMES)
    everywhere = everywhere or random.random() < 0.25
    for path in alike if everywhere else [random.choice(alike)]:
        parent = whole
        for part in path[:-1]:
            parent = parent[part]
        if renamed and type(parent) is dict:
            parent[name] = parent.pop(path[-1])
        else:
            parent[path[-1]] = copy.deepcopy(new)
    return whole


def paths_of(value, path: tuple = ()) -> Iterator[tuple]:
    """The paths of all parts of a value, without the value itself."""
    items = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    for name, part in items:
        yield (*path, name)
        yield from paths_of(part, (*path, name))


def as_json(value) -> bytes:
    """JSON of a value, with what Python cannot write."""
    text = json.dumps(value)
    for mark, raw in RAW.items():
        text = text.replace(json.dumps(mark) + ":", json.dumps(raw) + ":").replace(json.dumps(mark), raw)
    return text.encode()


def change_table(text: str, random: random.Random) -> tuple[str, bytes]:
    """A changed copy of a table, or of lines with columns."""
    first = text.split("\n", 1)[0]
    separator = next((mark for mark in ("\t", ";", ",", "|") if mark in first), " ")
    rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    row = random.randrange(0 if random.random() < 0.15 else min(1, len(rows) - 1), len(rows))
    if not rows[row]:
        return ".csv", text.encode()
    column, cell = random.randrange(len(rows[row])), random.choice(CELLS)
    whole_column = random.random() < 0.25
    for number, cells in enumerate(rows):
        if number == row or (whole_column and number and len(cells) > column):
            cells[column] = cell
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return ".csv" if separator != " " else ".txt", out.getvalue().encode()


def as_parquet(rows: list, random: random.Random) -> bytes | None:
    """Rows as a table of Parquet; None where they fit no table."""
    try:
        table, out = pa.Table.from_pylist(rows), io.BytesIO()
        pq.write_table(table, out)
    except (pa.ArrowException, TypeError, AttributeError, ValueError):
        return None
    return change_parquet(out.getvalue(), random)[1]


def change_parquet(data: bytes, random: random.Random) -> tuple[str, bytes]:
    """A changed copy of a table: one value for a whole column, or for one row of it."""
    table, out = pq.read_table(io.BytesIO(data)), io.BytesIO()
    column, new = random.randrange(table.num_columns), random.choice(VALUES)
    values = table.column(column).to_pylist()
    for row in range(len(values)) if random.random() < 0.7 else [random.randrange(len(values))] if values else []:
        values[row] = new
    try:
        pq.write_table(table.set_column(column, table.column_names[column], pa.array(values)), out)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return ".parquet", data
    return ".parquet", out.getvalue()


if __name__ == "__main__":
    sys.exit(main())
