"""The ledger in words: one line that says whether runs can be compared, findings, fixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragdash.analysis.comparability import SEVERITIES, ComparabilityEntry, ComparabilityReport
from ragdash.analysis.verdict import MOST_MISSING
from ragdash.core.console import query_count
from ragdash.core.ids.collapse_choices import CollapseChoice
from ragdash.core.ids.normalization import CHUNK_RANKS, NUMBER, keeps_chunk_ranks
from ragdash.core.records import Conventions
from ragdash.core.text.quoted import quoted
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.answers import missing_answers
from ragdash.reporting.sentences.formatting import escape

Option = tuple[str, str]

IDS = {
    "trim": "ids without white space",
    "nfc": "ids in one Unicode form",
    "case": "ids in any case",
    "zeros": "ids with restored leading zeros",
    "path": "the last part of paths",
    "marks": "ids with any punctuation",
}
SHORT_IDS = {
    "trim": "trimmed ids",
    "nfc": "one Unicode form",
    "case": "any case",
    "zeros": "restored leading zeros",
    "path": "path ends",
    "marks": "any punctuation",
}  # where room is scarce
OPTION_LABELS = {
    ("scores", "reverse"): "Reverse scores",
    ("missing", "skip"): "Use common queries only",
    ("missing", "zero"): "Count missing queries as empty",
    ("unanswerable", "skip"): "Leave them out",
    ("unanswerable", "zero"): "Count them as 0",
    ("duplicates", "first"): "Let the best rank count",
    ("duplicates", "error"): "Refuse such runs",
    ("ties", "docid"): "Settle ties by document id",
    ("ties", "trec_eval"): "Compare 32 bits, as trec_eval",
    ("ties", "file"): "Keep ties as in the file",
}
# convention -> its choices in words; the convention's name and tooltip are terms
CHOICES = {
    "missing": {"zero": "Empty ranking", "skip": "Left out"},
    "unanswerable": {"skip": "Left out", "zero": "Count 0"},
    "duplicates": {"first": "Best rank counts", "error": "Run is refused"},
    "ties": {"docid": "By document id", "trec_eval": "As trec_eval (32 bits)", "file": "As in the file"},
}
NO_EFFECT = {
    "missing": "No run lacks a query.",
    "unanswerable": "Every query has a relevant document.",
    "duplicates": "No run repeats a document.",
    "ties": "No mean depends on the order of equal scores.",
}
FIX_KINDS = ("respelled-ids", "collapsed-chunks")  # kinds of problems that say what a fix did
COLUMNS = {"answers": "reference answers", "query": "questions", "evidence": "evidence"}  # that a joined truth adds
_BROKEN = {  # what is wrong with one run, with several
    "matched-queries": ("has no query in common with the judgments", "have no query in common with the judgments"),
    "no-common-document": ("returns no document that is judged for its query",
                           "return no document that is judged for its query"),
    "duplicate-documents": ("is refused, since it repeats documents", "are refused, since they repeat documents"),
}
_SUMMARIZED = ("missing-queries", "different-queries", "respelled-queries", "respelled-documents",
               "respelled-allowed", "another-level", "without-answer")


def summary(report: ComparabilityReport, names: Sequence[str], conventions: Conventions) -> str:
    """One line: can these runs be compared, over which queries, and what is most in the way."""
    broken = {finding.run: finding.kind for finding in report.findings if finding.severity == "error" and finding.run}
    clauses = []
    for kind in dict.fromkeys(broken.values()):
        runs = [name for name in names if broken.get(name) == kind]
        clauses.append(f"**{escape(fmt.listed(runs))} {_BROKEN[kind][len(runs) > 1]}**")
    usable = [name for name in names if name not in broken]
    if usable:
        clause = _queries_clause(report, usable, conventions)
        clauses.append(clause.replace("**The ", "**the ", 1) if clauses else clause)
    options = {name: {finding.option[0] for finding in report.findings
                   if finding.run == name and finding.option and finding.severity == "warning"} for name in names}
    chunked = [name for name in names if "collapse" in options[name]]
    spelled = [name for name in names if "ids" in options[name] and name not in chunked]
    if spelled:
        clauses.append(f"{escape(fmt.listed(spelled))} write{'s' if len(spelled) == 1 else ''} ids in another way "
                     "than the judgments")
    if chunked:
        clauses.append(f"{escape(fmt.listed(chunked))} rank{'s' if len(chunked) == 1 else ''} parts of the documents "
                     "that are judged")
    open_checks = _open_checks_clause(report, names)
    entries = [entry for name in names if (entry := report.of("without-answer", name)) is not None]
    answered = [entry.total - entry.count for entry in entries]
    unanswered = missing_answers([entry.run or "" for entry in entries], answered, entries[0].total if entries else 0)
    return " ".join([f"{'; '.join(clauses)}.", *unanswered, *([f"{open_checks}."] if open_checks else [])])


def _open_checks_clause(report: ComparabilityReport, names: Sequence[str]) -> str:
    """How many checks are open that the first sentence does not name, and in which runs."""
    checks = [finding for finding in report.findings
              if finding.severity == "warning" and finding.kind not in _SUMMARIZED]
    if not checks:
        return ""
    runs = [name for name in names if any(check.run == name for check in checks)]
    where = f": {escape(fmt.listed(runs))}" if runs else ""
    return f"{fmt.count(len(checks), 'check')} {'is' if len(checks) == 1 else 'are'} open{where}"


def _queries_clause(report: ComparabilityReport, names: Sequence[str], conventions: Conventions) -> str:
    """Which queries the runs that can be measured are measured over."""
    lacking = {name: report.of("missing-queries", name) for name in names}
    total = next(iter(lacking.values())).total
    groups = len({report.configurations.get(name, name) for name in names})
    runs = f"{groups} configurations in {len(names)} runs" if 1 < groups < len(names) else f"{len(names)} runs"
    lead = f"**{runs} can be compared**" if len(names) > 1 else f"**{escape(names[0])} can be measured**"
    missing_counts = {name: finding.count for name, finding in lacking.items() if finding.count}
    if not missing_counts:
        extra = any(report.of("extra-queries", name).count for name in names)
        qualifier = "the same " if len(names) > 1 else ""
        bare = report.of("unanswerable-queries")
        judged = ", all judged" if not extra and _all_judged(report, names) else ""
        suffix = (", without judgments of documents" if bare.message.endswith("/no-judgments") else
                  ", none of which has a relevant document" if bare.count == total else judged)
        if len(names) > 1 and (suffix.startswith(", without") or _open_checks_clause(report, names)):
            return f"**The {runs} have the same {fmt.query_count(total)}{suffix}**"
        if suffix.startswith(", without"):
            return f"**{escape(names[0])} has {fmt.query_count(total)}{suffix}**"
        return f"{lead}: {qualifier}{fmt.query_count(total)}{suffix}"
    treatment = "which are left out of the means" if conventions.missing == "skip" else (
        "which count as empty rankings")
    if all(finding.message.endswith("zero-answers") for finding in lacking.values() if finding.count):
        treatment = "which have no answer"
    uneven = report.of("different-queries")
    if len(names) > 1 and len(missing_counts) == len(names) and uneven is not None and not uneven.count:
        missing = next(iter(missing_counts.values()))
        return f"{lead}: all of them lack the same {missing:,} of {query_count(total)}, {treatment}"
    listed = fmt.listed([f"{escape(name)} lacks {missing:,}" for name, missing in missing_counts.items()])
    if len(names) > 1 and conventions.missing != "skip" and max(missing_counts.values()) > MOST_MISSING * total:
        return f"**The {runs} have different queries**: {listed} of {fmt.query_count(total)}, {treatment}"
    return f"{lead}, but {listed} of {fmt.query_count(total)}, {treatment}"


def _all_judged(report: ComparabilityReport, names: Sequence[str]) -> bool:
    """Whether every run returns documents, and each at every cutoff looked at is judged."""
    entries = [entry for entry in report.entries
               if entry.kind == "unjudged-documents" and entry.run in names and entry.k]
    return bool(entries) and all(entry.total and not entry.count for entry in entries)


def finding_text(finding: ComparabilityEntry) -> str:
    """A finding: what was counted, what follows, and what can be done."""
    words = finding.words("page")
    details = " ".join(filter(None, (words.expected, words.fix)))
    if finding.option is not None and finding.option[0] in CHOICES:  # as the switch of the page calls it
        name, choice = finding.option
        details = details.replace(f"Under {choice!r}:", f"Under “{CHOICES[name].get(choice, choice)}”:")
    return escape(words.actual) + (f"  \n:gray[{escape(details)}]" if details else "")


def fix_label(options: Sequence[Option]) -> str:
    """What a button says that applies these switches."""
    switches = dict(options)
    method, ids = switches.get("collapse"), switches.get("ids")
    if method:
        way = method.removeprefix(CHUNK_RANKS)
        kind, _, separator = way.partition(":")
        method_text = f"by {way}" if not separator else f"at {separator!r}" + (
            " before a number" if f"{kind}:" == NUMBER else "")
        return f"Collapse chunks {method_text}" + (
            f", match {fmt.listed([SHORT_IDS[name] for name in ids.split(',')])}" if ids else ""
        )
    return f"Match {_matched(ids)}" if ids else "; ".join(OPTION_LABELS[option] for option in options)


def _matched(ids: str) -> str:
    """Spellings in words: ids in any case."""
    return fmt.listed([IDS[name] for name in ids.split(",")])


def collapse_method(method: str) -> str:
    """A way to collapse, in words."""
    way = method.removeprefix(CHUNK_RANKS)
    kind, _, separator = way.partition(":")
    words = {"source": "Source", "id": "Equal ids"}.get(way) or f"Prefix before {separator!r}" + (
        " and a number" if f"{kind}:" == NUMBER else "")
    return f"{words}, chunks keep their ranks" if keeps_chunk_ranks(method) else words


def rank_notes(names: Sequence[str], methods: Sequence[str]) -> list[str]:
    """What a rank counts in runs whose chunks were collapsed, one sentence for each way. methods: "" for none."""
    kinds = {False: ("chunks of a document count once and later ranks move up", "documents"),
             True: ("documents keep the rank of their first chunk", "chunks")}
    sentences = []
    for keeps, (what, unit) in kinds.items():
        runs = [name for name, method in zip(names, methods, strict=True)
                if method and keeps_chunk_ranks(method) == keeps]
        if runs:
            subject = "" if len(runs) == len(names) else f" in {fmt.listed(list(map(escape, runs)))}"
            sentences.append(f"{what[:1].upper()}{what[1:]}{subject}: the top 10 are 10 {unit}.")
    return sentences


def collapse_option(method: str, choice: CollapseChoice | None) -> str:
    """A way to collapse in a menu, with the share of judged documents that it finds and how many documents it makes."""
    if not method:
        return "Off: as they are"
    ids = f", ids: {choice.ids}" if choice and choice.ids else ""
    if not choice:
        return f"{collapse_method(method)}{ids}"
    documents = fmt.count(choice.documents, "document")
    effect = f"{fmt.percent(choice.share)} found, {choice.changed:,} ids become {documents}"
    return f"{collapse_method(method)}{ids} ({effect})"


def collapse_warnings(choices: Sequence[CollapseChoice]) -> list[str]:
    """What speaks against some ways to collapse, as markdown: they merge what the judgments keep apart, or invent."""
    lines = []
    for choice in choices:
        name = f"**{escape(collapse_method(choice.by))}**"
        if choice.merged:
            lines.append(f"{name} merges {fmt.count(choice.merged, 'judged document')} into others: "
                         f"{'its' if choice.merged == 1 else 'their'} judgments no longer count.")
        if choice.unknown:
            lines.append(f"{name}: {choice.unknown:,} of {choice.changed:,} ids become documents such as "
                         f"{escape(quoted(choice.example))}; no judged document has such an id.")
    return lines


def sort_findings(findings: Iterable[ComparabilityEntry]) -> list[ComparabilityEntry]:
    """The worst first, and of these what a fix of ids or chunks belongs to."""
    switches = ("collapse", "ids")
    return sorted(findings, key=lambda finding: (
        SEVERITIES.index(finding.severity),
        switches.index(finding.option[0]) if finding.option and finding.option[0] in switches else len(switches)))


def applied_fixes(fixes: Sequence[Option], effects: Sequence[str], *, ranked_by: str = "score") -> str:
    """The fixes in force and what they did, as markdown; ranked_by: of the run."""
    others = [_fix_in_words(name, word) for name, word in fixes if name != "scores"]
    rest = ": the smallest is ranked first." if ranked_by == "score" else "; the order of the list is kept."
    reverse = f"Scores were reversed{rest}" if len(others) < len(fixes) else ""
    summary = " ".join(filter(None, (reverse, f"Fixed: {' and '.join(others)}" if others else "")))
    return summary + "".join(f"  \n:gray[{escape(text)}.]" for text in effects)


def _fix_in_words(name: str, choice: str) -> str:
    """A fix of ids or chunks, in bold: what was matched or collapsed."""
    words = {"ids": _matched, "collapse": lambda method: f"chunks collapsed ({collapse_method(method)})"}
    return f"**{escape(words[name](choice) if name in words else f'{name}: {choice}')}**"


def shared_fixes(report: ComparabilityReport) -> dict[tuple[Option, ...], list[str]]:
    """Fixes of ids and chunks that more than one run needs: options -> names of the runs."""
    runs_by_fix: dict[tuple[Option, ...], list[str]] = {}
    for finding in report.findings:
        if finding.run and finding.option and finding.option[0] in ("ids", "collapse") and finding.severity != "note":
            names = runs_by_fix.setdefault((finding.option, *finding.also), [])
            names += [finding.run] if finding.run not in names else []
    return {options: names for options, names in runs_by_fix.items() if len(names) > 1}


def joined_sentence(facts: Mapping[str, Any]) -> str:
    """What the second file added to the first, and how many of its queries both have; facts: of "joined-truths".

    Examples
    --------
    >>> joined_sentence({"first": "qrels", "second": "refs", "judgments": 0, "columns": ["answers", "topic"],
    ...                  "common": 20, "queries": 25})
    'qrels and refs are joined. refs adds reference answers and topic. 20 of its 25 queries are in qrels too.'
    """
    first, second, common, queries = (facts[name] for name in ("first", "second", "common", "queries"))
    added = [fmt.count(facts["judgments"], "judgment")] if facts["judgments"] else []
    added += [COLUMNS.get(name, name) for name in facts["columns"]]
    both = f"{'All' if common == queries > 1 else f'{common:,}'} of its {query_count(queries)}"
    return (f"{first} and {second} are joined. {second} adds {fmt.listed(added) if added else 'nothing'}. "
            f"{both} {'is' if common == 1 else 'are'} in {first} too.")
