"""What the Failures page knows: where the queries in scope of every run shown went wrong first, and what that costs.

Letters: N runs shown, Q queries of the truth, S stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.diagnosis import FAILURES, FINE, NAMES, RANKED_LOW, STAGES, Diagnosis, RankedLow
from ragdash.analysis.diagnosis.potential_gain import OF_RETRIEVAL
from ragdash.analysis.diagnosis.rules import JUDGED_GROUNDED, NO_JUDGE
from ragdash.core.console import query_count
from ragdash.core.terms import TERMS
from ragdash.dashboard.caches import diagnosis_cache, what_if_cache
from ragdash.dashboard.components import run_picker
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.matching.file_labels import label_columns
from ragdash.metrics import GROUNDING_SPECS, Spec, parse_specs
from ragdash.metrics.docs.human_agreement import WORD_OVERLAP, is_grounding, is_of_answers, says_right
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.failures.answer_rules import (
    FIRST_FAILURE,
    UNUSED_LABELS,
    declined_sentence,
    grounded_rule,
    right_answer_rule,
    right_sentence,
    unused_labels_note,
)
from ragdash.reporting.sentences.failures.stage_fixes import stage_fix
from ragdash.reporting.sentences.formatting import escape, number

RANKED_LOW_TITLE = TERMS["ranked_low"].name
NOT_MEASURED = "Not measured: at which step queries go wrong, and which answers are right. "
NOTHING_KNOWN = (NOT_MEASURED + "No query has a relevant document or a reference answer to check against. Judge "
                 "documents, mark evidence, or add reference answers.")
NO_ANSWERS = (NOT_MEASURED + "There are reference answers, but the runs have no answers to check against them, and no "
              "query has a relevant document. Add the answers of the runs: a column `answer`.")
MAX_SENTENCES = 3  # runs that get a sentence each
MAX_NAMES = 3  # of runs in a sentence about many
LEAK = "forbidden"  # the stage that matters whatever a metric says
MAX_LOSSES = 3  # rows that the sentence of a run names


@dataclass(frozen=True, eq=False)
class FailuresData:
    """found: a diagnosis for each run; counts (N, S): queries in scope; gains (N, S): of the spec at most, NaN
    undefined; inside (Q,) bool: in scope; at: the run looked at; spec: None where the metric cannot be measured;
    ranked_low: for each run what no stage explains of the gap, None where the spec measures no rankings.
    """

    context: PageContext
    spec: Spec | None
    run_index: int
    in_scope: np.ndarray
    diagnoses: Sequence[Diagnosis]
    counts: np.ndarray
    gains: np.ndarray
    ranked_low: Sequence[RankedLow | None]

    @property
    def digest(self) -> str:
        """Digest of the run looked at."""
        return self.context.digests[self.run_index]

    @property
    def diagnosis(self) -> Diagnosis:
        """The diagnosis of the run looked at."""
        return self.diagnoses[self.run_index]

    @property
    def total(self) -> int:
        """Queries in scope."""
        return int(self.in_scope.sum())

    @property
    def occurring_stages(self) -> list[int]:
        """The stages at which some run has a query, in the order of the corridor."""
        return np.flatnonzero(self.counts.any(axis=0)).tolist()

    @property
    def rows(self) -> list[str]:
        """The stages at which some run has a query, by name; last what ranks low, if anything: it is no stage."""
        low = any(item is not None and item.queries.any() for item in self.ranked_low)
        return [*(NAMES[s] for s in self.occurring_stages), *([RANKED_LOW] if low else [])]

    def row_of(self, run: int, name: str) -> tuple[int, float]:
        """The queries of a run in such a row, and what fixing them gains at most, NaN undefined."""
        if name == RANKED_LOW:
            item = self.ranked_low[run]
            return (0, np.nan) if item is None else (int(item.queries.sum()), item.at_most)
        s = NAMES.index(name)
        return int(self.counts[run, s]), float(self.gains[run, s])

    @property
    def checked(self) -> np.ndarray:
        """The queries in scope of which something can be assessed in the run looked at: (Q,) bool."""
        return self.in_scope & (self.diagnosis.stage != NAMES.index("no-gold"))

    def failing_stages(self, run: int) -> list[str]:
        """The names of the stages at which queries of a run went wrong."""
        return [NAMES[s] for s in FAILURES if self.counts[run, s]]


def build_data(context: PageContext, spec: Spec | None) -> FailuresData:
    """The diagnoses of all runs shown; the run looked at is the usual one unless chosen."""
    key = state.choice_key(state.LOOKED, context.digests, run_picker.usual_run(context))
    selected = context.digests.index(state.get(key))
    in_scope = context.scope.queries
    diagnoses = [context.results.diagnosis(digest) for digest in context.digests]
    counts = np.array([diagnosis.counts(in_scope) for diagnosis in diagnoses])
    gains = np.full(counts.shape, np.nan) if spec is None else np.array([
        context.results.gains(digest, spec) for digest in context.digests])
    ranked_low = [None if spec is None else diagnosis_cache.ranked_low(digest, context.scope, context.k, spec)
                  for digest in context.digests]
    return FailuresData(context, spec, selected, in_scope, diagnoses, counts, gains, ranked_low)


def stage_sentences(data: FailuresData) -> list[str]:
    """Where most queries fail: a sentence for each run; of many the run looked at, then how many others.

    Where nothing says what is right for any query: what is not known for that reason, and what is measured anyway.
    """
    if nothing_known(data):
        details = data.context.scope.truth.details
        has_references = details is not None and "answers" in details.column_names
        return [NO_ANSWERS if has_references else NOTHING_KNOWN, *_measured_sentence(data)]
    names = [f"**{escape(name)}**" for name in data.context.names]
    if len(names) <= MAX_SENTENCES:
        return [_run_sentence(data, run, names[run]) for run in range(len(names))]
    others = [int(row.argmax()) if row.any() else FINE for run, row in enumerate(map(_failures, data.counts))
              if run != data.run_index]
    return [_run_sentence(data, data.run_index, names[data.run_index]), _others_sentence(others)]


def _others_sentence(worst: Sequence[int]) -> str:
    """At which stages the other runs fail most often, as numbers of runs; worst: the stage of each, FINE for none."""
    failing = [stage for stage in worst if stage != FINE]
    stages = [f"**{STAGES[stage].title}** ({fmt.count(failing.count(stage), 'run')})" for stage in sorted(set(failing))]
    where = f"{fmt.count(len(failing), 'other run')} fail most often at {fmt.listed(stages)}."
    none = f"No failure is found in {fmt.count(len(worst) - len(failing), 'other run')}."
    return " ".join([*([where] if failing else []), *([none] if len(failing) < len(worst) else [])])


def _failures(counts: np.ndarray) -> np.ndarray:
    """Queries of each stage before FINE at which something went wrong: none where there is nothing to check."""
    return np.where(np.isin(np.arange(FINE), FAILURES), counts[:FINE], 0)


def nothing_known(data: FailuresData) -> bool:
    """Whether no query of a run shown can be assessed at any step, because nothing says what is right."""
    return bool((data.counts[:, NAMES.index("no-gold")] == data.total).all())


def _measured_sentence(data: FailuresData) -> list[str]:
    """The metric of the sidebar where it has values, else how far contexts support the answers; none where neither."""
    for spec in dict.fromkeys(filter(None, [data.spec, *GROUNDING_SPECS[:1]])):
        rows = [row[0] for row in data.context.results.summary([spec])]
        means = [f"**{escape(name)}** {number(row.mean)} (n = {row.n:,})"
                 for name, row in zip(data.context.names, rows, strict=True) if row.n]
        if means:
            subject = "how far the contexts support the answers" if is_grounding(spec) else escape(spec.title)
            title = f", {escape(spec.title)}" if is_grounding(spec) else ""
            return [f"Measured anyway: {subject}{title}. {_some(means)}."]
    return []


def _some(names: Sequence[str]) -> str:
    """The first names, the others as a number."""
    more = len(names) - MAX_NAMES
    return fmt.listed([*names[:MAX_NAMES], f"{more:,} more"] if more > 1 else list(names))


@dataclass(frozen=True)
class _Loss:
    """What the queries of a stage could gain in the metric, at most; name: of the stage."""

    name: str
    queries: int
    gain: float

    @property
    def title(self) -> str:
        """Of the stage."""
        return f"**{RANKED_LOW_TITLE if self.name == RANKED_LOW else STAGES[NAMES.index(self.name)].title}**"

    @property
    def note(self) -> str:
        """That nothing fails there: the order could be better."""
        return " with relevant documents in a poor order" if self.name == RANKED_LOW else ""


def _run_sentence(data: FailuresData, run: int, name: str) -> str:
    """What to fix first in a run, what the metric can gain, and where most queries fail where it cannot show that."""
    losses, first, then = _by_gain(data, run), "", ""
    if losses and data.spec is not None:
        loss = losses[0]
        first = (f"{loss.title}: {query_count(loss.queries)}{loss.note}, up to {number(loss.gain, signed=True)} "
                 f"{escape(data.spec.title)}.")
    if rest := [f"{loss.title} ({loss.queries:,}{loss.note}, {number(loss.gain, signed=True)})"
                for loss in losses[1:MAX_LOSSES]]:
        then = f"Then {fmt.listed(rest)}."
    if not _failures(data.counts[run]).any():
        none = f"{name}: no failure found at any step that can be assessed."
        return " ".join(filter(None, (none, first and f"Still to gain at {first}", then)))
    right = _right_anyway(data, run) if run == data.run_index else ""
    most = _count_sentence(data, run)
    if _leading(data, run):
        first = f"{name}: first fix {most}" + (first and f" {escape(data.spec.title)} can gain most at {first}")
        most = ""
    else:
        first = first and f"{name}{_lead(losses[0])}{first}"
    return " ".join(filter(None, (first, then, most and f"Most queries fail at {most}", right)))


def _lead(loss: _Loss) -> str:
    """How the row with most to gain is called: documents that rank low are no failure to fix."""
    return " can gain most at " if loss.name == RANKED_LOW else ": first fix "


def _by_gain(data: FailuresData, run: int) -> list[_Loss]:
    """What a run can gain at each stage, and by a better order where enough is found, the largest gain first; nothing
    where there is nothing to check: what is missing there is a judgment or an answer.
    """
    rows = [row for row in dict.fromkeys([*data.rows, RANKED_LOW]) if row not in (NAMES[FINE], "no-gold")]
    losses = [_Loss(row, *data.row_of(run, row)) for row in rows]
    return sorted((loss for loss in losses if loss.gain > 0), key=lambda loss: -loss.gain)


def runs_to_fix_first(data: FailuresData, row: str, runs: Sequence[int]) -> list[int]:
    """Which of these runs have this stage as their first fix; none where nothing says what is right."""
    if nothing_known(data):
        return []
    first = {run: [NAMES[s] for s in _leading(data, run)] or [loss.name for loss in _by_gain(data, run)[:1]]
             for run in runs}
    return [run for run in runs if row in first[run]]


def _leading(data: FailuresData, run: int) -> list[int]:
    """The stages of `_unmeasured` where documents leak, or more queries fail than the metric can gain from; or none."""
    losses, worst = _by_gain(data, run), _unmeasured(data, run)
    leads = not losses or NAMES.index(LEAK) in worst or (
        bool(worst) and _failures(data.counts[run])[worst[0]] > losses[0].queries)
    return worst if leads else []


def _unmeasured(data: FailuresData, run: int) -> list[int]:
    """The stages at which most queries fail, where the metric can gain nothing there or documents leak; else none."""
    row = _failures(data.counts[run])
    worst = np.flatnonzero(row == row.max()).tolist() if row.any() else []
    measured = {NAMES[s] for s in worst} & {loss.name for loss in _by_gain(data, run)}
    return [] if measured and NAMES.index(LEAK) not in worst else worst


def _count_sentence(data: FailuresData, run: int) -> str:
    """How many queries fail at the stages of `_unmeasured`; "" for none."""
    if not (worst := _unmeasured(data, run)):
        return ""
    unchanged = "" if data.spec is None or np.nan_to_num(data.gains[run, worst]).any() else (
        f"; {escape(data.spec.title)} does not show whether answers are right"
        if worst == [NAMES.index("wrong-answer")] and is_of_answers(data.spec) and not says_right(data.spec) else
        f"; fixing that does not change {escape(data.spec.title)}")
    return (f"{fmt.listed([f'**{STAGES[s].title}**' for s in worst])}: {_failures(data.counts[run])[worst[0]]:,} of "
            f"{query_count(data.total)}{' each' if len(worst) > 1 else ''}{unchanged}.")


def _right_anyway(data: FailuresData, run: int) -> str:
    """How many queries that fail in retrieval have a right answer all the same; "" for none."""
    diagnosis = data.diagnoses[run]
    of_retrieval = [NAMES.index(name) for name in OF_RETRIEVAL if name != "no-gold"]
    failing = np.isin(diagnosis.stage, of_retrieval) & data.in_scope
    right = int((failing & (diagnosis.numbers["right"] == 1)).sum())
    return (f"{right:,} of the {query_count(int(failing.sum()))} without enough relevant documents "
            f"{'has' if right == 1 else 'have'} a right answer all the same.") if right else ""


def common_fixes(data: FailuresData) -> list[str]:
    """What usually fixes what the run looked at should fix first, whichever other runs are shown."""
    if nothing_known(data):
        return []  # said already
    run, names = data.run_index, data.context.names
    of_run = f" in {names[run]}" if len(names) > 1 else ""
    row, worst, ranks_low = _most_lost(data)
    by_metric = [f"To fix {RANKED_LOW_TITLE}{of_run}: re-rank the first results."] * ranks_low
    by_metric += [_fix_line(data, worst, of_run)] * bool(row.any())
    leading = _leading(data, run)
    lines = list(dict.fromkeys([*(_fix_line(data, stage, of_run) for stage in leading), *by_metric[:1]]
                               if leading else by_metric))
    return lines + (_hybrid_lines(data) if may_need_hybrid(data) else [])


def _fix_line(data: FailuresData, stage: int, of_run: str) -> str:
    fix = stage_fix(STAGES[stage], data.diagnoses[data.run_index], data.in_scope)
    return f"To fix {STAGES[stage].title}{of_run}: {fix[:1].lower()}{fix[1:]}"


def may_need_hybrid(data: FailuresData) -> bool:
    """Whether the run looked at loses most where a better ranking helps."""
    if nothing_known(data):
        return False
    row, worst, ranks_low = _most_lost(data)
    return ranks_low or bool(row.any() and NAMES[worst] in OF_RETRIEVAL)


def _most_lost(data: FailuresData) -> tuple[np.ndarray, int, bool]:
    """Of the run looked at: failures of each stage, the stage with most to gain, whether a better ranking gains more.
    """
    row, low = _failures(data.counts[data.run_index]), data.ranked_low[data.run_index]
    gains = np.nan_to_num(data.gains[data.run_index, :FINE])
    worst = max(range(FINE), key=lambda stage: (gains[stage], row[stage]))  # most queries where nothing can be gained
    return row, worst, low is not None and bool(low.at_most > gains.max())


def _hybrid_lines(data: FailuresData) -> list[str]:
    """That a hybrid would help, where What-if is known to say so of this metric."""
    context = data.context
    gain = None if data.spec is None else what_if_cache.known_gain(
        context.digests, context.names, context.scope, data.spec)
    return [] if gain is None or gain.same else [
        f"What-if: fusing {fmt.listed(gain.runs)} would reach {data.spec.title} {number(gain.value)}."]


def scope_note(data: FailuresData) -> str:
    """Of how many queries the metric has no value although they are looked at here; "" for none, and where these are
    the ones without a relevant document or without an answer: the notes below the stages count them."""
    if data.spec is None:
        return ""
    undefined = data.total - data.context.results.summary([data.spec])[data.run_index][0].n
    results, run = data.context.results, data.run_index
    counted = {"Ranked": results.counts()[run]["unanswerable"], "Answered": data.total - results.answered()[run]}
    if undefined <= 0 or undefined == counted.get(data.spec.metric.view):
        return ""
    return (f"This page looks at {query_count(data.total)}. The mean of {escape(data.spec.title)} leaves "
            f"out {undefined:,} of them: it is undefined for them.")


def rule_notes(data: FailuresData) -> list[str]:
    """By what an answer counts as right, and as grounded."""
    rules, context = data.diagnosis.rules, data.context
    specs = parse_specs(JUDGED_GROUNDED) if rules.grounded_spec.name in WORD_OVERLAP else ()
    grounded = grounded_rule((rules.grounded_spec, rules.grounded), context.names,
                             context.results.evaluations([rules.grounded_spec, *specs]), specs) if specs else ""
    return list(filter(None, (right_answer_rule(data.diagnoses, context.names), grounded)))


def answers_notes(data: FailuresData) -> list[str]:
    """How many answers of the run looked at are right, how many decline, and where they are; [] for none."""
    name, diagnosis = f"**{escape(data.context.names[data.run_index])}**", data.diagnosis
    right = right_sentence(name, diagnosis.count_right(data.in_scope))
    return list(filter(None, [right and f"{right} {FIRST_FAILURE}",
                              unused_labels_note(diagnosis, with_fix=True),
                              declined_sentence(name, diagnosis.declined(data.in_scope))]))


def is_judged(data: FailuresData) -> bool:
    """Whether a judge has judged enough answers of a run shown to say which are right."""
    return any(diagnosis.judge for diagnosis in data.diagnoses) or data.diagnosis.rules.right_judge == NO_JUDGE


def label_columns_of(data: FailuresData) -> list[str]:
    """The columns of the runs' files that can say whether an answer is right."""
    runs = [data.context.scope.match(digest).run for digest in data.context.digests]
    return list(dict.fromkeys(name for run in runs for name in label_columns(run)))


def unassessed_notes(data: FailuresData) -> list[str]:
    """What could be assessed for no query of a run, and why; runs of which the same is said together."""
    gaps = [diagnosis.unassessed for diagnosis in data.diagnoses]
    lines = []
    for text in filter(None, dict.fromkeys(gaps)):
        runs = [name for name, gap in zip(data.context.names, gaps, strict=True) if gap == text]
        for_runs = "" if len(runs) == len(gaps) else f" for {fmt.listed_few(runs)}"
        lines.append(f"Not assessed{for_runs}: {text}.")
    problems = [problem.words("page") for diagnosis in data.diagnoses for problem in diagnosis.problems
                if problem.kind != UNUSED_LABELS]
    return [*lines, *dict.fromkeys(f"{words.actual[:1].upper()}{words.actual[1:]}. {words.fix}" for words in problems)]
