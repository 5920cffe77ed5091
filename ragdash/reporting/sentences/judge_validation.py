"""Sentences on judge and labels that the Judge validation tab, the command and the report share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ragdash.analysis.judge_validation import FEWEST_CHECKED, CorrectedDifference, ExampleChoice, JudgeValidation
from ragdash.metrics import Spec
from ragdash.models.judge.tasks.examples import ExampleSet
from ragdash.reporting.sentences.formatting import count, number, query_count

NOT_SETTLED = "Not settled"
OUTCOMES = {"better": "better", "worse": "worse", "differs": "different", "": "no significant difference"}


def held_out_sentence(held_out: int, noun: str = "label", plural: str | None = None) -> str:
    """How many labels are counted nowhere, with a space before it; "" for none."""
    return f" {count(held_out, noun, plural)} held out of all of these numbers: examples in the judge's prompt, and " \
        "what was drawn with them." if held_out else ""


def not_settled_sentence(validation: JudgeValidation, source: str = "judge",
                         spelled: Callable[[float], str] = number) -> str:
    """That the labeled queries are unlike the others by the judge's verdicts, and what settles it; "" elsewhere."""
    if not (wrong := likely_error(validation)):
        return ""
    labeled, drawn = validation.labels.mean + validation.agreement.bias, {"high": "better", "low": "worse"}[wrong]
    words = (f"{NOT_SETTLED}: the true value can be anywhere in this range. The {source}'s mean is {spelled(labeled)} "
             f"on the labeled queries and {spelled(validation.judge.mean)} on all. By chance, queries with {drawn} "
             f"answers were drawn to label. The best estimate, {spelled(validation.corrected.mean)}, may be too "
             f"{wrong}.")
    few = validation.hardly_checked
    if few is None:
        return f"{words} More labels of queries drawn at random even that out."
    return (f"{words} The {source} says “{few.verdict}” to {query_count(few.judged)}, of which {few.labeled:,} "
            f"{'has' if few.labeled == 1 else 'have'} a label. Label {count(few.more, 'more answer')}, chosen at "
            f"random and not by verdict: then about {FEWEST_CHECKED} have one.")


def source_of(spec: Spec) -> str:
    """What gives the values that are compared with labels: a judge, a score of the files, or a metric."""
    if spec.file_column:
        return "score"
    return "judge" if spec.metric.view in ("Judged", "Entailed") else "metric"


def error_sources_title(source: str) -> str:
    """The heading over what errors depend on. source: as `source_of` names it."""
    return "What fools this judge?" if source == "judge" else f"Where is this {source} wrong?"


def likely_error(validation: JudgeValidation) -> str:
    """Whether the corrected mean may be too "high" or "low", as the labeled queries are unlike the others; "" neither.
    """
    if not validation.unlike or validation.headline == "labels":
        return ""
    return "high" if validation.labels.mean + validation.agreement.bias > validation.judge.mean else "low"


def examples_text(examples: ExampleSet) -> str:
    """The examples of a prompt in a few words.

    Examples
    --------
    >>> examples_text(ExampleSet("Faithfulness", "Faithfulness", "", "", (), frozenset(), 0, 0, 0))
    'Faithfulness: 0 examples from human labels in the prompt (2008d400)'
    """
    return f"{examples.metric}: {count(len(examples.examples), 'example')} from human labels in the prompt " \
        f"({examples.digest})"


def choice_sentence(choice: ExampleChoice) -> str:
    """What was chosen, and what it costs."""
    parts = ", ".join(f"{n:,} of {name}" for name, n in sorted(choice.per_class.items()) if n)
    return (f"{examples_text(choice.examples)}: {parts}. Held out: {count(choice.held_out, 'label')}, in "
            f"{count(choice.groups, 'group')} of queries drawn at random. {count(choice.left, 'label')} left. Ask the "
            "judge again: its prompt has changed.")


def difference_outcome(difference: CorrectedDifference, spec: Spec) -> str:
    """"better", "worse", "differs" (for a metric without a better end), or "" where the interval holds 0 or is none."""
    low, high = difference.corrected.low, difference.corrected.high
    if not np.isfinite(low) or low <= 0 <= high:
        return ""
    if spec.metric.better is None:
        return "differs"
    return "better" if (low > 0) == (spec.metric.better == "higher") else "worse"
