"""Names of columns and fields: our names and their aliases in files of other tools."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from ragdash.core.text.metric_names import is_metric_name, may_hold_scores
from ragdash.io.chat_messages import MODEL_ROLES, USER_ROLES, last_message

_STAGE_WORDS = {"retrieval": ("retrieval", "retrieve", "retriever", "search"),
                "rerank": ("rerank", "reranking", "reranker"), "generation": ("generation", "generate", "llm")}
_UNIT_WORDS = {"ms": ("ms", "millis"), "s": ("s", "sec", "seconds")}
STAGE_TIMES = {  # {our name: the stage of latency_ms it is, and how many milliseconds its unit has}
    f"{stage}_{unit}": (stage, 1000.0 if unit == "s" else 1.0) for stage in _STAGE_WORDS for unit in _UNIT_WORDS}
ALIASES: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "question_id", "q_id"),
    "doc_id": ("docno", "doc_id", "doc", "document_id", "corpus_id", "passage_id", "chunk_id", "pid", "document"),
    "score": ("score", "similarity", "sim", "retrieval_score", "document_score", "rerank_score",
              "reranker_score"),
    "rank": ("rank", "position", "document_position", "doc_position"),
    "grade": ("grade", "relevance", "rel", "final_rating", "final_grade", "final_label", "final_judgment", "label",
              "judgment", "judgement", "rating", "gain", "relevance_grade", "relevance_label"),
    "text": ("text", "passage", "chunk", "content", "page_content", "document_content",
             "document_preview", "text_preview"),
    "source": ("source", "url"),
    "config": ("config", "method", "system", "run", "model", "app_id", "provider.label", "provider.id"),
    "query": ("query", "question", "user_input", "input", "user_query", "query_text", "question_text",
              "inputs.question",
              "inputs.query", "inputs.input", "inputs.messages", "input.messages",
              "input.question", "input.query", "input.input", "vars.question",
              "vars.query", "vars.input", "attributes.input.value", "reference_question", "inputs"),
}


def _spent(unit: str) -> tuple[str, ...]:
    """Names for how long a query took from its start to its end: took_ms, execution_time_ms."""
    return tuple(f"{word}_{unit}" for word in (
        "took", "runtime", "run_time", "execution_time", "exec_time", "processing_time", "inference_time", "query_time",
        "wall", "wall_time", "wall_clock", "wall_clock_time", "end_to_end", "end_to_end_time", "e2e"))


# What people call the answer of their system in a table.
_ANSWERS_OF_SYSTEMS = (
    "bot_says", "bot_said", "bot_answer", "bot_response", "bot_reply", "bot_output", "chatbot_answer",
    "chatbot_response", "chatbot_reply", "assistant_says", "assistant_answer", "assistant_response", "assistant_reply",
    "ai_answer", "ai_response", "system_response", "system_output", "rag_response", "rag_output", "agent_response",
    "agent_reply", "agent_output", "model_output", "model_response", "llm_response", "llm_output", "candidate_answer",
    "candidate_response")
# A query in one object or row: what was returned for it, and what is right.
QUERY_ALIASES: Mapping[str, tuple[str, ...]] = {
    "query_id": (*ALIASES["query_id"], "example_id", "task_id", "id", "_id"),
    "query": ALIASES["query"],
    "chat_history": ("chat_history", "conversation_history", "message_history", "dialog_history",
                     "dialogue_history", "previous_messages", "earlier_messages", "previous_turns",
                     "inputs.chat_history", "vars.chat_history"),
    "config": ALIASES["config"],
    "retrieved": ("retrieved", "retrieved_ids", "retrieved_doc_ids", "retrieved_document_ids", "retrieved_context_ids",
                  "retrieved_chunk_ids", "retrieved_docs", "retrieved_documents", "doc_ids", "document_ids",
                  "retrieved_urls", "outputs.retrieved_ids", "outputs.doc_ids", "attributes.retrieval.documents"),
    "contexts": ("contexts", "retrieved_contexts", "retrieval_context", "retrieved_context", "retrieved_chunks",
                 "retrieved_passages", "outputs.contexts", "outputs.documents", "llm_context", "vars.context",
                 "vars.contexts", "context"),
    "answer": ("answer", "response", "actual_output", "output", "generated_answer", "agent_answer", "model_answer",
               "predicted_answer", "predicted_answers", "pred_answer", "llm_answer", "prediction", "predictions",
               "extracted_answer", "outputs.answer", "outputs.output",
               "outputs.messages", "outputs.response", "response.output", "attributes.output.value",
               *_ANSWERS_OF_SYSTEMS),
    "relevant": ("relevant", "relevant_ids", "relevant_docs", "relevant_doc_ids", "relevant_documents", "expected_ids",
                 "expected_doc_ids", "expected_urls", "gold_ids", "gold_doc_ids", "gold_urls", "reference_context_ids",
                 "reference_node_id", "retrieval_gt", "qrels"),
    "answers": ("answers", "references", "reference", "reference_answers", "reference_answer", "ground_truths",
                "ground_truth", "ground_truth_answer", "expected_output", "expected_answer", "expected_response",
                "golden_answers", "golden_answer", "true_answer", "true_answers", "ideal", "example_answer",
                "gt_answer", "gold_answer", "gold_answers", "generation_gt", "targets", "reference.answer",
                "reference.output", "reference.response", "reference_outputs.answer", "reference_outputs.messages",
                "reference.messages", "vars.expected",
                "réponse attendue"),
    "evidence": ("evidence", "reference_contexts", "gold_context", "gold_contexts", "gold_evidence",
                 "ground_truth_contexts", "expected_contexts", "expected_chunks", "expected_texts"),
    "allowed": ("allowed", "allowed_ids", "allowed_doc_ids"),
    "subtopics": ("subtopics",),
    "latency_ms": ("latency_ms", "latency_millis", "total_latency_ms", "response_time_ms", "elapsed_ms", "duration_ms",
                   "total_time_ms", "time_ms", "end_to_end_latency_ms", "e2e_latency_ms", *_spent("ms")),
    "latency_s": ("latency_s", "latency_sec", "latency_seconds", "total_latency_s", "response_time_s", "elapsed_s",
                  "elapsed_seconds", "elapsed_sec", "response_time_seconds", "response_time_sec", "duration_s",
                  "duration_seconds", "duration_sec", "time_seconds", "time_sec",
                  *_spent("s"), *_spent("sec"), *_spent("seconds")),
    **{f"{stage}_{unit}": tuple(form.format(word, written) for word in stage_words for written in units for form in (
        "{}_{}", "{}_time_{}", "{}_latency_{}", "latency_{}_{}", "{}_duration_{}"))
       for stage, stage_words in _STAGE_WORDS.items() for unit, units in _UNIT_WORDS.items()},
    "usage": ("usage",),
    "prompt_tokens": ("prompt_tokens", "input_tokens", "tokens_in", "n_prompt_tokens", "prompt_token_count",
                      "response.token_usage.prompt"),
    "completion_tokens": ("completion_tokens", "output_tokens", "tokens_out", "n_completion_tokens",
                          "completion_token_count", "response.token_usage.completion"),
    "cost_usd": ("cost_usd", "total_cost_usd", "cost_in_usd", "price_usd", "usd"),
    "metrics": ("metrics",),
    "settings": ("settings",),
    "attributes": ("attributes",),
    # lists as long as `retrieved`
    "score": ("score", "scores", "retrieved_scores", "relevance_scores"),
    "rank": ("rank", "ranks"),
    "text": ("text", "texts", "retrieved_texts"),
    "source": ("source", "sources", "retrieved_sources"),
}
USUAL_NAMES: Mapping[str, tuple[str, ...]] = {  # of the aliases those that a message names where a field is missing
    "answer": ("answer", "response", "output", "generated_answer", "prediction"),
    "answers": ("reference", "reference_answer", "ground_truth", "expected_answer"),
}
WHOLE_TIMES = frozenset(("latency_ms", "latency_s"))  # of a query, from its start to its end
MEASURED_FIELDS = ("latency_ms", "latency_s", *STAGE_TIMES, "usage", "prompt_tokens", "completion_tokens", "cost_usd",
                   "settings")  # of a run alone
DETAIL_FIELDS = ("query", "answer", "chat_history", *MEASURED_FIELDS,
                 "attributes")  # details of a query that a row of a document may have
ROW_FIELDS = ("query_id", "query", "config", "doc_id", "score", "rank", "text", "source", "grade")
# A returned document in a list.
DOCUMENT_ALIASES: Mapping[str, tuple[str, ...]] = {
    **{name: ALIASES[name] for name in ("score", "rank", "text", "source", "grade")},
    "doc_id": (*ALIASES["doc_id"], "id", "_id", "node_id"),
}
FIELDS = tuple(dict.fromkeys((*ROW_FIELDS, *QUERY_ALIASES, "attribute")))  # what a column can be mapped to
PARALLEL_FIELDS = ("score", "rank", "text", "source")  # of a list of ids: one value for each
RUN_MARKERS = ("retrieved", "answer", "contexts", "metrics")  # one of them makes an object a part of a run
TRUTH_MARKERS = ("relevant", "evidence", "answers")
_DEEPEVAL = {"actualoutput", "expectedoutput", "retrievalcontext"}  # next to these, `context` is ground truth
_PREDICTED = {name.replace("_", "") for name in (
    "predicted_answer", "predicted_answers", "generated_answer", "llm_answer", "model_answer", "agent_answer",
    "actual_output", "pred_answer", "system_answer", "rag_answer", "prediction", "predicted", *_ANSWERS_OF_SYSTEMS)}
FLATTENED = ("input", "inputs", "vars", "outputs", "reference", "reference_outputs", "provider")  # their members count
MISSING_TEXTS = ("", "NaN", "nan", "None", "null")  # texts that mean "no value" in optional columns of tables
_CORPUS_ALIASES = {"doc_id": DOCUMENT_ALIASES["doc_id"],
                   "text": (*ALIASES["text"], "contents", "body", "abstract", "chunk_text", "passage_text",
                            "document_text", "doc_text"),
                   "title": ("title", "headline", "document_title")}


@lru_cache(1 << 14)
def normalize_name(name: str) -> str:
    """A name without case, blanks, hyphens and underscores: "Query-ID" -> "queryid"."""
    return re.sub(r"[\W_]+", "", name.lower())


@lru_cache(1 << 10)
def _normalized(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(normalize_name, names))


def find_field(fields: Iterable[str], name: str, names: Mapping[str, tuple[str, ...]] = ALIASES) -> str | None:
    """The field for our `name`, found by name or alias; our own name comes first."""
    return find_fields(fields, (name,), names).get(name)


def find_fields(fields: Iterable[str], wanted_names: Iterable[str],
             names: Mapping[str, tuple[str, ...]] = ALIASES) -> dict[str, str]:
    """{our name: the field that holds it} of the fields that are present."""
    present: dict[str, str] = {}
    for field_name in fields:
        present.setdefault(normalize_name(field_name), field_name)
    schema = {}
    for name in wanted_names:
        field = next((present[alias] for alias in _normalized(names[name]) if alias in present), None)
        if field is not None:
            schema[name] = field
    return schema


PYSERINI_TEXT = "contents"  # what Pyserini and FlashRAG call the text of a document; no question is called that


def corpus_fields(fields: Iterable[str], mapping: Mapping[str, str] | None = None) -> dict[str, str]:
    """{doc_id, text, title: the field that holds it} of a corpus document, of the fields that are present."""
    fields = list(fields)
    parts = find_fields(fields, ("doc_id",), {"doc_id": ("chunk_id", "passage_id")})  # before the document they are in
    return {**find_fields(fields, _CORPUS_ALIASES, _CORPUS_ALIASES), **parts,
            **{name: field for name, field in (mapping or {}).items() if name in _CORPUS_ALIASES and field in fields}}


def role_of(names: Collection[str]) -> str:
    """run, truth, both or unknown, by our names of the fields that are present."""
    run, truth = any(name in names for name in RUN_MARKERS), any(name in names for name in TRUTH_MARKERS)
    return ("both" if truth else "run") if run else ("truth" if truth else "unknown")


def is_corpus_document(fields: Iterable[str]) -> bool:
    """True for the fields of a corpus document: not of a ranking, a judgment or a question."""
    fields = list(fields)
    schema = corpus_fields(fields)
    sure = "title" in schema or find_field(fields, "doc_id") is not None or schema.get("text") == PYSERINI_TEXT
    other_names = ("query_id", "query", "score", "rank", "grade", *RUN_MARKERS, *TRUTH_MARKERS)
    return sure and len(schema) > 1 and "doc_id" in schema and not find_fields(
        [field for field in fields if field not in schema.values()], other_names, {**QUERY_ALIASES, **ALIASES})


def is_document_row(schema: Mapping[str, str]) -> bool:
    """True for the schema of one returned document or judgment, False for that of a query."""
    if {"retrieved", "contexts", "relevant", "evidence"} & schema.keys():
        return False
    if "doc_id" in schema:
        no_query_fields = not {"query", "answer", "answers"} & schema.keys()
        return no_query_fields or bool({"score", "rank", "grade", "text"} & schema.keys())
    return {"rank", "score"} <= schema.keys() and "answer" not in schema


def resolve_fields(fields: Iterable[str], mapping: Mapping[str, str] | None = None) -> dict[str, str]:
    """{our name: the field that holds it} of an object or row: of a document, or of a query with all its documents.

    mapping, {our name: field}, comes first; the field it gives to `attribute` has no other meaning.
    """
    fields, mapping = list(fields), mapping or {}
    mapped = {name: field for name, field in mapping.items() if field in fields}
    free = [field for field in fields if field not in mapped.values()]
    mapped.pop("attribute", None)
    query = {**_resolve_query_fields(free), **mapped}
    row = {**find_fields(free, ROW_FIELDS), **mapped}
    if "doc_id" not in row and {"query_id", "query"} & query.keys() and role_of(query) == "unknown":
        scores = next((field for field in free if is_metric_name(field)), None)  # a file of scores and nothing else
        query |= {"metrics": scores} if scores is not None else {}
    if is_document_row({**row, **{name: query[name] for name in (*RUN_MARKERS, *TRUTH_MARKERS) if name in query}}):
        return row
    return query


def _resolve_query_fields(fields: list[str]) -> dict[str, str]:
    schema = find_fields(fields, QUERY_ALIASES, QUERY_ALIASES)
    _tell_gold_from_predicted(schema, fields)
    if schema.get("query", "").startswith("vars.") and schema.get("query_id") == "id":
        del schema["query_id"]  # promptfoo's id of a result, another one for each provider
    context = schema.get("contexts")
    if context is not None and _DEEPEVAL & set(map(normalize_name, fields)):
        if normalize_name(context) == "context":
            del schema["contexts"]
        context = find_field(fields, "context", {"context": ("context",)})
        if context is not None:
            schema.setdefault("evidence", context)
    if "retrieved" not in schema:
        schema = {name: field for name, field in schema.items() if name not in PARALLEL_FIELDS}
    return schema


def _tell_gold_from_predicted(schema: dict[str, str], fields: list[str]) -> None:
    """Next to a field such as `predicted_answer`, a plain `answer` is the reference."""
    plain = schema.get("answer")
    if plain is None or "answers" in schema or normalize_name(plain) not in ("answer", "output"):
        return
    predicted = next((field for field in fields if normalize_name(field) in _PREDICTED), None)
    if predicted is not None:
        schema["answer"], schema["answers"] = predicted, plain


class FieldResolver:
    """Cached `resolve_fields` for objects with the same fields; a table has one schema for all rows."""

    def __init__(self, mapping: Mapping[str, str], fixed: dict[str, str] | None = None):
        self.mapping, self.schema = mapping, fixed
        self._schemas: dict[tuple, dict[str, str]] = {}
        self.attribute_fields: dict[str, None] = {}  # fields without a meaning of objects that are not our own
        self.own_attributes: dict[str, None] = {}  # and of those that are

    def resolve(self, fields: dict) -> dict[str, str]:
        """{our name: the field that holds it}."""
        if self.schema is not None:
            return self.schema
        keys = tuple(fields)
        if keys not in self._schemas:
            if len(self._schemas) > 10_000:
                self._schemas.clear()
            schema = self._schemas[keys] = resolve_fields(keys, self.mapping)
            markers = [(name, field) for name, field in schema.items() if name in (*RUN_MARKERS, *TRUTH_MARKERS)]
            if not is_document_row(schema):
                resolved = {*schema.values(), self.mapping.get("attribute"), "attributes"}
                unknown = dict.fromkeys(key for key in keys if key not in resolved)
                if markers and all(name == field for name, field in markers):
                    self.own_attributes |= unknown
                else:  # of a query with nothing else those that may be scores
                    self.attribute_fields |= {key: None for key in unknown if markers or may_hold_scores(key)}
        return self._schemas[keys]


def flatten_members(fields: dict, mapping: Mapping[str, str]) -> dict:
    """The object with members of nested objects as fields: {"inputs": {"question"}} -> "inputs.question".

    So are the paths in the mapping: per_k.10.ids.
    """
    for path in mapping.values():
        if "." in path and path not in fields:
            value = fields
            for key in path.split("."):
                value = value.get(key) if type(value) is dict else None
            if value is not None:
                fields = {**fields, path: value}
    members = (*FLATTENED, "response") if "vars" in fields else FLATTENED  # vars and response are promptfoo's
    members = [name for name in members if name in fields and type(fields[name]) is dict]
    if "provider" in members and not fields["provider"].get("label"):
        fields = {**fields, "provider": {key: value for key, value in fields["provider"].items() if key != "label"}}
    if not members:
        return fields
    flat = {name: value for name, value in fields.items() if name not in members}
    for name in members:
        flat |= {f"{name}.{key}": value for key, value in fields[name].items()}
    for name in [name for name in flat if name.endswith(".messages") and type(flat[name]) is list]:
        flat[name] = last_message(flat[name], USER_ROLES if name.startswith("input") else MODEL_ROLES)
    return flat


def describe_aliases(name: str) -> str:
    """A name with its aliases, for messages: "doc_id (also doc, document_id ...)"."""
    aliases = [alias for alias in ALIASES[name] if alias != name and "." not in alias][:8]
    return f"{name} (also {', '.join(aliases)})" if aliases else name


def find_nested_list(fields: dict, name: str, deepest: int = 4) -> str | None:
    """The path to the longest nested list with an alias of `name`: "per_k.10.ids"."""
    aliases = {normalize_name(name) for name in QUERY_ALIASES[name]}
    paths: list[tuple[int, str]] = []
    level = [(str(name), value) for name, value in fields.items()]
    for _ in range(deepest):
        paths += [(-len(value), path) for path, value in level
                  if type(value) is list and "." in path and normalize_name(path.rpartition(".")[2]) in aliases]
        level = [(f"{path}.{name}", member) for path, value in level if type(value) is dict
                 for name, member in value.items()]
    return min(paths)[1] if paths else None


def find_question_list(fields: dict) -> str | None:
    """The field with a list of questions, such as those about one table."""
    return next((name for name, value in fields.items() if type(value) is list and value and all(
        type(item) is dict and find_field(item, "query") for item in value)), None)
