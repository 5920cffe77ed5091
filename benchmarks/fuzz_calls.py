"""Call every function of the Python API with odd arguments: nothing but a result or a clear error may come of it.

    python benchmarks/fuzz_calls.py [--seconds 300] [--seed NUMBER] [--only NAME]

The good arguments are those of the examples in docstrings and of a tour through the documented calls. One argument, or
one part of it, becomes None, NaN, 2**70, half a character, an array of objects, an empty frame, a generator, a closed
file and so on; what comes of the call is drawn, written and evaluated. An error that ragdash raises in its own words is
right; one of Python, numpy, pandas or pyarrow from inside is a failure, and so is a warning of theirs.
"""

from __future__ import annotations

import copy
import datetime
import doctest
import functools
import importlib
import inspect
import io
import os
import pkgutil
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import FunctionType

import fuzz_types
import numpy as np
import pandas as pd
import pyarrow as pa
from fuzz_types import ROOT, Fault, Search

from ragdash.core.errors import InputError, Unavailable
from ragdash.core.records import Run, Truth
from ragdash.core.records import arguments as arguments_of

MOST_SECONDS = 20
MOST_MEMORY = 8 << 30
CALLS_KEPT = 6  # good calls of one function
CONVENTIONS = ("ties", "missing", "unanswerable", "duplicates")
CHANGES_THINGS = {"append", "clear", "close", "extend", "insert", "pop", "remove", "reverse", "sort", "delete"}
RESULTS = tuple(f"{kind}.__init__" for kind in (
    "Evaluation", "RunHistory", "Variants", "JudgeValidation", "Run", "Truth"))
"""What functions make, and nobody by hand."""
good_calls: dict[str, list[tuple[Callable, tuple, dict]]] = {}
is_recording = False


class Frame:
    """Something like a frame of polars: columns, and no more."""

    columns = ("query_id", "doc_id")

    def __getitem__(self, name: str) -> list:
        return {"query_id": ["q1"], "doc_id": ["d1"]}[name]


