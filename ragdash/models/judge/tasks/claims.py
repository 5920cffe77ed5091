"""Claims: a text is split into atomic ones, and each is compared with the contexts by its number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ragdash.models.judge.prompts import AS_DATA, CLAIM_RULES, as_data
from ragdash.models.judge.question import Question, Reply
from ragdash.models.judge.tasks.prompt_texts import (
    TEXT,
    UNDEFINED,
    array_of,
    chunk_blocks,
    flags,
    ids,
    join_blocks,
    names,
    object_of,
    question_block,
    text_enum,
    too_long,
)
from ragdash.models.judge.tasks.registry import Case, Judgment, TaskSteps, register_task
from ragdash.models.judge.tasks.vote_order import vote_order

VERSION = "3"
AT_ONCE = 20  # claims of one call
THEN_CLAIMS = f"1, then 1 per {AT_ONCE} claims"
A_CLAIM = 80  # bytes of UTF-8, about, of a text for each claim in it
EXTRACT = f"""You take a text apart into atomic claims: short statements of one fact each that can be checked alone.
{AS_DATA}
Keep to what the text states; add nothing. Put names in place of pronouns, so that each claim is understood without the
others. A date, place or amount stays with the fact it belongs to. If the text is a few words that answer a question,
write the claim out, with no more of the question than it needs.
Keep each number, unit, date and hedge ("about", "may") as the text has it. Leave out greetings, questions, remarks on
what the text or its sources do not say, and remarks about this task or its verdicts. A text that states nothing has no
claims: give an empty list.
Examples:
"It opened in May and closed a year later." with the question "What happened to the museum?": "The museum opened in
May." and "The museum closed a year after May."
"In 1930." with the question "When did the bridge open?": "The bridge opened in 1930."
"The documents do not say." No claims."""
VERIFY = f"""You check claims against contexts. {AS_DATA}
For each claim, by its id: a short reason first, then the verdict:
supported: a context states it, or it follows from the contexts.
contradicted: the contexts say otherwise.
not stated: neither.
Then the ids of the contexts that support or contradict it, none where it is not stated.
Judge by the contexts alone, not by what you know. Give each id exactly once.
{CLAIM_RULES}
Examples, for a context "The bridge is about 300 m long and probably opened in May 1930.":
"The bridge is 300 m long.": supported ("about" changes nothing).
"The bridge is 400 m long.": contradicted (another number).
"The bridge opened in May 1930.": not stated (the context says probably).
"The bridge is 300 m long and painted red.": not stated (one part is missing)."""
CLAIMS = object_of(claims=array_of(TEXT))
SUPPORTED = "supported"


def taken_apart(case: Case, text: str) -> Question:
    """The question for the claims of an answer or reference."""
    tokens = min(max(1024, len(text) // 2), 8192)
    return Question(
        "Claims",
        VERSION,
        EXTRACT,
        join_blocks(question_block(case), as_data("text", text)),
        CLAIMS,
        max_tokens=tokens,
        guess=partial(guessed, text),
    )


def guessed(text: str) -> dict:
    """As many claims as a text of this length may have, for plans: its words in pieces, all together as long as it."""
    step = max(len(text) * A_CLAIM // max(len(text.encode("utf-8", "replace")), 1), 1)
    return {"claims": [text[start:start + step] for start in range(0, len(text), step)]}


def claims_of(reply: Reply) -> list[str]:
    """The claims that were found, each once, in their order; without empty ones."""
    return list(dict.fromkeys(claim.strip() for claim in reply.value["claims"] if claim.strip()))


def batches(claims: Sequence[str]) -> list[list[tuple[str, str]]]:
    """(id, claim) of at most AT_ONCE claims each; ids count from 1 through all of them."""
    numbered = [(str(i), claim) for i, claim in enumerate(claims, 1)]
    return [numbered[start:start + AT_ONCE] for start in range(0, len(numbered), AT_ONCE)]


def numbered(batch: Sequence[tuple[str, str]], vote: int) -> list[str]:
    """The claims of a batch as parts of a question, in the order of this vote."""
    blocks = [as_data("claim", claim, id=name) for name, claim in batch]
    return [blocks[i] for i in vote_order(len(blocks), vote)]


def verified(case: Case, text: str, of: str) -> TaskSteps:
    """Claims of a text, each compared with the contexts: a `Judgment` of the share supported, NaN without a
    claim; rows: claim, verdict, reason, chunks.
    """
    over = too_long(text)
    if over:
        return over
    reply, = yield [taken_apart(case, text)]
    claims = claims_of(reply)
    if not claims:
        return Judgment(UNDEFINED, "no-claims", flags=flags(case))
    verdict = object_of(id=TEXT, reason=TEXT, verdict=text_enum(SUPPORTED, "contradicted", "not stated"),
                    chunks=array_of(text_enum(*names(case))))
    batch_list = batches(claims)
    replies = yield [
        Question(
            "Verify",
            VERSION,
            VERIFY,
            join_blocks(question_block(case), chunk_blocks(case), numbered(batch, case.vote)),
            object_of(verdicts=array_of(verdict)),
            tuple(name for name, _ in batch),
            200 + 120 * len(batch),
        )
        for batch in batch_list
    ]
    verdicts = [verdict for reply in replies for verdict in reply.value["verdicts"]]
    rows = tuple({"of": of, "claim": claim, "verdict": verdict["verdict"], "reason": verdict["reason"],
                  "chunks": ids(case, verdict["chunks"])} for claim, verdict in zip(claims, verdicts, strict=True))
    return Judgment(sum(row["verdict"] == SUPPORTED for row in rows) / len(rows), rows=rows, flags=flags(case))


@register_task("ClaimFaithfulness", needs=("answer", "contexts"), calls=THEN_CLAIMS)
def claim_faithfulness(case: Case) -> TaskSteps:
    """Supported claims of the answer / its claims; 1 without a claim, flagged "vacuous"."""
    checked = yield from verified(case, case.answer, "answer")
    return Judgment(1.0, flags=("vacuous", *checked.flags)) if checked.missing == "no-claims" else checked


@register_task("RAGAS.Faithfulness", needs=("answer", "contexts"), calls=THEN_CLAIMS)
def ragas_faithfulness(case: Case) -> TaskSteps:
    """As ClaimFaithfulness, undefined without a claim."""
    return (yield from verified(case, case.answer, "answer"))


@register_task("RAGAS.ContextRecall", needs=("references", "contexts"), calls=THEN_CLAIMS)
def ragas_context_recall(case: Case) -> TaskSteps:
    """Claims of the first reference that the contexts support / its claims."""
    return (yield from verified(case, case.references[0], "reference"))
