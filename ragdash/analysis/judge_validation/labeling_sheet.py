"""A sheet to label: queries drawn at random, with their texts and without the judge's verdicts.

Letters: Q queries, n drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ragdash.analysis.judge_validation.verdicts import RunVerdicts
from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.records.details import conversation_text
from ragdash.evaluation.stats import SEED
from ragdash.matching.answer_alignment import histories_of
from ragdash.matching.judge_cases import stated_references
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec
from ragdash.metrics.docs.human_agreement import is_grounding
from ragdash.metrics.judged import judge_request
from ragdash.models.judge.tasks import find_task

SHEET = pa.schema([("query_id", pa.string()), ("run", pa.string()), ("label", pa.float64()), ("question", pa.string()),
                   ("answer", pa.string()), ("references", pa.list_(pa.string())),
                   ("contexts", pa.list_(pa.string())), ("note", pa.string())])


def sample_queries(verdicts: Sequence[RunVerdicts], n: int, *, seed: int = SEED) -> list[str]:
    """n queries, drawn at random among those on which every run has a verdict; all of them where there are fewer.

    In random order, so that the first ones alone are a random sample too, and a larger n only adds to a smaller one.
    The order is one of all queries: it stays as it is when verdicts come in later, or when another run is looked at.
    Raises InputError where no query has a verdict of every run.
    """
    common = {query for query, value in zip(verdicts[0].query_ids.to_pylist(), verdicts[0].values.tolist(), strict=True)
              if value == value}
    for other in verdicts[1:]:
        common &= set(other.query_ids.filter(pa.array(~np.isnan(other.values))).to_pylist())
    ids = verdicts[0].query_ids.to_pylist()
    if not common:
        raise InputError([Problem("nothing-to-label")])
    return [ids[i] for i in np.random.default_rng(seed).permutation(len(ids)) if ids[i] in common][:n]


def shows_reference(what: str) -> bool:
    """Whether a person who labels for a metric sees the reference: not where the judge does not, as for faithfulness.

    An answer that agrees with the reference may say what its contexts do not; who sees both mixes the two up.

    Examples
    --------
    >>> [shows_reference(name) for name in ("Correctness", "Faithfulness", "SupportCoverage", "TokenF1", "my labels")]
    [True, False, False, True, True]
    """
    try:
        spec = parse_spec(what)
    except InputError:
        return True
    if spec.file_column or spec.metric.view != "Judged":
        return not (is_grounding(spec) or spec.metric.view == "Entailed")
    return "references" in find_task(judge_request(spec)[0]).needs


def labeling_sheet(
    verdicts: Sequence[RunVerdicts], queries: Sequence[str], matches: Sequence[Match | None] = ()
) -> pa.Table:
    """A row per query and run, in the order of the queries, columns as SHEET; what is not known is null.

    label and note are empty, for the person; verdicts are not shown, since they would influence the labels, and neither
    is the reference where the judge does not see it. matches: of each run, for the texts.
    """
    hidden = {"references"} if verdicts and not shows_reference(verdicts[0].what) else set()
    columns: dict[str, list] = {name: [] for name in SHEET.names}
    texts = [_texts(match) for match in matches or [None] * len(verdicts)]
    for query in queries:
        for run_verdicts, run_texts in zip(verdicts, texts, strict=True):
            row = {"query_id": query, "run": run_verdicts.name, **run_texts.get(query, {})}
            for name, cells in columns.items():
                cells.append(None if name in hidden else row.get(name))
    return pa.table(columns, schema=SHEET)


def _texts(match: Match | None) -> dict[str, dict]:
    """{query_id: what is known of question, answer, references, contexts}."""
    if match is None:
        return {}
    columns: dict[str, Sequence] = {}
    details = match.truth.details
    if details is not None and "query" in details.column_names:
        columns["question"] = details["query"].to_pylist()
    try:
        answered = match.answered
        columns |= {"question": answered.questions, "answer": answered.answers,
                    "references": [list(texts) or None for texts in stated_references(match.truth)]}
        columns["contexts"] = [None if texts is None else list(texts) for texts in match.grounded.contexts]
    except Unavailable:  # no answers, or no texts: the sheet goes without them
        pass
    if "question" in columns:  # what was said before it comes first
        histories = histories_of(match.run, match.truth, match.run_query)
        columns["question"] = [
            conversation_text([*history, ("", question)]) if history and question else question
            for history, question in zip(histories, columns["question"], strict=True)]
    return {query: {name: cells[q] for name, cells in columns.items()}
            for q, query in enumerate(match.query_ids.to_pylist())}
