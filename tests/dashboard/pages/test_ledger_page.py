"""The ledger on the Data page: what it says, its fixes and their undoing, the conventions, chunks and documents."""

from __future__ import annotations

import re

import pytest
from page_cases import charts, leaderboard, opened
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from test_pages import texts, upload, with_runs

from ragdash.core.ids.normalization import with_ids_of
from ragdash.dashboard.session.data_store import LOADED
from ragdash.matching.match import Match

QRELS = "".join(f"q{q} 0 2506.{q:03d}00 1\nq{q} 0 2506.{q + 1:03d}00 1\n" for q in range(1, 21)).encode()


def run(write=lambda doc: f"2506.{doc:03d}00", queries=range(1, 21), tag="dense") -> bytes:
    lines = (f"q{q} Q0 {write(doc)} {rank} {9 - rank} {tag}" for q in queries
             for rank, doc in enumerate((q, 50 + q, 80 + q), 1))
    return "\n".join(lines).encode()


LOST = run(lambda doc: f"2506.{doc:03d}", tag="lost")
CHUNKS = run(lambda doc: f"2506.{doc:03d}00#{doc % 7}", tag="chunks")


def said(at) -> str:
    return texts(at).replace("\\", "")


def entry(at, index: int = 0):
    return at.session_state["_runs"][index]


def hits(at, index: int = 0) -> int:
    match = Match(LOADED.run(entry(at, index).digest), LOADED.truth(at.session_state["_truth"]))
    return len(match.ranked.rank)


def button(at, label: str):
    return next(one for one in at.button if label in one.label)


def test_runs_that_can_be_compared_are_told_so_in_one_line():
    at = upload(opened(), ("a.run", run(tag="a")), ("b.run", run(tag="b", write=lambda d: f"2506.{d + 1:03d}00")),
                ("qrels", QRELS))
    assert "2 runs can be compared**: the same 20 queries." in said(at)
    assert not any(one.key.startswith("fix_") for one in at.button if one.key and "note" not in one.key)


def test_a_note_that_several_runs_have_says_once_what_follows():
    """Two documents of three are not judged, in each of three runs."""
    files = {name: run(lambda doc, more=more: f"2506.{doc + (doc > 50) * more:03d}00", tag=name)
             for more, name in enumerate(("one", "two", "three"))}
    at = upload(opened(), ("t.qrels", QRELS), *((f"{name}.trec", content) for name, content in files.items()))
    assert len(re.findall(r"- \*\*\S+\s(?:one|two|three)\*\*: \d+ of \d+ documents returned", said(at))) == 3
    assert said(at).count("They count as not relevant") == 1


@pytest.mark.parametrize(("runs", "named"), [(2, "run01 and ■\u00a0run02"), (10, "run03 and 7 more"),
                                             (30, "run03 and 27 more")])
def test_what_several_runs_have_alike_is_on_one_card_and_the_rest_on_that_of_its_run(runs, named):
    """Each run has 4 queries too many; the last has other documents for one more query that is in no other."""
    files = [(f"run{n:02d}.trec", run(lambda doc, n=n: f"2506.{doc + (doc > 50) * n:03d}00", range(1, 25), f"r{n}"))
             for n in range(1, runs + 1)]
    alone = run(queries=range(1, 26), tag="alone")
    at = upload(opened(), ("t.qrels", QRELS), *files, ("alone.trec", alone))
    text = re.sub(r":color\[(.)\]\{[^}]*\}", r"\1", said(at))
    assert f"**{runs} runs**, the same in each: **" in text and f"{named}**" in text
    assert text.count("4 of 24 queries of each run are not in the ground truth") == 1
    assert "Judge them, or leave them out of each run." in text
    assert text.count("5 of 25 queries of the run are not in the ground truth") == 1


