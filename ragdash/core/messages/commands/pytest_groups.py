"""The pytest plugin."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "pytest/no-baseline": Message(
        actual="no baseline file",
        expected="a file that --ragdash-pin wrote",
        fix="Write it from the tests as they pass: pytest --ragdash-pin",
    ),
    "pytest/no-truth": Message(
        actual="no judgments for the group {group!r}",
        expected="log_retrieval(..., relevant=...), truth= in the marker, or ragdash_truth in the settings of pytest",
        fix="Add one of them.",
    ),
    "pytest/empty": Message(
        actual="an empty {name} in a ragdash marker",
        expected="a text, or no {name}",
        fix="Give it a value, or leave it out. Is the variable set that it comes from?",
    ),
    "pytest/nothing-logged": Message(
        actual="nothing that the tests of the group {group!r} logged",
        expected="one query or more",
        fix="Look whether the list of its parameters is empty, and call log_retrieval or log_answer in its tests.",
    ),
    "pytest/repeat-field": Message(
        actual="a field 'repeat' of the query {query!r}",
        expected="the repeats that the marker asks for: repeats=",
        fix="Give the field another name.",
    ),
    "pytest/option": Message(
        actual="{name!r} in a ragdash marker",
        expected="some of {options:comma}",
        fix="Use one of these.",
    ),
    "pytest/repeats": Message(
        actual="{logged:count repeat} of {group!r}",
        expected="{wanted}, as the marker says",
        fix="Log the queries in every repeat.",
    ),
    "pytest/late": Message(
        actual="that a query is logged after its test has ended",
        expected="calls of log_retrieval and log_answer within the test that asks for them, or its fixtures",
        fix="Ask for the fixture in the test that logs the query.",
    ),
    "pytest/same-baseline": Message(
        actual="the baseline of {other!r} in the file for {group!r}",
        expected="a file of its own for each group",
        fix="Name another baseline in the marker of one of them.",
    ),
    "pytest/same-file": Message(
        actual="the result of {other!r} in the file for {group!r}",
        expected="groups whose names differ in letters and digits",
        fix="Rename one of the groups.",
    ),
    "pytest/text": Message(
        actual="{name} of type {kind} in a ragdash marker",
        expected="{expected}",
        fix="Write texts in quotes.",
    ),
    "pytest/logged-twice": Message(
        actual="the query {query!r} logged again with another value of {names:comma}",
        expected="each query once in a test",
        fix="Log it once, or under another query id.",
    ),
    "pytest/twice": Message(
        actual="the query {query!r} of {group!r} logged again",
        expected="each query once per repeat",
        fix="Log it in one test only; the other one is {other}.",
    ),
    "pytest/two-values": Message(
        actual="{name} = {second} in a marker of the group {group!r}",
        expected="{first}, as in another marker of the group",
        fix="Write the same value in all markers of a group.",
    ),
}
