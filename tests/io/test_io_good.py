"""What is read beside rankings: names, configurations, details, settings; and what is worth a warning."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from helpers import json_lines

from ragdash.io import detect, read_corpus, read_run, read_runs, read_truth

TREC = "q1 Q0 d1 1 0.9 t\nq1 Q0 d2 2 0.8 t\n"
FORMATS = (Path(__file__).parents[2] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w+ (run|truth|corpus)\n(.*?)^```", FORMATS, re.MULTILINE | re.DOTALL)


def run_of(content: str, **options):
    return read_run(("run", content.encode()), **options)


def truth_of(*objects: dict):
    return read_truth(("truth", json_lines(objects)))


def warnings(record) -> list[tuple]:
    assert all(problem.severity == "warning" for problem in record.problems)
    return [(problem.kind, problem.line, problem.field) for problem in record.problems]


@pytest.mark.parametrize("role, content", BLOCKS)
def test_examples_in_the_documentation(role, content):
    assert detect(("x", content.encode())).role in (role, "both", "unknown")
    reader = {"truth": read_truth, "corpus": read_corpus}.get(role)
    for record in [reader(("x", content.encode()))] if reader else read_runs(("x", content.encode())):
        assert len(record)
        assert not [problem for problem in record.problems if problem.kind not in ("file-metrics", "subtopics")]


def test_the_documentation_has_examples():
    assert len(BLOCKS) > 8


@pytest.mark.parametrize("file, name", [
    ("bm25.trec", "bm25"), ("runs/bm25.run.gz", "bm25"), ("C:\\runs\\bm25.txt", "bm25"),
    ("\\\\server\\runs\\bm25.txt", "bm25"), ("$\\frac{1}{2}$.jsonl", "$\\frac{1}{2}$"),
    ("runs/a\\x.trec", "a\\x"), ("run.trec2019-bm25.trec.gz",
    "run.trec2019-bm25"), ("bm25", "bm25"), ("v1.5.json", "v1.5"), (".trec", ".trec"), ("BM25.TREC", "BM25")])
def test_a_run_is_named_after_its_file(file, name):
    assert read_run((file, TREC.encode())).name == name
    assert read_run((file, TREC.encode()), name="mine").name == "mine"


def test_a_path_may_be_text_or_a_path(tmp_path):
    path = tmp_path / "bm25.trec"
    path.write_text(TREC)
    assert read_run(path).digest == read_run(str(path)).digest == run_of(TREC).digest


@pytest.mark.parametrize("content", [
    "qid,doc,score,METHOD\nq1,d1,0.5,dense\nq1,d2,0.4,sparse\nq1,d2,0.4,dense\n",
    '{"query_id": "q1", "config": "dense", "retrieved": {"d1": 0.5, "d2": 0.4}}\n'
    '{"query_id": "q1", "config": "sparse", "retrieved": {"d2": 0.4}}\n',
    '[{"qid": "q1", "doc": "d1", "score": 0.5, "run": "dense"},'
    '{"qid": "q1", "doc": "d2", "score": 0.4, "run": "dense"},'
    '{"qid": "q1", "doc": "d2", "score": 0.4, "run": "sparse"}]',
])
def test_a_file_may_hold_several_configurations(content):
    dense, sparse = read_runs(("x", content.encode()))
    assert (dense.name, sparse.name) == ("dense", "sparse")
    assert dense.ranking("q1")["doc_id"].to_pylist() == ["d1", "d2"]
    assert sparse.ranking("q1")["doc_id"].to_pylist() == ["d2"]
    assert [run.name for run in read_runs(("x", content.encode()), name="mine")] == ["mine/dense", "mine/sparse"]


def test_one_configuration_names_the_run():
    assert run_of("qid,doc,score,config\nq1,d1,0.5,dense\n").name == "dense"
    assert run_of("qid,doc,score,config\nq1,d1,0.5,\n").name == "run"
    assert run_of("qid,doc,score,config\nq1,d1,0.5,dense\n", name="mine").name == "mine"


def test_details_of_a_run():
    full = {"query_id": "q1", "query": "who?", "retrieved": [{"doc_id": "d1", "text": "T", "source": "S"}, "d2"],
            "answer": "me", "contexts": ["a", "b"], "latency_ms": {"retrieval": 5, "generation": 70.5},
            "usage": {"prompt_tokens": 10, "completion_tokens": 2}, "cost_usd": 0.01, "settings": {"top_k": 5},
            "attributes": {"type": "fact"}, "difficulty": 3}
    bare = {"query_id": "q2", "answer": None, "contexts": [], "latency_ms": 12, "cost_usd": float("nan")}
    run = run_of(json.dumps(full) + "\n" + json.dumps(bare) + "\n")
    first, second = run.details.to_pylist()
    assert first == {
        "query": "who?", "answer": "me", "contexts": ["a", "b"], "prompt_tokens": 10, "completion_tokens": 2,
        "latency_ms": {"retrieval": 5, "rerank": None, "generation": 70.5, "total": None}, "cost_usd": 0.01,
        "attributes": '{"difficulty":3,"type":"fact"}'}
    assert second == {**dict.fromkeys(first), "contexts": [], "latency_ms": {
        "retrieval": None, "rerank": None, "generation": None, "total": 12}}
    assert run.settings == {"top_k": 5}
    assert run.ranking("q1")["text"].to_pylist() == ["T", None]
    assert run.sources.to_pylist() == ["S", None]
    assert run.query_ids.to_pylist() == ["q1", "q2"]
    assert not run.problems


def test_exact_parsing_gives_the_same_details():
    value = {"query_id": "q1", "answer": "me", "latency_ms": 1.5e3, "x": {"y": [1, 2.5, True, None, "t"]},
             "usage": {"prompt_tokens": 10}, "settings": {"k": 10, "threshold": 0.5}}
    quick, exact = run_of(json.dumps(value)), run_of(json.dumps({**value, "cost_usd": float("nan")}))
    assert quick.digest == exact.digest
    assert quick.settings == exact.settings == {"k": 10, "threshold": 0.5}
    assert json.loads(exact.details["attributes"][0].as_py()) == {"x": {"y": [1, 2.5, True, None, "t"]}}


def test_details_of_a_truth():
    truth = truth_of(
        {"query_id": "q1", "query": "who?", "relevant": {"d1": 2, "d2": 0, "d3": -1}, "answers": ["me", "I"],
         "evidence": ["span", {"text": "other", "source": "d1"}], "attributes": {"type": "fact"}, "language": "en"},
        {"query_id": "q2", "relevant": [], "answers": "nobody"})
    assert truth.query_ids.to_pylist() == ["q1", "q2"]
    assert truth.grades.tolist() == [2, 0, -1]
    assert truth.details.to_pylist() == [
        {"query": "who?", "answers": ["me", "I"], "evidence": [{"text": "span", "source": None},
         {"text": "other", "source": "d1"}], "attributes": '{"language":"en","type":"fact"}'},
        {"query": None, "answers": ["nobody"], "evidence": None, "attributes": None}]
    assert truth.queries_without_relevant == 1


def test_a_file_may_be_both():
    content = ("x", b'{"query_id": "q1", "retrieved": ["d1"], "relevant": ["d1"], "answers": ["a"], "type": "t"}\n')
    assert read_run(content).details.column_names == ["attributes"]
    assert read_truth(content).details.column_names == ["answers", "attributes"]


def test_empty_rankings_stay():
    for content in ('{"q1": {"d1": 0.5}, "q2": {}}', '{"q1": ["d1"], "q2": []}',
                    '{"query_id": "q1", "retrieved": ["d1"]}\n{"query_id": "q2", "retrieved": null}\n'):
        run = run_of(content)
        assert run.query_ids.to_pylist() == ["q1", "q2"]
        assert run.lengths.tolist() == [1, 0]


def test_one_object_over_several_lines():
    value = {"query_id": "q1", "retrieved": [{"doc_id": "d1", "score": 0.5}]}
    assert run_of(json.dumps(value, indent=2)).digest == run_of(json.dumps(value)).digest
    truth = {"query_id": "q1", "relevant": {"d1": 1}}
    assert read_truth(("x", json.dumps(truth, indent=2).encode())).digest == truth_of(truth).digest


@pytest.mark.parametrize(("content", "others"), [
    ("qid,doc,rank,score\nq1,low,1,0.1\nq1,high,2,0.9\n", []),
    ("qid,doc,rank,score\nq1,high,2,0.9\nq1,low,1,0.1\n", []),  # the order of rows says nothing
    ('{"query_id": "q1", "retrieved": [{"doc_id": "low", "score": 0.1}, {"doc_id": "high", "score": 0.9}]}', []),
    ('{"query_id": "q1", "retrieved": [{"doc_id": "high", "rank": 2, "score": 0.9}, '
     '{"doc_id": "low", "rank": 1, "score": 0.1}]}', [("rank-list-disagreement", None, "rank")]),
])
def test_ranks_take_precedence_over_scores_with_a_warning(content, others):
    run = run_of(content)
    assert run.ranking("q1")["doc_id"].to_pylist() == ["low", "high"]
    assert warnings(run) == [*others, ("rank-score-disagreement", None, "score")]


def test_ranks_in_another_order_than_their_list_are_reported():
    run = run_of('{"query_id": "q1", "retrieved": [{"doc_id": "d1", "rank": 2}, {"doc_id": "d9", "rank": 1}]}\n'
                 '{"query_id": "q2", "retrieved": [{"doc_id": "d1", "rank": 1}, {"doc_id": "d9", "rank": 2}]}')
    assert run.ranking("q1")["doc_id"].to_pylist() == ["d9", "d1"]
    assert warnings(run) == [("rank-list-disagreement", None, "rank")]


def test_scores_take_precedence_over_the_ranks_of_a_trec_run():
    assert run_of("q1 Q0 low 1 0.1 t\nq1 Q0 high 2 0.9 t\n").ranking("q1")["doc_id"].to_pylist() == ["high", "low"]


WARN = {
    "seventh column": (TREC.replace(" t\n", " t x\n"), "extra-columns", 1, None),
    "seventh column of one line": (TREC + "q1 Q0 d3 3 0.7 t x y\n", "extra-columns", 3, None),
    "seventh column behind tabs": (TREC.replace(" t\n", " t x\n").replace(" ", "\t"), "extra-columns", 1, None),
    "comment": ("# made by hand\n" + TREC, "comment", 1, None),
    "indented comment": (TREC + " #q1 Q0 d3 1 0.5 t\n", "comment", 3, None),
    "several tags": (TREC + "q2 Q0 d1 1 0.5 other\n", "several-tags", 3, "tag"),
    "number as query": ('{"query_id": 7, "retrieved": ["d1"]}', "number-as-text", 1, "query_id"),
    "number as document": ('{"query_id": "q", "retrieved": ["d1", 1.50]}', "number-as-text", 1, "retrieved[1].doc_id"),
    "unread field": ('{"query_id": "q", "retrieved": [{"doc_id": "d", "pages": 3}]}', "unread-field", 1, "pages"),
    "unread stage": ('{"query_id": "q", "answer": "", "latency_ms": {"total": 1, "index": 2}}', "unread-field", 1,
                     "latency_ms.index"),
    "small total": ('{"query_id": "q", "answer": "", "latency_ms": {"retrieval": 60, "generation": 50, "total": 90}}',
                    "small-total", 1, "latency_ms"),
    "unread token count": ('{"query_id": "q", "answer": "", "usage": {"total_tokens": 2}}', "unread-field", 1,
                           "usage.total_tokens"),
    "other settings": ('{"query_id": "q", "answer": "", "settings": {"k": 1}}\n'
                       '{"query_id": "r", "answer": "", "settings": {"k": 2}}', "settings-differ", 2, "settings"),
    "unread column": ("qid,doc,score,colour\nq1,d1,0.5,red\nq1,d2,0.4,blue\n", "unread-column", 1, "colour"),
    "column of the query": ("qid,doc,score,kind\nq1,d1,0.5,fact\nq1,d2,0.4,fact\n", "unknown-columns", 1, "kind"),
    "second score": ("qid,doc,score,sim\nq1,d1,0.5,0.1\n", "unread-column", 1, "sim"),
    "padded id": ("qid,doc,score\nq1, d1,0.5\n", "padded-id", 2, "doc"),
    "no order": ("qid,doc\nq1,d1\n", "no-order-column", 1, None),
    "grades as scores": ('{"q1": {"d1": 1, "d2": 0}}', "looks-like-truth", None, None),
    "equal ranks": ("qid,doc,rank\nq1,d1,1\nq1,d2,1\n", "equal-ranks", None, "rank"),
}


@pytest.mark.parametrize("name", WARN)
def test_warnings(name):
    content, *expected = WARN[name]
    assert warnings(run_of(content)) == [tuple(expected)]


def test_numbers_as_ids_keep_their_digits():
    run = run_of('{"query_id": 1e5, "retrieved": [1.50, -0, 12345678901234567890123, 2506.00500, 7]}')
    assert run.query_ids.to_pylist() == ["1e5"]
    assert run.docs.to_pylist() == ["1.50", "-0", "12345678901234567890123", "2506.00500", "7"]
    truth = read_truth(("x", b'[{"query_id": 007.5e1, "relevant": [1.0]}]'.replace(b"007", b"7")))
    assert (truth.query_ids.to_pylist(), truth.docs.to_pylist()) == (["7.5e1"], ["1.0"])


def test_ids_with_blanks_between_tabs():
    run = run_of("q 1\tQ0\tdoc one\t1\t0.5\tmy tag\nq 1\tQ0\tdoc two\t2\t 0.25\t\n")
    assert run.query_ids.to_pylist() == ["q 1"]
    assert run.ranking("q 1")["doc_id"].to_pylist() == ["doc one", "doc two"]


def test_missing_texts_in_tables():
    run = run_of('qid,doc,score,text\nq1,d1,4,NaN\nq1,d2,3,None\nq1,d3,2,\nq1,NA,1,NA\n')
    assert run.texts.to_pylist() == [None, None, None, "NA"]
    assert run.docs.to_pylist()[3] == "NA"
    assert run_of("qid,doc,score,text\nq1,d1,4,NaN\n").texts is None


def test_long_texts_in_tables_that_need_exact_reading():
    text = "word " * 60_000
    run = run_of(f'qid,doc,score,text\nq1, d1,0.5,"{text}"\n')
    assert run.texts.to_pylist() == [text]


ROLES = {
    TREC: ("trec-run", "run"), "q1 0 d1 1\n": ("trec-qrels", "truth"),
    "q1 Q0 d1 1 0.5\n": ("trec-run", "unknown"), "q1 Q0 d1 1 x t\n": ("trec-run", "run"), "q1 0 d1 x\n": (
        "trec-qrels", "unknown"), "hello\n": ("unknown", "unknown"), "a,b,c\n1,2,3\n": ("unknown", "unknown"),
    "question,answer,contexts\na,b,c\n": ("csv", "run"), "qid\tdoc\trank\nq\td\t1\n": ("tsv", "run"),
    "query-id\tcorpus-id\tscore\nq\td\t1\n": ("tsv", "truth"),
    "query-id\tcorpus-id\tscore\nq\td\t0.5\n": ("tsv", "run"),
    "qid;doc;label\nq;d;1\n": ("csv", "truth"), '{"q": {"d": 1}}': ("json-dict", "truth"),
    '{"q": {"d": 1.0}}': ("json-dict", "run"), '{"q": {"d": 11}}': ("json-dict", "run"),
    '{"q": ["d"]}': ("json-dict", "unknown"), '{"query_id": "q", "retrieved": []}': ("jsonl", "run"),
    '{"query_id": "q", "evidence": []}': ("jsonl", "truth"), '{"query_id": "q"}': ("jsonl", "unknown"),
    '{\n"query_id": "q",\n"retrieved": []}': ("json-object", "run"), '[{"query_id": "q", "answer": ""}]': (
        "json-array", "run"), '[{"qid": "q", "doc": "d", "grade": 1}]': ("json-array", "truth"),
    '{"id": 1}\n{"id": 2}\n': ("jsonl", "unknown"), '{"_id": "q1", "x": NaN}\n{"_id": "q2"}\n': ("jsonl", "unknown"),
    '{"query_id": "q", "answer": "' + "x" * 70_000 + '"}\n': ("jsonl", "run"),
    '{"q": {"' + "x" * 70_000 + '": 0.5}}\n': ("json-dict", "unknown"),
}


@pytest.mark.parametrize("content", ROLES, ids=lambda content: content[:40])
def test_detection(content):
    detected = detect(("x", content.encode()))
    assert (detected.format, detected.role) == ROLES[content]
    assert detected.reason


def test_query_ids_in_brackets_are_not_columns_of_promptfoo(tmp_path):
    (tmp_path / "x.trec").write_text("[1] Q0 007 1 0.0 x\n[1] Q0 a,b 2 -1.0 x\n")
    (tmp_path / "x.qrels").write_text("[1] 0 007 1\n")
    assert detect(tmp_path / "x.trec").format == "trec-run"
    assert read_run(tmp_path / "x.trec").docs.to_pylist() == ["007", "a,b"]
    assert read_truth(tmp_path / "x.qrels").query_ids.to_pylist() == ["[1]"]


def test_a_long_id_is_cut_in_every_message_and_white_space_around_one_is_seen():
    rows = [("q" * 200_000, "d1"), (f" {'q' * 200_000}", "d1"), ("q ", "d1")]
    run = run_of("qid,doc,score\n" + "".join(f"{query},{doc},0.5\n" for query, doc in rows))
    texts = [str(problem) for problem in run.problems]
    assert len(texts) >= 3 and max(map(len, texts)) < 2_000
    assert any("'q '" in text for text in texts) and any("' qqq" in text for text in texts)
