"""Columns that ragdash does not know, named by hand: the guess, the preview, the mapping that is offered again."""

from __future__ import annotations

import pytest
from page_cases import opened, unbound, widget
from test_pages import texts, upload

from ragdash.dashboard.pages.data.columns import saved_mappings

ROWS = [("q1", "d1", 0.9), ("q1", "d2", 0.4), ("q2", "d9", 0.7)]
CSV = ("kysely,osuma,pisteet\n" + "\n".join(f"{q},{d},{s}" for q, d, s in ROWS)).encode()


@pytest.fixture(autouse=True)
def no_mappings():
    saved_mappings.clear()


def choose(at, **fields):
    for column, field in fields.items():
        next(box for box in at.selectbox if box.label == column).set_value(field)
    return at.run()


def file_choice(at):
    return widget(at, "selectbox", "map_file")


def test_unknown_columns_are_named_by_hand_and_offered_again():
    at = upload(opened(), ("suche.csv", CSV))
    assert at.error and not at.session_state["_runs"]
    assert {"kysely", "osuma", "pisteet"} <= {box.label for box in at.selectbox}
    assert any("**Not used**: no metric reads the column." in caption.value for caption in at.caption)
    choose(at, kysely="query_id", osuma="doc_id", pisteet="score")
    assert not at.exception
    preview = at.dataframe[0].value
    assert preview["query_id"].tolist() == ["q1", "q1", "q2"] and preview["doc_id"].tolist() == ["d1", "d2", "d9"]
    at.text_input(key=next(one.key for one in at.text_input if one.key.startswith("map_name"))).set_value("our tool")
    widget(at, "button", "map_apply").click().run()
    assert not at.exception and not at.error and len(at.session_state["_runs"]) == 1
    again = upload(opened(), ("other.csv", CSV.replace(b"d9", b"d8")))
    box = next(box for box in again.selectbox if box.label == "Mapping")
    assert box.value == "our tool"
    widget(again, "button", "map_apply").click().run()
    assert not again.exception and len(again.session_state["_runs"]) == 1


def test_columns_without_a_name_have_a_label():
    at = upload(opened(), ("table.csv", b",,\n1,2,3\n4,5,6\n"))
    labels = [box.label for box in at.selectbox]
    assert not at.exception and any("without a name" in label for label in labels) and all(map(str.strip, labels))


def test_a_mapping_that_somebody_else_keeps_meanwhile_is_not_replaced_unseen():
    first, second = (choose(upload(opened(), ("suche.csv", CSV)), kysely="query_id", osuma="doc_id", pisteet=field)
                     for field in ("score", "rank"))
    for at in (first, second):
        at.text_input(key=next(one.key for one in at.text_input if one.key.startswith("map_name"))).set_value("tool")
    columns = ["kysely", "osuma", "pisteet"]
    widget(first, "button", "map_apply").click().run()
    stored = saved_mappings.saved_for(columns)
    assert not first.error and stored == {"tool": {"query_id": "kysely", "doc_id": "osuma", "score": "pisteet"}}
    widget(second, "button", "map_apply").click().run()
    assert not second.exception and "somebody else has changed the mapping tool" in texts(second)
    assert saved_mappings.saved_for(columns) == stored and not second.session_state["_runs"]
    assert "tool" in next(box for box in second.selectbox if box.label == "Mapping").options, "it is shown now"


def test_with_two_files_the_choices_of_the_first_are_there_on_return():
    at = upload(opened(), ("suche.csv", CSV), ("zweite.csv", b"haku,vastaus_id\nq1,d1\n"))
    first, second = file_choice(at).options[:2], file_choice(at).value
    choose(at, **({"kysely": "query_id"} if "kysely" in {box.label for box in at.selectbox} else {"haku": "query_id"}))
    label = "kysely" if "kysely" in {box.label for box in at.selectbox} else "haku"
    other = next(index for index in range(2) if index != second)
    file_choice(at).set_value(other).run()
    assert label not in {box.label for box in at.selectbox} and len(first) == 2
    file_choice(at).set_value(second).run()
    assert next(box for box in at.selectbox if box.label == label).value == "query_id"


def test_one_meaning_for_two_columns_and_a_mapping_that_does_not_do_are_explained():
    at = choose(upload(opened(), ("suche.csv", CSV)), kysely="query_id", osuma="query_id")
    assert any("two columns" in card.value for card in at.error) and not at.exception
    choose(at, osuma="score", pisteet="doc_id")
    assert at.error and not at.exception and not any(unbound(one.key) == "map_apply" for one in at.button)


def test_a_column_of_right_answers_is_no_judgment():
    at = choose(upload(opened(), ("gold.csv", b"frage,beleg,note\nq1,Ada,2\nq2,Bob,0\n")), frage="query_id",
                beleg="answers")
    assert "**As ragdash understands it:** references and attributes for 2 queries, no judgments" in texts(at)


