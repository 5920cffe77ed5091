"""Options of a command that are empty, or that another option or ragdash itself rules out."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "empty-option": Message(
        actual="an empty text",
        expected="a value, or no such option",
        fix="Give it a value, or leave it out. In a script: is the variable set?",
    ),
    "no-metric/option": Message(
        actual="no metric",
        expected='one or more, such as "nDCG@10 R@5"',
        fix="Name metrics, or leave the option out for the default ones; `ragdash metrics` lists all.",
    ),
    "bad-memory-limit": Message(
        actual="{value!r}",
        expected="a number of GB above 0",
        fix="Write it like 4 or 1.5, or leave it out: half of the machine's memory is then used.",
    ),
    "bad-switch": Message(
        actual="{value!r}",
        expected="one of {on:comma} or of {off:comma}",
        fix="Write 1 to switch it on. Write 0, or leave it out, to switch it off.",
    ),
    "streamlit-option": Message(
        actual="{given!r} for Streamlit",
        expected="what ragdash sets itself as an option of ragdash",
        fix="Use {ours} instead.",
    ),
    "unnamed-output": Message(
        actual="{name:?{name}}{name:!an empty name}",
        expected="the name of a file",
        fix="Write /dev/stdout for standard output, or ./- for a file of that name.",
    ),
    "output-is-input": Message(
        actual="a file that {other:?{other} names too}{other:!this command reads}",
        expected="another file, as this one would be replaced",
        fix="Choose another name for {option}.",
    ),
    "unwritable-folder": Message(
        actual="a file, or a folder that holds something",
        expected="a new or an empty folder, as a truth without an ending such as .txt is written as a folder of BEIR",
        fix="Name a new folder, or a file with an ending.",
    ),
}
