"""Would a hybrid of the runs help? The answer that `ragdash fuse --tune` gives, where the report was asked for it."""

from __future__ import annotations

from ragdash.reporting.html.blocks import Block, Code, Section, Table, Text
from ragdash.reporting.html.content import HybridAnswer, ReportContent
from ragdash.reporting.sentences.hybrid_answer import CHANGE_HEADER, withheld_hybrid

CEILING_HEADER = ("window", "hybrid", "at most")


def decision_of(content: ReportContent, answer: HybridAnswer) -> str:
    """Whether to build a hybrid; what withholds that while the runs are not comparable."""
    withheld = content.verdict.withheld if answer.rows else ()
    return withheld_hybrid(withheld) if withheld else answer.sentences[0]


def hybrid(content: ReportContent, title: str) -> Section:
    """The decision, its price, what each run brings, and the hybrid next to the single runs."""
    answer = content.request.hybrid
    if answer is None:
        return Section("hybrid", title)
    if not answer.rows:
        return Section("hybrid", title, missing=answer.sentences[0])
    details = answer.sentences[1:]
    header = ["run", answer.metric, "low", "high", "n"]
    blocks: list[Block] = [
        Text(decision_of(content, answer)), Text("\n".join(f"- {sentence}" for sentence in details)),
        Table("The tuned hybrid, held out, next to the default and the single runs", header, answer.rows,
              frozenset(range(1, len(header))))]
    if answer.ceiling:
        blocks.append(Table("Ceiling: the best order of the first results of all runs", CEILING_HEADER, answer.ceiling,
                            frozenset((1, 2))))
    if answer.changes:
        blocks.append(Table("What the chosen hybrid changes", CHANGE_HEADER, answer.changes, frozenset((1,))))
    if answer.code:
        blocks.append(Code("The chosen hybrid in Python", answer.code))
    return Section("hybrid", title, blocks)
