"""`ragdash judge`: a model that reads is asked what judged metrics need; what it says is kept, and paid for once."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict

from ragdash.cli.common_options import add_engine_option, add_reading_options, add_truth_option, seconds, whole_number
from ragdash.cli.inputs import read_inputs
from ragdash.cli.job_progress import STATUS, interruptible, reported_problems, write_message
from ragdash.cli.judge_batch import batch_step, service_step
from ragdash.cli.judge_endpoint import add_judge_options, confirm, endpoint_of, write_plan
from ragdash.core.console import say
from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.scoring.judge_drift import ANCHOR, FEWEST, check_drift, drift_due, drift_questions
from ragdash.evaluation.scoring.judge_renewal import find_older, set_aside
from ragdash.evaluation.scoring.run_judge import JudgeWork, prepare_judging, run_judging
from ragdash.models.engines import LOCAL, open_engine
from ragdash.models.judge import Budget, Patience
from ragdash.models.judge.tasks import find_task
from ragdash.models.judge.tasks.examples import examples_of
from ragdash.models.judge.tasks.policy import Policy, read_policy, save_policy, trying_policy
from ragdash.models.judge.tasks.rubrics import Rubric, read_rubric, save_rubric, trying_rubrics
from ragdash.models.judge.transport.last_endpoint import remember_endpoint
from ragdash.models.judge.verdict_store.jsonl import unpacked
from ragdash.reporting.sentences.judge import drift_sentence
from ragdash.reporting.sentences.judge_validation import examples_text

MOST_VOTES = 1_000  # of a question; each is a call


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    add_judge_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the runs whose answers are judged")
    add_truth_option(parser, "the ground truth, where it is not in the rows of the run")
    parser.add_argument("-m", "--metrics", metavar="METRICS",
                        help='such as "ClaimFaithfulness Correctness" (default: Faithfulness)')
    parser.add_argument("--rubric", action="append", metavar="FILE", help="a criterion of your own (TOML); it is kept "
                        "in the workspace and judged as the metric Rubric.NAME, besides those of -m")
    parser.add_argument("--policy", metavar="FILE", help="the labeling policy (TOML with extra, partial, refusal, "
                        "rounding); it is kept, and part of the prompts from then on; none: go back to having none")
    parser.add_argument("--sample", type=whole_number(1), metavar="N", help="only N queries, drawn at random")
    parser.add_argument("--batch-out", metavar="FILE", help="ask nothing; write what would be asked as a file for a "
                        "batch service (OpenAI's lines, or Anthropic's list with --kind anthropic)")
    parser.add_argument("--batch-in", action="append", metavar="FILE", help="read the replies of a batch service, "
                        "also its file of errors; with --batch-out write the next round")
    parser.add_argument("--batch", choices=("submit", "poll"), help="the same over HTTP (OpenAI's files and batches, "
                        "Anthropic's message batches): submit the next round; look at open batches and read the "
                        "replies of those that ended")
    parser.add_argument("--wait", type=seconds, metavar="SECONDS", help="with --batch: look again after this many "
                        "seconds, and submit the following rounds until nothing is left")
    parser.add_argument("--drift", nargs="?", type=whole_number(FEWEST), const=ANCHOR, metavar="N", help="ask N stored "
                        f"verdicts again (default: {ANCHOR}) and say whether the judge still judges alike; stores no "
                        "verdicts")
    parser.add_argument("--renew", action="store_true", help="ask again what other versions of the judge than the "
                        "newest judged on these runs; their verdicts are set aside under a judge of their own")
    parser.add_argument("--votes", "--repeats", type=whole_number(1, MOST_VOTES), metavar="N",
                        help="ask each question so often")
    add_engine_option(parser)


def run(options: argparse.Namespace) -> int:
    """Print what will be asked and its cost, ask, print the progress; returns the exit status."""
    with reported_problems(options):
        return _judge(options)


def _judge(options: argparse.Namespace) -> int:
    _check_engine(options)
    endpoint, budget = endpoint_of(options), Budget(options.max_calls, options.max_cost)
    runs, truth = read_inputs(options)
    rubrics = [read_rubric(unpacked(path), path) for path in options.rubric or ()]
    names = [*([options.metrics] if options.metrics else []), *(rubric.metric for rubric in rubrics)]
    with trying_rubrics(rubrics), ExitStack() as tried:
        policy = None
        if options.policy:
            policy = None if options.policy == "none" else read_policy(unpacked(options.policy), options.policy)
            tried.enter_context(trying_policy(policy))
        prepared = prepare_judging(runs, truth, " ".join(names) or "Faithfulness", endpoint, sample=options.sample,
                                   seed=options.seed, votes=options.votes)
        return _ask(options, prepared, budget, lambda: _save(options, rubrics, policy))


def _check_engine(options: argparse.Namespace) -> None:
    """InputError where the engine is not there, or has nothing to do."""
    open_engine(options.engine)
    files = {"--batch": options.batch, "--batch-in": options.batch_in, "--batch-out": options.batch_out,
             "--drift": options.drift}
    used = [option for option, value in files.items() if value]
    if used and options.engine != LOCAL.name:
        facts = {"engine": options.engine, "option": used[0]}
        raise InputError([Problem("engine-unused/judge", facts, field="--engine")])


def _check_drift(options: argparse.Namespace, prepared: JudgeWork, budget: Budget) -> int:
    """Ask stored verdicts again; exit status 1 where the judge has drifted."""
    endpoint, drawn = prepared.endpoint, drift_questions(prepared, options.drift, options.seed)
    write_message(options, "plan", {"calls": len(drawn), "host": endpoint.host} if options.progress == "json"
                  else f"{endpoint.judge}: {len(drawn):,} stored verdicts to ask again")
    if options.dry_run:
        return 0
    if not endpoint.local and not options.yes:
        confirm(endpoint, f"Questions, answers and documents of {len(drawn):,} calls")
    result = check_drift(drawn, endpoint, budget=budget, concurrency=options.concurrency,
                         patience=Patience(reply=options.timeout))
    write_message(options, "drift", {**asdict(result), "drifted": result.drifted, "words": drift_sentence(result)}
                  if options.progress == "json" else drift_sentence(result))
    return int(result.drifted)


def _name_examples(options: argparse.Namespace, prepared: JudgeWork) -> None:
    """Say which prompts have examples from human labels."""
    used = [examples for name, _ in prepared.names if (examples := examples_of(name, find_task(name).version))]
    for examples in used:
        write_message(options, "examples", {"metric": examples.metric, "examples": len(examples.examples),
                                            "digest": examples.digest, "labels_held_out": examples.drawn}
                      if options.progress == "json" else examples_text(examples))


def _save(options: argparse.Namespace, rubrics: Sequence[Rubric], policy: Policy | None) -> None:
    for rubric in rubrics:
        save_rubric(rubric)
    if options.policy:
        save_policy(policy)


def _ask(options: argparse.Namespace, prepared: JudgeWork, budget: Budget, save: Callable[[], None]) -> int:
    """Print the plan and ask; save: keeps rubrics and policy, called once it is certain that the judge is asked."""
    endpoint = prepared.endpoint
    say(prepared.problems)
    if options.drift:
        return _check_drift(options, prepared, budget)
    renewal = find_older(prepared) if options.renew else None
    plan = renewal.work.plan if renewal else prepared.plan
    write_plan(options, plan, endpoint)
    _name_examples(options, prepared)
    due = drift_due(endpoint.judge, prepared.verdict_store) if plan.calls else None
    say([due] if due else [])
    if options.dry_run:
        return 0
    if options.batch_in or options.batch_out:
        save()
        prepared = set_aside(renewal) if renewal else prepared
        return batch_step(options, prepared, budget)
    sends = options.batch != "poll" or options.wait
    if plan.calls and sends and not endpoint.local and not options.yes:
        confirm(endpoint, f"Questions, answers and documents of {plan.calls_text}")
    save()
    prepared = set_aside(renewal) if renewal else prepared
    remember_endpoint(endpoint)
    if options.batch:
        return service_step(options, prepared, budget)
    with interruptible(options) as (progress, cancel):
        report = run_judging(prepared, budget=budget, concurrency=options.concurrency, progress=progress, cancel=cancel,
                      patience=Patience(reply=options.timeout), engine=open_engine(options.engine))
    write_message(options, "report", report.as_dict() if options.progress == "json" else report)
    say(report.problems[len(prepared.problems):])
    return STATUS.get(report.stopped, STATUS["error"] if report.all_failed else 0)