def test_lost_zeros_are_noticed_and_one_click_restores_the_hits():
    at = upload(opened(), ("lost.run", LOST), ("qrels", QRELS))
    assert hits(at) == 0 and "lost returns no document that is judged" in said(at)
    before = entry(at)
    button(at, "leading zeros").click().run()
    assert not at.exception and hits(at) == 20
    after = entry(at)
    assert (after.name, after.slot, after.origin, after.ids) == (before.name, before.slot, before.digest, "zeros")
    assert "ids matched" in said(at) and "can be measured" in said(at)
    assert at.session_state["shown"] == [after.digest] and at.session_state["baseline"] == after.digest
    truth = LOADED.truth(at.session_state["_truth"])
    assert after.digest == with_ids_of(LOADED.run(before.digest), truth, "zeros").digest
    at.button(key=f"undo_{after.key}").click().run()
    assert entry(at) == before and hits(at) == 0


def test_accents_written_apart_are_noticed_and_one_click_restores_the_hits():
    apart = b"q1 Q0 cafe\xcc\x81.pdf 1 2 mac\nq1 Q0 x 2 1 mac\n"
    at = upload(opened(), ("mac.run", apart), ("qrels", "q1 0 caf\u00e9.pdf 1\n".encode()))
    assert hits(at) == 0 and "u0301" in said(at)
    button(at, "one Unicode form").click().run()
    assert not at.exception and (entry(at).ids, hits(at)) == ("nfc", 1)


def test_a_fixed_run_survives_a_link_another_page_and_loading_it_again():
    at = upload(opened(), ("lost.run", LOST), ("qrels", QRELS))
    button(at, "leading zeros").click().run()
    written = dict(at.query_params)
    again = opened("compare", **written)
    assert entry(again) == entry(at) and "nan" not in texts(again)
    assert leaderboard(again)["NDCG@10"].str.contains(r"^0\.[1-9]").all()
    upload(at, ("lost.run", LOST))
    assert len(at.session_state["_runs"]) == 1 and entry(at).ids == "zeros"
    at.button(key=f"remove_{entry(at).key}").click().run()
    assert not at.session_state["_runs"]


def test_a_fix_that_several_runs_need_is_one_click_for_all():
    other = run(lambda doc: f"2506.{doc + 1:03d}", tag="other")
    at = upload(opened(), ("a.run", LOST), ("b.run", other), ("qrels", QRELS))
    button(at, "in 2 runs").click().run()
    assert [one.ids for one in at.session_state["_runs"]] == ["zeros", "zeros"] and hits(at) == hits(at, 1) == 20


def test_chunks_are_collapsed_from_the_ledger_and_from_the_card():
    at = upload(opened(), ("chunks.run", CHUNKS), ("qrels", QRELS))
    button(at, "Collapse chunks at '#'").click().run()
    assert entry(at).collapse == "prefix:#" and hits(at) == 20 and "chunks collapsed" in said(at)
    at.session_state[f"edit_{entry(at).key}"] = True
    choice = at.run().selectbox(key=f"collapse_{entry(at).key}")
    assert any("% found" in option for option in choice.options)
    choice.set_value("").run()
    assert not at.exception and entry(at).collapse == entry(at).origin == "" and hits(at) == 0


def test_a_fix_that_would_make_two_runs_one_is_refused():
    at = upload(opened(), ("lost.run", LOST), ("dense.run", run()), ("qrels", QRELS))
    whole = [one for one in at.session_state["_runs"]]
    button(at, "leading zeros").click().run()
    at.run()
    assert not at.exception and len({one.digest for one in at.session_state["_runs"]}) == len(whole) == 2


BOTH = "".join(f"q{q} 0 p{q} 1\n" for q in range(1, 21)).encode()


def parts(tag: str, first: int = 0, chunk: int = 0) -> bytes:
    lines = (f"q{q} Q0 p{q + first:04d}_{rank + chunk:03d} {rank} {9 - rank} {tag}" for q in range(1, 21)
             for rank in (1, 2))
    return "\n".join(lines).encode()


