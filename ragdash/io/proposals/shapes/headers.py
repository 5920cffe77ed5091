"""The names of the columns of a table: a header in one row or two, or none."""

from __future__ import annotations

from ragdash.io.proposals.names import ROLE_WORDS, words


def looks_like_header(header: list[str], body: list[list[str]]) -> bool:
    """False for a first row such as "17<tab>What is it?", which is like the rows below."""
    if any(cell.strip().isdecimal() or cell.rstrip().endswith("?") or len(cell) > 60 for cell in header):
        return False
    known = sum(not ROLE_WORDS.isdisjoint(words(cell)) for cell in header)
    return known * 2 >= len(header)


def header_names(header: list[str], body: list[list[str]], width: int) -> tuple[list[str], list[list[str]]]:
    """(names, rows below) of a header in one row or two: merged cells above, names below."""
    header = header + [""] * (width - len(header))
    if len(body) > 1 and any(not cell for cell in header) and header.count("") < width:
        second = [cell.strip() for cell in body[0]] + [""] * (width - len(body[0]))
        third = body[1]
        named = [above or below for above, below in zip(header, second, strict=True)]
        is_names = all(named) and not any(_is_number(cell) or len(cell) > 40 for cell in second) and (
            2 * sum(map(bool, second)) > width) and any(_is_number(cell) or len(cell) > 40 for cell in third)
        if is_names:
            group, names = "", []
            for above, below in zip(header, second, strict=True):
                group = above or group
                names.append(f"{group}.{below}" if group != below and group and below else below or group)
            return _distinct(names), body[1:]
    return _distinct(header), body


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _distinct(names: list[str]) -> list[str]:
    """Names without empty ones and repeats."""
    result: dict[str, None] = {}
    for index, name in enumerate(names, 1):
        name = name or f"column {index}"
        while name in result:
            name = f"{name} ({index})"
        result[name] = None
    return list(result)
