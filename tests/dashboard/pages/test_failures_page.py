"""Failures: every number leads to exactly its queries, rules that can be changed, what could not be assessed."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qs

import numpy as np
import page_cases
import pyarrow as pa
import pytest
from page_cases import address, shown
from streamlit.testing.v1 import AppTest

from ragdash.analysis.diagnosis import FINE, NAMES, RANKED_LOW, STAGES, DiagnosisRules, diagnose
from ragdash.analysis.diagnosis.potential_gain import OF_RETRIEVAL
from ragdash.analysis.failure_patterns.corpus import corpus_view
from ragdash.analysis.failure_patterns.query_map import layout
from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run, Truth
from ragdash.dashboard.caches import diagnosis_cache, shared_cache, what_if_cache
from ragdash.dashboard.components import picked_queries
from ragdash.dashboard.jobs import mapping
from ragdash.dashboard.pages.failures import corpus_section, failure_patterns, map_choices, query_map
from ragdash.dashboard.pages.failures import sections as failures_sections
from ragdash.dashboard.session import scope
from ragdash.dashboard.session.data_store import SHORT
from ragdash.evaluation.evaluate import evaluate
from ragdash.matching.match import Match
from ragdash.reporting.plots.common.theme import LIGHT, THEMES, run_look
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.failures.corpus import corpus_sentences

QUERIES = 40
IDS = [f"q{at:02}" for at in range(QUERIES)]
REFERENCE, CONTEXT = "the Sea of Crises", "It fell into the Sea of Crises."


def test_one_text_is_shown_while_the_runs_are_looked_at_and_none_when_they_are_known(monkeypatch):
    announcements = []
    monkeypatch.setattr(shared_cache.st, "spinner", lambda text: announcements.append(text) or nullcontext())
    truth = Truth.from_dict({f"s{number}": ["a"] for number in range(9)})
    runs = [Run.from_dict({f"s{number}": ["x"] * (number % wrong == 0) + ["a"] for number in range(9)}, f"run {wrong}")
            for wrong in (2, 3, 4, 5)]
    page_cases.opened("failures", **address(truth, runs))
    assert announcements[:2] == [diagnosis_cache.ANNOUNCED, scope.EVALUATING], "one text, until the page has its result"
    announcements.clear()
    page_cases.opened("failures", **address(truth, runs))
    assert not {diagnosis_cache.ANNOUNCED, scope.EVALUATING} & {*announcements}


def test_labels_that_do_not_count_are_named_with_what_they_say_and_references_that_are_missing_are_no_rule():
    rows = [("correct", "the sea"), ("correct", "a lake"), ("partial", "a pond"), *[("incorrect", "a moor")] * 7]
    scores = FileScores.build([(f"n{number}", "run", "answer_status", label) for number, (label, _) in enumerate(rows)])
    details = pa.table({"query_id": [f"n{number}" for number in range(10)], "answer": [answer for _, answer in rows]})
    docs = [f"n{number}" for number in range(10)]
    run = Run.build("run", docs, ["a"] * 10, details=details).with_file_scores(scores)
    for answers, is_rule in ((["the sea"], True), (None, False)):
        references = pa.table({"query_id": docs, "answers": pa.array([answers] * 10, pa.list_(pa.string()))})
        truth = Truth.build("truth", docs, ["a"] * 10, np.ones(10, np.int64), details=references)
        text = page_cases.texts(page_cases.opened("failures", **address(truth, [run]))).replace("\\", "")
        assert ("has 1 of 10 answers right" in text) == ("**Right answer**" in text) == is_rule
        assert ("labels of 10 answers of 'run' (column 'answer_status') that call 2 right and 1 partly right, and are "
                "not counted because nothing shows who gave them. To count by them, choose them under Rules") in text
    text = page_cases.texts(page_cases.opened("failures", **address(truth, [run], right_labels="answer_status")))
    assert "nothing shows who gave them" not in text
    text = page_cases.texts(page_cases.opened("answers", **address(truth, [run])))
    assert "do not count by it" in text and "Failures and Queries too" not in text


def the_truth() -> Truth:
    """Two relevant documents each; hard (the first 20) or easy; the last four have no answer; q35 has no gold."""
    marked = [{"kind": "hard" if at < 20 else "easy", **({"type": "no_answer"} if at >= 36 else {})}
              for at in range(QUERIES)]
    details = pa.table({"query_id": IDS, "query": [f"where did probe {at} fall?" for at in range(QUERIES)],
                        "answers": [[REFERENCE] if at < 35 else None for at in range(QUERIES)],
                        "attributes": list(map(json.dumps, marked))})
    graded = [(name, doc, int(at != 35)) for at, name in enumerate(IDS) for doc in "ab"]
    return Truth.build("truth", *map(list, zip(*graded, strict=True)), details=details)


def built(name: str, seed: int, *, answers: bool = True) -> Run:
    """Twelve documents for each query, relevant ones at random ranks or not there, answers of every kind."""
    rng = np.random.default_rng(seed)
    rows = []
    for query in IDS:
        docs = [f"{name}-{rank}" for rank in range(12)]
        for doc, place in zip("ab", rng.permutation(24)[:2], strict=True):
            if place < 12 or rng.random() < 0.5:
                docs[place % 12] = doc
        rows += [(query, doc, 12.0 - rank) for rank, doc in enumerate(docs)]
    said = rng.choice([REFERENCE, "the Ocean of Storms", "I don't know."], QUERIES)
    details = pa.table({"query_id": IDS, "answer": said, "contexts": [[CONTEXT if rng.random() < 0.7 else "Nothing."]
                                                                     for _ in IDS]}) if answers else None
    return Run.build(name, *map(list, zip(*rows, strict=True)), details=details)


def runs() -> dict[str, Run]:
    return {**{name: built(name, seed) for seed, name in enumerate(("old", "new", "third"))},
            "bare": built("bare", 0, answers=False)}


def opened(*names: str, page: str = "failures", **more) -> AppTest:
    known = runs()
    held = [known[name] for name in names or ("old", "new", "third")]
    return page_cases.opened(page, **address(the_truth(), held, **{"metric": "nDCG@k", **more}))


def texts(at: AppTest) -> str:
    return page_cases.texts(at).replace("\\", "")


def plain(text: str) -> str:
    """Markdown without the backslashes before signs."""
    return text.replace("\\", "")


def links(at: AppTest) -> list[tuple[str, dict[str, list[str]]]]:
    """(label, address) of every link to queries."""
    return [(one.proto.label, parse_qs(one.proto.query_string, keep_blank_values=True)) for one in at.get("page_link")
            if "stages=" in one.proto.query_string or "attributes=" in one.proto.query_string]


def stage_links(at: AppTest) -> dict[tuple[str, str], tuple[int, dict[str, list[str]]]]:
    """(run, stage) -> (the number shown, the address)."""
    return {(address["look"][0], address["stages"][0]): (int(re.search(r"\*\*([\d,]+)\*\*", label)[1]), address)
            for label, address in links(at) if len(address["stages"]) == 1 and address["attributes"] == [""]}


def follow(at: AppTest, address: dict[str, list[str]]) -> set[str]:
    """The queries that the Queries page shows at this address."""
    for key, value in address.items():
        at.query_params[key] = value
    return set(page_cases.listed(shown(at.run()), "query_rows")["Query"])


@pytest.mark.parametrize(("extra", "rules"), [
    ({}, {}), ({"slice": "kind=easy", "k": "5"}, {"k": 5}),
    ({"coverage": "0.5", "correct": "0.2", "grounded": "0.0", "cut_off": "8"},
     {"coverage": 0.5, "right": 0.2, "grounded": 0.0, "score": 8.0})])
def test_every_number_is_the_rows_that_the_queries_page_shows(extra, rules):
    at = opened(**extra)
    found, truth = stage_links(at), the_truth()
    inside = np.array([place >= 20 or "slice" not in extra for place in range(QUERIES)])
    queries = opened(page="queries", **extra)
    expected = {}
    for run in (runs()[name] for name in ("old", "new", "third")):
        own = diagnose(Match(run, truth), DiagnosisRules(**rules))
        for s in np.flatnonzero(own.counts(inside)):
            held = {name for name, here in zip(IDS, (own.stage == s) & inside, strict=True) if here}
            expected[run.digest[:SHORT], NAMES[s]] = held
        low = own.ranked_low(evaluate(run, truth, f"nDCG@{rules.get('k', 10)}"), f"nDCG@{rules.get('k', 10)}", inside)
        expected[run.digest[:SHORT], RANKED_LOW] = {name for name, here in zip(IDS, low.queries, strict=True) if here}
    assert {key: n for key, (n, _) in found.items()} == {key: len(held) for key, held in expected.items()}
    for key, (n, where) in found.items():
        rows = follow(queries, where)
        assert rows == expected[key] and len(rows) == n, key
    assert len({stage for _, stage in expected}) >= 5


def test_a_straight_visit_says_too_that_a_hybrid_would_help(monkeypatch):
    known, found = [None], SimpleNamespace(runs=("old", "new"), value=0.8, same=())
    monkeypatch.setattr(what_if_cache, "known_gain", lambda *_: known[0])
    monkeypatch.setattr(what_if_cache, "gain", lambda *_: known.__setitem__(0, found) or found)
    assert "What-if: fusing old and new would reach NDCG@10 0.8" in texts(opened("old"))


def test_long_names_are_short_in_sentences_as_in_choices():
    start = "support-assistant-2026-embedding-v3-chunk512"
    of_runs = address(the_truth(), [replace(run, name=f"{start}-{name}") for name, run in [*runs().items()][:3]])
    at = shown(page_cases.opened("failures", **of_runs))
    findings, choice = at.main.markdown[0].value, next(box for box in at.selectbox if box.label == "Selected run")
    assert start not in findings and all(f"**{name}**" in plain(findings) for name in choice.options)
    for tab in ("What failing queries share", "Documents"):
        part = page_cases.opened("failures", **of_runs, tab=tab)
        assert not [one.value for one in part.main.markdown if start in plain(one.value)], tab


def test_of_many_runs_the_others_are_counted_by_the_stage_at_which_most_of_their_queries_fail():
    at = opened(*runs())
    first, others = at.main.markdown[0].value.removeprefix("- ").split("\n- ")
    names, looked = list(runs()), next(name for name in runs() if first.startswith(f"**{name}**"))
    worst = Counter(NAMES[int(diagnose(Match(runs()[name], the_truth())).counts()[:FINE].argmax())]
                    for name in names if name != looked)
    stages = {f"**{stage.title}** ({fmt.count(worst[stage.name], 'run')})" for stage in STAGES if worst[stage.name]}
    assert others.startswith("3 other runs fail most often at ") and all(stage in others for stage in stages)
    assert not any(f"**{name}**" in others for name in names)


@pytest.mark.parametrize("suffix, named", [("", True), ("-with-reranking", False)])
def test_names_are_next_to_each_count_or_where_they_are_long_once_above_the_rows(suffix, named):
    at = shown(page_cases.opened("failures", **address(the_truth(), [
        replace(run, name=f"{name}{suffix}") for name, run in [*runs().items()][:2]])))
    labels = [link.proto.label for link in at.get("page_link") if link.proto.label.startswith(":color[")]
    assert labels and all(any(label.endswith(name) for name in runs()) is named for label in labels)
    signs = [caption.value for caption in at.caption if all(f"{name}{suffix}" in plain(caption.value)
                                                            for name in [*runs()][:2])]
    assert bool([text for text in signs if text.startswith(":color[")]) is not named


def test_a_sentence_says_what_loses_most_and_what_is_to_gain():
    at, run, truth = opened("old"), runs()["old"], the_truth()
    own = diagnose(Match(run, truth))
    counts = own.counts()
    gains = {gain.stage: gain for gain in own.gains(evaluate(run, truth, "nDCG@10"), "nDCG@10")}
    low = own.ranked_low(evaluate(run, truth, "nDCG@10"), "nDCG@10")
    rows = {STAGES[s].title: (counts[s], gains[NAMES[s]].at_most) for s in range(FINE)
            if NAMES[s] in OF_RETRIEVAL and gains[NAMES[s]].at_most > 0}
    rows["Ranked low"] = (low.queries.sum(), low.at_most)
    (first, (n, gain)), *rest = sorted(rows.items(), key=lambda row: -row[1][1])[:3]
    fine = {"Ranked low": " with relevant documents in a poor order"}
    then = " and ".join(f"**{title}** ({n}{fine.get(title, '')}, +{gain:.3f})" for title, (n, gain) in rest)
    said = texts(at)
    lead = " can gain most at" if first == "Ranked low" else ": first fix"
    assert f"**old**{lead} **{first}**: {n} queries{fine.get(first, '')}, up to +{gain:.3f} NDCG@10. " in said
    assert f"NDCG@10. Then {then}." in said
    assert "What-if: fusing" not in said, "offered only where What-if says yes"
    right = own.numbers["right"][(own.stage > 0) & (own.stage < NAMES.index("below-threshold"))] == 1
    assert f"{right.sum()} of the {len(right)} queries without enough relevant documents have a right" in said
    assert "Fixing answers does not change NDCG@10" in said


def test_the_row_that_a_sentence_calls_the_first_fix_has_a_badge_with_the_signs_of_its_runs():
    at = opened("old", "new", "third")
    leads = r"\*\*(\S+)\*\*(?:: first fix| can gain most at) \*\*(.+?)\*\*:"
    firsts = dict(re.findall(leads, at.main.markdown[0].value))
    rows = dict(re.findall(r"^\*\*(.+?)\*\* :gray-badge\[(?:first fix|most to gain)\](.*)$", texts(at), re.MULTILINE))
    assert list(firsts) == ["old", "new", "third"] and rows.keys() == set(firsts.values())
    for title, signs in rows.items():
        wanted = [run_look(slot, THEMES["light"]).sign for slot, name in enumerate(firsts) if firsts[name] == title]
        assert re.findall(r":color\[(.+?)\]", signs) == (wanted if len(wanted) < len(firsts) else [])


def test_what_ranks_low_is_counted_leads_to_its_queries_and_completes_the_gap():
    run, truth = runs()["old"], the_truth()
    evaluation = evaluate(run, truth, "nDCG@10")
    low = diagnose(Match(run, truth)).ranked_low(evaluation, "nDCG@10")
    assert low.queries.any()
    at = opened("old")
    label, where = next((label, where) for label, where in links(at) if where["stages"] == [RANKED_LOW])
    assert f"**{low.queries.sum()}**" in label and f"+{low.at_most:.3f}" in label
    assert follow(opened(page="queries"), where) == {
        name for name, is_low in zip(IDS, low.queries, strict=True) if is_low}
    assert "With Ranked low, the gains add up to all that NDCG@10 lacks" in texts(at)
    assert not any(where["stages"] == [RANKED_LOW] for _, where in links(opened("old", metric="TokenF1")))


def test_gains_are_those_of_the_queries_in_scope():
    run, truth = runs()["old"], the_truth()
    hard = np.arange(QUERIES) < 20
    gains = {gain.stage: gain.at_most for gain in diagnose(Match(run, truth)).gains(evaluate(run, truth, "nDCG@10"),
                                                                                    "nDCG@10", hard)}
    low = diagnose(Match(run, truth)).ranked_low(evaluate(run, truth, "nDCG@10"), "nDCG@10", hard)
    gains[RANKED_LOW] = low.at_most
    at = opened("old", slice="kind=hard")
    shown_gains = {address["stages"][0]: float(label.rpartition("+")[2].partition("]")[0])
                   for label, address in links(at) if "+" in label}
    assert shown_gains and all(value == pytest.approx(gains[stage], abs=5e-4) for stage, value in shown_gains.items())


def test_a_metric_without_a_better_end_gains_nothing():
    at = opened(metric="Judged@k")
    assert not any("+" in label for label, _ in links(at))
    assert "to gain" not in texts(at) and "adds at most" not in texts(at)


def test_what_cannot_be_assessed_is_said_of_the_runs_that_it_holds_of():
    said = texts(opened("old", "bare"))
    assert "Not assessed for old: Relevant document in corpus (no corpus is given)" in said
    of_bare = next(line for line in said.splitlines() if "Not assessed for bare: " in line)
    assert "Answered right" in of_bare and of_bare.count("(no answers)") == 1, "a reason is said once"


def test_rules_are_kept_in_the_address_told_on_queries_and_taken_back():
    at = opened("old", coverage="0.5")
    assert at.query_params["coverage"] == ["0.5"] or at.query_params["coverage"] == "0.5"
    assert "share of the relevant documents needed 0.5" in texts(opened("old", page="queries", coverage="0.5"))
    assert "rules of your own" not in texts(opened("old", page="queries"))
    shown(at.button(key="usual_rules").click().run())
    assert at.session_state["coverage"] == 1.0 and "coverage" not in at.query_params
    wrong = shown(at.text_input(key="cut_off").set_value("high").run())
    assert "The threshold is a number" in texts(wrong)


def fails(diagnosis) -> np.ndarray:
    """Whether something went wrong; nobody knows where there is nothing to check."""
    return np.array([NAMES[stage] not in ("fine", "no-gold") for stage in diagnosis.stage])


def test_slices_lead_to_their_failing_queries():
    at, own = opened("old", by="kind"), diagnose(Match(runs()["old"], the_truth()))
    found = {address["attributes"][0]: (label, address) for label, address in links(at)
             if address["attributes"] != [""] and len(address["stages"]) > 1}
    assert set(found) == {"kind=hard", "kind=easy"}
    queries = opened("old", page="queries")
    for token, (label, where) in found.items():
        inside = (np.arange(QUERIES) < 20) == (token == "kind=hard")
        wrong = {name for name, here in zip(IDS, fails(own) & inside, strict=True) if here}
        assert f"{len(wrong)} of 20" in label and follow(queries, where) == wrong


def test_shared_traits_lead_to_their_queries_and_change_with_the_measure():
    at = opened("old")
    own = [(label, address) for label, address in links(at) if "stages" in address and address["stages"] == [""]]
    assert {address["attributes"][0] for _, address in own} >= {"kind=hard"}
    label, address = next(one for one in own if one[1]["attributes"] == ["kind=hard"])
    assert label.endswith("(20)") and len(follow(opened("old", page="queries"), address)) == 20
    note = "The links count all queries of a kind, n those with a value of NDCG@10."
    assert note in texts(at), "q35 has no relevant document, so n is less"
    assert "The intervals are not corrected: one without 0 can have a hollow symbol." in texts(at), "as the symbols are"
    at = opened("old", shares="wrong")
    assert "Share that goes wrong" in texts(at) and note not in texts(at)
    assert "The links count all queries of a kind, n those of which something can be checked." in texts(at)


def test_clusters_say_what_brings_them():
    assert "Needs embeddings of the questions. **Query map** makes them" in texts(opened("old"))


def test_clusters_are_shown_where_vectors_are_kept(monkeypatch):
    vectors = np.random.default_rng(0).normal(size=(QUERIES, 8)).astype(np.float32)
    monkeypatch.setattr("ragdash.analysis.failure_patterns.question_vectors", lambda truth: vectors)
    failure_patterns._clusters.clear()
    at = opened("old")
    failure_patterns._clusters.clear()
    rows = at.table[-1].value
    assert list(rows.columns) == ["Typical words", "Queries", "Most typical questions"]
    wrong = int(fails(diagnose(Match(runs()["old"], the_truth()))).sum())
    assert rows["Queries"].astype(int).sum() == wrong


def test_failing_queries_can_be_taken_along():
    at = opened("old")
    wrong = int(fails(diagnose(Match(runs()["old"], the_truth()))).sum())
    assert f"{wrong} queries as a regression set" in [one.proto.label for one in at.get("download_button")]
    at = opened("old", page="queries", stages=["fine"])
    fine = QUERIES - wrong - 1  # of one nothing can be checked
    assert f"{fine} queries as a regression set" in [one.proto.label for one in at.get("download_button")]


def test_every_run_is_on_the_way_and_ten_runs_fit():
    at = opened("old", "new", "third")
    figure = json.loads(next(one for one in at.get("plotly_chart") if "waterfall" in one.proto.id).proto.spec)
    names = [trace["name"] for trace in figure["data"]]
    assert names[:2] == ["new", "lost"] and set(names[2:]) == {"old", "third"}
    assert at.selectbox(key="look").value == runs()["new"].digest


def test_of_many_runs_the_one_looked_at_the_baseline_and_the_best_have_counts_with_names():
    counts = np.zeros((9, len(NAMES)), int)
    counts[:, FINE] = [9, 1, 2, 30, 4, 5, 6, 20, 8]
    context = SimpleNamespace(entries=range(9), baseline=5)
    assert failures_sections._named_runs(SimpleNamespace(context=context, counts=counts, run_index=1)) == [1, 5, 3]
    few = SimpleNamespace(entries=range(4), baseline=2)
    assert failures_sections._named_runs(SimpleNamespace(context=few, counts=counts, run_index=3)) == [0, 1, 2, 3]


def walk(at: AppTest, page: str) -> str:
    """Open a page by the sidebar, whose links have no choices; the digest in the select box of the run looked at."""
    at.switch_page(f"pages/{page}.py")
    at.query_params.clear()
    at.session_state["answer_parts"] = "One by one"
    return shown(at.run()).selectbox(key="look").value


@pytest.mark.parametrize("chosen", [None, "third"])
def test_the_run_looked_at_stays_the_same_from_page_to_page(chosen):
    known, truth = runs(), the_truth()
    at = opened("old", "new", "third", page="queries")
    if chosen:
        shown(at.selectbox(key="look").set_value(known[chosen].digest).run())
    run = known[chosen or "new"]
    failing = int(fails(diagnose(Match(run, truth))).sum())
    assert failing not in {int(fails(diagnose(Match(known[name], truth))).sum())
                           for name in ("old", "new", "third") if name != run.name}
    for page in ("failures", "answers", "failures", "queries", "answers", "queries", "failures"):
        assert walk(at, page) == at.session_state["look"] == run.digest, page
        if page == "failures":
            figure = page_cases.charts(at)["waterfall"]
            assert figure["data"][0]["name"] == run.name
            assert re.search(rf"Bars: .*\xa0{run.name}\. Hatched", texts(at))
            exported = [one for one in at.get("download_button") if one.key == "regression_failing"]
            assert [one.proto.label for one in exported] == [f"{failing} queries as a regression set"]


def test_without_kinds_of_queries_the_page_says_what_they_need():
    truth = Truth.build("bare truth", IDS, ["a"] * QUERIES, [1] * QUERIES)
    at = page_cases.opened("failures", **address(truth, [runs()["bare"]], metric="nDCG@k"))
    assert "This needs attributes of the queries (such as a type) or texts of the questions" in texts(at)
    assert "This needs attributes" not in texts(opened("old"))


def test_the_rule_of_a_right_answer_is_said_and_labels_of_the_file_come_first():
    said = texts(opened("old"))
    assert ("**Right answer**, by the first rule that applies: where every reference is a number, it has one of these "
            "numbers; it contains a reference, or its Token F1 (each word once) is at least 0.6.") in said
    run = runs()["old"]
    labels = [(query, "old", "verdict", "Correct" if at % 2 else "Incorrect") for at, query in enumerate(IDS)]
    run = run.with_file_scores(FileScores.build(labels))
    at = page_cases.opened("failures", **address(the_truth(), [run]))
    assert "by the first rule that applies: its label in the file (`verdict`); where every reference is a " in texts(at)
    right = diagnose(Match(run, the_truth()))
    assert {key[1]: n for key, (n, _) in stage_links(at).items() if key[1] != RANKED_LOW} == {
        NAMES[s]: n for s, n in enumerate(right.counts()) if n}
    alone = shown(at.selectbox(key="right_labels").set_value("none").run())
    assert "its label in the file" not in texts(alone)
    assert "no labels of the files" in texts(page_cases.opened(
        "queries", **address(the_truth(), [run], right_labels="none")))
    assert "(no answers)" in texts(opened("bare")) and "**Right answer**" not in texts(opened("bare"))


def test_every_kind_that_is_significantly_worse_is_named_or_counted():
    def sentence(kinds):
        traits = [SimpleNamespace(slice=SimpleNamespace(title=f"kind {at}"), mean=0.1, rest=0.9, n=25, worse=True)
                  for at in range(kinds)]
        return failure_patterns.worse_kinds_sentence("dense", traits)

    values = f"(0.100 against 0.900, n{fmt.NBSP}={fmt.NBSP}25)"
    for kinds, last in ((1, ""), (4, f"**kind 2** {values} and **kind 3** {values}."), (6, "and 3 more.")):
        assert sentence(kinds).startswith(f"**dense** is significantly worse on **kind 0** {values}")
        assert sentence(kinds).endswith(last)
    assert sentence(0).startswith("No kind of queries is significantly worse")


def test_the_map_shows_every_query_and_opens_exactly_those_that_are_picked(monkeypatch):
    truth, ids = the_truth(), np.array(IDS)
    at = opened("old", "new", **{"look": "new"})
    assert "query_map" not in page_cases.charts(at)  # drawn where its tab is open
    at.session_state["tab"] = "Query map"
    shown(at.run())
    marks = page_cases.charts(at)["query_map"]["data"]
    assert sum(len(trace["hovertext"]) for trace in marks) == QUERIES
    stages = {(trace["marker"]["color"], trace["marker"]["symbol"]) for trace in marks}
    assert len(stages) == len(marks), "told apart"
    assert {color for color, _ in stages} <= {LIGHT.gray, *LIGHT.runs, *LIGHT.more}
    assert "Questions that are far apart here share few words." in texts(at)
    assert "not significantly worse in any of the" in texts(at) or "significantly worse than in the rest" in texts(at)
    for color, words in (("value", "with a value"), ("outcome", "equal"), ("difference", "with a value")):
        at.session_state["map_color"] = color
        names = [trace["name"] for trace in page_cases.charts(shown(at.run()))["query_map"]["data"]]
        assert any(words in name for name in names), names
    scale = page_cases.charts(at)["query_map"]["data"][-1]["marker"]
    assert scale["cmin"] == -scale["cmax"] and scale["colorbar"]["ticktext"][2] == "0.000"
    assert [scale["colorbar"]["ticktext"][end].split("<br>")[1] for end in (0, -1)] == ["worse", "better"]
    areas = [parse_qs(link.proto.query_string, keep_blank_values=True) for link in at.get("page_link")
             if "picked=" in link.proto.query_string and "picked=&" not in link.proto.query_string]
    queries = opened("old", "new", page="queries")
    rows = [follow(queries, where) for where in areas if where["picked"] != [""]]
    assert rows and set().union(*rows) == set(IDS) and sum(map(len, rows)) == QUERIES

    chosen = query_map.picked([[3], 7, 20], QUERIES)
    assert not query_map.picked([QUERIES, -1, "3", [], [[1]], {}, float("nan")], QUERIES).any(), "a forged message"
    assert np.flatnonzero(query_map.picked([0], QUERIES)).tolist() == [0]
    scope = SimpleNamespace(truth=truth, truth_digest=truth.digest)
    token = picked_queries.pack(scope, chosen)
    assert follow(queries, {"picked": [token]}) == set(ids[chosen])
    assert "Only 3 queries picked on another page." in texts(queries)
    shown(queries.button(key="drop_picked").click().run())
    assert len(page_cases.listed(queries, "query_rows")) == QUERIES
    assert follow(queries, {"picked": ["000000.AAAA"]}) == set(IDS)  # of another truth
    for text in ("", "x", token[:-3], f"{token[:7]}!!", f"{token[:7]}{'A' * 400}"):
        assert picked_queries.unpack(scope, text) is None


def test_a_large_map_is_made_by_a_process_and_what_is_missing_is_said(monkeypatch):
    monkeypatch.setattr(map_choices, "AT_ONCE", 10)
    at = opened("old", state={"tab": "Query map"})
    job = mapping.current()
    assert job is not None and "query_map" not in page_cases.charts(at)
    job.worker.process.wait(60)
    for reader in job.worker.readers:
        reader.join(60)
    marks = page_cases.charts(shown(at.run()))["query_map"]["data"]
    assert sum(len(trace["hovertext"]) for trace in marks) == QUERIES
    monkeypatch.setattr(layout, "find_spec", lambda name: None)
    at.session_state["map_layout"] = "tsne"
    assert "Scikit-learn is not installed." in texts(shown(at.run()))
    assert 'pip install "ragdash[map]"' in [code.value for code in at.code]
    mapping.forget()


def test_documents_are_counted_and_their_rows_open_their_queries(monkeypatch):
    opened_queries = []
    monkeypatch.setattr(corpus_section.query_links, "open_queries",
                        lambda run, **filters: opened_queries.append((run, filters)))
    at = opened("old", "new", state={"tab": "Documents"}, look="new")
    truth, pair = the_truth(), [runs()[name] for name in ("old", "new")]
    view = corpus_view([Match(run, truth) for run in pair], 1)
    for line in corpus_sentences(view):
        assert plain(line) in plain(texts(at))
    table = next(entry.value for entry in at.dataframe if "Document" in entry.value and "Query" in entry.value)
    assert len(table) == len(view.unfound.queries) > 3
    hubs = next(entry.value for entry in at.dataframe if "Judged not relevant" in entry.value)
    assert hubs["Document"].tolist() == [hub.document for hub in view.hubs.hubs] and len(hubs)
    hub, data = view.hubs.hubs[0], SimpleNamespace(
        digest=pair[1].digest, context=SimpleNamespace(scope=SimpleNamespace(truth=truth, truth_digest=truth.digest)))
    corpus_section._open(data, np.zeros(QUERIES, bool))
    corpus_section._open(data, hub.queries)
    [(run, filters)] = opened_queries
    assert run == pair[1].digest
    assert follow(opened("old", "new", page="queries"), filters) == set(np.array(IDS)[hub.queries])
