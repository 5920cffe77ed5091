"""The documents of a query: a list, parallel lists, or contexts with ids."""

from __future__ import annotations

from ragdash.io.field_names import DOCUMENT_ALIASES, PARALLEL_FIELDS, find_field, normalize_name
from ragdash.io.json.typed_fields import TEXT_FIELDS, Cell, is_missing

_DOCUMENT_FIELDS = {normalize_name(alias) for name in ("doc_id", *PARALLEL_FIELDS) for alias in DOCUMENT_ALIASES[name]}


def split_documents(fields: dict, schema: dict[str, str], cell: Cell) -> tuple[dict, dict[str, str], object]:
    """(fields, schema, retrieved documents) of a query.

    Columns of scores, ranks, texts and sources as long as the list of ids are joined with it; where there is no such
    list, they are attributes. Contexts that are objects with ids are what was retrieved, and their texts the contexts.
    """
    retrieved = fields.get(schema["retrieved"]) if "retrieved" in schema else None
    contexts = _without_wrappers(fields.get(schema["contexts"])) if "contexts" in schema else None
    if _are_documents(contexts) and is_missing(retrieved):
        retrieved = [
            {name: value for name, value in item.items() if normalize_name(name) in _DOCUMENT_FIELDS}
            for item in contexts
        ]
        texts = [next((item[name] for name in TEXT_FIELDS if name in item), None) for item in contexts]
        fields = {**fields, schema["contexts"]: [text for text in texts if text is not None]}
        cell.field = schema["contexts"]
    if not schema.keys().isdisjoint(PARALLEL_FIELDS):
        fields = _wrap_single_values(fields, schema) if type(retrieved) is list and len(retrieved) == 1 else fields
        parallel = [name for name in PARALLEL_FIELDS if type(fields.get(schema.get(name))) is list]
        schema = {name: field for name, field in schema.items() if name not in PARALLEL_FIELDS or name in parallel}
        if parallel and type(retrieved) is list:
            retrieved = _merge_lists(retrieved, {name: fields[schema[name]] for name in parallel}, schema, cell)
        elif parallel:
            schema = {name: field for name, field in schema.items() if name not in parallel}
    return fields, schema, retrieved


def _without_wrappers(value):
    """Documents as LangChain writes its objects, {"lc": 1, "type": "constructor", "id": [...], "kwargs": {...}}."""
    if type(value) is not list or not all(type(item) is dict and "lc" in item and type(item.get("kwargs")) is dict
                                          for item in value):
        return value
    return [item["kwargs"] for item in value]


def _wrap_single_values(fields: dict, schema: dict[str, str]) -> dict:
    """The fields with single values as lists of one, next to a list of one id."""
    parallel = {schema[name] for name in PARALLEL_FIELDS if not is_missing(fields.get(schema.get(name)))}
    return {name: [value] if name in parallel and type(value) is not list else value for name, value in fields.items()}


def _are_documents(value) -> bool:
    return type(value) is list and bool(value) and all(
        type(item) is dict and find_field(item, "doc_id", DOCUMENT_ALIASES) for item in value)


def _merge_lists(ids: list, parallel: dict[str, list], schema: dict[str, str], cell: Cell) -> list:
    """Objects made of the ids and their parallel lists."""
    for name, values in parallel.items():
        if len(values) != len(ids):
            cell.member(name).note(
                "unequal-lists",
                {"count": len(values), "name": schema[name], "other_count": len(ids), "other": cell.field},
            )
            return ids
    if any(type(item) is dict for item in ids):
        return ids
    return [{"doc_id": doc, **{name: values[i] for name, values in parallel.items()}} for i, doc in enumerate(ids)]
