"""ragdash: which of my retrieval configurations is better, where does it fail, can I trust that, can I show it?

    run = ragdash.read_run("bm25.trec")
    truth = ragdash.read_truth("qrels.txt")
    ragdash.evaluate(run, truth, "nDCG@10 R@5 MRR").summary()
"""

from ragdash.errors import InputError, Problem
from ragdash.evaluation import Evaluation, Summary, evaluate
from ragdash.io import read_run, read_runs, read_truth
from ragdash.metrics import METRICS, Spec, metric, parse_specs
from ragdash.records import Conventions, Run, Truth

__version__ = "0.1.0"
__all__ = ["METRICS", "Conventions", "Evaluation", "InputError", "Problem", "Run", "Spec", "Summary", "Truth",
           "evaluate", "metric", "parse_specs", "read_run", "read_runs", "read_truth"]
