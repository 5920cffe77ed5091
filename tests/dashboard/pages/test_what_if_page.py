"""The What-if page on the samples: the answer, the mix and its sliders, the fused run taken along."""

from __future__ import annotations

from page_cases import ROOT, address, charts, opened, shown, texts

from ragdash import Run, read_run, read_truth
from ragdash.dashboard.caches import what_if_cache
from ragdash.reporting.sentences.what_if import left_out_sentence


def samples() -> tuple:
    folder = ROOT / "sample_runs"
    return read_truth(folder / "truth.jsonl"), [read_run(folder / f"{name}.jsonl") for name in ("sparse", "dense")]


def test_the_page_answers_and_a_mix_can_be_tried_and_added():
    truth, runs = samples()
    at = opened("what-if", **address(truth, runs))
    assert "Yes: build this hybrid: Weighted sum of scores" in texts(at) and "held-out queries" in texts(at)
    assert {"sweep_mix", "ceiling"} <= set(charts(at)) and "Any weight of dense from" in texts(at)
    assert "No fusion of these runs can exceed" in texts(at) and "first results and" in texts(at)
    shown(at.selectbox(key="fusion").select("elasticsearch-rrf").run())
    depth = max(run.depth for run in runs)
    assert f"Elasticsearch's default window used 10 of your {depth} results" in texts(at)
    assert any("rank_window_size" in block.value for block in at.code)
    shown(at.select_slider(key="fuse_k").set_value("5").run())
    shown(at.slider(key="fuse_share").set_value(1.0).run())
    assert "+0.000" in texts(at) or "−0.007" in texts(at)
    shown(at.button(key="mix_add").click().run())
    assert len(at.session_state["shown"]) == len(runs) + 1


def test_the_page_needs_two_runs_with_something_to_fuse_and_says_what_it_did_not_try(monkeypatch):
    truth, runs = samples()
    at = opened("what-if", **address(truth, runs[:1]))
    assert "A hybrid needs two runs" in "".join(header.value for header in at.header)
    at = opened("what-if", **address(truth, [Run.build("ranks", ["q001"], ["d1"]), runs[0]]))
    assert "No: keep sparse" in texts(at) and "left out" not in texts(at)
    monkeypatch.setattr(what_if_cache, "SINGLE", 5)
    shown(at.run())
    assert "more than 5. To keep the page fast, only RRF was tried. ISR and RBC were left out" in texts(at)
    assert "1,396,000 results, more than 400,000. To keep the page fast, only RRF with k = 60 and weighted sums were " \
           "tried. Other values of k, weighted RRF, CombMNZ, ISR and RBC" in left_out_sentence(
               "weighted", 1_396_000, 400_000)
