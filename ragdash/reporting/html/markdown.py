"""The sentences of the pages as HTML: the little markdown that ragdash.reporting.sentences writes, everything else
as written.

Known: **strong**, *emphasis*, `code`, :color[text], a backslash before a mark that is none, two blanks before a line
break, lists of "- ". Nothing else is markup: a `<script>` in a name comes out as text.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from ragdash.core.text.quoted import without_isolates
from ragdash.reporting.sentences.formatting import unescape_spans

_TOKEN = re.compile(r"\\(?P<plain>.)|(?P<strong>\*\*)|(?P<em>\*)|`(?P<code>[^`]*)`|:(?P<color>blue|orange|gray)\[|"
                    r":material/\w+:\s*|(?P<close>\])|(?P<line>  \n)", re.DOTALL)


def as_html(text: str) -> Markup:
    """Markdown of a sentence as inline HTML; marks that are left open are closed."""
    fragments, open_tags, position = [], [], 0
    text = unescape_spans(text)
    for token in _TOKEN.finditer(text):
        fragments.append(escape(text[position:token.start()]))
        position = token.end()
        kind = token.lastgroup
        if kind == "plain":
            fragments.append(escape(token["plain"]))
        elif kind == "code":
            fragments.append(Markup("<code>{}</code>").format(token["code"]))
        elif kind == "line":
            fragments.append(Markup("<br>"))
        elif kind == "color":
            open_tags.append("span")
            fragments.append(Markup('<span class="{}">').format(token["color"]))
        elif kind == "close":
            fragments.append(Markup("</span>") if _close_tag(open_tags, "span") else "]")
        elif kind in ("strong", "em"):
            fragments.append(
                Markup("</{}>").format(kind) if _close_tag(open_tags, kind) else _open_tag(open_tags, kind)
            )
    fragments.append(escape(text[position:]))
    return Markup("").join([*fragments, *(Markup("</{}>").format(tag) for tag in reversed(open_tags))])


def as_blocks(text: str) -> Markup:
    """Markdown of paragraphs and lists as HTML."""
    blocks = []
    for paragraph in re.split(r"\n\n+", text.strip()):
        lines = paragraph.split("\n")
        if lines and all(line.startswith("- ") for line in lines):
            blocks.append(Markup("<ul>{}</ul>").format(
                Markup("").join(Markup("<li>{}</li>").format(as_html(line[2:])) for line in lines)))
        elif paragraph:
            blocks.append(Markup("<p>{}</p>").format(as_html(paragraph)))
    return Markup("\n").join(blocks)


def as_plain(text: str) -> str:
    """The words alone, for titles and alternative texts."""
    html = str(as_html(without_isolates(text))).replace("<br>", " ")
    return re.sub(r"<[^>]*>", "", html).replace("&lt;", "<").replace("&gt;", ">").replace("&#39;", "'").replace(
        "&#34;", '"').replace("&amp;", "&")


def _open_tag(open_tags: list[str], tag: str) -> Markup:
    open_tags.append(tag)
    return Markup("<{}>").format(tag)


def _close_tag(open_tags: list[str], tag: str) -> bool:
    """Whether the tag is the innermost open one, which it then closes."""
    if open_tags and open_tags[-1] == tag:
        open_tags.pop()
        return True
    return False
