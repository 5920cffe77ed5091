"""What the program puts out on the samples: commands in process, and pages opened by their address without a browser.

Nothing here names a module of the package: commands start at the entry point of pyproject.toml, pages at app.py.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

SAMPLES = ("dense.jsonl", "sparse.jsonl", "hybrid.jsonl", "truth.jsonl", "corpus.jsonl", "verdicts.jsonl.gz")
TRUTH = ("--truth", "truth.jsonl")
PAIR = ("dense.jsonl", "hybrid.jsonl", *TRUTH)
ALL = ("dense.jsonl", "sparse.jsonl", "hybrid.jsonl", *TRUTH)
METRICS = ("-m", "nDCG@10 R@5 RR AP P@3 TokenF1")
QUICK = (*METRICS, "--resamples", "500")
ENDPOINT = ("--base-url", "http://127.0.0.1:9/v1", "--model", "toy", "--dry-run", "--price-in", "1", "--price-out", "2")
SYSTEM = '''
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["query_id"] == "warm-up":
        print(json.dumps({"query_id": "warm-up"}), flush=True)
        continue
    number = int(asked["query_id"][1:])
    doc = "right" if sys.argv[1] == "good" or number % 2 else "wrong"
    docs = [{"doc_id": f"{doc}-q{number}", "score": 1.0}]
    print(json.dumps({"query_id": asked["query_id"], "answer": asked["question"], "retrieved": docs}), flush=True)
'''
GIVEN = {
    "run.trec": "q1 Q0 a 1 3.0 t\nq1 Q0 b 2 2.0 t\nq1 Q0 c 3 1.0 t\nq2 Q0 b 1 2.0 t\nq2 Q0 a 2 1.0 t\n",
    "other.trec": "q1 Q0 c 1 3.0 t\nq1 Q0 b 2 2.0 t\nq2 Q0 a 1 2.0 t\n",
    "qrels.txt": "q1 0 b 1\nq2 0 b 2\nq2 0 z 1\nq3 0 a 1\nq4 0 a 0\n",
    "far.txt": "x1 0 a 1\n",
    "bad.trec": "q1 Q0 a 1 nan t\nq1 Q0 b 2 high t\n",
    "empty.trec": "",
    "notes.md": "# Notes\n\nNothing to see here.\n",
    "columns.csv": "query_id,score\nq1,2\n",
    "twice.trec": "q1 Q0 a 1 3.0 t\nq1 Q0 a 2 2.0 t\n",
    "cut.json": '{"q1": [1, 2',
    "binary.run": "\x00\x01\x02\x03" * 99,
    "verdicts.csv": "query_id,value,missing\n" + "".join(f"q{i},{int(i % 4 > 0)},\n" for i in range(100))
                    + "qx,,refused\n",
    "labels.csv": "query_id,label\n" + "".join(f"q{i},{int(i % 5 > 0)}\n" for i in range(0, 100, 3)),
    "questions.jsonl": "".join(
        json.dumps({"query_id": f"q{i}", "query": f"question {i}?", "relevant": [f"right-q{i}"]}) + "\n"
        for i in range(1, 25)),
    "system.py": SYSTEM,
}
SMALL = ("run.trec", "other.trec", "--truth", "qrels.txt")
JSON, CSV = ("--format", "json"), ("--format", "csv")
SLICED = ("--match", "evidence", "--corpus", "corpus.jsonl")
REPLIES = ("verdicts", "dense.jsonl", *TRUTH)
ASK = ("ab", "--a", f"{sys.executable} system.py half", "--b", f"{sys.executable} system.py good", "--lines",
       "--truth", "questions.jsonl", "-m", "P@1 RR R@1", "--output-dir", "asked")

# name: commands that are run one after the other in a folder and a workspace of their own
COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "evaluate": [
        ("evaluate", *ALL), *[("evaluate", *ALL, *QUICK, "--format", name)
                              for name in ("json", "csv", "markdown", "latex")],
        ("evaluate", *ALL, "-m", "nDCG@10", "--format", "junit", "--fail-under", "nDCG@10=0.7"),
        ("evaluate", *PAIR, *QUICK, "--format", "xlsx", "-o", "means.xlsx"),
        ("evaluate", *PAIR, "-m", "P R@5 Rprec bpref Judged", "--cutoffs", "1,3", *CSV)],
    "evaluate-choices": [
        ("evaluate", *PAIR, *QUICK, *CSV, "--ties", "file", "--missing", "skip", "--unanswerable", "zero"),
        ("evaluate", *PAIR, *METRICS, *CSV, "--seed", "7", "--resamples", "500"),
        ("evaluate", *PAIR, "-m", "nDCG@10 R@10", *CSV, *SLICED),
        ("evaluate", *PAIR, "-m", "nDCG@10", "--fail-under", "nDCG@10=0.9"),
        ("evaluate", *PAIR, "-m", "nDCG@10", "--fail-under", "nDCG@10.low=0.4")],
    "evaluate-per-query": [
        *[("evaluate", *PAIR, *METRICS, "--per-query", *CSV, "--shape", name) for name in ("rows", "long", "wide")],
        ("evaluate", *SMALL, *METRICS, "--per-query", *JSON), ("evaluate", *SMALL, "-m", "RR", "--per-query"),
        ("evaluate", *PAIR, *METRICS, "--per-query", "--format", "parquet", "-o", "values.parquet")],
    "compare": [
        ("compare", *ALL), *[("compare", *ALL, *QUICK, "--permutations", "5000", "--format", name)
                              for name in ("json", "csv", "latex")],
        ("compare", *PAIR, *QUICK, "--format", "markdown", "--margin", "0.02", "--correction", "bh"),
        ("compare", *PAIR, "-m", "nDCG@10", "--no-worse-than", "0.001"),
        ("compare", *PAIR, "-m", "nDCG@10", "--no-worse-than", "nDCG@10=0.1")],
    "check": [("check", *ALL), ("check", *ALL, *JSON), ("check", *SMALL, *JSON), ("check", *SMALL),
              ("check", "bad.trec", "notes.md", *JSON), ("check", "run.trec")],
    "diagnose": [("diagnose", *ALL), ("diagnose", *PAIR, *JSON), ("diagnose", *PAIR, "--queries", *CSV),
                 ("diagnose", *PAIR, "--format", "markdown", "--k", "3", "--rel", "2", "--right", "0.3"),
                 ("diagnose", "dense.jsonl", *TRUTH, "--corpus", "corpus.jsonl", "--queries", *JSON)],
    "trust": [
        ("trust", "--verdicts", "verdicts.csv", "--labels", "labels.csv"),
        ("trust", "--verdicts", "verdicts.csv", "--labels", "labels.csv", *JSON),
        ("trust", "--verdicts", "verdicts.csv", "--labels", "labels.csv", *CSV),
        ("trust", "--verdicts", "verdicts.csv", "--labels", "labels.csv", "--format", "markdown", "--cut", "none"),
        ("trust", *PAIR, "-m", "SupportCoverage", "--sheet", "sheet.csv", "-n", "5")],
    "verdicts": [
        (*REPLIES, "--read", "verdicts.jsonl.gz"), ("evaluate", *PAIR, "-m", "Faithfulness Correctness", *JSON),
        *[(*REPLIES, "--format", name.partition(".")[0], "-o", name)
          for name in ("rows.jsonl", "ragas.csv", "deepeval.json", "ledger.jsonl")],
        ("diagnose", "dense.jsonl", *TRUTH, *JSON)],
    "judge": [("judge", *PAIR, *ENDPOINT), ("judge", *PAIR, *ENDPOINT, "-m", "Correctness", "--sample", "20"),
              ("judge", *PAIR, *ENDPOINT, "-m", "ClaimFaithfulness", "--votes", "3")],
    "testset": [("testset", "corpus.jsonl", *ENDPOINT, "-n", "25", "-o", "questions-new.jsonl")],
    "metrics": [("metrics", *JSON), ("metrics",), ("metrics", "RR", *JSON)],
    "convert": [
        ("convert", "dense.jsonl", "-o", "dense.trec"), ("convert", "dense.trec", "-o", "again.csv"),
        ("convert", "again.csv", "-o", "once-more.trec"), ("convert", "dense.jsonl", "-o", "dense.parquet"),
        ("convert", "dense.parquet", "-o", "whole.jsonl"), ("convert", "truth.jsonl", "--truth", "-o", "qrels.trec"),
        ("convert", "truth.jsonl", "--truth", "-o", "truth.csv"),
        ("evaluate", "once-more.trec", "whole.jsonl", "--truth", "qrels.trec", "-m", "nDCG@10", *CSV)],
    "report": [("report", *PAIR, "-o", "pair.html"),
               ("report", "dense.jsonl", *TRUTH, "--no-texts", "--k", "5", "-o", "single.html")],
    "ab": [(*ASK, *JSON), (*ASK, *CSV), (*ASK,), ("evaluate", "asked/a.jsonl", "--truth", "questions.jsonl", *CSV)],
    "bad-input": [
        ("evaluate", "run.trec", "--truth", "qrels.txt", "-m", "nDGC@10"),
        ("evaluate", "run.trec", "--truth", "qrels.txt", "-m", "RR", "--fail-under", "P@5=0.1"),
        ("evaluate", "run.trec", "--truth", "qrels.txt", "-m", "RR", "--fail-under", "RR"),
        ("evaluate", "gone.trec", "--truth", "qrels.txt"), ("evaluate", "qrels.txt", "--truth", "qrels.txt"),
        ("evaluate", "run.trec", "--truth", "run.trec"), ("evaluate", "run.trec", "--truth", "far.txt"),
        ("evaluate", "bad.trec", "gone", "--truth", "none"), ("evaluate", "empty.trec", "--truth", "qrels.txt"),
        ("evaluate", "notes.md", "--truth", "qrels.txt"), ("evaluate", "columns.csv", "--truth", "qrels.txt"),
        ("evaluate", "twice.trec", "--truth", "qrels.txt", "--duplicates", "error"),
        ("evaluate", "cut.json", "--truth", "qrels.txt"), ("evaluate", "binary.run", "--truth", "qrels.txt"),
        ("evaluate", *SMALL, "-m", "TokenF1"),
        ("compare", "run.trec", "--truth", "qrels.txt"), ("convert", "run.trec", "-o", "run.unknown"),
        ("trust", "--verdicts", "qrels.txt", "--labels", "labels.csv"), ("metrics", "foo"), ("evaluate", "--wrong"),
        ("judge", *SMALL, *ENDPOINT), ("report", "run.trec", "--truth", "qrels.txt", "--sections", "none")],
}

# the visits of the pages: their name, how the session begins, the pages (None: all), and what the address adds
CHOICES = {"k": "5", "metric": "RR", "match": "evidence", "baseline": "40ec847c954e", "unanswerable": "zero",
           "picture": "histogram", "axis": "linear", "view": "11", "desk": "label", "detail": "queries",
           "part": "validation"}
PART_KEYS = {"compare": "detail", "answers": "part", "threshold-bands": "bands_part", "data": "data_part"}
PARTS = ("compare/queries", "compare/slices", "compare/means", "compare/similarity", "threshold-bands/speed",
         "answers/judge", "answers/validation", "data/evidence")  # page/part: what a page shows when this is chosen
RANKED = ("compare", "threshold-bands", "score-cutoffs", "precision-recall", "queries", "answers")
VISITS: dict[str, tuple[str, tuple[str, ...] | None, dict[str, str]]] = {
    "nothing": ("nothing", None, {}),
    "single": ("single", None, {}),
    "samples": ("samples", None, {}),
    "parts": ("samples", PARTS, {}),
    "choices": ("samples", RANKED, CHOICES),
    "answer values": ("samples", ("answers",), {"answer_parts": "Distribution and retrieval"}),
    "answer browser": ("samples", ("answers",), {"answer_parts": "One by one"}),
}


def entry_point(root: Path):
    """The function behind the command, as pyproject.toml names it."""
    module, name = tomllib.loads((root / "pyproject.toml").read_text())["project"]["scripts"]["ragdash"].split(":")
    return getattr(importlib.import_module(module), name)


@contextlib.contextmanager
def quiet_environment(folder: Path, **more: str) -> Iterator[None]:
    """Nothing of the user's: an empty workspace and cache in this folder, and a fixed width."""
    kept = dict(os.environ)
    for name in [name for name in kept if name.startswith("RAGDASH_") or name.endswith("_API_KEY")]:
        del os.environ[name]
    os.environ |= {"RAGDASH_WORKSPACE": str(folder / "workspace"), "RAGDASH_CACHE": str(folder / "cache"),
                   "COLUMNS": "100", **more}
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def run_commands(root: Path, name: str, folder: Path) -> list[dict]:
    """Every command of COMMANDS[name]: arguments, status, kinds of problems, outputs, and the files it wrote."""
    command, results = entry_point(root), []
    for sample in SAMPLES:
        shutil.copy(root / "sample_runs" / sample, folder)
    for file, text in GIVEN.items():
        (folder / file).write_text(text, encoding="utf-8")
    with quiet_environment(folder), contextlib.chdir(folder), recorded_problems() as problems:
        for arguments in COMMANDS[name]:
            problems.clear()
            before = contents(folder)
            status, out, err = call(command, arguments)
            written = {path: data for path, data in contents(folder).items() if before.get(path) != data}
            results.append({"arguments": list(arguments), "status": status, "out": out, "err": err,
                            "kinds": list(problems) if status == 2 else [], "files": written})
    return results


