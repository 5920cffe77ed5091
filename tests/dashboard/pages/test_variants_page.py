"""The Variants page: when it is offered, its parts, and the search, groups and pins of its table."""

from dataclasses import replace
from itertools import product

import pandas as pd
import pyarrow as pa
from helpers import run_of, truth_of
from page_cases import address, charts, opened, shown, texts, widget

from ragdash.core.records import Run, RunHeader
from ragdash.dashboard import page_list
from ragdash.dashboard.pages.compare import setting_grid
from ragdash.dashboard.pages.compare.variants.table import matching_rows

QUERIES = [f"q{number:02}" for number in range(20)]
TRUTH = truth_of({query: ["a"] for query in QUERIES})


def variant(model: str, size: int, number: int):
    first = 16 if model == "large" else 6
    documents = {query: [*([] if index < first + number else ["x"]), "a"] for index, query in enumerate(QUERIES)}
    return run_of(documents, f"{model}-{size}", settings={"model": model, "chunk": {"size": size}, "top": 10})


RUNS = [variant(model, size, number) for number, (model, size) in enumerate(product(("large", "small"), (
    256, 512, 1024)))]


def table(at) -> pd.DataFrame:
    frame = at.dataframe[0]
    return pa.ipc.open_stream(frame.proto.arrow_data.data).read_all().to_pandas()


def test_the_page_is_offered_where_runs_share_settings_and_grayed_below_four():
    entry = next(entry for entry in page_list.entries() if entry.path == "variants")
    present = {page_list.RUNS, page_list.JUDGMENTS}
    assert not page_list.is_offered(entry, present)
    assert page_list.is_offered(entry, {*present, page_list.VARIANTS})
    assert page_list.missing_need(entry, {*present, page_list.VARIANTS}) == "four runs with settings"
    assert page_list.is_listed(entry, {*present, page_list.VARIANTS, page_list.FOUR_VARIANTS})
    few = opened("variants", **address(TRUTH, RUNS[:3], metric="RR"))
    assert "3 runs are shown" in texts(few) and not charts(few)


def test_each_part_shows_what_it_is_called():
    at = opened("variants", **address(TRUTH, RUNS, metric="RR"))
    said = texts(at).replace("\\", "")
    assert "model matters most for MRR: model large is +0.175 [+0.062,\u00a0+0.288] against small." in said
    assert "Left out: top (the same in every run)" in said
    assert set(charts(at)) == {"main_effects"}
    for part, chart in (("parallel", "parallel_settings"), ("settings", "setting_grid")):
        widget(at, "button_group", "variants_part").set_value(part)
        assert set(charts(shown(at.run()))) == {chart}
    assert widget(at, "selectbox", "group").value == "model"  # the one that matters most
    widget(at, "button_group", "variants_part").set_value("compromises")
    assert "No latency or cost" in "".join(header.value for header in shown(at.run()).header)


def test_long_names_are_short_in_every_sentence():
    name = "retrieval_results_of_the_{}_embedding_with_chunks_of_{}_tokens"
    runs = [replace(run, name=name.format(*run.name.split("-"))) for run in RUNS]
    few = Run.build(runs[0].name, QUERIES, ["a"] * 20, settings=dict(RUNS[0].settings))  # one document each
    text = texts(opened("variants", **address(TRUTH, [few, *runs[1:]], metric="nDCG@k"))).replace("\\", "")
    assert "Not comparable yet, so no setting is named:" in text and "retrieval_results_of_the" not in text


def test_two_settings_that_always_change_together_are_not_the_rows_and_columns():
    together = [{"chunk": "256", "overlap": "32"}, {"chunk": "512", "overlap": "64"}]
    crossed = [{**run, "model": model} for run in together for model in ("large", "small")]
    assert not setting_grid._is_crossed(crossed, "chunk", "overlap")
    assert setting_grid._is_crossed(crossed, "chunk", "model") and not setting_grid._is_crossed([], "chunk", "model")


def test_the_table_is_searched_grouped_and_pinned():
    at = opened("variants", **address(TRUTH, RUNS, metric="RR", variants_part="runs"))
    frame = table(at)
    assert len(frame) == 6 and frame["MRR"].is_monotonic_decreasing and {"model", "chunk.size"} <= set(frame.columns)
    widget(at, "text_input", "variants_find").set_value("size=256")
    assert set(table(shown(at.run()))["Run"]) == {"large-256", "small-256"}
    pins = widget(at, "multiselect", "variants_pinned")
    pins.set_value([RUNS[-1].digest])
    names = table(shown(at.run()))["Run"].tolist()
    assert names[0].endswith("small-1024") and set(names[1:]) == {"large-256", "small-256"}
    widget(at, "text_input", "variants_find").set_value("")
    widget(at, "selectbox", "variants_by").set_value("model")
    groups = table(shown(at.run()))
    assert groups["model"].tolist() == ["large", "small"] and groups["Runs"].tolist() == [3, 3]
    widget(at, "selectbox", "variants_by").set_value("none")
    widget(at, "multiselect", "variants_pinned").set_value([])
    widget(at, "text_input", "variants_find").set_value("no such run")
    assert "No run has all of these words" in "".join(note.value for note in shown(at.run()).info)


def test_a_search_has_all_words_and_exact_values():
    frame = pd.DataFrame({"Run": ["hybrid [1]", "dense"], "chunk.size": ["512", "5120"], "MRR": [0.5, 0.4]})
    assert matching_rows(frame, "size=512").tolist() == [True, False]
    assert matching_rows(frame, "512 [1").tolist() == [True, False]
    assert matching_rows(frame, "").tolist() == [True, True]
    assert matching_rows(frame, "none=1").tolist() == [False, False]


def test_repeats_of_a_variant_are_one_run_with_the_noise_that_dominates():
    def repeat(run, number):
        header = RunHeader(f"{run.name}-{number}", "rag", "2026-03-01T00:00:00+00:00", settings=run.settings,
                           group="grid", repeat=number)
        lost = f"q{10 * number:02}"  # another query finds nothing in each repeat
        return replace(run_of({query: [] if query == lost else run.ranking(query)["doc_id"].to_pylist()
                               for query in QUERIES}, f"{run.name}#{number}", settings=run.settings), header=header)

    runs = [repeat(run, number) for number in range(2) for run in RUNS[:2] + RUNS[3:5]]
    at = opened("variants", **address(TRUTH, runs, metric="RR", variants_part="runs"))
    assert "4 of 4 runs are means of repeats" in texts(at) and table(at)["Repeats"].tolist() == [2] * 4
    assert "2 repeats of 20 queries" in texts(at).replace("\\", "")
    next(button for button in at.button if button.label == "Show single repeats").click()
    at = shown(at.run())
    assert len(table(at)) == 8 and "means of repeats" not in texts(at)
