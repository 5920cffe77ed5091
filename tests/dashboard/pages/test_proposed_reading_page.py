"""A file in no known format on the Data page: one box with a sentence, a preview and a button; then it is loaded."""

from __future__ import annotations

import json

from page_cases import LOADED, opened, unbound, widget
from test_pages import texts, upload

from ragdash.dashboard.pages.data.columns.proposed_reading import describe, meanings

RECORDS = [{"id": f"q{i}", "question": f"What is number {i}?", "gold_ids": [f"d{i}"],
            "hits": [{"doc": {"id": f"d{i}"}, "score": 0.9}, {"doc": {"id": "d9"}, "score": 0.5}]} for i in range(3)]
CONTENT = json.dumps({"meta": {"k": 2}, "outcome": RECORDS}).encode()


def button_of(at):
    return [button for button in at.button if button.label == "Apply"]


def test_a_proposed_reading_is_shown_and_applied():
    at = upload(opened(), ("mine.json", CONTENT))
    assert not at.exception and not at.session_state["_runs"]
    assert "Found 3 records under **outcome**" in texts(at) and "Read it like this?" in texts(at)
    assert not at.error, "the proposal takes the place of the error"
    preview = next(table.value for table in at.dataframe if "Meaning" in table.value.columns).set_index("Meaning")
    assert preview.loc["Question", ["Column", "Record 1"]].tolist() == ["question", "What is number 0?"]
    assert preview.loc["Retrieved documents", "Column"] == "hits[].doc.id"
    apply, = button_of(at)
    apply.click().run()
    assert not at.exception and not at.error and not button_of(at)
    assert len(at.session_state["_runs"]) == 1 and at.session_state["_truth"]


def test_a_preview_has_room_in_its_column_and_a_name_that_ends_with_a_full_stop_ends_the_sentence():
    rows = "".join(f"{i},{'Which of these long questions is this? ' * 3}{i},Passage {i} is long.,It is {i}.\n"
                   for i in range(9))
    at = upload(opened(), ("bot.csv", f"No.,User question,Chunks given to the bot,Bot reply\n{rows}".encode()))
    preview = next(table.value for table in at.dataframe if "Meaning" in table.value.columns).set_index("Meaning")
    assert len(preview.loc["Question", "Record 1"]) <= 48 and "…" in preview.loc["Question", "Record 1"]
    assert "**Not read:** No. If a column" in texts(at).replace("\\", "")


def test_files_with_the_same_reading_are_asked_about_once_and_can_wait_on_overview():
    other = json.loads(CONTENT)
    other["outcome"][0]["hits"].reverse()
    at = upload(opened("overview"), ("mine.json", CONTENT), ("other.json", json.dumps(other).encode()))
    assert len(button_of(at)) == 1
    assert "**mine.json and other.json** are in no known format" in texts(at).replace("\\", "")
    wait, = [one for one in at.button if one.label == "Not now"]
    wait.click().run()
    assert not at.exception and not button_of(at) and "Read them like this?" not in texts(at)
    at.switch_page("pages/data.py").run()
    assert not [one for one in at.button if one.label == "Not now"]
    button_of(at)[0].click().run()
    assert not at.exception and not button_of(at) and len(at.session_state["_runs"]) == 2


def test_rankings_that_are_not_read_are_proposed_before_the_result():
    rows = [{"query_id": f"q{at}", "question": f"What is number {at}?", "extracted_answer": f"It is {at}.",
             "expected_answer": f"{at}", "answer_correct": at > 3, "expected_pages": [at],
             "per_k": {"10": {"retrieved_pages_ranked": [at, at + 1]}}} for at in range(12)]
    at = upload(opened("overview"), ("dense.json", json.dumps({"results": rows}).encode()))
    assert len(at.session_state["_runs"]) == 1 and "rankings not read" in texts(at), "its answers are read"
    words = texts(at)
    assert words.index("also holds more than was read") < words.index("**For your decision:**")
    assert "over 0 to" not in words


def test_a_file_of_the_command_line_is_offered_its_reading_too(tmp_path, monkeypatch):
    (tmp_path / "mine.json").write_bytes(CONTENT)
    monkeypatch.setenv("RAGDASH_FILES", json.dumps([str(tmp_path / "mine.json")]))
    at = opened()
    assert not at.exception and not at.session_state["_runs"] and not at.error
    button_of(at)[0].click().run()
    assert not at.exception and not at.error and not button_of(at)
    assert len(at.session_state["_runs"]) == 1 and at.session_state["_truth"]