def contents(folder: Path) -> dict[str, bytes]:
    own = ("workspace", "cache")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.relative_to(folder).parts[0] not in own}


def call(command, arguments: tuple[str, ...]) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        try:
            status = command(list(arguments))
        except SystemExit as end:
            status = end.code
    out, err = (stream.buffer.getvalue().decode() for stream in streams)
    return status, out, err


@contextlib.contextmanager
def recorded_problems() -> Iterator[list[str]]:
    """The kinds of the problems of the InputError that was raised last, wherever its class lives."""
    kinds: list[str] = []
    error = next(module.InputError for name, module in sorted(sys.modules.items())
                 if name.partition(".")[0] == "ragdash" and hasattr(module, "InputError"))
    original = error.__init__

    def record(self, problems, *rest, **options):
        problems = list(problems)
        kinds[:] = [problem.kind for problem in problems]
        original(self, problems, *rest, **options)

    error.__init__ = record
    try:
        yield kinds
    finally:
        error.__init__ = original


def visit(root: Path, name: str, folder: Path, order=sorted) -> dict[str, dict]:
    """Every page of a visit, each in a fresh session that is opened by its address: {page: content}."""
    from streamlit.testing.v1 import AppTest

    start, pages, more = VISITS[name]
    samples = root / "sample_runs"
    given = {variable: json.dumps([str(samples / file)]) for variable, file in (
        ("RAGDASH_FILES", "dense.jsonl"), ("RAGDASH_TRUTH", "truth.jsonl"))}
    with quiet_environment(folder, **given if start == "single" else {}), contextlib.chdir(root):
        first = AppTest.from_file(root / "app.py", default_timeout=120)
        first.secrets = {}
        first.run()
        if start == "samples":
            first.button(key="samples").click().run()
        assert not first.exception, first.exception
        address = {**first.query_params, **more}
        results = {}
        for page in order(pages or page_names(root)):
            forget_hybrids()
            session = AppTest.from_file(root / "app.py", default_timeout=120)
            session.secrets = {}
            path, _, part = page.partition("/")
            for key, value in (address | ({PART_KEYS[path]: part} if part else {})).items():
                session.query_params[key] = value
            session.switch_page(f"pages/{path}.py").run()
            assert not session.exception, (page, session.exception)
            results[page] = page_content(session)
    return results


