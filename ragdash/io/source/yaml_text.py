"""A YAML file as JSON: test sets are often written by hand in it."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, ClassVar

import orjson

ENDINGS = (".yaml", ".yml")
MOST_YAML_BYTES = 4 << 20  # of a file: larger ones take more than ten seconds
MOST_VALUES = 5_000_000  # that a file may hold once each alias is replaced by its value


class YamlError(ValueError):
    """What is wrong with a YAML text, and in which line where that is known."""

    def __init__(self, reason: str, line: int | None = None):
        super().__init__(reason)
        self.line = line


def as_json(text: str) -> bytes:
    """The content of a YAML text as JSON; several documents become a list.

    Only null, true, false and plain numbers are no texts: `No` is an answer, 007 is an id, and a date stays as it is
    written. (YAML 1.1 reads them as false, 7 and a date.)

    Raises
    ------
    YamlError
        If the text is no YAML, nests too deeply, or grows too large through its aliases.

    Examples
    --------
    >>> as_json("- id: 007\\n  expected_answer: No\\n  sources: [a.md, b.md]\\n")
    b'[{"id":"007","expected_answer":"No","sources":["a.md","b.md"]}]'
    """
    import yaml

    try:
        documents = list(yaml.load_all(text, Loader=_loader()))
        content = documents[0] if len(documents) == 1 else documents
        _check_size(content)
        return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(error.problem or error.context or "no YAML", mark.line + 1 if mark else None) from None
    except yaml.YAMLError as error:
        raise YamlError(str(error).splitlines()[0]) from None
    except RecursionError:
        raise YamlError("its values are nested too deeply") from None
    except (TypeError, ValueError) as error:  # keys that are lists, numbers beyond 64 bits, half characters
        raise YamlError(str(error)) from None


@cache
def _loader() -> type:
    """A safe loader that reads plain values as JSON has them."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        yaml_implicit_resolvers: ClassVar[dict[str, list]] = {}

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            """As the safe loader does, which expects that a value fits the type that is written before it."""
            try:
                return super().construct_object(node, deep)
            except (AttributeError, LookupError, ValueError):
                kind = node.tag.rpartition(":")[2]
                raise yaml.constructor.ConstructorError(problem=f"a value that is no {kind}",
                                                        problem_mark=node.start_mark) from None

    for tag, pattern, first in (
            ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]), ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
            ("int", r"-?(0|[1-9][0-9]{0,17})", "-0123456789"),
            ("float", r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", "-0123456789"), ("merge", "<<", "<")):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"(?:{pattern})\Z"), list(first))
    return Loader


def _check_size(content: Any) -> None:
    """Raise for values that grow without bounds once aliases are replaced, or that hold themselves."""
    counts: dict[int, int | None] = {}  # None: being counted

    def count(value: Any) -> int:
        if not isinstance(value, dict | list):
            return 1
        if id(value) in counts:
            known = counts[id(value)]
            if known is None:
                raise YamlError("a value that holds itself")
            return known
        counts[id(value)] = None
        total = 1 + sum(map(count, value.values() if isinstance(value, dict) else value))
        if total > MOST_VALUES:
            raise YamlError(f"more than {MOST_VALUES:,} values")
        counts[id(value)] = total
        return total

    count(content)
