"""Verdicts of judges in words, each with a sign beside its colour: claims, chunks, values that are missing."""

from __future__ import annotations

from ragdash.claims import ANSWER, Chunk, Claim, Held, Value
from ragdash.errors import InputError
from ragdash.judging.endpoint import Judge
from ragdash.metrics import parse_spec
from ragdash.view_judged import IMPORTED
from ragdash.wording.words import count, number

TOY = "toy-judge"  # the model's name of the samples' ledger
STAND_IN = "a scripted stand-in, not a model that reads"
FLAGS = {"vacuous": "no claim: counts as faithful", "cut": "a chunk was cut before it was shown to the judge"}
CONTEXTS = {"supported": "✓ supported", "contradicted": "✗ contradicted", "not stated": "✗ not stated"}
OTHER = {ANSWER: {"entailed": "✓ right", "contradicted": "✗ wrong: the reference says otherwise",
                  "neutral": "✗ wrong: the reference does not say it",
                  "not entailed": "✗ wrong, by the reference"},
         "reference": {"entailed": "✓ said in the answer", "contradicted": "✗ the answer says otherwise",
                       "neutral": "✗ missing from the answer", "not entailed": "✗ missing from the answer"}}


def is_toy(model: str) -> bool:
    """Whether the name of a judge, or "model at host", is that of the scripted one."""
    return model.partition(" at ")[0] == TOY


def who(judge: Judge) -> str:
    """The judge, and what it is where it is no model."""
    if judge.host == IMPORTED:
        return f"{judge.model}, imported from a file"
    return f"{judge} ({STAND_IN})" if is_toy(judge.model) else str(judge)


def named(judge: str) -> str:
    """The same of "model at host"."""
    return f"{judge} ({STAND_IN})" if is_toy(judge) else judge


def title(metric: str) -> str:
    """The title of a judged metric by its canonical spelling."""
    try:
        return parse_spec(metric).title
    except InputError:
        return metric


def value(one: Value) -> str:
    """0.667; a dash with its reason; what is worth knowing behind it."""
    said = number(one.value) + (f" ({one.missing})" if one.missing else "")
    return "; ".join([said, *(FLAGS.get(flag, flag) for flag in one.flags)])


def in_contexts(held: Held) -> str:
    """✓ supported, ✗ contradicted or ✗ not stated; another word as it is written."""
    return CONTEXTS.get(held.verdict, f"{'✓' if held.yes else '✗'} {held.verdict}")


def by_other(held: Held, of: str) -> str:
    """What the reference says of a claim of the answer, or the answer of one of the reference."""
    return OTHER[of].get(held.verdict, f"{'✓' if held.yes else '✗'} {held.verdict}")


def verdicts(claim: Claim, of: str) -> list[tuple[str, bool, str]]:
    """(words with a sign, whether it is a yes, the judge's reason) of a claim."""
    found = [(f"? no verdict: {claim.missing}", False, "")] if claim.missing else []
    if claim.contexts is not None:
        found.append((in_contexts(claim.contexts), claim.contexts.yes, claim.contexts.reason))
    if claim.other is not None:
        found.append((by_other(claim.other, of), claim.other.yes, claim.other.reason))
    if claim.alone is not None and not claim.alone:
        found.append(("✗ in no chunk", False, "each chunk read alone"))
    elif claim.alone:
        found.append((f"✓ in {count(len(claim.alone), 'chunk')}", True, "each chunk read alone"))
    return found


def of_chunk(one: Chunk | None, supports: int) -> list[tuple[str, bool, str]]:
    """The same of a chunk: useful or not, how relevant, how many claims it supports."""
    found = []
    if one is not None and one.useful is not None:
        found.append(("✓ useful" if one.useful.yes else "✗ not useful", one.useful.yes, one.useful.reason))
    if one is not None and one.score is not None:
        found.append((f"judged relevance {one.score:g}", one.score >= 0.5, one.reason))
    if supports:
        found.append((f"supports {count(supports, 'claim')}", True, "by the judge"))
    return found
