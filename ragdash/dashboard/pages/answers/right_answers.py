"""Which number says how many answers are right, and whether Failures counts by the same."""

from __future__ import annotations

from ragdash.analysis.diagnosis import DiagnosisRules, judge_specs, judge_verdicts
from ragdash.analysis.diagnosis.rules import AUTO
from ragdash.dashboard.caches import diagnosis_cache
from ragdash.dashboard.pages.answers.sections import AnswersData
from ragdash.dashboard.pages.answers.validation import data as trust_data
from ragdash.dashboard.pages.answers.validation.trained_judge import label_key_of
from ragdash.dashboard.widgets.texts import term_help
from ragdash.matching.file_labels import human_label_column
from ragdash.metrics import Spec
from ragdash.metrics.bands import YES
from ragdash.metrics.docs.human_agreement import JUDGED_RIGHT, right_answers_metric
from ragdash.reporting.sentences.answers import right_answers_note
from ragdash.reporting.sentences.failures.answer_rules import text_steps


def render(data: AnswersData, container) -> None:
    """Say which metric to quote, by the order of evidence, and how Failures counts."""
    with_values = [spec for spec in data.specs if data.runs_with_values(spec)]
    spec = right_answers_metric(sorted(with_values, key=lambda spec: spec.name != JUDGED_RIGHT), data.most_queries)
    if spec is None:
        return
    digests = [data.context.digests[run] for run in data.runs_with_values(spec)]
    labels = [len(trust_data.labels(digest, label_key_of(spec))[0]) for digest in digests]
    text = f"{right_answers_note(spec, labels)} {_counted_on_failures(data, spec)}"
    container.markdown(text, help=term_help(text))


def _counted_on_failures(data: AnswersData, spec: Spec) -> str:
    """By what Failures and Queries count right answers."""
    context, rules = data.context, diagnosis_cache.rules(data.context.k)
    matches = [context.scope.match(digest, judge_specs(rules)) for digest in context.digests]
    if spec.name == JUDGED_RIGHT and all(judge_verdicts(match, rules)[1] for match in matches):
        return f"Failures counts by the same verdicts; there a partly right answer ({YES:g}) is right."
    if spec.file_column and all(_label_column(match.run, rules) == spec.file_column for match in matches):
        return "Failures counts by the same labels."
    if any(judge_verdicts(match, rules)[1] or _label_column(match.run, rules) for match in matches):
        return "Failures names the rule that it counts by."
    return f"On Failures and Queries, an answer counts as right if {'; '.join(text_steps(rules))}."


def _label_column(run, rules: DiagnosisRules) -> str:
    """The column of labels by which answers of a run are right."""
    return human_label_column(run) if rules.label_column == AUTO else rules.label_column
