"""Results and logs: Inspect, DeepEval, OpenAI evals, TruLens' events, Elasticsearch's rank_eval, RankLLM."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ragdash.io.chat_messages import USER_ROLES, last_message, message_text
from ragdash.io.field_names import ALIASES, QUERY_ALIASES, find_fields
from ragdash.io.formats.text.score_rows import MEANS
from ragdash.io.formats.text.score_rows import NAMES as ROW_NAMES
from ragdash.io.formats.tools.conversion import (
    MEAN_ROW,
    Keys,
    ToolFile,
    as_id,
    member,
    objects,
    present,
    register,
)
from ragdash.io.json.head import LIST

_TRULENS = "ai.observability."
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # of Inspect: correct, partly, incorrect, no answer
_GOLD = ("relevant", "evidence", "retrieved", "contexts")  # fields that the metadata of a sample may have
_RETURNED = ("doc_id", "retrieved", "contexts", "answer")
_DOCUMENT_TEXTS = ("segment", "text", "contents", "content", "body", "passage")


def _is_inspect(keys: Keys) -> bool:
    return {"version", "status", "eval"} <= set(keys.get((), ())) and {"task", "dataset"} <= set(
        keys.get(("eval",), ()))


def _inspect_samples(values: list) -> Iterator[dict]:
    """A query for each sample, with the scores that its scorers gave; epochs are configurations."""
    samples = objects(member(values, 0, "samples"))
    has_epochs = len({str(sample.get("epoch")) for sample in samples}) > 1
    for sample in samples:
        metadata = sample.get("metadata") if type(sample.get("metadata")) is dict else {}
        schema = find_fields(metadata, _GOLD, QUERY_ALIASES)
        target = sample.get("target")
        yield present(
            query_id=as_id(sample.get("id")), query=_question(sample.get("input")), answer=_inspect_answer(sample),
            answers=[target] if type(target) is str else target,
            config=f"epoch {sample.get('epoch')}" if has_epochs else None,
            **{name: metadata[field] for name, field in schema.items()},
            metrics=_scores({name: _GRADES.get(value, value) for name, score in _members(sample.get("scores"))
                             if type(value := member(score, "value")) in (str, int, float, bool)}) or None)


def _inspect_answer(sample: Mapping):
    output = sample.get("output")
    message = member(output, "choices", 0, "message")
    return message_text(message) if message is not None else member(output, "completion")


def _question(value):
    """The question in a text or in messages."""
    return last_message(value, USER_ROLES) if type(value) is list else value


def _members(value) -> list[tuple]:
    return list(value.items()) if type(value) is dict else []


def _scores(values: Mapping) -> dict:
    """The scores and labels among these values."""
    return {name: value for name, value in values.items() if type(value) not in (dict, list) and value is not None}


def _is_deepeval(keys: Keys) -> bool:
    return any({"metricsData", "input"} <= set(map(_in_camel_case, keys.get(path, ()))) for path in (
        ("testCases", LIST), ("testRunData", "testCases", LIST), ("test_results", LIST)))


def _in_camel_case(name: str) -> str:
    """The name as DeepEval's own files have it: metrics_data, of its results in Python, becomes metricsData."""
    return re.sub("_([a-z])", lambda letter: letter[1].upper(), name)


def _deepeval_cases(values: list) -> Iterator[dict]:
    """A query for each test case, with the scores of its metrics."""
    run = values[0] if values else None
    for given in objects(member(member(run, "testRunData") or run, "testCases") or member(run, "test_results")):
        case = {_in_camel_case(name): value for name, value in given.items()}
        seconds = case.get("runDuration")
        contexts = case.get("retrievalContext") or next(
            (span["retrievalContext"] for span in objects(member(case, "trace", "retrieverSpans"))
             if type(span.get("retrievalContext")) is list), None)
        expected = case.get("expectedOutput")
        yield present(
            query=case.get("input"), answer=case.get("actualOutput"), contexts=contexts, evidence=case.get("context"),
            answers=None if expected is None else [expected],
            latency_ms=float(seconds) * 1000 if isinstance(seconds, (int, float)) and seconds else None,
            metrics=_scores({str(data.get("name")): data.get("score") for data in objects(case.get("metricsData"))}))


