"""Every metric, registered. A family is a module here; importing the package fills METRICS in reading order."""

from ragdash.metrics.rankings import (  # noqa: F401, I001  (the order is that of the tables)
    retrieval,
    sets,
    recall_levels,
    gains,
    user_models,
    diversity,
    judged_share,
    score_detection,
    permissions,
)
from ragdash.metrics import (  # noqa: F401
    evidence,
    answers,
    overlap,
    grounding,
    semantic,
    judged,
    latency_cost,
)
from ragdash.metrics.from_file import counterpart, default_file_specs, file_spec, file_specs, with_guesses
from ragdash.metrics.registry import (
    METRICS,
    CorpusValue,
    Metric,
    Spec,
    cutoff_array,
    metric,
)
from ragdash.metrics.spelling import find_metric, one_spec, parse_spec, parse_specs
from ragdash.metrics.default_specs import (
    ANSWER_SPECS,
    DEFAULT_SPECS,
    GROUNDING_SPECS,
    default_answer_specs,
    default_specs,
    has_answers,
    has_grounding,
    have_rankings,
    measurable_first,
    needed_by,
    read_spec,
    specs_without_rankings,
)

__all__ = ["ANSWER_SPECS", "DEFAULT_SPECS", "GROUNDING_SPECS", "METRICS", "CorpusValue", "Metric", "Spec",
           "counterpart", "cutoff_array", "default_answer_specs", "default_file_specs", "default_specs", "file_spec",
           "file_specs", "find_metric", "has_answers", "has_grounding", "have_rankings", "measurable_first", "metric",
           "needed_by", "one_spec", "parse_spec", "parse_specs", "read_spec", "specs_without_rankings", "with_guesses"]
