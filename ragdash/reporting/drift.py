"""Drift in words, as tables and as JSON: what differs between a log and the test set, and which questions are new."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from ragdash.analysis.tracking.drift import (
    LANGUAGES,
    MEASURES,
    REASONS,
    Drift,
    Measure,
    MeasuredValue,
    ProposedQuestion,
)
from ragdash.core.text.template import percent
from ragdash.reporting.sentences.formatting import count, listed, percent_interval
from ragdash.reporting.tables.escaping import finite_or_none, number, p_number, sentence_text, table_text

DRIFT_FORMATS = ("table", "markdown", "json")
EXAMPLES = 3  # questions listed of a group
MOST_GROUPS = 6
_SHARES = ("language", "refused", "unanswered")
_TIMES = ("p50", "p95")
_CLAUSES = {"topics": "people ask about other things", "length": "questions have another length",
            "language": "questions are in other languages", "refused": "the share of refusals differs",
            "unanswered": "the share of requests without an answer differs", "p50": "the median latency differs",
            "p95": "the P95 latency differs"}


def reference_title(drift: Drift) -> str:
    """What the log is compared with: "the test set", or "the earlier log"."""
    return "the test set" if drift.reference.is_test_set else "the earlier log"


def header(drift: Drift) -> list[str]:
    """The headings of `measure_rows`."""
    return ["measure", "production", "n", reference_title(drift).removeprefix("the "), "n", "p", "differs"]


def finding(drift: Drift) -> str:
    """What differs, in a sentence or two."""
    changes = drift.changes
    tested = sum(bool(np.isfinite(measure.p)) for measure in drift.measures)
    if not changes:
        return (f"No significant difference between production and {reference_title(drift)} in "
                f"{count(tested, 'measure')}.")
    details = "; ".join(_clause(drift, measure) for measure in changes)
    return (f"Production differs from {reference_title(drift)} in {len(changes)} of {count(tested, 'measure')}: "
            f"{details}.")


def _clause(drift: Drift, measure: Measure) -> str:
    values = f"{shown(measure, measure.log)} in production, {shown(measure, measure.reference)} in " \
             f"{reference_title(drift)}"
    if measure.name == "topics":
        values = f"similarity to the nearest question {values}"
    elif measure.name == "language":
        values = f"{LANGUAGES[measure.label]} {values}"
    clause = _CLAUSES[measure.name]
    if measure.name == "topics" and measure.log.value > measure.reference.value:
        clause = "the mix of topics is another"  # many ask what is in it, word for word
    return f"{clause} ({values})"


def new_questions_sentence(drift: Drift) -> str:
    """How many questions the test set has nothing like."""
    share = drift.new_share
    return (f"{percent(share.value)} {percent_interval(share)} of {count(share.n, 'distinct question')} are unlike "
            f"any question of {reference_title(drift)} ({percent(drift.reference_share)} of its own questions are as "
            "far from the others).")


def notes(drift: Drift) -> list[str]:
    """How the comparison was made, and what it cannot say."""
    lines = [f"Questions are compared by {drift.model}" + (
        ": by their words, so a paraphrase counts as another question." if drift.model == "TF-IDF" else ".")]
    if drift.sessions:
        lines.append("One request of each conversation counts, because requests of one conversation depend on each "
                     "other.")
    if not drift.log.has_answers:
        lines.append("The log has no answers: refusals and unanswered requests are not known.")
    untested = [MEASURES[measure.name].lower() for measure in drift.measures if not np.isfinite(measure.p)]
    if untested:
        lines.append(f"Not known of {reference_title(drift)}, and not tested: {listed(untested)}. A run of the test "
                     "set has answers and latencies.")
    others = [(language, *sides) for language, sides in drift.languages.items() if max(sides) >= 0.01]
    if len(others) > 1:
        lines.append(f"Languages (production, {reference_title(drift)}): " + ", ".join(
            f"{LANGUAGES[language]} {percent(log)}, {percent(reference)}" for language, log, reference in others) + ".")
    return lines


def measure_title(measure: Measure, short: bool = False) -> str:
    """The name of a measure, with what its value is; short: without that of what is asked."""
    title = MEASURES[measure.name]
    if measure.name == "topics" and not short:
        return f"{title} (similarity to the nearest test question)"
    return f"{title}: {LANGUAGES[measure.label]}" if measure.name == "language" else title


def shown(measure: Measure, estimate: MeasuredValue, interval: bool = False) -> str:
    """A value in its unit, with its interval."""
    if not np.isfinite(estimate.value):
        return "–"

    def text(value: float) -> str:
        if measure.name in _SHARES:
            return percent(value, 1)
        return f"{value:,.0f}" if measure.name in _TIMES else f"{value:.1f}" if measure.name == "length" else \
            number(value)

    unit = " ms" if measure.name in _TIMES else ""
    if not interval or not np.isfinite(estimate.low):
        return f"{text(estimate.value)}{unit}"
    return f"{text(estimate.value)} [{text(estimate.low)}, {text(estimate.high)}]{unit}"


def measure_rows(drift: Drift) -> list[list[str]]:
    """Cells under `header`."""
    return [[measure_title(measure), shown(measure, measure.log, interval=True), f"{measure.log.n:,}",
             shown(measure, measure.reference, interval=True), f"{measure.reference.n:,}",
             p_number(measure.p_corrected) if np.isfinite(measure.p_corrected) else "–",
             "yes" if measure.differs(drift.alpha) else "no" if np.isfinite(measure.p) else "not tested"]
            for measure in drift.measures]


def group_lines(drift: Drift) -> list[str]:
    """The largest groups of new questions, with their words and typical questions."""
    lines = []
    for group in drift.groups[:MOST_GROUPS]:
        examples = " | ".join(drift.texts[row] for row in group.queries[:EXAMPLES].tolist())
        lines.append(f"{count(len(group.queries), 'question')} ({', '.join(group.words[:5])}): {examples}")
    return lines


PROPOSAL_HEADER = ["question for the test set", "why", "asked", "represents", "nearest test question", "similarity"]


def proposal_rows(proposals: Sequence[ProposedQuestion]) -> list[list[str]]:
    """Cells under PROPOSAL_HEADER."""
    return [[item.question, REASONS[item.reason], f"{item.asked:,}", f"{item.represents:,}", item.nearest,
             f"{item.similarity:.2f}"] for item in proposals]


def render_drift(drift: Drift, proposals: Sequence[ProposedQuestion], form: str) -> str:
    """Everything in one of DRIFT_FORMATS."""
    if form == "json":
        return json.dumps(drift_dict(drift, proposals), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    marker = "- " if form == "markdown" else ""
    lines = [sentence_text(finding(drift), form), "", table_text(header(drift), measure_rows(drift), form),
             *(f"{marker}{sentence_text(note, form)}" for note in notes(drift)), "",
             sentence_text(new_questions_sentence(drift), form),
             *(f"{marker or '  '}{sentence_text(line, form)}" for line in group_lines(drift))]
    if proposals:
        lines += ["", table_text(PROPOSAL_HEADER, proposal_rows(proposals), form)]
    return "\n".join([*lines, ""])


def drift_dict(drift: Drift, proposals: Sequence[ProposedQuestion]) -> dict:
    """Everything as JSON."""
    def estimate(value: MeasuredValue) -> dict:
        return {"value": finite_or_none(value.value), "low": finite_or_none(value.low),
                "high": finite_or_none(value.high), "n": value.n}

    return {
        "schema": 1, "log": drift.log.name, "reference": drift.reference.name,
        "reference_is_test_set": drift.reference.is_test_set, "requests": len(drift.log),
        "distinct_questions": len(drift.texts), "compared_by": drift.model, "alpha": drift.alpha,
        "finding": finding(drift), "notes": notes(drift),
        "measures": [{"measure": measure.name, "of": measure.label or None, "production": estimate(measure.log),
                      "reference": estimate(measure.reference), "p": finite_or_none(measure.p),
                      "p_corrected": finite_or_none(measure.p_corrected), "differs": measure.differs(drift.alpha)}
                     for measure in drift.measures],
        "languages": {name: {"production": log, "reference": reference}
                      for name, (log, reference) in drift.languages.items()},
        "new": {**estimate(drift.new_share), "reference": drift.reference_share, "similarity": drift.threshold,
                "groups": [{"questions": len(group.queries), "words": list(group.words),
                            "examples": [drift.texts[row] for row in group.queries[:EXAMPLES].tolist()]}
                           for group in drift.groups]},
        "proposals": [{"query_id": item.id, "query": item.question, "reason": item.reason, "asked": item.asked,
                       "represents": item.represents, "nearest_question": item.nearest,
                       "similarity": item.similarity} for item in proposals]}
