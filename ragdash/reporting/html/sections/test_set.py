"""Is the test set any good, and what to judge next? What `ragdash audit` and `ragdash judgments` say, in short."""

from __future__ import annotations

from dataclasses import replace

from ragdash.analysis.test_set.check import check_evaluated, check_labels
from ragdash.analysis.test_set.unjudged.settle import plan_judgments
from ragdash.core.errors import InputError, Unavailable
from ragdash.core.text.template import percent
from ragdash.reporting.html.blocks import Section, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.sentences.formatting import escape, number
from ragdash.reporting.test_set import check_sentences, finding_rows, plan_sentences, query_rows

SHOWN = 10  # queries, findings, documents


def test_set(content: ReportContent, title: str) -> Section:
    """The sentences, the queries that distinguish the runs most, the judgments to look at."""
    check = check_evaluated([replace(row, name=name) for row, name in zip(content.evaluations, content.names,
                                                                         strict=True)],
                            content.request.matches, content.truth, content.lead,
                            check_labels(content.truth, content.request.matches), content.rules)
    first, *others = check_sentences(check, content.verdict.withheld)
    blocks = [Text(first), Text("\n".join(f"- {sentence}" for sentence in others))]
    rows = [row for row in query_rows(check) if row["state"] == ""][:SHOWN]
    if rows and check.carriers:
        pair = check.carriers[0]
        blocks.append(Table(
            f"The queries that distinguish {pair.leader} and {pair.other} most",
            ["query", "share of the difference of means", "spread", "discrimination"],
            [[row["query_id"], number(row["advantage"], signed=True), number(row["spread"]),
              number(row["discrimination"], 2)] for row in rows], frozenset((1, 2, 3))))
    findings = finding_rows(check.labels.findings[:SHOWN])
    if findings:
        blocks.append(Table("Judgments to look at", ["query", "finding", "documents"],
                            [[row["query_id"], row["finding"], ", ".join(row["documents"])] for row in findings],
                            frozenset()))
    return Section("testset", title, blocks)


def judge_next(content: ReportContent, title: str) -> Section:
    """The sentence of the plan, its cautions, the documents that remove most doubt."""
    names = content.names
    if len(names) < 2:
        return Section("judgenext", title, missing="This needs two or more runs.")
    try:
        plan = plan_judgments([match.renamed(name) for match, name in zip(content.request.matches, names, strict=True)],
                              content.lead, limit=SHOWN, seed=content.rules.seed)
    except (InputError, Unavailable) as error:
        problem = error.problem if isinstance(error, Unavailable) else error.problems[0]
        return Section("judgenext", title, missing=escape(problem.actual))
    first, *others = plan_sentences(plan)
    blocks = [Text(first)]
    if not content.selected.all():
        blocks.append(Text("This covers all queries, not only those shown.", quiet=True))
    blocks += [Text(sentence, quiet=True) for sentence in others]
    rows = [[row["query_id"], row["doc_id"], percent(row["chance"]), percent(row["doubt"], 1),
             percent(row["change"], 1)] for row in plan.table.to_pylist()]
    if rows:
        columns = ["query", "document", "chance of being relevant", "share of the doubt", "leader changed by here"]
        blocks.append(Table("The judgments that remove most doubt", columns, rows, frozenset((2, 3, 4))))
    return Section("judgenext", title, blocks)
