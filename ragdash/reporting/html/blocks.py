"""What a section of the report is made of: sentences, tables, pictures, queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ragdash.reporting.html.markdown import as_blocks, as_plain

Cell = str | Markup


@dataclass(frozen=True)
class Text:
    """Paragraphs and lists, markdown of ragdash.reporting.sentences; quiet: small, beside what they explain."""

    text: str
    quiet: bool = False
    kind = "words"

    @property
    def html(self) -> Markup:
        return as_blocks(self.text)


@dataclass(frozen=True)
class Table:
    """A table with a caption: the first cell of each row is its heading. numbers: columns that are aligned to the
    right.
    """

    caption: str
    header: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    numbers: frozenset[int] = frozenset()
    folded: bool = False
    kind = "grid"


@dataclass(frozen=True)
class Figure:
    """A figure, drawn for an appearance when asked; alt: what it shows, for those who do not see it.

    draw(theme) returns a plotly figure. table: its numbers, folded away below it. drawn: the picture as HTML, which
    pages have in place of the figure.
    """

    key: str
    title: str
    alt: str
    draw: Callable
    table: Table | None = None
    caption: str = ""
    drawn: Markup | None = None
    kind = "picture"


@dataclass(frozen=True)
class ReportDocument:
    """A returned or right document of a query: its rank (None: not returned), id, sign of its judgment, text."""

    rank: int | None
    doc_id: str
    judged: str
    text: str = ""


@dataclass(frozen=True)
class JudgedClaim:
    """A claim of "the answer" or "the reference": its text, the judge's verdicts with their signs, whether all of them
    are a yes, the ids of the chunks that support it, the reasons.
    """

    of: str
    text: str
    verdict: str
    yes: bool
    chunks: Sequence[str] = ()
    reason: str = ""


@dataclass(frozen=True)
class QueryBlock:
    """A query that decides: its id, its text, a line about its values, and what each run returned first.

    why: for what it is an example; claims: of each of the runs, where a judge looked at them; right: relevant documents
    in all, also those not shown; ranked: whether the runs say what was retrieved; outcomes: of the
    answers of the runs, "" where it is not known.
    """

    query_id: str
    question: str
    values: str
    relevant: Sequence[ReportDocument]
    runs: Sequence[tuple[str, Sequence[ReportDocument], str]]  # (name, first documents, answer)
    reference: str = ""
    claims: Sequence[Sequence[JudgedClaim]] = ()
    right: int = 0
    ranked: bool = True
    why: str = ""
    outcomes: Sequence[str] = ()
    kind = "query"


@dataclass(frozen=True)
class FactList:
    """Names and their values."""

    rows: Sequence[tuple[str, Cell]]
    kind = "facts"


@dataclass(frozen=True)
class Code:
    """Code to copy, with what it is."""

    caption: str
    text: str
    kind = "code"


Block = Text | Table | Figure | QueryBlock | FactList | Code


@dataclass(frozen=True)
class Heading:
    """A heading within a section."""

    text: str
    kind = "heading"


@dataclass(frozen=True)
class Section:
    """A part of the report; missing: why there is nothing to show, which is said instead."""

    name: str
    title: str
    blocks: Sequence[Block | Heading] = ()
    missing: str = ""

    @property
    def reason(self) -> str:
        """Why it is left out, without marks."""
        return as_plain(self.missing)
