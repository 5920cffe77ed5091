"""The What-if page on the samples: the answer, the mix and its sliders, the fused run taken along."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qs

import numpy as np
import pyarrow as pa
from page_cases import ROOT, address, charts, leaderboard, opened, shown, texts

from ragdash import Run, Truth, evaluate, fuse, read_run, read_truth
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.caches import what_if_cache
from ragdash.dashboard.components import picked_queries, query_links
from ragdash.dashboard.pages.what_if import tables
from ragdash.dashboard.session.data_store import LOADED, workspace
from ragdash.dashboard.widgets import elements
from ragdash.metrics import parse_specs
from ragdash.reporting.sentences.what_if import caution_sentence, left_out_sentence


def samples() -> tuple:
    folder = ROOT / "sample_runs"
    return read_truth(folder / "truth.jsonl"), [read_run(folder / f"{name}.jsonl") for name in ("sparse", "dense")]


def plain(text: str) -> str:
    """Markdown without the backslashes before signs, and with blanks within intervals."""
    return text.replace("\\", "").replace("\u00a0", " ")


def test_a_fusion_of_loaded_runs_is_not_fused_again():
    """The run by the name of hybrid is offered, as no other is left."""
    truth, [sparse, dense] = samples()
    other = dense.renamed("hybrid")
    fused = replace(fuse([sparse, other], name="both"), settings={})  # as read from a TREC file
    at = opened("what-if", **address(truth, [sparse, other, fused]))
    assert at.multiselect(key="fused").value == [sparse.digest, other.digest]
    assert "**both** is a fusion of sparse and hybrid, so it adds no results of its own" in plain(texts(at))


def test_the_page_answers_and_a_mix_can_be_tried_and_added():
    truth, runs = samples()
    at = opened("what-if", **address(truth, runs))
    assert "Yes: build this hybrid: Weighted sum of scores" in texts(at) and "held-out queries" in texts(at)
    assert {"sweep_mix", "ceiling"} <= set(charts(at)) and "Shaded: weights of dense from" in texts(at)
    assert "No fusion of these runs can exceed" in texts(at) and "the first result changes for" in texts(at)
    assert "over 110 queries; with parallel searches it takes 22.7" in plain(texts(at))  # the answer says the latency
    table = next(entry.value for entry in at.dataframe if "Against the best run" in entry.value.columns)
    for row, run in zip(table[2:].to_dict("records"), runs, strict=True):  # the intervals of every other page
        (summary,) = evaluate(run, truth, "nDCG@10").summary()
        assert (row["Run"], row["NDCG@10"], row["Low"], row["High"]) == (run.name, summary.mean, summary.low,
                                                                        summary.high)
    at.session_state["what_if_alternatives"] = True
    shown(at.run())
    assert "By MRR, which had no part in the choice" in plain(texts(at))
    assert "A cascade (sparse, its first 5 re-ranked by dense)" in plain(texts(at))
    at.session_state["what_if_routers"] = True
    assert "**No router beats one weight** for all queries in NDCG@10" in plain(texts(shown(at.run())))
    assert "Before retrieval, by the question: “if the question has no digit and" in plain(texts(at))
    assert texts(at).count("22.7") == 1, "the price says the other time alone"
    assert "With one search after the other the hybrid takes 23.0" in texts(at) and "price_front" not in charts(at)
    at.session_state["what_if_price"] = True
    assert "price_front" in charts(shown(at.run())), "drawn when it is opened"
    assert "relevant documents reach the first 10." in texts(at)
    shares = next(entry.value for entry in at.dataframe if "Brings alone" in entry.value.columns)
    assert shares["Run"].tolist() == [run.name for run in runs]
    assert abs(shares["Share"].sum() - 0.814) < 0.001  # the mean of the tuned hybrid
    shown(at.selectbox(key="fusion").select("cascade").run())
    shown(at.select_slider(key="fuse_depth").set_value("5").run())
    assert "depth=5" in next(block.value for block in at.code if "ragdash.fuse" in block.value)
    shown(at.selectbox(key="fusion").select("union").run())
    assert at.selectbox(key="fuse_same").value == "text"  # these runs have texts
    shown(at.selectbox(key="fusion").select("elasticsearch-rrf").run())
    depth = max(run.depth for run in runs)
    assert f"Elasticsearch's default window used 10 of your {depth} results" in texts(at)
    assert any("rank_window_size" in block.value for block in at.code)
    shown(at.select_slider(key="fuse_k").set_value("5").run())
    shown(at.slider(key="fuse_share").set_value(1.0).run())
    assert "+0.000" in texts(at) or "−0.007" in texts(at)
    shown(at.slider(key="fuse_share").set_value(0.4).run())
    at.slider(key="fuse_share").set_value(1.0)  # chosen just before the click
    shown(at.button(key="mix_add").click().run())
    assert len(at.session_state["shown"]) == len(runs) + 1
    assert any("sparse + dense (elasticsearch-rrf k 5 0/1, top 10)" in plain(note.value) for note in at.success)
    (kept,) = workspace().runs()
    assert kept.digest in at.session_state["shown"], "a link finds it after a restart"


def test_a_mix_has_the_difference_and_the_interval_that_the_table_has_of_it():
    """The tuned setting has its held-out numbers; the default, also with equal weights, those of the table."""
    truth, runs = samples()
    at = opened("what-if", **address(truth, runs))
    table = next(entry.value for entry in at.dataframe if "Against the best run" in entry.value.columns)
    tuned, default = table["Against the best run"][:2]
    assert table["NDCG@10"].round(3)[[1, 2]].tolist() == [0.724, 0.718] and default.startswith("+0.005")
    assert "Differences are computed before rounding: they can differ by 0.001" in texts(at)
    assert f"on held-out queries, against sparse {tuned}." in plain(texts(at)).replace("**", "")
    assert "and worse for 13, also on held-out queries." in texts(at)
    assert "too optimistic to report" not in texts(at), "it is the same to three decimals"
    shown(at.selectbox(key="fusion").select("rrf").run())
    shown(at.slider(key="fuse_share").set_value(0.5).run())
    assert table["Run"][1] == "RRF, k = 60" and f"against sparse {default}." in plain(texts(at))
    assert plain(texts(at)).count(default) == 1 and "that chose this setting" not in texts(at)


def test_every_number_of_a_mix_and_of_the_runs_opens_exactly_its_queries(monkeypatch):
    truth, runs = samples()
    at = opened("what-if", **address(truth, runs))
    opened_at, picks = [], {}
    monkeypatch.setattr(query_links, "open_queries", lambda run, **filters: opened_at.append(filters))
    frame = elements.frame

    def watched(table, key, alt, **options) -> None:
        picks[key] = table, options.get("items"), options.get("pick")
        frame(table, key, alt, **options)

    monkeypatch.setattr(elements, "frame", watched)
    for fold in ("mix_changes", "leg_documents"):
        at.session_state[fold] = True
    shown(at.run())
    linked = {}
    for one in at.get("page_link"):
        where = parse_qs(one.proto.query_string, keep_blank_values=True)
        if where.get("picked", [""])[0]:
            bits = picked_queries.unpack(SimpleNamespace(truth=truth, truth_digest=truth.digest), where["picked"][0])
            linked[one.proto.label] = truth.query_ids.filter(pa.array(bits)).to_pylist()
    said = texts(at)
    assert f"{len(linked['First result differs (35)'])} of 122 queries, the set of " in said
    assert len(linked["Better (28)"]) == 28 and len(linked["Worse (13)"]) == 13
    table, items, pick = picks["mix_queries"]
    assert set(table["Query"]) == {*linked["Better (28)"], *linked["Worse (13)"]}
    pick(items[1])
    documents, items, open_document = picks["leg_documents_table"]
    open_document(items[2])
    assert [where["query"] for where in opened_at] == [table["Query"][1], documents["Query"][2]]
    assert all(where.keys() == {"query", "picked"} for where in opened_at), "an id is no words of a question"
    assert set(documents["Query"]) == set(next(ids for label, ids in linked.items() if label.startswith("Read ")))
    groups = [name for name in at.selectbox(key="_leg_group").options if not name.startswith("only")]
    assert sum(int(re.search(r"\((\d+)\)", name)[1]) for name in groups) == truth.judgments


def pairs(run: Run) -> list[tuple[str, str]]:
    return [(query, doc) for query in run.query_ids.to_pylist() for doc in run.ranking(query)["doc_id"].to_pylist()]


def test_of_many_loaded_hybrids_the_best_is_named_and_explained():
    truth, runs = samples()
    other = read_run(ROOT / "sample_runs" / "hybrid.jsonl")
    worse = Run.from_dict({query: other.ranking(query)["doc_id"].to_pylist()[5:]
                           for query in other.query_ids.to_pylist()}, "hybrid-2")
    at = opened("what-if", **address(truth, [*runs, other, worse]))
    said = plain(texts(at))
    assert "**hybrid** (NDCG@10 0.695) is the best of 2 loaded runs that were fused elsewhere." in said
    assert said.count("Why **") == 1 and "Why **hybrid** differs" in said


def test_a_tuned_hybrid_that_is_added_says_so_on_every_page_and_what_it_is():
    truth, runs = samples()
    other = read_run(ROOT / "sample_runs" / "hybrid.jsonl")
    at = opened("what-if", **address(truth, [*runs, other]))
    said = plain(texts(at))
    assert "**hybrid** (NDCG@10 0.695) is a loaded run that was fused elsewhere." in said
    assert "Fusing the runs chosen here, RRF, k = 60, has 0.724." in said
    outside = len({*pairs(other)} - {*pairs(runs[0])} - {*pairs(runs[1])})
    assert f"Why **hybrid** differs: {outside:,} of its 3,660 results are in none of the lists of sparse and" in said
    assert "Its 29.2 ms per query were measured. Those of a hybrid here are modeled" in said.replace("\u00a0", " ")
    assert "NDCG@10 by weight" in [plain(header.value) for header in at.header]
    assert charts(at)["sweep_mix"]["layout"]["xaxis"]["title"]["text"] == "Weight of dense"
    shown(at.selectbox(key="reranked").select(other.digest).run())
    assert "lost by the re-ranker" in texts(at)
    shown(at.button(key="mix_add").click().run())
    name = plain(next(note.value for note in at.success)).split("**")[1]
    assert name.startswith("sparse + dense (z-score 0.")
    tuned = next(run for run in map(LOADED.run, at.session_state["shown"]) if run.name == name)
    where = address(truth, [*runs, other, tuned])
    at = opened("overview", **where)
    assert f"{name}: its setting was chosen on these judgments, so its values here can be too high" in plain(texts(at))
    assert "Nothing that was checked" not in texts(at)
    assert "no part in the choice, its NDCG@10 is 0.814." in plain(texts(at))
    assert plain(texts(at)).count("Report the value on held-out") == 1, "the fix is said once"
    assert "times modeled" in texts(at)
    taken = [one.value for one in at.caption if re.search(r"23\.0.*per query, .*· cost unknown", one.value)]
    assert len(taken) == 2, "of dense, and the price of the hybrid that What-if computed"
    assert f"{name}: its times are modeled, not measured" in plain(texts(at))
    assert "tuned here" in " ".join(leaderboard(opened("compare", **where))["Marks"])
    card = plain(texts(opened("data", **where)))
    assert "Weighted sum of scores, z-score, weight 0." in card and "tuned on nDCG@10" in card
    assert "digests" not in card and "optimism" not in card


def test_runs_chosen_before_and_hidden_since_leave_no_empty_choice():
    truth, runs = samples()
    ranks = Run.build("ranks", ["q001"], ["d1"])
    where = address(truth, [ranks, *runs], shown=[run.digest for run in runs], fused=[ranks.digest])
    assert "Yes: build this hybrid" in texts(opened("what-if", **where))


def test_overview_leads_to_the_hybrid_of_the_runs_that_it_names():
    truth, runs = samples()
    at = opened("overview", **address(truth, runs, fused=[runs[0].digest]))
    link = next(one.proto for one in at.get("page_link") if "Its setting" in one.proto.label)
    names = parse_qs(link.query_string)["fused"]
    assert sorted(names) == sorted(run.digest[:12] for run in runs)


def test_the_page_needs_two_runs_with_something_to_fuse_and_says_what_it_did_not_try(monkeypatch):
    truth, runs = samples()
    at = opened("what-if", **address(truth, runs[:1]))
    assert "A hybrid needs two runs" in "".join(header.value for header in at.header)
    assert [link.proto.label for link in at.main.get("page_link")] == ["Add runs"]
    ranks = Run.build("ranks", ["q001"], ["d1"])
    at = opened("what-if", **address(truth, [ranks, *runs]))
    assert "Yes: build this hybrid" in texts(at), "the best run and the one that adds most, not the first two"
    sparse = next(run for run in runs if run.name == "sparse")
    at = opened("what-if", **address(truth, [ranks, *runs], fused=[ranks.digest, sparse.digest]))
    assert "Not comparable yet, so no hybrid is proposed: ranks has no results for 109 of 110 queries" in texts(
        at).replace("\\", "")
    at = opened("what-if", **address(truth, [ranks, *runs], fused=[ranks.digest, sparse.digest],
                                     accepted=["missing-queries", "shallow-run", "no-common-document"]))
    assert "No: a new hybrid of ranks and sparse (dense is not in the mix) is not shown to be better than " in texts(at)
    assert "left out" not in texts(at)
    monkeypatch.setattr(what_if_cache, "SINGLE", 5)
    shown(at.run())
    assert "more than 5. To keep the page fast, only RRF was tried. ISR and RBC were left out" in texts(at)
    assert "1,396,000 results, more than 400,000. To keep the page fast, only RRF with k = 60 and weighted sums were " \
           "tried. Other values of k, weighted RRF, CombMNZ, ISR and RBC" in left_out_sentence(
               "weighted", 1_396_000, 400_000)


def test_the_caution_says_what_is_left_of_the_gain():
    as_well, nothing, some = (caution_sentence(optimism, survives, 0.2, 5, "RRF, k = 60") for optimism, survives in (
        (0.0004, -0.3), (0.01, -0.3), (0.01, 0.4)))
    assert "does as well on held-out queries as on the queries that chose it. In 20%" in as_well
    assert "looks 0.010 better" in nothing and "None of its gain over the best single run remains" in nothing
    assert "On held-out queries 40% of its gain over the best single run remains." in some
    assert some.endswith("In 20% of the checks on held-out queries it is worse than the default, RRF, k = 60.")


def test_a_run_without_scores_is_named_where_methods_are_left_out_for_it():
    truth, (sparse, dense) = samples()
    bare = Run.build("export", dense.query_ids.take(pa.array(np.repeat(np.arange(len(dense)), np.diff(dense.starts)))),
                     dense.docs if dense.order is None else dense.docs.take(pa.array(dense.order)))
    sentence = "There are no scores in export, so only methods that need ranks alone were tried."
    assert sentence in plain(texts(opened("what-if", **address(truth, [sparse, bare]))))
    assert "There are no scores" not in texts(opened("what-if", **address(truth, [sparse, dense])))


def test_a_loaded_hybrid_is_not_fused_again_unless_it_is_chosen():
    """The first two runs would be dense and hybrid: their mix does not help, and the answer would be no."""
    truth, (sparse, dense) = samples()
    hybrid = read_run(ROOT / "sample_runs" / "hybrid.jsonl")
    at = opened("what-if", **address(truth, [dense, hybrid, sparse]))
    assert "Yes: build this hybrid: Weighted sum of scores" in texts(at)
    for picture in ("sweep_mix", "ceiling"):  # the tuned one is not named as a loaded run may be
        names = [trace["name"] for trace in charts(at)[picture]["data"]]
        assert "tuned hybrid" in names and "hybrid" not in names


def test_runs_without_a_document_in_common_are_said_to_be_so():
    names = [f"q{number}" for number in range(4)]
    runs = [Run.build(name, names, [f"{name}{number}" for number in range(4)]) for name in ("sparse", "dense")]
    truth = Truth.build("qrels", names, ["sparse0", "dense1", "sparse2", "dense3"], [1] * 4)
    at = opened("what-if", **address(truth, runs))
    assert any("o document that two of" in note.value for note in at.warning)


def tried(second, third=None) -> tuple:
    """Judgments and runs "one", "two" (and "three"), each of 40 queries with five documents."""
    rng = np.random.default_rng(0)
    first = {f"q{number}": [f"p{document}" for document in [100 + number, *rng.integers(1, 99, 4)]]
             for number in range(40)}
    truth = Truth.build("qrels", [*first], [f"p{100 + number}" for number in range(40)], [1] * 40)
    rows = [first, second(first), *([third(first)] if third else [])]
    runs = [Run.build(name, [query for query, docs in row.items() for _ in docs],
                      [doc for docs in row.values() for doc in docs])
            for name, row in zip(("one", "two", "three"), rows, strict=False)]
    return truth, runs


def test_runs_that_write_ids_in_two_ways_are_not_fused_until_they_are_fixed():
    truth, runs = tried(lambda rows: {query: [f"p{int(doc[1:]):03d}" for doc in docs[::-1]]
                                      for query, docs in rows.items()})
    at = opened("what-if", **address(truth, runs))
    assert "write the same document in different ways" in texts(at) and not charts(at)
    shown(at.button(key="accept_other_spellings").click().run())
    assert "ceiling" in charts(at)
    shown(at.button(key="accept_other_spellings").click().run())
    assert not charts(at)
    shown(at.button(key="fix_check_other_spellings").click().run())
    assert "write the same document in different ways" not in texts(at)


def test_of_three_runs_two_that_are_nearly_the_same_are_not_proposed():
    truth, runs = tried(lambda rows: {query: docs if query != "q0" else docs[1:] for query, docs in rows.items()},
                        third=lambda rows: {query: docs[::-1] for query, docs in rows.items()})
    at = opened("what-if", **address(truth, runs))
    assert at.multiselect(key="fused").value == [runs[0].digest, runs[2].digest]
    shown(at.multiselect(key="fused").set_value([runs[0].digest]).run())
    shown(at.button(key=f"fuse_also_{runs[1].digest[:8]}").click().run())
    assert at.multiselect(key="fused").value == [runs[0].digest, runs[1].digest]
    assert "nearly the same rankings" in texts(at)


def test_one_of_two_runs_that_are_nearly_the_same_is_hidden_with_a_button():
    truth, runs = tried(lambda rows: {query: docs if query != "q0" else docs[1:] for query, docs in rows.items()})
    at = opened("overview", **address(truth, runs))
    (button,) = [one for one in at.button if one.label.startswith("Hide ")]
    assert button.label == f"Hide {runs[1].name}", "the baseline stays"
    shown(button.click().run())
    assert at.session_state["shown"] == [runs[0].digest] and "nearly the same rankings" not in texts(at)


def test_long_names_are_short_in_the_same_way_in_sentences_headings_and_pictures():
    start, (truth, runs) = "support-assistant-2026-embedding-v3-chunk512", samples()
    runs = [replace(run, name=f"{start}-{run.name}") for run in runs[:2]]
    at = opened("what-if", **address(truth, runs))
    text = plain(texts(at))
    assert f"for {start}" not in text and f"than with **{start}" not in text and "for v3-chunk512-sparse" in text
    names = [trace.get("name") or "" for key in ("sweep_mix", "ceiling") for trace in charts(at)[key]["data"]]
    assert "v3-chunk512-sparse" in names and not [name for name in names if start in name]


def test_a_run_has_one_short_name_on_the_page_whether_it_is_fused_or_not():
    """Three runs need more letters than the two that are fused."""
    truth, runs = samples()
    names = ["sparse (bge-m3-multi-vector-chunk512-overlap128-top30-reranked)", "dense",
             "sparse (colbert-v2.1-chunk256-overlap128-top30-reranked)"]
    third = Run.from_dict({query: runs[0].ranking(query)["doc_id"].to_pylist()[7:] for query in
                           runs[0].query_ids.to_pylist()}, names[2])
    runs = [replace(run, name=name) for run, name in zip(runs, names, strict=False)]
    short = short_names(names, PAGE_NAME)
    of_two = {*short_names(names[:2], PAGE_NAME)} - {*short}
    assert of_two
    at = opened("what-if", **address(truth, [*runs, third]), fused=[run.digest[:12] for run in runs])
    at.session_state["what_if_alternatives"] = True
    said = plain(texts(shown(at.run())))
    drawn = {trace.get("name") for key in ("sweep_mix", "ceiling") for trace in charts(at)[key]["data"]}
    assert short[0] in said and {*short[:2]} <= drawn
    assert not [name for name in (names[0], *of_two) if name in said or name in drawn]


def test_the_single_runs_of_the_table_are_best_first_whichever_was_loaded_first():
    names, means = ("weak", "strong", "RRF, k = 60", "tuned hybrid"), (0.5, 0.6, 0.7, 0.8)
    for swap in (False, True):
        order = [1, 0, 2, 3] if swap else [0, 1, 2, 3]
        choice = SimpleNamespace(
            runs=tuple(names[at] for at in order[:2]), spec=parse_specs("nDCG@10")[0], best_run=order.index(1),
            evaluations=[SimpleNamespace(name=names[at]) for at in order], default_against_single=None,
            against_single=None, summaries=[SimpleNamespace(mean=means[at], low=0.0, high=1.0, n=9) for at in order])
        table = tables.runs_table(choice, withheld=False)
        assert table["Run"].tolist() == ["tuned hybrid", "RRF, k = 60", "strong", "weak"]
        assert table["NDCG@10"].tolist() == [0.8, 0.7, 0.6, 0.5]
