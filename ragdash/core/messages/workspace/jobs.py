"""Jobs of workers."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "job-given-up": Message(
        actual="a job whose workers ended in the middle of it without getting further, {attempts} times",
        expected="a worker that finishes it",
        fix="Look at the log of the workers, then start it again: what was stored is kept.",
    ),
    "bad-status-address": Message(
        actual="the address {value!r}",
        expected="a port, or host:port",
        fix="Write --status 9101, or --status 0.0.0.0:9101 for other machines.",
    ),
    "job-files-gone": Message(
        actual="a job whose files are no longer there",
        expected="the texts that the server stored with it",
        fix="Start it again. Give servers and workers the same RAGDASH_BLOBS.",
    ),
    "judge-calls-lost": Message(
        actual="{calls:count call} in flight when a process that asked the judge ended without a word",
        expected="a reply for every call",
        fix="They may have been paid without a verdict, and were asked again.",
    ),
    "no-job": Message(
        actual="no job, or several, whose id begins with {id!r}",
        expected="the id of a job, or a beginning that no other one has",
        fix="`ragdash jobs` lists them.",
    ),
    "no-worker": Message(
        actual="a job that waits, and no worker",
        expected="a worker that takes it",
        fix="Start `ragdash worker` with the address of the workspace.",
        page="The person who runs the server can start `ragdash worker`.",
    ),
    "unknown-job": Message(
        actual="a job that another version of ragdash put into the queue ({reason})",
        expected="a job of this version",
        fix="Install the same version of ragdash on all servers and workers, then start it again.",
    ),
}
