"""One table of terms: the names and tooltips of the pages, and the entries of the glossary.

To change a tooltip or a glossary entry, change its row in a module of this folder. Texts about a metric are with the
metric.

Examples
--------
>>> tooltip("baseline")
'The run that the others are compared with: a difference is candidate minus baseline.'
>>> tooltip("failing_ticket", queries=20)[:62]
'Markdown: the question, the expected results and what each run'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import Formatter

from ragdash.core.terms import (
    data_terms,
    fusion_terms,
    judge_terms,
    query_terms,
    result_terms,
    statistics_terms,
    threshold_terms,
)
from ragdash.core.terms.term import Term

_MODULES = (data_terms, result_terms, statistics_terms, query_terms, judge_terms, threshold_terms, fusion_terms)


def _joined(tables: Iterable[Mapping[str, Term]]) -> dict[str, Term]:
    rows: dict[str, Term] = {}
    for table in tables:
        if shared := rows.keys() & table.keys():
            raise ValueError(f"terms in two tables: {sorted(shared)}")
        rows |= table
    return rows


TERMS: Mapping[str, Term] = _joined(module.TERMS for module in _MODULES)


def tooltip(name: str, **facts: object) -> str:
    """Return the tooltip of a term, with its facts filled in.

    Parameters
    ----------
    name
        Key of the term in `TERMS`.
    facts
        Values of the placeholders of the text, already escaped for Markdown.

    Raises
    ------
    KeyError
        No such term, or a placeholder without its value.
    """
    return TERMS[name].tooltip.format(**facts)


def tooltips(*names: str) -> str:
    """Return the tooltips of several terms as lines, each after its name in bold.

    Examples
    --------
    >>> tooltips("bias").startswith("**Bias**: Mean of verdict minus label")
    True
    """
    return "  \n".join(f"**{TERMS[name].name}**: {tooltip(name)}" for name in names)


def placeholders(name: str) -> set[str]:
    """Return the facts that the tooltip of a term needs."""
    return {field for _, field, _, _ in Formatter().parse(TERMS[name].tooltip) if field}


def glossary() -> str:
    """Return docs/reference/glossary.md: the terms that have an entry, in the order of the table."""
    rows = []
    for term in TERMS.values():
        if term.entry:
            name = term.heading or term.name[:1].lower() + term.name[1:]
            rows.append(f"| {f'[{name}]({term.link})' if term.link else name} | {term.entry} |")
    return "\n".join(("# Glossary", "", "| word | meaning |", "|---|---|", *rows)) + "\n"
