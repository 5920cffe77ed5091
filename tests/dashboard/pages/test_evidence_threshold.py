"""The evidence match threshold: the picture against evaluate(), the order in words, pairs that a person decides."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from page_cases import address, asked, opened, unbound, widget
from streamlit.testing.v1 import AppTest
from test_relevance import FAR, NEAR, SPAN, samples, texts  # noqa: F401

from ragdash import evaluate
from ragdash.core.records import Conventions, Run, Truth
from ragdash.dashboard.caches import evidence_cache
from ragdash.dashboard.pages.data.evidence import evidence_sentences
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.matching.evidence import decision_lines, kept_decisions, match_evidence
from ragdash.matching.match import Match, Matching
from ragdash.reporting.plots.common.theme import DARK, LIGHT

PAGE = "data/evidence"


def two(near: str = NEAR) -> tuple[Truth, list[Run]]:
    """near: similar on q0 and q1, nothing on q2; word: word for word on q0 alone. They change places on the way."""
    ids = ["q0", "q1", "q2"]
    details = pa.table({"query_id": ids, "query": ["Where did it fall?"] * 3, "evidence": [[SPAN]] * 3})
    truth = Truth.build("truth", ids, ["a"] * 3, np.ones(3, int), details=details)
    said = {"near": [near, near, FAR], "word": [f"They say {SPAN}.", FAR, FAR]}
    return truth, [Run.build(name, ids, ["a", "b", "c"], np.ones(3), texts=own) for name, own in said.items()]


def similarity() -> float:
    truth, runs = two()
    scores = match_evidence(runs[0], truth)
    return float(scores.score[scores.query[scores.row_chunk] == 0].max())


def figure(at: AppTest, key: str = "evidence_threshold") -> dict:
    return next(json.loads(one.proto.spec) for one in at.get("plotly_chart") if one.proto.id.endswith(f"-{key}"))


def values(trace: dict, side: str) -> np.ndarray:
    held = trace[side]
    if isinstance(held, dict):
        import base64

        held = np.frombuffer(base64.b64decode(held["bdata"]), held["dtype"])
    return np.array(held, float)


def test_what_decisions_change_in_words():
    names = [f"r{at}" for at in range(6)]
    assert evidence_sentences.decisions_effect(names[:1], [0.5], [0.5]).startswith("the same")
    assert "r0 0.500 (0.600)" in evidence_sentences.decisions_effect(names[:1], [0.5], [0.6])
    said = evidence_sentences.decisions_effect(names, [0.5] * 6, [0.5, 0.5, 0.1, 0.5, 0.2, np.nan])
    assert said.index("r2 0.500 (0.100)") < said.index("r4 0.500 (0.200)") and "the 2 others differ less" in said


def in_use(at: AppTest) -> list[float]:
    """Each run's mean at the threshold in use; the line goes through it."""
    data = figure(at)["data"]
    marks = [trace for trace in data if trace["name"] == "in use"]
    lines = [trace for trace in data if trace["name"] not in ("in use", "band")]
    for mark, line in zip(marks, lines, strict=True):
        assert np.interp(values(mark, "x"), values(line, "x"), values(line, "y")) == pytest.approx(values(mark, "y"))
    return [float(values(mark, "y")[0]) for mark in marks]


def group(at: AppTest, key: str):
    return next(one for one in at.get("button_group") if one.key == key)


def test_the_picture_has_the_means_of_evaluate_at_every_threshold(samples):  # noqa: F811
    truth, runs = samples
    at = opened(PAGE, **address(truth, runs), match="evidence", metric="R@k")
    lines = {trace["name"]: trace for trace in figure(at)["data"] if trace["name"] in ("dense", "sparse", "hybrid")}
    assert set(lines) == {"dense", "sparse", "hybrid"}
    for run in runs:
        x, y = values(lines[run.name], "x"), values(lines[run.name], "y")
        assert (x[0], x[-1], len(x)) == (0.5, 1.0, 51)
        for place in (0, 7, 20, 38, 50):
            one = evaluate(run, truth, "R@10", match="evidence", match_threshold=float(x[place])).summary()[0]
            assert y[place] == pytest.approx(one.mean, abs=1e-12)
    marks = [trace for trace in figure(at)["data"] if trace["name"] == "in use"]
    for trace, run in zip(marks, runs, strict=True):
        one = evaluate(run, truth, "R@10", match="evidence", match_threshold=0.7).summary()[0]
        assert values(trace, "x") == [0.7] and values(trace, "y") == pytest.approx([one.mean])


