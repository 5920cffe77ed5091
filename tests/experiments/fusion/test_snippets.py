"""Recipes as code for engines: what a preset can do, what it says where it cannot, and that the order is the same."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from fusion_cases import run_of

from ragdash import fuse
from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.experiments.fusion.export.engine_queries import WRITERS
from ragdash.experiments.fusion.export.for_engine import PYTHON, differences, for_engine, targets
from ragdash.experiments.fusion.export.snippets import engine_snippet
from ragdash.experiments.fusion.presets import PRESETS
from ragdash.experiments.fusion.recipe import make_recipe
from ragdash.io import write_run

ENGINES = [name for name in targets() if name not in PRESETS and name != PYTHON]


def runs_of_two(seed: int = 0) -> list:
    """Two runs of 12 queries with distinct scores that share half of their documents."""
    rng = np.random.default_rng(seed)
    return [run_of(name, {f"q{q}": dict(zip((f"d{d}" for d in rng.permutation(30)[:15]), rng.random(15), strict=True))
                          for q in range(12)}) for name in ("bm25", "dense")]


def requests_of(code: str) -> list[tuple[str, str]]:
    """(first line, body) of the requests in a snippet; none where it is a call."""
    if not code.startswith(("GET ", "PUT ", "POST ", "db.")):
        return []
    parts = re.split(r"(?m)^(?=(?:GET|PUT|POST|db\.))", code)[1:]
    return [(head, body) for head, _, body in (part.partition("\n") for part in parts)]


def scores_of(run) -> dict:
    return {(query, doc): score for query in run.query_ids.to_pylist() for doc, score in
            zip(run.ranking(query)["doc_id"].to_pylist(), run.ranking(query)["score"].to_pylist(), strict=True)}


def test_every_preset_has_a_query_and_every_number_of_the_recipe_is_in_it():
    assert set(WRITERS) == set(PRESETS), "give it a writer in ragdash/experiments/fusion/export/engine_queries.py"
    runs = runs_of_two()
    for name, preset in PRESETS.items():
        given = {"k": 17.0} if "k" in preset.options else {}
        given |= {option: 0.3 for option in ("alpha", "weight") if option in preset.options}
        given |= {"weights": (0.375, 0.625)} if "weights" in preset.options else {}
        code = engine_snippet(make_recipe(runs, preset=name, window=23, params=given))
        assert "17" in code or "k" not in given, name
        if "weights" in given:
            second = "1.6667" if name.startswith("azure") else "0.625"  # its text search has no weight of its own
            assert second in code, name
        elif {"alpha", "weight"} & given.keys():
            assert "0.3" in code, name
        for head, body in requests_of(code):
            assert head.startswith(("GET ", "PUT ", "POST ", "db.")) and json.loads(body), name
        if preset.window:
            assert "23" in code, name


def test_a_setting_keeps_its_order_as_the_preset_of_an_engine():
    """The engine's scores are the setting's times one factor, up to the 0.001 that OpenSearch gives in place of 0."""
    runs, found = runs_of_two(), set()
    for method, params in (("rrf", {}), ("rrf", {"k": 1.0, "base": 0}), ("rrf", {"k": 20.0}),
                           ("rrf", {"weights": (0.3, 0.7)}), ("combsum", {}),
                           ("weighted", {"weights": (0.25, 0.75)}), ("weighted", {"norm": "none", "weights": (1, 3)}),
                           ("weighted", {"norm": "l2"}), ("weighted", {"norm": "dbsf"}),
                           ("weighted", {"norm": "dbsf-population", "weights": (2, 1)})):
        recipe = make_recipe(runs, method, params=params)
        wanted = scores_of(fuse(runs, method, **params))
        for engine in ENGINES:
            try:
                there = for_engine(recipe, engine, runs)
            except InputError:
                continue
            assert there.window == 15, "as deep as the runs: the engine's own default would use fewer"
            scores = scores_of(fuse(runs, preset=there.preset, window=there.window, **there.given))
            cuts = PRESETS[str(there.preset)].cuts  # Elasticsearch returns no more than its window
            assert scores.keys() <= wanted.keys() if cuts else scores.keys() == wanted.keys(), (engine, method, params)
            top, other = max(wanted.values()), max(scores.values())
            worst = max(abs(scores[key] / other - wanted[key] / top) for key in scores)
            assert worst < (3e-3 if engine == "opensearch" else 1e-5), (engine, method, params, worst)
            found.add((engine, method, *params))
    assert {engine for engine, *_ in found} == set(ENGINES)
    assert ("qdrant", "rrf", "weights") not in found, "its weights stretch ranks"
    assert ("redis", "rrf", "k") in found and ("mongodb", "rrf", "k") not in found


def test_what_an_engine_cannot_do_is_said_and_differences_too():
    runs = runs_of_two()
    with pytest.raises(InputError) as error:
        for_engine(make_recipe(runs, "weighted", params={"norm": "z-score"}), "elasticsearch", runs)
    assert "z-score" in str(error.value) and "elasticsearch-linear" in str(error.value)
    with pytest.raises(InputError):
        for_engine(make_recipe(runs), "solr", runs)
    of = make_recipe(runs, "weighted")
    assert any("0.000001" in line for line in differences(for_engine(of, "elasticsearch", runs), of))
    own = make_recipe(runs, preset="elasticsearch-rrf")
    assert for_engine(own, "elasticsearch", runs) is own


def test_the_command_prints_the_changes_and_the_snippet(capsys, tmp_path):
    paths = []
    for run in runs_of_two():
        paths.append(tmp_path / f"{run.name}.trec")
        write_run(run, paths[-1])
    (tmp_path / "qrels").write_text("".join(f"q{q} 0 d{d} 1\n" for q in range(12) for d in (q, q + 7)))
    given, truth = ["fuse", *map(str, paths)], ["--truth", str(tmp_path / "qrels")]
    assert main([*given, "--param", "k=20", "--snippet", "elasticsearch", "-o", str(tmp_path / "o.trec")]) == 0
    printed = capsys.readouterr().out
    assert '"rank_constant": 20' in printed and '"rank_window_size": 15' in printed and (tmp_path / "o.trec").exists()
    assert printed.startswith("# Elasticsearch, 9.2")
    assert main([*given, "--snippet", "python"]) == 0 and "ragdash.fuse(" in capsys.readouterr().out
    assert main([*given, "--snippet", "qdrant", "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["preset"] == "qdrant-rrf" and '"k": 61' in facts["code"]
    for wrong in (["--snippet", "solr"], ["--snippet", "milvus", "--param", "weights=0.3,0.7"], ["--changes"]):
        assert main([*given, *wrong]) == 2
    capsys.readouterr()
    assert main([*given, *truth, "--changes", "--preset", "elasticsearch-rrf", "--format", "json"]) == 0
    mix = json.loads(capsys.readouterr().out)
    assert [row["window"] for row in mix["ceiling"]["windows"]] == [1, 3, 5, 10, 15]
    assert main([*given, *truth, "--changes", "--preset", "elasticsearch-rrf"]) == 0
    text = capsys.readouterr().out
    counts = [mix["changes"][name]["count"] for name in ("first_result", "top_k", "gained", "lost")]
    assert f"for {counts[0]} of 12 queries, the set of the first 10 for {counts[1]}." in text
    assert re.search(rf"better for {counts[2]} quer\w+ and worse for {counts[3]}", text)
    assert len(mix["changes"]["gained"]["queries"]) == counts[2]
    assert main([*given, *truth, "--tune", "nDCG@10", "--snippet", "haystack-rrf", "--format", "json"]) == 0
    read = capsys.readouterr()
    answer = json.loads(read.out)
    assert answer["snippet"]["preset"] == "haystack-rrf" and answer["ceiling"]["windows"][-1]["window"] == 15
    assert answer["changes"]["queries"] == 12
    if answer["chosen"]["method"] != "rrf" or answer["chosen"]["params"]["k"] != 60:
        assert "This is the best setting tried that it has one for" in read.err


def test_what_is_wrong_with_the_runs_is_said_where_no_fused_run_is_written(capsys, tmp_path):
    for name, docs in (("a", "xy"), ("b", "zw")):
        (tmp_path / f"{name}.trec").write_text("".join(
            f"q{q} Q0 {doc}{q} {rank} {3 - rank} r\n" for q in range(3) for rank, doc in enumerate(docs, 1)))
    (tmp_path / "qrels").write_text("q0 0 x0 1\nq1 0 z1 1\nq2 0 n 0\n")
    a, b, truth = str(tmp_path / "a.trec"), str(tmp_path / "b.trec"), ["--truth", str(tmp_path / "qrels")]
    for runs, words in (((a, b), "no document that two"), ((a, f"again={a}"), "the same")):
        for asked in (["--changes"], ["--tune", "RR"]):
            assert main(["fuse", *runs, *truth, *asked]) == 0
            assert words in capsys.readouterr().err, (runs, asked)
    assert main(["fuse", a, b, "--truth", str(tmp_path / "none.qrels"), "--changes"]) == 2
    (tmp_path / "none.qrels").write_text("q0 0 x0 0\n")
    capsys.readouterr()
    for asked in (["--changes"], ["--tune", "RR"]):
        assert main(["fuse", a, b, "--truth", str(tmp_path / "none.qrels"), *asked]) == 0
        printed = capsys.readouterr().out
        assert "nan" not in printed and "–" in printed
