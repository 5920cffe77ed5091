"""Which answers count as right, wrong and wrongly declined: counts, and queries that are no examples because of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.diagnosis import ANSWER_OUTCOMES
from ragdash.core.records.details import filled
from ragdash.evaluation.compare import direction
from ragdash.metrics import Spec, has_answers
from ragdash.metrics.docs.human_agreement import SAYS_RIGHT, WORD_OVERLAP
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.sentences.failures.answer_rules import right_answer_rule
from ragdash.reporting.sentences.formatting import UNDEFINED, count, escape

RIGHT = ANSWER_OUTCOMES[0]
HEADING = f"Answers: {' / '.join(ANSWER_OUTCOMES)}"
WRONGLY_DECLINED = ("**Wrongly declined**: the answer declines although there is an answer. One that rightly declines "
                    "counts as right.")


def outcomes_of(content: ReportContent, run: int) -> np.ndarray:
    """The outcome of each answer of a run to the queries that count: (Q,) str, "" where it is not known."""
    return content.diagnoses[run].answer_outcomes[content.selected]


def outcome_cells(content: ReportContent) -> list[str]:
    """How many answers of each run have each outcome; empty where no reference says so."""
    matches = content.request.matches
    if not filled(content.truth.details, "answers") or not any(has_answers(match.run) for match in matches):
        return []
    return [" / ".join(f"{int((outcomes_of(content, run) == outcome).sum()):,}" for outcome in ANSWER_OUTCOMES)
            if has_answers(match.run) else UNDEFINED for run, match in enumerate(matches)]


def outcome_rule(content: ReportContent) -> str:
    """By what an answer counts as right, and as wrongly declined; "" where no reference says so."""
    return f"{right_answer_rule(content.diagnoses, content.names)} {WRONGLY_DECLINED}" if outcome_cells(content) else ""


def contradicted(content: ReportContent, pair: Sequence[int], gap: np.ndarray) -> np.ndarray:
    """Queries on which the leading metric calls the answer of one of two runs worse that counts as right, or better
    that does not: (Q,) bool.

    gap: the second run minus the first; NaN for one run alone, which has no such queries.
    """
    if len(pair) < 2 or not _is_of_right_answers(content.lead):
        return np.zeros(len(gap), bool)
    first, second = (outcomes_of(content, run) for run in pair)
    ahead = np.nan_to_num(gap) * direction(content.lead)
    better, worse = np.where(ahead > 0, second, first), np.where(ahead > 0, first, second)
    return (ahead != 0) & ((worse == RIGHT) | ((better != RIGHT) & (better != "")))


def contradicted_sentence(queries: np.ndarray, spec: Spec) -> str:
    """How many queries are no examples, and why; "" for none."""
    n = int(queries.sum())
    return (f"{count(n, 'query is', 'queries are')} not among the examples: the answer with the lower "
            f"{escape(spec.title)} counts as right there, or that with the higher does not." if n else "")


def failing_values(content: ReportContent, run: int) -> np.ndarray:
    """Values of the leading metric, higher is better: NaN for answers that count as right, unless all do."""
    values = content.evaluations[run].column(content.lead) * direction(content.lead)
    if not _is_of_right_answers(content.lead):
        return values
    failing = np.where(outcomes_of(content, run) == RIGHT, np.nan, values)
    return failing if np.isfinite(failing).any() else values


def _is_of_right_answers(spec: Spec) -> bool:
    """Whether a metric says how right answers are: one that counts as right is no example of a bad one."""
    return spec.name in SAYS_RIGHT or WORD_OVERLAP.get(spec.name) == "references"
