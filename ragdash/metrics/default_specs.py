"""What is computed unless metrics are chosen, and which metrics the loaded data can measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.core.records.details import filled
from ragdash.core.text.metric_names import is_spent
from ragdash.metrics.docs.human_agreement import is_of_answers, says_right
from ragdash.metrics.from_file import counterpart, default_file_specs
from ragdash.metrics.registry import METRICS, Spec
from ragdash.metrics.spelling import parse_spec, parse_specs

DEFAULT_SPECS = parse_specs("nDCG@10 R@10 P@5 RR AP Success@10")
ANSWER_SPECS = parse_specs("TokenF1 ROUGE_L CoverEM EM")
GROUNDING_SPECS = parse_specs("SupportCoverage UnsupportedNumbers HallucinationRate")
NEEDED = {
    "Ranked": "judgments", "Diversified": "subtopics", "Permitted": "allowed documents", "Covered": "gold evidence",
    "Answered": "references", "Grounded": "answers and contexts", "Timed": "times or costs"}
"""What a metric looks at, by its view, in a word or two; those of MODELED look at answers."""
MODELED = ("Scored", "Judged", "Cited", "Entailed")  # views of what a model or a judge says of answers


def default_specs(runs: Iterable[Run], truth: Truth, directions: Mapping[str, str] | None = None) -> tuple[Spec, ...]:
    """What is computed unless metrics are chosen: DEFAULT_SPECS, and the metrics in the files of the runs.

    A metric that a file and ragdash both have is next to its counterpart. Without judgments, or without a returned
    document, there is none: then those of `specs_without_rankings`.
    """
    runs = list(runs)
    from_files = default_file_specs(runs, directions)
    if not truth.judgments or not have_rankings(runs):
        return specs_without_rankings(from_files, runs, truth) or DEFAULT_SPECS
    if not from_files:
        return DEFAULT_SPECS
    pairs = ((spec, counterpart(spec, read_spec)) for spec in from_files)
    return tuple(dict.fromkeys([*DEFAULT_SPECS, *(spec for pair in pairs for spec in pair if spec is not None)]))


def specs_without_rankings(from_files: Sequence[Spec], runs: Sequence[Run], truth: Truth) -> tuple[Spec, ...]:
    """Metrics of the files that say how good the runs are, else metrics of answers; then what the runs spend.

    from_files: as of `default_file_specs`. Time, tokens and money are never the first while something says what is
    right. Nor are scores that leave open whether answers are right, such as faithfulness, where there are references.
    """
    spent = [spec for spec in from_files if is_spent(spec.file_column)]
    good = [spec for spec in from_files if spec not in spent]
    if not good:
        return (*default_answer_specs(runs, truth), *spent)
    if is_of_answers(good[0]) and not says_right(good[0]) and _have_references(runs, truth):
        right = [spec for spec in good if says_right(spec)] or ANSWER_SPECS
        good = list(dict.fromkeys([*right, *good]))
    return (*good, *spent)


def _have_references(runs: Sequence[Run], truth: Truth) -> bool:
    """Whether there are answers, and references to compare them with."""
    return any(map(has_answers, runs)) and bool(filled(truth.details, "answers"))


def have_rankings(runs: Sequence[Run]) -> bool:
    """Whether some of the runs say what was retrieved; True of no runs."""
    return not runs or any(run.has_rankings for run in runs)


def has_answers(run: Run) -> bool:
    """Whether the run has an answer to some query."""
    return bool(filled(run.details, "answer"))


def default_answer_specs(runs: Sequence[Run], truth: Truth) -> tuple[Spec, ...]:
    """What is computed of answers where there are no rankings to judge; none where there are.

    ANSWER_SPECS where there are references, else GROUNDING_SPECS. Of runs without rankings they are computed even
    where an answer, or the texts that it was made from, are missing: they say so.
    """
    columns = () if truth.details is None else truth.details.column_names
    is_judged = bool(truth.judgments) or "evidence" in columns
    if is_judged and have_rankings(runs):
        return ()
    answered = any(map(has_answers, runs))
    if "answers" in columns:
        return ANSWER_SPECS if answered or not have_rankings(runs) else ()
    fits = any(map(has_grounding, runs)) or (answered and not is_judged and not have_rankings(runs))
    return GROUNDING_SPECS if fits else ()


def has_grounding(run: Run) -> bool:
    """Whether the run has answers, and texts that they may have been made from."""
    return has_answers(run) and bool(filled(run.details, "contexts") or run.texts is not None)


def read_spec(name: str) -> Spec | None:
    """The Spec of a name; None where there is none."""
    try:
        return parse_spec(name)
    except InputError:
        return None


def measurable_first(templates: Sequence[str], runs: Sequence[Run], truth: Truth) -> list[str]:
    """The metrics of a menu: those that can be measured, those that a model or a judge has to measure, the others.

    The order of each group stays; names that are none of a metric count as measurable.

    Examples
    --------
    >>> run = Run.from_records([{"query_id": "q1", "answer": "Paris", "documents": []}], "bot")
    >>> truth = Truth.from_records([{"query_id": "q1", "relevant": [], "answers": ["Paris"]}], "references")
    >>> measurable_first(["nDCG@k", "TokenF1", "SupportCoverage", "Correctness", "Latency"], [run], truth)
    ['TokenF1', 'Correctness', 'nDCG@k', 'SupportCoverage', 'Latency']
    """
    views = _measurable_views(runs, truth)
    modeled = MODELED if any(map(has_answers, runs)) else ()

    def group(template: str) -> int:
        view = METRICS[name].view if (name := template.partition("@")[0]) in METRICS else ""
        return 0 if not view or view in views else 1 if view in modeled else 2

    return sorted(templates, key=group)


def needed_by(templates: Sequence[str], runs: Sequence[Run], truth: Truth) -> dict[str, str]:
    """What the metrics of a menu need that these runs and this truth lack; those that can be measured are left out.

    Examples
    --------
    >>> run = Run.from_records([{"query_id": "q1", "answer": "Paris", "documents": []}], "bot")
    >>> truth = Truth.from_records([{"query_id": "q1", "relevant": [], "answers": ["Paris"]}], "references")
    >>> needed_by(["nDCG@k", "TokenF1", "Latency"], [run], truth)
    {'nDCG@k': 'judgments', 'Latency': 'times or costs'}
    >>> needed_by(["SupportCoverage"], [run], truth)
    {'SupportCoverage': 'contexts'}
    """
    answered = any(map(has_answers, runs))
    measurable = {*_measurable_views(runs, truth), *(MODELED if answered else ())}
    lacking = {"Grounded": "contexts"} if answered else {"Answered": "answers"}
    needs = {**NEEDED, **dict.fromkeys(MODELED, "answers"), **lacking}
    views = {template: METRICS[name].view for template in templates if (name := template.partition("@")[0]) in METRICS}
    return {template: needs[view] for template, view in views.items() if view in needs and view not in measurable}


def _measurable_views(runs: Sequence[Run], truth: Truth) -> set[str]:
    """The views of metrics for which some run and the truth have what they look at."""
    ranked, answered = any(run.has_rankings for run in runs), any(map(has_answers, runs))
    spent = ("latency_ms", "usage", "prompt_tokens", "completion_tokens", "cost_usd")
    conditions = {
        "Ranked": ranked and bool(truth.judgments),
        "Diversified": ranked and bool(filled(truth.details, "subtopics")),
        "Permitted": ranked and bool(filled(truth.details, "allowed")),
        "Covered": bool(filled(truth.details, "evidence")) and any(
            run.texts is not None or filled(run.details, "contexts") for run in runs),
        "Answered": answered and bool(filled(truth.details, "answers")),
        "Grounded": any(map(has_grounding, runs)),
        "Timed": any(filled(run.details, name) for run in runs for name in spent),
    }
    return {view for view, holds in conditions.items() if holds}
