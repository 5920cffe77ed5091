"""Is the test set any good? What `ragdash audit` and the page Test set say, in short."""

from __future__ import annotations

from dataclasses import replace

from ragdash.analysis.test_set import check_evaluated, check_labels
from ragdash.reporting.html.blocks import Section, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.sentences.formatting import number
from ragdash.reporting.test_set import check_sentences, finding_rows, query_rows

SHOWN = 10  # queries and findings


def test_set(content: ReportContent, title: str) -> Section:
    """The sentences, the queries that distinguish the runs most, the judgments to look at."""
    check = check_evaluated([replace(row, name=name) for row, name in zip(content.evaluations, content.names,
                                                                         strict=True)],
                            content.request.matches, content.truth, content.lead,
                            check_labels(content.truth, content.request.matches), content.rules)
    first, *others = check_sentences(check)
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
