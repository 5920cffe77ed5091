"""The order of contexts, claims and references in each vote: another one for every vote, the same on every machine.

A judge that is asked the same text again tends to give the same reply. Another order shows whether its verdict rests on
the place of a text.
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations

from ragdash.models.judge.tasks.registry import Case

FEW = 5  # texts whose orders are listed, so that no two votes have the same one


def vote_order(n: int, vote: int) -> tuple[int, ...]:
    """The order of n texts in a vote; vote 0 has them as they are. Each of the first n votes begins with another text.

    Examples
    --------
    >>> vote_order(3, 0), len({vote_order(3, vote) for vote in range(6)}), sorted(vote_order(30, 2)) == list(range(30))
    ((0, 1, 2), 6, True)
    >>> sorted(vote_order(5, vote)[0] for vote in range(5))
    [0, 1, 2, 3, 4]
    """
    if not vote or n < 2:
        return tuple(range(n))
    firsts = [0, *random.Random(n).sample(range(1, n), n - 1)]
    turn, place = divmod(vote, n)
    first = firsts[place]
    others = [i for i in range(n) if i != first]
    if n > FEW:
        return first, *random.Random(vote).sample(others, n - 1)
    orders = list(permutations(others))
    kept = 0 if first else 1  # the order of vote 0 stays in front
    shuffled = orders[kept:]
    random.Random(n * n + first).shuffle(shuffled)
    return first, *(*orders[:kept], *shuffled)[turn % len(orders)]


def references_of_vote(case: Case) -> tuple[str, ...]:
    """The references that have a text, as alternatives, in the order of the vote of this case."""
    references = [text for text in case.references if text.strip()]
    return tuple(references[i] for i in vote_order(len(references), case.vote))


def case_of_vote(case: Case, vote: int) -> Case:
    """The case as a vote shows it: its contexts in the order of that vote."""
    if not vote:
        return case
    contexts = case.contexts and tuple(case.contexts[i] for i in vote_order(len(case.contexts), vote))
    return replace(case, contexts=contexts, vote=vote)
