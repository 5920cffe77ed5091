"""What --help says: each command and each of its options has a line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from ragdash.cli.main import COMMANDS, _parser


def without_help(parser: argparse.ArgumentParser, name: str) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helped = {choice.dest for choice in action._choices_actions if choice.help}
            for command, options in action.choices.items():
                if command not in helped:
                    yield f"{name} {command}"
                yield from without_help(options, f"{name} {command}")
        elif not action.help:
            yield f"{name} {'/'.join(action.option_strings) or action.dest}"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_line_of_help(command):
    whole = _parser([command])
    (commands,) = (action for action in whole._actions if isinstance(action, argparse._SubParsersAction))
    parser = commands.choices[command]
    assert not [*without_help(parser, command)]
    assert len(parser.format_help()) > 100, "it can be written: a percent sign is escaped"
