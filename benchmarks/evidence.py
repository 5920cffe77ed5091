"""Evidence matching beside difflib's SequenceMatcher; what another threshold costs.

    python benchmarks/evidence.py [--rounds 3]

1,000 queries x 20 chunks of 800 characters x 2 spans of 120: one span stands in a chunk as it is, one with a tenth of
its letters wrong, the other pairs are unrelated. ragdash matches all 40,000 pairs, texts normalized and the table of
scores included; difflib compares a sample of the normalized pairs, and its time is scaled up. Times of processors are
set against each other, so that neither the number of cores nor what else the machine does counts.

- how="sequence" beside the call that it stands for, SequenceMatcher(None, span, chunk).ratio(). With autojunk, its
  default, difflib passes over every character that is frequent in the chunk, hence over nearly all: fast, and it sees
  little.
- how="partial" beside the same call without autojunk, and beside the partial rule done with difflib: the ratio of the
  span with the window at each matching block (fuzzywuzzy's way, which may miss the best), and with every window.
- how="partial" beside the call with autojunk, for completeness: other work.

The call with autojunk is no promise: beside it what counts is reading and searching the texts, which both have to do.

Exit code 1 where a promise is missed, or where the values are not those of the definition.
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

from ragdash.core.records import Run, Truth
from ragdash.matching.evidence import match_evidence, normalize

QUERIES, CHUNKS, CHUNK, SPAN, SAMPLE, FEW = 1_000, 20, 800, 120, 100, 2
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


def published(span: str, chunk: str) -> float:
    return difflib.SequenceMatcher(None, span, chunk).ratio()


def without_autojunk(span: str, chunk: str) -> float:
    return difflib.SequenceMatcher(None, span, chunk, False).ratio()


def at_blocks(span: str, chunk: str) -> float:
    """fuzzywuzzy's partial_ratio: the windows at the matching blocks."""
    starts = {max(b - a, 0) for a, b, _ in difflib.SequenceMatcher(None, span, chunk, False).get_matching_blocks()}
    return max(without_autojunk(span, chunk[start:start + len(span)]) for start in starts)


def at_every_window(span: str, chunk: str) -> float:
    """The windows as long as the span, and the shorter ones at either end."""
    size, end = len(span), len(chunk)
    return max(without_autojunk(span, chunk[max(i, 0):i + size]) for i in range(1 - size, end))


BESIDE = (("sequence", "SequenceMatcher(None, span, chunk).ratio()", published, SAMPLE, False),
          ("partial", "SequenceMatcher without autojunk", without_autojunk, SAMPLE, True),
          ("partial", "partial rule by difflib, at matching blocks", at_blocks, SAMPLE // 5, True),
          ("partial", "partial rule by difflib, every window", at_every_window, FEW, True),
          ("partial", "SequenceMatcher(None, span, chunk).ratio()", published, SAMPLE, False))


def timed(call) -> tuple[float, float, object]:
    """(seconds, seconds of processors, what it gives)"""
    start, busy = time.perf_counter(), time.process_time()
    result = call()
    return time.perf_counter() - start, time.process_time() - busy, result


def check(holds: bool, otherwise: str) -> None:
    if not holds:
        MISSED.append(otherwise)


def main(rounds: int) -> None:
    rng = random.Random(1)
    chunks, spans = texts(rng)
    run, truth = build(chunks, spans)
    sample = [(normalize(rng.choice(spans[q])), normalize(rng.choice(chunks[q])))
              for q in (rng.randrange(QUERIES) for _ in range(SAMPLE))]
    rows = {how: [] for how, *_ in BESIDE}
    theirs = {name: [] for _, name, *_ in BESIDE}
    for _ in range(rounds):
        found = {}
        for how in rows:
            *times, found[how] = timed(lambda how=how: match_evidence(run, truth, how))
            rows[how].append(times)
        for name, call, size in {(name, call, size) for _, name, call, size, _ in BESIDE}:
            busy = timed(lambda call=call, size=size: [call(*pair) for pair in sample[:size]])[1]
            theirs[name].append(busy / size * QUERIES * CHUNKS * 2)
    wall, busy = ({how: min(row[i] for row in some) for how, some in rows.items()} for i in (0, 1))
    for how in rows:
        print(f"{how}: {QUERIES:,} queries x {CHUNKS} chunks x 2 spans: {wall[how]:.2f} s ({busy[how]:.2f} s of "
              "processors)")
    for how, name, _, _, promised in BESIDE:
        ratio = min(theirs[name]) / busy[how]
        print(f"  {how} beside {name}: {min(theirs[name]):,.0f} s of processors: {ratio:,.0f} x"
              + ("" if promised else " (no promise)"))
        check(ratio >= RATIO or not promised, f"{how} less than {RATIO} times as fast as {name}")
    check(wall["partial"] < SECONDS, f"slower than {SECONDS} s")
    scores = found["partial"]
    moved = [timed(lambda t=t: scores.covered(t))[1] * 1e3 for t in THRESHOLDS]
    print(f"another threshold: {statistics.median(moved):.2f} ms of processors, at most {max(moved):.2f} ms")
    check(max(moved) < MILLISECONDS, f"a threshold takes more than {MILLISECONDS} ms")
    verify_sequence(found["sequence"], sample)
    verify(scores, chunks, spans)


def verify(scores, chunks: list[list[str]], spans: list[list[str]]) -> None:
    """Every span is found, and a sample of scores is rapidfuzz's, one by one."""
    check(bool((scores.covered(0.7).span_rank <= CHUNKS).all()), "a span that is there is not found")
    pairs = [(q, c, s) for q in range(0, QUERIES, 50) for c in range(CHUNKS) for s in range(2)]
    expected = {(q, c + 1, 2 * q + s): fuzz.partial_ratio(normalize(spans[q][s]), normalize(chunks[q][c])) / 100
                for q, c, s in pairs}
    asked = np.flatnonzero(scores.query[scores.row_chunk] % 50 == 0)
    found = {(int(scores.query[c]), int(scores.rank[c]), int(p)): float(value) for c, p, value in zip(
        scores.row_chunk[asked], scores.row_part[asked], scores.score[asked], strict=True)}
    check(found == {key: value for key, value in expected.items() if value >= scores.floor}, "scores differ")


def verify_sequence(scores, sample: list[tuple[str, str]]) -> None:
    """Pairs of the sample have difflib's number, 1 where the span stands in the chunk, and none below the floor."""
    pairs = {(scores.spans.parts[p], normalize(scores.texts[scores.text[c]])): float(value) for c, p, value in zip(
        scores.row_chunk, scores.row_part, scores.score, strict=True)}
    expected = {pair: 1.0 if pair[0] in pair[1] else published(*pair) for pair in sample}
    check(all(pairs.get(pair, 0.0) == (value if value >= scores.floor else 0.0) for pair, value in expected.items()),
          "how='sequence' is not difflib's")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    main(parser.parse_args().rounds)
    raise SystemExit("\n".join(["", *MISSED]) if MISSED else 0)
