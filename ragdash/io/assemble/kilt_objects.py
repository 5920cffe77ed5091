"""KILT's objects: under `output` answers, each with its provenance, the pages that support it."""

from __future__ import annotations

from ragdash.io.json.typed_fields import Cell

PAGE_ID = "wikipedia_id"


def is_kilt(fields: dict) -> bool:
    """True for an object with a list of outputs that name pages."""
    found = fields.get("output")
    return type(found) is list and bool(found) and all(type(part) is dict for part in found) \
        and any("provenance" in part for part in found)


def as_run_object(fields: dict, cell: Cell) -> dict:
    """The object as one of ours: the answer, and the pages in their order as what was retrieved."""
    found = fields["output"]
    if len(found) > 1:
        return cell.note("truth-as-run/kilt", {"outputs": len(found)}) or {}
    result = {name: value for name, value in fields.items() if name != "output"}
    if "answer" in found[0]:
        result["answer"] = found[0]["answer"]
    return {**result, "retrieved": _page_ids(found[0], cell)}


def as_truth_object(fields: dict, cell: Cell) -> dict:
    """The object as one of ours: the answers that are right, and the pages of all of them as relevant."""
    found = fields["output"]
    pages = [_page_ids(part, cell) for part in found]
    sets = {frozenset(map(str, part)) for part in pages if part}
    if len(sets) > 1:
        cell.note("several-provenances", {"answers": len(sets)}, severity="warning")
    result = {name: value for name, value in fields.items() if name != "output"}
    answers = [part["answer"] for part in found if part.get("answer") is not None]
    once = {str(page): page for part in pages for page in part}
    return {**result, "relevant": list(once.values()), **({"answers": answers} if answers else {})}


def _page_ids(part: dict, cell: Cell) -> list:
    """The ids of the pages of one output; what else is said of them is noted once."""
    provenance = part.get("provenance")
    if provenance is None:
        return []
    if type(provenance) is not list or not all(type(page) is dict and PAGE_ID in page for page in provenance):
        cell.member("provenance").note_wrong_type(provenance, f"a list of objects with {PAGE_ID}")
        return []
    return [page[PAGE_ID] for page in provenance]