def test_a_fix_for_one_run_changes_that_run_alone_and_the_rest_is_one_click_more():
    b_parts = parts("b", chunk=5) + b"\nq1 Q0 p0099_001 5 4 b"
    at = upload(opened(), ("a.run", parts("a")), ("b.run", b_parts), ("qrels", BOTH))
    first, second = entry(at, 0), entry(at, 1)
    next(one for one in at.button if one.key.startswith(f"fix_{first.key}")).click().run()
    assert (entry(at, 0).collapse, entry(at, 0).ids, hits(at)) == ("prefix:_", "zeros", 20)
    assert entry(at, 1) == second, "not half of the fix of another run"
    common = [one for one in at.button if one.key.startswith("fix_all_")]
    assert [one.label for one in common] == ["Collapse chunks at '_', match restored leading zeros in b"]
    common[0].click().run()
    assert not at.exception and hits(at, 1) == 20
    assert not [one for one in at.button if one.key.startswith("fix_")], "nothing is left open"
    assert "in different ways" not in said(at)
    at.button(key=f"undo_{first.key}").click().run()
    assert entry(at, 0) == first and entry(at, 1).collapse == "prefix:_", "one click back is of one run"


def test_of_a_run_and_its_collapsed_chunks_the_collapsed_one_is_offered_to_be_hidden():
    pages = "\n".join(f"q{q} Q0 p{q + offset} {rank} {9 - rank} pages" for q in range(1, 21)
                      for rank, offset in enumerate((0, 50), 1)).encode()
    chunks = b"\n".join([parts("chunks"), parts("chunks", 50).replace(b" 1 8 ", b" 3 6 ").replace(b" 2 7 ", b" 4 5 "),
                         b"q1 Q0 p0099_001 5 4 chunks"])
    for files in ((("chunks.run", chunks), ("pages.run", pages)), (("pages.run", pages), ("chunks.run", chunks))):
        at = upload(opened(), *files, ("qrels", BOTH))
        button(at, "Collapse chunks").click().run()
        overview = opened("overview", **dict(at.query_params))
        assert [one.label for one in overview.button if one.key.startswith("hide_check")] == ["Hide chunks"]


def test_ids_of_a_run_that_finds_nothing_are_matched_from_what_is_said_of_all_runs():
    left = run(lambda doc: f"9{doc:03d}.00100", tag="left")
    at = upload(opened(), ("lost.run", LOST), ("left.run", left), ("qrels", QRELS))
    button(at, "leading zeros").click().run()
    assert [one.ids for one in at.session_state["_runs"]] == ["zeros", ""]
    assert "spelled in different ways" in said(at)
    button(at, "Match ids with restored leading zeros in left").click().run()
    assert [one.ids for one in at.session_state["_runs"]] == ["zeros", "zeros"]
    assert "spelled in different ways" not in said(at)


def test_checks_are_those_of_the_runs_shown_and_the_others_are_named():
    at = upload(opened(), ("good.run", run(tag="good")), ("lost.run", LOST), ("qrels", QRELS))
    assert "lost write" in said(at) or "lost returns no document" in said(at)
    at.session_state["shown"] = [entry(at).digest]
    at.run()
    assert "Not checked, because the sidebar does not show it: lost." in said(at) and "not shown" in said(at)
    assert "returns no document" not in said(at) and not [one for one in at.button if one.key.startswith("fix_")]
    overview = opened("overview", **dict(at.query_params))
    assert "lost" not in said(overview)


def test_a_convention_holds_for_every_page_and_is_in_the_link():
    at = upload(opened(), ("part.run", run(queries=range(1, 11))), ("qrels", QRELS))
    assert "lacks 10 of 20 queries, which count as empty rankings" in said(at)
    button(at, "Use common queries only").click().run()
    assert dict(at.query_params)["missing"] == "skip" and "left out of the means" in said(at)
    again = opened("compare", **dict(at.query_params))
    assert "interval, over 10 queries." in said(again) and "left out of the means" in said(again)
    zero = opened("compare", **{**dict(at.query_params), "missing": "zero"})
    assert "interval, over 20 queries." in said(zero)
    for page in ("precision-recall", "ranking"):
        other = opened(page, **dict(at.query_params))
        captions = " ".join(one.value for one in other.caption)  # the open check above names all queries
        assert charts(other) and "10 queries" in captions and "20 queries" not in captions


