"""Does the judge of the samples agree with a second reader? Agreement and kappa, with a constant answer next to them.

    python benchmarks/second_reader.py

The labels are of two draws (`sample_runs/README.md`): 66 answers at random, 22 of each run, and 13 that give a part of
the answer or say what is missing. Intervals: Clopper and Pearson, 95 %; that of kappa takes the ends of the interval of
the agreement and leaves the agreement by chance as it is, as a bootstrap of equal labels has no width.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import numpy as np

from ragdash.analysis.judge_validation.agreement import agreement
from ragdash.io import read_runs, read_truth
from ragdash.matching.match import Match
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.verdict_store.jsonl import import_verdicts, unpacked

SAMPLES = Path(__file__).parents[1] / "sample_runs"
DRAWS = {"at random": "labels.jsonl", "partial answers": "labels_of_partial_answers.jsonl"}
LABEL_OF = {"Correctness": "label", "Faithfulness": "faithfulness"}


def verdict_values(metrics: tuple[str, ...]) -> dict[tuple[str, str, str], float]:
    """(metric, run, query): the verdict; NaN for none."""
    verdicts = SAMPLES / "verdicts.jsonl.gz"
    import_verdicts(default_verdict_store(), unpacked(verdicts).splitlines(), str(verdicts))
    truth, values = read_truth(SAMPLES / "truth.jsonl"), {}
    for run in ("dense", "sparse", "hybrid"):
        match = Match(read_runs(SAMPLES / f"{run}.jsonl")[0], truth)
        for metric in metrics:
            judged = match.judged.read(metric)
            values.update({(metric, run, query): float(value)
                           for query, value in zip(match.query_ids.to_pylist(), judged.values, strict=True)})
    return values


def print_agreement(title: str, verdicts: np.ndarray, labels: np.ndarray, cut: float | None) -> None:
    """One line: n, agreement, kappa, the constant answer."""
    result = agreement(verdicts, labels, cut)
    kappa = "undefined" if np.isnan(result.kappa) else (
        f"{result.kappa:.3f} [{result.kappa_low:.2f}, {result.kappa_high:.2f}]")
    accuracy = f"{result.accuracy:.3f} [{result.accuracy_low:.3f}, {result.accuracy_high:.3f}]"
    print(f"{title:44}{result.n:4d}  {accuracy}  {kappa:22}"
          f"{result.constant:.3f} ({result.constant_class})  {result.bias:+.3f}")


def main() -> None:
    os.environ["RAGDASH_WORKSPACE"] = tempfile.mkdtemp()
    values = verdict_values(tuple(LABEL_OF))
    print(f"{'':44}   n  agreement              kappa                 constant     bias")
    for draw, file in DRAWS.items():
        rows = [json.loads(line) for line in (SAMPLES / file).read_text().splitlines()]
        for metric, column in LABEL_OF.items():
            verdicts = np.array([values[metric, row["run"], row["query_id"]] for row in rows])
            labels = np.array([row[column] for row in rows], float)
            judged = ~np.isnan(verdicts)
            for cut in (0.5, None):
                how = "yes or no" if cut else "five scores"
                print_agreement(f"{draw}, {metric}, {how}", verdicts[judged], labels[judged], cut)
            for row, verdict, label in zip(rows, verdicts, labels, strict=True):
                if verdict != label:
                    print(f"    {row['run']} {row['query_id']}: verdict {verdict:g}, label {label:g}")


if __name__ == "__main__":
    main()
