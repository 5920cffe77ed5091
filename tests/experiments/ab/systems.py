"""Systems to ask: in sh, in Python, once for a question and staying."""

from __future__ import annotations

import sys

from ragdash.experiments.ab import Command, Lines

QUERIES = 6
SYSTEM = '''
"""A system in Python: --lines stays. What it does is told by words; every question is counted in a file."""
import json, os, sys, time

def answer(query_id, question):
    with open(os.environ["COUNTED"], "a") as file:
        file.write(f"{sys.argv[1]} {query_id}\\n")
    if len(open(os.environ["COUNTED"]).readlines()) > int(os.environ.get("SLOW_AFTER", "1000000")):
        time.sleep(1)
    doc = "right" if sys.argv[1] == "good" or int(query_id[1:]) % 2 else "wrong"
    cost = {"cost_usd": float(os.environ["COST"])} if "COST" in os.environ else {}
    return {"query_id": query_id, "answer": question, "retrieved": [{"doc_id": f"{doc}-{query_id}", "score": 1.0}],
            **cost}

if "--lines" in sys.argv:
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["query_id"] == "warm-up":
            print(json.dumps({"query_id": "warm-up"}), flush=True)
            continue
        print(json.dumps(answer(asked["query_id"], asked["question"])), flush=True)
else:
    print(json.dumps(answer(os.environ["RAGDASH_QUERY_ID"], sys.stdin.read().strip())))
'''


def truth_lines(queries: int) -> str:
    """A truth in JSONL: query q1 asks "question 1?" and right-q1 is right."""
    return "".join(f'{{"query_id": "q{i}", "query": "question {i}?", "relevant": ["right-q{i}"]}}\n'
                   for i in range(1, queries + 1))


def shell(text: str, **options) -> Command:
    """A command in sh."""
    return Command(("sh", "-c", text), **options)


def lines(code: str, **options) -> Lines:
    """A command that stays, in Python: code has `asked` (an object) and `say(object)`."""
    start = ("import json, os, sys, time\ndef say(told): print(json.dumps(told))\n"
             "def fine(asked): say({'query_id': asked['query_id'], 'retrieved': ['d']})\n")
    loop = "for line in sys.stdin:\n    asked = json.loads(line)\n"
    inside = "".join(f"    {part}\n" for part in code.split("\n"))
    return Lines((sys.executable, "-c", start + loop + inside), **options)
