"""Single bytes of Windows-1252 in UTF-8 text, and text in Windows-1252, are read with a warning; other text is refused.
"""

from __future__ import annotations

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth

CSV = "query_id,query,answer\ns1,Où est le café?,Über die Brücke.\ns2,Who?,It"


def encoding_problems(data: bytes) -> list:
    return [problem for run in read_runs(("a.csv", data)) for problem in run.problems
            if problem.kind.startswith("wrong-encoding")]


def test_the_warning_names_the_byte_its_line_and_how_it_is_read():
    (problem,) = encoding_problems(CSV.encode() + b"\x92s here\n")
    assert (problem.severity, problem.line, problem.facts["byte"], problem.facts["character"]) == (
        "warning", 3, "92", "’")


@pytest.mark.parametrize("data", [
    '[{"question": "Où?", "answer": "é It@s", "retrieved_ids": ["d1"]}]', "q1 Q0 dé7 1 2.5 ü\nq2 Q0 d@9 1 2.5 ü\n",
    '{"query_id": "q1", "answer": "é It@s", "retrieved": ["d1"]}', '{"q1": {"dé7": 0.5, "d@9": 0.25}}',
], ids=["array", "trec", "jsonl", "dictionary"])
def test_every_format_warns_once(data):
    (problem,) = encoding_problems(data.encode().replace(b"@", b"\x92"))
    assert problem.facts["count"] == 1


def test_text_without_odd_bytes_has_no_warning():
    assert encoding_problems(CSV.encode() + b"s here\n") == []


@pytest.mark.parametrize("data", [
    CSV.encode() + b"\x81s here\n",  # no character of Windows-1252
    CSV.encode() + b"\xe9\xe8\xfa\n",  # several in a row
    "query_id,query,answer\ns1,Wo ist es?,Über die Brücke für Fußgänger".encode("mac-roman"),
    "query_id,query,answer\ns1,Wo ist es?,Über die Brücke für Fußgänger".encode("cp850"),
    "query_id,query,answer\ns1,Где это?,За рекой в старом городе".encode("windows-1251"),
    "query_id,query,answer\ns1,Gdzie to jest?,Wąż i żółw są w mieście".encode("iso-8859-2"),
    "query_id,query,answer\ns1,在哪里？,在河的另一边。".encode("gbk"),
    "query_id,query,answer\ns1,どこですか,川の向こう側です".encode("shift-jis"),
    "query_id,query,answer\ns1,Nerede?,Köprünün karşısında, ışığın yanında".encode("windows-1254"),
    b"query_id,query,answer\ns1,Who?,caf\xe9\n",  # one letter does not show it
], ids=["undefined", "in a row", "Mac OS", "DOS", "Russian", "Polish", "Chinese", "Japanese", "Turkish", "one letter"])
def test_other_text_is_refused(data):
    with pytest.raises(InputError, match="UTF-8"):
        read_runs(("a.csv", data))


def test_apostrophes_of_english_words_show_windows_1252():
    data = "query_id,query,answer\ns1,What’s open?,The school’s library.\ns2,Who isn’t here?,The head’s deputy.\n"
    run, = read_runs(("a.csv", data.encode("windows-1252")))
    assert run.details["answer"].to_pylist() == ["The school’s library.", "The head’s deputy."]


WHOLE = "query_id,query,answer\ns1,Où est le café ?,Über die Brücke – für 12 €.\ns2,¿Quién?,It’s José’s „Größe“.\n"


def test_a_text_in_windows_1252_is_read_with_one_warning_that_shows_a_word():
    run, = read_runs(("a.csv", WHOLE.encode("windows-1252")))
    assert run.details["answer"].to_pylist() == ["Über die Brücke – für 12 €.", "It’s José’s „Größe“."]
    problem, = [problem for problem in run.problems if problem.kind == "wrong-encoding"]
    assert (problem.severity, problem.line, problem.facts["word"], problem.facts["count"]) == ("warning", 2, "Où", 16)


@pytest.mark.parametrize("data", [
    '[{"question": "Über wen?", "answer": "José Müller", "retrieved_ids": ["d1"]}]',
    "q1 Q0 büro_7 1 2.5 länge\nq2 Q0 d9 1 2.5 länge\n",
    '{"query_id": "q1", "answer": "José Müller", "retrieved": ["d1"]}', '{"q1": {"büro": 0.5, "länge": 0.25}}',
], ids=["array", "trec", "jsonl", "dictionary"])
def test_every_format_is_read_in_windows_1252(data):
    def content(text: bytes) -> list:
        return [(run.docs.to_pylist(), run.details and run.details.to_pylist()) for run in read_runs(("a", text))]

    assert content(data.encode("windows-1252")) == content(data.encode())
    assert [problem.message for run in read_runs(("a", data.encode("windows-1252"))) for problem in run.problems
            if problem.kind == "wrong-encoding"] == ["wrong-encoding/windows-1252"]


def test_a_table_of_excel_with_semicolons_and_blanks_in_its_header_is_offered():
    """As Excel saves it in German; four words in its header make it no TREC file."""
    text = ("Nr;Frage;Erwartete Antwort;Antwort;Quelle 1;Quelle 2;Bewertung;Bemerkung\n"
            "1;Wie hoch ist die Gebühr für Hunde?;Zwölf Euro;Die Gebühr beträgt 12 €.;gebühren.pdf;hunde.pdf;5;\n"
            "2;Wann öffnet das Büro?;Um acht;Es öffnet um 8 Uhr.;büro.pdf;gebühren.pdf;4;knapp\n"
            "3;Gibt es Ermäßigung?;Ja;Ja, für Schüler.;gebühren.pdf;schüler.pdf;5;\n").encode("windows-1252")
    with pytest.raises(InputError) as error:
        read_runs(("a.csv", text))
    mapping, = error.value.problems[0].facts["mappings"]
    run, = read_runs(("a.csv", text), mapping=mapping)
    assert run.docs.to_pylist()[:2] == ["gebühren.pdf", "hunde.pdf"]
    assert "wrong-encoding/windows-1252" in [problem.message for problem in run.problems]
    assert read_truth(("a.csv", text), mapping=mapping).details["answers"].to_pylist()[0] == ["Zwölf Euro"]


def test_one_letter_in_a_long_word_shows_it():
    """As in the header of a Spanish table whose texts have no other letter of this kind."""
    run, = read_runs(("a.csv", "query_id,answer,puntuación\nq1,Yes.,5\nq2,No.,4\n".encode("windows-1252")))
    assert [problem.facts["word"] for problem in run.problems if problem.kind == "wrong-encoding"] == ["puntuación"]


def test_dashes_outside_words_need_no_other_characters():
    """As Excel saves a table in English with a dash where there is no value; in a word, 0x97 is a letter of Mac OS."""
    text = "query_id,doc_id,score,note\nq1,d1,0.5,@\nq1,d2,0.4,first @ of two\nq2,d3,0.4,8–9\n"
    run, = read_runs(("a.csv", text.encode().replace(b"@", b"\x97")))
    problem, = [problem for problem in run.problems if problem.kind == "wrong-encoding"]
    assert (problem.facts["character"], problem.line, problem.facts["count"]) == ("—", 2, 2)
    with pytest.raises(InputError, match="UTF-8"):
        read_runs(("a.csv", CSV.encode("ascii", "ignore") + b"s to\x97day, yester\x97day\n"))
