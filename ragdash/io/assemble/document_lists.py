"""The documents of a query: a list of them, lists beside each other, or contexts that bear ids."""

from __future__ import annotations

from ragdash.io.field_names import DOCUMENT_ALIASES, PARALLEL_FIELDS, find_field, normalize_name
from ragdash.io.json.typed_fields import TEXT_FIELDS, Cell, is_missing

_DOCUMENT_FIELDS = {normalize_name(other) for name in ("doc_id", *PARALLEL_FIELDS) for other in DOCUMENT_ALIASES[name]}


def split_documents(fields: dict, known: dict[str, str], cell: Cell) -> tuple[dict, dict[str, str], object]:
    """(fields, known, what was retrieved) of a query.

    Columns of scores, ranks, texts and sources as long as the list of ids are joined with it; where there is no such
    list, they are attributes. Contexts that are objects with ids are what was retrieved, and their texts the contexts.
    """
    retrieved = fields.get(known["retrieved"]) if "retrieved" in known else None
    contexts = fields.get(known["contexts"]) if "contexts" in known else None
    if _are_documents(contexts) and is_missing(retrieved):
        retrieved = [
            {name: value for name, value in item.items() if normalize_name(name) in _DOCUMENT_FIELDS}
            for item in contexts
        ]
        texts = [next((item[name] for name in TEXT_FIELDS if name in item), None) for item in contexts]
        fields = {**fields, known["contexts"]: [text for text in texts if text is not None]}
        cell.field = known["contexts"]
    if not known.keys().isdisjoint(PARALLEL_FIELDS):
        fields = _wrap_single_values(fields, known) if type(retrieved) is list and len(retrieved) == 1 else fields
        beside = [name for name in PARALLEL_FIELDS if type(fields.get(known.get(name))) is list]
        known = {name: field for name, field in known.items() if name not in PARALLEL_FIELDS or name in beside}
        if beside and type(retrieved) is list:
            retrieved = _merge_lists(retrieved, {name: fields[known[name]] for name in beside}, known, cell)
        elif beside:
            known = {name: field for name, field in known.items() if name not in beside}
    return fields, known, retrieved


def _wrap_single_values(fields: dict, known: dict[str, str]) -> dict:
    """The fields with a list of one for each value beside a list of one id."""
    beside = {known[name] for name in PARALLEL_FIELDS if not is_missing(fields.get(known.get(name)))}
    return {name: [value] if name in beside and type(value) is not list else value for name, value in fields.items()}


def _are_documents(value) -> bool:
    return type(value) is list and bool(value) and all(
        type(item) is dict and find_field(item, "doc_id", DOCUMENT_ALIASES) for item in value)


def _merge_lists(ids: list, beside: dict[str, list], known: dict[str, str], cell: Cell) -> list:
    """Objects of the ids and of what stands beside them."""
    for name, values in beside.items():
        if len(values) != len(ids):
            cell.member(name).note("unequal-lists", {"count": len(values), "name": known[name], "other_count": len(ids),
                               "other": cell.field})
            return ids
    if any(type(item) is dict for item in ids):
        return ids
    return [{"doc_id": doc, **{name: values[i] for name, values in beside.items()}} for i, doc in enumerate(ids)]
