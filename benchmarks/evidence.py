"""Evidence matching beside difflib's SequenceMatcher; what another threshold costs.

    python benchmarks/evidence.py [--rounds 3]

1,000 queries x 20 chunks of 800 characters x 2 spans of 120: one span stands in a chunk as it is, one with a tenth of
its letters wrong, the other pairs are unrelated. ragdash matches all 40,000 pairs, texts normalised and the table of
scores included, on all cores; SequenceMatcher compares a sample of the normalised pairs on one, and its time is scaled
up. Three ways to ask it: the whole strings compared (autojunk=False); the span first, with autojunk; the chunk first.
With autojunk and the chunk second it passes over every character that is frequent in the chunk, hence over nearly all:
fast, and of no use; that one is printed and not the measure. Exit code 1 where a promise is missed, or where the
values are not those of the definition.
"""

from __future__ import annotations

import argparse
import difflib
import random
import statistics
import time

import numpy as np
import pyarrow as pa
from rapidfuzz import fuzz

from ragdash.evidence import match_evidence, normalise
from ragdash.records import Run, Truth

QUERIES, CHUNKS, CHUNK, SPAN, SAMPLE = 1_000, 20, 800, 120, 150
SECONDS, MILLISECONDS, RATIO = 2.0, 10.0, 40
THRESHOLDS = [t / 100 for t in range(50, 101)]
LETTERS, WEIGHTS = "etaoinshrdlcumwfgypbvk", (12, 9, 8, 8, 7, 7, 6, 6, 6, 4, 4, 3, 3, 2, 2, 2, 2, 2, 2, 1.5, 1, 1)
MISSED: list[str] = []


def texts(rng: random.Random) -> tuple[list[list[str]], list[list[str]]]:
    """(chunks, spans) of each query, of words that are drawn as a language draws them."""
    lengths = rng.choices([2, 3, 3, 4, 5, 6, 7, 8, 10], k=8000)
    vocabulary = ["".join(rng.choices(LETTERS, WEIGHTS, k=length)) for length in lengths]
    frequency = [1 / (i + 3) for i in range(len(vocabulary))]
    stock = " ".join(rng.choices(vocabulary, frequency, k=QUERIES * CHUNKS * CHUNK // 4))
    chunks = [[stock[(q * CHUNKS + c) * CHUNK:][:CHUNK] for c in range(CHUNKS)] for q in range(QUERIES)]
    return chunks, [[cut(rng, rng.choice(some)), edited(rng, cut(rng, rng.choice(some)))] for some in chunks]


def cut(rng: random.Random, text: str) -> str:
    start = rng.randrange(len(text) - SPAN)
    return text[start:start + SPAN]


def edited(rng: random.Random, text: str) -> str:
    return "".join(rng.choice(LETTERS) if rng.random() < 0.1 else c for c in text)


def build(chunks: list[list[str]], spans: list[list[str]]) -> tuple[Run, Truth]:
    names = [f"q{q}" for q in range(QUERIES)]
    run = Run.build("run", np.repeat(names, CHUNKS).tolist(), [f"d{i}" for i in range(QUERIES * CHUNKS)],
                    texts=[text for some in chunks for text in some])
    evidence = [[{"text": text, "source": None} for text in some] for some in spans]
    return run, Truth.build("truth", [], [], [], details=pa.table({"query_id": names, "evidence": evidence}))


def difflib_seconds(pairs: list[tuple[str, str]]) -> dict[str, float]:
    """Seconds for all pairs, from a sample, by how SequenceMatcher is asked."""
    ways = {"whole strings (autojunk=False)": lambda span, chunk: difflib.SequenceMatcher(None, span, chunk, False),
            "chunk first": lambda span, chunk: difflib.SequenceMatcher(None, chunk, span),
            "span first, autojunk": lambda span, chunk: difflib.SequenceMatcher(None, span, chunk)}
    total = QUERIES * CHUNKS * 2
    return {name: timed(lambda way=way: [way(*pair).ratio() for pair in pairs])[0] * total / len(pairs)
            for name, way in ways.items()}


def timed(call) -> tuple[float, object]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def check(holds: bool, otherwise: str) -> None:
    if not holds:
        MISSED.append(otherwise)


def main(rounds: int) -> None:
    rng = random.Random(1)
    chunks, spans = texts(rng)
    run, truth = build(chunks, spans)
    sample = [(normalise(rng.choice(spans[q])), normalise(rng.choice(chunks[q])))
              for q in (rng.randrange(QUERIES) for _ in range(SAMPLE))]
    ours, theirs, work = [], [], []
    for _ in range(rounds):
        busy = time.process_time()
        seconds, scores = timed(lambda: match_evidence(run, truth))
        work.append(time.process_time() - busy)
        ours.append(seconds)
        theirs.append(difflib_seconds(sample))
    mine = statistics.median(ours)
    busy = statistics.median(work)
    print(f"{QUERIES:,} queries x {CHUNKS} chunks x 2 spans: {mine:.2f} s ({busy:.2f} s of processors)")
    for way in theirs[0]:
        other = statistics.median(row[way] for row in theirs)
        print(f"SequenceMatcher, {way}: {other:.0f} s: {other / mine:.0f} x")
        check(other / mine >= RATIO or way == "span first, autojunk", f"less than {RATIO} times as fast as {way}")
    check(mine < SECONDS, f"slower than {SECONDS} s")
    moved = [timed(lambda t=t: scores.covered(t))[0] * 1e3 for t in THRESHOLDS]
    print(f"another threshold: {statistics.median(moved):.2f} ms, at most {max(moved):.2f} ms")
    check(max(moved) < MILLISECONDS, f"a threshold takes more than {MILLISECONDS} ms")
    verify(scores, chunks, spans)


def verify(scores, chunks: list[list[str]], spans: list[list[str]]) -> None:
    """Every span is found, and a sample of scores is rapidfuzz's, one by one."""
    check(bool((scores.covered(0.7).span_rank <= CHUNKS).all()), "a span that is there is not found")
    pairs = [(q, c, s) for q in range(0, QUERIES, 50) for c in range(CHUNKS) for s in range(2)]
    expected = {(q, c + 1, 2 * q + s): fuzz.partial_ratio(normalise(spans[q][s]), normalise(chunks[q][c])) / 100
                for q, c, s in pairs}
    asked = np.flatnonzero(scores.query[scores.row_chunk] % 50 == 0)
    found = {(int(scores.query[c]), int(scores.rank[c]), int(p)): float(value) for c, p, value in zip(
        scores.row_chunk[asked], scores.row_part[asked], scores.score[asked], strict=True)}
    check(found == {key: value for key, value in expected.items() if value >= scores.floor}, "scores differ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    main(parser.parse_args().rounds)
    raise SystemExit("\n".join(["", *MISSED]) if MISSED else 0)
