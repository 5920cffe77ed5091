"""The ledger in words: one line that says whether runs can be compared, findings, fixes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragdash.analysis.comparability import SEVERITIES, Entry, Ledger
from ragdash.core.id_normalization import CollapseChoice
from ragdash.core.records import Conventions
from ragdash.reporting.sentences import fmt
from ragdash.reporting.sentences.fmt import escape

Option = tuple[str, str]

IDS = {
    "trim": "ids without white space",
    "case": "ids in any case",
    "zeros": "ids with lost zeros",
    "path": "the last part of paths",
}
BESIDE = {"trim": "trimmed ids", "case": "any case", "zeros": "lost zeros", "path": "path ends"}  # where room is scarce
SWITCHES = {
    ("missing", "skip"): "Leave missing queries out",
    ("missing", "zero"): "Count missing queries as empty",
    ("unanswerable", "skip"): "Leave them out",
    ("unanswerable", "zero"): "Count them as 0",
    ("duplicates", "first"): "Let the best rank count",
    ("duplicates", "error"): "Refuse such runs",
    ("ties", "docid"): "Settle ties by document id",
    ("ties", "file"): "Keep ties as in the file",
}
# convention -> (title, its choices in words, what it is about)
CHOICES = {
    "missing": (
        "Queries that a run lacks",
        {"zero": "Empty ranking", "skip": "Left out"},
        "A query of the judgements that the run does not name counts as an empty ranking, or is left out of its means.",
    ),
    "unanswerable": (
        "Queries without a relevant document",
        {"skip": "Left out", "zero": "Count 0"},
        "Metrics of relevance are undefined there: left out of the means, or counted as 0 as trec_eval does.",
    ),
    "duplicates": (
        "Documents that stand twice in a ranking",
        {"first": "Best rank counts", "error": "Run is refused"},
        "The best rank counts and the others are passed over, or the run is not measured at all.",
    ),
    "ties": (
        "Documents with equal scores",
        {"docid": "By document id", "file": "As in the file"},
        "Equal scores are settled by document id, descending, as trec_eval does, or stay in the order of the file. "
        "“The other way” shows how much hangs on it.",
    ),
}
NO_EFFECT = {
    "missing": "No run lacks a query.",
    "unanswerable": "Every query has a relevant document.",
    "duplicates": "No run repeats a document.",
    "ties": "No mean hangs on the order of equal scores.",
}
FIXED = ("respelled-ids", "collapsed-chunks")  # kinds of problems that say what a fix did
_BROKEN = {  # what is wrong with one run, with several
    "matched-queries": ("has no query in common with the judgements", "have no query in common with the judgements"),
    "no-common-document": ("returns no document that is judged for its query",
                           "return no document that is judged for its query"),
    "duplicate-documents": ("is refused, since it repeats documents", "are refused, since they repeat documents"),
}
_SPOKEN = ("missing-queries", "different-queries", "respelled-queries", "respelled-documents", "another-level")


def verdict(found: Ledger, names: Sequence[str], conventions: Conventions) -> str:
    """One line: can these runs be compared, over which queries, and what is most in the way."""
    broken = {one.run: one.kind for one in found.findings if one.severity == "error" and one.run}
    parts = []
    for kind in dict.fromkeys(broken.values()):
        runs = [name for name in names if broken.get(name) == kind]
        parts.append(f"**{escape(fmt.listed(runs))} {_BROKEN[kind][len(runs) > 1]}**")
    good = [name for name in names if name not in broken]
    if good:
        parts.append(_over(found, good, conventions))
    ways = {name: {one.option[0] for one in found.findings
                   if one.run == name and one.option and one.severity == "warning"} for name in names}
    parts_of = [name for name in names if "collapse" in ways[name]]
    spelled = [name for name in names if "ids" in ways[name] and name not in parts_of]
    if spelled:
        parts.append(f"{escape(fmt.listed(spelled))} write{'s' if len(spelled) == 1 else ''} ids in another way "
                     "than the judgements")
    if parts_of:
        parts.append(f"{escape(fmt.listed(parts_of))} rank{'s' if len(parts_of) == 1 else ''} parts of the documents "
                     "that are judged")
    rest = sum(one.severity == "warning" and one.kind not in _SPOKEN for one in found.findings)
    return "; ".join([*parts, *([f"{fmt.count(rest, 'more finding')} below"] if rest else [])]) + "."


def _over(found: Ledger, names: Sequence[str], conventions: Conventions) -> str:
    """Which queries the runs that can be measured are measured over."""
    lacking = {name: found.of("missing-queries", name) for name in names}
    total = next(iter(lacking.values())).total
    lead = f"**{len(names)} runs can be compared**" if len(names) > 1 else f"**{escape(names[0])} can be measured**"
    some = {name: one.count for name, one in lacking.items() if one.count}
    if not some:
        extra = any(found.of("extra-queries", name).count for name in names)
        same = "the same " if len(names) > 1 else ""
        bare = found.of("unanswerable-queries")
        rest = ", none of which has a relevant document" if bare.count == total else "" if extra else ", all judged"
        return f"{lead}: {same}{fmt.count(total, 'query', 'queries')}{rest}"
    done = {"zero": "which count as empty rankings", "skip": "which are left out of the means"}[conventions.missing]
    uneven = found.of("different-queries")
    if len(names) > 1 and len(some) == len(names) and uneven is not None and not uneven.count:
        return f"{lead}: all of them lack the same {next(iter(some.values())):,} of {total:,} queries, {done}"
    listed = fmt.listed([f"{escape(name)} lacks {many:,}" for name, many in some.items()])
    return f"{lead}, but {listed} of {fmt.count(total, 'query', 'queries')}, {done}"


def said(one: Entry) -> str:
    """A finding: what was counted, what follows, and what can be done."""
    rest = [part for part in (one.effect, one.fix) if part]
    more = escape(" ".join(rest))
    if one.flags:
        more = more.replace(escape(one.flags), f"`{one.flags}`")
    return escape(one.found) + (f"  \n:gray[{more}]" if rest else "")


def label(options: Sequence[Option]) -> str:
    """What a button says that applies these switches."""
    switches = dict(options)
    by, ids = switches.get("collapse"), switches.get("ids")
    if by:
        at = "by source" if by == "source" else f"at {by.removeprefix('prefix:')!r}"
        return f"Collapse {at}" + (f", match {fmt.listed([BESIDE[name] for name in ids.split(',')])}" if ids else "")
    return f"Match {_matched(ids)}" if ids else "; ".join(SWITCHES[option] for option in options)


def _matched(ids: str) -> str:
    """Spellings in words: ids in any case and ids with lost zeros."""
    return fmt.listed([IDS[name] for name in ids.split(",")])


def way(by: str) -> str:
    """A way to collapse, in words."""
    return "Source" if by == "source" else f"Prefix before {by.removeprefix('prefix:')!r}"


def collapse(by: str, choice: CollapseChoice | None) -> str:
    """A way to collapse in a menu, with the share of judged documents that it finds."""
    if not by:
        return "Off: as they are"
    ids = f", ids: {choice.ids}" if choice and choice.ids else ""
    return f"{way(by)}{ids}" + (f" ({choice.share:.0%} found)" if choice else "")


def in_order(found: Iterable[Entry]) -> list[Entry]:
    """The worst first, and of these what a fix of ids or chunks belongs to."""
    switches = ("collapse", "ids")
    return sorted(found, key=lambda one: (
        SEVERITIES.index(one.severity),
        switches.index(one.option[0]) if one.option and one.option[0] in switches else len(switches)))


def fixed(fixes: Sequence[Option], told: Sequence[str]) -> str:
    """The fixes in force and what they did, as markdown."""
    done = "Read with " + " and ".join(f"**{name}: {escape(word)}**" for name, word in fixes)
    return done + "".join(f"  \n:gray[{escape(text)}.]" for text in told)


def shared(found: Ledger) -> dict[tuple[Option, ...], list[str]]:
    """Fixes of ids and chunks that more than one run needs: options -> names of the runs."""
    wanted: dict[tuple[Option, ...], list[str]] = {}
    for one in found.findings:
        if one.run and one.option and one.option[0] in ("ids", "collapse") and one.severity != "note":
            names = wanted.setdefault((one.option, *one.also), [])
            names += [one.run] if one.run not in names else []
    return {options: names for options, names in wanted.items() if len(names) > 1}
