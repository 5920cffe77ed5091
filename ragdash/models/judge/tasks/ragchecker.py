"""The RAGChecker family: claims of answer and reference, each compared with the other text and with each chunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ragdash.models.judge.prompts import AS_DATA, CLAIM_RULES, as_data
from ragdash.models.judge.question import Question
from ragdash.models.judge.tasks.claims import AT_ONCE, batches, claims_of, numbered, taken_apart
from ragdash.models.judge.tasks.prompt_texts import (
    TEXT,
    array_of,
    cut,
    flags,
    join_blocks,
    object_of,
    question_block,
    text_enum,
    too_long,
)
from ragdash.models.judge.tasks.ragchecker_scores import FAMILY, Checked
from ragdash.models.judge.tasks.registry import Case, Judgment, TaskSteps, register_task

VERSION = "3"
ENTAIL = f"""You check which claims follow from a text. {AS_DATA}
For each claim, by its id: a short reason first, then the verdict:
entailed: the text states it, or it follows from the text.
contradicted: the text says otherwise.
neutral: neither.
The question, if there is one, says what the text is about: a short text such as "In 1930" answers it.
Judge by the text alone, not by what you know. Give each id exactly once.
{CLAIM_RULES}
- "Not stated" is neutral here.
Examples, for the question "When did the bridge open?" and the text "In May 1930.":
"The bridge opened in 1930.": entailed (the text answers the question).
"The bridge opened in 1931.": contradicted.
"The bridge is painted red.": neutral."""
ENTAILED = "entailed"
VERDICTS = object_of(
    verdicts=array_of(object_of(id=TEXT, reason=TEXT, verdict=text_enum(ENTAILED, "contradicted", "neutral")))
)
OF_ANSWER, OF_REFERENCE = ("correct", "supports"), ("found", "holds")
_NEEDS = {"correct": ("answer", "references"), "found": ("answer", "references"), "supports": ("answer", "contexts"),
          "holds": ("references", "contexts")}


def check_claims(case: Case, directions: Sequence[str], value: Callable[[Checked], float]) -> TaskSteps:
    """Ask for these parts of Checked, and take their value."""
    reference = case.references[0] if case.references else ""
    over = too_long(case.answer, reference)
    if over:
        return over
    texts = {"answer": case.answer} if set(directions) & set(OF_ANSWER) else {}
    texts |= {"reference": reference} if set(directions) & set(OF_REFERENCE) else {}
    replies = yield [taken_apart(case, text) for text in texts.values()]
    claims = {of: claims_of(reply) for of, reply in zip(texts, replies, strict=True)}
    against = {direction: _compared_texts(case, direction, reference) for direction in directions}
    wanted = [(direction, text) for direction in directions for text in against[direction]]
    questions = [_entailed(case, text, claims[_side(direction)]) for direction, text in wanted]
    flat = iter((yield [verdict for some in questions for verdict in some]) if any(questions) else ())
    verdicts_of = [[verdict for _ in some for verdict in next(flat).value["verdicts"]] for some in questions]
    columns: dict[str, list] = {direction: [] for direction in directions}
    for (direction, _), verdicts in zip(wanted, verdicts_of, strict=True):
        columns[direction].append(verdicts)
    score = value(_as_checked(columns, claims))
    rows = tuple(_rows(case, columns, claims))
    remarks = flags(case) if set(directions) & {"supports", "holds"} else ()
    return Judgment(score, None if score == score else _undefined(directions, rows), rows, remarks)


def undefined_of(name: str, rows: Sequence[dict]) -> str:
    """Why a metric whose value is undefined has none, by its rows."""
    family = FAMILY.get(name.removeprefix("RAGChecker."))
    return _undefined(family[1], rows) if family else "no-claims"


def _undefined(directions: Sequence[str], rows: Sequence[dict]) -> str:
    """A text that has no claim (and no row of it), else nothing that a share could be taken of."""
    sides = {row["of"] for row in rows}
    return "nothing-to-share" if all(_side(direction) in sides for direction in directions) else "no-claims"


def _side(direction: str) -> str:
    return "answer" if direction in OF_ANSWER else "reference"


def _compared_texts(case: Case, direction: str, reference: str) -> list[str]:
    """The texts that the claims of a part are compared with."""
    if direction == "correct":
        return [reference]
    return [case.answer] if direction == "found" else [cut(text) for _, text in case.contexts]


def _entailed(case: Case, text: str, claims: Sequence[str]) -> list[Question]:
    return [Question("Entailment", VERSION, ENTAIL,
                     join_blocks(question_block(case), as_data("text", text), numbered(batch, case.vote)), VERDICTS,
                     tuple(name for name, _ in batch), 200 + 100 * len(batch)) for batch in batches(claims)]


def _as_checked(columns: dict[str, list], claims: dict[str, list[str]]) -> Checked:
    """The verdicts, a list for each text, as lists for each claim."""
    tables = {}
    for direction, lists in columns.items():
        flags = [[verdict["verdict"] == ENTAILED for verdict in verdicts] for verdicts in lists]
        tables[direction] = tuple(flags[0]) if direction in ("correct", "found") else tuple(
            tuple(column[i] for column in flags) for i in range(len(claims[_side(direction)])))
    return Checked(**tables)


def _rows(case: Case, columns: dict[str, list], claims: dict[str, list[str]]) -> list[dict]:
    """What to read: each claim with the verdict of the other text and the chunks that entail it."""
    rows = []
    for of, claim_row in claims.items():
        whole, by_chunk = ("correct", "supports") if of == "answer" else ("found", "holds")
        for i, claim in enumerate(claim_row):
            row = {"of": of, "claim": claim}
            if whole in columns:
                row |= {"verdict": columns[whole][0][i]["verdict"], "reason": columns[whole][0][i]["reason"]}
            if by_chunk in columns:
                row["chunks"] = [chunk for (chunk, _), verdicts in zip(case.contexts, columns[by_chunk], strict=True)
                                 if verdicts[i]["verdict"] == ENTAILED]
            rows.append(row)
    return rows


def calls_of(directions: Sequence[str]) -> str:
    """Judge calls per query: one for each text taken apart, then the claims against whole texts, chunks or both."""
    texts = sum(bool(set(directions) & set(side)) for side in (OF_ANSWER, OF_REFERENCE))
    by_chunk = bool(set(directions) & {"supports", "holds"})
    by_text = bool(set(directions) & {"correct", "found"})
    both = " of both" if texts == 2 else ""
    against = " and text or chunk" if by_chunk and by_text else " and chunk" if by_chunk else both
    return f"{texts}, then 1 per {AT_ONCE} claims{against}"


def _register(name: str, directions: Sequence[str], value: Callable[[Checked], float]) -> None:
    needs = dict.fromkeys(need for direction in directions for need in _NEEDS[direction])
    register_task(name, tuple(needs), calls_of(directions))(partial(check_claims, directions=directions, value=value))


for _name, (_value, _parts) in FAMILY.items():
    _register(f"RAGChecker.{_name}", _parts, _value)
_register("Correctness(how='claims')", *reversed(FAMILY["F1"]))

