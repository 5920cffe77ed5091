"""Comparing runs."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-cutoff": Message(
        found="{k}",
        expected="a whole number above 0",
        fix="Look at one rank or more.",
    ),
    "bad-cutoff/depth": Message(
        found="{k}",
        expected="a whole number from 1 to {depth}, the depth of the lists",
        fix="Look at fewer ranks, or make deeper lists.",
    ),
    "bad-margin": Message(
        found="{margin:g}",
        expected="a number above 0",
        fix="Give the largest difference that does not matter, such as 0.02.",
    ),
    "bad-persistence": Message(
        found="{p}",
        expected="a number above 0 and below 1",
        fix="Give the probability of reading on, such as 0.9.",
    ),
    "different-match": Message(
        found="{run!r} matched by {how}, {baseline!r} by {other_how}",
        expected="documents matched the same way",
        fix="Evaluate both with the same --match.",
    ),
    "different-queries": Message(
        found="{run!r} evaluated on other queries than {baseline!r}",
        expected="values for the same queries",
        fix="Evaluate both against the same truth.",
    ),
    "different-queries/all": Message(
        found="{run!r} evaluated on other queries than {baseline!r}",
        expected="values for the same queries",
        fix="Evaluate all runs against the same truth.",
    ),
    "different-queries/truth": Message(
        found="{run!r} matched with another truth than {other!r}",
        expected="one truth",
        fix="Match all runs with the same truth.",
    ),
    "no-run": Message(
        found="no run",
        expected="one or more",
        fix="Give the runs to choose from.",
    ),
    "no-run/likeness": Message(
        found="no run",
        expected="one or more",
        fix="Give the runs that are to be laid side by side.",
    ),
    "not-comparable": Message(
        found="{spec}, which {reason}",
        expected="a mean of values per query that should be high or low",
        fix="Leave it out of the comparison; `ragdash evaluate` shows its values.",
    ),
    "not-comparable/oracle": Message(
        found="{spec}",
        expected="a mean of values per query that should be high or low",
        fix="Choose another metric, such as nDCG@10.",
    ),
    "unknown-correction": Message(
        found="{correction!r}",
        expected="{corrections:comma}",
        fix="Choose one of these.",
    ),
    "unknown-overlap": Message(
        found="{overlap!r}",
        expected="{overlaps:or}",
        fix="Choose one of these.",
    ),
}