class Hostile:
    """An object whose every use fails."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)

    def __repr__(self) -> str:
        raise RuntimeError("repr")


def odd_values() -> list:
    """New odd values: generators and files are used up."""
    closed = io.StringIO("x")
    closed.close()
    return [
        *fuzz_types.VALUES, -1.5, 10**400, 3 + 4j, float("-inf"), Decimal("NaN"), Decimal("1.5"), Fraction(1, 3), b"",
        b"\xff", bytearray(b"x"), set(), {"a"}, frozenset(), (), ("a",), range(3), (n for n in "ab"), iter([]), object,
        lambda: 1, lambda *_: None, functools.partial(int, "7"), len, print, closed, io.StringIO("q1 0 d1 1"), Ellipsis,
        Path("."), Path("/"), Path("no/such"), Path("/dev/null"), Path("\udcff"), Path("a\0b"),
        "file:///x", "é" * 300, "../x", "q1", ["q1"], {"q1": ["d1"]}, {"q1": {"d1": 1}}, {"q1": None}, {"q1": {}},
        {"q1": {"d1": float("nan")}}, {1: ["d"]}, {None: [1]}, {"q1": {"d1": 2**70}}, {"q1": {"d1": "x"}},
        {"q1": {"d1": True}}, {"q1": {"d1": 1 + 2j}}, {"q1": "d1"}, {"q1": [["d1", 1.0]]}, {"q1": [{"doc_id": "d1"}]},
        [{"query_id": "q1", "documents": ["d1"]}], [{"query_id": "q1"}], [{"query_id": None, "documents": None}],
        np.array(5), np.array(["a"]), np.array([]), np.array([None, 1], object), np.array([[1, 2]]), np.zeros((0, 3)),
        np.float32(1.5), np.int8(3), np.bool_(True), np.nan, np.datetime64("NaT"), np.datetime64("2026-11-29"),
        np.timedelta64(3, "D"), np.str_("x"), np.ma.masked_array([1.0, 2.0], [True, False]), np.ma.masked,
        np.zeros(2, [("a", "i4")]), np.array([1e308, -1e308]), np.array([np.nan]), np.array([True]), np.array([2**63]),
        pd.DataFrame(), pd.DataFrame({"a": [1]}), pd.DataFrame({"query_id": [], "doc_id": []}), pd.Series([1, 2]),
        pd.DataFrame({"query_id": [1.5], "doc_id": [None]}), pd.Series([], dtype=object), pd.NA, pd.NaT,
        pd.DataFrame({"query_id": pd.Categorical(["a"]), "doc_id": pd.Categorical(["b"]), "score": ["x"]}),
        pd.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "grade": [np.inf], "score": [pd.Timestamp(0)]}),
        pd.DataFrame([[1, 2]], columns=["query_id", "query_id"]), pd.DataFrame({("a", "b"): [1]}), pd.Index(["a", "b"]),
        pd.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "score": pd.array([None], "Int64")}), pd.Timestamp(0),
        pd.Categorical(["a", None]), pd.Interval(0, 1), pd.Timedelta(1, "D"), Frame(), Hostile(), Hostile, sys,
        type(None), pd.Series(["a"]),
        pa.table({"query_id": ["q1"], "doc_id": ["d1"]}), pa.table({}), pa.array(["a", None]), pa.scalar(3),
        pa.array([1.5]),
        pa.array([["a"]]), pa.chunked_array([], pa.string()), pa.array([], pa.null()), pa.table({"query_id": [["a"]]}),
        pa.array(["a"]).dictionary_encode(), datetime.datetime.min, datetime.datetime.max, datetime.date(1, 1, 1),
        datetime.time(1), datetime.timedelta.max, datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC), memoryview(b"ab"),
        np.longdouble(0.5), np.clongdouble(1), np.float16(0.5), np.linspace(0, 1, 2, dtype=np.longdouble),
        *(np.timedelta64(12, unit) for unit in ("ns", "ms")), np.timedelta64("NaT"), np.datetime64(12, "ns"),
        [pd.NaT], {"a": pd.NA}, pd.Series(pd.to_timedelta([12], unit="ms")),
        datetime.datetime.min.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
        datetime.datetime.max.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=-1))),
        InputError([]), ValueError("x"), itself()]


def itself() -> list:
    """A list that has itself as its item."""
    whole: list = []
    whole.append(whole)
    return whole


def recording(function: Callable) -> Callable:
    """The function, `checked`, which keeps its arguments while good calls are made."""
    right = arguments_of.checked_before(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        kept = good_calls.setdefault(f"{function.__module__}.{function.__qualname__}", [])
        if is_recording and len(kept) < CALLS_KEPT:
            made = functools.partial(type(args[0])) if function.__name__ == "__init__" else None
            kept.append((made or right, args[made is not None:], dict(kwargs)))
        return right(*args, **kwargs)

    return call


arguments_of.checked_before, arguments_of.checked = arguments_of.checked, recording
for kind in (Run, Truth):  # imported with `checked`
    arguments_of.checked_methods(kind)
import ragdash  # noqa: E402  (after the change of `checked`, which marks the functions as they are imported)


def main(arguments: list[str] | None = None) -> int:
    """Make calls until the time is over; returns the exit status."""
    search = fuzz_types.begin(arguments)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(Fault(f"more than {MOST_SECONDS} seconds")))
    os.chdir(search.folder)
    collect_good_calls(search.folder)
    names = sorted(name for name, calls in good_calls.items() if calls and search.options.only in name
                   and not name.endswith(RESULTS))
    print(f"{len(names)} functions; no good call of " + ", ".join(
        name for name, calls in good_calls.items() if not calls), flush=True)
    end = time.monotonic() + search.options.seconds
    while time.monotonic() < end:
        search.copies += 1
        try_call(search, search.random.choice(names))
    print(f"{search.calls} calls, failures: {len(search.seen)}, slowest {search.slowest[0]:.1f} s "
          f"({search.slowest[1][:200]})")
    return 1 if search.seen else 0


def collect_good_calls(folder: Path) -> None:
    """Run the examples of all docstrings, and the tour; the calls are kept that end well a second time."""
    global is_recording
    is_recording = True
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        for module in pkgutil.walk_packages(ragdash.__path__, "ragdash."):
            if module.name.startswith(("ragdash.dashboard", "ragdash.cli", "ragdash.__main__")):
                continue
            with suppress(ImportError):
                doctest.testmod(importlib.import_module(module.name))
        tour(folder)
        is_recording = False
        for calls in good_calls.values():
            calls[:] = [call for call in calls if is_good(*call)]


def is_good(function: Callable, args: tuple, kwargs: dict) -> bool:
    try:
        function(*args, **kwargs)
    except Exception:
        return False
    return True


def tour(folder: Path) -> None:
    """The calls that the documents show, on the sample runs and on small ones."""
    samples = ROOT / "sample_runs"
    run, other = (ragdash.read_run(samples / f"{name}.jsonl") for name in ("dense", "sparse"))
    truth = ragdash.read_truth(samples / "truth.jsonl")
    ragdash.read_runs(samples / "dense.jsonl")
    small = {"q1": {"d2": 1.5, "d7": 3.0}, "q2": {"d1": 0.5}}
    right = {"q1": {"d7": 2}, "q2": ["d5"]}
    for source, judged in ((small, right), (run, truth)):
        first = ragdash.evaluate(source, judged, "nDCG@10 RR R@5")
        for call in (first.summary, first.frame, first.plot, first.means):
            call()
        first.plot(picture="first-rank")
        first.column("RR")
        first.only(first.query_ids.to_pylist()[:1])
        first.report(folder / "report.html")
        table = ragdash.compare(source, {"other": source}, "RR", truth=judged)
        table.frame()
        table.plot()
        table.summary()
        table.assert_no_regression(margin=1.0)
        table.report(folder / "comparison.html")
        table[0][0].frame()
        table[0][0].plot()
        ragdash.fuse([source, source], "rrf")
        ragdash.history([source], judged, "RR").frame()
    table = ragdash.compare(run, [other], "RR", truth=truth)
    table.by_slice("type")
    table.plot("scatter")
    importlib.import_module("ragdash.io").write_run(run, folder / "run.trec")
    ragdash.evaluate_stream(folder / "run.trec", truth, "RR")
    run.report(folder / "run.html", truth)
    truth.report(folder / "truth.html", run)
    run.plot("scores")
    truth.plot("grades")
    run.ranking("q001" if "q001" in run.query_ids.to_pylist() else run.query_ids[0].as_py())
    frame = pd.DataFrame({"qid": ["q1"], "doc_id": ["d1"], "similarity": [0.5]})
    ragdash.Run.from_frame(frame, columns={"query_id": "qid", "score": "similarity"})
    ragdash.Truth.from_frame(pd.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "grade": [1]}))
    records = [{"query_id": "q1", "documents": ["d7", {"doc_id": "d2", "text": "x"}], "answer": "a",
                "contexts": ["x"], "latency_ms": 5, "attributes": {"kind": "a"}, "usage": {"prompt_tokens": 5}}]
    ragdash.Run.from_records(records)
    ragdash.Truth.from_records([{"query_id": "q1", "relevant": {"d7": 2, "d2": 0}, "query": "x", "answers": ["a"]}])
    questions = {"q1": "who?", "q2": "what?"}
    ragdash.record_retriever(lambda question: ["d1", "d2"], questions, name="retriever", folder=folder / "logs")
    swept = ragdash.sweep(lambda setting: lambda question: ["d1", "d2", "d3"][-setting["k"]:], {"k": [1, 2, 3, 4]},
                          questions, folder=folder / "swept")
    ragdash.variants(swept, {"q1": ["d1"], "q2": ["d3"]}, "RR").frame()
    ragdash.history(str(folder / "swept"), {"q1": ["d1"], "q2": ["d3"]}, "RR").plot()
    with ragdash.record("app", settings={"k": 5}, folder=folder / "logs2") as recording_of_app:
        recording_of_app.add("q1", ["d1", "d2"])
        recording_of_app.add("q2", [{"doc_id": "d1", "text": "a", "source": "s"}], query="who?", answer="x",
                             contexts=["a"], latency_ms={"retrieval": 5.0}, usage={"prompt_tokens": 5}, cost_usd=0.1,
                             attributes={"kind": "new"})
    shared_fields = {"query": "who?", "attributes": {"kind": "new"}, "own": {"a": ["x"]},
                     "chat_history": [{"role": "user", "content": "hello"}]}
    ragdash.Run.from_records([{
        "query_id": "q1", "documents": [{"doc_id": "d1", "score": 1.5, "rank": 1, "text": "a", "source": "s"}],
        "answer": "x", "contexts": ["a"], "latency_ms": {"retrieval": 5.0}, "usage": {"prompt_tokens": 5},
        "cost_usd": 0.1, **shared_fields}])
    ragdash.Truth.from_records([{
        "query_id": "q1", "relevant": {"d1": 2}, "answers": ["x"], "evidence": [{"text": "a", "source": "s"}],
        "subtopics": [{"subtopic": "s", "doc_id": "d1", "grade": 1}], "allowed": ["d1"], **shared_fields}])
    ragdash.query_map(truth)
    answers = ragdash.evaluate(run, truth, "EM TokenF1")
    ids = answers.query_ids.to_pylist()
    ragdash.validate_judge(answers, {query: 1.0 for query in ids[:20]}, "TokenF1").plot()
    repeats = importlib.import_module("ragdash.evaluation.repeats")
    repeats.mean_over_repeats([answers, answers])
    importlib.import_module("ragdash.analysis.test_set.check").check_test_set([run], truth)


def try_call(search: Search, name: str) -> None:
    """One good call with one odd argument, and what its result is good for."""
    function, args, kwargs = search.random.choice(good_calls[name])
    changed, words = change_arguments(search, function, args, kwargs)
    if changed is None:
        return
    search.attempt(words, Path(os.devnull), [name], lambda: call_and_use(function, *changed, name))


def change_arguments(search: Search, function: Callable, args: tuple, kwargs: dict) -> tuple:
    """((arguments, keywords), words) with one argument, or a part of it, replaced."""
    random = search.random
    parameters = list(inspect.signature(function).parameters.values())
    takes_self = bool(parameters) and parameters[0].name in ("self", "cls")
    names = [parameter.name for parameter in parameters[takes_self:] if parameter.kind not in (
        parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)]
    names += [name for parameter in parameters if parameter.name == "conventions" for name in CONVENTIONS]
    if any(parameter.kind == parameter.VAR_POSITIONAL for parameter in parameters):
        names.append("*")
    if not names:
        return None, ""
    name, place = random.choice(names), {name: number + takes_self for number, name in enumerate(names)}
    new, args, kwargs = random.choice(odd_values()), list(args), dict(kwargs)
    if name == "*":
        args.append(new)
        return (args, kwargs), f"*{describe(new)}"
    index = place[name]
    before = args[index] if index < len(args) else kwargs.get(name)
    if random.random() < 0.4 and isinstance(before, dict | list) and before:
        new = part_changed(before, new, random)
    if index < len(args) and name not in kwargs:
        args[index] = new
    else:
        kwargs[name] = new
    return (args, kwargs), f"{name}={describe(new)}"


def part_changed(whole, new, random):
    """A copy of a dict or a list with one part replaced, or one key."""
    whole = copy.copy(whole)
    key = random.choice(list(whole) if isinstance(whole, dict) else range(len(whole)))
    if isinstance(whole[key], dict | list) and whole[key] and random.random() < 0.6:
        whole[key] = part_changed(whole[key], new, random)
    elif isinstance(whole, dict) and random.random() < 0.3:
        with suppress(Exception):  # no key of a dict
            whole[new] = whole.pop(key)
    else:
        whole[key] = new
    return whole


def describe(value: object) -> str:
    try:
        return f"{type(value).__name__} {value!r}"[:300]
    except Exception:
        return type(value).__name__


def call_and_use(function: Callable, args: list, kwargs: dict, name: str) -> None:
    """Call a function, and use the result; Fault where an error comes from inside, or a warning."""
    signal.alarm(MOST_SECONDS)
    try:
        with warnings.catch_warnings(record=True) as seen, redirect_stdout(io.StringIO()), \
                redirect_stderr(io.StringIO()):
            warnings.simplefilter("always")
            result = function(*args, **kwargs)
            used = f"{name}, then "
            for use, act in uses(result):
                used = f"{name}, then {use}"
                attempt_use(act, used)
    except Exception as error:
        if not is_clear(error):
            raise
    finally:
        signal.alarm(0)
    for warning in seen:
        if issubclass(warning.category, RuntimeWarning | FutureWarning | DeprecationWarning | ResourceWarning) and \
                "/benchmarks/" not in warning.filename and not issubclass(warning.category, ResourceWarning):
            raise Fault(f'File "{warning.filename}", line {warning.lineno}\n{warning.category.__name__}: '
                        f"{warning.message}")


def attempt_use(act: Callable, words: str) -> None:
    try:
        act()
    except Exception as error:
        if not is_clear(error):
            error.add_note(words)
            raise


def is_clear(error: Exception) -> bool:
    """Whether ragdash raised the error in its own words, or Python one about the call."""
    if isinstance(error, InputError | Unavailable):
        return True
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    if isinstance(error, AssertionError) and "ragdash/evaluation" in last.filename:
        return True
    if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
        return True
    if last.filename == __file__ and not isinstance(error, Fault):
        return last.name in ("<lambda>", "call_and_use", "__getattr__", "__repr__")  # no parameter of that name; ours
    return isinstance(error, TypeError | ValueError | LookupError) and "/ragdash/" in last.filename and \
        (last.line or "").startswith("raise ")


def uses(result: object) -> Iterator[tuple[str, Callable]]:
    """What is done with a result: its words, its properties and methods without arguments, and evaluations."""
    if result is None or inspect.ismodule(result):
        return
    yield "repr", lambda: repr(result)
    yield "str", lambda: str(result)
    kind = type(result)
    if kind.__module__.partition(".")[0] == "ragdash":
        for name in dir(kind):
            if (name.startswith("_") and name != "_repr_html_") or name in CHANGES_THINGS:
                continue
            member = inspect.getattr_static(kind, name)
            if isinstance(member, property | functools.cached_property):
                yield name, lambda name=name: getattr(result, name)
            elif isinstance(member, FunctionType) and not any(
                    parameter.default is parameter.empty and parameter.kind in (0, 1, 3)
                    for parameter in list(inspect.signature(member).parameters.values())[1:]):
                yield name, lambda name=name: getattr(result, name)()
    if isinstance(result, ragdash.Run) and len(result.query_ids):
        yield "evaluate", lambda: ragdash.evaluate(result, ragdash.Truth.build(
            "t", [result.query_ids[0].as_py()], [result.docs[0].as_py() if len(result.docs) else "d"], [1])).report(
                "use.html")
        yield "compare", lambda: ragdash.compare(result, [result], truth=ragdash.Truth.of_queries([result]))
        yield "write", lambda: importlib.import_module("ragdash.io.write.write").write_run(result, "use.jsonl")
    if isinstance(result, ragdash.Truth):
        yield "evaluate", lambda: ragdash.evaluate(
            {query: ["d1"] for query in result.query_ids.to_pylist()}, result).report("use.html")
    if isinstance(result, ragdash.Evaluation):
        yield "report", lambda: result.report("use.html")
        yield "report", lambda: result.plot(result, picture="scatter")
    if isinstance(result, list) and result and isinstance(result[0], ragdash.Run):
        yield from uses(result[0])


if __name__ == "__main__":
    sys.exit(main())
