"""What the table of terms has for each term."""

from __future__ import annotations

from typing import NamedTuple


class Term(NamedTuple):
    """A word of the field, or a choice, figure or column of a page, with its explanation.

    Parameters
    ----------
    name
        The term as pages label it.
    tooltip
        The text behind the question mark, in Markdown. `{facts}` are filled in by the page.
    entry
        Its meaning in the glossary. Empty: the term is a choice of a page and no word of the glossary.
    heading
        Its name in the glossary, where that lists several words for one idea.
    link
        A document that says more, seen from docs/reference/.
    """

    name: str
    tooltip: str = ""
    entry: str = ""
    heading: str = ""
    link: str = ""
