"""The order of contexts and claims in each vote: another one for every vote, the same on every machine.

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
    """The order of n texts in a vote; vote 0 has them as they are.

    Examples
    --------
    >>> vote_order(3, 0), len({vote_order(3, vote) for vote in range(6)}), sorted(vote_order(30, 2)) == list(range(30))
    ((0, 1, 2), 6, True)
    """
    if not vote or n < 2:
        return tuple(range(n))
    if n > FEW:
        return tuple(random.Random(vote).sample(range(n), n))
    others = list(permutations(range(n)))[1:]
    random.Random(n).shuffle(others)
    return (tuple(range(n)), *others)[vote % (len(others) + 1)]


def case_of_vote(case: Case, vote: int) -> Case:
    """The case as a vote shows it: its contexts in the order of that vote."""
    if not vote:
        return case
    contexts = case.contexts and tuple(case.contexts[i] for i in vote_order(len(case.contexts), vote))
    return replace(case, contexts=contexts, vote=vote)
