"""Questions of production for the test set: those it lacks, diverse, and those that were refused or unanswered first.

Letters: n distinct questions of the log, c candidates among them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import orjson

from ragdash.analysis.tracking.drift import REASONS, Drift, ProposedQuestion, refusals, unanswered
from ragdash.analysis.tracking.drift.question_texts import normalized_question
from ragdash.core.records.arguments import checked
from ragdash.evaluation.stats import SEED
from ragdash.experiments.testset.acceptance_rules import Earlier
from ragdash.experiments.testset.drafts import LOGGED, Check, Draft, DraftSet

MOST_CANDIDATES = 2_000
SHORTEST = 2  # words of a question; "hi" and "?" are none
LONGEST = 400  # characters
FIRST = 0.5  # share of the proposals that refused and unanswered questions may take while others are left


@checked
def propose_questions(drift: Drift, wanted: int = 20, *, seed: int = SEED) -> list[ProposedQuestion]:
    """Choose questions of the log that the test set should have.

    Each is the candidate that brings the questions of the log, as often as they were asked, nearest to a question of
    the test set or of the proposals (facility location, greedy). So proposals are typical of many questions, differ
    from each other, and are no outliers. Near duplicates of the test set and of each other are left out. Refused and
    unanswered questions come first; they take up to half of the places while there are others.

    Parameters
    ----------
    drift
        What `compare_logs` found.
    wanted
        Questions at most.
    seed
        Of the sample of candidates, where the log has more than 2,000.

    Returns
    -------
    list of ProposedQuestion
        Refused and unanswered ones first, then by what each adds.
    """
    flags = _flags(drift)
    earlier = Earlier()
    for number, text in enumerate(drift.reference_texts):
        earlier.add(Draft(f"question {number + 1}", LOGGED, text))
    candidates = _candidates(drift, flags, seed)
    first = [row for row in candidates if flags[row]]
    chosen = _greedy(drift, first, earlier, [], int(np.ceil(wanted * FIRST)) if len(first) < len(candidates)
                     else wanted)
    rest = _greedy(drift, [row for row in candidates if not flags[row]], earlier, [row for row, _ in chosen],
                   wanted - len(chosen))
    if len(chosen) + len(rest) < wanted:  # too few others: more of the first
        taken = [row for row, _ in (*chosen, *rest)]
        chosen += _greedy(drift, [row for row in first if row not in set(taken)], earlier, taken, wanted - len(taken))
    answers = {normalized_question(text): answer for text, answer in
               zip(drift.log.questions, drift.log.answers, strict=True)}
    return [ProposedQuestion(
        question_id(drift.texts[row]), drift.texts[row], flags[row] or ("new" if drift.new[row] else "typical"),
        int(drift.counts[row]), represents, drift.reference_texts[int(drift.nearest[row])],
        round(float(drift.similarity[row]), 4), answers.get(normalized_question(drift.texts[row])))
        for row, represents in (*chosen, *rest)]


def question_id(text: str) -> str:
    """The id of a question of a log."""
    content = normalized_question(text).encode("utf-8", "replace")
    return f"{LOGGED}-{hashlib.blake2b(content, digest_size=5).hexdigest()}"


def questions_jsonl(proposals: Sequence[ProposedQuestion]) -> bytes:
    """A line for each: query_id and query, as `record_retriever` takes them, and why it is there."""
    return b"".join(orjson.dumps({
        "query_id": item.id, "query": item.question, "reason": item.reason, "asked": item.asked,
        "represents": item.represents, "nearest_question": item.nearest, "similarity": item.similarity,
        "answer_of_the_system": item.answer}) + b"\n" for item in proposals)


def drafts_of(proposals: Sequence[ProposedQuestion], name: str) -> DraftSet:
    """The proposals as drafts, to be reviewed and answered on the page Test set."""
    drafts = tuple(Draft(item.id, LOGGED, item.question, checks=(
        Check("logged", True, f"asked {item.asked:,} times; {REASONS[item.reason]}"),
        Check("new", True, f"the nearest question of the test set has a similarity of {item.similarity:.2f}: "
                           f"{item.nearest}"))) for item in proposals)
    digest = hashlib.blake2b("\0".join(draft.id for draft in drafts).encode(), digest_size=16).hexdigest()
    return DraftSet(name, digest, "people in production", 0, {LOGGED: len(drafts)}, drafts)


def _flags(drift: Drift) -> list[str]:
    """(n,) "unanswered" or "refused" for a question that was so in at least half of its requests, else ""."""
    rows = {normalized_question(text): row for row, text in enumerate(drift.texts)}
    counts = np.zeros((3, len(rows)))
    for text, declined, empty in zip(drift.log.questions, refusals(drift.log), unanswered(drift.log), strict=True):
        row = rows.get(normalized_question(text))
        if row is not None:
            counts[:, row] += (1, np.nan_to_num(declined), np.nan_to_num(empty))
    total, declined, empty = counts
    return ["unanswered" if empty[row] * 2 >= max(total[row], 1) else
            "refused" if declined[row] * 2 >= max(total[row], 1) else "" for row in range(len(rows))]


def _candidates(drift: Drift, flags: Sequence[str], seed: int) -> list[int]:
    """Questions that may be proposed; of more than MOST_CANDIDATES a sample, all refused and unanswered ones first."""
    rows = [row for row, text in enumerate(drift.texts)
            if len(text.split()) >= SHORTEST - (not text.isascii()) and len(text) <= LONGEST]
    order = np.random.default_rng(seed).permutation(len(rows)).tolist()
    return sorted(sorted((rows[place] for place in order), key=lambda row: not flags[row])[:MOST_CANDIDATES])


def _greedy(drift: Drift, candidates: Sequence[int], earlier: Earlier, taken: Sequence[int],
            wanted: int) -> list[tuple[int, int]]:
    """[(candidate, questions that it represents)], the one that adds most first; earlier grows by what is chosen."""
    if not candidates or wanted < 1:
        return []
    rows = np.array(candidates)
    reached = drift.similarity[rows].astype(float)
    if len(taken):
        reached = np.maximum(reached, drift.vectors.cosines(rows, np.array(taken)).max(axis=1))
    alike = drift.vectors.cosines(rows, rows)
    weights, open_places = drift.counts[rows].astype(float), np.ones(len(rows), bool)
    chosen: list[tuple[int, int]] = []
    while len(chosen) < wanted and open_places.any():
        gains = np.where(open_places, weights @ np.maximum(alike - reached[:, None], 0), -1)
        best = int(gains.argmax())
        if gains[best] <= 0:
            break
        open_places[best] = False
        text = drift.texts[rows[best]]
        if not earlier.check(text).passed:
            continue
        earlier.add(Draft(question_id(text), LOGGED, text))
        chosen.append((int(rows[best]), int((alike[:, best] > reached).sum())))
        reached = np.maximum(reached, alike[:, best])
    return chosen
