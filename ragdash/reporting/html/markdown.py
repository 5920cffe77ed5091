"""The sentences of the pages as HTML: the little markdown that ragdash.reporting.sentences writes, everything else
as written.

Known: **strong**, *emphasis*, `code`, :colour[text], a backslash before a mark that is none, two blanks before a line
break, lists of "- ". Nothing else is markup: a `<script>` in a name comes out as text.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape

COLOURS = ("blue", "orange", "gray")
_TOKEN = re.compile(r"\\(?P<plain>.)|(?P<strong>\*\*)|(?P<em>\*)|`(?P<code>[^`]*)`|:(?P<colour>blue|orange|gray)\[|"
                    r":material/\w+:\s*|(?P<close>\])|(?P<line>  \n)", re.DOTALL)


def as_html(text: str) -> Markup:
    """Markdown of a sentence as inline HTML; marks that are left open are closed."""
    out, open_tags, at = [], [], 0
    for token in _TOKEN.finditer(text):
        out.append(escape(text[at:token.start()]))
        at = token.end()
        kind = token.lastgroup
        if kind == "plain":
            out.append(escape(token["plain"]))
        elif kind == "code":
            out.append(Markup("<code>{}</code>").format(token["code"]))
        elif kind == "line":
            out.append(Markup("<br>"))
        elif kind == "colour":
            open_tags.append("span")
            out.append(Markup('<span class="{}">').format(token["colour"]))
        elif kind == "close":
            out.append(Markup("</span>") if _closes(open_tags, "span") else "]")
        elif kind in ("strong", "em"):
            out.append(Markup("</{}>").format(kind) if _closes(open_tags, kind) else _opened(open_tags, kind))
    out.append(escape(text[at:]))
    return Markup("").join([*out, *(Markup("</{}>").format(tag) for tag in reversed(open_tags))])


def as_blocks(text: str) -> Markup:
    """Markdown of paragraphs and lists as HTML."""
    blocks = []
    for part in re.split(r"\n\n+", text.strip()):
        lines = part.split("\n")
        if lines and all(line.startswith("- ") for line in lines):
            blocks.append(Markup("<ul>{}</ul>").format(
                Markup("").join(Markup("<li>{}</li>").format(as_html(line[2:])) for line in lines)))
        elif part:
            blocks.append(Markup("<p>{}</p>").format(as_html(part)))
    return Markup("\n").join(blocks)


def as_plain(text: str) -> str:
    """The words alone, for titles and alternative texts."""
    return re.sub(r"<[^>]*>", "", str(as_html(text)).replace("<br>", " ")).replace("&lt;", "<").replace(
        "&gt;", ">").replace("&#39;", "'").replace("&#34;", '"').replace("&amp;", "&")


def _opened(open_tags: list[str], tag: str) -> Markup:
    open_tags.append(tag)
    return Markup("<{}>").format(tag)


def _closes(open_tags: list[str], tag: str) -> bool:
    """Whether the tag is the innermost open one, which it then closes."""
    if open_tags and open_tags[-1] == tag:
        open_tags.pop()
        return True
    return False