def test_the_role_follows_the_mapping():
    at = choose(upload(opened(), ("gold.csv", b"frage,beleg,note\nq1,d1,2\nq2,d2,0\n")), frage="query_id",
                beleg="doc_id", note="grade")
    assert "judgments for 2 queries" in texts(at)
    widget(at, "button", "map_apply").click().run()
    assert at.session_state["_truth"] and not at.session_state["_runs"]


def test_the_preview_shows_what_is_known_of_each_query():
    lines = b'{"query_id": "q1", "query": "why?", "relevant": ["d1"], "answers": ["so"], "zusatz": 1}\n' * 1
    at = upload(opened(), ("gold.jsonl", lines))
    assert at.session_state["_truth"] and not at.error
    at.session_state["mapping"] = True
    at.run()
    assert not at.exception
    assert {"query_id", "doc_id", "grade", "query", "answers"} <= set(at.dataframe[-1].value.columns)


def test_a_column_shows_its_first_values_under_its_choice():
    at = upload(opened(), ("suche.csv", CSV))
    said = [caption.value for caption in at.caption]
    assert {"such as q1, q2", "such as d1, d2, d9", "such as 0.9, 0.4, 0.7"} <= set(said)


def test_a_file_that_waits_for_the_meaning_of_its_columns_can_be_mapped_after_other_files():
    at = upload(opened(), ("suche.csv", CSV))
    at = upload(at, ("known.trec", b"q1 Q0 d1 1 0.5 t\nq2 Q0 d9 1 0.5 t\n"))
    assert len(at.session_state["_runs"]) == 1 and "under “Say what the columns mean”." in texts(at)
    assert "docs/" not in texts(at), "a visitor of the page has no files of the package"
    box = next(one for one in at.expander if one.label == "Say what the columns mean")
    assert box.markdown[0].value == "**suche.csv**", "one of two files: the box says which it is about"
    choose(at, kysely="query_id", osuma="doc_id", pisteet="score")
    widget(at, "button", "map_apply").click().run()
    assert not at.exception and not at.error and len(at.session_state["_runs"]) == 2


def test_decimal_commas_and_grades_in_words_are_read_as_a_proposed_reading_reads_them():
    """Excel writes 0,9 where the comma is the decimal sign; the form shows 0.9 under the column, so it has to fit."""
    scores = "QNr;Treffer;Wert\n" + "\n".join(f"{q};{d};{s}".replace(".", ",") for q, d, s in ROWS)
    at = choose(upload(opened(), ("suche.csv", scores.encode())), QNr="query_id", Treffer="doc_id", Wert="score")
    assert not at.exception and at.dataframe[-1].value["score"].tolist() == [0.9, 0.4, 0.7]
    widget(at, "button", "map_apply").click().run()
    assert not at.error and len(at.session_state["_runs"]) == 1
    words = choose(upload(opened(), ("gold.csv", b"frage,beleg,gut\nq1,d1,yes\nq2,d2,no\n")), frage="query_id",
                   beleg="doc_id", gut="grade")
    assert not words.exception and words.dataframe[-1].value["grade"].tolist() == [1, 0]
    other = choose(upload(opened(), ("suche.csv", CSV.replace(b"0.4", b"n/a"))), kysely="query_id", osuma="doc_id",
                   pisteet="score")
    assert any("found 'n/a'" in card.value or "Found 'n/a'" in card.value for card in other.error)


def test_on_overview_the_next_file_comes_up_when_the_first_is_read():
    files = [("eins.csv", CSV), ("zwei.csv", CSV.replace(b"d9", b"d8"))]
    at = upload(opened("overview"), *files)
    for left in (1, 0):
        choose(at, kysely="query_id", osuma="doc_id", pisteet="score")
        widget(at, "button", "map_apply").click().run()
        assert not at.exception and len(at.session_state["_runs"]) == 2 - left
        assert [box.label for box in at.selectbox if box.label == "File"] == [], "one file is left at most"
        boxes = [box for box in at.expander if box.label == "Say what the columns mean"]
        assert len(boxes) == left, "a file that was read is changed on Data"
        assert bool(at.error) == bool(left)


def test_the_choice_of_a_file_is_made_anew_when_one_was_read():
    """A browser shows what it last showed of a choice, so a choice among other files has another key."""
    names = "d5", "d6", "d7"
    at = upload(opened("overview"), *((f"{name}.csv", CSV.replace(b"d9", name.encode())) for name in names))
    before = file_choice(at)
    choose(at, kysely="query_id", osuma="doc_id", pisteet="score")
    widget(at, "button", "map_apply").click().run()
    after = file_choice(at)
    assert (len(before.options), len(after.options)) == (3, 2) and before.key != after.key
