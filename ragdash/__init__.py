"""ragdash: which of my retrieval configurations is better, where does it fail, can I trust that, can I show it?

    run = ragdash.read_run("bm25.trec")
    truth = ragdash.read_truth("qrels.txt")
    ragdash.evaluate(run, truth, "nDCG@10 R@5 MRR").summary()

Dicts, data frames and lists of records work in place of runs and truths:

    ragdash.evaluate({"q1": ["d7", "d2"]}, {"q1": ["d2"]}, "RR")

These names are imported when they are first used, so that `import ragdash` itself costs nothing (as in SPEC 1 of
Scientific Python).
"""

from __future__ import annotations

TYPE_CHECKING = False  # not imported from typing, which takes longer than all of this; type checkers know the name
if TYPE_CHECKING:
    from ragdash.analysis.failure_patterns.query_map import query_map
    from ragdash.core.errors import InputError, Problem
    from ragdash.core.records import Conventions, Run, Truth
    from ragdash.evaluation.compare import Comparison, compare
    from ragdash.evaluation.comparison_table import ComparisonTable
    from ragdash.evaluation.evaluate import Evaluation, Summary, evaluate
    from ragdash.evaluation.stream import evaluate_stream
    from ragdash.experiments.fusion.fuse import fuse
    from ragdash.experiments.sweep import sweep
    from ragdash.io import read_run, read_runs, read_truth
    from ragdash.metrics import METRICS, Spec, metric, parse_specs
    from ragdash.reporting.public.history import history
    from ragdash.reporting.public.judge_validation import validate_judge
    from ragdash.reporting.public.variants import variants
    from ragdash.workspace.recording import record, record_retriever

__version__ = "0.1.0"
_HOMES = {
    "analysis.failure_patterns.query_map": ("query_map",),
    "core.errors": ("InputError", "Problem"),
    "core.records": ("Conventions", "Run", "Truth"),
    "evaluation.compare": ("Comparison", "compare"),
    "evaluation.comparison_table": ("ComparisonTable",),
    "evaluation.evaluate": ("Evaluation", "Summary", "evaluate"),
    "evaluation.stream": ("evaluate_stream",),
    "experiments.fusion.fuse": ("fuse",),
    "experiments.sweep": ("sweep",),
    "io": ("read_run", "read_runs", "read_truth"),
    "metrics": ("METRICS", "Spec", "metric", "parse_specs"),
    "reporting.public.history": ("history",),
    "reporting.public.judge_validation": ("validate_judge",),
    "reporting.public.variants": ("variants",),
    "workspace.recording": ("record", "record_retriever"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_ROOMS = ("analysis", "core", "evaluation", "experiments", "io", "matching", "metrics",
          "models", "reporting", "workspace")
__all__ = ["METRICS", "Comparison", "ComparisonTable", "Conventions", "Evaluation", "InputError", "Problem", "Run",
           "Spec", "Summary", "Truth", "compare", "evaluate", "evaluate_stream", "fuse", "history", "metric",
           "parse_specs", "query_map", "read_run", "read_runs", "read_truth", "record", "record_retriever", "sweep",
           "validate_judge", "variants"]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _HOME:
        globals()[name] = getattr(import_module(f"ragdash.{_HOME[name]}"), name)
    elif name in _ROOMS:
        import_module(f"ragdash.{name}")
    if name not in globals():
        raise AttributeError(f"module 'ragdash' has no attribute {name!r}")
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
