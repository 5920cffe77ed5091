"""How often is drift reported where there is none, and how often is planted drift found?

    python benchmarks/drift.py [--samples 300] [--seed 1]

Questions are made of topics, nouns and phrases, with a latency that is log-normal, 8 % refusals and 3 % without an
answer. Without drift, the log and the test set come from one source: "one source"; "repeated", where a few questions
are asked again and again, and the test set is drawn from the distinct ones; and "sessions", where a conversation asks
about one topic and has one speed. Planted: a topic that the test set lacks in a fifth of the questions, twice as long
questions, a fifth in German, 20 % refusals, 15 % without an answer, and 1.4 times the latency.

A false alarm is any significant measure (corrected over all that were tested, 5 %). A planted change is found if the
measure that it is about is significant.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from ragdash.analysis.tracking.drift import compare_logs
from ragdash.io.recorded.question_log import QuestionLog

NOUNS = {
    "orders": ["order", "parcel", "delivery", "invoice", "receipt", "courier", "package", "shipment", "address", "box"],
    "account": ["password", "login", "account", "email", "profile", "username", "session", "safety", "code", "device"],
    "returns": ["refund", "return", "exchange", "warranty", "repair", "voucher", "credit", "damage", "policy", "label"],
    "travel": ["visa", "passport", "embassy", "border", "flight", "hotel", "luggage", "airport", "customs", "ticket"],
}
PHRASES = ("how do I change the {0}", "what happens to my {0} with the {1}", "when does the {0} expire",
           "can I get a {0} without a {1}", "why is my {0} not working", "where do I find the {0} of my {1}")
GERMAN = ("wie ändere ich die {0}", "was ist mit der {0} und dem {1}", "wann läuft die {0} ab", "kann ich {0} ohne {1}")
PLANTED = {"topics": "topics", "length": "length", "language": "language", "refused": "refused",
           "unanswered": "unanswered", "latency": "p50"}


def requests(rng: np.random.Generator, n: int, change: str = "", sessions: bool = False) -> QuestionLog:
    """n requests; change: of PLANTED."""
    questions, session_ids, latency = [], [], []
    topic, speed = "orders", 1.0
    for number in range(n):
        if not sessions or number % 5 == 0:
            topic = ("orders", "account", "returns")[rng.integers(3)]
            speed = float(np.exp(rng.normal(0, 0.6)))
        subject = "travel" if change == "topics" and rng.random() < 0.2 else topic
        phrases = GERMAN if change == "language" and rng.random() < 0.2 else PHRASES
        words = rng.choice(NOUNS[subject], 2, replace=False)
        text = phrases[rng.integers(len(phrases))].format(*words)
        if change == "length":
            text += " and " + PHRASES[rng.integers(len(PHRASES))].format(*rng.choice(NOUNS[subject], 2, replace=False))
        questions.append(f"{text} {rng.integers(900)}?")
        session_ids.append(f"s{number // 5}" if sessions else None)
        latency.append(400 * speed * np.exp(rng.normal(0, 0.2)) * (1.4 if change == "latency" else 1))
    refused = rng.random(n) < (0.2 if change == "refused" else 0.08)
    empty = rng.random(n) < (0.15 if change == "unanswered" else 0.03)
    answers = tuple(None if bare else "I do not know." if declined else "Yes."
                    for bare, declined in zip(empty, refused, strict=True))
    return QuestionLog("log", tuple(questions), answers, True, np.full(n, np.nan), np.array(latency), (None,) * n,
                       tuple(session_ids))


def repeated(log: QuestionLog, rng: np.random.Generator) -> QuestionLog:
    """The same requests with some questions asked again and again."""
    rows = rng.choice(len(log), 3 * len(log), p=(weights := 1 / np.arange(1, len(log) + 1)) / weights.sum())
    rows = np.concatenate([np.arange(len(log)), rows])
    fields = {name: tuple(getattr(log, name)[row] for row in rows) for name in ("questions", "answers", "times",
                                                                               "sessions")}
    return replace(log, latency=log.latency[rows], refused=log.refused[rows], **fields)


def comparison(scenario: str, seed: int, n: int, tested: int, splits: int = 400) -> set[str]:
    """The measures that a comparison finds changed."""
    rng = np.random.default_rng(seed)
    log = requests(rng, n, scenario, scenario == "sessions")
    reference = requests(rng, tested, "", scenario == "sessions")
    if scenario == "repeated":
        log = replace(repeated(log, rng), has_answers=False, latency=np.full(4 * n, np.nan))
    return {measure.name for measure in compare_logs(log, reference, model="tfidf", splits=splits, seed=seed).changes}


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sizes = ((300, 60), (300, 200), (1_000, 100))
    print("share of comparisons with any change, where there is none")
    for scenario in ("one source", "repeated", "sessions"):
        shares = [np.mean([bool(comparison(scenario, options.seed * 100_000 + sample, n, tested))
                           for sample in range(options.samples)]) for n, tested in sizes]
        print(f"{scenario:12}", *(f"{n:,} requests, {tested} tested: {share:6.1%}" for (n, tested), share in
                                  zip(sizes, shares, strict=True)), sep="  ")
    print("share of planted changes that are found")
    for scenario, measure in PLANTED.items():
        shares = [np.mean([measure in comparison(scenario, options.seed * 100_000 + sample, n, tested)
                           for sample in range(max(options.samples // 5, 20))]) for n, tested in sizes]
        print(f"{scenario:12}", *(f"{n:,} requests, {tested} tested: {share:6.1%}" for (n, tested), share in
                                  zip(sizes, shares, strict=True)), sep="  ")


if __name__ == "__main__":
    main()