def forget_hybrids() -> None:
    """Overview names a better hybrid where What-if was opened before: a page shall not depend on the order of pages."""
    from ragdash.dashboard.caches import what_if_cache

    what_if_cache._gain._results.clear()


def page_names(root: Path) -> list[str]:
    """The pages, without the addresses of earlier versions."""
    return [path.stem for path in (root / "pages").glob("*.py") if "redirect" not in path.read_text(encoding="utf-8")]


def page_content(session) -> dict:
    """The address, and the elements of the main area and of the sidebar in their order."""
    address = {key: list(value) if isinstance(value, list | tuple) else value
               for key, value in session.query_params.items()}
    tree = session._tree
    return {"address": address, "main": list(elements(tree[0])), "sidebar": list(elements(tree[1]))}


def elements(node, depth: int = 0) -> Iterator[dict]:
    """The elements below a node; every one with its depth, type, key and what the browser is sent."""
    for child in node.children.values():
        inner = hasattr(child, "children")
        facts = {"depth": depth, "type": child.type, "key": getattr(child, "key", None) or None}
        sent = getattr(child, "proto", None)
        if sent is not None:
            facts |= message(child.type, sent)
        if not inner and getattr(sent, "id", ""):
            with contextlib.suppress(KeyError, AttributeError, NotImplementedError):
                facts["value"] = repr(child.value) if not is_plain(child.value) else child.value
        yield facts
        if inner:
            yield from elements(child, depth + 1)


