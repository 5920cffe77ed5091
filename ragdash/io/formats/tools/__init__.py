"""Files of single tools that are no list of queries: each converter makes native objects of one tool's file."""

from ragdash.io.formats.tools import datasets, judgment_list, judgments, llamaindex, logs, mlflow_traces

__all__ = ["datasets", "judgment_list", "judgments", "llamaindex", "logs", "mlflow_traces"]
