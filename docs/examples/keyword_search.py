"""Toy retrieval system for docs/guide/ab.md: rank passages by words shared with the question, answer with a sentence.

keyword_search.py CORPUS [--rare] [--lines]

Without --lines it reads one question from standard input. --rare gives rare words more weight than frequent ones.
"""

import json
import math
import re
import sys
from collections import Counter


def tokenize(text):
    return re.findall(r"[a-z]+|\d+", text.lower())


def load_corpus(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def word_weights(passages, rare):
    """Return {word: weight}."""
    frequency = Counter(word for passage in passages for word in set(tokenize(passage["text"])))
    return {word: math.log(1 + len(passages) / n) if rare else 1.0 for word, n in frequency.items()}


def answer(question, passages, weights):
    question_words = set(tokenize(question))

    def score(text):
        return math.fsum(weights.get(word, 0.0) for word in question_words & set(tokenize(text)))

    best = sorted(passages, key=lambda passage: -score(passage["text"]))[:10]
    sentences = re.split(r"(?<=[.!?])\s+", best[0]["text"])
    return {"answer": max(sentences, key=score),
            "retrieved": [{"doc_id": passage["doc_id"], "score": score(passage["text"]), "text": passage["text"]}
                          for passage in best]}


if __name__ == "__main__":
    corpus = load_corpus(sys.argv[1])
    weights = word_weights(corpus, "--rare" in sys.argv)
    if "--lines" in sys.argv:
        for line in sys.stdin:
            request = json.loads(line)
            reply = answer(request["question"], corpus, weights)
            print(json.dumps({"query_id": request["query_id"], **reply}), flush=True)
    else:
        print(json.dumps(answer(sys.stdin.read(), corpus, weights)))