def test_two_readings_are_told_apart_by_the_columns_in_which_they_differ():
    chunks = {"role": "run", "records": "r", "query": "question", "retrieved": "chunk_ids", "scores": "a+b"}
    pages = {"role": "both", "records": "r", "query": "question", "retrieved": "pages", "relevant": "gold",
             "scores": "a"}
    assert describe(chunks, [chunks, pages]) == "A run: Retrieved documents from chunk_ids"
    assert describe(pages, [chunks, pages]).endswith("Retrieved documents from pages, Relevant documents from gold")
    assert describe(chunks, [chunks]) == "A run"


def test_many_columns_of_a_meaning_are_counted_and_a_key_is_named():
    rows = meanings({"role": "run", "query_id": "*", "scores": "a+b+c+d+e"}, [{"query_id": "q1", "scores": "1, 2"}])
    assert rows == [{"Meaning": "Query id", "Column": "the key of each record", "Record 1": "q1"},
                    {"Meaning": "Scores in the file", "Column": "a, b, c and 2 more", "Record 1": "1, 2"}]


def test_two_plausible_readings_are_a_choice():
    rows = [{"question": f"What is {i}?", "answer": f"It is {i}, as everybody knows.", "level": "easy", "page_no": i}
            for i in range(4)]
    at = upload(opened(), ("qa.json", json.dumps({"meta": {}, "entries": {str(i): row for i, row in enumerate(rows)}})
                           .encode()))
    radio, = [radio for radio in at.radio if radio.label == "Reading"]
    assert any(option.startswith("Judgments and references") for option in radio.options)
    assert any(option.startswith("A run") for option in radio.options)
    assert not at.session_state["_runs"] and not at.session_state["_truth"]
    radio.set_value(radio.options.index(next(o for o in radio.options if o.startswith("A run")))).run()
    button_of(at)[0].click().run()
    assert not at.exception and len(at.session_state["_runs"]) == 1


def test_a_part_that_is_read_is_proposed_whole_starts_the_columns_and_removes_nothing():
    rows = [f"What is at place {i}?,It is number {i} of the map.,loc_{i}; loc_{i + 1},loc_{i}" + "; loc_99" * (i == 3)
            for i in range(12)]
    at = upload(opened(), ("eval_plain.csv", "\n".join(["Question,Column 2,Retrieved docs,Right doc,Remark of Ann",
                                                        *(f"{row},see {i} and page {i} too" for i, row in
                                                          enumerate(rows))]).encode()))
    assert len(at.session_state["_runs"]) == 1 and not at.session_state["_truth"]
    assert "Remark of Ann" in next(text.value for text in at.caption if "Not read" in text.value)
    at.session_state["mapping"] = True
    at.run()
    chosen = {box.label: box.value for box in at.selectbox}
    assert chosen["Question"] == "query" and chosen["Retrieved docs"] == "retrieved"
    assert chosen["Right doc"] == "relevant" and chosen["Column 2"] == "answer" and not chosen["Remark of Ann"]
    button_of(at)[0].click().run()
    assert not at.exception and len(at.session_state["_runs"]) == 1 and at.session_state["_truth"]
    assert "Run removed" not in texts(at) and not any(unbound(button.key) == "restore_run" for button in at.button)


def test_the_baseline_stays_the_run_that_is_read_again():
    rows = [f"What is at place {i}?,It is number {i} of the map.,loc_{i}; loc_{i + 1},loc_{i}" + "; loc_99" * (i == 3)
            for i in range(12)]
    content = "\n".join(["Question,Column 2,Retrieved docs,Right doc", *rows]).encode()
    at = upload(opened(), ("first.csv", content))
    at = upload(at, ("second.trec", "".join(f"q{i} Q0 loc_{i} 1 1.0 second\n" for i in range(12)).encode()))
    first, _ = at.session_state["_runs"]
    assert at.session_state["baseline"] == first.digest
    button_of(at)[0].click().run()
    again = next(entry for entry in at.session_state["_runs"] if entry.name == first.name)
    assert again.digest != first.digest and at.session_state["baseline"] == again.digest


