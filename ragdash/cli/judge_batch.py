"""`ragdash judge --batch-out` and `--batch-in`: rounds of judging as files; `--batch`: the same over HTTP."""

from __future__ import annotations

import argparse
from pathlib import Path

from ragdash.cli.job_progress import interruptible, write_message
from ragdash.core.console import count, print_note, say, write
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import real_path
from ragdash.evaluation.scoring.run_judge import JudgeReport, JudgeWork, batch_job, stored_report
from ragdash.models.judge import Budget, Patience
from ragdash.models.judge.batch_files.open_batches import OpenBatches
from ragdash.models.judge.batch_files.replies import BatchReading, read_replies
from ragdash.models.judge.batch_files.rounds import BatchRound, next_round
from ragdash.models.judge.batch_files.service import BatchService, Poll, Submission
from ragdash.models.judge.verdict_store.jsonl import unpacked


def batch_step(options: argparse.Namespace, prepared: JudgeWork, budget: Budget) -> int:
    """Read replies where there are any, write the next requests where they are wanted; returns the exit status."""
    reading = _read(options, prepared) if options.batch_in else None
    submitted = OpenBatches.of(prepared.verdict_store, prepared.endpoint).keys()
    following = next_round(batch_job(prepared), prepared.endpoint, budget, resume=bool(reading), waiting=submitted)
    paths = _write(options.batch_out, following) if options.batch_out else []
    report = stored_report(prepared)
    if options.progress == "json":
        write_message(options, "batch", {"read": reading and reading.as_dict(), "next": following.as_dict(),
                                         "files": paths, "report": report.as_dict()})
    else:
        _print(options, reading, following, paths, report if reading else None)
    say(report.problems if reading else ())
    return 2 if reading and any(problem.severity == "error" for problem in reading.problems) else 0


def service_step(options: argparse.Namespace, prepared: JudgeWork, budget: Budget) -> int:
    """Submit the next round to the endpoint's batch service, or look at the open batches; returns the exit status."""
    service = BatchService(batch_job(prepared), prepared.endpoint, Patience(reply=options.timeout))
    result: Submission | Poll
    with interruptible(options) as (_, cancel):
        if options.batch == "submit":
            result = service.submit(budget)
            _say(options, result)
            if result.batches and options.wait:
                result = service.wait(budget, options.wait, cancel, lambda step: _say(options, step))
        elif options.wait:
            result = service.wait(budget, options.wait, cancel, lambda step: _say(options, step))
        else:
            result = service.poll()
            _say(options, result)
    return _after_service(options, prepared, budget, service, result)


def _after_service(options: argparse.Namespace, prepared: JudgeWork, budget: Budget, service: BatchService,
                   result: Submission | Poll) -> int:
    """What the ledger has by now, and what comes next."""
    if isinstance(result, Submission):
        return 0
    report = stored_report(prepared)
    following = service.next_round(budget, resume=True)
    if options.progress == "json":
        write_message(options, "batch", {"running": result.running, "next": following.as_dict(),
                                         "report": report.as_dict()})
    else:
        if result.readings:
            print_note(*report.rows)
        print_note(f"next: {following}")
        if result.running:
            print_note(f"{count(result.running, 'batch', 'batches')} still running; look again with --batch poll")
        elif following.requests:
            print_note("Submit it with --batch submit")
    say(report.problems)
    return 0


def _say(options: argparse.Namespace, step: Submission | Poll) -> None:
    """Write what one step did."""
    if options.progress == "json":
        write_message(options, "batch-step", {"words": str(step)})
    elif str(step):
        print_note(step)
    if isinstance(step, Poll):
        say(step.problems)


def _read(options: argparse.Namespace, prepared: JudgeWork) -> BatchReading:
    if options.batch_out and real_path(options.batch_out) in map(real_path, options.batch_in):
        raise InputError([Problem("batch-same-file", {}, options.batch_out, field="--batch-out")])
    reading = read_replies(batch_job(prepared), prepared.endpoint, [(path, unpacked(path)) for path in
                                                                     options.batch_in])
    say(reading.problems)
    return reading


def _write(path: str, following: BatchRound) -> list[str]:
    """Write the request files; returns their paths: a second one is called requests-2.jsonl."""
    target, paths = Path(path), []
    for number, content in enumerate(following.files, 1):
        paths.append(str(target if number == 1 else target.with_stem(f"{target.stem}-{number}")))
        write(content, paths[-1])
    return paths


def _print(options: argparse.Namespace, reading: BatchReading | None, following: BatchRound, paths: list[str],
           report: JudgeReport | None) -> None:
    if reading and report:
        print_note(f"{', '.join(options.batch_in)}: {reading}")
        print_note(*report.rows)
    print_note(f"{', '.join(paths) or 'next'}: {following}")
    if paths:
        print_note("Nothing was sent. Give the file to the batch service, then read its replies with the same command "
                   "and --batch-in")
    elif following.requests:
        print_note("Write them with --batch-out FILE")
