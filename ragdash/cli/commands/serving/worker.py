"""`ragdash worker`: do the jobs that dashboards put into the queue of a workspace in a database."""

from __future__ import annotations

import argparse
import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, NoReturn

from ragdash.analysis.failure_patterns.query_map import process as map_process
from ragdash.cli.commands import score
from ragdash.cli.commands.judging import judge
from ragdash.cli.commands.test_sets import testset
from ragdash.cli.common_options import seconds
from ragdash.cli.inputs import read_inputs
from ragdash.cli.judge_endpoint import endpoint_of
from ragdash.core.console import Progress, print_note
from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.addresses import BLOBS, WORKSPACE, database_address, is_address
from ragdash.core.storage.shared import open_database, open_files
from ragdash.core.storage.temporary_folders import remove_leftovers, temporary_folder
from ragdash.evaluation.scoring.run_judge import prepare_judging, run_judging
from ragdash.evaluation.scoring.run_local_models import run_plan
from ragdash.experiments.testset import Sets
from ragdash.experiments.testset.store import FOLDER as SETS
from ragdash.models.judge import Patience, VerdictStore
from ragdash.models.judge.tasks.examples import read_examples, trying_examples
from ragdash.models.judge.tasks.policy import read_policy, trying_policy
from ragdash.models.judge.tasks.rubrics import read_rubric, trying_rubrics
from ragdash.models.judge.verdict_store.opening import verdicts_in
from ragdash.models.local.opening import scores_in
from ragdash.workspace.opening import job_files, open_workspace, shared_jobs
from ragdash.workspace.team.job_worker import LEASE, JobWorker, Lease

if TYPE_CHECKING:
    from ragdash.core.storage.postgres.budgets import DatabaseBudget

FILES = "\x00files\x00"  # in arguments of a job: the folder with its files


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_workspace_option(parser)
    parser.add_argument("--blobs", metavar="URL", help="where the files of the workspace are; default: RAGDASH_BLOBS, "
                        "else the database")
    parser.add_argument("--once", action="store_true", help="end when nothing waits")
    parser.add_argument("--lease", type=seconds, default=LEASE, metavar="SECONDS", help="a job of a worker that was "
                        f"silent for this long is taken by another one (default: {LEASE:g})")


def add_workspace_option(parser: argparse.ArgumentParser) -> None:
    """Add the address of the database that `workspace_address` reads."""
    parser.add_argument("--workspace", metavar="ADDRESS", help="postgresql://user@host/database; default: "
                        "RAGDASH_WORKSPACE")


def workspace_address(options: argparse.Namespace) -> str:
    """The address that the options or the environment name; InputError where it is no database."""
    address = options.workspace or os.environ.get(WORKSPACE) or ""
    if not is_address(address):
        raise InputError([Problem("no-database-named", {}, address or None)])
    return address


def run(options: argparse.Namespace) -> int:
    """Do jobs until SIGTERM or Ctrl+C: calls in flight are awaited then, and the job is given back."""
    address = workspace_address(options)
    blobs = options.blobs or os.environ.get(BLOBS) or None
    open_workspace(address, blobs).check()
    remove_leftovers()
    ended = Event()

    def end(*_: object) -> None:
        if ended.is_set():
            raise KeyboardInterrupt
        ended.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    print_note(f"worker: takes jobs of {database_address(address).location} (stop with Ctrl+C)")
    kinds = {"judge": JudgeJobs(address, blobs), "score": ScoreJobs(address, blobs),
             "testset": DraftJobs(address, blobs), "map": MapJobs(address, blobs)}
    worker = JobWorker(shared_jobs(address), kinds, ended, lease=options.lease)
    print_note(f"worker: jobs done: {worker.run(options.once):,}")
    return 0


