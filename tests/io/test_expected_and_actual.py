"""Two columns of answers: the right one and that of a system, those of two systems, or an open question."""

from __future__ import annotations

import pytest

from ragdash.io import read_runs
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

ROWS = [("Was kostet die Karte?", "Zehn Euro", "Sie kostet zehn Euro."),
        ("Wann macht das Bad auf?", "Um acht Uhr", "Um 8 Uhr."),
        ("Wer zahlt nichts?", "Kinder unter sechs", "Kinder."),
        ("Wo ist der Eingang?", "Im Norden", "Das ist nicht bekannt.")]


def mappings(*names: str) -> list[dict[str, str]]:
    """The readings that are offered for a table with these columns."""
    text = "\n".join(";".join(row) for row in (names, *ROWS))
    return [dict(reading.mapping) for reading in propose(Source(("file.csv", text.encode())))]


@pytest.mark.parametrize(("question", "right", "given"), [
    ("Frage", "Soll-Antwort", "Ist-Antwort"), ("Frage", "Sollantwort", "Istantwort"),
    ("Frage", "Antwort (soll)", "Antwort (ist)"), ("Frage", "Musterantwort", "KI-Antwort"),
    ("Frage", "Antwort Fachbereich", "Antwort Chatbot"), ("Question", "Réponse attendue", "Réponse obtenue"),
    ("Pregunta", "Respuesta esperada", "Respuesta obtenida"), ("pergunta", "resposta_humana", "resposta_ia"),
    ("Question", "Manual Answer", "AI Answer"), ("question", "human_answer", "chatgpt_answer")])
def test_expected_and_actual_answers_are_no_two_systems(question, right, given):
    assert mappings(question, right, given) == [
        {"role": "both", "query": question, "answer": given, "answers": right}]


@pytest.mark.parametrize(("first", "second"), [("answer_old", "answer_new"), ("gpt-4o_answer", "phi3_answer"),
                                               ("chatgpt_answer", "claude_answer")])
def test_names_of_systems_are_believed(first, second):
    readings = mappings("question", first, second)
    assert len(readings) == 1 and "{run}" in readings[0]["answer"]


def test_names_that_say_nothing_are_asked_about():
    """Two systems, or the right answer and that of a system: all three readings are offered."""
    assert mappings("question", "alpha_answer", "beta_answer") == [
        {"role": "run", "query": "question", "answer": "{run}_answer"},
        {"role": "both", "query": "question", "answer": "beta_answer", "answers": "alpha_answer"},
        {"role": "both", "query": "question", "answer": "alpha_answer", "answers": "beta_answer"}]


def test_what_a_system_gave_is_not_offered_as_judgments():
    """Records of TruLens: each has an id and a value of context relevance, and is no judged document."""
    names = "app_id,record_id,input,output,ts,Context Relevance,latency"
    rows = [f"{app},{app}-{number},{asked},{given},2025-05-01T10:00:0{number},0.{number + 5},{number + 3}"
            for app in ("rag_one", "rag_two") for number, (asked, _, given) in enumerate(ROWS)]
    runs = read_runs(("records.csv", "\n".join((names, *rows)).encode()))
    assert [run.name for run in runs] == ["rag_one", "rag_two"]
    assert not [problem for run in runs for problem in run.problems if problem.kind == "proposed-reading"]
