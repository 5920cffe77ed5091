"""`ragdash testset`: a model writes questions about documents; those that pass every rule become a truth."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from threading import Event
from typing import Any

from ragdash.cli.common_options import whole_number
from ragdash.cli.inputs import reading_arguments, source_of
from ragdash.cli.job_progress import CANCELLED, STATUS, interruptible, reported_problems, write_message
from ragdash.cli.judge_endpoint import add_judge_options, confirm, endpoint_of, write_plan
from ragdash.core.console import count, print_note, say, write
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import split_name
from ragdash.core.text.template import percent
from ragdash.experiments.testset import (
    RULES,
    TYPES,
    DraftRequest,
    DraftSet,
    RoundTrip,
    Sets,
    drafts_jsonl,
    drafts_per_type,
    generate_drafts,
    notes,
    plan_drafts,
    rejects_jsonl,
    truth_jsonl,
)
from ragdash.io import read_corpus, read_run
from ragdash.models.judge import MISSING, Budget, Endpoint, Outcome, Patience, VerdictStore, default_verdict_store
from ragdash.models.judge.budget import SharedBudget
from ragdash.models.judge.plan import JudgingListener, summary_line
from ragdash.models.judge.task_runner import TaskRunner

REPLY = ("reply", "replies")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_judge_options(parser)
    parser.add_argument("file", metavar="CORPUS", help="documents with doc_id and text, such as BEIR's corpus.jsonl")
    parser.add_argument("-n", type=whole_number(1), default=50, metavar="N", help="questions wanted (default: 50)")
    parser.add_argument("--types", default=",".join(TYPES), metavar="TYPE,TYPE", help="shared out evenly among these "
                        f"(default: {','.join(TYPES)})")
    parser.add_argument("--round-trip", nargs="?", const="", metavar="RUN", help="reject questions whose document is "
                        "not among the first k of this run, or, for questions that it was not asked (and without a "
                        "run), by the words")
    parser.add_argument("--k", type=whole_number(1), default=RoundTrip.k,
                        help=f"of --round-trip (default: {RoundTrip.k})")
    parser.add_argument("--critique", action="store_true", help="have the model read each question that passes the "
                        "rules again: answerable, self-contained, one question, right answer")
    parser.add_argument("-o", "--output", metavar="FILE", help="the ground truth, JSONL (default: standard output)")
    parser.add_argument("--rejects", metavar="FILE", help="those that a rule rejected, with all their reasons")
    parser.add_argument("--drafts", metavar="FILE", help="all of it, to be opened on the page elsewhere; the "
                        "workspace of this machine has it anyway")
    parser.add_argument("--encoding", default="utf-8", help="of files that are text (default: utf-8)")
    parser.add_argument("--map", action="append", metavar="OURS=THEIRS,...", help="columns that are not recognized: "
                        "doc_id, text, title, and the column that holds it")


def run(options: argparse.Namespace) -> int:
    """Tell what is to be asked and what that costs, ask, check, put out; returns the exit status."""
    try:
        with reported_problems(options):
            return _test_set(options)
    except KeyboardInterrupt:  # outside of the asking: every reply is kept
        print_note("stopped; the same command goes on from here")
        return CANCELLED


def _test_set(options: argparse.Namespace) -> int:
    endpoint = endpoint_of(options)
    endpoint.secret()
    request, verdict_store = draft_request(options), default_verdict_store()
    say(list(notes(request)))
    plan = plan_drafts(request, endpoint, verdict_store)
    write_plan(options, plan, endpoint, *REPLY)
    if options.dry_run:
        return 0
    if plan.calls and not endpoint.local and not options.yes:
        confirm(endpoint, f"Documents in {plan.calls_text}")
    start = time.monotonic()
    with interruptible(options) as (progress, cancel):
        draft_set, total = ask_for_drafts(options, request, endpoint, verdict_store, progress, cancel)
    name = _write_files(options, draft_set) if draft_set.drafts else None
    problems = draft_problems(request, draft_set, total)
    _report(options, draft_set, total, name, time.monotonic() - start, problems)
    say(problems)
    return STATUS.get(total.stopped, 0) or (2 if any(problem.severity == "error" for problem in problems) else 0)


def draft_request(options: argparse.Namespace) -> DraftRequest:
    """What the options ask for, with the documents and the run read; the problems of both are raised together."""
    counts = drafts_per_type(options.n, [type.strip() for type in options.types.split(",") if type.strip()])
    problems: list[Problem] = []
    corpus = run = None
    try:
        corpus = read_corpus(source_of(options.file), **reading_arguments(options, options.file))
    except InputError as error:
        problems += error.problems
    try:
        run = read_run(source_of(options.round_trip), name=split_name(options.round_trip)[0]
                       ) if options.round_trip else None
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return DraftRequest(corpus, counts, options.seed, None if options.round_trip is None else RoundTrip(run, options.k),
                        options.critique)


def ask_for_drafts(options: argparse.Namespace, request: DraftRequest, endpoint: Endpoint, verdict_store: VerdictStore,
                   progress: JudgingListener, cancel: Event,
                   shared_budget: SharedBudget | None = None) -> tuple[DraftSet, Outcome]:
    """(the set, what came of all questions); a Ctrl+C outside of the asking ends the command, the replies are kept.

    shared_budget: bounds this process and others, in place of that of the options.
    """
    budget = Budget() if shared_budget else Budget(options.max_calls, options.max_cost)
    judging = TaskRunner(endpoint, verdict_store, budget, progress,
                         {"concurrency": options.concurrency, "cancel": cancel, "shared_budget": shared_budget,
                          "patience": Patience(reply=options.timeout)})
    return generate_drafts(request, judging.judge, str(endpoint.judge)), judging.total


def draft_problems(request: DraftRequest, draft_set: DraftSet, total: Outcome) -> list[Problem]:
    """What is worth knowing of a set beyond its documents: what ended the asking, lost calls, notes, nothing kept."""
    lost = [Problem("judge-calls-lost", {"calls": total.lost}, severity="warning")] if total.lost else []
    empty = [] if draft_set.passing or total.stopped else [_empty_problem(draft_set)]
    of_documents = list(notes(request))
    return [*([total.problem] if total.problem else []), *lost,
            *(note for note in notes(request, draft_set) if note not in of_documents), *empty]


def _write_files(options: argparse.Namespace, draft_set: DraftSet) -> str:
    """Write what was asked for; returns the name of the set in the workspace. Without a kept draft no truth is written.
    """
    name = Sets().keep(draft_set)
    if options.rejects:
        write(rejects_jsonl((draft, draft.reasons) for draft in draft_set.rejects), options.rejects)
    if options.drafts:
        write(drafts_jsonl(draft_set), options.drafts)
    if draft_set.passing and (options.output or options.progress == "text"):
        write(truth_jsonl(draft_set.passing, name), options.output)
    return name


def report_of(draft_set: DraftSet, total: Outcome, name: str | None, seconds: float,
              problems: Sequence[Problem]) -> dict[str, Any]:
    """The result for a program. name: of the set in the workspace; None: nothing was kept."""
    types = {type: dict(zip(("written", "kept", "missing"), draft_set.counts(type), strict=True))
             for type in draft_set.wanted}
    return {"judge": draft_set.judge, "asked": total.asked, "cached": total.cached, "cost": total.cost,
            "seconds": seconds, "stopped": total.stopped, "types": types, "rejects": dict(draft_set.rules()),
            "set": name, "overlap": {type: mean for type, (mean, _) in draft_set.overlaps().items()},
            "missing": {type: dict(reasons) for type, reasons in draft_set.missing.items()},
            "problems": [problem.as_dict() for problem in problems]}


def _report(options: argparse.Namespace, draft_set: DraftSet, total: Outcome, name: str | None, seconds: float,
            problems: Sequence[Problem]) -> None:
    """Report the result to a program or a person."""
    if options.progress == "json":
        write_message(options, "report", report_of(draft_set, total, name, seconds, problems))
        return
    print_note(*_types(draft_set), *_rejects(draft_set))
    print_note(summary_line(total.asked, total.cached, total.cost, seconds, total.stopped, reply=REPLY))
    if name is not None:
        print_note(f"To review them: ragdash dashboard, page Data, then Test set, set {name}")


def _types(draft_set: DraftSet) -> Sequence[str]:
    """A line for each type: kept of those wanted, written, without a reply, words shared with the evidence."""
    lines, shared = [], draft_set.overlaps()
    for type, requested in draft_set.wanted.items():
        drafts, accepted, _ = draft_set.counts(type)
        lacking = ", ".join(
            f"{n:,} {MISSING.get(reason, reason)}" for reason, n in draft_set.missing.get(type, {}).items()
        )
        words = f"; {percent(shared[type][0])} of the questions' words are in the evidence" if type in shared else ""
        lines.append(f"{type}: {accepted:,} of {requested:,} kept, {drafts:,} written"
                     f"{words}{f'; missing: {lacking}' if lacking else ''}")
    return lines


def _rejects(draft_set: DraftSet) -> Sequence[str]:
    """How many each rule rejected."""
    rules = ", ".join(f"{RULES[rule].lower()} {n:,}" for rule, n in draft_set.rules().most_common())
    return [f"{count(len(draft_set.rejects), 'reject')}: {rules}"] if rules else []


def _empty_problem(draft_set: DraftSet) -> Problem:
    if draft_set.rejects:
        return Problem("empty-test-set/rejects", {"drafts": len(draft_set.rejects)}, field="-o")
    return Problem("empty-test-set/no-drafts", field="-o")
