"""One mean is of one version of a judge: verdicts of another version are set apart with their reason, never joined.

A version is what the endpoint called itself in its reply ("gpt-4o-2024-08-06"); an endpoint that says nothing is taken
at the name that was asked for. Prompts and hosts need no such rule: another prompt is another question, another host
another judge.

Letters: Q queries, V votes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragdash.models.judge import VerdictStore
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.tasks import Judgment

VERSION = " version "  # between a judge and its version, where one is chosen
OTHER, SEVERAL = "other-version", "several-versions"  # reasons for which a verdict is set apart


@dataclass(frozen=True)
class VersionChoice:
    """rounds (V, Q): the judgments, those of other versions as missing; version: whose values are left, "" where the
    replies name none; others: {version: queries} that are set apart; among: which runs a ranking is among, "" for
    other metrics.
    """

    rounds: tuple[tuple[Judgment, ...], ...]
    version: str = ""
    others: Mapping[str, int] = field(default_factory=dict)
    among: str = ""


def split_version(name: str) -> tuple[str, str]:
    """(judge, version) of a choice; "" for the version that has most verdicts.

    Examples
    --------
    >>> split_version("gpt-4o version gpt-4o-2024-08-06"), split_version("gpt-4o at api.openai.com")
    (('gpt-4o', 'gpt-4o-2024-08-06'), ('gpt-4o at api.openai.com', ''))
    """
    judge, _, version = name.partition(VERSION)
    return judge, version.strip()


def with_version(judge: str, version: str, model: str = "") -> str:
    """The judge with its version, as it can be chosen; without where the version says no more than the model.

    Examples
    --------
    >>> with_version("gpt-4o at host", "gpt-4o-2024-08-06", "gpt-4o"), with_version("toy at host", "toy", "toy")
    ('gpt-4o at host version gpt-4o-2024-08-06', 'toy at host')
    """
    return judge if version in ("", model) else f"{judge}{VERSION}{version}"


def stored_versions(verdict_store: VerdictStore, judge: Judge) -> list[str]:
    """The versions of a judge that has several, the newest first; [""] for one that has not."""
    names = list(dict.fromkeys(version or judge.model for version, *_ in reversed(verdict_store.versions(judge))))
    return names if len(names) > 1 else [""]


def of_one_version(rounds: Sequence[Sequence[Judgment]], model: str, wanted: str = "",
                   by_age: Callable[[], Sequence[str]] = tuple) -> VersionChoice:
    """The judgments of one version: the one wanted, else the one with most verdicts, of equals the newest.

    Parameters
    ----------
    rounds
        (V, Q) judgments of each vote.
    model
        The name asked for, taken as the version of an endpoint that names none.
    wanted
        A version, "" for any.
    by_age
        Gives the versions of the judge, the oldest first; called only where two have equally many verdicts.

    Returns
    -------
    VersionChoice
        A query whose replies or votes are of several versions has no value.
    """
    sources = [sorted({(version or model, judgment.among) for judgment in votes for version in judgment.versions})
               for votes in zip(*rounds, strict=True)]
    counts = Counter(names[0] for names in sources if len(names) == 1)
    if not wanted and len(counts) <= 1 and all(len(names) < 2 for names in sources):
        version, among = next(iter(counts), ("", ""))
        return VersionChoice(tuple(map(tuple, rounds)), version, among=among)
    usable = {source: n for source, n in counts.items() if wanted in ("", source[0])}
    chosen = _most_frequent(usable, by_age) if usable else (wanted, "")
    apart = {q: OTHER if len(names) == 1 else SEVERAL for q, names in enumerate(sources)
             if names and names != [chosen]}
    rest = tuple(tuple(replace(judgment, value=float("nan"), missing=apart[q]) if q in apart else judgment
                       for q, judgment in enumerate(judgments)) for judgments in rounds)
    others = Counter(" and ".join(", ".join(filter(None, source)) for source in sources[q]) for q in apart)
    return VersionChoice(rest, chosen[0], dict(others.most_common()), chosen[1])


def _most_frequent(counts: Mapping[tuple[str, str], int], by_age: Callable[[], Sequence[str]]) -> tuple[str, str]:
    most = [source for source, n in counts.items() if n == max(counts.values())]
    if len(most) == 1:
        return most[0]
    ages = list(by_age())
    return max(most, key=lambda source: (ages.index(source[0]) if source[0] in ages else -1, source))
