"""Gates as JUnit XML, which continuous integration shows beside the tests."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from ragdash.evaluation.ci_gates import GateCheck


def as_junit(suite: str, checks: Sequence[GateCheck]) -> bytes:
    """A test suite with a test for each check, failed where the check is missed."""
    missed = sum(check.missed is not None for check in checks)
    root = ElementTree.Element("testsuite", name=suite, tests=str(len(checks)), failures=str(missed), errors="0",
                               skipped="0")
    for check in checks:
        case = ElementTree.SubElement(root, "testcase", classname=f"{suite}.{check.subject}", name=check.bound)
        if check.missed is not None:
            failure = ElementTree.SubElement(case, "failure", message=check.missed, type="bound")
            failure.text = check.missed
        else:
            ElementTree.SubElement(case, "system-out").text = check.observed
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
