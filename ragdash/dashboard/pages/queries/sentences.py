"""The Queries page in words: its filters, orders and rules of failure. No streamlit here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragdash.analysis.diagnosis import STAGES
from ragdash.analysis.query_filters import Filters, failing
from ragdash.analysis.query_rankings import Said
from ragdash.dashboard.pages.answers.data import KINDS, REST, UNKNOWN
from ragdash.dashboard.pages.queries.table_data import DECLINED
from ragdash.metrics import Spec
from ragdash.reporting.sentences.fmt import count, escape, number

STAGE = {stage.name: stage.title for stage in STAGES}
READINGS = {**{name: title for name, (title, _, _) in KINDS.items()}, UNKNOWN: REST, DECLINED: "Declined"}
FACETS = {"outcome": "the choice of queries", "text": "the search", "attributes": "the attributes",
          "stages": "the stage", "kinds": "the kind of answer", "marks": "notes and verdicts"}
WHERE = {"question": "Question", "answer": "Answer", "chunk": "Chunks"}
AS = {"plain": "As written", "regex": "Regular expression"}


def outcomes(run: str, baseline: str, min_difference: float, k: int) -> dict[str, str]:
    """What each outcome is called."""
    suffix = f" by {min_difference:g} or more" if min_difference else ""
    return {"": "All", "failed-all": "Failed in every run shown", "failed-only": f"Failed only in {run}",
            "worse": f"Worse than {baseline}{suffix}", "better": f"Better than {baseline}{suffix}",
            "equal": f"Equal to {baseline}", "best": f"{run} alone is best", "worst": f"{run} alone is worst",
            "alone": f"{run} alone found something in its first {k}", "undefined": "Undefined"}


def orders(spec: Spec, baseline: str) -> dict[str, str]:
    """What each order is called."""
    first = ("Worst first", "Best first") if spec.metric.better else ("Lowest first", "Highest first")
    return {"worst": first[0], "best": first[1], "spread": "Largest spread between runs first",
            "losses": f"Largest loss to {baseline} first", "gains": f"Largest gain on {baseline} first",
            "given": "As in the truth"}


def failed(spec: Spec) -> str:
    """When a query counts as failed."""
    rule = failing(spec)
    if rule is None:
        return f"{spec.title} has no worst end, so no query counts as failed by it."
    if rule.source:
        return (f"Failed: {spec.title} below {rule.edge:g}, the lowest band ({rule.source}). An undefined value has "
                "not failed.")
    return f"Failed: {spec.title} of {rule.edge:g}, the worst it can be. An undefined value has not failed."


def chosen(filters: Filters, marks: Mapping[str, str]) -> list[str]:
    """The choices of the filters that stand out of sight, in words."""
    choices = [STAGE[name] for name in filters.stages], [READINGS[name] for name in filters.kinds], [
        marks[name] for name in filters.marks]
    return [" or ".join(titles).lower() for titles in choices if titles] + [
        attribute.replace("=", ": ", 1) for attribute in filters.attributes
    ]


def loosen(counts: Mapping[str, int]) -> str:
    """Which filter to loosen where no query passes."""
    freed = {facet: n for facet, n in counts.items() if n}
    if not freed:
        return "Several filters shut out everything together: clear them all."
    facet, n = next(iter(freed.items()))
    return f"Loosen {FACETS[facet]} first: without it {count(n, 'query passes', 'queries pass')}."


def cost(output: Said) -> dict[str, str]:
    """Latency, tokens and cost of one query, what is known of it: {column: text}."""
    columns = {f"{stage.capitalize()} ms": number(ms, 0 if ms >= 100 else 1) for stage, ms in output.latency.items()}
    columns |= {name.replace("_", " ").capitalize(): f"{tokens:,}" for name, tokens in output.tokens.items()}
    return columns | ({"Cost (USD)": f"{output.cost:.6f}".rstrip("0").rstrip(".")} if output.cost is not None else {})


def only(names: Sequence[str], docs_alone: Sequence[Sequence[str]], grades: Mapping[str, int], k: int) -> list[str]:
    """A line for each run that alone has documents among its first k: relevant ones by name, the others counted."""
    lines = []
    for name, docs in zip(names, docs_alone, strict=True):
        good = [doc for doc in docs if grades.get(doc, 0) >= 1]
        other_count = len(docs) - len(good)
        if not docs:
            continue
        relevant = [f"{escape(doc)} (grade {grades[doc]})" for doc in good]
        summary = f"**relevant** {', '.join(relevant)}" if relevant else "nothing relevant"
        lines.append(f"{name}: {summary}" + (f" and {count(other_count, 'other document')}" if other_count else ""))
    return lines
