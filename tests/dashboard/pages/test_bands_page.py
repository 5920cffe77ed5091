"""Threshold bands: runs on their bands, bands files, targets, slices, and score cutoffs; and what is said where it
cannot be."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from page_cases import address, charts, opened
from test_browser import NOT_OURS, faults_of
from test_pages import texts, upload, with_runs

from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run, Truth
from ragdash.dashboard.pages.threshold_bands import bands_file
from ragdash.dashboard.session.data_store import LOADED, SessionRun
from ragdash.evaluation.bands.toml_file import read_bands, write_bands
from ragdash.evaluation.evaluate import evaluate
from ragdash.metrics import parse_spec
from ragdash.metrics.bands import BANDS, Target, place_in_bands, tables_for, target_outcome

PAGE = "threshold-bands"
HYBRID, GUIDE = (table.source for table in tables_for(parse_spec("R@10")))
OF_A_FILE = "Scores from a file get no bands: another judge, prompt or formula gives other values."
OWN = """
[[table]]
metric = "nDCG@10"
source = "service agreement"
bands = [{label = "not acceptable", low = 0}, {label = "agreed", low = 0.4}]

[[table]]
metric = "R@10"
source = "service agreement"
bands = [{label = "too little", low = 0}, {label = "enough", low = 0.5}]
"""
NARROW = {("scrollable-region-focusable", "stTable")}  # Streamlit's; all numbers stand one tab away, in a grid
WRONG = """
[[table]]
metric = "nDCG@10"
source = "someone"
bands = [{label = "low", low = nan}, {label = "high", low = 0.4}]

