"""By what the stages of failures count an answer as right and as grounded, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.diagnosis import STAGES, Declined, Diagnosis, DiagnosisRules, RightAnswers
from ragdash.evaluation.evaluate import Evaluation
from ragdash.metrics import Spec
from ragdash.metrics.bands import YES
from ragdash.metrics.docs.human_agreement import JUDGED_RIGHT, WORD_OVERLAP
from ragdash.reporting.sentences.formatting import count, escape, listed, number
from ragdash.reporting.sentences.judge import constant_scores, judge_name, metric_title

PARTLY_IS_RIGHT = "a partly right answer counts as right"
UNUSED_LABELS = "unused-labels"  # the kind of problem
FIRST_FAILURE = "Failures counts a query once, at its first failure."


def right_answer_rule(diagnoses: Sequence[Diagnosis], names: Sequence[str]) -> str:
    """By what an answer counts as right, in the order in which it is looked at; "" where no answer can be checked.

    names: of the runs that were diagnosed.
    """
    if not any(np.isfinite(diagnosis.right_answers).any() for diagnosis in diagnoses):
        return ""
    rules = diagnoses[0].rules
    columns = list(dict.fromkeys(diagnosis.label_column for diagnosis in diagnoses if diagnosis.label_column))
    partly = f", where {PARTLY_IS_RIGHT}" if has_partly_labels(diagnoses) else ""
    steps = [f"its label in the file ({listed([f'`{name}`' for name in columns])}){partly}"] if columns else []
    steps += _judge_step(diagnoses, names)
    steps += text_steps(rules)
    return ("**Right answer**, by the first rule that applies: " + "; ".join(steps) + ". Declining is right where a "
            f"reference declines or the question has no answer.{_variant_note(rules.right_spec)}")


def has_partly_labels(diagnoses: Sequence[Diagnosis]) -> bool:
    """Whether a label of the files says of an answer that it is partly right."""
    return any(((diagnosis.numbers["label"] > 0) & (diagnosis.numbers["label"] < 1)).any() for diagnosis in diagnoses)


def unused_labels_note(diagnosis: Diagnosis, *, with_fix: bool) -> str:
    """What labels in a run's file say of its answers, where the stages do not count by them; "" elsewhere."""
    words = next((problem.words("page") for problem in diagnosis.problems if problem.kind == UNUSED_LABELS), None)
    return escape(f"Found {words.actual}.{f' {words.fix}' if with_fix else ''}") if words else ""


def declined_parts(declined: Declined) -> list[str]:
    """How many of the answers that decline do so rightly and wrongly, or nothing shows it: they add up to all.

    >>> declined_parts(Declined(6, 2, 1, 3, 0, 9))
    ['2 rightly', '4 wrongly']
    """
    counts = {"rightly": declined.rightly, "wrongly": declined.wrongly, "unknown": declined.unknown}
    return [f"{n:,} {name}" for name, n in counts.items() if n]


def right_sentence(name: str, counts: RightAnswers) -> str:
    """How many answers of a run are right, and at which stages the wrong ones are; "" where nothing shows it.

    >>> print(right_sentence("dense", RightAnswers(6, 4, 1, {"Wrong answer": 4}, 0)))
    dense has 6 of 10 answers right (1 of them where another step fails), 4 wrong, all at **Wrong answer**.
    """
    total = counts.right + counts.wrong
    if not total:
        return ""
    places = [f"{n:,} at **{title}**" for title, n in counts.stages.items()]
    places += [f"{counts.earlier:,} at an earlier stage"] if counts.earlier else []
    failing = f" ({counts.failing:,} of them where another step fails)" if counts.failing else ""
    at_one = len(places) == 1 and counts.wrong > 1 and places[0].startswith(f"{counts.wrong:,} ")
    where = f", all {places[0].partition(' ')[2]}" if at_one else f": {', '.join(places)}" if places else ""
    return f"{name} has {counts.right:,} of {count(total, 'answer')} right{failing}, {counts.wrong:,} wrong{where}."


def declined_sentence(name: str, declined: Declined) -> str:
    """How many answers of a run decline, and at which stages those are that do so wrongly; "" for none.

    >>> print(declined_sentence("dense", Declined(4, 2, 2, 0, 0, 9)))
    dense declines in 4 of 9 answers: 2 rightly, 2 wrongly (2 at **Declined needlessly**).
    """
    if not declined.total:
        return ""
    (title,) = (stage.title for stage in STAGES if stage.name == "refused")
    stages = [f"{n:,} at {where}" for n, where in ((declined.at_stage, f"**{title}**"),
                                                  (declined.earlier, "an earlier stage")) if n]
    where = f" ({', '.join(stages)})" if stages else ""
    parts = [part + where * part.endswith("wrongly") for part in declined_parts(declined)]
    return f"{name} declines in {declined.total:,} of {count(declined.answers, 'answer')}: {', '.join(parts)}."


def _variant_note(spec: Spec) -> str:
    """How the metric of the rule differs from the one without parameters, which is in the tables."""
    return (" Each word once: a word counts once however often it occurs, and articles count, unlike in Token F1."
            if spec.name == "TokenF1" and dict(spec.params).get("tokens") == "set" else "")


def text_steps(rules: DiagnosisRules) -> list[str]:
    """The last rules: what an answer has in common with its references."""
    numbers = ["where every reference is a number, it has one of these numbers"] if rules.numbers_first else []
    return [*numbers, f"it contains a reference, or its {rules.right_spec.title} is at least {rules.right:g}"]


def _judge_step(diagnoses: Sequence[Diagnosis], names: Sequence[str]) -> list[str]:
    """The rule of the judge's verdicts, with the runs that it decides where these are not all."""
    judges: dict[str, list[str]] = {}
    for name, diagnosis in zip(names, diagnoses, strict=True):
        if diagnosis.judge:
            judges.setdefault(diagnosis.judge, []).append(name)
    steps = []
    for judge, runs in judges.items():
        some = "" if len(runs) == len(diagnoses) else f", for {escape(listed(runs))} only"
        steps.append(f"{metric_title(JUDGED_RIGHT)} by the judge {escape(judge_name(judge))} is {YES:g} (partly right) "
                     f"or more{some}")
    return steps


def grounded_rule(rule: tuple[Spec, float], names: Sequence[str], evaluations: Sequence[Evaluation],
                  judged: Sequence[Spec]) -> str:
    """By what an answer counts as grounded, where that is word overlap; whether a judge has judged it too. "" without.

    Parameters
    ----------
    rule
        The metric of the rule, and the value from which an answer is grounded.
    names, evaluations
        The runs, evaluated on the metric and on `judged`.
    judged
        Judged metrics that say whether answers are grounded; the first with values is named.
    """
    spec, threshold = rule
    if spec.name not in WORD_OVERLAP or not any(
            np.isfinite(evaluation.column(spec)).any() for evaluation in evaluations):
        return ""
    overlap = (f"**Grounded** here: {escape(spec.title)} is {threshold:g} or more. That is word overlap with the "
               "contexts.")
    for other in judged:
        values = [evaluation.column(other) for evaluation in evaluations]
        means = [f"{escape(name)} {number(float(np.nanmean(run_values)))}"
                 for name, run_values in zip(names, values, strict=True) if np.isfinite(run_values).any()]
        if means:
            return " ".join([overlap, f"A judge has judged {escape(other.title)} too: {listed(means)}.",
                             *constant_scores(names, evaluations, [other])])
    return overlap
