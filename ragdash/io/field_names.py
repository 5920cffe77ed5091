"""How the columns and fields of files are called: our names, and the other names that people give them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from ragdash.io.chat_messages import MODEL_ROLES, USER_ROLES, last_message

ALIASES: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "question_id", "q_id"),
    "doc_id": ("doc_id", "doc", "document_id", "corpus_id", "docno", "passage_id", "chunk_id", "pid", "document"),
    "score": ("score", "similarity", "sim", "retrieval_score", "document_score"),
    "rank": ("rank", "position", "document_position"),
    "grade": ("grade", "relevance", "rel", "label", "judgment", "judgement"),
    "text": ("text", "passage", "chunk", "content", "page_content", "document_content"),
    "source": ("source", "url"),
    "config": ("config", "method", "system", "run", "model", "app_id", "provider.id"),
    "query": ("query", "question", "user_input", "input", "user_query", "query_text", "question_text", 
              "inputs.question",
              "inputs.query", "inputs.input", "inputs.messages", "input.messages",
              "input.question", "input.query", "input.input", "vars.question",
              "vars.query", "vars.input", "attributes.input.value"),
}
# A query in one object or row: what was returned for it, and what is right.
QUERY_ALIASES: Mapping[str, tuple[str, ...]] = {
    "query_id": (*ALIASES["query_id"], "example_id", "task_id", "id", "_id"),
    "query": ALIASES["query"],
    "config": ALIASES["config"],
    "retrieved": ("retrieved", "retrieved_ids", "retrieved_doc_ids", "retrieved_document_ids", "retrieved_context_ids",
                  "retrieved_chunk_ids", "retrieved_docs", "retrieved_documents", "doc_ids", "document_ids",
                  "retrieved_urls", "outputs.retrieved_ids", "outputs.doc_ids", "attributes.retrieval.documents"),
    "contexts": ("contexts", "retrieved_contexts", "retrieval_context", "retrieved_context", "retrieved_chunks",
                 "retrieved_passages", "outputs.contexts", "outputs.documents", "context"),
    "answer": ("answer", "response", "actual_output", "output", "generated_answer", "agent_answer", "model_answer",
               "predicted_answer", "prediction", "predictions", "extracted_answer", "outputs.answer", "outputs.output",
               "outputs.messages",               "outputs.response", "response.output", "attributes.output.value"),
    "relevant": ("relevant", "relevant_ids", "relevant_docs", "relevant_doc_ids", "relevant_documents", "expected_ids",
                 "expected_doc_ids", "expected_urls", "gold_ids", "gold_doc_ids", "gold_urls", "reference_context_ids",
                 "reference_node_id", "retrieval_gt"),
    "answers": ("answers", "references", "reference", "reference_answers", "reference_answer", "ground_truths",
                "ground_truth", "ground_truth_answer", "expected_output", "expected_answer", "expected_response",
                "gt_answer", "gold_answer", "gold_answers", "generation_gt", "targets", "reference.answer",
                "reference.output", "reference.response", "reference_outputs.answer", "reference_outputs.messages",
                "reference.messages", "vars.expected",
                "réponse attendue"),
    "evidence": ("evidence", "reference_contexts", "gold_context", "gold_contexts", "gold_evidence",
                 "ground_truth_contexts", "expected_contexts", "expected_chunks", "expected_texts"),
    "latency_ms": ("latency_ms",),
    "usage": ("usage",),
    "prompt_tokens": ("prompt_tokens", "response.token_usage.prompt"),
    "completion_tokens": ("completion_tokens", "response.token_usage.completion"),
    "cost_usd": ("cost_usd",),
    "settings": ("settings",),
    "attributes": ("attributes",),
    # lists as long as `retrieved`
    "score": ("score", "scores", "retrieved_scores", "relevance_scores"),
    "rank": ("rank", "ranks"),
    "text": ("text", "texts", "retrieved_texts"),
    "source": ("source", "sources", "retrieved_sources"),
}
DETAIL_FIELDS = ("query", "answer", "latency_ms", "usage", "prompt_tokens", "completion_tokens", "cost_usd", "settings",
           "attributes")  # what a row of a document may tell of its query
ROW_FIELDS = ("query_id", "query", "config", "doc_id", "score", "rank", "text", "source", "grade")
# A returned document in a list.
DOCUMENT_ALIASES: Mapping[str, tuple[str, ...]] = {
    **{name: ALIASES[name] for name in ("score", "rank", "text", "source", "grade")},
    "doc_id": (*ALIASES["doc_id"], "id", "_id", "node_id"),
}
FIELDS = tuple(dict.fromkeys((*ROW_FIELDS, *QUERY_ALIASES, "attribute")))  # what a column can be mapped to
PARALLEL_FIELDS = ("score", "rank", "text", "source")  # of a list of ids: one value for each
RUN_MARKERS = ("retrieved", "answer", "contexts")  # one of them makes an object a part of a run
TRUTH_MARKERS = ("relevant", "evidence", "answers")
_DEEPEVAL = {"actualoutput", "expectedoutput", "retrievalcontext"}  # beside them, `context` is what is right
FLATTENED = ("input", "inputs", "vars", "outputs", "reference", "reference_outputs", "provider")  # their members count
MISSING_TEXTS = ("", "NaN", "nan", "None", "null")  # text that stands for "nothing" in optional columns of tables
_CORPUS_ALIASES = {"doc_id": DOCUMENT_ALIASES["doc_id"], "text": (*ALIASES["text"], "contents", "body", "abstract"),
              "title": ("title", "headline", "document_title")}


@lru_cache(1 << 14)
def normalize_name(name: str) -> str:
    """A name without case, blanks, hyphens and underscores: "Query-ID" -> "queryid"."""
    return re.sub(r"[\W_]+", "", name.lower())


def find_field(fields: Iterable[str], wanted: str, names: Mapping[str, tuple[str, ...]] = ALIASES) -> str | None:
    """The field that holds `wanted`; our own name first, then its other names in their order."""
    return find_fields(fields, (wanted,), names).get(wanted)


def find_fields(fields: Iterable[str], wanted: Iterable[str],
             names: Mapping[str, tuple[str, ...]] = ALIASES) -> dict[str, str]:
    """{our name: the field that holds it} for those that are there."""
    present: dict[str, str] = {}
    for given in fields:
        present.setdefault(normalize_name(given), given)
    found = {}
    for name in wanted:
        field = next((present[other] for other in map(normalize_name, names[name]) if other in present), None)
        if field is not None:
            found[name] = field
    return found


def corpus_fields(fields: Iterable[str], mapping: Mapping[str, str] | None = None) -> dict[str, str]:
    """{doc_id, text, title: the field that holds it} of a document of a corpus, of those that are there."""
    fields = list(fields)
    return {**find_fields(fields, _CORPUS_ALIASES, _CORPUS_ALIASES),
            **{name: field for name, field in (mapping or {}).items() if name in _CORPUS_ALIASES and field in fields}}


def is_corpus_document(fields: Iterable[str]) -> bool:
    """True for the fields of a document that is no part of a ranking and of no judgement, and of no question either."""
    fields = list(fields)
    known = corpus_fields(fields)
    sure = "title" in known or find_field(fields, "doc_id") is not None
    other = ("query_id", "query", "score", "rank", "grade", *RUN_MARKERS, *TRUTH_MARKERS)
    return sure and len(known) > 1 and "doc_id" in known and not find_fields(
        [field for field in fields if field not in known.values()], other, {**QUERY_ALIASES, **ALIASES})


def is_document_row(known: Mapping[str, str]) -> bool:
    """True for the names of one returned document or judgement, not of a whole query; known: by all our names."""
    if {"retrieved", "contexts", "relevant", "evidence"} & known.keys():
        return False
    if "doc_id" in known:
        alone = not {"query", "answer", "answers"} & known.keys()
        return alone or bool({"score", "rank", "grade", "text"} & known.keys())
    return {"rank", "score"} <= known.keys() and "answer" not in known


def resolve_fields(fields: Iterable[str], mapping: Mapping[str, str] | None = None) -> dict[str, str]:
    """{our name: the field that holds it} of an object or row: of a document, or of a query with all its documents.

    mapping, {our name: field}, comes first; the field it gives to `attribute` has no other meaning.
    """
    fields, mapping = list(fields), mapping or {}
    given = {name: field for name, field in mapping.items() if field in fields}
    free = [field for field in fields if field not in given.values()]
    given.pop("attribute", None)
    query = {**_resolve_query_fields(free), **given}
    row = {**find_fields(free, ROW_FIELDS), **given}
    if is_document_row({**row, **{name: query[name] for name in (*RUN_MARKERS, *TRUTH_MARKERS) if name in query}}):
        return row
    return query


def _resolve_query_fields(fields: list[str]) -> dict[str, str]:
    known = find_fields(fields, QUERY_ALIASES, QUERY_ALIASES)
    context = known.get("contexts")
    if context is not None and _DEEPEVAL & set(map(normalize_name, fields)):
        if normalize_name(context) == "context":
            del known["contexts"]
        context = find_field(fields, "context", {"context": ("context",)})
        if context is not None:
            known.setdefault("evidence", context)
    if "retrieved" not in known:
        known = {name: field for name, field in known.items() if name not in PARALLEL_FIELDS}
    return known


class FieldResolver:
    """`resolve`, remembered for objects with the same fields; or the names that all rows of a table share."""

    def __init__(self, mapping: Mapping[str, str], fixed: dict[str, str] | None = None):
        self.mapping, self.schema = mapping, fixed
        self._schemas: dict[tuple, dict[str, str]] = {}
        self.attribute_fields: dict[str, None] = {}  # fields without a meaning of objects that are not our own

    def resolve(self, fields: dict) -> dict[str, str]:
        """{our name: the field that holds it}."""
        if self.schema is not None:
            return self.schema
        keys = tuple(fields)
        if keys not in self._schemas:
            if len(self._schemas) > 10_000:
                self._schemas.clear()
            known = self._schemas[keys] = resolve_fields(keys, self.mapping)
            ours = all(name == field for name, field in known.items() if name in (*RUN_MARKERS, *TRUTH_MARKERS))
            if not ours and not is_document_row(known):
                taken = {*known.values(), self.mapping.get("attribute")}
                self.attribute_fields |= dict.fromkeys(key for key in keys if key not in taken)
        return self._schemas[keys]


def flatten_members(fields: dict, mapping: Mapping[str, str]) -> dict:
    """The object with the members of its parts as fields: {"inputs": {"question"}} -> "inputs.question".

    So are the parts that the mapping names: per_k.10.ids.
    """
    for path in mapping.values():
        if "." in path and path not in fields:
            value = fields
            for key in path.split("."):
                value = value.get(key) if type(value) is dict else None
            if value is not None:
                fields = {**fields, path: value}
    parts = (*FLATTENED, "response") if "vars" in fields else FLATTENED  # vars and response are promptfoo's
    parts = [name for name in parts if name in fields and type(fields[name]) is dict]
    if not parts:
        return fields
    flat = {name: value for name, value in fields.items() if name not in parts}
    for name in parts:
        flat |= {f"{name}.{key}": value for key, value in fields[name].items()}
    for name in [name for name in flat if name.endswith(".messages") and type(flat[name]) is list]:
        flat[name] = last_message(flat[name], USER_ROLES if name.startswith("input") else MODEL_ROLES)
    return flat


def describe_aliases(name: str) -> str:
    """A name with its other spellings, for messages: "doc_id (also doc, document_id ...)"."""
    others = [other for other in ALIASES[name] if other != name and "." not in other][:8]
    return f"{name} (also {', '.join(others)})" if others else name


def find_nested_list(fields: dict, wanted: str, deepest: int = 4) -> str | None:
    """The path to a list deep in an object that bears a name of `wanted`, the longest of several: "per_k.10.ids"."""
    known = {normalize_name(name) for name in QUERY_ALIASES[wanted]}
    found: list[tuple[int, str]] = []
    level = [(str(name), value) for name, value in fields.items()]
    for _ in range(deepest):
        found += [(-len(value), path) for path, value in level
                  if type(value) is list and "." in path and normalize_name(path.rpartition(".")[2]) in known]
        level = [(f"{path}.{name}", part) for path, value in level if type(value) is dict
                 for name, part in value.items()]
    return min(found)[1] if found else None


def find_question_list(fields: dict) -> str | None:
    """The field that holds a list of questions, such as those about one table."""
    return next((name for name, value in fields.items() if type(value) is list and value and all(
        type(part) is dict and find_field(part, "query") for part in value)), None)