def test_the_choices_of_counting_show_what_each_does_to_each_mean():
    at = upload(opened(), ("part.run", run(queries=range(1, 11))), ("qrels", QRELS + b"q99 0 d1 0\n"))
    assert not at.table
    at.session_state["conventions"] = True
    at.run()
    assert not at.exception and len(at.table) == 2
    row = at.table[0].value.iloc[0]
    found = [re.search(r"(0\.\d+).*n = (\d+)", row[name].replace("\\", "")).groups()
             for name in ("Empty ranking", "Left out")]
    assert found[0][1] == "20" and found[1][1] == "10"
    assert float(found[1][0]) == pytest.approx(2 * float(found[0][0]), abs=2e-3)
    assert "No run repeats a document." in said(at)
    at.segmented_control(key="choose_unanswerable").set_value("zero").run()
    assert dict(at.query_params)["unanswerable"] == "zero"


def test_refused_duplicates_are_an_error_with_its_fix():
    repeated = run() + b"\nq1 Q0 2506.00100 4 1 dense\n"
    at = upload(opened(), ("dense.run", repeated), ("qrels", QRELS))
    address = {**dict(at.query_params), "duplicates": "error"}
    again = opened(**address)
    assert "is refused" in said(again)
    button(again, "Let the best rank count").click().run()
    assert again.session_state["duplicates"] == "first" and "can be measured" in said(again)
    assert opened("compare", **address).error


def test_runs_of_other_queries_and_broken_links_are_calm():
    at = upload(opened(**with_runs(2)), ("other.run", b"x1 Q0 d1 1 2.0 bm25\n"))
    assert "has no query in common" in said(at)
    address = with_runs(2)
    for token in ("~~~.0.a", address["run"][0].replace(".", "~x~y~zz.", 1), f"{address['run'][0][:12]}~a~b~c~d.0.z"):
        opened(**{**address, "run": [token, address["run"][1]], "ties": "none", "missing": ""})


def test_judgments_without_a_relevant_document_are_not_called_judged():
    at = upload(opened(), ("a.run", run()), ("qrels", QRELS.replace(b" 1\n", b" 0\n")))
    assert "none of which has a relevant document" in said(at) and "all judged" not in said(at)


def test_a_run_without_documents_is_not_called_judged():
    answers = "".join(f'{{"query_id": "q{q}", "answer": "Yes."}}\n' for q in range(1, 21)).encode()
    at = upload(opened(), ("answers.jsonl", answers), ("qrels", QRELS))
    assert "answers can be measured" in said(at) and "all judged" not in said(at)


def test_two_fixes_that_need_each_other_are_one_button():
    """Queries without their zeros, and chunks: neither the ids nor the collapse alone finds anything."""
    lines = "".join(f"{q} Q0 d{q}#{q % 3} 1 2.0 both\n" for q in range(1, 21)).encode()
    truth = "".join(f"{q:03d} 0 d{q} 1\n" for q in range(1, 21)).encode()
    at = upload(opened(), ("both.run", lines), ("qrels", truth))
    offered = [one for one in at.button if one.key.startswith("fix_")]
    assert [one.label for one in offered] == ["Collapse chunks at '#', match restored leading zeros"]
    offered[0].click().run()
    assert not at.exception and hits(at) == 20 and "can be measured" in said(at)
    assert (entry(at).collapse, entry(at).ids) == ("prefix:#", "zeros")


def test_the_upload_itself_is_let_go_once_it_is_read(monkeypatch):
    gone = []
    monkeypatch.setattr(MemoryUploadedFileManager, "remove_file", lambda self, **names: gone.append(names["file_id"]))
    upload(opened(), ("a.run", run()), ("qrels", QRELS))
    assert len(set(gone)) == 2


def test_what_is_said_of_several_runs_is_one_sentence():
    pages = "\n".join(f"q{q} Q0 p{q + 1} 1 9 pages\nq{q} Q0 p{q} 2 8 pages" for q in range(1, 21)).encode()
    shallow = "\n".join(f"q{q} Q0 p{q} 1 9 shallow" for q in range(1, 21)).encode()
    at = upload(opened(), ("chunks.run", parts("chunks")), ("pages.run", pages), ("shallow.run", shallow),
                ("qrels", BOTH))
    assert "for its query**; **the 2 runs have the same 20 queries" in said(at)
