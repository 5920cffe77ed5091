"""The one-page report: decision, one table, one picture, three example queries, warnings. At most two printed pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragdash.analysis.recomputed import recomputed_in
from ragdash.analysis.verdict import FIXES, Verdict, badges, lean_specs, merge_alike
from ragdash.core.text.quoted import cut_end
from ragdash.core.text.short_names import short_names
from ragdash.evaluation.compare import best_first, direction
from ragdash.evaluation.compare import differences as differences_of
from ragdash.metrics import Spec, has_answers
from ragdash.metrics.docs.human_agreement import asked_of_answers, leading_metric
from ragdash.reporting.html import answer_outcomes, cells
from ragdash.reporting.html.blocks import Block, Figure, Heading, QueryBlock, ReportDocument, Section, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.html.sections.hybrid import decision_of
from ragdash.reporting.html.sections.judge_validation import label_note
from ragdash.reporting.html.sections.latency_cost import cost_note, spending_column
from ragdash.reporting.html.sections.queries import query_block
from ragdash.reporting.html.static_picture import means_picture
from ragdash.reporting.plots import leaderboard as plots
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.plots.common.theme import Theme
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import verdict as sentences
from ragdash.reporting.sentences.formatting import count, escape, query_count, shorten_middle
from ragdash.reporting.sentences.runs import choice as choice_sentences
from ragdash.reporting.sentences.runs.check_lines import check_lines
from ragdash.reporting.sentences.runs.differences import differences_sentence
from ragdash.reporting.sentences.runs.file_metrics import recomputed_sentences
from ragdash.reporting.sentences.runs.metric_meanings import metric_meaning
from ragdash.reporting.sentences.runs.repeats import ONE_REPEAT, leading_noise, spread_sentence

MAX_RUNS = 5  # of the table and the picture
MAX_METRICS, MAX_ANSWER_METRICS = 5, 2  # columns of the table, and how many of them are about answers
MAX_WARNINGS = 3  # more are counted
INTERVAL = "**95% interval**: where the mean is expected to be on other queries of the same kind."
BASELINE = "**Baseline**: the run that the others are compared with."
MAX_NOTES, MAX_SETTINGS, SETTING_LENGTH = 2, 3, 60  # notes; settings of a run, and characters of each
NOT_SETTINGS = ("ids", "collapse", "scores", "fusion")  # notes on how a run was fixed or made here
EXAMPLES = 3  # queries
MAX_DOCUMENTS = 1  # of each run in an example
NAME_LENGTH, TEXT_LENGTH, WARNING_LENGTH, VALUES_LENGTH = 32, 120, 240, 280  # characters


def summary(content: ReportContent, title: str) -> Section:
    """What a reader needs who reads nothing else."""
    verdict = content.verdict
    paragraphs = [f"**{escape(choice_sentences.verdict_title(verdict))}.** {sentences.headline(verdict)}",
                  " ".join(filter(None, (differences_sentence(verdict), sentences.answers_sentence(verdict)))),
                  f"**For the decision:** {sentences.decision_sentence(verdict)}",
                  choice_sentences.risk_line(verdict), choice_sentences.next_step_sentence(verdict, with_setting=True),
                  f"**{choice_sentences.CHANGE_TITLE}:** {sentences.change_sentence(verdict, alone=False)}"]
    hybrid, step = content.request.hybrid, verdict.advice.hybrid
    if hybrid is not None and hybrid.rows and (step is None or set(step.runs) != set(hybrid.runs)):
        paragraphs.append(f"**Would a hybrid help?** {decision_of(content, hybrid)}")
    if lines := sentences.evidence_lines(verdict):
        items = "\n".join(f"- {line}" for line in lines)
        paragraphs.append(f"**{sentences.evidence_heading(verdict)}**\n\n{items}")
    decision = "\n\n".join(filter(None, paragraphs))
    shown = _shown_runs(content)
    blocks: list[Block | Heading] = [
        Text(_origin(content), quiet=True), Text(_with_short_names(content, decision)), *_warnings(content, verdict),
        _table(content, shown), _meanings(content), *label_note(content, _judged_columns(content)),
        *_repeats(content), *_recomputed(content), *_picture(content, shown), *_examples(content),
        *_settings(content, shown)]
    return Section("summary", title, blocks)


def _origin(content: ReportContent) -> str:
    """Date, author and data."""
    request, selected = content.request, int(content.selected.sum())
    queries = (f"{selected:,} of {query_count(len(content.truth))} only ({escape(request.slice_title)})"
               if request.slice_title else query_count(selected))
    name = escape(shorten_middle(content.truth.name, NAME_LENGTH))
    truth = "" if content.truth.queries_only else f", ground truth “{name}”"
    judged = f", {count(content.truth.judgments, 'judgment', 'judgments')}" if content.truth.judgments else ""
    parts = [escape(request.date), escape(request.author),
             f"{count(len(content.names), 'run', 'runs')} on {queries}{truth}{judged}"]
    return " · ".join(part for part in parts if part)


def _warnings(content: ReportContent, verdict: Verdict) -> list[Block | Heading]:
    """The checks that withhold or qualify the verdict, the worst first, then what is normal but good to know."""
    checks, fixes = merge_alike((*verdict.withheld, *verdict.qualified)), sentences.fix_lines(verdict)
    notes = merge_alike([check for check in verdict.notes if check.kind not in FIXES])
    if len(content.names) < 2 and not checks and not fixes and not notes:
        return []
    lines = check_lines(checks[:MAX_WARNINGS])
    rest = len(checks) - MAX_WARNINGS
    lines += [f"And {rest} more."] if rest > 0 else []
    lines += [] if checks or len(content.names) < 2 else ["All checks passed: these runs can be compared."]
    lines += fixes[:MAX_WARNINGS]
    lines += [f"And {len(fixes) - MAX_WARNINGS} more runs."] if len(fixes) > MAX_WARNINGS else []
    lines += check_lines(notes[:MAX_NOTES])
    items = "\n".join(f"- {_cut(_with_short_names(content, line), WARNING_LENGTH)}" for line in lines)
    return [Heading("Warnings" if checks else "Notes"), Text(items)]


def _shown_runs(content: ReportContent) -> list[int]:
    """The best runs, the baseline among them."""
    order = best_first(np.array([row[0].mean for row in content.summaries]), content.lead.metric.better)
    shown, baseline = order[:MAX_RUNS], content.request.baseline
    return [int(run) for run in (shown if baseline in shown else [*shown[:-1], baseline])]


def _columns(content: ReportContent) -> list[Spec]:
    """The metrics of the table: main ones, and what says something of the answers."""
    answers = _answer_specs(content)
    return [*(spec for spec in content.request.specs if spec not in answers)][:MAX_METRICS - len(answers)] + answers


def _meanings(content: ReportContent) -> Text:
    """What each metric of the table is, and what an interval is, for readers who know neither."""
    specs = _columns(content)
    lines = [f"**{escape(spec.title)}**: {escape(metric_meaning(spec))}" for spec in specs]
    grades = fmt.grades_note(content.truth.grade_values, specs, "report")
    baseline = BASELINE if len(content.names) > 1 else ""
    ceiling = choice_sentences.ceiling_note(specs, map(content.best_possible, specs))
    tied = choice_sentences.tied_note(content.verdict)
    depth = choice_sentences.cutoff_note(content.request.k, (match.run.depth for match in content.request.matches))
    rule = answer_outcomes.outcome_rule(content)
    notes = [ceiling, tied, *lines, rule, depth, INTERVAL, baseline, grades, cost_note(content)]
    return Text(" ".join(filter(None, notes)), quiet=True)


def _settings(content: ReportContent, shown: Sequence[int]) -> list[Text]:
    """The settings in the files, at the end: those in which the runs differ. The full report has them all in its
    appendix.
    """
    if content.request.sections is None or "settings" in content.request.sections:
        return []
    settings = {content.names[run]: {
        name: str(value) for name, value in content.request.matches[run].run.settings.items()
        if name not in NOT_SETTINGS and isinstance(value, (str, int, float))} for run in shown}
    names = dict.fromkeys(name for values in settings.values() for name in values)
    differing = [name for name in names if len({values.get(name) for values in settings.values()}) > 1 or
                 len(shown) == 1][:MAX_SETTINGS]
    parts = [f"**{escape(_short_names(content)[run])}**: " + ", ".join(
        escape(f"{name.replace('_', ' ')}: {shorten_middle(values[name], SETTING_LENGTH)}")
        for name in differing if name in values)
        for run, values in settings.items() if any(name in values for name in differing)]
    return [Text(f"Settings in the files. {'; '.join(parts)}.", quiet=True)] if parts else []


def _misses(content: ReportContent, shown: Sequence[int]) -> tuple[str, list[str]] | None:
    """For how many queries each run finds no relevant document: heading and cells; None where no ranking is judged."""
    specs = [spec for spec in lean_specs(content.lead) if spec.name == "Success"]
    if not specs and content.lead.name == "Success":
        specs = [content.lead]
    if not specs:
        return None
    rates = [row.column(specs[0]) for row in content.leaning] if specs[0] != content.lead else [
        row.column(specs[0]) for row in content.evaluations]
    texts = [choice_sentences.misses_text(float(np.nanmean(values)) if defined else math.nan, defined)
             for values in (rates[run] for run in shown) for defined in [int(np.isfinite(values).sum())]]
    return (f"Nothing found in the first {specs[0].k}", texts) if any(text != "–" for text in texts) else None


def _judged_columns(content: ReportContent) -> list[Spec]:
    return [spec for spec in _columns(content) if spec.metric.view == "Judged"]


def _table(content: ReportContent, shown: Sequence[int]) -> Table:
    """Runs and main metrics, and what says something of the answers."""
    specs = _columns(content)
    columns = [content.metric_summaries(spec) for spec in specs]
    varying = len({summary.n for summary in columns[0]}) > 1
    spending, n = spending_column(content), columns[0][0].n
    counted = [{summary.n for summary in column if summary.n} for column in columns]
    with_n = [varying or len(counts) > 1 for counts in counted]
    rows = [[cells.run_cell(_short_names(content)[content.names[run]], content.slots[run], _run_note(content, run)),
             *(cells.mean_cell(column[run], with_n=shown_n) for column, shown_n in zip(columns, with_n, strict=True)),
             *([spending[1][run]] if spending else [])] for run in shown]
    misses = _misses(content, shown)
    if misses is not None:
        rows = [[row[0], row[1], text, *row[2:]] for row, text in zip(rows, misses[1], strict=True)]
    outcomes = answer_outcomes.outcome_cells(content)
    rows = [[*row, *outcomes[run:run + 1]] for run, row in zip(shown, rows, strict=True)]
    titles = [spec.title if in_cells or counts <= {n} else f"{spec.title} (n = {max(counts):,})"
              for spec, counts, in_cells in zip(specs, counted, with_n, strict=True)]
    hidden = len(content.names) - len(shown)
    left_out = f" {count(hidden, 'run is', 'runs are')} not shown: see the full report." if hidden else ""
    left = int(content.selected.sum()) - n
    basis = "" if varying else f" over {query_count(n)}"
    why = ": no relevant document is known" if columns[0][0].spec.metric.of_rankings and content.selected.all() and (
        left == content.truth.queries_without_relevant) else ""
    basis += f" ({count(left, 'query has', 'queries have')} no value{why})" if left > 0 and not varying else ""
    first = f", best {content.lead.title} first" if len(shown) > 1 else ""
    return Table(f"{fmt.averages(specs)} with 95% interval{basis}{first}.{left_out}",
                 ["Run", *titles[:1], *([misses[0]] if misses else []), *titles[1:],
                  *([spending[0]] if spending else []), *([answer_outcomes.HEADING] if outcomes else [])], rows)


def _answer_specs(content: ReportContent) -> list[Spec]:
    """What the table shows of answers: labels, scores of files and of a judge, else the metric with the strongest
    evidence that answers are right, or else that they are grounded.
    """
    if content.evidence or content.lead.metric.view != "Ranked":
        return content.evidence[:MAX_ANSWER_METRICS]
    if not any(has_answers(match.run) for match in content.request.matches):
        return []
    defined = {spec: max(summary.n for summary in content.metric_summaries(spec)) for spec in content.answers[0].specs}
    defined = {spec: n for spec, n in defined.items() if n}
    fit = [spec for spec in defined if asked_of_answers(spec) == "right"] or list(defined)
    return [leading_metric(fit, defined.__getitem__)] if fit else []


def _repeats(content: ReportContent) -> list[Text]:
    """Which runs are means of repeats, how far these vary, which noise dominates and what to run next."""
    spreads = content.repeat_spreads
    if not spreads:
        return []
    merged = [spread for spread in spreads if not spread.is_difference]
    rest = len(merged) - MAX_RUNS
    lines = [*map(spread_sentence, merged[:MAX_RUNS]), *([f"And {rest} more."] if rest > 0 else []), ONE_REPEAT,
             *leading_noise(spreads)]
    return [Text(_with_short_names(content, escape(" ".join(lines))), quiet=True)]


def _recomputed(content: ReportContent) -> list[Text]:
    """Where metrics of the files differ from the same metrics as computed, and why."""
    specs = content.request.specs[:MAX_METRICS]
    sentences_of_rows = recomputed_sentences(recomputed_in(content.request.matches), specs)
    return [Text(escape(" ".join(sentences_of_rows)), quiet=True)] if sentences_of_rows else []


def _run_note(content: ReportContent, run: int) -> str:
    """Best, tied, baseline, and what speaks against the run."""
    name, verdict = content.names[run], content.verdict
    notes = []
    if verdict.state in ("clear-winner", "no-clear-difference", "too-few"):
        tied = {comparison.candidate: sentences.tied_mark(comparison) for comparison in verdict.tied}
        notes += [sentences.best_mark(verdict.spec, verdict.comparisons)] if name == verdict.best else (
            [tied[name]] if name in tied else [])
    notes += ["baseline"] if run == content.request.baseline and len(content.names) > 1 else []
    return ", ".join([*notes, *dict.fromkeys(check.mark for check in badges(verdict.checks, name))])


def _picture(content: ReportContent, shown: Sequence[int]) -> list[Figure]:
    """The means of the main metric; nothing where no run has one."""
    lead, column = content.lead, content.metric_summaries(content.lead)
    if not any(column[run].n for run in shown):
        return []
    names, slots = [content.names[run] for run in shown], [content.slots[run] for run in shown]
    mean, low, high = (np.array([getattr(column[run], field) for run in shown]) for field in ("mean", "low", "high"))
    n = np.array([column[run].n for run in shown])
    baseline = shown.index(content.request.baseline) if len(names) > 1 else None

    def draw(theme: Theme):
        return plots.means(names, slots, mean, low, high, n, axis=axis_of(lead), theme=theme, baseline=baseline)

    values = ", ".join(f"{name} {fmt.number(value)}" for name, value in zip(names, mean, strict=True))
    drawn = means_picture([_short_names(content)[name] for name in names], slots, mean, low, high, axis=axis_of(lead),
                          baseline=baseline)
    return [Figure("summary-means", lead.title, f"Mean {lead.title} of each run with its 95% interval: {values}.",
                   draw, drawn=drawn)]


def _examples(content: ReportContent) -> list[Block | Heading]:
    """Queries of both sides: the better of the baseline and the best other run against the other of the two.

    The other runs of the table have their values.
    """
    runs, gap = _example_runs(content)
    looked = _looked_at(content, runs)
    names = [escape(_short_names(content)[content.names[run]]) for run in (looked, *(set(runs) - {looked}))]
    ahead = gap * direction(content.lead) * (-1 if looked == runs[0] else 1)
    no_examples = answer_outcomes.contradicted(content, runs, gap)
    sides = _example_sides(np.where(no_examples, np.nan, ahead))
    rows = sides or {row: "" for row in _worst_rows(content, looked)}
    others = [run for run in _shown_runs(content) if run not in runs]
    pair, sign = ([*runs[1:], *runs[:1]], -1) if looked == runs[0] else (runs, 1)  # this run minus the other
    blocks: list[Block | Heading] = []
    for row, side in rows.items():
        block = _compact(content, query_block(content, row, pair, sign * gap[row], others))
        blocks.append(replace(block, why=side.format(_short_names(content)[content.names[looked]])))
    if not blocks:
        return []
    title = {1: "One example query", 2: "Two example queries"}.get(len(blocks), "Three example queries")
    left_out = answer_outcomes.contradicted_sentence(no_examples, content.lead)
    how = _sides_sentence(content, ahead, names, left_out) if sides else (
        f"The queries with the worst {content.lead.title} of {names[0]}.")
    return [Heading(title), Text(how, quiet=True), *blocks]


def _sides_sentence(content: ReportContent, ahead: np.ndarray, names: Sequence[str], left_out: str) -> str:
    """On how many queries each of two runs is better, which of these are no examples, and which are shown."""
    better, worse, equal = (int(side.sum()) for side in (ahead > 0, ahead < 0, ahead == 0))
    return (f"By {content.lead.title}, {names[0]} is better than {names[1]} on {query_count(better)}, "
            f"worse on {worse:,} and equal on {equal:,}. {left_out}{' ' if left_out else ''}Typical: half of the "
            f"{'other ' if left_out else ''}differences on that side are larger, half are smaller.")


def _looked_at(content: ReportContent, runs: Sequence[int]) -> int:
    """Of the runs of the examples the one with the better mean."""
    means = np.array([content.metric_summaries(content.lead)[run].mean for run in runs])
    return runs[best_first(means, content.lead.metric.better)[0]]


def _example_runs(content: ReportContent) -> tuple[list[int], np.ndarray]:
    """The baseline and the best other run with their differences; one run alone with NaN."""
    means = np.array([summary.mean for summary in content.metric_summaries(content.lead)])
    order = best_first(means, content.lead.metric.better)
    candidate = next((int(run) for run in order if (run, content.lead) in content.comparisons), None)
    base = content.request.baseline
    if candidate is None:
        return [int(order[0])], np.full(int(content.selected.sum()), np.nan)
    gap = differences_of(content.evaluations[base], content.evaluations[candidate], content.lead)
    return [base, candidate], gap


def _example_sides(ahead: np.ndarray) -> dict[int, str]:
    """Rows of a typical query on which the better run wins, of a typical one on which it loses, and of its largest
    loss, each with these words; where it never loses, its largest win. Of equal differences the middle or first one.
    """
    wins, losses = ([int(row) for row in np.argsort(-side, kind="stable") if side[row] > 0] for side in (ahead, -ahead))
    rows: dict[int, str] = {}
    if losses:
        largest, rest = losses[0], losses[1:]
        rows = {wins[len(wins) // 2]: "A typical query on which {} is better"} if wins else {}
        if rest:
            rows[rest[len(rest) // 2]] = "A typical query on which {} is worse"
        return {**rows, largest: "The largest loss of {}"}
    if wins:
        largest, rest = wins[0], wins[1:]
        rows = {largest: "The largest win of {}"}
        if rest:
            rows[rest[len(rest) // 2]] = "A typical query on which {} is better"
    return rows


def _worst_rows(content: ReportContent, run: int) -> list[int]:
    """Rows of the queries with the worst values of a run."""
    values = answer_outcomes.failing_values(content, run)
    return [int(row) for row in np.argsort(values, kind="stable") if np.isfinite(values[row])][:EXAMPLES]


def _compact(content: ReportContent, block: QueryBlock) -> QueryBlock:
    """The query with its first documents and short texts; of a document the id alone where there is an answer."""
    short = _short_names(content)
    runs = [(short.get(name, name), _documents(documents, with_text=not answer), _cut(answer))
            for name, documents, answer in block.runs]
    relevant = [replace(document, text="", judged=_plain_short_names(content, document.judged))
                for document in block.relevant[:MAX_DOCUMENTS]]
    query_id = shorten_middle(block.query_id, NAME_LENGTH if block.question else TEXT_LENGTH)  # it may be the question
    return replace(block, query_id=query_id, question=_cut(block.question),
                   values=_cut(_plain_short_names(content, block.values), VALUES_LENGTH),
                   relevant=_documents(relevant), runs=runs,
                   reference=_cut(block.reference), claims=())


def _short_names(content: ReportContent) -> dict[str, str]:
    """Names of runs as this page writes them: long ones are cut where they are alike, and stay different."""
    return dict(zip(content.names, short_names(content.names, NAME_LENGTH), strict=True))


def _with_short_names(content: ReportContent, text: str) -> str:
    """The sentence with long names of runs cut in the middle: one name of 200 characters would fill a line or two."""
    for name, short in _longest_first(content):
        text = text.replace(escape(name), escape(short))
    return text


def _plain_short_names(content: ReportContent, text: str) -> str:
    """The same for text that is not markdown."""
    for name, short in _longest_first(content):
        text = text.replace(name, short)
    return text


def _longest_first(content: ReportContent) -> list[tuple[str, str]]:
    """The names that are cut: a name may be the beginning of another."""
    pairs = [(name, short) for name, short in _short_names(content).items() if name != short]
    return sorted(pairs, key=lambda pair: -len(pair[0]))


def _documents(documents: Sequence[ReportDocument], *, with_text: bool = True) -> list[ReportDocument]:
    return [replace(document, doc_id=shorten_middle(document.doc_id, NAME_LENGTH), judged=_cut(document.judged),
                    text=_cut(document.text) if with_text else "") for document in documents[:MAX_DOCUMENTS]]


def _cut(text: str | None, limit: int = TEXT_LENGTH) -> str:
    return cut_end(text or "", limit)
