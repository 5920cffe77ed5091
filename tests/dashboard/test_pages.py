"""Every page with nothing, one, three and ten runs, with wrong files and from links; and how long a redraw takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from page_cases import charts, leaderboard, opened, widget
from speed import quick
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest

from ragdash.analysis.judge_validation import LabelStore
from ragdash.core.records import Run, Truth
from ragdash.dashboard import page_list
from ragdash.dashboard.session.data_store import LOADED, DataStore, SessionRun
from ragdash.reporting.plots.common.theme import COLORED
from ragdash.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_runs"
PAGES = [*page_list.addresses(), "compare/queries", "compare/slices", "compare/means", "compare/similarity",
         "threshold-bands/speed", "answers/judge", "answers/validation"]


def with_runs(many: int, queries: int = 12, depth: int = 10, seed: int = 0) -> dict:
    """The address of a session with that many generated runs."""
    rng = np.random.default_rng(seed)
    ids = pa.array([f"q{at}" for at in range(queries)])
    owner = np.repeat(np.arange(queries), 3)
    docs = (owner * 0 + np.tile([1, 5, 9], queries)).astype(str)
    truth = Truth.build("truth", ids.take(pa.array(owner)), pa.array(docs), rng.integers(1, 3, len(owner)))
    LOADED.put(truth)
    tokens = []
    for at in range(many):
        ranked = np.argsort(rng.random((queries, 3 * depth)), axis=1)[:, :depth].astype(str)
        run = Run.build(
            f"run {at}",
            ids.take(pa.array(np.repeat(np.arange(queries), depth))),
            pa.array(ranked.ravel()),
            np.tile(np.linspace(1, 0, depth), queries),
        )
        tokens.append(SessionRun(LOADED.put(run), run.name, at).token)
    return {"run": tokens, "truth": truth.digest[:12]}


def texts(at: AppTest) -> str:
    return " ".join(part.value for kind in (at.markdown, at.caption, at.header, at.error, at.warning) for part in kind)


def upload(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    for name, content in files:
        at.file_uploader[0].upload(name, content)
    at.run()
    assert not at.exception
    return at


def test_a_damaged_file_of_the_workspace_is_said_on_its_page(tmp_path, monkeypatch):
    """What no section of the page expects, too."""
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path))
    (tmp_path / "labeling_policy.toml").write_bytes(b"[[[")
    said = [card.value for card in opened("answers/validation", **with_runs(2)).error]
    assert len(said) == 1 and "no labeling policy" in said[0]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_with_nothing_loaded_says_what_to_do(page):
    at = opened(page)
    said = texts(at)
    assert at.title[0].value
    if page == "metrics":
        assert "discounted cumulative gain" in said
    else:
        assert "loaded yet" in said and ("Data" in said or "samples" in said)


def test_the_samples_open_with_one_click():
    at = opened()
    at.button(key="samples").click().run()
    assert not at.exception
    assert [entry.name for entry in at.session_state["_runs"]] == ["dense", "sparse", "hybrid"]
    assert "queries" in texts(at) and not at.error
    at.switch_page("pages/compare.py").run()
    assert "NDCG@10" in at.markdown[0].value and "n = 110." in texts(at)


def test_the_samples_come_with_labels_that_validate_their_judge_and_keep_those_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path))
    at = opened()
    at.button(key="samples").click().run()
    runs = [entry.digest for entry in at.session_state["_runs"]]
    assert [len(LabelStore().read(run, "Correctness")) for run in runs] == [22, 22, 22]
    LabelStore().add(runs[0], "Correctness", {"q002": 0.0})
    held = LabelStore().read(runs[0], "Correctness")
    again = opened()
    again.button(key="samples").click().run()
    assert LabelStore().read(runs[0], "Correctness") == held and held["q002"] == 0.0
    said = texts(opened("answers", **{**at.query_params, "part": "validation"}))
    assert "of 22 labels" in said and "a language model did, which saw no verdict" in said
    assert ("the mean of Correctness lies in **0.720 to 0.986** over 122 queries. **Not settled**: the true value "
            "can be anywhere in this range. The judge's mean is 0.955 on the labeled queries and 0.760 on all. By "
            "chance, queries with better answers were drawn to label. The best estimate, 0.907, may be too high. The "
            "judge says “no” to 28 queries, of which 1 has a label. Label 15 more answers, chosen at random and not by "
            "verdict: then about 5 have one.") in said
    assert said.count("Not settled") == 1 and said.count("% narrower than the labels alone") == 2


@pytest.mark.parametrize("many", [1, pytest.param(3, marks=pytest.mark.smoke), 10])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_with_runs_draws_them(page, many):
    at = opened(page, **with_runs(many))
    figures = charts(at)
    assert not at.error
    expected = {
        "compare": {"means"} if many == 1 else {"forest"} if many < 5 else {"forest", "forest_candidate"},
        "compare/means": {"means"},
        "compare/queries": {"compare_sorted"} if many > 1 else {"means"},
        "compare/slices": set() if many > 1 else {"means"},
        "compare/similarity": {"likeness_matrix"} if many > 1 else {"means"},
        "threshold-bands": {"bands_R_10", "bands_RR"},
        "score-cutoffs": {"sweep", "pr_by_score"},
        "precision-recall": {"curve_P", "curve_R", "trade_off"},
        "failures": {"waterfall"},
        "ranking": {"first_rank", "at_RR", "at_nDCG", *(["per_query"] if many > 1 else [])},
        "what-if": {"sweep_mix", "ceiling"} if many > 1 else set(),
    }
    assert set(figures) == expected.get(page, set()), f"a page with figures has a line in `expected`: {page}"
    for key, figure in figures.items():
        drawn = many if many <= COLORED or key == "means" else COLORED  # of more runs the best are drawn
        if key in ("means", "at_RR", "at_nDCG"):
            assert len(figure["data"]) == drawn
        if key.startswith("curve_"):
            assert sum(trace["name"] not in ("band", "chosen k") for trace in figure["data"]) == drawn


def test_ten_pages_at_most_are_listed_for_runs_and_judgments_and_the_others_are_linked():
    retrieval = {page_list.RUNS, page_list.JUDGMENTS, page_list.SCORES, page_list.TWO_RUNS}
    listed = [entry.path for entry in page_list.entries() if page_list.is_listed(entry, retrieval)]
    assert len(listed) <= 10, f"{listed}: 10 at most; link the page from another one (`unlisted=True`)"
    assert any(link.proto.page == "test-set" for link in opened("data", **with_runs(2)).get("page_link"))


def test_every_chart_has_a_name_for_those_who_cannot_see_it():
    for page in ("compare", "compare/queries", "compare/means", "precision-recall", "ranking", "failures"):
        for chart in opened(page, **with_runs(2)).get("plotly_chart"):
            assert chart.proto.alt


def test_the_leaderboard_states_mean_interval_n_and_signed_difference():
    at = opened("compare", **with_runs(3))
    table = leaderboard(at)
    assert list(table) == ["Run", "NDCG@10", "Marks", "Difference", "Outcome", "Recall@10", "Precision@10", "MRR",
                           "Hit rate@10"]
    rest = table[table["Outcome"] != "baseline"]
    assert table["NDCG@10"].str.fullmatch(r"0\.\d{3} \[0\.\d{3}, 0\.\d{3}\]").all()
    assert len(rest) == 2 and rest["Difference"].str.fullmatch(r"[+−]0\.\d{3}").all()
    assert "NDCG@10 with its 95% bootstrap interval, over 12 queries." in " ".join(one.value for one in at.caption)


def test_a_metric_typed_by_hand_is_read_and_a_wrong_one_is_explained():
    address = with_runs(2)
    at = opened("compare", **address)
    at.multiselect(key="columns").set_value(["nDCG(gain='exp')@5", "Recal@5", "MQWV"]).run()
    assert not at.exception
    assert [name for name in leaderboard(at).columns if "NDCG" in name] == ["NDCG@10", "NDCG@5 (gain = exp)"]
    assert any("Recal@5" in card.value for card in at.error) and any("corpus" in card.value for card in at.error)


def test_the_metrics_page_explains_each_metric():
    at = opened("metrics")
    for name in at.selectbox(key="about").options:
        at.selectbox(key="about").set_value(name.rsplit("(", 1)[-1].rstrip(")")).run()
        assert not at.exception and at.latex[0].value
    at.text_input(key="find").set_value("reciprocal").run()
    assert "RR" in at.dataframe[0].value["Name"].tolist()
    at.text_input(key="find").set_value("no such thing").run()
    assert not at.exception and not at.dataframe


def test_a_link_opens_the_same_view():
    at = opened("precision-recall", **with_runs(3), k="7")
    field = next(field for field in at.multiselect if field.label == "Runs shown")
    field.set_value([entry.digest for entry in at.session_state["_runs"]][:2]).run()
    at.segmented_control(key="axis").set_value("linear").run()
    at.selectbox(key="metric").set_value("RR").run()
    written = dict(at.query_params)
    assert (
        written["k"] == "7" and written["metric"] == "RR" and written["axis"] == "linear" and len(written["shown"]) == 2
    )
    again = opened("precision-recall", **written)
    assert dict(again.query_params) == written
    assert [entry.name for entry in again.session_state["_runs"]] == ["run 0", "run 1", "run 2"]
    assert charts(again)["curve_P"]["layout"]["xaxis"].get("type") != "log"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("k", "many"),
        ("k", "-3"),
        ("k", "99999999999"),
        ("metric", "nonsense"),
        ("shown", "123456789012"),
        ("baseline", "x"),
        ("axis", "cubic"),
        ("run", "a.b.c"),
        ("truth", "zz"),
        ("columns", "@@"),
    ],
)
def test_a_broken_link_falls_back_to_the_defaults(key, value):
    for page in ("compare", "precision-recall"):
        opened(page, **{**with_runs(2), key: value})


def test_a_link_to_runs_that_are_gone_says_so():
    at = opened("compare", run=["0123456789ab.0.bm25"], truth="0123456789ab")
    assert "bm25" in texts(at) and "does not hold" in texts(at)


def test_a_link_without_its_baseline_says_that_another_run_is_the_baseline():
    address = with_runs(2)
    gone = "0123456789ab.2.bm25"
    at = opened("compare", **{**address, "run": [*address["run"], gone]}, baseline="0123456789ab")
    assert "The baseline of the link, bm25, is not loaded" in texts(at) and "to run 0" in texts(at)
    kept = opened("compare", **{**address, "run": [*address["run"], gone]}, baseline=address["run"][1][:12])
    assert "does not hold" in texts(kept) and "baseline of the link" not in texts(kept)


def test_renaming_recoloring_and_removing_a_run():
    at = opened(**with_runs(3))
    first, second = at.session_state["_runs"][:2]
    at.text_input(key=f"name_{first.digest[:8]}").set_value("  *best*  run ").run()
    at.selectbox(key=f"slot_{first.digest[:8]}").set_value(1).run()
    entries = at.session_state["_runs"]
    assert entries[0].name == "*best* run" and (entries[0].slot, entries[1].slot) == (1, 0)
    at.button(key=f"remove_{second.digest[:8]}").click().run()
    assert [entry.digest for entry in at.session_state["_runs"]] == [entries[0].digest, entries[2].digest]
    assert LOADED.run(second.digest) is not None
    widget(at, "button", "remove_truth").click().run()
    assert at.session_state["_truth"] is None and "No judgments yet" in texts(at)


def test_a_color_that_is_not_offered_changes_no_color():
    at = opened(**with_runs(2))
    first = at.session_state["_runs"][0]
    before = [entry.slot for entry in at.session_state["_runs"]]
    field = at.selectbox(key=f"slot_{first.digest[:8]}")
    forged = WidgetStates(widgets=[WidgetState(id=field.proto.id, string_value="dense")])
    assert not at._run(forged).exception
    assert [entry.slot for entry in at.session_state["_runs"]] == before


def test_a_color_for_a_run_that_was_removed_changes_no_color():
    at = opened(**with_runs(2))
    first, second = at.session_state["_runs"]
    field = at.selectbox(key=f"slot_{first.digest[:8]}")
    at.button(key=f"remove_{first.digest[:8]}").click().run()
    late = WidgetStates(widgets=[WidgetState(id=field.proto.id, string_value=field.options[second.slot])])
    assert not at._run(late).exception
    assert [(entry.digest, entry.slot) for entry in at.session_state["_runs"]] == [(second.digest, second.slot)]


def test_a_run_of_other_queries_is_explained_and_the_rest_is_shown():
    at = upload(opened(**with_runs(2)), ("other.run", b"x1 Q0 d1 1 2.0 bm25\n"))
    at.switch_page("pages/compare.py").run()
    assert not at.exception and len(leaderboard(at)) == 2
    assert any("quer" in card.value for card in at.error)


def test_a_run_keeps_its_color_when_others_go():
    at = opened(**with_runs(3))
    before = {entry.digest: entry.slot for entry in at.session_state["_runs"]}
    at.button(key=f"remove_{at.session_state['_runs'][0].digest[:8]}").click().run()
    assert all(before[entry.digest] == entry.slot for entry in at.session_state["_runs"])
    upload(at, ("new.run", b"q1 Q0 1 1 2.0 bm25\n"))
    assert at.session_state["_runs"][-1].slot == 0


def test_the_store_lets_go_of_what_was_used_longest_ago():
    runs = [Run.build(str(at), ["q"], [f"d{at}"], np.array([1.0])) for at in range(3)]
    store = DataStore(limit=1)
    for run in runs:
        store.put(run)
    assert len(store) == 1 and store.run(runs[2].digest[:12]) is runs[2] and store.run(runs[0].digest) is None
    assert store.truth(runs[2].digest) is None and store.get("") is None


def test_a_run_made_from_judgments_with_their_grades_as_scores_hides_neither_of_them(tmp_path):
    truth = Truth.build("truth", ["q1", "q2"], ["a", "b"], [1, 2])
    run = Run.build("run", ["q1", "q2"], ["a", "b"], [1.0, 2.0])
    assert run.digest == truth.digest
    stored = Workspace(tmp_path / "workspace")
    for first, second in ((run, truth), (truth, run)):
        store = DataStore(fallback=lambda: stored)
        for record in (first, second):
            assert store.put(record) == run.digest
            stored.add_record(record)
        for held in (store, DataStore(fallback=lambda: stored)):
            found = held.run(run.digest[:12]), held.truth(run.digest[:12])
            assert [type(one) for one in found] == [Run, Truth]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["compare", "precision-recall", "ranking"])
def test_a_widget_change_redraws_quickly(page):
    """5 runs x 2,000 queries x 100 ranks; the limit is generous: on a quiet machine it takes a tenth of that."""
    at = opened(page, **with_runs(5, queries=2_000, depth=100))
    others = iter(("20", "10", "5"))
    quick(lambda: at.selectbox(key="k").set_value(next(others)).run(), 1.0)
    assert not at.exception


def test_a_file_of_labels_is_no_run_of_its_own():
    run = b'{"query_id": "q1", "retrieved": [{"doc_id": "a", "score": 1}]}\n'
    labels = (SAMPLES / "labels.jsonl").read_bytes()
    at = upload(opened(), ("dense.jsonl", run), ("labels.jsonl", labels))
    assert [entry.name for entry in at.session_state["_runs"]] == ["dense"]
    said = [card.value for card in at.error]
    assert any("labels of dense, hybrid, sparse" in text and "Judge validation" in text for text in said)