def is_plain(value) -> bool:
    return isinstance(value, str | int | float | None) or (
        isinstance(value, list | tuple) and all(isinstance(item, str | int | float) for item in value))


UNSENT = ("id", "page_script_hash", "data", "url", "help", "arrow_data", "styler", "deferred_file_id")  # or by chance


def message(kind: str, sent) -> dict:
    """What the browser is sent for an element, tables and figures decoded."""
    if kind == "plotly_chart":
        return {"figure": json.loads(sent.spec), "alt": getattr(sent, "alt", "")}
    if kind in ("dataframe", "table"):
        return {"frame": frame(sent)}
    if kind == "bidi_component" and sent.bytes:  # a list: 32 letters, then its columns
        return {"frame": {column["label"]: column["cells"] for column in json.loads(sent.bytes[32:])["columns"]}}
    facts = {}
    for field, value in sent.ListFields():
        name = field.name
        if name in UNSENT or field.message_type:
            continue
        name = {"type": "type_", "key": "key_"}.get(name, name)
        facts[name] = list(value) if not isinstance(value, str | int | float | bool) else value
    for name in ("url", "help"):
        text = getattr(sent, name, "")
        if isinstance(text, str) and text and not text.startswith("/media/"):
            facts[name] = text
    return facts


def frame(sent) -> dict:
    """Column names and values of a table."""
    import pyarrow as pa

    with pa.ipc.open_stream(sent.arrow_data.data) as stream:
        table = stream.read_all()
    return {name: column.to_pylist() for name, column in zip(table.column_names, table.columns, strict=True)}
