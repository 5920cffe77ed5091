"""A server that starts again reads values, means and tests of the workspace; it computes none of them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from ragdash.analysis.verdict import detect
from ragdash.core.records import Conventions, Run, Truth
from ragdash.dashboard.caches import (
    comparability_cache,
    evaluation_cache,
    kept_cache,
    verdict_cache,
    what_if_cache,
)
from ragdash.dashboard.session import data_store, scope
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation import evaluate
from ragdash.metrics import METRICS, Spec, parse_specs
from ragdash.workspace import Workspace

SPECS = parse_specs("nDCG@3 RR R(average='micro')@2")
QUERIES = [f"q{number}" for number in range(30)]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A workspace of two runs that this server shows; a new server each time `forget` is called."""
    home = Workspace(tmp_path / "kept")
    monkeypatch.setattr(data_store, "workspace", lambda: home)
    monkeypatch.setattr(data_store, "read_only", lambda: home.read_only)
    monkeypatch.setattr(data_store.LOADED, "behind", lambda: home)
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        docs = [f"d{number}" for _ in QUERIES for number in rng.permutation(6)[:4]]
        home.add_run(Run.build(name, np.repeat(QUERIES, 4).tolist(), docs, np.tile(np.arange(4.0, 0, -1), 30)))
    home.add_truth(Truth.build("gold", QUERIES, ["d1"] * 30, [1] * 30))
    forget()
    yield home
    forget()


def forget() -> None:
    """What a process forgets when it ends."""
    kept_cache.wait()
    data_store.LOADED.clear()
    scope._evaluation.clear()
    for cached in (verdict_cache.checks, verdict_cache._known_shares, comparability_cache.id_findings,
                   comparability_cache._near_ids, what_if_cache._gain):
        cached.clear()
    for cache in (evaluation_cache._SUMMARIES, evaluation_cache._FAMILIES, evaluation_cache._COMPARISONS):
        cache._results.clear()


def results(home: Workspace) -> tuple:
    """What pages ask for, as texts: every digit counts."""
    digests = [entry.digest for entry in home.runs()]
    where = Scope(home.truths()[0].digest, Conventions())
    rules = evaluation_cache.comparison_rules(where, 2)
    return (repr([where.evaluation(run, SPECS).values.tobytes() for run in digests]),
            repr(evaluation_cache.summary(digests, where, SPECS)),
            repr(evaluation_cache.compared(digests[0], digests[1:], where, SPECS[:2], rules)),
            repr(verdict_cache.checks(digests, ["a", "b"], where, parse_specs("P@1")[0], 3)))


def refuse(*_, **__):
    raise AssertionError("this was computed before")


def compute_nothing(monkeypatch) -> None:
    """No value of a query, no mean, no test; what is no mean over queries is not kept."""
    compute = evaluate.compute_specs
    monkeypatch.setattr(evaluate, "compute_specs",
                        lambda match, specs: refuse() if {*specs} & {*SPECS[:2]} else compute(match, specs))
    monkeypatch.setattr(evaluation_cache, "summaries", refuse)
    monkeypatch.setattr(evaluation_cache, "test_family", refuse)
    monkeypatch.setattr(comparability_cache, "check_ids_of_each", refuse)
    monkeypatch.setattr(comparability_cache, "near_id_entries", refuse)
    monkeypatch.setattr(verdict_cache, "known_shares", refuse)


def test_after_a_restart_values_means_and_tests_are_read(home, monkeypatch):
    before = results(home)
    forget()
    compute_nothing(monkeypatch)
    assert results(home) == before


def test_the_checks_of_another_metric_and_cutoff_look_at_no_id_again(home, monkeypatch):
    results(home)
    for name in ("check_ids_of_each", "near_id_entries"):
        monkeypatch.setattr(comparability_cache, name, refuse)
    for name in ("check_ids", "spelling_checks"):
        monkeypatch.setattr(detect, name, refuse)
    monkeypatch.setattr(verdict_cache, "spelling_checks", refuse)
    where, digests = Scope(home.truths()[0].digest, Conventions()), [entry.digest for entry in home.runs()]
    for spec, k in (("nDCG@5", 5), ("R@1", 1)):
        verdict_cache.checks(digests, ["a", "b"], where, parse_specs(spec)[0], k)
        entries = [data_store.SessionRun(digest, name, 0) for digest, name in zip(digests, "ab", strict=True)]
        comparability_cache.comparability_report(entries, where.truth_digest, where.conventions, parse_specs(spec)[0])


def test_damaged_values_are_computed_again_and_the_data_page_says_so(home):
    before = results(home)
    forget()
    for path in (home.folder / "values").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-2] + b"xx")
    assert results(home) == before
    assert home.values.problems()[0].facts["count"] > 5
    forget()
    assert results(home) == before


