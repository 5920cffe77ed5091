"""A judge of a few rules, in the process: what it says can be foretold, and every call is counted.

A claim is a sentence of the text; it is supported where all its words of four letters or more stand in the context.
"""

from __future__ import annotations

import re
from collections import Counter

import pyarrow as pa

from ragdash.core.records import Run, Truth
from ragdash.models.judge import Question, Reply, Usage, VerdictStore
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import run_tasks

JUDGE = Judge("localhost:1", "scripted")


def tagged(text: str, name: str) -> list[str]:
    """The texts between tags of this name."""
    return re.findall(rf"<{name}(?: [^>]*)?>\n(.*?)\n</{name}>", text, re.DOTALL)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.lower()))


def value(question: Question) -> dict:
    """What the scripted judge answers."""
    user = question.user
    contexts, claims = tagged(user, "context"), tagged(user, "claim")
    if question.task == "Claims":
        return {"claims": [part.strip() for part in re.split(r"(?<=\.)\s", tagged(user, "text")[0])
                           if words(part) and "know" not in part]}
    if question.task == "Verify":
        held = [[f"c{i}" for i, text in enumerate(contexts, 1) if words(claim) <= words(text)] for claim in claims]
        return {"verdicts": [{"id": one, "reason": "words", "verdict": "supported" if chunks else "not stated",
                              "chunks": chunks} for one, chunks in zip(question.ids, held, strict=True)]}
    if question.task == "Entailment":
        text = words(tagged(user, "text")[0])
        held = ["entailed" if words(claim) <= text else "neutral" for claim in claims]
        return {"verdicts": [{"id": one, "reason": "words", "verdict": verdict}
                             for one, verdict in zip(question.ids, held, strict=True)]}
    if question.task == "Entities":
        return {"entities": [word for text in (contexts or tagged(user, "text")) for word in re.findall(
            r"\b[A-Z]\w{3,}", text) if word not in ("Surely", "Often")]}
    if question.task in ("ChunkUsefulness", "ChunkUse"):
        useful = words(tagged(user, "answer")[0]) & words(contexts[0])
        return {"reason": "words", "verdict": "useful" if useful else "useless"}
    if question.task == "AskBack":
        evasive = "yes" if "know" in tagged(user, "answer")[0] else "no"
        return {"questions": [{"question": letters, "evasive": evasive} for letters in ("a", "b", "ab")]}
    return {"reason": "as always", "score": 0.5}


class Scripted:
    """Answers questions and keeps replies; `fails`: task -> reason for which it has no verdict; "*": of all others."""

    def __init__(self, verdict_store: VerdictStore, fails: dict[str, str] | None = None, judge: Judge = JUDGE):
        self.verdict_store, self.fails, self.judge, self.calls = verdict_store, fails or {}, judge, Counter()

    def judge_all(self, judged, *names: str, vote: int = 0):
        """Ask everything that the metrics of a view Judged need, as a job would."""
        for name in names:
            run_tasks(judged.askings(name, vote=vote), self._answers, vote)

    def _answers(self, questions):
        by_key = {self.judge.key(question): question for question in questions}
        known = self.verdict_store.get(list(by_key))
        todo = {key: question for key, question in by_key.items() if key not in known}
        replies = {key: self._reply(question) for key, question in todo.items()}
        self.verdict_store.save(self.judge, [(question, replies[key]) for key, question in todo.items()])
        replies |= known
        return [replies[self.judge.key(question)] for question in questions]

    def _reply(self, question: Question) -> Reply:
        self.calls[question.task] += 1
        if reason := self.fails.get(question.task, self.fails.get("*", "")):
            return Reply(None, reason, attempts=2)
        return Reply(question.check(value(question)), usage=Usage(10, 5), model=self.judge.model, attempts=1)


def case(rows: dict[str, dict], name: str = "run") -> tuple[Run, Truth]:
    """Run and truth of {query: {question, answer, references, contexts or docs}}; what a row lacks is not there."""
    ids = list(rows)
    docs = [(query, doc, text) for query, row in rows.items() for doc, text in row.get("docs", {}).items()]
    column = {key: [row.get(key) for row in rows.values()] for key in ("question", "answer", "references", "contexts")}
    details = {"query_id": pa.array(ids, pa.string()), "answer": pa.array(column["answer"], pa.string()),
               "contexts": pa.array(column["contexts"], pa.list_(pa.string()))}
    run = Run.build(name, [row[0] for row in docs] or ids, [row[1] for row in docs] or ["d"] * len(ids),
                    texts=[row[2] for row in docs] or None, details=pa.table(details))
    truth = Truth.build("truth", ids, ["d"] * len(ids), [1] * len(ids), details=pa.table({
        "query_id": pa.array(ids, pa.string()), "query": pa.array(column["question"], pa.string()),
        "answers": pa.array(column["references"], pa.list_(pa.string()))}))
    return run, truth
