"""Why a query is at its stage, in words and numbers. docs/reference/diagnosis.md is the table of these rules.

numbers of a verdict (NaN: not known): gold, needed, in_corpus, found, best_rank, in_k, above, unread, returned: counts
and ranks of ragdash.analysis.diagnosis.retrieval_checks; forbidden, left: of permission_checks; answered,
declines, right, missing, may_decline (declining is right): 0 or 1; label: of the file; verdict: of a judge;
states_number: NumberMatch where the references are numbers; held, near, support: values of CoverEM, of the metric of
rules.right and of the metric of rules.grounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ragdash.analysis.diagnosis.result import Diagnosis
from ragdash.analysis.diagnosis.stages import FINE, NAMES, OPTIONAL, RETRIEVAL, STAGES, WAY, Stage, number
from ragdash.core.records.arguments import checked
from ragdash.metrics import Spec
from ragdash.metrics.bands import EDGE, YES

Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Reason:
    """Where a query went wrong, by which rule. str() is all of it in plain text.

    rule: what was found against what is asked, with its numbers, in sentences; numbers: what the checks looked at;
    not_assessed: {what would have been asked before: why it could not be}.
    """

    stage: Stage
    rule: str
    numbers: Numbers
    not_assessed: Mapping[str, str]

    def __str__(self) -> str:
        left = "; ".join(f"{what} ({why})" for what, why in self.not_assessed.items())
        return f"{self.stage.title}: {self.rule}" + (f" Not assessed: {left}." if left else "")


@checked
def explain(diagnosis: Diagnosis, query: int | str) -> Reason:
    """Explain why a query is at its stage.

    Parameters
    ----------
    diagnosis
        What `diagnose` returned.
    query
        An index or an id. UnknownKey, an InputError, if there is no such query.

    Returns
    -------
    Reason
        The rule, its numbers, and what could not be assessed. str() is the text.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> from ragdash.analysis.diagnosis import DiagnosisRules, diagnose
    >>> explain(diagnose(Match(run, truth), DiagnosisRules(k=1)), "q1").rule
    'The relevant document is at rank 2; the first 1 count.'
    """
    q = diagnosis.index_of(query)
    stage = STAGES[diagnosis.stage[q]]
    numbers = {name: float(values[q]) for name, values in diagnosis.numbers.items()}
    rule = _RULES[stage.name](diagnosis, q, numbers)
    if stage.name in RETRIEVAL and numbers["right"] == 1:
        rule += f" The answer is right nevertheless: {_answer_match(diagnosis, numbers)}."
    return Reason(stage, rule, numbers, _not_assessed(diagnosis, q, numbers))


def _gold(diagnosis: Diagnosis, n: float) -> str:
    """ "2 relevant documents" """
    return f"{n:.0f} {_unit(diagnosis)}" + ("" if n == 1 else "s")


def _unit(diagnosis: Diagnosis) -> str:
    return "gold span" if diagnosis.settings["match"] == "evidence" else "relevant document"


def _value(spec: Spec, value: float) -> str:
    return f"{spec.title} is {value:.3f}"


def _answer_match(diagnosis: Diagnosis, numbers: Numbers) -> str:
    if numbers["label"] == numbers["label"]:
        counted = "right" if numbers["right"] == 1 else "wrong"
        outcome = f"partly right, which counts as {counted}" if 0 < numbers["label"] < 1 else counted
        return f"its label in {diagnosis.label_column} says that it is {outcome}"
    if numbers["verdict"] == numbers["verdict"]:
        return f"the judge gives it {numbers['verdict']:g} ({YES:g} is needed)"
    if numbers["declines"] == 1 and numbers["may_decline"] == 1:
        return "it declines, which is right here"
    if numbers["states_number"] == numbers["states_number"]:
        return f"it {'states' if numbers['right'] == 1 else 'does not state'} the number of the reference"
    if numbers["held"] == 1:
        return "it contains a reference answer"
    return f"{_value(diagnosis.rules.right_spec, numbers['near'])} ({diagnosis.rules.right:g} is needed)"


def _no_gold(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    if _marked(diagnosis, q):
        return "The ground truth marks the question as one without an answer, and the run gives no answer to judge."
    if numbers["gold"]:
        why = diagnosis.reasons.get("not-retrieved") or f"{numbers['unread']:.0f} returned documents have no text"
        without = f"The ground truth has {_gold(diagnosis, numbers['gold'])}, which cannot be looked for ({why})"
    else:
        rel = "" if diagnosis.settings["match"] == "evidence" else f" (grade {diagnosis.rules.rel} or more)"
        without = f"No {_unit(diagnosis)}{rel} is known"
    return f"{without}, and " + ("nothing shows whether the answer is right." if numbers["answered"] else
                                 "the run gives no answer.")


def _forbidden(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    k, returned, left = diagnosis.rules.k, numbers["returned"], numbers["left"]
    collapse = f", fewer than {k}: filtered away" if left < k else ""
    return (f"{numbers['forbidden']:.0f} of the first {min(k, returned):.0f} documents are forbidden for the asker; "
            f"without the forbidden ones {left:.0f} of {returned:.0f} are left{collapse}.")


def _not_in_corpus(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    return f"0 of {_gold(diagnosis, numbers['gold'])} in the corpus."


def _not_retrieved(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    if numbers["missing"]:
        return f"The run does not name the query, which has {_gold(diagnosis, numbers['gold'])}."
    return f"0 of {_gold(diagnosis, numbers['gold'])} among the {numbers['returned']:.0f} documents returned."


def _below_k(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    k = diagnosis.rules.k
    if not numbers["found"]:
        return f"0 of {_gold(diagnosis, numbers['gold'])} in the first {k}; documents further down have no text."
    which = _unit(diagnosis) if numbers["gold"] == 1 else f"first of {_gold(diagnosis, numbers['gold'])}"
    return f"The {which} is at rank {numbers['best_rank']:.0f}; the first {k} count."


def _in_k(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    k, why = diagnosis.rules.k, ""
    if diagnosis.kinds["multi_hop"][q]:
        why = ", as a multi-hop question needs all" if diagnosis.rules.coverage < 1 else ""
    elif diagnosis.settings["match"] == "id" and diagnosis.rules.coverage * numbers["gold"] > k + EDGE:
        why = f", as more is relevant than {k} ranks can hold"
    return (f"{numbers['in_k']:.0f} of {_gold(diagnosis, numbers['gold'])} in the first {diagnosis.rules.k}, "
            f"{numbers['needed']:.0f} needed{why}")


def _partly(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    missing = numbers["gold"] - max(numbers["in_corpus"], numbers["found"])
    absent = f" {missing:.0f} of them not in the corpus." if missing > 0 else ""
    return f"{_in_k(diagnosis, q, numbers)}; {numbers['found']:.0f} returned at any rank.{absent}"


def _below_threshold(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    return (f"{_in_k(diagnosis, q, numbers)}, but {numbers['above']:.0f} with a score of {diagnosis.rules.score:g} "
            "or more.")


def _wrong(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    is_labeled = numbers["label"] == numbers["label"] or numbers["verdict"] == numbers["verdict"]
    if numbers["declines"] != numbers["declines"] and not is_labeled:  # no letter, no digit
        return "The answer is empty."
    if is_labeled or numbers["states_number"] == numbers["states_number"]:
        return f"The answer is wrong: {_answer_match(diagnosis, numbers)}."
    return f"{_answer_match(diagnosis, numbers)}, and the answer contains no reference answer."


def _not_grounded(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    stand_in = "" if diagnosis.own_contexts else " The texts of the first documents replace its contexts."
    return (f"{_value(diagnosis.rules.grounded_spec, numbers['support'])} ({diagnosis.rules.grounded:g} is needed)."
            f"{stand_in}")


def _refused(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    if diagnosis.known[number("partly-covered"), q]:
        return f"The answer declines, with {_in_k(diagnosis, q, numbers)}."
    return "The answer declines, and the question has one; whether a relevant document was there is not known."


def _answered(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    kind = " and ".join(_marked(diagnosis, q))
    return f"The ground truth marks the question as {kind}, and the answer does not decline."


def _fine(diagnosis: Diagnosis, q: int, numbers: Numbers) -> str:
    if diagnosis.aside[q]:
        how = "declines" if numbers["declines"] == 1 else _answer_match(diagnosis, numbers) if numbers["right"] == 1 \
            else "is empty"
        return f"The ground truth marks the question as {' and '.join(_marked(diagnosis, q))}, and the answer: {how}."
    parts = []
    if diagnosis.known[number("partly-covered"), q]:
        parts.append(_in_k(diagnosis, q, numbers))
    if diagnosis.known[number("below-threshold"), q]:
        parts.append(f"{numbers['above']:.0f} with a score of {diagnosis.rules.score:g} or more")
    if diagnosis.known[number("wrong-answer"), q]:
        parts.append(f"the answer: {_answer_match(diagnosis, numbers)}")
    if diagnosis.known[number("not-grounded"), q]:
        parts.append(f"{_value(diagnosis.rules.grounded_spec, numbers['support'])} ({diagnosis.rules.grounded:g} is "
                     "needed)")
    return "; ".join(parts) + "."


_RULES: Mapping[str, Callable[[Diagnosis, int, Numbers], str]] = dict(zip(NAMES, (
    _no_gold, _forbidden, _not_in_corpus, _not_retrieved, _below_k,
    _partly, _below_threshold, _wrong, _not_grounded, _refused,
    _answered, _fine), strict=True))


def _marked(diagnosis: Diagnosis, q: int) -> list[str]:
    """The kinds that make the question one without an answer."""
    return [kind for kind in ("no_answer", "out_of_scope") if diagnosis.kinds[kind][q]]


def _not_assessed(diagnosis: Diagnosis, q: int, numbers: Numbers) -> dict[str, str]:
    """{what would have been asked before the stage: why it could not be}."""
    stage = int(diagnosis.stage[q])
    if diagnosis.aside[q] or stage == 0:
        return {}
    way = WAY[1:] if stage == FINE else WAY[1:WAY.index(NAMES[stage])]
    return {diagnosis.passed(name): _why(diagnosis, name, numbers) for name in way
            if not diagnosis.known[number(name), q]
            and diagnosis.mentions(name)}


def _why(diagnosis: Diagnosis, name: str, numbers: Numbers) -> str:
    """Why a check could not be made for a query."""
    if name in diagnosis.reasons:
        return diagnosis.reasons[name]
    if name in OPTIONAL:
        return "the ground truth does not say what is allowed for it"
    if name in RETRIEVAL:
        if not numbers["gold"]:
            return "no relevant document is known"
        return "not every gold span names its document" if name == "not-in-corpus" else \
            f"{numbers['unread']:.0f} returned documents have no text"
    if not numbers["answered"]:
        return "the run gives no answer to it"
    return {"wrong-answer": "no reference is known", "refused": "the answer is empty"}.get(
        name, "the answer says nothing that could be looked for, or its contexts are not known")
