"""Runs with answers and truths with references for the tests of diagnoses, and random ones with everything."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
from helpers import random_case, run_of, truth_of

from ragdash.analysis.diagnosis import Diagnosis, DiagnosisRules, diagnose
from ragdash.core.corpus import Corpus
from ragdash.core.records import Conventions
from ragdash.matching.match import Match


def answers(told: dict, contexts: dict | None = None) -> pa.Table:
    """What a run tells of its queries."""
    columns = {"query_id": list(told), "answer": pa.array(list(told.values()), pa.string())}
    if contexts is not None:
        columns["contexts"] = pa.array([contexts.get(query) for query in told], pa.list_(pa.string()))
    return pa.table(columns)


def known(references: dict, attributes: dict | None = None) -> pa.Table:
    """What a truth tells of its queries."""
    columns = {"query_id": list(references), "answers": pa.array(list(references.values()), pa.list_(pa.string()))}
    if attributes is not None:
        texts = [json.dumps(attributes[query]) if query in attributes else None for query in references]
        columns["attributes"] = pa.array(texts, pa.string())
    return pa.table(columns)


def random_diagnosis(seed: int, texts: bool = True) -> tuple[Diagnosis, Match]:
    """(diagnosis, match) of a random case with answers, attributes, rules and a corpus."""
    rng = np.random.default_rng(seed)
    case = random_case(seed)
    run, truth = case.run(), case.truth()
    words = ["sea", "crater", "I don't know.", "", None, "the sea of crises and the moon"]

    def pick(n, values):
        return [values[i] for i in rng.integers(0, len(values), n)]

    ids = truth.query_ids.to_pylist()
    kinds_of = pick(len(ids), [{}, {"type": "no_answer"}, {"type": "multi_hop"}])
    truth = truth_of(case.grades, details=known(dict(zip(ids, pick(len(ids), [None, ["sea"], ["moon", "crater"]]),
                                                         strict=True)), dict(zip(ids, kinds_of, strict=True))))
    if texts:
        names = run.query_ids.to_pylist()
        run = run_of(case.rankings, details=answers(dict(zip(names, pick(len(names), words), strict=True)), dict(zip(
            names, pick(len(names), [None, ["the sea"], ["crises of the crater moon sea"]]), strict=True))))
    docs = truth.docs.to_pylist()
    corpus = [None, pick(max(len(docs) // 2, 1), docs or ["x"])][int(rng.integers(2))]
    rules = DiagnosisRules(
        k=int(rng.integers(1, 8)),
        coverage=float(rng.choice([0, 0.5, 1])),
        rel=int(rng.integers(1, 3)),
        score=[None, 0.0][int(rng.integers(2))],
    )
    truth = truth if corpus is None else truth.with_corpus(Corpus.build("c", corpus))
    match = Match(run, truth, Conventions(missing=str(rng.choice(["zero", "skip"]))))
    return diagnose(match, rules), match
