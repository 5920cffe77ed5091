"""A toy judge: rules in place of a model that reads, so that the pages about judges have something to show.

    python sample_runs/toy_judge.py            write verdicts.jsonl.gz, the toy's verdicts on the sample runs
    python sample_runs/toy_judge.py --check    tell whether that file is what the rules give

It compares content words and understands nothing: a claim is a sentence, and is supported where all its content words
stand in one context. What it says tells nothing of how good an answer is. Its verdicts are kept as those of "toy-judge
at toy", and nothing was sent or paid for.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragdash.core.text import content_words, sentences
from ragdash.io import read_runs, read_truth
from ragdash.matching.match import Match
from ragdash.models.judge import Question, Reply, Usage, VerdictStore
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import run_tasks
from ragdash.models.judge.verdict_store.jsonl import export_verdicts

HERE = Path(__file__).resolve().parent
FILE = HERE / "verdicts.jsonl.gz"
RUNS = ("dense.jsonl", "sparse.jsonl", "hybrid.jsonl")
METRICS = ("Faithfulness", "ClaimFaithfulness", "AnswerRelevanceJudged", "ContextRelevance", "Correctness",
           "RAGAS.ContextRecall", "RAGAS.ContextPrecision")
TOY = Judge("toy", "toy-judge")
WHEN = "2026-11-21T00:00:00+00:00"
SIGNS = 4  # of a token, about


def say(question: Question) -> dict:
    """What the toy says to a question of a judged metric."""
    parts = _parts(question.user)
    if question.task == "Claims":
        text = parts["text"][0]
        found = (text[start:end].strip() for start, end in sentences(text))
        return {"claims": [one for one in found if one]}
    if question.task == "Verify":
        return {"verdicts": [_verdict(*one, parts["context"]) for one in zip(question.ids, parts["claim"],
                                                                              strict=True)]}
    if question.task == "ChunkUsefulness":
        held, words = _held(parts["answer"][0], parts["context"][0])
        return {"reason": _told(held, words), "verdict": "useful" if 2 * held >= words > 0 else "useless"}
    return _score(question.task, parts)


def _score(task: str, parts: dict[str, list[str]]) -> dict:
    """A reason and a score, by the share of one text's content words that stand in another."""
    contexts, answer = " ".join(parts["context"]), " ".join(parts["answer"])
    if task == "Faithfulness":
        held, words = _held(answer, contexts)
        return {"reason": _told(held, words), "score": 1 if held == words else 0.5 if 2 * held >= words else 0}
    text, within = {"AnswerRelevance": (parts["question"], answer), "ContextRelevance": (parts["question"], contexts),
                    "Correctness": (parts["reference"], answer)}[task]
    held, words = max((_held(one, within) for one in text), key=lambda found: found[0] / max(found[1], 1))
    return {"reason": _told(held, words), "score": round(4 * held / max(words, 1)) / 4}


def _verdict(name: str, claim: str, contexts: Sequence[str]) -> dict:
    """On one claim, by the contexts that hold all its content words."""
    words = len(set(content_words(claim)))
    found = [_held(claim, text)[0] for text in contexts]
    chunks = [f"c{at}" for at, held in enumerate(found, 1) if held == words]
    return {"id": name, "reason": _told(max(found, default=0), words),
            "verdict": "supported" if chunks else "not stated", "chunks": chunks}


def _held(text: str, within: str) -> tuple[int, int]:
    """(distinct content words of a text that stand in the other, those that it has)."""
    words = set(content_words(text))
    return len(words & set(content_words(within))), len(words)


def _told(held: int, words: int) -> str:
    return f"Toy rule: {held} of {words} content words stand there."


def _parts(user: str) -> dict[str, list[str]]:
    """The texts of a question by their tag."""
    found: dict[str, list[str]] = {name: [] for name in ("question", "context", "answer", "reference", "claim", "text")}
    for name, text in re.findall(r"<([a-z]+)(?: [^>\n]*)?>\n(.*?)\n</\1>", user, re.DOTALL):
        found[name].append(text)
    return found


def judged() -> bytes:
    """The verdicts on all sample runs as JSON lines."""
    truth = read_truth(HERE / "truth.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        verdict_store = VerdictStore(Path(folder) / "toy.sqlite")

        def answer(questions: Sequence[Question]) -> list[Reply]:
            replies = [_reply(question) for question in questions]
            verdict_store.save(TOY, zip(questions, replies, strict=True))
            return replies

        for name in RUNS:
            view = replace(Match(read_runs(HERE / name)[0], truth).judged, verdict_store=verdict_store)
            for metric in METRICS:
                run_tasks(view.askings(metric), answer)
        return b"".join(export_verdicts(verdict_store))


def _reply(question: Question) -> Reply:
    value = question.check(say(question))
    raw = json.dumps(value, ensure_ascii=False)
    usage = Usage((len(question.system) + len(question.user)) // SIGNS, len(raw) // SIGNS, estimated=True)
    return Reply(value, raw="", usage=usage, model=TOY.model, attempts=1, at=WHEN, mode="text")


def main() -> int:
    """Write or check the file; returns the exit status."""
    content = judged()
    if "--check" in sys.argv[1:]:
        same = gzip.decompress(FILE.read_bytes()) == content
        print(f"{FILE.name}: {'as the rules give it' if same else 'not what the rules give'}")
        return 0 if same else 1
    FILE.write_bytes(gzip.compress(content, 9, mtime=0))
    print(f"{FILE.name}: {len(content.splitlines()):,} verdicts, {FILE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