def test_a_deleted_run_and_other_code_find_nothing(home, monkeypatch):
    results(home)
    kept_cache.wait()
    digest, other = (entry.digest for entry in home.runs())
    monkeypatch.setattr(kept_cache, "code_digest", lambda: "a later version")
    spec = SPECS[0]
    keys = {spec: Scope(home.truths()[0].digest, Conventions()).cache_key([spec])}
    assert kept_cache.read(other, keys, "values") == {}
    monkeypatch.undo()
    monkeypatch.setattr(data_store, "workspace", lambda: home)
    assert kept_cache.read(other, keys, "values")
    home.delete(digest)
    assert kept_cache.read(digest, keys, "values") == {}
    kept_cache.keep(digest, keys, {spec: np.ones(30)}, "values")
    kept_cache.wait()
    assert kept_cache.read(digest, keys, "values") == {}, "a server that computed it late leaves nothing behind"


def test_a_reader_without_the_right_to_change_keeps_nothing(home, monkeypatch):
    monkeypatch.setattr(data_store, "read_only", lambda: True)
    results(home)
    kept_cache.wait()
    assert not (home.folder / "values").exists()


def test_metrics_of_models_files_and_plugins_are_not_kept():
    kept = {metric.view for name, metric in METRICS.items() if kept_cache.is_keepable(Spec(name))}
    assert kept.isdisjoint({"Judged", "Entailed", "Scored"}) and {"Ranked", "Covered"} <= kept
    plugin = replace(METRICS["RR"], function=lambda view: None)
    assert not kept_cache.is_keepable(SimpleNamespace(name="RR", metric=plugin))
    assert not kept_cache.is_keepable(SimpleNamespace(name="file:mrr", metric=METRICS["RR"]))


@pytest.fixture
def pair_of_runs(home):
    """Two runs that are better together: each finds the document first where the other has it second."""
    for name, first in (("left", 0), ("right", 1)):
        docs = [doc for number in range(30)
                for doc in (("d1", f"x{number}", "d3") if number % 2 == first else (f"{name}{number}", "d1", "d3"))]
        home.add_run(Run.build(name, np.repeat(QUERIES, 3).tolist(), docs, np.tile(np.arange(3.0, 0, -1), 30)))
    digests = {entry.name: entry.digest for entry in home.runs()}
    names = ["left", "right"]
    return [digests[name] for name in names], names, Scope(home.truths()[0].digest, Conventions()), SPECS[1]


def other_server(home, monkeypatch) -> None:
    """Go on as another server of the same workspace, which has forgotten nothing because it never knew it."""
    kept_cache.wait()
    other = Workspace(home.folder)
    monkeypatch.setattr(data_store, "workspace", lambda: other)
    what_if_cache._gain.clear()


def test_a_better_hybrid_is_tried_once_and_read_by_every_other_server(home, pair_of_runs, monkeypatch):
    found = what_if_cache.gain(*pair_of_runs)
    assert found.runs == ("left", "right") and found.low > 0
    other_server(home, monkeypatch)
    monkeypatch.setattr(what_if_cache, "choose", refuse)
    assert what_if_cache.known_gain(*pair_of_runs) is None, "this server has not looked yet"
    assert what_if_cache.gain(*pair_of_runs) == found == what_if_cache.known_gain(*pair_of_runs)


def test_no_better_hybrid_is_tried_once_too(home, pair_of_runs, monkeypatch):
    (left, _), names, where, spec = pair_of_runs
    assert what_if_cache.gain([left, left], names, where, spec) is None
    other_server(home, monkeypatch)
    monkeypatch.setattr(what_if_cache, "choose", refuse)
    assert what_if_cache.gain([left, left], names, where, spec) is None


def test_what_one_server_finds_on_large_runs_every_server_says_at_once(home, pair_of_runs, monkeypatch):
    """Each server listed what is kept before the other one found something."""
    runs, names, where, spec = pair_of_runs
    monkeypatch.setattr(what_if_cache.pair, "QUICK", 10)
    servers = [Workspace(home.folder), Workspace(home.folder)]
    for server in servers:
        monkeypatch.setattr(data_store, "workspace", lambda server=server: server)
        what_if_cache._gain.clear()
        assert what_if_cache.gain(*pair_of_runs) is None, "nobody has tried"
        server.values.read(runs[0], ["k"])
    pool = what_if_cache.pool(runs, names, where)
    choice = what_if_cache.choose(pool.runs, where.truth, spec)
    what_if_cache.keep_gain(runs, names, where, choice)
    kept_cache.wait()
    said = []
    for server in servers:
        monkeypatch.setattr(data_store, "workspace", lambda server=server: server)
        said.append((what_if_cache.known_gain(*pair_of_runs), what_if_cache.gain(*pair_of_runs)))
    assert said[0] == said[1] and said[0][0] == said[0][1] == what_if_cache.gain_of(choice, pool)
    home.values.discard(runs[0])
    assert what_if_cache.known_gain(*pair_of_runs) is None, "no server goes on alone"