def test_the_order_of_the_runs_is_told_where_it_changes():
    here = similarity()
    assert 0.6 < here < 0.95
    at = opened(PAGE, **address(*two()), covers="R@k")
    step = np.ceil(here * 100 + 1e-9) / 100
    assert f"changes as the threshold rises: at {step:.2f} (**word** passes **near**)" in texts(at)
    assert "Best at the lowest threshold: **near**; at the highest: **word**." in texts(at)
    one = opened(PAGE, **address(two()[0], two()[1][:1]), covers="R@k")
    assert "order of the runs" not in texts(one)
    assert [trace["name"] for trace in figure(one)["data"]].count("near") == 1


def test_sentences_of_orders():
    names = ["a", "b", "c"]
    assert evidence_sentences.order_sentence("MRR", names[:1], (0,), []) == ""
    assert evidence_sentences.order_sentence("MRR", names, (1, 0, 2), []).endswith(
        "same at every threshold: **b**, **a**, **c**."
    )
    change = evidence_sentences.OrderChange
    said = evidence_sentences.order_sentence("MRR", names, (0, 1, 2), [
        change(0.5, 0.52, ((2, 1),), (0, 2, 1)), change(0.52, 0.6, ((1, 2),), (0, 1, 2)),
        change(0.6, 0.7, ((2, 1),), (0, 2, 1)), change(0.7, 0.8, ((1, 2),), (0, 1, 2))])
    assert "at 0.52 (**c** passes **b**), 0.60 (**b** passes **c**) and 0.70" in said
    assert "and 1 more time further up" in said and said.endswith("**a** is best throughout.")


def test_moving_the_slider_moves_the_threshold_everywhere(samples):  # noqa: F811
    at = opened(PAGE, **address(*samples), match="evidence")
    next(one for one in at.slider if one.key == "_slider").set_value(0.85).run()
    assert not at.exception and asked(at, "from") == ["0.85"]
    assert "0.85 or more similar" in texts(at)
    assert next(one for one in at.slider if one.key == "from").value == 0.85
    next(one for one in at.selectbox if one.key == "_way").set_value("exact").run()
    assert not at.exception and asked(at, "how") == ["exact"] and "the text holds a gold span." in texts(at)


def test_by_id_the_section_says_that_the_rest_goes_by_id(samples):  # noqa: F811
    said = texts(opened(PAGE, **address(*samples)))
    assert "Everything else goes by id" in said
    truth, runs = samples
    bare = Truth.build("bare", truth.query_ids.take(pa.array(truth.queries)), truth.docs, truth.grades)
    assert "evidence" not in " ".join(one.value for one in opened(PAGE, **address(bare, runs)).header)


def test_a_metric_that_needs_ids_says_so(samples):  # noqa: F811
    at = opened(PAGE, **address(*samples), metric="bpref")
    assert "Bpref by evidence" in texts(at) or "bpref by evidence" in texts(at)
    assert not [one for one in at.get("plotly_chart") if one.proto.id.endswith("-evidence_threshold")]
    assert "To decide" in str(group(at, "pairs").options)


def decided_page(**more) -> AppTest:
    here = round(similarity(), 2)
    return opened(PAGE, **address(*two()), match="evidence", covers="R@k", **{"from": f"{here:.2f}"}, **more)


def test_a_pair_is_shown_decided_and_kept_for_the_next_session():
    at = decided_page()
    assert group(at, "pairs").options == ["To decide 2", "Accepted 0", "Rejected 0"]
    page = "\n".join(one.proto.body for one in at.get("html"))
    assert page.count("<mark") >= 10 and "probe</mark>" in page and "crashed</mark>" not in page
    assert "Where did it fall?" in texts(at) and "rank 1" in texts(at)
    widget(at, "button", "pair_accept").click().run()
    assert not at.exception and group(at, "pairs").options == ["To decide 1", "Accepted 1", "Rejected 0"]
    assert "1 decision holds for the runs shown, of 1 kept." in texts(at)
    widget(at, "button", "pair_reject").click().run()
    again = decided_page(pairs="rejected")
    assert group(again, "pairs").options == ["To decide 0", "Accepted 1", "Rejected 1"]
    assert sorted(kept_decisions().read().values()) == [False, True]
    widget(again, "button", "pair_undo").click().run()
    assert group(again, "pairs").options == ["To decide 1", "Accepted 1", "Rejected 0"]


def test_the_steps_end_at_the_first_and_at_the_last_pair():
    at = decided_page()
    for clicked, step, before, following in (
        (None, "1 of 2", True, False),
        ("pair_next", "2 of 2", False, True),
        ("pair_before", "1 of 2", True, False),
    ):
        if clicked:
            at.button(key=clicked).click().run()
        assert not at.exception and step in texts(at)
        assert (at.button(key="pair_before").disabled, at.button(key="pair_next").disabled) == (before, following)
    widget(at, "button", "pair_reject").click().run()
    assert "1 of 1" in texts(at) and all(at.button(key=key).disabled for key in ("pair_before", "pair_next"))


