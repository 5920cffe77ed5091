"""Local models and the cache of their values."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-threads": Message(
        found="{value!r}",
        expected="a whole number from 1",
        fix="Change RAGDASH_THREADS.",
    ),
    "model-of-another-kind": Message(
        found="{type}",
        expected="{wanted}",
        fix="Name another folder with {option}.",
    ),
    "no-metric": Message(
        found="no metric",
        expected="one of {metrics}",
        fix="Name one.",
    ),
    "no-model": Message(
        found="no {type}",
        expected="{wanted}",
        fix="Name its folder with {option} or in {variable}.",
    ),
    "no-model/file": Message(
        found="a file",
        expected="{wanted}",
        fix="Name the folder that the model is in.",
    ),
    "no-model/folder": Message(
        found="no folder {path!r}, and no model of this name in the hub's cache",
        expected="{wanted}",
        fix="Check the path; to fetch a model of the hub, add --hub.",
    ),
    "no-model/hub": Message(
        found="{name!r}, which could not be fetched ({reason})",
        expected="a model of the hub",
        fix="Check its name and the connection, or fetch its folder by other means and name that.",
    ),
    "not-a-model-metric": Message(
        found="{spec!r}",
        expected="one of {metrics}",
        fix="Leave it out here; it needs no model.",
    ),
    "nothing-to-embed": Message(
        found="no pair of a chunk and a gold span that needs a model",
        expected="texts that do not stand in each other and are no mere numbers",
        fix="Evaluate with --match-how embedding; it needs no scoring.",
    ),
    "nothing-to-embed/questions": Message(
        found="no question that a judge made of an answer of {run:named run}",
        expected="questions in the ledger",
        fix="python -m ragdash judge RUN --truth TRUTH --metrics \"{metric}\" --base-url URL --model MODEL",
        page="Ask a judge on the Judges page.",
    ),
    "unavailable/library": Message(
        found="{packages} {packages:plural is/are} not installed",
        expected="sentence-transformers",
        fix="pip install \"ragdash[semantic]\"",
    ),
    "unreadable-model": Message(
        found="{reason}",
        expected="{wanted}",
        fix="Copy or fetch the model again, or name another folder.",
    ),
    "unusable-cache": Message(
        found="a cache that cannot be used ({reason})",
        expected="a file that can be read and written",
        fix="Delete it if it is damaged, or name another folder in RAGDASH_CACHE.",
    ),
}
