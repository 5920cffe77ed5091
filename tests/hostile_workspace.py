"""A workspace in which every field that a person or a file fills holds hostile text, and the address that opens it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
from hostile import BAD

from ragdash.analysis.judge_validation import LabelStore
from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run, Truth
from ragdash.dashboard import page_list
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import SHORT, SessionRun
from ragdash.experiments.testset import Check, Document, Draft, DraftSet, Evidence, Sets
from ragdash.matching.match import Match
from ragdash.metrics import Spec
from ragdash.models.judge import Reply, default_verdict_store
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import first_round
from ragdash.workspace import Workspace
from ragdash.workspace.reviews import Event, ReviewStore

HOST = "http://hostile.invalid"
PICTURE = f"![i]({HOST}/picture.png)"
TEXTS = (
    PICTURE, f"<img src={HOST}/tag.png onerror=window.pwned=1>", "<script>window.pwned=2</script>",
    "</script><script>window.pwned=3</script>", "</style></title><svg onload=window.pwned=4>",
    f"$\\href{{{HOST}}}{{x}}$ and $x^2$", ":material/home: :smile: :streamlit:", "&lt;b&gt; &amp;amp; &#60;",
    ":red[x] :blue-background[y]", "[a](javascript:window.pwned=5)", f"[b]({HOST}/link) <{HOST}/auto>",
    "a -> b <- c -- d >= e <= f ~= g <-> h", "**b** _i_ ~~s~~ `c` | d", "# heading", "1. list", "- item", "> quote",
    "=1+1", "@SUM(1+1)*cmd|' /C calc'!A0", "\u202eright to left\u202c", "bell\x07 escape\x1b[31m",
    "W" * 3000, f"www.hostile.invalid https{HOST[4:]}/x", "<b>bold</b><br>&nbsp;", "{{ 7 * 7 }} {% raw %}", *BAD)
QUERIES = 30
DOCS = 10
VERDICT_METRIC = "Faithfulness"
VISITS: tuple[tuple[str, dict[str, str]], ...] = (  # every page, and every part that an address opens
    *(("" if entry.path == page_list.DEFAULT_PAGE else entry.path, {}) for entry in page_list.entries()),
    ("compare", {state.COMPARE_PART: "queries"}), ("compare", {state.COMPARE_PART: "slices"}),
    ("compare", {state.COMPARE_PART: "similarity"}), ("compare", {state.COMPARE_PART: "means"}),
    ("answers", {state.ANSWERS_PART: "judge"}), ("answers", {state.ANSWERS_PART: "validation"}),
    ("answers", {state.ANSWERS_PART: "validation", state.TRUST_VIEW: "label"}),
    ("answers", {state.ANSWERS_PART: "validation", state.TRUST_VIEW: "kept"}),
    ("threshold-bands", {state.BANDS_PART: "speed"}))


@dataclass(frozen=True)
class HostileCase:
    """Runs and judgments whose fields hold these texts; metric: the spelling of the metric that the files hold."""

    runs: tuple[Run, ...]
    truth: Truth
    metric: str

    def parameters(self, **choices: str) -> dict[str, str | list[str]]:
        """The query parameters of a session that looks at them."""
        tokens = [SessionRun(run.digest, run.name, slot).token for slot, run in enumerate(self.runs)]
        return {"run": tokens, "truth": self.truth.digest[:SHORT], **choices}

    def address(self, path: str, **choices: str) -> str:
        """The place of a page in the address, with its parameters."""
        return f"{path}?{urlencode(self.parameters(**choices), doseq=True)}"


def hostile_case(texts: Sequence[str] = TEXTS, *, names: Sequence[str] = (),
                 file_scores: bool = False) -> HostileCase:
    """Three runs with answers, times and tokens, and their judgments; each text is in each field.

    names: of the runs, instead of some of the texts. file_scores: with scores of a file, whose metric has such a name
    too; a workspace does not keep those.
    """
    def field(name: str, row: int = 0) -> str:
        return f"{texts[row % len(texts)]} {name}{row}"

    ids = [field("query_id", row) for row in range(QUERIES)]
    docs = [field("doc_id", row) for row in range(DOCS)]
    truth = Truth.build(field("truth"), ids, [docs[row % DOCS] for row in range(QUERIES)], np.ones(QUERIES, int),
                        details=pa.table({
                            "query_id": ids, "query": [field("question", row) for row in range(QUERIES)],
                            "answers": [[field("reference", row)] for row in range(QUERIES)],
                            "attributes": [json.dumps({field("attribute"): field("value", row % 2)})
                                           for row in range(QUERIES)]}))
    column = field("metric")
    runs = tuple(_run(field, number, ids, docs) for number in range(3))
    runs = tuple(run.renamed(name) for run, name in zip(runs, names, strict=True)) if names else runs
    if file_scores:
        runs = tuple(run.with_file_scores(FileScores.build(
            [(query, run.name, column, float(row % 2)) for row, query in enumerate(ids)])) for run in runs)
    return HostileCase(runs, truth, str(Spec("file", (("column", column),), None)))


def _run(field: Callable[..., str], number: int, ids: list[str], docs: list[str]) -> Run:
    rows = [(ids[row], docs[(row + step + number * (row % 3)) % DOCS], 9.0 - step)
            for row in range(QUERIES) for step in range(5)]
    queries, names, scores = map(list, zip(*rows, strict=True))
    stages = pa.struct([("retrieval", pa.float64()), ("generation", pa.float64())])
    details = pa.table({
        "query_id": ids, "answer": [field("answer", row + number) for row in range(QUERIES)],
        "contexts": [[field("context", row), field("context", row + 1)] for row in range(QUERIES)],
        "latency_ms": pa.array([{"retrieval": row + number + 1.0, "generation": 9.0 * row + 9}
                                for row in range(QUERIES)], stages),
        "prompt_tokens": pa.array([100 + row for row in range(QUERIES)]),
        "completion_tokens": pa.array([10] * QUERIES)})
    return Run.build(field("run", number), queries, names, scores, texts=[f"{name} text" for name in names],
                     sources=[field("source", row % 4) for row in range(len(names))], details=details,
                     settings={field("setting"): field("choice", number), "model": field("model", number)})


def keep(case: HostileCase, folder: Path, texts: Sequence[str] = TEXTS) -> None:
    """Keep the case in a workspace with tags, descriptions, reviews, labels, verdicts and a set of drafts.

    folder: the workspace that RAGDASH_WORKSPACE names.
    """
    workspace, (first, *_) = Workspace(folder), texts
    workspace.add_truth(case.truth)
    ids = case.truth.query_ids.to_pylist()
    for number, run in enumerate(case.runs):
        workspace.add_run(run)
        workspace.describe(run.digest, f"{texts[number % len(texts)]} description")
        workspace.tag(run.digest, [f"{first[:40]} tag"])
        scores = {query: float((row + number) % 3 > 0) for row, query in enumerate(ids)}
        LabelStore().add(run.digest, VERDICT_METRIC, {query: float((row + number) % 2) for row, query in
                                                      enumerate(ids)})
        _judge(run, case.truth, scores, Judge(f"{first[:60]} host", f"{first[:60]} model"), texts)
    ReviewStore().add(case.truth.judged_digest, [Event("note", query, f"{texts[row % len(texts)]} note")
                                                 for row, query in enumerate(ids)])
    Sets().keep(_drafts(texts))


def _judge(run: Run, truth: Truth, scores: dict[str, float], judge: Judge, texts: Sequence[str]) -> None:
    match = Match(run, truth)
    questions = dict(zip(match.query_ids.to_pylist(), first_round(match.judged.askings(VERDICT_METRIC), 0),
                         strict=True))
    replies = [Reply({"reason": f"{texts[row % len(texts)]} reason", "score": score}, attempts=1)
               for row, score in enumerate(scores.values())]
    replies[0] = Reply(None, f"{texts[0]} failure", attempts=1)
    default_verdict_store().save(judge, list(zip((questions[query] for query in scores), replies, strict=True)))


def _drafts(texts: Sequence[str]) -> DraftSet:
    documents = {f"{text[:200]} d{row}": Document(f"{text[:200]} d{row}", f"{text} text", f"{text} title")
                 for row, text in enumerate(texts)}
    drafts = tuple(
        Draft(f"single-{row}", "single", f"{text} question", f"{text} answer", (Evidence(doc, text, 0, len(text)),),
              (doc,), (Check("question", True, f"{text} check"),), 0.5)
        for row, (doc, text) in enumerate(zip(documents, texts, strict=True)))
    return DraftSet("hostile", "0" * 32, f"{texts[0]} judge", 0, {"single": len(drafts)}, drafts, documents, {})
