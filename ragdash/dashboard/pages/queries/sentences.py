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


def outcomes(run: str, baseline: str, by: float, k: int) -> dict[str, str]:
    """What each outcome is called."""
    least = f" by {by:g} or more" if by else ""
    return {"": "All", "failed-all": "Failed in every run shown", "failed-only": f"Failed only in {run}",
            "worse": f"Worse than {baseline}{least}", "better": f"Better than {baseline}{least}",
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


def chosen(asked: Filters, marks: Mapping[str, str]) -> list[str]:
    """The choices of the filters that stand out of sight, in words."""
    found = [STAGE[name] for name in asked.stages], [READINGS[name] for name in asked.kinds], [
        marks[name] for name in asked.marks]
    return [" or ".join(one).lower() for one in found if one] + [one.replace("=", ": ", 1) for one in asked.attributes]


def loosen(left: Mapping[str, int]) -> str:
    """Which filter to loosen where no query passes."""
    freed = {facet: n for facet, n in left.items() if n}
    if not freed:
        return "Several filters shut out everything together: clear them all."
    facet, n = next(iter(freed.items()))
    return f"Loosen {FACETS[facet]} first: without it {count(n, 'query passes', 'queries pass')}."


def cost(said: Said) -> dict[str, str]:
    """Latency, tokens and cost of one query, what is known of it: {column: text}."""
    found = {f"{stage.capitalize()} ms": number(ms, 0 if ms >= 100 else 1) for stage, ms in said.latency.items()}
    found |= {name.replace("_", " ").capitalize(): f"{many:,}" for name, many in said.tokens.items()}
    return found | ({"Cost (USD)": f"{said.cost:.6f}".rstrip("0").rstrip(".")} if said.cost is not None else {})


def only(names: Sequence[str], alone: Sequence[Sequence[str]], grades: Mapping[str, int], k: int) -> list[str]:
    """A line for each run that alone has documents among its first k: relevant ones by name, the others counted."""
    lines = []
    for name, docs in zip(names, alone, strict=True):
        good = [doc for doc in docs if grades.get(doc, 0) >= 1]
        rest = len(docs) - len(good)
        if not docs:
            continue
        told = [f"{escape(doc)} (grade {grades[doc]})" for doc in good]
        said = f"**relevant** {', '.join(told)}" if told else "nothing relevant"
        lines.append(f"{name}: {said}" + (f" and {count(rest, 'other document')}" if rest else ""))
    return lines
