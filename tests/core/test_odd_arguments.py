"""Every public function with arguments that no parameter takes: an InputError that says what was expected."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from evidence_cases import truth_with_evidence

import ragdash
from ragdash.analysis.diagnosis import DiagnosisRules, diagnose, explain
from ragdash.analysis.failure_patterns.clusters import clusters, question_vectors
from ragdash.analysis.failure_patterns.shared_traits import compare_traits
from ragdash.analysis.judge_validation import fit_judge
from ragdash.analysis.run_similarity.measures import kendall_tau, rank_biased_overlap
from ragdash.analysis.run_similarity.top_k_lists import collect_top_k
from ragdash.analysis.run_similarity.unique_and_oracle import oracle, unique_documents
from ragdash.analysis.test_set.check import check_test_set
from ragdash.analysis.test_set.unjudged.judge_next import judge_next
from ragdash.analysis.tracking import gate, pin, read_baseline
from ragdash.analysis.tracking.drift import compare_logs
from ragdash.analysis.unsupported_words import sentence_support, unsupported, unsupported_numbers
from ragdash.analysis.variants import main_effects
from ragdash.core.errors import InputError, Problem, UnknownKey
from ragdash.core.slices import Slice
from ragdash.evaluation.bands.toml_file import read_bands, write_bands
from ragdash.evaluation.repeats import mean_over_repeats
from ragdash.io import read_corpus
from ragdash.io.recorded.question_log import read_log
from ragdash.io.write.write import write_run, write_truth
from ragdash.matching.evidence import match_evidence
from ragdash.matching.evidence.decisions import read_decisions, write_decisions
from ragdash.matching.match import Match
from ragdash.matching.relink import propose_links, relinked
from ragdash.reporting.tables.regression_set import regression_set, ticket
from ragdash.workspace import Workspace, open_workspace
from ragdash.workspace.reviews import Reviews, ReviewStore
from ragdash.workspace.reviews.apply import reviewed
from ragdash.workspace.reviews.import_export import import_reviews, reviews_jsonl, reviews_qrels

DOCS = Path(__file__).parents[2] / "docs"
ODD = (None, 5, -1, float("nan"), "", "x", [], [None], {}, object())
MORE_ODD = (b"x", float("inf"), 10**5000, [1, "x", None, {}, []], np.array(3), np.zeros((2, 2)), "\0", "\ud800")
RANKINGS, JUDGMENTS = {"q1": ["a", "b"], "q2": ["c"]}, {"q1": ["a"], "q2": ["a"]}
QUESTIONS = "\n".join(["question", *(f"who is {word}?" for word in "abcdefghijkl")]).encode()


def in_view(view: Ranked, k):  # noqa: F821  (a name that ragdash reads)
    """Nothing."""
    return view.returned_at(k)


NOT_CALLED = {"Problem", "InputError", "Summary"}  # what functions raise, and what the others return


def search(question: str) -> list[str]:
    return ["a"]


@pytest.fixture
def calls(tmp_path, monkeypatch) -> dict[str, tuple[Callable, dict]]:
    """Every public function and method by name, each with arguments that work."""
    monkeypatch.chdir(tmp_path)
    run, truth = ragdash.Run.from_dict(RANKINGS, "run"), ragdash.Truth.from_dict(JUDGMENTS)
    write_run(run, "run.trec")
    write_truth(truth, "truth.qrels")
    evaluation = ragdash.evaluate(run, truth, "RR R@5")
    table = ragdash.compare(run, {"b": RANKINGS}, "RR", truth=truth)
    runs = [ragdash.Run.build(f"run {k}", ["q1", "q2"], ["a", "c"], settings={"k": k}) for k in range(4)]
    columns = {"query_id": ["q1"], "doc_id": ["a"]}
    quoted = ragdash.Run.build("x", ["q1"], ["a"], texts=["one two three"])
    measured = {"runs": runs, "truth": JUDGMENTS}
    known: dict[str, tuple[Callable, dict]] = {
        "evaluate": (ragdash.evaluate, {"run": RANKINGS, "truth": JUDGMENTS}),
        "compare": (ragdash.compare, {"baseline": RANKINGS, "candidates": {"b": RANKINGS}, "truth": JUDGMENTS}),
        "evaluate_stream": (ragdash.evaluate_stream, {"run": "run.trec", "truth": JUDGMENTS}),
        "fuse": (ragdash.fuse, {"runs": [RANKINGS, RANKINGS]}),
        "history": (ragdash.history, measured),
        "variants": (ragdash.variants, measured),
        "validate_judge": (ragdash.validate_judge, {"evaluation": evaluation, "labels": {"q1": 1}}),
        "query_map": (ragdash.query_map, {"truth": JUDGMENTS}),
        "read_run": (ragdash.read_run, {"source": "run.trec"}),
        "read_runs": (ragdash.read_runs, {"source": "run.trec"}),
        "read_truth": (ragdash.read_truth, {"source": "truth.qrels"}),
        "read_corpus": (read_corpus, {"source": "truth.qrels"}),
        "write_run": (write_run, {"run": run, "path": "again.trec"}),
        "write_truth": (write_truth, {"truth": truth, "path": "again.qrels"}),
        "parse_specs": (ragdash.parse_specs, {"text": "RR"}),
        "metric": (ragdash.metric, {}),
        "record": (ragdash.record, {"name": "x"}),
        "record_retriever": (ragdash.record_retriever, {"retriever": search, "questions": {"q1": "a"}}),
        "sweep": (ragdash.sweep, {"make": lambda settings: search, "grid": {"k": [1]}, "questions": {"q1": "a"}}),
        "pin": (pin, {"evaluation": evaluation, "truth": truth, "version": "1.0"}),
        "gate": (gate, {"runs": [run], "truth": truth, "baseline": pin(evaluation, truth, version="1.0")}),
        "read_baseline": (read_baseline, {"source": pin(evaluation, truth, version="1.0").to_bytes()}),
        "main_effects": (main_effects, {"evaluations": [evaluation] * 2, "settings": [{"k": "1"}, {"k": "2"}],
                                        "spec": ragdash.parse_specs("RR")[0]}),
        "check_test_set": (check_test_set, {"runs": [run], "truth": truth}),
        "mean_over_repeats": (mean_over_repeats, {"evaluations": [evaluation]}),
        "propose_links": (propose_links, {"truth": truth, "old": {"a": "one two"}, "new": {"b": "one two"}}),
        "relinked": (relinked, {"truth": truth, "relinking": propose_links(truth, {"a": "one"}, {"b": "one"})}),
        "Match": (Match, {"run": run, "truth": truth}),
        "DiagnosisRules": (DiagnosisRules, {}),
        "diagnose": (diagnose, {"match": Match(run, truth)}),
        "explain": (explain, {"diagnosis": diagnose(Match(run, truth)), "query": "q1"}),
        "regression_set": (regression_set, {"truth": truth, "queries": np.array([True, False])}),
        "ticket": (ticket, {"matches": [Match(run, truth)], "queries": np.array([True, False])}),
        "match_evidence": (match_evidence, {"run": quoted, "truth": truth_with_evidence({"q1": ["one two"]})}),
        "fit_judge": (fit_judge, {"matches": [Match(run, truth)], "labels": {"run": {"q1": 1.0}}}),
        "open_workspace": (open_workspace, {"url_or_folder": "workspace"}),
        "Workspace": (Workspace, {"folder": "workspace"}),
        "Conventions": (ragdash.Conventions, {}),
        "Run.build": (ragdash.Run.build, {"name": "x", "query_ids": ["q"], "docs": ["d"]}),
        "Run.from_dict": (ragdash.Run.from_dict, {"rankings": RANKINGS, "name": "x"}),
        "Run.from_frame": (ragdash.Run.from_frame, {"frame": columns}),
        "Run.from_records": (ragdash.Run.from_records, {"records": [{"query_id": "q1", "documents": ["a"]}]}),
        "Run.of": (ragdash.Run.of, {}),
        "Truth.build": (ragdash.Truth.build, {"name": "x", "query_ids": ["q"], "docs": ["d"], "grades": [1]}),
        "Truth.from_dict": (ragdash.Truth.from_dict, {}),
        "Truth.from_frame": (ragdash.Truth.from_frame, {"frame": {**columns, "grade": [1]}}),
        "Truth.from_records": (ragdash.Truth.from_records, {"records": [{"query_id": "q1", "relevant": ["a"]}]}),
        "Truth.of": (ragdash.Truth.of, {}),
    }
    known |= named_by_documents(run, truth, evaluation)
    shown = (run, truth, evaluation, table, table[0][0], evaluation.summary()[0], ragdash.Conventions(),
             ragdash.parse_specs("RR")[0], Workspace("other"), ragdash.history(runs, truth, "RR"),
             ragdash.variants(runs, truth, "RR"))
    return known | {f"{type(thing).__name__}.{name} of an object": (method, {})
                    for thing in shown for name, method in methods(thing)}


def named_by_documents(run, truth, evaluation) -> dict[str, tuple[Callable, dict]]:
    """Functions that the guides and the reference name without their module, each with arguments that work."""
    matches, spec = [Match(run, truth)] * 2, ragdash.parse_specs("RR")[0]
    lists, reviews, vectors = collect_top_k(matches, 2), Reviews(truth.judged_digest), np.eye(2)
    traits = [Slice("kind", "new", np.array([True, False]))]
    return {
        "unsupported": (unsupported, {"answer": "one two", "contexts": ["one"]}),
        "unsupported_numbers": (unsupported_numbers, {"answer": "1 2", "contexts": ["1"]}),
        "sentence_support": (sentence_support, {"answer": "one two", "contexts": ["one"]}),
        "read_bands": (read_bands, {"source": ("bands.toml", b"")}),
        "write_bands": (write_bands, {"tables": []}),
        "read_decisions": (read_decisions, {"path": ("decisions.jsonl", b"")}),
        "write_decisions": (write_decisions, {"path": "decisions.jsonl", "decisions": {}}),
        "reviews_jsonl": (reviews_jsonl, {"truth": reviews.truth, "events": []}),
        "reviews_qrels": (reviews_qrels, {"reviews": reviews}),
        "import_reviews": (import_reviews, {"store": ReviewStore(Path("reviews")), "content": b""}),
        "reviewed": (reviewed, {"truth": truth, "reviews": reviews}),
        "compare_traits": (compare_traits, {"values": np.zeros(2), "sign": 1, "traits": traits}),
        "question_vectors": (question_vectors, {"truth": truth}),
        "clusters": (clusters, {"vectors": vectors, "texts": ["a", "b"], "failing": np.array([True, False])}),
        "collect_top_k": (collect_top_k, {"matches": matches}),
        "kendall_tau": (kendall_tau, {"lists": lists}),
        "rank_biased_overlap": (rank_biased_overlap, {"lists": lists}),
        "oracle": (oracle, {"evaluations": [evaluation] * 2, "spec": spec}),
        "unique_documents": (unique_documents, {"matches": matches, "k": 2}),
        "judge_next": (judge_next, {"matches": matches, "spec": spec}),
    }


def methods(thing: object) -> Iterator[tuple[str, Callable]]:
    """The public methods of an object that are ours."""
    for name in dir(type(thing)):
        member = inspect.getattr_static(type(thing), name)
        if not name.startswith("_") and inspect.isfunction(member):
            yield name, getattr(thing, name)


def test_no_argument_ends_in_an_error_of_python(calls):
    wrong, n_calls = [], 0
    for name, (function, arguments) in calls.items():
        parameters = [entry for entry in inspect.signature(function).parameters.values()
                      if entry.kind not in (entry.VAR_POSITIONAL, entry.VAR_KEYWORD)]
        for parameter in parameters:
            for value in ODD:
                rest = {entry.name: value for entry in parameters
                        if entry.default is entry.empty and entry.name not in arguments}
                n_calls += 1
                try:
                    function(**{**rest, **arguments, parameter.name: value})
                except (InputError, AssertionError):
                    pass
                except Exception as error:
                    wrong.append(f"{name}({parameter.name}={value!r}): {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong)
    assert n_calls > 2_000


def test_a_text_is_no_list_of_its_characters(calls):
    """Where a text is no choice: three tags of "abc", or three rows."""
    tried, wrong = [], []
    for name, (function, arguments) in calls.items():
        parameters = inspect.signature(function).parameters
        rest = {entry.name: "x" for entry in parameters.values() if entry.default is entry.empty
                and entry.name not in arguments and entry.kind not in (entry.VAR_POSITIONAL, entry.VAR_KEYWORD)}
        for parameter, entry in parameters.items():
            if not re.match(r"(Sequence|Iterable|Collection)\[", str(entry.annotation)):
                continue
            tried.append(parameter)
            for value in ("abc", b"abc"):
                try:
                    function(**{**rest, **arguments, parameter: value})
                except InputError:
                    continue
                wrong.append(f"{name}({parameter}={value!r})")
    assert not wrong, "\n".join(wrong)
    assert {"digests", "columns", "query_ids", "docs", "grades", "accept", "records", "runs"} <= set(tried)


def test_every_public_function_is_called_here(calls):
    called = {name.partition(".")[0] for name in calls}
    public = {name for name in ragdash.__all__ if callable(getattr(ragdash, name))}
    assert public - called == NOT_CALLED


def test_every_function_in_the_documents_says_what_it_expects():
    """Those that documents name by their module, `ragdash.module.name` or `from ragdash.module import name`."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("[!d]*/*.md")))
    named = [(module, name) for module, name in re.findall(r"\b(ragdash(?:\.[a-z_]+)+)\.([a-z_]+)\(", text)]
    named += [(module, name) for module, names in re.findall(r"from (ragdash[.a-z_]*) import ([A-Za-z_, ]+)", text)
              for name in names.split(", ")]
    functions = {f"{module}.{name}": function for module, name in named
                 if inspect.isfunction(function := getattr(import_module(module), name, None))}
    assert len(functions) >= 15
    assert not [name for name, function in functions.items() if not hasattr(function, "__wrapped__")]


@pytest.mark.parametrize("name", ["evaluate", "compare", "history", "variants", "validate_judge", "write_truth",
                                  "parse_specs", "query_map", "Conventions", "read_truth"])
def test_no_array_number_or_file_ends_in_an_error_of_python(calls, name, tmp_path):
    """What says that it has items and has none, what Python writes in no digits, and names that no file can have."""
    with (tmp_path / "closed").open("w") as closed:
        pass
    function, arguments = calls[name]
    wrong = []
    for parameter in inspect.signature(function).parameters:
        for value in (*MORE_ODD, closed):
            try:
                function(**{**arguments, parameter: value})
            except InputError as error:
                assert len(str(error)) < 5_000
            except Exception as error:
                wrong.append(f"{name}({parameter}={type(value).__name__}): {type(error).__name__}: {error}"[:200])
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: ragdash.compare(RANKINGS, {}, truth=JUDGMENTS, accept=[5]), "(accept): found '5'"),
    (lambda: ragdash.compare(RANKINGS, {"b": RANKINGS}, "RR", truth=JUDGMENTS).assert_improved(""), "found no metric"),
    (lambda: ragdash.validate_judge(ragdash.evaluate(RANKINGS, JUDGMENTS, "RR"), {"q1": 1}, level=2),
     "between 0 and 1"),
    (lambda: ragdash.evaluate(RANKINGS, JUDGMENTS, match_how="x"), "(match_how): found 'x'"),
    (lambda: ragdash.compare(RANKINGS, {"b": RANKINGS}, "RR", truth=JUDGMENTS).assert_improved("AP"),
     "with MRR and without MAP"),
    (lambda: mean_over_repeats([RANKINGS, RANKINGS]), "expected a list of Evaluation"),
    (lambda: ragdash.record("x", folder=5), "(folder): found 5 as a path"),
    (lambda: ragdash.evaluate(RANKINGS, JUDGMENTS, match_threshold="x"), "expected a number. See help(evaluate)"),
    (lambda: ragdash.evaluate(RANKINGS, JUDGMENTS, ""), "found no metric"),
    (lambda: ragdash.compare(RANKINGS, {}, "", truth=JUDGMENTS), "found no metric"),
    (lambda: ragdash.fuse([]), "found no runs"),
    (lambda: mean_over_repeats([]), "found no evaluation"),
    (lambda: ragdash.query_map(JUDGMENTS, seed=-1), "found seed = -1"),
    (lambda: compare_logs(*[read_log(("log", QUESTIONS))] * 2, model="tfidf", seed=-1), "found seed = -1"),
    (lambda: main_effects([ragdash.evaluate(RANKINGS, JUDGMENTS, "RR")] * 2, [], ragdash.parse_specs("RR")[0]),
     "found settings for 0 runs, but 2 runs"),
    (lambda: main_effects([ragdash.evaluate(RANKINGS, JUDGMENTS, "RR")] * 2, [{"k": "1"}, {"k": "2"}],
                          ragdash.parse_specs("RR")[0], alpha=2), "(alpha): found 2; expected"),
    (lambda: gate([ragdash.Run.of(RANKINGS)], ragdash.Truth.of(JUDGMENTS), pin(
        ragdash.evaluate(RANKINGS, JUDGMENTS, "RR"), ragdash.Truth.of(JUDGMENTS), version="1"), []), "found no metric"),
    (lambda: pin(5, ragdash.Truth.of(JUDGMENTS), version="1.0"), "(evaluation): found 5"),
    (lambda: ragdash.Run.from_records([{"query_id": "q", "documents": ["d"], "contexts": np.float32(0.1)}]),
     "(contexts): "),
    (lambda: ragdash.validate_judge(ragdash.evaluate(RANKINGS, JUDGMENTS, "RR"), {}), "found no label"),
    (lambda: ragdash.Run.from_dict(RANKINGS).ranking("q9"), "found no query 'q9' in"),
    (lambda: ragdash.evaluate(RANKINGS, JUDGMENTS, "RR").column("AP"), "found AP, which was not evaluated"),
    (lambda: ragdash.history([ragdash.Run.from_dict(RANKINGS)], JUDGMENTS).plot("x"), "found no line 'x'"),
    (lambda: ragdash.evaluate(RANKINGS, JUDGMENTS, match_threshold=2), "(match_threshold): found 2"),
    (lambda: ragdash.evaluate(RANKINGS, JUDGMENTS, "RR").only(iter([None])), "found None of type NoneType"),
    (lambda: ragdash.evaluate(RANKINGS, JUDGMENTS, "RR").only("q1"), "expected a list of a text"),
    (lambda: ragdash.evaluate(RANKINGS, JUDGMENTS, "RR").summary(resamples=10**30), "from 1 to 1,000,000"),
    (lambda: ragdash.Run.from_dict(RANKINGS).query_of(np.zeros((2, 2), int)), "whole numbers in one dimension"),
    (lambda: ragdash.Run.from_dict(RANKINGS).query_of(np.array([0.5])), "whole numbers in one dimension"),
    (lambda: ragdash.Run.build("x", pd.DataFrame({"q": ["a"]}), ["d"]), "(query_ids): found"),
    (lambda: ragdash.Truth.build("x", ["q"], pd.DataFrame({"d": ["a"]}), [1]), "(docs): found"),
    (lambda: ragdash.Run.build("x", ["q"], ["d"], iter([1.0])), "(scores): found <list_iterator"),
    (lambda: ragdash.Run.build("x", ["q"], ["d"], {1.0}), "(scores): found {1.0} of type set"),
    (lambda: ragdash.Truth.build("x", iter(["q"]), ["d"], [1]), "(query_ids): found <list_iterator"),
    (lambda: Workspace("x", storage=()), "(storage): found ()"),
    (lambda: Workspace("x").mappings("abc"), "(columns): found 'abc' of type str; expected a list of a text"),
    (lambda: Workspace("x").order(["abc"]), "found no run or set of judgments abc"),
    (lambda: ragdash.Run.from_frame({"query_id": "ab", "doc_id": "ab"}), "its column query_id is a text"),
    (lambda: Workspace("x").runs(np.ma.masked), "(archived): found"),
    (lambda: Workspace("x").summary(10**30), "a whole number from 0 to 1,000,000"),
    (lambda: ragdash.record("x", data={"truth": 10**5000}), "(data): found"),
    (lambda: ragdash.record("x", folder="a\0b"), "(folder): found 'a\\x00b'"),
    (lambda: ragdash.record_retriever(search, {"q1": "a"}, folder=Path("a\0b")), "(folder): found"),
    (lambda: ragdash.record_retriever(search, {"q1": "a"}, concurrency=10**30), "from 1 to 10,000"),
    (lambda: ragdash.record_retriever(search, {"q1": "a"}, repeats=10**30), "from 1 to 10,000"),
    (lambda: ragdash.record_retriever(search, {"q1": "a"}, progress=lambda done: None), "takes (done)"),
    (lambda: ragdash.record_retriever(search, {"q1": "a"}, progress=5), "(progress): found 5"),
    (lambda: ragdash.record_retriever(search, {"q1": "a"}, progress=type(None)), "(progress): found <class"),
    (lambda: ragdash.record_retriever(search, {"q1": "a"}, progress=getattr), "(progress): found <built-in"),
    (lambda: ragdash.sweep(lambda settings: search, {"k": [1]}, {"q1": "a"}, progress=lambda: None), "takes ()"),
    (lambda: ragdash.fuse([RANKINGS, RANKINGS], name=float("inf")), "(name): found inf of type float; expected a text"),
    (lambda: ragdash.Spec("RR", k="x"), "(k): found 'x' of type str; expected a whole number or None"),
    (lambda: ragdash.Spec("RR", params="x"), "(params): found 'x'"),
    (lambda: ragdash.Spec("x").metric, "found 'x'"),
    (lambda: ragdash.evaluate(RANKINGS, JUDGMENTS, [ragdash.Spec("nDCG", (("x", 1),))]), "gain"),
    (lambda: ragdash.Spec("nDCG", (("gain", []),)), "(params): found"),
    (lambda: ragdash.metric("M", "m", formula="n", source="s", presets=5)(in_view), "(presets): found 5"),
    (lambda: ragdash.metric("M", "m", formula="n", source="s", aliases=[5])(in_view), "(aliases): found (5,)"),
    (lambda: pin(ragdash.evaluate(RANKINGS, JUDGMENTS, "RR"), ragdash.Truth.of(JUDGMENTS), version="1", time=pd.NaT),
     "(time): found NaT"),
    (lambda: ragdash.ComparisonTable([["x"]]), "(rows): found [['x']]"),
    (lambda: ragdash.record("x", resume=pd.DataFrame()), "(resume): found"),
    (lambda: open_workspace("x", read_only=np.array([None, 1])), "(read_only): found"),
    (lambda: ragdash.evaluate_stream(("a.trec", b"q1 Q0 a 1 1.0 x\n"), JUDGMENTS, []), "found no metric"),
    (lambda: ragdash.validate_judge(ragdash.evaluate(RANKINGS, JUDGMENTS, "RR"), {"q1": 1.0},
                                    cut=np.timedelta64(3, "D")), "(cut): found"),
    (lambda: ragdash.validate_judge(ragdash.evaluate(RANKINGS, JUDGMENTS, "RR"), {"q1": 1.0, "q2": 0.0},
                                    level=Fraction(1, 3)), "(level): found"),
    (lambda: compare_logs(*[read_log(("log", QUESTIONS))] * 2, model="tfidf", splits=2**63), "splits"),
])
def test_an_error_says_what_was_expected(call, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as raised:
        call()
    assert words in str(raised.value)


def test_a_time_without_a_zone_is_of_this_machine():
    baseline = pin(ragdash.evaluate(RANKINGS, JUDGMENTS, "RR"), ragdash.Truth.of(JUDGMENTS), version="1",
                   time=pd.Timestamp("2026-11-01"))
    assert baseline.age(datetime(2026, 11, 3, 1)) == 2 and not baseline.is_ahead(pd.Timestamp("2026-11-03"))


def test_what_is_not_there_is_a_key_error_too():
    error = UnknownKey("unknown-key/query", {"query": "q9", "name": "bm25"})
    assert isinstance(error, KeyError) and str(error).startswith("found no query 'q9'")
    assert error.problems == (Problem("unknown-key/query", {"query": "q9", "name": "bm25"}),)


def test_a_fault_of_a_function_is_passed_on():
    from ragdash.core.records.arguments import checked

    @checked
    def broken(value: int, *more: str, **rest: str) -> int:
        return {}[value]

    with pytest.raises(KeyError):
        broken(5, "a", b="c")
    with pytest.raises(InputError, match="expected a text"):
        broken(5, 5)
    with pytest.raises(TypeError, match="missing 1 required"):
        broken()


@pytest.mark.parametrize("call", [
    lambda: ragdash.evaluate(RANKINGS, JUDGMENTS, "RR").summary(level=np.timedelta64(1, "ns")),
    lambda: compare_logs(*[read_log(("log", QUESTIONS))] * 2, model="tfidf", alpha=np.timedelta64(12, "ms")),
    lambda: rank_biased_overlap(collect_top_k([Match(ragdash.Run.from_dict(RANKINGS),
                                                     ragdash.Truth.from_dict(JUDGMENTS))] * 2, 2), np.longdouble(0.5)),
    lambda: ragdash.compare(RANKINGS, {"b": RANKINGS}, "RR", truth=JUDGMENTS, margin=np.timedelta64(1, "D"))])
def test_a_duration_and_a_longdouble_that_scipy_does_not_take_are_named(call):
    with pytest.raises(InputError):
        call()


def test_a_longdouble_is_a_level_and_a_setting(tmp_path):
    level = np.longdouble(0.5)
    evaluation = ragdash.evaluate(RANKINGS, JUDGMENTS, "RR")
    assert evaluation.summary(level=level) == evaluation.summary(level=0.5)
    settings = {"k": level, "steps": np.linspace(0, 1, 2, dtype=np.longdouble), "z": np.clongdouble(1)}
    with ragdash.record("x", settings=settings, folder=tmp_path) as recording:
        recording.add("q1", ["d1"])
    (header,) = tmp_path.rglob("header.json")
    assert json.loads(header.read_text())["settings"] == {"k": 0.5, "steps": "[0. 1.]", "z": "(1+0j)"}
