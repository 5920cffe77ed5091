"""Gates as JUnit XML, which continuous integration shows beside the tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from ragdash.core.text.quoted import printable
from ragdash.evaluation.ci_gates import GateCheck

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape_xml(text: str) -> str:
    r"""A text for XML: what no terminal gets becomes visible, and characters that XML 1.0 has no way to write.

    Examples
    --------
    >>> escape_xml("dense\x1b[31m"), escape_xml("\u202edense")
    ('dense\\x1b[31m', '\\u202edense')
    """
    return _NOT_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", printable(text))


def as_junit(suite: str, checks: Sequence[GateCheck]) -> bytes:
    """A test suite with a test for each check, failed where the check is missed."""
    missed = sum(check.missed is not None for check in checks)
    root = ElementTree.Element("testsuite", name=escape_xml(suite), tests=str(len(checks)),
                               failures=str(missed), errors="0", skipped="0")
    for check in checks:
        case = ElementTree.SubElement(root, "testcase", classname=escape_xml(f"{suite}.{check.subject}"),
                                      name=escape_xml(check.bound))
        if check.missed is not None:
            failure = ElementTree.SubElement(case, "failure", message=escape_xml(check.missed), type="bound")
            failure.text = escape_xml(check.missed)
        else:
            ElementTree.SubElement(case, "system-out").text = escape_xml(check.observed)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
