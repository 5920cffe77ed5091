"""What is needed to read the numbers and to get them again: settings, comparability, metrics, versions."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from itertools import chain

from markupsafe import Markup

from ragdash.analysis.comparability import check_comparability
from ragdash.evaluation.stats import LEVEL, METHOD
from ragdash.metrics import Metric
from ragdash.metrics.bands import bands_of
from ragdash.metrics.docs.reference import direction_words, range_words, signature
from ragdash.metrics.registry import FILE
from ragdash.reporting.html import cells
from ragdash.reporting.html.blocks import FactList, Heading, Section, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.sentences import comparability as sentences_comparability
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import judge
from ragdash.reporting.sentences.comparison import family_sentence
from ragdash.reporting.sentences.formatting import escape
from ragdash.reporting.tables.evaluation import INTERVALS

PACKAGES = ("numpy", "scipy", "pyarrow", "plotly", "rapidfuzz")


def settings(content: ReportContent, title: str) -> Section:
    """What was counted and how; what the files say of the runs' own settings."""
    request, evaluation = content.request, content.evaluations[0]
    rules, flips = content.rules, content.rules.flips(int(content.selected.sum()), len(content.names))
    facts = [
        ("Queries", request.slice_title or "all"),
        ("Baseline", content.names[request.baseline]),
        ("Cutoff k", f"{request.k:,}"),
        *(
            (name.replace("_", " ").capitalize(), judge.judge_name(str(value)))
            for name, value in evaluation.settings.items()
        ),
        (
            "Intervals",
            f"{fmt.percent(LEVEL)}, {INTERVALS[METHOD]} over queries, {rules.resamples:,} resamples, seed {rules.seed}",
        ),
        (
            "Tests",
            f"{family_sentence(len(content.names), replace(rules, permutations=flips))} Seed {rules.seed}.",
        ),
        *([("Margin", f"differences up to {rules.margin:g} do not matter")] if rules.margin else []),
        *((str(name), str(value)) for name, value in request.settings.items()),
    ]
    run_settings = {name: dict(match.run.settings) for name, match in zip(content.names, request.matches, strict=True)}
    keys = list(dict.fromkeys(chain.from_iterable(run_settings.values())))
    blocks = [FactList(facts)]
    if keys:
        blocks += [Heading("Settings of the runs"), Table(
            "What the files say of how the runs were made", ["Run", *map(str, keys)],
            [[cells.run_cell(name, slot), *(str(run_settings[name].get(key, "–")) for key in keys)]
             for name, slot in zip(content.names, content.slots, strict=True)])]
    return Section("settings", title, blocks)


def comparability(content: ReportContent, title: str) -> Section:
    """The ledger over all queries: one line, its findings, and what the conventions change."""
    request = content.request
    runs = [match.run.renamed(name) for match, name in zip(request.matches, content.names, strict=True)]
    conventions = request.matches[0].conventions
    report = check_comparability(runs, content.truth, conventions, request.specs)
    line = sentences_comparability.summary(report, content.names, conventions)
    lines = [
        f"- **{finding.severity}**{f', {escape(finding.run)}' if finding.run else ''}: "
        + sentences_comparability.finding_text(finding).replace("\n", "")
        for finding in sentences_comparability.sort_findings(report.findings)
    ]
    blocks = [Text(line[:1].upper() + line[1:]), *([Text("\n".join(lines))] if lines else [])]
    changing = {(effect.convention, effect.run) for effect in report.effects if effect.marked and not effect.chosen}
    rows = [
        [
            effect.convention,
            effect.choice + (" (chosen)" if effect.chosen else ""),
            effect.run,
            effect.spec.title,
            "refused" if effect.refused else fmt.number(effect.mean),
            fmt.number(effect.change, signed=True),
            f"{effect.n:,}",
        ]
        for effect in report.effects
        if (effect.convention, effect.run) in changing and effect.spec == content.lead
    ]
    if rows:
        blocks.append(Table(f"What each choice does to the mean of {content.lead.title}",
                           ["Convention", "Choice", "Run", "Metric", "Mean", "Change", "n"], rows, frozenset({4, 5, 6}),
                           folded=True))
    else:
        blocks.append(Text(f"No other choice of conventions changes a mean of {content.lead.title}.", quiet=True))
    return Section("ledger", title, blocks)


def metrics(content: ReportContent, title: str) -> Section:
    """Definitions of every metric in the report."""
    specs = [*content.request.specs, *(spec for spec in content.answers[0].specs
                                       if any(summary.n for summary in content.metric_summaries(spec)))]
    blocks: list = []
    for metric in {spec.metric.title: spec.metric for spec in specs}.values():
        blocks += [Heading(metric.title), FactList(list(_definition(metric)))]
    return Section("metrics", title, blocks)


def _definition(metric: Metric) -> Iterable[tuple[str, str | Markup]]:
    yield "Means", metric.summary_line
    if metric.when:
        yield "When to look at it", metric.when
    yield "Formula", Markup("<code>{}</code>").format(metric.formula)
    if metric.family != FILE:
        yield "Written", Markup("<code>{}</code>").format(signature(metric))
    yield "Range", f"{range_words(metric)}; {direction_words(metric)}; {metric.aggregate} over queries"
    for table in bands_of(metric.name):
        yield f"Bands of {fmt.template_title(table.spec)}", f"{table.words()} ({table.source})"
    if metric.differs:
        yield "Elsewhere", metric.differs
    if metric.source:
        yield "Source", metric.source


def versions(content: ReportContent, title: str) -> Section:
    """Digests of what went in, versions of what computed it, and how to make the report again."""
    request = content.request
    rows = [[cells.run_cell(name, slot), Markup("<code>{}</code>").format(match.run.digest), f"{len(match.run):,}",
             f"{len(match.run.docs):,}"]
            for name, slot, match in zip(content.names, content.slots, request.matches, strict=True)]
    truth = content.truth
    rows.append([f"{truth.name} (judgments)", Markup("<code>{}</code>").format(truth.digest), f"{len(truth):,}",
                 f"{truth.judgments:,}"])
    packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    facts = [
        ("ragdash", import_module("ragdash").__version__),
        ("Python", platform.python_version()),
        ("With", packages),
    ]
    if request.command:
        facts.append(("Made by", Markup("<code>{}</code>").format(request.command)))
    return Section("versions", title, (
        Table("Digests of the contents", ["File", "Digest", "Queries", "Rows"], rows, frozenset({2, 3})),
        Text("A digest is that of the content: rankings, scores, texts and judgments, whatever the name of the file "
              "or the order of its rows. Equal digests and settings give equal numbers.", quiet=True), FactList(facts)))
