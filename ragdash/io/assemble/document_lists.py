"""The documents of a query: a list of them, lists beside each other, or contexts that bear ids."""

from __future__ import annotations

from ragdash.io.field_names import BESIDE, OF_DOCUMENT, find, plain
from ragdash.io.json.typed_fields import SPOKEN, Cell, is_missing

_KEPT = {plain(other) for name in ("doc_id", *BESIDE) for other in OF_DOCUMENT[name]}


def documents(fields: dict, known: dict[str, str], cell: Cell) -> tuple[dict, dict[str, str], object]:
    """(fields, known, what was retrieved) of a query.

    Columns of scores, ranks, texts and sources as long as the list of ids are joined with it; where there is no such
    list, they are attributes. Contexts that are objects with ids are what was retrieved, and their texts the contexts.
    """
    retrieved = fields.get(known["retrieved"]) if "retrieved" in known else None
    contexts = fields.get(known["contexts"]) if "contexts" in known else None
    if _are_documents(contexts) and is_missing(retrieved):
        retrieved = [{name: value for name, value in item.items() if plain(name) in _KEPT} for item in contexts]
        texts = [next((item[name] for name in SPOKEN if name in item), None) for item in contexts]
        fields = {**fields, known["contexts"]: [text for text in texts if text is not None]}
        cell.field = known["contexts"]
    if not known.keys().isdisjoint(BESIDE):
        fields = _single(fields, known) if type(retrieved) is list and len(retrieved) == 1 else fields
        beside = [name for name in BESIDE if type(fields.get(known.get(name))) is list]
        known = {name: field for name, field in known.items() if name not in BESIDE or name in beside}
        if beside and type(retrieved) is list:
            retrieved = _joined(retrieved, {name: fields[known[name]] for name in beside}, known, cell)
        elif beside:
            known = {name: field for name, field in known.items() if name not in beside}
    return fields, known, retrieved


def _single(fields: dict, known: dict[str, str]) -> dict:
    """The fields with a list of one for each value beside a list of one id."""
    beside = {known[name] for name in BESIDE if not is_missing(fields.get(known.get(name)))}
    return {name: [value] if name in beside and type(value) is not list else value for name, value in fields.items()}


def _are_documents(value) -> bool:
    return type(value) is list and bool(value) and all(
        type(item) is dict and find(item, "doc_id", OF_DOCUMENT) for item in value)


def _joined(ids: list, beside: dict[str, list], known: dict[str, str], cell: Cell) -> list:
    """Objects of the ids and of what stands beside them."""
    for name, values in beside.items():
        if len(values) != len(ids):
            cell.at(name).note("unequal-lists", {"count": len(values), "name": known[name], "other_count": len(ids),
                               "other": cell.field})
            return ids
    if any(type(item) is dict for item in ids):
        return ids
    return [{"doc_id": doc, **{name: values[i] for name, values in beside.items()}} for i, doc in enumerate(ids)]