def _is_openai_evals(keys: Keys) -> bool:
    return "spec" in keys.get((), ()) and {"eval_name", "run_id"} <= set(keys.get(("spec",), ()))


def _openai_samples(values: list) -> Iterator[dict]:
    """A query for each sample: the prompt, the answer, and what was expected, from its events."""
    samples: dict[str, dict] = {}
    for event in objects(values):
        data = event.get("data")
        if type(data) is not dict or event.get("sample_id") is None:
            continue
        sample = samples.setdefault(str(event["sample_id"]), {"query_id": as_id(event["sample_id"])})
        if event.get("type") == "sampling":
            sampled = data.get("sampled")
            sample |= present(query=_question(data.get("prompt")),
                              answer=sampled[-1] if type(sampled) is list and sampled else sampled)
        elif event.get("type") in ("match", "metrics"):
            expected = data.get("expected")
            sample |= present(answers=[expected] if type(expected) is str else expected)
            sample["metrics"] = {**sample.get("metrics", {}), **_scores({
                name: value for name, value in data.items()
                if name not in ("expected", "picked", "sampled", "options", "prompt")})}
    yield from samples.values()


def _is_trulens(keys: Keys) -> bool:
    return any(name.startswith(_TRULENS) for name in keys.get(("record_attributes",), ()))


def _trulens_records(values: list) -> Iterator[dict]:
    """A query for each record: question and answer of its root, the contexts of its retriever."""
    records: dict[str, dict] = {}
    for event in objects(values):
        attributes = event.get("record_attributes")
        record = member(attributes, f"{_TRULENS}record_id")
        if record is None:
            continue
        fields = records.setdefault(str(record), present(config=member(attributes, f"{_TRULENS}app_version")))
        contexts = member(attributes, f"{_TRULENS}retrieval.retrieved_contexts")
        details = present(query=member(attributes, f"{_TRULENS}record_root.input"),
                          answer=member(attributes, f"{_TRULENS}record_root.output"),
                          contexts=contexts if type(contexts) is list else None)
        for name, value in details.items():
            fields.setdefault(name, value)
        metric, score = (member(attributes, f"{_TRULENS}eval_root.{name}") for name in ("metric_name", "score"))
        if metric is not None:
            fields["metrics"] = {**fields.get("metrics", {}), **_scores({str(metric): score})}
    yield from (fields for fields in records.values() if "query" in fields)


def _is_rank_eval(keys: Keys) -> bool:
    return {"metric_score", "details"} <= set(keys.get((), ()))


def _rank_eval_queries(values: list) -> Iterator[dict]:
    """The hits of each query, and the ratings of those that are rated."""
    for query_id, detail in _members(member(values, 0, "details")):
        hits = [(hit.get("hit"), hit.get("rating")) for hit in objects(member(detail, "hits"))]
        rated = {str(member(hit, "_id")): rating for hit, rating in hits if rating is not None}
        yield present(
            query_id=query_id,
            retrieved=[present(doc_id=member(hit, "_id"), score=member(hit, "_score")) for hit, _ in hits],
            relevant=rated, metrics=_scores({"metric_score": member(detail, "metric_score")}))


def _is_rank_llm(keys: Keys) -> bool:
    return any({"query", "candidates"} <= set(keys.get(path, ())) and "qid" in keys.get((*path, "query"), ())
               for path in ((), (LIST,)))


def _rank_llm_queries(values: list) -> Iterator[dict]:
    """The candidates of each query, in their order."""
    items = values[0] if len(values) == 1 and type(values[0]) is list else values
    for item in objects(items):
        candidates = [present(doc_id=as_id(candidate.get("docid")), score=candidate.get("score"), text=next(
            (text for name in _DOCUMENT_TEXTS if type(text := member(candidate, "doc", name)) is str), None))
            for candidate in objects(item.get("candidates"))]
        query = item.get("query")
        yield present(query_id=as_id(member(query, "qid")), query=member(query, "text"), retrieved=candidates)


_SENTENCES = ("answer", "responses")  # of TREC RAG, and of RAGTIME


def _is_trec_rag(keys: Keys) -> bool:
    top = set(keys.get((), ()))
    has_topic = "topic_id" in top or {"narrative_id", "topic_id"} & set(keys.get(("metadata",), ()))
    return has_topic and "references" in top and any(
        "citations" in keys.get((name, LIST), ()) for name in _SENTENCES)