[[table]]
metric = "R@10"
source = "someone"
bands = [{label = "low", low = 0, high = 0.6}, {label = "high", low = 0.5}]
"""


@pytest.fixture()
def samples():
    at = opened()
    at.button(key="samples").click().run()
    at.switch_page(f"pages/{PAGE}.py").run()
    assert not at.exception
    return at


def test_bands_out_of_reach_are_gray_and_a_run_at_its_best_is_not_called_poor():
    """67 relevant documents: a perfect run reaches a Recall@10 of 10/67 = 0.149, and 12: 10/12 = 0.833."""
    docs = [f"d{at}" for at in range(67)]
    for relevant, words in ((67, "Recall@10 cannot be rated at k = 10: even a perfect ranking reaches only 0.149"),
                            (12, "A perfect ranking reaches 0.833 with these judgments, so excellent cannot be")):
        truth = Truth.build("truth", ["q1"] * relevant + ["q2"] * relevant, docs[:relevant] * 2, [1] * 2 * relevant)
        perfect = Run.build("perfect", ["q1"] * 10 + ["q2"] * 10, docs[:10] * 2, [*range(20, 10, -1)] * 2)
        at = opened(PAGE, **link([perfect], truth, metric="R@k", bands=HYBRID))
        assert words in finding(at), finding(at)
        notes = [note.get("text", "") for note in charts(at)["bands_R_10"]["layout"]["annotations"]]
        assert f"best possible {10 / relevant:.3f}" in " ".join(notes)
        if relevant == 67:
            assert "rated poor" not in finding(at)
            assert any("cannot be rated at k = 10" in note for note in notes)
            assert not any(re.search(r"<br>poor", note) for note in notes)


def test_pictures_side_by_side_are_equally_high():
    """With 12 relevant documents a perfect ranking reaches NDCG@10 1 and Recall@10 0.833, which has a foot of its own.
    """
    docs = [f"d{at}" for at in range(12)]
    truth = Truth.build("truth", ["q1"] * 12, docs, [1] * 12)
    at = opened(PAGE, **link([Run.build("run", ["q1"] * 10, docs[:10], [*range(20, 10, -1)])], truth))
    figures = {name: figure["layout"] for name, figure in charts(at).items() if name.startswith("bands_")}
    feet = [any("best possible" in note.get("text", "") for note in layout["annotations"])
            for layout in figures.values()]
    assert len(set(feet)) == 2 and len({layout["height"] for layout in figures.values()}) == 1


def said(at) -> str:
    return texts(at).replace("\\", "").replace("*", "")


def finding(at) -> str:
    return at.markdown[0].value.replace("\\", "").replace("*", "")


def link(runs: list[Run], truth: Truth, **more) -> dict:
    """The address of a session with these."""
    LOADED.put(truth)
    tokens = [SessionRun(LOADED.put(run), run.name, at).token for at, run in enumerate(runs)]
    return {"run": tokens, "truth": truth.digest[:12], **more}


def made(hits, *, grades=(1, 0, 0, 0), scored=True, name="dense", attributes=False) -> tuple[Run, Truth]:
    """A run of four documents for each query; hits: the rank of the one that is relevant, 0 for none of them."""
    ids = [f"q{at}" for at in range(len(hits))]
    docs = [[f"d{(rank - hit) % 4 if hit else rank}" for rank in range(1, 5)] for hit in hits]
    scores = np.array([4.0 - rank + at / 100 for at in range(len(hits)) for rank in range(4)])
    run = Run.build(name, np.repeat(ids, 4).tolist(), [doc for row in docs for doc in row],
                    scores if scored else None)
    relevant = [f"d{at}" for at in range(len(grades))]
    details = pa.table({"query_id": ids, "attributes": ['{"type": "hard"}' if at % 2 else '{"type": "easy"}'
                                                        for at in range(len(ids))]}) if attributes else None
    truth = Truth.build("truth", np.repeat(ids, len(grades)).tolist(), relevant * len(ids),
                        np.tile(grades, len(ids)), details=details)
    return run, truth


def summaries(at, metric: str) -> dict:
    """Of the runs of a session, by name, computed without the dashboard."""
    truth = LOADED.truth(at.session_state["_truth"])
    return {entry.name: evaluate(LOADED.run(entry.digest), truth, metric).summary()[0]
            for entry in at.session_state["_runs"]}


def test_cards_side_by_side_are_equally_high(samples):
    at = opened(PAGE, **dict(samples.query_params))
    cards = [block.proto for block in at.get("flex_container") if block.proto.flex_container.border]
    assert len(cards) == 3 and all(card.height_config.use_stretch for card in cards)


def test_with_nothing_or_without_judgments_it_says_what_to_do():
    assert "No runs are loaded yet" in said(opened(PAGE))
    at = upload(opened(), ("a.run", b"q1 Q0 d1 1 2.0 bm25\n"))
    at.switch_page(f"pages/{PAGE}.py").run()
    assert not at.exception and "No relevance judgments loaded" in said(at)


def test_the_first_screen_says_in_words_where_each_run_stands(samples):
    table = tables_for(parse_spec("R@10"))[0]
    line = next(line for line in finding(samples).splitlines() if line.startswith("Recall@10"))
    straddling = 0
    for name, one in summaries(samples, "R@10").items():
        place = place_in_bands(table, one.mean, one.low, one.high)
        straddling += place.straddles
        assert re.search(rf"{name}[^;]* (lies?|is rated|are rated) {place.words()}", line), (name, place, line)
    assert straddling and finding(samples).count(f"Bands: {HYBRID}.") == 1
    assert set(charts(samples)) >= {"bands_R_10", "bands_RR"}


def test_the_picture_bears_every_interval_and_the_words(samples):
    figure = charts(samples)["bands_R_10"]
    drawn = [trace["name"] for trace in figure["data"]]
    found = summaries(samples, "R@10")
    assert drawn == sorted(found, key=lambda name: -found[name].mean)
    written = " ".join(note["text"] for note in figure["layout"]["annotations"])
    assert "between moderate and good" in written
    assert f"Bands: {HYBRID}. Mean over 110 queries" in said(samples)


def test_where_sources_disagree_one_is_chosen(samples):
    assert samples.radio(key="bands").options == [HYBRID, GUIDE]
    samples.radio(key="bands").set_value(GUIDE).run()
    assert not samples.exception and samples.query_params["bands"] == GUIDE
    lines = finding(samples).splitlines()
    assert "minimum" in lines[0] and f"by the {GUIDE}" in lines[0] and f"by the {HYBRID}" in lines[1]
    assert GUIDE in said(opened(PAGE, **dict(samples.query_params)))


@pytest.mark.parametrize("many", [1, 3, 10])
def test_one_three_and_ten_runs(many):
    at = opened(PAGE, **with_runs(many))
    assert not at.error
    figures = charts(at)
    assert set(figures) == {"bands_R_10", "bands_RR"}
    assert len(figures["bands_RR"]["data"]) == min(many, 6), "of many the best"
    assert len(finding(at)) < 600
    assert ("a comparison of the runs" in said(at)) == (many > 1), "one run is compared with none"


def test_metrics_without_bands_say_so_and_take_a_target(samples):
    assert "No bands are stated" not in said(samples), "the heading and the line below it say so"
    assert "Best now: " in said(samples)
    samples.selectbox(key="k").set_value("5").run()
    assert "Bands are stated for Recall@10, not for Recall@5." in said(samples) and "bands_R_5" not in charts(samples)
    samples.number_input(key="target_R_5").set_value(0.6).run()
    assert not samples.exception and "bands_R_5" in charts(samples)
    assert "Recall@5, target 0.6 or more" in finding(samples)


def test_a_target_is_judged_by_the_interval_and_stands_in_the_link(samples):
    found = summaries(samples, "R@10")
    value = round(min(found.values(), key=lambda one: one.mean).high, 3) + 0.001
    samples.number_input(key="target_R_10").set_value(value).run()
    assert not samples.exception and samples.query_params["targets"] == f"R@10={value:.9g}"
    line, meaning = finding(samples).splitlines()[-2:]
    assert meaning.startswith("A run passes if its whole 95% interval reaches the target, and fails if")
    outcomes = {name: target_outcome(Target(parse_spec("R@10"), value), one.mean, one.low, one.high, "higher")
                for name, one in found.items()}
    assert len(set(outcomes.values())) > 1
    for name, outcome in outcomes.items():
        sign = {"pass": "✓", "fail": "✗", "undecided": r"\?"}[outcome]
        assert re.search(rf"{sign} [^;]*{name}", line), (name, outcome, line)
    picture = charts(samples)["bands_R_10"]
    assert any("target" in note["text"] for note in picture["layout"]["annotations"])
    assert "target" not in str(charts(samples)["bands_RR"]["layout"]["annotations"])
    again = opened(PAGE, **dict(samples.query_params))
    assert finding(again) == finding(samples)
    samples.number_input(key="target_R_10").set_value(None).run()
    assert "target" not in finding(samples)


def test_targets_of_a_link_that_cannot_be_read_are_explained():
    at = opened(PAGE, **with_runs(2), targets=["R@10=0.3", "nonsense=1", "R@10=lots", "nDCG@10=7", "P@77=0.2"])
    assert "Recall@10, target 0.3 or more" in finding(at) and len(at.error) == 3
    assert "The target for P@77 counts once" in said(at)


def test_a_file_of_bands_takes_the_place_of_the_built_in_ones_in_this_session(samples):
    upload(samples, ("own.toml", OWN.encode()))
    lines = finding(samples)
    assert re.search(r"Recall@10: .* rated enough", lines) and "NDCG@10: " in lines and "service agreement" in lines
    assert "MRR: " in lines and HYBRID in lines
    assert "the link does not carry them" in said(samples) and "own.toml" not in str(dict(samples.query_params))
    samples.button(key="bands_back").click().run()
    assert "service agreement" not in said(samples) and f"Bands: {HYBRID}." in finding(samples)


def test_a_wrong_file_is_explained_and_leaves_the_bands_in_force(samples):
    before = finding(samples)
    upload(samples, ("wrong.toml", WRONG.encode()))
    cards = " ".join(card.value for card in samples.error).replace("\\", "")
    assert "nan" in cards and "up to 0.6" in cards and "wrong.toml, line 2" in cards
    assert finding(samples) == before and "still the built-in ones" in said(samples)
    upload(samples, ("own.toml", OWN.encode()))
    assert not samples.error and "service agreement" in finding(samples)
    upload(samples, ("torn.toml", b"[[table"))
    assert samples.error and "still those of own.toml" in said(samples) and "service agreement" in finding(samples)
    samples.button(key="bands_dismiss").click().run()
    assert not samples.error and "service agreement" in finding(samples)


def test_what_is_downloaded_can_be_opened_again(monkeypatch):
    own = read_bands(("own.toml", OWN.encode()))
    held = {bands_file.state.BANDS_FILE: bands_file.BandsFile("own.toml", own)}
    monkeypatch.setattr(bands_file.st, "session_state", held)
    both = bands_file.bands_in_force()
    assert read_bands(("again.toml", write_bands(both).encode())) == both
    assert [table for table in both if table.metric == "R"] == [own[1]]
    assert set(both) - set(own) == {table for table in BANDS if table.metric != "R"}


def test_the_table_by_slice_has_means_intervals_n_and_words(samples):
    samples.selectbox(key="by").set_value("type").run()
    table = samples.table[0].value
    runs, truth = samples.session_state["_runs"], LOADED.truth(samples.session_state["_truth"])
    kinds = truth.details["attributes"].to_pylist()
    ids = [query for query, kind in zip(truth.query_ids.to_pylist(), kinds, strict=True) if '"multi_hop"' in kind]
    one = evaluate(LOADED.run(runs[0].digest), truth, "R@10").only(ids).summary()[0]
    row = table[table["Slice"].str.contains("multi")].iloc[0]
    cell = row[next(name for name in table if runs[0].name in name)].replace("\\", "")
    words = place_in_bands(tables_for(one.spec)[0], one.mean, one.low, one.high).words()
    assert row["n"] == f"{one.n}" and f"{one.mean:.3f}" in cell and f"{one.low:.3f}" in cell and words in cell
    empty = table[table["Slice"].str.contains("no")].iloc[0]
    assert empty["n"] == "0" and "undefined for every query" in empty.iloc[-1]


def test_without_attributes_there_is_no_table_by_slice():
    at = opened(PAGE, **with_runs(2))
    assert not at.table and "By kind of query" not in said(at)


def test_a_single_run_is_not_called_the_best_now():
    run, truth = made([1, 2, 0, 3])
    cards = [one.value for one in opened(PAGE, **link([run], truth)).caption if " Now: " in f" {one.value}"]
    assert cards and not any("Best now" in card for card in cards)
    assert any(",\u00a0" in card for card in cards), "an interval stays on its line"


def test_a_metric_that_cannot_be_rated_is_not_recommended():
    truth = Truth.build("truth", ["q1"] * 67, [f"d{n}" for n in range(67)], [1] * 67)
    run = Run.build("dense", ["q1"], ["d1"], [1.0])
    said = texts(opened(PAGE, **link([run], truth))).replace("\\", "")
    assert "Recall@10 cannot be rated at k = 10" in said
    assert "Use a metric with bands (MRR)" in said


def test_of_runs_with_the_same_mean_none_is_called_the_best_now():
    """Both find the relevant document, one of them later, so Hit rate@10, which has no bands, is 1 in both."""
    (first, truth), (later, _) = made([1, 1, 1, 1], name="dense"), made([2, 1, 2, 1], name="sparse")
    at = opened(PAGE, **link([first, later], truth))
    drawn = list(at.main)
    title = next(place for place, one in enumerate(drawn) if getattr(one, "value", "") == "**Hit rate@10**")
    caption = next(one.value for one in drawn[title:] if one.type == "caption")
    assert "Every run has 1.000 now." in caption and "Best now" not in caption


def test_undefined_values_are_said_and_what_can_be_drawn_is():
    run, truth = made([1, 2, 0, 3], grades=(0, 0, 0, 0))
    at = opened(PAGE, **link([run], truth))
    assert "dense has no value" in finding(at)


def test_one_query_has_no_interval_and_that_is_said():
    run, truth = made([1])
    at = opened(PAGE, **link([run], truth, targets=["R@10=0.5"]))
    assert "excellent (no interval)" in finding(at) and "? dense is undecided" in finding(at)


def test_broken_links_fall_back():
    for key, value in {"banded": "v", "bands": "u", "by": "s", "bands_part": "r"}.items():
        opened(PAGE, **{**with_runs(2), key: value})


@pytest.mark.browser
def test_it_fits_the_screen_and_axe_finds_nothing_that_is_ours(visit, samples_link, axe):
    app = visit().open(samples_link.replace("/?", f"/{PAGE}?") + "&targets=R%4010%3D0.7")
    for scheme, width in (("light", 1440), ("dark", 390)):
        app.resize(width)
        app.appear(scheme).calm()
        assert app.chart("bands_R_10").locator(".scatterlayer .point").count() == 3
        faults = faults_of(app, axe, NARROW | NOT_OURS)
        assert not faults, faults


def test_graded_judgments_say_which_grade_the_rating_rests_on():
    """MRR by grade 1 can be in a better band than MRR by grade 2: a reader must see which one was rated."""
    for grades, expected in (([2, 1], True), ([1, 1], False)):
        truth = Truth.build("truth", ["q1", "q2"], ["a", "b"], grades)
        run = Run.build("bm25", ["q1", "q2"], ["a", "b"], [1.0, 1.0])
        at = opened(PAGE, **link([run], truth))
        assert any("Relevant: grade 1 or more." in note.value and "do not say which grade" in note.value
                   for note in at.caption) is expected


def test_long_names_are_as_short_in_the_table_and_the_cards_as_in_the_pictures():
    names = [f"a_long_name_that_all_the_runs_share_in_front_of_the_setting_{kind}" for kind in ("dense", "sparse")]
    built = [made([1, 2, 0, at], name=name, attributes=True) for at, name in enumerate(names, 1)]
    at = opened(PAGE, **link([run for run, _ in built], built[0][1]))
    table = at.table[0].value
    assert not any("a_long_name" in column.replace("\\", "") for column in table) and "sparse" in " ".join(table)
    cards = [one.value.replace("\\", "") for one in at.caption if "Best now" in one.value]
    assert cards and not any("a_long_name" in card for card in cards)


@pytest.mark.parametrize(("column", "is_said"), [("faithfulness", True), ("mrr", False)])
def test_where_a_metric_of_a_file_has_no_bands_the_page_says_why(column, is_said):
    """The published minimum of faithfulness is for other judgments; MRR from a file has bands next to it."""
    queries = [f"q{number}" for number in range(24)]
    run = Run.from_dict({query: ["a"] for query in queries}, "scored")
    scored = run.with_file_scores(FileScores.build([(query, "scored", column, 0.9) for query in queries]))
    truth = Truth.from_dict({query: {"a": 1} for query in queries}, "truth")
    at = opened(PAGE, **address(truth, [scored], banded=[f"file:{column}"]))
    assert "Metrics without bands" in texts(at) and (OF_A_FILE in texts(at)) is is_said
