"""Which metrics of answers agree with people? On public sets with human ratings, with intervals over questions.

    python benchmarks/agreement.py [--mtrag FILE] [--ragchecker FILE] [--financebench FOLDER] [--resamples 2000]

The files are as their authors publish them: MTRAG (IBM/mt-rag-benchmark, mtrag-human/evaluations/
reference_subset_with_human_evaluations.json), RAGChecker's meta-evaluation (amazon-science/RAGChecker,
data/meta_evaluation/human_labeled_data.json), FinanceBench (patronus-ai/financebench, results/). Ratings are the means
of the raters. Spearman: rank correlation with a rating, or of differences between two answers with the preference.
AUC: the chance that an answer that people call right has a higher value than one they call wrong; 0.5 is a coin.
Intervals: percentile bootstrap over questions, as several answers belong to one.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from ragdash.matching.views.texts import Answered, Grounded
from ragdash.metrics import METRICS, parse_specs

ANSWERED = "NumberMatch CoverEM EM TokenF1 ROUGE_L ROUGE_1 AnswerRelevance"
GROUNDED = "SupportCoverage SupportDensity UnsupportedNumbers"
UNFAITHFUL = 2.5  # the middle of MTRAG's scale from 1 to 4
SHORT = 5  # words of a short reference


def values_of(answered: Answered, grounded: Grounded | None = None) -> dict[str, np.ndarray]:
    """Metric: values of the answers, (N,); higher is better."""
    values = {}
    for spec in parse_specs(f"{ANSWERED} {GROUNDED if grounded is not None else ''}"):
        view = grounded if spec.metric.view == "Grounded" else answered
        values[spec.name] = METRICS[spec.name].function(view) * (-1 if spec.metric.better == "lower" else 1)
    return values


def spearman(values: np.ndarray, ratings: np.ndarray) -> float:
    """Rank correlation; NaN where one of them is constant."""
    first, second = rankdata(values), rankdata(ratings)
    return float(np.corrcoef(first, second)[0, 1]) if first.std() and second.std() else np.nan


def auc(values: np.ndarray, right: np.ndarray) -> float:
    """Chance that a right answer has a higher value than a wrong one, ties as a half."""
    right = right.astype(bool)
    positives, negatives = right.sum(), (~right).sum()
    if not positives or not negatives:
        return np.nan
    return float((rankdata(values)[right].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def report(title: str, statistic: Callable, values: dict[str, np.ndarray], ratings: np.ndarray,
           questions: Sequence[str], resamples: int, rows: np.ndarray | None = None) -> None:
    """Print a line for each metric: the statistic over the answers where it is defined, with its interval."""
    rows = np.isfinite(ratings) if rows is None else rows & np.isfinite(ratings)
    print(f"\n{title}: {int(rows.sum()):,} of {len(ratings):,}")
    for name, column in values.items():
        rated = np.flatnonzero(rows & np.isfinite(column))
        groups: dict[str, list[int]] = {}
        for row in rated.tolist():
            groups.setdefault(questions[row], []).append(row)
        if len(rated) < 20:
            continue
        members, rng = [np.array(group) for group in groups.values()], np.random.default_rng(0)
        draws = [np.concatenate([members[index] for index in rng.integers(0, len(members), len(members))])
                 for _ in range(resamples)]
        low, high = np.nanquantile([statistic(column[draw], ratings[draw]) for draw in draws], [0.025, 0.975])
        print(f"  {name:20s}{statistic(column[rated], ratings[rated]):7.3f} [{low:.3f}, {high:.3f}]"
              f"{len(rated):7,} answers{len(members):6,} questions")


def mtrag(path: Path, resamples: int) -> None:
    """Answers of two models with ratings from 1 to 4 by three people; the human-written references are left out."""
    data = json.loads(path.read_text())
    tasks = {task["task_id"]: task for task in data["tasks"]}
    documents = {document["document_id"]: document["text"] for document in data["documents"]}
    rows = [row for row in data["evaluations"] if row["model_id"] != "reference"]
    given = [tasks[row["task_id"]] for row in rows]
    answers = tuple(row["model_response"] for row in rows)
    answered = Answered(answers, tuple(tuple(target["text"] for target in task["targets"]) for task in given),
                        tuple(task["input"][-1]["text"] for task in given))
    grounded = Grounded(answers, tuple(tuple(documents[context["document_id"]] for context in task["contexts"])
                                       for task in given))
    values, questions = values_of(answered, grounded), [row["task_id"] for row in rows]

    def rating(name: str) -> np.ndarray:
        return np.array([np.mean([float(entry["value"]) for entry in row["annotations"][name].values()])
                         for row in rows])

    for name in ("faithfulness", "appropriateness", "completeness"):
        report(f"MTRAG, Spearman with {name}", spearman, values, rating(name), questions, resamples)
    faithful = (rating("faithfulness") > UNFAITHFUL).astype(float)
    report("MTRAG, AUC of faithful answers", auc, values, faithful, questions, resamples)


def ragchecker(path: Path, resamples: int) -> None:
    """Pairs of long answers with the preference of two people, from -2 (the first is better) to 2."""
    pairs: dict[int, list[dict]] = {}
    for row in json.loads(path.read_text()):
        pairs.setdefault(row["instance_id"], []).append(row)
    rows = [group[0] for group in pairs.values()]
    references, queries = tuple((row["gt_answer"],) for row in rows), tuple(row["query"] for row in rows)
    first, second = (values_of(Answered(tuple(row[model]["response"] for row in rows), references, queries))
                     for model in ("model1", "model2"))
    gaps = {name: second[name] - first[name] for name in first}
    for label in ("overall", "correctness", "completeness"):
        preference = np.array([np.mean([float(row[f"{label}_label"]) for row in group]) for group in pairs.values()])
        report(f"RAGChecker, Spearman of differences with the {label} preference", spearman, gaps, preference,
               [f"{row['dataset']} {row['query_id']}" for row in rows], resamples)


def financebench(folder: Path, resamples: int) -> None:
    """Answers of 16 systems to 150 questions, labeled by people; refusals are left out."""
    rows = [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]
    answered = Answered(tuple(str(row["model_answer"]) for row in rows), tuple((str(row["gold_answer"]),)
                        for row in rows), tuple(row["question"] for row in rows))
    values, questions = values_of(answered), [row["financebench_id"] for row in rows]
    right = np.array([{"Correct Answer": 1.0, "Incorrect Answer": 0.0}.get(row["label"], np.nan) for row in rows])
    short = np.array([len(str(row["gold_answer"]).split()) <= SHORT for row in rows])
    numeric = np.isfinite(values["NumberMatch"])
    for title, chosen in (("all references", None), ("short references with a number", short & numeric),
                        ("longer references with a number", ~short & numeric), ("references without", ~numeric)):
        report(f"FinanceBench, AUC of right answers, {title}", auc, values, right, questions, resamples, chosen)


SETS: dict[str, Callable[[Path, int], None]] = {"mtrag": mtrag, "ragchecker": ragchecker, "financebench": financebench}


def add_sets(parser: argparse.ArgumentParser) -> None:
    """Add an option for the files of each rated set."""
    for name in SETS:
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help="ratings by people, as published")
    parser.add_argument("--resamples", type=int, default=2000)


def measure_sets(options: argparse.Namespace) -> int:
    """Print the agreement on each set that was given; how many these are."""
    given = {name: path for name in SETS if (path := getattr(options, name)) is not None}
    for name, path in given.items():
        SETS[name](path, options.resamples)
    return len(given)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_sets(parser)
    measure_sets(parser.parse_args())


if __name__ == "__main__":
    main()