def _trec_rag_answers(values: list) -> Iterator[dict]:
    """The cited documents of each topic, and its sentences joined to an answer."""
    for item in objects(values):
        sentences = [str(sentence.get("text")) for sentence in objects(
            next((item[name] for name in _SENTENCES if name in item), None)) if sentence.get("text")]
        cited = item.get("references")
        known = item if "topic_id" in item else {**item, **next(iter(objects([item.get("metadata")])), {})}
        topic_id, topic = (next((known[name] for name in names if known.get(name) is not None), None) for names in (
            ("topic_id", "narrative_id"), ("topic", "narrative", "title")))
        yield present(query_id=as_id(topic_id), query=topic, config=known.get("run_id"),
                      retrieved=list(map(as_id, cited)) if type(cited) is list else None, answer=" ".join(sentences))


def _is_llamaindex_results(keys: Keys) -> bool:
    fields = {"query", "contexts", "response", "passing"}
    return "query" not in keys.get((), ()) and any(
        fields <= set(names) for path, names in keys.items() if len(path) == 2 and path[1] == LIST)


def _llamaindex_results(values: list) -> Iterator[dict]:
    """A query for each response; each evaluator, a key of the file, gives it a score."""
    queries: dict[tuple, dict] = {}
    for evaluator, results in _members(values[0] if values else None):
        for result in objects(results):
            key = str(result.get("query")), str(result.get("response"))
            fields = queries.setdefault(key, present(
                query=result.get("query"), answer=result.get("response"), contexts=result.get("contexts")))
            fields["metrics"] = {**fields.get("metrics", {}), **_scores({evaluator: result.get("score")})}
    yield from queries.values()


def _is_score_rows(keys: Keys) -> bool:
    """Rows of a query, a metric and a value, and nothing that was returned."""
    rows = [names for path, names in keys.items() if path in ((), (LIST,)) and names]
    known = [find_fields(names, ROW_NAMES, ROW_NAMES) for names in rows]
    return len(rows) == 1 and {"metric", "value"} <= known[0].keys() and bool({"query", "query_id"} & known[0].keys()) \
        and not find_fields(rows[0], _RETURNED, {**ALIASES, **QUERY_ALIASES}) and not any(
            path and path[-1] in known[0].values() for path in keys)


def _score_rows(values: list) -> Iterator[dict]:
    """A query of each run with the values of all its metrics; a second value of a metric is a query of its own."""
    queries: dict[tuple, list[dict]] = {}
    for row in objects(values[0] if len(values) == 1 and type(values[0]) is list else values):
        schema = find_fields(row, ROW_NAMES, ROW_NAMES)
        query, name, config = (row.get(schema.get(field)) for field in ("query_id", "metric", "config"))
        text = row.get(schema.get("query"))
        if str(query if query is not None else text).casefold() in MEANS:
            yield MEAN_ROW
            continue
        same = queries.setdefault((str(query), str(text), str(config)), [])
        fields = next((fields for fields in same if str(name) not in fields["metrics"]), None)
        if fields is None:
            fields = {**present(query_id=as_id(query), query=text, config=config), "metrics": {}}
            same.append(fields)
        fields["metrics"][str(name)] = row.get(schema.get("value"))
    yield from (fields for same in queries.values() for fields in same)


register("tool-log", "Log of a tool", 20, (
    ToolFile("a log of Inspect", "both", _is_inspect, _inspect_samples),
    ToolFile("a test run of DeepEval", "both", _is_deepeval, _deepeval_cases),
    ToolFile("a log of OpenAI evals", "both", _is_openai_evals, _openai_samples),
    ToolFile("events of TruLens", "run", _is_trulens, _trulens_records),
    ToolFile("results of Elasticsearch's rank_eval", "both", _is_rank_eval, _rank_eval_queries),
    ToolFile("candidates of RankLLM", "run", _is_rank_llm, _rank_llm_queries),
    ToolFile("answers of TREC RAG", "run", _is_trec_rag, _trec_rag_answers),
    ToolFile("results of LlamaIndex's BatchEvalRunner", "run", _is_llamaindex_results, _llamaindex_results),
    ToolFile("values of metrics, one an object", "run", _is_score_rows, _score_rows),
))