def test_a_decision_that_holds_cannot_be_made_again():
    at = decided_page()
    assert not widget(at, "button", "pair_accept").disabled and not widget(at, "button", "pair_reject").disabled
    assert not [one for one in at.button if unbound(one.key) == "pair_undo"]
    widget(at, "button", "pair_accept").click().run()
    at = decided_page(pairs="accepted")
    assert widget(at, "button", "pair_accept").disabled and not widget(at, "button", "pair_reject").disabled
    widget(at, "button", "pair_reject").click().run()
    at = decided_page(pairs="rejected")
    assert not widget(at, "button", "pair_accept").disabled and widget(at, "button", "pair_reject").disabled


def test_with_and_without_the_decisions():
    here = similarity()
    low = f"{np.floor(here * 100) / 100:.2f}"
    at = opened(PAGE, **address(*two()), match="evidence", covers="R@k", **{"from": low})
    widget(at, "button", "pair_reject").click().run()
    assert "Recall@10: with the decisions, in brackets without: near 0.333 (0.667), word 0.333 (0.333)." in \
        texts(at).replace("\\", "")
    assert in_use(at) == pytest.approx([1 / 3, 1 / 3])
    group(at, "decided").set_value("no").run()
    assert not at.exception and in_use(at) == pytest.approx([2 / 3, 1 / 3]) and asked(at, "decided") == ["no"]


def test_a_file_of_decisions_is_read_and_a_wrong_one_explained():
    at = decided_page()
    truth, runs = two()
    scores = Match(runs[0], truth).evidence
    row = max(scores.borderline(0.7, 0.3).to_pylist(), key=lambda one: one["score"])
    content = decision_lines({(row["query_id"], row["chunk"], row["span_digest"]): True, ("other", "0", "1"): False})
    at.file_uploader[-1].upload("mine.jsonl", content)
    at.run()
    assert not at.exception and "2 decisions read from mine.jsonl; 2 of them said something new." in \
        texts(at).replace("\\", "")
    assert "1 decision holds for the runs shown, of 2 kept." in texts(at)
    at.file_uploader[-1].upload("wrong.jsonl", b'{"query_id": "q1"}\n')
    at.run()
    assert not at.exception and "wrong.jsonl" in at.error[0].value and "line 1" in at.error[0].value
    assert len(kept_decisions().read()) == 2


def test_decisions_that_cannot_be_read_are_a_card_and_the_rest_is_drawn(monkeypatch, tmp_path):
    store = kept_decisions()
    store.path.parent.mkdir(parents=True)
    store.path.write_text("no database at all, whatever its name may say")
    at = decided_page()
    assert "RAGDASH" in at.error[0].value and figure(at)["data"]


def test_a_pair_that_several_runs_return_is_listed_once():
    truth, runs = two()
    twin = Run.build("twin", ["q0"], ["other"], np.ones(1), texts=[NEAR])
    for one in (truth, *runs, twin):
        LOADED.put(one)
    scope = Scope(truth.digest, Conventions(), matching=Matching("evidence", threshold=round(similarity(), 2)))
    found = evidence_cache.pairs([runs[0].digest, twin.digest], scope, "")
    both = next(one for one in found if one.key[0] == "q0")
    assert [doc for _, _, doc in both.places] == ["a", "other"] and len(found) == 2
    chunk, place = evidence_cache.texts_of(both, scope)
    assert chunk == NEAR and "probe fell into the Sea of Crises" in NEAR[slice(*place)]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_texts_are_shown_as_they_are_written_with_what_they_share(theme):
    chunk, span = "A <b>Probe</b> fell; 12.5 kg & more.", "the probe of 12.5 kg"
    page = evidence_sentences.chunk_html(chunk, None, span, theme)
    assert "&lt;b&gt;<mark" in page and "Probe</mark>&lt;/b&gt;" in page and "&amp; more" in page and "<b>" not in page
    assert page.count("<mark") == 3 and ">12.5</mark>" in page and ">kg</mark>" in page
    assert evidence_sentences.chunk_html("月球背面", None, "月背", theme).count("<mark") == 2
    long = "x " * 2000 + chunk + " y" * 2000
    start = long.index("A <b>")
    page = evidence_sentences.chunk_html(long, (start, start + len(chunk)), span, theme)
    assert page.count("…") == 2 and len(page) < 4000 and theme.better in page