class _Parser(argparse.ArgumentParser):
    """Raises InputError for what it does not know, in place of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise InputError([Problem("unknown-job", {"reason": message})])


class CommandJobs(ABC):
    """Jobs that do what a command does, with the files and arguments that a page put into the queue.

    Parameters
    ----------
    address, blobs
        Of the workspace.
    add_options
        Of the command.
    """

    def __init__(self, address: str, blobs: str | None, add_options: Callable[[argparse.ArgumentParser], None]):
        self.address = database_address(address)
        self._files = job_files(address, blobs)
        self._parser = _Parser()
        add_options(self._parser)

    def __call__(self, lease: Lease) -> Mapping[str, Any]:
        """Do a job; its report."""
        with temporary_folder("job") as folder:
            try:
                self._files.fetch(lease.job.upload, Path(folder))
            except FileNotFoundError:
                raise InputError([Problem("job-files-gone")]) from None
            arguments = [text.replace(FILES, str(folder)) for text in lease.job.body["arguments"]]
            return {"report": self.report(lease, self._parser.parse_args(arguments), Path(folder))}

    @abstractmethod
    def report(self, lease: Lease, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
        """Do what the options say, with files of the folder."""


def say_progress(lease: Lease, progress: Progress) -> None:
    """Let pages show how far a job is."""
    lease.progress({**progress.as_dict(), "words": str(progress)})


class ScoreJobs(CommandJobs):
    """Runs local models: what `ragdash score` does. Values are stored in the database."""

    def __init__(self, address: str, blobs: str | None):
        super().__init__(address, blobs, score.add_options)

    def report(self, lease: Lease, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
        """Compute and store what is lacking; stops after the shard in which somebody asks for that."""
        def listener(progress: Progress) -> bool:
            say_progress(lease, progress)
            return not lease.cancel.is_set()

        planned = score.plan(options, scores_in(self.address))
        return run_plan(planned, progress=listener).as_dict()


class AskingJobs(CommandJobs):
    """Jobs that ask a judge, with claims and a budget that other workers see."""

    def asking(self, lease: Lease, options: argparse.Namespace) -> tuple[VerdictStore, DatabaseBudget]:
        """Where replies are kept, under the name of this attempt; the budget over all workers that had the job."""
        database = open_database(self.address)
        from ragdash.core.storage.postgres.budgets import DatabaseBudget

        return (replace(verdicts_in(self.address), owner=lease.owner),
                DatabaseBudget(database, self.address.project, lease.job.id, options.max_calls, options.max_cost))


class JudgeJobs(AskingJobs):
    """Asks judges: what `ragdash judge` does."""

    def __init__(self, address: str, blobs: str | None):
        super().__init__(address, blobs, judge.add_options)

    def report(self, lease: Lease, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
        """Ask what nobody asked before."""
        endpoint = endpoint_of(options)
        runs, truth = read_inputs(options)
        store, budget = self.asking(lease, options)
        with ExitStack() as tried:
            tried.enter_context(trying_rubrics([read_rubric(content) for content in _contents(folder, "rubric-*")]))
            policies = _contents(folder, "policy.toml")
            tried.enter_context(trying_policy(read_policy(policies[0]) if policies else None))
            examples = _contents(folder, "examples.json")
            tried.enter_context(trying_examples(read_examples(examples[0]) if examples else {}))
            prepared = prepare_judging(runs, truth, options.metrics, endpoint, verdict_store=store,
                                       sample=options.sample, seed=options.seed, votes=options.votes)
            report = run_judging(prepared, concurrency=options.concurrency, cancel=lease.cancel,
                                 progress=lambda progress: say_progress(lease, progress),
                                 patience=Patience(reply=options.timeout), shared_budget=budget)
        calls, cost = budget.spent()  # of all workers that had the job
        return replace(report, asked=calls, cost=cost if endpoint.prices else None).as_dict()


class DraftJobs(AskingJobs):
    """Writes test sets: what `ragdash testset` does. The set is kept in the database."""

    def __init__(self, address: str, blobs: str | None):
        super().__init__(address, blobs, testset.add_options)

    def report(self, lease: Lease, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
        """Ask what nobody asked before, and keep the set."""
        started, endpoint, request = time.monotonic(), endpoint_of(options), testset.draft_request(options)
        store, budget = self.asking(lease, options)
        draft_set, total = testset.ask_for_drafts(options, request, endpoint, store,
                                                  lambda progress: say_progress(lease, progress), lease.cancel, budget)
        is_worth_keeping = draft_set.drafts and lease.keeps()
        name = Sets(files=open_files(self.address, SETS)).keep(draft_set) if is_worth_keeping else None
        calls, cost = budget.spent()
        total = replace(total, asked=calls, cost=cost if endpoint.prices else None)
        problems = testset.draft_problems(request, draft_set, total)
        return testset.report_of(draft_set, total, name, time.monotonic() - started, problems)


class MapJobs(CommandJobs):
    """Places questions on a map; it is kept with the files of the job."""

    def __init__(self, address: str, blobs: str | None):
        super().__init__(address, blobs, map_process.add_options)

    def report(self, lease: Lease, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
        """Embed what is not embedded yet and place the questions; a stop keeps what was embedded."""
        def listener(content: Mapping[str, Any]) -> bool:
            lease.progress(content)
            return not lease.cancel.is_set()

        queries = map_process.write_map(options, scores_in(self.address), listener)
        return {"cancelled": True} if queries is None else {
            "queries": queries, "upload": self._files.store([Path(options.out)])}


def _contents(folder: Path, pattern: str) -> Sequence[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob(pattern))]
