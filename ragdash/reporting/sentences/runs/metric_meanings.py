"""What a metric is, in a sentence for readers who do not know it."""

from __future__ import annotations

import re

from ragdash.core.text.metric_names import usual_meaning
from ragdash.metrics import Spec
from ragdash.reporting.sentences.formatting import escape


def metric_meaning(spec: Spec) -> str:
    """What the metric is, in the words of its guide, with its cutoff or without one.

    Examples
    --------
    >>> from ragdash.metrics import parse_specs
    >>> [metric_meaning(spec) for spec in parse_specs("Success@5 RR")]
    ['1 if a relevant document is in the first 5 ranks, else 0.', \
'1 over the rank of the first relevant document; 0 if none is returned.']
    """
    line = spec.metric.summary_line.replace(" (at any rank, without a cutoff)", "")
    if spec.k:
        return re.sub(r"\bfirst k\b", f"first {spec.k}", line)
    line = re.sub(r"\bin the first k( ranks)?\b", "returned", line).replace("the first k ranks", "the ranking")
    return re.sub(r"\bthe first k (\w+)", r"the \1 returned", line)


def meaning_sentence(spec: Spec) -> str:
    """What the metric is, in the words of its guide, with its cutoff; "" for a column whose name does not say it.

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> meaning_sentence(parse_spec("Success@5"))
    'Hit rate@5: 1 if a relevant document is in the first 5 ranks, else 0.'
    >>> meaning_sentence(parse_spec("file:context_recall"))[-63:], meaning_sentence(parse_spec("file:sas"))
    ('by its name, how much of the right answer the contexts contain.', '')
    """
    if spec.file_column and not usual_meaning(spec.file_column):
        return ""
    line = metric_meaning(spec)
    line = line if line[:2].isupper() else line[:1].lower() + line[1:]
    return f"{escape(spec.title)}: {escape(line)}"
