"""The edge cases that a truth marks among its questions: those without an answer, with contradicting sources ...

They are read from attributes, however these are called and written: type: no_answer, tags: [multi-hop],
is_impossible: true, answerable: "no".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np
import orjson

from ragdash.core.errors import Problem
from ragdash.core.records import Truth
from ragdash.matching.answer_alignment import references

# kind -> what it is called, without case, blanks and hyphens: as a value of one of NAMED_IN, or as a name of its own.
SPELLINGS: Mapping[str, frozenset[str]] = {
    "no_answer": frozenset(("noanswer", "unanswerable", "notanswerable", "isunanswerable", "impossible",
                            "isimpossible", "nullquery", "noanswerquery")),
    "contradictory": frozenset(("contradictory", "contradiction", "contradictions", "contradicting", "iscontradictory",
                                "conflict", "conflicting", "conflictingevidence", "conflictingsources")),
    "multi_hop": frozenset(("multihop", "ismultihop", "multistep", "multidocument", "multidoc")),
    "out_of_scope": frozenset(("outofscope", "isoutofscope", "oos", "outofdomain", "ood", "offtopic")),
}
KINDS = tuple(SPELLINGS)
# Attributes whose values name kinds of questions.
NAMED_IN = frozenset(("type", "types", "kind", "kinds", "category", "categories", "class", "label", "labels", "tag",
                      "tags", "questiontype", "questiontypes", "querytype", "tasktype", "answertype", "reasoningtype",
                      "reasoning", "answerability", "edgecase", "edgecases", "attributes", "metadata", "enrichments"))
ANSWERABLE = frozenset(("answerable", "isanswerable", "hasanswer"))  # as a name; no says that there is no answer
_NAMES = NAMED_IN | ANSWERABLE | frozenset().union(*SPELLINGS.values())
_YES, _NO = frozenset(("true", "yes", "y", "t", "1")), frozenset(("false", "no", "n", "f", "0"))


def kinds(truth: Truth) -> dict[str, np.ndarray]:
    """The queries of each kind: (Q,) bool each, all False where the truth marks none.

    Examples
    --------
    >>> from ragdash import Truth
    >>> {name: mask.tolist() for name, mask in kinds(Truth.build("qrels", ["q1"], ["a"], [1])).items()}
    {'no_answer': [False], 'contradictory': [False], 'multi_hop': [False], 'out_of_scope': [False]}
    """
    return read_kinds(truth)[0]


def read_kinds(truth: Truth) -> tuple[dict[str, np.ndarray], tuple[Problem, ...]]:
    """The queries of each kind, and a warning where a question is called answerable and without an answer at once."""
    marks = {kind: np.zeros(len(truth), bool) for kind in (*KINDS, "answerable")}
    has_attributes = truth.details is not None and "attributes" in truth.details.column_names
    flags_of: dict[tuple[str, type, object], tuple[tuple[str, bool], ...]] = {}
    names_kind: dict[str, bool] = {}
    for q, text in enumerate(truth.details["attributes"].to_pylist() if has_attributes else ()):
        for name, value in orjson.loads(text).items() if text else ():
            if name not in names_kind:
                names_kind[name] = _plain(name) in _NAMES
            if not names_kind[name] and type(value) is not dict:
                continue
            if isinstance(value, (dict, list)):
                flags = tuple(_kinds_in(name, value))
            else:
                key = (name, type(value), value)
                flags = flags_of[key] if key in flags_of else flags_of.setdefault(key, tuple(_kinds_in(name, value)))
            for kind, is_so in flags:
                marks["no_answer" if kind == "answerable" and not is_so else kind][q] |= is_so or kind == "answerable"
    answerable = marks.pop("answerable")
    return marks, _unclear(truth, answerable & marks["no_answer"])


def _kinds_in(name: str, value: object) -> Iterator[tuple[str, bool]]:
    """(kind or "answerable", whether it is so) of everything that an attribute says."""
    plain_name = _plain(name)
    if isinstance(value, Mapping):
        for inner, item in value.items():
            yield from _kinds_in(str(inner), item)
    elif plain_name in NAMED_IN:
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Mapping):
                yield from _kinds_in("", item)
            elif isinstance(item, str):
                yield from ((kind, True) for kind, spellings in SPELLINGS.items() if _plain(item) in spellings)
    else:
        kind = next((kind for kind, spellings in SPELLINGS.items() if plain_name in spellings), None)
        kind = "answerable" if plain_name in ANSWERABLE else kind
        is_so = _flag(value)
        if kind and is_so is not None:
            yield kind, is_so


def _flag(value: object) -> bool | None:
    """Yes or no, however written; None for anything else."""
    word = str(value).strip().casefold()
    if isinstance(value, (bool, int, str)) and word in _YES | _NO:
        return word in _YES
    return None


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _unclear(truth: Truth, contradictory: np.ndarray) -> tuple[Problem, ...]:
    if not contradictory.any():
        return ()
    first = truth.query_ids[int(np.flatnonzero(contradictory)[0])].as_py()
    return (Problem("unclear-answerable", {"queries": contradictory.sum(), "truth": truth.name, "example": first},
                    field="attributes", severity="warning"),)


def right_refusals(truth: Truth) -> np.ndarray:
    """The queries to which declining is right: (Q,) bool.

    The truth marks the question as without an answer (no_answer, out_of_scope), or a reference declines or is empty.

    Examples
    --------
    >>> import pyarrow as pa
    >>> details = pa.table({"query_id": ["q1", "q2"], "answers": [["Paris"], ["The documents do not say."]]})
    >>> right_refusals(Truth.build("truth", [], [], [], details=details)).tolist()
    [False, True]
    """
    from ragdash.core.text import is_refusal  # its patterns take long to import, and few commands ask

    marked = kinds(truth)
    declined = [any(not text.strip() or is_refusal(text) for text in texts) for texts in references(truth)]
    return marked["no_answer"] | marked["out_of_scope"] | np.array(declined, bool)
