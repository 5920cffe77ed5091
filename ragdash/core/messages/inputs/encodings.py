"""How the text of a file is encoded."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "byte-order-marks": Message(
        actual="byte order marks at the start of lines ({count} of them), as in files that were joined",
        expected="one at the start of the file",
        fix="They are removed.",
    ),
    "wrong-encoding": Message(
        actual="{type} bytes",
        expected="text in UTF-8",
        fix="Give --encoding {encoding}, or save the file as UTF-8.",
        page="Save the file as UTF-8.",
    ),
    "wrong-encoding/byte": Message(
        actual="byte 0x{byte}, which is not UTF-8",
        expected="text in UTF-8",
        fix="If it is Latin-1 give --encoding latin-1, else the name of its encoding; or save it as UTF-8.",
        page="Save the file as UTF-8.",
    ),
    "wrong-encoding/mixed": Message(
        actual="byte 0x{byte} in a text that is UTF-8 elsewhere ({count} such)", expected="text in UTF-8",
        fix="It is read as Windows-1252: {character}. Save the file as UTF-8 to be sure."),
    "wrong-encoding/windows-1252": Message(
        actual="byte 0x{byte} and others that are not UTF-8 ({count} of them)", expected="text in UTF-8",
        fix="The text is read as Windows-1252: {word}. Give another --encoding if that is wrong, or save it as UTF-8.",
        page="The text is read as Windows-1252: {word}. Save it as UTF-8 if that is wrong.",
    ),
    "wrong-encoding/other": Message(
        actual="{error}",
        expected="text in {encoding}",
        fix="Give the file's own encoding with --encoding (utf-8 is the default).",
        page="Save the file as UTF-8.",
    ),
}
