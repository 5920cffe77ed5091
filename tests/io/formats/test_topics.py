"""TREC topics: queries as SGML and XML, next to the judgments of another file."""

from __future__ import annotations

import json

import pytest
from speed import quick

from ragdash import InputError, evaluate, read_run, read_truth
from ragdash.cli.main import main
from ragdash.io import detect

ROBUST = """<top>

<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that participate
in international criminal activity.

<narr> Narrative:
A relevant document must name one.

</top>

<top>
<num> Number: 302
<title> Poliomyelitis &amp; Post-Polio

<desc> Description:
Is the disease under control?
</top>
"""
COVID = """<?xml version="1.0"?>
<!-- round 1 --><topics task="COVIDSearch 2020">
<topic number="1"><query>coronavirus origin</query><question>what is the origin of COVID-19</question></topic>
<topic number="2"><query>cure: none?</query><question>is there a cure</question></topic>
</topics>
"""
CLEF = '<top lang="en"><num>C041</num><EN-title>Pesticides in Baby Food</EN-title></top>\n<top lang="en">' \
       "<num>C042</num><EN-title>Invasion of Haiti</EN-title></top>\n"
READ = {ROBUST: {"301": "International Organized Crime", "302": "Poliomyelitis & Post-Polio"},
        COVID: {"1": "coronavirus origin", "2": "cure: none?"},
        CLEF: {"C041": "Pesticides in Baby Food", "C042": "Invasion of Haiti"}}


@pytest.mark.parametrize("text", READ)
def test_topics_are_queries_with_their_titles(text):
    assert detect(("topics", text.encode())).format == "trec-topics"
    truth = read_truth(("topics", text.encode()))
    assert dict(zip(truth.query_ids.to_pylist(), truth.details["query"].to_pylist(), strict=True)) == READ[text]
    assert not len(truth.grades) and not truth.problems
    with pytest.raises(InputError, match="TREC topics"):
        read_run(("topics", text.encode()))


def test_what_else_a_topic_has_is_an_attribute():
    first, second = map(json.loads, read_truth(("topics", ROBUST.encode())).details["attributes"].to_pylist())
    assert first == {"description": "Identify organizations that participate in international criminal activity.",
                     "narrative": "A relevant document must name one."}
    assert second == {"description": "Is the disease under control?"}


def test_a_topic_with_a_query_and_a_title_loses_neither():
    topics = "".join(f'<topic number="{n}"><title>Sea {n}</title><query>which sea {n}</query></topic>' for n in (1, 2))
    truth = read_truth(("topics.xml", f"<topics>{topics}</topics>".encode()))
    assert truth.details["query"].to_pylist() == ["which sea 1", "which sea 2"]
    attributes = map(json.loads, truth.details["attributes"].to_pylist())
    assert list(attributes) == [{"title": "Sea 1"}, {"title": "Sea 2"}]


def test_qrels_get_the_texts_of_the_topics(tmp_path, capsys):
    files = {"run.txt": "301 Q0 a 1 2.0 x\n302 Q0 b 1 2.0 x\n", "qrels.txt": "301 0 a 1\n302 0 c 1\n",
             "topics.txt": ROBUST}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    run, truth = read_run(str(tmp_path / "run.txt")), read_truth(str(tmp_path / "qrels.txt"))
    both = evaluate(run, truth, "RR")
    assert main(["evaluate", str(tmp_path / "run.txt"), "-m", "RR", "--format", "json", "--truth",
                 str(tmp_path / "qrels.txt"), "--truth", str(tmp_path / "topics.txt")]) == 0
    shown = capsys.readouterr()
    assert "joined by 2 query ids" in shown.err
    assert json.loads(shown.out)["runs"][0]["metrics"]["RR"]["mean"] == pytest.approx(both.summary()[0].mean) == 0.5


@pytest.mark.parametrize("text", [
    '<topic id="intro"><title>Introduction</title><body>Text.</body></topic>', "<top>\n<num> Number: 301\n</top>\n",
    "<top>\n<title> Crime\n</top>\n", "<topics></topics>", "<html><title>x</title></html>"])
def test_other_texts_with_tags_are_no_topics(text):
    assert detect(("x", text.encode())).format != "trec-topics"


def test_a_topic_without_an_id_and_a_second_one_of_an_id_are_named_with_their_lines():
    with pytest.raises(InputError) as caught:
        read_truth(("topics", f"{ROBUST}<top>\n<title> No number\n</top>\n{ROBUST}".encode()))
    assert {(problem.kind, problem.line) for problem in caught.value.problems} == {
        ("missing-field", 22), ("duplicate-query", 25), ("duplicate-query", 39)}


def test_many_comments_and_tags_are_looked_through_once():
    for text in ("<!-- -->" * 8_000, "<top>" * 100_000, "<top>\n<num> 1\n<title> a\n</top>\n" + "<top " * 100_000):
        quick(lambda text=text: detect(("x", text.encode())), 1.0)