def test_the_sidebar_names_the_baseline_again_where_other_runs_are_shown():
    trec = "".join(f"q{i} Q0 loc_{i} 1 1.0 NAME\n" for i in range(12))
    at = upload(opened(), ("qrels.txt", "".join(f"q{i} 0 two_loc_{i} 1\n" for i in range(12)).encode()))
    for name in ("one", "two", "three"):
        at = upload(at, (f"{name}.trec", trec.replace("NAME", name).replace("loc", f"{name}_loc").encode()))
    two, three = [entry.digest for entry in at.session_state["_runs"]][1:]
    at.session_state["baseline"] = two
    at.run()
    at.session_state["shown"] = [two, three]
    at.run()
    field = at.selectbox(key="baseline")
    assert field.value == two and field.proto.set_value and field.proto.raw_value == "two"


def test_cells_that_look_like_lists_and_stay_one_id_are_said_before_and_after_the_columns_are_named():
    rows = [f"What is at place {i}?,loc_{i}; loc_{i + 1},loc_{i}" + "; blue" * (i == 3) for i in range(12)]
    at = upload(opened(), ("eval.csv", "\n".join(["Question,Retrieved docs,Right doc", *rows]).encode()))
    assert not at.warning
    at.session_state["mapping"] = True
    at.run()
    card, = [card.value for card in at.warning]
    assert "1 cell of Right doc that looks like a list" in card and "3; blue" in card
    button_of(at)[0].click().run()
    card, = [card.value for card in at.warning]
    assert "1 cell of Right doc that looks like a list" in card and "as JSON" in card and not at.exception


def test_another_file_leaves_an_open_proposal_as_it_is():
    at = upload(opened(), ("mine.json", CONTENT))
    at = upload(at, ("other.trec", b"q0 Q0 d0 1 1.0 other\n"))
    assert not at.error and "Found 3 records" in texts(at)
    apply, = button_of(at)
    apply.click().run()
    assert len(at.session_state["_runs"]) == 2 and not at.exception


def test_columns_that_a_proposal_reads_together_stay_as_proposed_where_others_are_named():
    rows = [f"What is at place {i}?,It is number {i} of the map.,loc_{i},loc_{i + 1},Text of place {i}.,"
            f"Text of place {i + 1}.,loc_{i},Ann {i}" for i in range(12)]
    header = "question,answer,source_1,source_2,chunk_1,chunk_2,expected_source,asked by"
    at = upload(opened(), ("mine.csv", "\n".join([header, *rows]).encode()))
    assert button_of(at) and not at.session_state["_runs"]
    at.session_state["mapping"] = True
    at.run()
    boxes = {box.label: box for box in at.selectbox}
    assert "source\\_1" not in boxes and "chunk\\_2" not in boxes
    caption = next(text.value for text in at.caption if text.value.startswith("As proposed"))
    assert "source\\_\\{n\\}" in caption or "source_{n}" in caption.replace("\\", "")
    preview = [table.value for table in at.dataframe if "Meaning" not in table.value.columns]
    assert preview, "the rows are shown as they are understood"
    boxes["asked by"].set_value("attribute").run()
    next(button for button in at.button if unbound(button.key) == "map_apply").click().run()
    assert not at.exception and not at.error
    run = LOADED.run(at.session_state["_runs"][0].digest)
    assert len(run.docs) == 24 and "loc_1" in run.docs.to_pylist()


def test_the_columns_start_as_the_proposal_and_are_read_as_it_is():
    lines = [f'{bot},{nr},What is number {nr}?,{bot} says {nr}.,It is {nr}.,{"easy" if nr % 2 else "hard"}'
             for bot, most in (("bm25", 12), ("hybrid", 6)) for nr in range(most)]
    content = "\n".join(["chatbot,nr,question,bot_answer,correct_answer,kind", *lines]).encode()
    at = upload(opened(), ("bots.csv", content))
    at.session_state["mapping"] = True
    at.run()
    boxes = {box.label: box.value for box in at.selectbox}
    assert boxes["chatbot"] == "config" and boxes["kind"] == "attribute"
    assert not at.error and not at.exception
    widget(at, "button", "map_apply").click().run()
    assert not at.error and not at.exception
    assert sorted(entry.name for entry in at.session_state["_runs"]) == ["bm25", "hybrid"]
    assert at.session_state["_truth"]
