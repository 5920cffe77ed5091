"""Every page with hostile text in every field: nothing of it reaches a Markdown field, HTML or a figure as markup."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_workspace import PICTURE, hostile_case, keep
from page_cases import address, opened
from test_pages import PAGES

from ragdash.dashboard.session import state

MARKUP = f"{PICTURE}<img src=x>"
PICTURE_MARK = re.compile(r"(?<!\\)!\[i\]")
# Fields that Streamlit shows as they are: options of menus, typed values, alternative texts, names of columns.
PLAIN = {("selectbox", "options"), ("multiselect", "options"), ("text_input", "default"), ("text_input", "value"),
         ("text_area", "default"), ("text_area", "value"), ("dataframe", "columns"),
         ("code", "code_text")}
PLAIN_ANYWHERE = {"alt", "raw_value", "raw_values", "query_string", "id", "spec"}
NOT_DRAWN = {"customdata", "ids", "meta"}  # parts of a figure


def elements(at) -> Iterator:
    """Every element of the page and the sidebar."""
    nodes = [at.main, at.sidebar]
    while nodes:
        node = nodes.pop()
        nodes += node.children.values() if hasattr(node, "children") else ()
        if getattr(node, "proto", None) is not None:
            yield node


def texts_of(message) -> Iterator[tuple[str, str]]:
    """(name of the field, text) of every text in a message and in those inside it."""
    for field, value in message.ListFields():
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            continue
        for part in [value] if isinstance(value, (str, bytes)) or not hasattr(value, "__len__") else value:
            if isinstance(part, str):
                yield field.name, part
            elif field.message_type is not None:
                yield from texts_of(part)


def drawn_texts(part) -> Iterator[str]:
    """Every text of a figure that plotly draws."""
    if isinstance(part, str):
        yield part
    else:
        for key, value in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
            if key not in NOT_DRAWN:
                yield from drawn_texts(value)


def holes(at) -> set[tuple[str, str]]:
    """(kind of element, field) of what would be drawn as a picture or a tag."""
    seen = set()
    for node in elements(at):
        if node.type == "table":
            cells = [*map(str, node.value.columns), *map(str, node.value.to_numpy().ravel())]
            seen |= {("table", "cell")} if any(map(PICTURE_MARK.search, cells)) else set()
        for field, text in texts_of(node.proto):
            if node.type == "html":
                is_hole = "<img" in text
            elif node.type == "plotly_chart" and field == "spec":
                is_hole = any("<img" in drawn for drawn in drawn_texts(json.loads(text)))
            else:
                is_hole = bool(PICTURE_MARK.search(text)) and (node.type, field) not in PLAIN and (
                    field not in PLAIN_ANYWHERE)
            if is_hole:
                seen.add((node.type, field))
    return seen


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGDASH_WORKSPACE", str(folder))
        keep(hostile_case([MARKUP]), Path(os.environ["RAGDASH_WORKSPACE"]), [MARKUP])
    return folder, hostile_case([MARKUP], file_scores=True)


VIEWS = [*((page, {}) for page in PAGES), ("answers/validation", {state.TRUST_VIEW: "label"}),
         ("answers/validation", {state.TRUST_VIEW: "kept"})]


@pytest.mark.parametrize("by_file", [False, True], ids=["computed", "metric of a file"])
@pytest.mark.parametrize("page, choices", VIEWS, ids=[f"{page} {' '.join(more.values())}" for page, more in VIEWS])
def test_no_text_of_a_file_is_markup_on_a_page(page, choices, by_file, case, monkeypatch):
    folder, hostile = case
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(folder))
    more = {"metric": hostile.metric} if by_file else {}
    at = opened(page, state={"shelf": True, "file_metrics": True}, **address(hostile.truth, hostile.runs), **more,
                **choices)
    assert not holes(at)
