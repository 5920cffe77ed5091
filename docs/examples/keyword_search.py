"""A toy system for docs/ab.md: passages that share words with the question, the most first; the answer is a sentence.

words.py CORPUS [--rare]: the question is read from standard input. --rare: a rare word counts more than a frequent one.
"""

import json
import math
import re
import sys
from collections import Counter


def words(text):
    return re.findall(r"[a-z]+|\d+", text.lower())


def load(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def weights(passages, rare):
    """{word: how much it counts}."""
    holding = Counter(word for passage in passages for word in set(words(passage["text"])))
    return {word: math.log(1 + len(passages) / n) if rare else 1.0 for word, n in holding.items()}


def answer(question, passages, weight):
    asked = set(words(question))

    def shared(text):
        return math.fsum(weight.get(word, 0.0) for word in asked & set(words(text)))

    best = sorted(passages, key=lambda passage: -shared(passage["text"]))[:10]
    sentences = re.split(r"(?<=[.!?])\s+", best[0]["text"])
    return {"answer": max(sentences, key=shared),
            "retrieved": [{"doc_id": one["doc_id"], "score": shared(one["text"]), "text": one["text"]} for one in best]}


if __name__ == "__main__":
    corpus = load(sys.argv[1])
    counts = weights(corpus, "--rare" in sys.argv)
    if "--lines" in sys.argv:
        for line in sys.stdin:
            asked = json.loads(line)
            said = answer(asked["question"], corpus, counts)
            print(json.dumps({"query_id": asked["query_id"], **said}), flush=True)
    else:
        print(json.dumps(answer(sys.stdin.read(), corpus, counts)))
