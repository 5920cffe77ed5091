"""The same pair of runs on the same metric has the same outcome, p and interval on every surface."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from traps import make_qrels, make_run

import ragdash
from ragdash.cli.main import main
from ragdash.core.records import Conventions
from ragdash.dashboard.caches import evaluation_cache
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.compare import ComparisonRules, compare
from ragdash.evaluation.evaluate import evaluate
from ragdash.matching.match import Match
from ragdash.metrics import parse_specs
from ragdash.reporting.html.content import ReportContent, ReportRequest

METRICS = "nDCG@10 RR P@5"


def sample_files(folder):
    return [f"sample_runs/{name}.jsonl" for name in ("dense", "sparse", "hybrid")], "sample_runs/truth.jsonl"


def random_files(seed):
    def write(folder):
        qrels, runs = make_qrels(40), []
        for index in range(4):
            rankings = make_run(qrels, 1.0 + 0.15 * index, 10 * seed + index)
            runs.append(folder / f"run{index}.run")
            runs[-1].write_text("".join(f"{query} Q0 {doc} {rank} {score:.6f} x\n" for query, row in rankings.items()
                                        for rank, (doc, score) in enumerate(row, 1)))
        truth = folder / "truth.qrels"
        truth.write_text("".join(f"{query} 0 {doc} {grade}\n" for query, row in qrels.items()
                                 for doc, grade in row.items()))
        return runs, truth
    return write


def numbers(candidate, baseline, metric, outcome, mean, low, high, p):
    return (candidate, baseline, metric), (outcome, *(pytest.approx(value, abs=1e-9) for value in (mean, low, high, p)))


def of_comparison(pair):
    return numbers(pair.candidate, pair.baseline, str(pair.spec), pair.outcome, pair.mean_difference, pair.low,
                   pair.high, pair.p_corrected)


@pytest.mark.parametrize("files", [sample_files, random_files(1), random_files(2)], ids=["samples", "random", "more"])
def test_every_surface_has_the_same_outcomes(files, tmp_path, capfdbinary):
    paths, truth_path = files(tmp_path)
    runs, truth = [ragdash.read_run(path) for path in paths], ragdash.read_truth(truth_path)
    specs = parse_specs(METRICS)
    evaluations = [evaluate(run, truth, specs) for run in runs]
    api = dict(of_comparison(pair) for row in compare(evaluations[0], evaluations[1:], specs) for pair in row)

    assert main(["compare", *map(str, paths), "--truth", str(truth_path), "-m", METRICS, "--format", "json"]) == 0
    rows = json.loads(capfdbinary.readouterr().out)["comparisons"]
    command_line = dict(numbers(row["candidate"], row["baseline"], row["metric"], row["outcome"],
                                row["mean_difference"], row["low"], row["high"], row["p_corrected"]) for row in rows)

    content = ReportContent(ReportRequest(tuple(Match(run, truth) for run in runs), specs))
    report = dict(of_comparison(pair) for pair in content.comparisons.values())

    for record in (truth, *runs):
        LOADED.put(record)
    scope, names = Scope(truth.digest, Conventions()), {run.digest: run.name for run in runs}
    shown = evaluation_cache.compared(runs[0].digest, [run.digest for run in runs[1:]], scope, specs,
                                      evaluation_cache.comparison_rules(scope, 3))
    pages = dict(of_comparison(replace(pair, candidate=names[pair.candidate], baseline=names[pair.baseline]))
                 for row in shown for pair in row)

    for surface in (command_line, report, pages):
        assert surface.keys() == api.keys()
        for pair, expected in api.items():
            assert tuple(value.expected if hasattr(value, "expected") else value for value in surface[pair]) == expected


def test_the_leader_and_the_baseline_see_the_same_pair(tmp_path):
    paths, truth_path = random_files(3)(tmp_path)
    runs, truth = [ragdash.read_run(path) for path in paths], ragdash.read_truth(truth_path)
    specs = parse_specs(METRICS)
    content = ReportContent(ReportRequest(tuple(Match(run, truth) for run in runs), specs))
    best = content.best_run(specs[0])
    assert best not in (None, 0)
    from_best, from_baseline = content.against_best(specs[0])[0], content.comparisons[best, specs[0]]
    assert from_best.p_corrected == pytest.approx(from_baseline.p_corrected)
    assert (from_best.low, from_best.high) == pytest.approx((-from_baseline.high, -from_baseline.low))
    assert {from_best.outcome, from_baseline.outcome} in ({"better", "worse"}, {"undecided"})


def test_other_metrics_and_the_order_of_runs_change_nothing(tmp_path):
    paths, truth_path = random_files(4)(tmp_path)
    runs, truth = [ragdash.read_run(path) for path in paths], ragdash.read_truth(truth_path)
    one = [evaluate(run, truth, "RR") for run in runs]
    many = [evaluate(run, truth, "nDCG@10 RR P@5 R@10") for run in reversed(runs)]
    alone = {pair.candidate: pair for pair, in compare(one[0], one[1:])}
    last = many[-1]
    for pair, in compare(last, many[:-1], parse_specs("RR"), ComparisonRules()):
        assert pair.p_corrected == pytest.approx(alone[pair.candidate].p_corrected, abs=1e-9)
        assert pair.low == pytest.approx(alone[pair.candidate].low, abs=1e-9)
