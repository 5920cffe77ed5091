"""KILT objects: `output` has answers, each with its provenance, the pages that support it."""

from __future__ import annotations

from ragdash.io.json.typed_fields import Cell

PAGE_ID = "wikipedia_id"
_PLACES = {"start_paragraph_id", "start_character", "bleu_score", "section"}  # in a page: only gold data has them


def is_kilt(fields: dict) -> bool:
    """True for an object with a list of outputs that name pages."""
    outputs = fields.get("output")
    return type(outputs) is list and bool(outputs) and all(type(output) is dict for output in outputs) \
        and any("provenance" in output for output in outputs)


def is_gold(fields: dict) -> bool:
    """True for gold data: several outputs, where a system gives one, or places in the pages."""
    outputs = fields["output"]
    pages = [page for output in outputs if type(output.get("provenance")) is list for page in output["provenance"]]
    return len(outputs) > 1 or any(type(page) is dict and not _PLACES.isdisjoint(page) for page in pages)


def as_run_object(fields: dict, cell: Cell) -> dict:
    """A native object with the answer, and the pages as retrieved documents."""
    outputs = fields["output"]
    if len(outputs) > 1:
        return cell.note("truth-as-run/kilt", {"outputs": len(outputs)}) or {}
    result = {name: value for name, value in fields.items() if name != "output"}
    if "answer" in outputs[0]:
        result["answer"] = outputs[0]["answer"]
    return {**result, "retrieved": _page_ids(outputs[0], cell)}


def as_truth_object(fields: dict, cell: Cell) -> dict:
    """A native object with the reference answers, and the pages of all of them as relevant documents."""
    outputs = fields["output"]
    pages = [_page_ids(output, cell) for output in outputs]
    sets = {frozenset(map(str, page_ids)) for page_ids in pages if page_ids}
    if len(sets) > 1:
        cell.note("several-provenances", {"answers": len(sets)}, severity="warning")
    result = {name: value for name, value in fields.items() if name != "output"}
    answers = [output["answer"] for output in outputs if output.get("answer") is not None]
    pages_by_id = {str(page): page for page_ids in pages for page in page_ids}
    return {**result, "relevant": list(pages_by_id.values()), **({"answers": answers} if answers else {})}


def _page_ids(output: dict, cell: Cell) -> list:
    """The page ids of one output; a wrong type is noted."""
    provenance = output.get("provenance")
    if provenance is None:
        return []
    if type(provenance) is not list or not all(type(page) is dict and PAGE_ID in page for page in provenance):
        cell.member("provenance").note_wrong_type(provenance, f"a list of objects with {PAGE_ID}")
        return []
    return [page[PAGE_ID] for page in provenance]
