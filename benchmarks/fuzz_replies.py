"""Judges and writers of test sets whose replies have one value of another type, and what is done with the verdicts.

    python benchmarks/fuzz_replies.py [--seconds 200] [--seed NUMBER]

An endpoint on this machine answers as the toy judge of the tests does; one value of some replies is changed as in
fuzz_types.py, in the verdict or around it.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path

import fuzz_types
from fuzz_roles import Roles
from fuzz_types import as_json, change_value
from models.judge import server as toy_endpoint

METRICS = ("Correctness", "ClaimFaithfulness", "RAGAS.Faithfulness", "RAGAS.AnswerRelevancy", "RAGAS.ContextPrecision",
           "RAGAS.ContextEntityRecall", "RAGChecker.F1", "ContextRelevance", "RAGAS.ContextRecall",
           "RAGAS.AnswerAccuracy", "CitationPrecision", "AnswerRelevanceJudged", "Rubric.polite")
well = toy_endpoint._Handler.well


def main(arguments: list[str] | None = None) -> int:
    """Ask until the time is over; returns the exit status."""
    search = fuzz_types.begin(arguments)
    options = search.options
    roles = Roles(search.folder)
    rubric = search.folder / "polite.toml"
    rubric.write_bytes(roles.of["rubric_labels"][1](roles.of["rubric_labels"][0]))
    replies = search.folder / "replies.jsonl"
    toy_endpoint._Handler.well = changed_reply(search.random, replies)
    end = time.monotonic() + options.seconds
    with toy_endpoint.Server() as server:
        while time.monotonic() < end:
            search.copies += 1
            os.environ["RAGDASH_WORKSPACE"] = str(search.folder / f"w{search.copies}")
            replies.write_bytes(b"")
            for command in commands(search.random, roles, server.url, rubric):
                search.run("replies", replies, command)
    print(f"{search.copies} endpoints, {search.calls} commands, failures: {len(search.seen)}, slowest "
          f"{search.slowest[0]:.1f} s ({search.slowest[1]})")
    return 1 if search.seen else 0


def commands(random: random.Random, roles: Roles, url: str, rubric: Path) -> list[list[str]]:
    """A judge is asked for a metric or a test set, and the verdicts are used."""
    run, truth, metric = roles.run, roles.truth, random.choice(METRICS)
    kind = random.choice(("openai", "anthropic"))
    endpoint = ["--model", "m", "--base-url", url, "--kind", kind, "--yes"]
    out = str(roles.folder / "questions.jsonl")
    if random.random() < 0.2:
        return [["testset", roles.corpus, *endpoint, "-n", "4", "--critique", "-o", out, "--rejects", out + ".rejects"]]
    asked = ["--rubric", str(rubric)] if metric.startswith("Rubric") else ["-m", metric]
    return [["judge", run, *truth, *endpoint, *asked, *random.choice(([], ["--votes", "2"], ["--drift", "2"]))],
            ["evaluate", run, *truth, "-m", metric, "--format", "json", "--per-query"],
            ["diagnose", run, *truth], ["trust", run, *truth, "-m", metric],
            ["verdicts", run, *truth, "--format", random.choice(("rows", "ragas", "deepeval", "ledger"))],
            ["report", run, *truth, "--full", "-m", metric, "-o", str(roles.folder / "r.html")]]


def changed_reply(random: random.Random, replies: Path):
    """What the endpoint answers in place of a good reply; each is written to a file."""
    def answer(handler, body: dict, **changes: object) -> tuple[int, bytes]:
        status, content = well(handler, body, **changes)
        reply, draw = json.loads(content), random.random()
        if draw < 0.5:
            content = as_json(change_value(reply, random))
        elif draw < 0.9 and "choices" in reply:
            message = reply["choices"][0]["message"]
            message["content"] = as_json(change_value(json.loads(message["content"]), random)).decode()
            content = as_json(reply)
        elif draw < 0.9:
            reply["content"] = change_value(reply["content"], random)
            content = as_json(reply)
        with replies.open("ab") as file:
            file.write(content + b"\n")
        return status, content
    return answer


if __name__ == "__main__":
    sys.exit(main())
