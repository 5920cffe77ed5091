"""Small parts of pages, called without a page: without data, at a limit, and for the first of several."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers import run_of, truth_of

from ragdash.analysis.diagnosis import NAMES, STAGES, DiagnosisRules, diagnose
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.dashboard.caches import what_if_cache
from ragdash.dashboard.components.comparison_tables import query_differences_table
from ragdash.dashboard.components.leaderboard_table import _difference_cell
from ragdash.dashboard.page_context import Results
from ragdash.dashboard.pages.answers import data as answers
from ragdash.dashboard.pages.answers import model_scores
from ragdash.dashboard.pages.answers.tables import distribution_table
from ragdash.dashboard.pages.failures.data import (
    FINE,
    FailuresData,
    common_fixes,
    runs_to_fix_first,
    scope_note,
    stage_sentences,
)
from ragdash.dashboard.pages.queries import claims_html, file_facts, query_view
from ragdash.dashboard.pages.rankings.score_cutoffs.sentences import MEASURES
from ragdash.dashboard.pages.test_set import draft_editor
from ragdash.dashboard.pages.threshold_bands.speed_cost import sections as speed_sections
from ragdash.dashboard.pages.threshold_bands.speed_cost.tables import _mean_tokens
from ragdash.dashboard.pages.what_if import mix_section
from ragdash.dashboard.pages.what_if.sections import _means
from ragdash.dashboard.session import choices, relevance, state
from ragdash.dashboard.session.address import short_address
from ragdash.dashboard.session.data_store import LOADED, SessionRun
from ragdash.dashboard.widgets.texts import bulleted
from ragdash.evaluation.compare import compare
from ragdash.evaluation.evaluate import evaluate
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec, parse_specs
from ragdash.reporting.plots.common.theme import LIGHT
from ragdash.reporting.sentences import what_if as what_if_sentences
from ragdash.reporting.sentences.formatting import UNDEFINED

NAN = float("nan")


@pytest.fixture
def session(monkeypatch) -> dict:
    """The values of a session without a page."""
    values: dict = {state._RUNS: (), state._TRUTH: None}
    monkeypatch.setattr(state.st, "session_state", values)
    return values


@pytest.mark.parametrize("answer, references, summary", [
    ("grey stone", ("grey stone",), "Same words as the reference."),
    ("stone grey", ("grey stone",), "Same words as the reference, in another order."),
    ("a grey stone today", ("grey stone",), "Contains all words of the reference. Underlined: not in the reference."),
    ("grey", ("blue sky and sea", "grey stone"), "Missing: "),
    ("bags", ("bags and",), "Missing: “and”."),
    (None, ("grey stone",), ""),
    ("grey stone", (), ""),
])
def test_an_answer_is_compared_with_its_nearest_reference(answer, references, summary):
    shown = query_view._compared_to_reference(answer, references, LIGHT)[1]
    assert shown == summary or (summary == "Missing: " and shown.startswith(summary) and "stone" in shown
                                and "sky" not in shown)


def test_long_names_are_short_next_to_the_times_of_a_query(monkeypatch):
    tables = []
    monkeypatch.setattr(query_view.st, "table", lambda frame, **_: tables.append(frame))
    monkeypatch.setattr(query_view.queries_sentences, "cost_columns", lambda output: {"Retrieval": "5 ms"})
    names = [f"bge-small-en-v1.5_chunk{size}_overlap32_rerank-bge-v2" for size in (256, 512)]
    context = SimpleNamespace(names=names, slots=[0, 1])
    query_view._cost(SimpleNamespace(data=SimpleNamespace(context=context, run_order=[0, 1]), outputs=[None, None]))
    shown = [cell.replace("\\", "") for cell in tables[0]["Run"]]
    assert all(cell.endswith(f"\u00a0{name}**") for name, cell in zip(
        short_names(names, NARROW_NAME), shown, strict=True)), shown


def test_an_answer_is_found_and_right_or_right_alone_and_unknown_where_that_is_not_known():
    hit, right = np.array([1, 1, 0, 0, NAN, 1, NAN]), np.array([1, 0, 1, 0, 1, NAN, NAN])
    kinds = [answers.KIND_NAMES[kind] for kind in answers.classify_queries(hit, right)]
    assert kinds == ["found_right", "found_wrong", "missed_right", "missed_wrong", "right", *["unknown"] * 2]


@pytest.mark.parametrize("low", [0.2, 0.6])
def test_the_answers_page_says_right_where_the_failures_page_does(low):
    run = Run.from_records([
        {"query_id": "q1", "documents": ["d1"], "answer": "about 12 boats in the harbor"},
        {"query_id": "q2", "documents": ["d1"], "answer": "13"},
        {"query_id": "q3", "documents": ["d2"], "answer": "I don't know."}])
    table = pa.table({"query_id": ["q1", "q2", "q3"], "answers": [["12 boats"], ["12"], ["I do not know"]]})
    truth = Truth.build("truth", ["q1", "q2", "q3"], ["d1", "d1", "d1"], [1, 1, 1], details=table)
    diagnosed = diagnose(Match(run, truth), DiagnosisRules(right=low))
    context = SimpleNamespace(results=SimpleNamespace(diagnosis=lambda _, right: diagnose(
        Match(run, truth), DiagnosisRules(right=right))), scope=SimpleNamespace(queries=np.array([True, True, False])))
    right = answers.right_answers(context, run.digest, low)
    assert right.tolist() == diagnosed.numbers["right"][:2].tolist() == [1.0, 0.0]


def test_methods_for_two_runs_and_methods_that_read_scores_are_offered_only_where_they_apply():
    scored, unscored = run_of({"q": {"a": 2.0, "b": 1.0}}), run_of({"q": ["a", "b"]})
    three, two, without = (
        mix_section._options(SimpleNamespace(runs=range(len(runs))), SimpleNamespace(runs=runs))
        for runs in ([scored] * 3, [scored] * 2, [scored, unscored]))
    for_two = {name for name, preset in mix_section.PRESETS.items() if preset.two_runs}
    assert for_two and for_two <= two.keys() and not for_two & three.keys()
    assert two.keys() - three.keys() == for_two | {"cascade"}
    assert "rrf" in without and without.keys() < two.keys()
    reading = {name for name, method in mix_section.METHODS.items() if method.reads_scores({})}
    assert reading and not reading & without.keys() and next(iter(two)) == mix_section.TUNED


def test_every_choice_that_names_a_run_follows_it_to_its_new_version_and_the_others_stay(session):
    session[state._RUNS] = tuple(SessionRun(digest, digest, slot) for slot, digest in enumerate(("a" * 32, "b" * 32)))
    several, single = (next(key for key in state.OF_RUNS if (key == state.SHOWN) == wanted) for wanted in (True, False))
    session[several], session[single] = ["a" * 32, "b" * 32], "b" * 32
    state.swap_run("a" * 32, replace(session[state._RUNS][0], digest="c" * 32))
    assert session[several] == ["c" * 32, "b" * 32] and session[single] == "b" * 32
    assert [entry.digest for entry in session[state._RUNS]] == ["c" * 32, "b" * 32]
    state.swap_run("b" * 32, replace(session[state._RUNS][1], digest="d" * 32))
    assert session[several] == ["c" * 32, "d" * 32] and session[single] == "d" * 32


def test_contexts_outside_the_shown_ranks_are_listed_and_an_answer_without_contexts_has_none():
    column = SimpleNamespace(anchors_shown={"c1"}, anchors={"c1": "one", "c2": "two", "c3": "three"})
    findings = SimpleNamespace(claims=(), chunks={})
    hidden = claims_html._hidden_contexts(
        column, SimpleNamespace(contexts=(("c1", "first"), ("c2", "second"), ("c3", "third"))), findings, LIGHT)
    assert "2 contexts not among the ranks shown" in hidden and 'id="two"' in hidden and 'id="three"' in hidden
    assert 'id="one"' not in hidden and "first" not in hidden
    for contexts in (None, (("c1", "first"),)):
        assert claims_html._hidden_contexts(column, SimpleNamespace(contexts=contexts), findings, LIGHT) == ""


def test_mean_tokens_are_those_of_the_scope_and_a_dash_without_any():
    data = SimpleNamespace(in_scope=np.array([True, True, False]))
    assert _mean_tokens(np.array([1000.0, 2000.0, 9e9]), data) == "1,500"
    assert _mean_tokens(np.array([1000.0, NAN, 9e9]), data) == "1,000"
    assert _mean_tokens(None, data) == _mean_tokens(np.array([NAN, NAN, 5.0]), data) == UNDEFINED


def test_evidence_can_be_had_only_with_a_run_that_has_texts(session, monkeypatch):
    truth, bare = truth_of({"spans": ["a"]}), run_of({"spans": ["a"]})
    with_texts = run_of({"spans": ["a"]}, texts=["The text of a."])
    monkeypatch.setattr(relevance, "has_evidence", lambda _: True)
    session[state._TRUTH] = LOADED.put(truth)
    assert not relevance.evidence_available(), "no run"
    session[state._RUNS] = (SessionRun(LOADED.put(bare), "bare", 0), SessionRun("f" * 32, "evicted", 1))
    assert not relevance.evidence_available(), "no run with texts"
    session[state._RUNS] += (SessionRun(LOADED.put(with_texts), "with texts", 2),)
    assert relevance.evidence_available()
    monkeypatch.setattr(relevance, "has_evidence", lambda _: False)
    assert not relevance.evidence_available(), "no gold span"


def test_one_sentence_is_plain_and_two_are_a_list():
    assert (bulleted([]), bulleted(["One."]), bulleted(["One.", "Two."])) == ("", "One.", "- One.\n- Two.")


def test_a_table_that_scrolls_says_how_many_rows_it_has(monkeypatch):
    captions: list[str] = []
    monkeypatch.setattr(speed_sections.st, "table", lambda *_, **__: None)
    monkeypatch.setattr(speed_sections.st, "caption", captions.append)
    for rows in (speed_sections.MOST_ROWS, 30):
        speed_sections._render_table(pd.DataFrame({"Run": range(rows)}), "times")
    assert captions == ["30 rows: scroll down in the table."]


def test_values_of_a_metric_are_spread_over_quartiles_that_are_undefined_without_values():
    spec = parse_specs("TokenF1")[0]
    table = distribution_table(["dense", "empty"], spec, [np.array([0.0, 0.5, 1.0, 1.0, NAN]), np.array([NAN])])
    assert table["n"].tolist() == [4, 0] and table["Undefined"].tolist() == [1, 1]
    assert table["Exactly 0"].tolist() == [1, 0] and table["Exactly 1"].tolist() == [2, 0]
    quartiles = table[["Lower quartile", "Median", "Upper quartile"]].to_numpy()
    assert quartiles[0].tolist() == [0.375, 0.75, 1.0] and np.isnan(quartiles[1]).all()


def test_six_values_of_a_file_are_shown_and_the_others_counted(monkeypatch):
    labels, numbers = {"verdict": "Correct", "tone": None}, {f"m{i}": i / 10 for i in range(1, 6)} | {"none": NAN}
    scores = SimpleNamespace(
        run_names=["other", "dense"], label_names=list(labels), names=list(numbers),
        aligned_labels=lambda owner, name, _: [labels[name] if owner == "dense" else "wrong"],
        aligned=lambda owner, name, _: np.array([numbers[name]]))
    run = SimpleNamespace(name="dense", file_scores=scores)
    monkeypatch.setattr(file_facts, "LOADED", SimpleNamespace(run={"d": run}.get))
    six = "verdict Correct, m1 0.100, m2 0.200, m3 0.300, m4 0.400, m5 0.500"
    assert file_facts._values_of("d", "q1") == six
    numbers |= {"m6": 0.6}
    scores.names.append("m6")
    assert file_facts._values_of("d", "q1") == f"{six}, and 1 more"
    run.name, labels["verdict"] = "renamed", "hidden"
    assert file_facts._values_of("d", "q1").startswith("verdict wrong, "), "the first run of the file"
    assert file_facts._values_of("unknown", "q1") == ""


def test_a_run_beside_itself_has_two_columns_and_two_runs_keep_their_names():
    values, without = np.array([[0.5, 0.25]]), np.array([NAN])
    again = query_differences_table(["q1"], [None], ("dense", "dense"), values, without)
    assert list(again) == ["Query", "dense", "dense (again)", "Difference", "Mean difference without it"]
    table = query_differences_table(["q1"], ["What?"], ("dense", "sparse"), values, without)
    assert list(table) == ["Query", "Question", "dense", "sparse", "Difference", "Mean difference without it"]
    assert table.iloc[0].tolist()[:5] == ["q1", "What?", 0.5, 0.25, -0.25]


@pytest.mark.parametrize("queries, text", [(1, UNDEFINED), (2, "+0.500")])
def test_a_difference_needs_two_queries(queries, text):
    truth = truth_of({f"q{i}": ["a"] for i in range(queries)})
    evaluations = [evaluate(run_of({f"q{i}": docs for i in range(queries)}, name), truth, ["RR"])
                   for name, docs in (("poor", ["b", "a"]), ("good", ["a"]))]
    comparison = compare(evaluations[0], [evaluations[1]])[0][0]
    assert comparison.n == queries and _difference_cell(comparison).text == text
    assert _difference_cell(None).text == UNDEFINED and np.isnan(_difference_cell(None))


def test_the_baseline_of_an_address_is_the_first_run_that_it_shows():
    digests = ["aaaa", "bbbb", "cccc"]
    assert short_address.baseline_digest({}, digests) == "aaaa"
    assert short_address.baseline_digest({state.SHOWN: ["1", "2"]}, digests) == "bbbb"
    assert short_address.baseline_digest({state.SHOWN: ["unknown"]}, digests) == "aaaa"
    assert short_address.baseline_digest({state.BASELINE: ["2"]}, digests) == "cccc"
    assert short_address.baseline_digest({}, []) == ""


def test_a_mean_over_no_defined_value_is_undefined():
    means = _means([[0.5, NAN, 1.0], [NAN, NAN, NAN], [0.0, 0.0, 0.0]])
    assert means[0] == 0.75 and np.isnan(means[1]) and means[2] == 0


@pytest.mark.parametrize(("spec", "n", "bare", "answered", "words"), [
    ("nDCG@10", 110, 12, 122, ""),  # the note below the stages counts them
    ("nDCG@10", 100, 12, 122, "NDCG@10 leaves out 22 of them: it is undefined for them."),
    ("nDCG@10", 122, 0, 122, ""), ("EM", 110, 12, 122, "Exact match leaves out 12 of them: it is undefined for them."),
    ("EM", 110, 0, 110, ""),  # the line on missing answers counts them
    ("EM", 100, 0, 110, "Exact match leaves out 22 of them: it is undefined for them.")])
def test_failures_says_which_of_its_queries_the_mean_leaves_out(spec, n, bare, answered, words):
    results = SimpleNamespace(summary=lambda specs: [[SimpleNamespace(n=1)], [SimpleNamespace(n=n)]],
                              counts=lambda: [{"unanswerable": 0}, {"unanswerable": bare}],
                              answered=lambda: [122, answered])
    context = SimpleNamespace(results=results)
    data = SimpleNamespace(spec=parse_spec(spec), total=122, run_index=1, context=context)
    assert scope_note(data) == (f"This page looks at 122 queries. The mean of {words}" if words else "")
    assert scope_note(SimpleNamespace(spec=None)) == ""


def test_the_fix_is_that_of_the_run_looked_at_whichever_others_are_shown(monkeypatch):
    spec = parse_specs("RR")[0]
    gain = SimpleNamespace(runs=("a", "b"), value=0.8, same=())
    known: list = [None]
    monkeypatch.setattr(what_if_cache, "known_gain", lambda *_: known[0])
    counts, low = np.zeros((3, FINE + 1), int), SimpleNamespace(at_most=0.2, queries=np.arange(99) < 20)
    gains = np.full((3, FINE + 1), np.nan)

    def fixes_of(run: int, shown: list[int], ranked_low=(None, None, None)) -> list[str]:
        context = SimpleNamespace(names=["abc"[index] for index in shown], digests=[], scope=None)
        return common_fixes(FailuresData(
            context, spec, shown.index(run), np.ones(99, bool), [None] * len(shown), counts[shown], gains[shown],
            [ranked_low[index] for index in shown]))

    assert fixes_of(1, [0, 1, 2]) == []
    counts[1, 2], counts[1, 0], counts[0, 3], counts[2, 0] = 5, 3, 9, 1
    (fix,) = fixes_of(1, [0, 1, 2])
    assert fix.startswith("To fix Not in the corpus in b: add the missing documents")
    assert fixes_of(1, [2, 1]) == fixes_of(1, [1, 0]) == [fix]
    assert fixes_of(1, [1]) == [fix.replace(" in b:", ":")]
    assert fixes_of(1, [0, 1], (low, None, None)) == [fix], "another run ranks low"
    assert len(fixes_of(1, [0, 1], (None, low, None))) == 2, "no hybrid where What-if is not known to offer one"
    gains[1, 1], counts[1, 1] = 0.1, 6
    assert fixes_of(1, [0, 1])[0] == f"To fix {STAGES[1].title} in b: {STAGES[1].fix[:1].lower()}{STAGES[1].fix[1:]}"
    gains[1, 1] = np.nan
    known[0] = gain
    assert fixes_of(1, [0, 1], (None, low, None))[-1] == "What-if: fusing a and b would reach MRR 0.800."
    known[0] = SimpleNamespace(runs=("a", "b"), value=0.8, same=("c",))
    assert len(fixes_of(1, [0, 1], (None, low, None))) == 2, "a loaded run is that hybrid"


def test_a_run_that_comes_back_keeps_its_color_where_it_is_free_and_else_has_the_first_free_one(session):
    first = state.insert_run(SessionRun("a", "one", 0), 0)
    second = state.insert_run(SessionRun("b", "one", 0), 1)
    assert (first.slot, second.slot, second.name) == (0, 1, "one (2)")
    assert state.insert_run(SessionRun("c", "far", 5), 1).slot == 5
    assert state.insert_run(SessionRun("d", "next", 1), 0).slot == 2
    assert [entry.digest for entry in state.runs()] == ["d", "a", "c", "b"]


@pytest.mark.parametrize(("name", "file", "alone", "expected"), [
    ("dense", "runs/dense-chunk256.jsonl.gz", True, "dense-chunk256"), ("dense", "monday.csv", True, "dense (monday)"),
    ("dense", "dense-and-sparse.csv", False, "dense (dense-and-sparse)"), ("dense", "dense.jsonl", True, "dense"),
    ("other", "monday.csv", True, "other")])
def test_a_run_whose_name_is_taken_is_named_by_its_file(session, name, file, alone, expected):
    state.insert_run(SessionRun("a", "dense", 0), 0)
    assert state.name_with_file(name, file, alone=alone) == expected


@pytest.mark.parametrize(("typed", "default", "value"), [
    (None, 5, "5"), (None, 0, "1"), (None, 99, "10"), ("7", 5, "7"), ("0", 5, "1"), ("11", 5, "10"), (" 3 ", 5, "3"),
    ("x", 5, "5"), ("-1", 5, "5"), ("", 5, "5"), ("1" * 12, 5, "5"),
])
def test_a_number_is_whole_and_within_its_bounds(session, typed, default, value):
    session.update({choices.USED: {}, choices.RESET: set(), **({"k": typed} if typed is not None else {})})
    assert choices.number_key("k", 10, default) == "k"
    assert session["k"] == value and session[choices.USED]["k"] == str(min(max(default, 1), 10))


def test_a_difference_is_written_with_the_signs_of_its_interval():
    outcome = SimpleNamespace(spec=parse_spec("nDCG@10"), mean_difference=0.096, low=0.024, high=0.167,
                              outcome="better")
    assert what_if_sentences.outcome_text(outcome) == "+0.096 [+0.024, +0.167] ▲ better"
    assert what_if_sentences.outcome_text(None) == "–"


def test_every_measure_of_score_cutoffs_but_aqwv_goes_from_0_to_1():
    ends = {name: (low, high) for name, (_, low, high, _, _) in MEASURES.items()}
    assert ends == dict.fromkeys(MEASURES, (0.0, 1.0)) | dict.fromkeys(("aqwv", "aqwv_material"), (-40.0, 1.0))
    assert [name for name, row in MEASURES.items() if row[3] == "lower"] == ["empty"]


def test_a_metric_that_does_not_fit_the_runs_is_left_out_with_its_problem():
    fits, unfit = parse_specs("nDCG@10, P@5")
    problem = Problem("unknown-section", {"names": ["x"], "sections": []})

    def evaluation(digest, specs):
        if unfit in specs:
            raise InputError([problem])

    entries = (SimpleNamespace(digest="a", name="a"),)
    scope = SimpleNamespace(evaluation=evaluation, announced=lambda *_: nullcontext())
    results = Results(SimpleNamespace(digests=("a",), entries=entries), scope)
    assert results.computable([fits, unfit]) == ([fits], [problem])


def test_the_model_of_the_environment_is_offered_by_its_folder_and_those_of_the_cache_by_name(monkeypatch, tmp_path):
    for name in ("models--lab--small", "models--lab--other-kind", "datasets--lab--texts"):
        (tmp_path / name).mkdir()

    def find(kind, name):
        if name == "lab/other-kind":
            raise InputError([])
        return SimpleNamespace(path=tmp_path / "folder")

    monkeypatch.setattr(model_scores, "hub_cache", lambda: tmp_path)
    monkeypatch.setattr(model_scores, "find_model_folder", find)
    assert model_scores._known_models.__wrapped__("encoder") == [str(tmp_path / "folder"), "lab/small"]


@pytest.mark.parametrize(("start", "stop", "text", "span"), [
    (4, 8, "grey", (4, 8)), (0, 4, "grey", (4, 8)), (0, 5, "green", None), (1, 3, "", None)])
def test_evidence_is_highlighted_where_its_text_is_or_nowhere(start, stop, text, span):
    document = SimpleNamespace(text="the grey stone")
    assert draft_editor._evidence_span(document, SimpleNamespace(start=start, stop=stop, text=text)) == span


def test_the_largest_gain_comes_first_and_is_no_fix_where_it_is_no_failure():
    spec, counts, gains = parse_specs("nDCG@10")[0], np.zeros((1, len(NAMES)), int), np.zeros((1, len(NAMES)))
    stage = NAMES.index("below-k")
    counts[0, stage], gains[0, stage] = 4, 0.047
    title = STAGES[stage].title
    for at_most, words in (
            (0.456, "**a** can gain most at **Ranked low**: 3 queries with relevant documents in a poor order, up to "
                    f"+0.456 NDCG@10. Then **{title}** (4, +0.047)."),
            (0.02, f"**a**: first fix **{title}**: 4 queries, up to +0.047 NDCG@10. Then **Ranked low** (3 with "
                   "relevant documents in a poor order, +0.020).")):
        low = SimpleNamespace(queries=np.ones(3, bool), at_most=at_most)
        data = FailuresData(SimpleNamespace(names=["a"]), spec, 0, np.ones(3, bool), [SimpleNamespace(
            stage=np.zeros(3, int), numbers={"right": np.zeros(3)})], counts, gains, [low])
        (sentence,) = stage_sentences(data)
        assert sentence.replace("\\", "").startswith(words)


def test_a_stage_where_more_queries_fail_than_the_metric_can_gain_from_is_the_first_fix():
    spec, counts, gains = parse_specs("nDCG@10")[0], np.zeros((1, len(NAMES)), int), np.zeros((1, len(NAMES)))
    wrong, low = NAMES.index("wrong-answer"), SimpleNamespace(queries=np.arange(9) < 3, at_most=0.119)
    gained = "3 queries with relevant documents in a poor order, up to +0.119 NDCG@10."
    for n, sentence, firsts in (
            (6, f"**a**: first fix **Wrong answer**: 6 of 9 queries; fixing that does not change NDCG@10. NDCG@10 can "
                f"gain most at **Ranked low**: {gained}", ["wrong-answer"]),
            (3, f"**a** can gain most at **Ranked low**: {gained} Most queries fail at **Wrong answer**: 3 of 9 "
                "queries; fixing that does not change NDCG@10.", ["ranked-low"])):
        counts[0, wrong] = n
        data = FailuresData(SimpleNamespace(names=["a"]), spec, 0, np.ones(9, bool), [SimpleNamespace(
            stage=np.zeros(9, int), numbers={"right": np.zeros(9)}, known=np.ones((len(NAMES), 9), bool),
            in_stage=lambda _: np.ones(9, bool))], counts, gains, [low])
        assert [text.replace("\\", "") for text in stage_sentences(data)] == [sentence]
        assert [row for row in data.rows if runs_to_fix_first(data, row, [0])] == firsts
