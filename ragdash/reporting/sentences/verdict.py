"""The verdict in words: what is the result, what does it mean for the decision, what would change it?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ragdash.analysis.verdict import FIXES, NO_RANKINGS, RunCheck, Verdict, can_be_accepted
from ragdash.core.messages import Surface
from ragdash.evaluation.compare import Comparison, direction
from ragdash.metrics import Spec
from ragdash.metrics.bands import tables_for
from ragdash.reporting.sentences.answers import (
    judge_error_note,
    no_quality_note,
    says_nothing_of_quality,
    word_overlap_note,
)
from ragdash.reporting.sentences.comparison import (
    MOST_NEEDED,
    comparison_sentence,
    needed_text,
)
from ragdash.reporting.sentences.formatting import escape, extreme, listed, query_count
from ragdash.reporting.sentences.runs.choice import (
    FEW_QUERIES_CHECK,
    MAX_NAMES,
    TITLES,
    Say,
    answers_alike,
    bold,
    choice_sentence,
    evidence_subject,
    findings_text,
    hybrid_sentence,
    is_small,
    names_text,
    no_value_decision,
    no_value_fix,
    no_value_text,
    risk_sentence,
    uncapital,
    verdict_title,
    weighing_sentence,
)
from ragdash.reporting.sentences.runs.differences import against_others, baseline_sentence
from ragdash.reporting.sentences.runs.estimates import estimate_text, gain_text

LEVELS = {"withheld": "Withholds the verdict", "qualified": "Open check", "note": "Note"}
NOTHING_CHANGES = "Nothing that was checked would change this result."
LEAST_GAIN = 0.0005  # a smaller one would be shown as 0.000
TIED = "not clearly worse"  # mark of a run without a significant difference from the best one
MAX_EVIDENCE = 4  # differences by labels and scores that are listed
def verdict_sentence(verdict: Verdict, *, markdown: bool = True) -> str:
    """Say the result in one or two sentences.

    Parameters
    ----------
    verdict
        What `verdict_state` decided.
    markdown
        Names in bold and text escaped, for pages; False: plain text, for the command line.
    """
    name = bold if markdown else str
    plain = escape if markdown else str
    title = verdict.spec.title
    if verdict.state == "not-comparable":
        return f"Not comparable yet: {plain(findings_text(verdict.withheld, 'page'))}."
    if verdict.best is None or verdict.summary is None:
        missing = [check for check in verdict.qualified if check.kind == NO_RANKINGS]
        why = f": {plain(uncapital(findings_text(missing, 'page')))}" if missing else ""
        return f"{plain(no_value_text(verdict))}{why}."
    estimate = plain(f"{estimate_text(verdict.summary)}")
    if verdict.state == "one-run":
        queries = query_count(verdict.summary.n)
        return f"{name(verdict.best)} reaches {plain(title)} {estimate} over {queries}."
    lead = _lead(verdict, name, plain)
    if verdict.state == "too-few":
        n = min(comparison.n for comparison in verdict.comparisons)
        return f"Too few queries: with {query_count(n)} no difference can be significant. {lead}."
    return f"{lead}. {against_others(verdict, name)}"


def _lead(verdict: Verdict, name: Say, plain: Say, level: str = "") -> str:
    """The best run and its value, without a full stop; level: what follows the interval."""
    title, best = plain(verdict.spec.title), plain(extreme(verdict.spec))
    estimate = plain(f"{estimate_text(verdict.summary)}") + level if verdict.summary else ""
    if len(verdict.shared) > 1:
        what = f"{best.split()[0]} {verdict.spec.average}"
        return f"{title} is {estimate} for {names_text(verdict.shared, name)}, the {what}"
    if verdict.state == "undefined":
        return f"{name(verdict.best or '')} reaches {title} {estimate}"
    return f"{name(verdict.best or '')} has the {best}, {estimate}"


def headline(verdict: Verdict, *, titled: bool = False) -> str:
    """The result in one short sentence of Markdown: the best run and its value, or that none is clearly best.

    titled: with what the title of the state says, which is otherwise above or before it.
    """
    if verdict.state in ("clear-winner", "no-clear-difference"):
        tied = ("" if verdict.state == "clear-winner" else "No run is clearly best: on these queries " if titled else
                "On these queries ")
        return f"{tied}{_lead(verdict, bold, escape, ' (95% CI)')}."
    return verdict_sentence(verdict) if titled else sentence_below_title(verdict)


def answers_sentence(verdict: Verdict) -> str:
    """That the answers do not differ, in Markdown, where the verdict is on another metric and no sentence says it."""
    if not verdict.evidence or verdict.differing or verdict.state not in ("clear-winner", "no-clear-difference"):
        return ""
    return answers_alike("Answers: no significant difference shown", verdict, escape)


def sentence_below_title(verdict: Verdict) -> str:
    """Say the result in Markdown where the title of its state stands above or before: without that title again."""
    sentence = verdict_sentence(verdict)
    rest = sentence.removeprefix(f"{TITLES[verdict.state]}: ")
    return sentence if rest == sentence else rest[:1].upper() + rest[1:] if verdict.state == "too-few" else rest


def decision_sentence(verdict: Verdict, *, markdown: bool = True) -> str:
    """What the verdict means for a decision, and what its metric does not show of answers."""
    return " ".join(filter(None, (_decision(verdict, markdown), metric_note(verdict, markdown=markdown))))


def metric_note(verdict: Verdict, *, markdown: bool = True) -> str:
    """What a result on common words, or on scores of a judge, does not show; "" for other metrics or no result."""
    if verdict.state not in ("clear-winner", "no-clear-difference"):
        return ""
    return (no_quality_note(verdict.spec, markdown=markdown) or word_overlap_note(verdict.spec, markdown=markdown)
            or judge_error_note(verdict.spec))


def _decision(verdict: Verdict, markdown: bool) -> str:
    name, plain = (bold, escape) if markdown else (str, str)
    if verdict.state == "not-comparable":
        accept = ", or accept it if you know better" if can_be_accepted(verdict.withheld) else ""
        return f"Do not decide on these numbers. Fix the check first{accept}."
    if verdict.state == "clear-winner" and verdict.opposed and not verdict.explaining:
        return (f"{name(verdict.best or '')} is better by {plain(verdict.spec.title)}, but "
                f"{uncapital(evidence_subject(verdict.spec))} say otherwise: "
                f"{_evidence_text(verdict.opposed[0], markdown)}. {weighing_sentence(verdict.spec)}")
    if verdict.state == "clear-winner":
        if verdict.explaining:
            warnings = "warning below: it" if len(verdict.explaining) == 1 else "warnings below: they"
            return (f"Before you choose {name(verdict.best or '')}, look at the {warnings} could explain the "
                    "difference.")
        gaps = [_gain_at_least(comparison) for comparison in verdict.better_than]
        least = f" by at least {plain(gain_text(verdict.spec, min(gaps)))}" if gaps and min(gaps) >= LEAST_GAIN else ""
        return (f"If {plain(verdict.spec.title)} decides, choose {name(verdict.best or '')}: it is better{least} "
                "(95% CI). Check that a difference of this size matters to you.")
    if verdict.state == "no-clear-difference":
        worse = names_text([comparison.candidate for comparison in verdict.better_than], name)
        rest = f" {_capital(worse)} can be dropped." if verdict.better_than else ""
        best = [verdict.best or "", *(comparison.candidate for comparison in verdict.tied)]
        choice = choice_sentence(verdict, name)
        if verdict.differing:
            differ = _evidence_text(verdict.differing[0], markdown)
            return f"{evidence_subject(verdict.spec)} do differ: {differ}. {weighing_sentence(verdict.spec)}{rest}"
        if all(pair.outcome == "equivalent" for pair in verdict.tied):
            return f"{names_text(best, name)} are equivalent: no difference is larger than the margin.{rest} {choice}"
        advice = "Do not decide on so few queries." if is_small(verdict) else choice
        return " ".join(filter(None, [advice + rest, _risk(verdict, name)]))
    if verdict.state == "too-few":
        return "Do not decide on so small a test. Read the single queries instead."
    if verdict.state == "one-run":
        against = "threshold bands" if tables_for(verdict.spec) else "a target of your own"
        return f"Add a second run to compare it with, or check it against {against}."
    return plain(no_value_decision(verdict))


def _risk(verdict: Verdict, name: Say) -> str:
    """How much worse than another the best run may still be, and how much worse than it another; "" for neither."""
    if len(verdict.comparisons) <= MAX_NAMES:  # `differences_sentence` has the range of each run
        return ""
    tied, best, texts = verdict.tied, verdict.tied[0].baseline, []
    ahead = {pair.candidate: max(pair.sign * pair.low, pair.sign * pair.high) for pair in tied}
    behind = {pair.candidate: max(-pair.sign * pair.low, -pair.sign * pair.high) for pair in tied}
    for ends in (ahead, behind):
        rival = max(ends, key=lambda run: np.nan_to_num(ends[run], nan=-np.inf))
        if not ends[rival] >= LEAST_GAIN or not np.isfinite(ends[rival]):
            continue
        worse, than = (best, rival) if ends is ahead else (rival, best)
        verb, size = "" if texts else " may still be", gain_text(verdict.spec, ends[rival])
        texts.append(f"{name(worse)}{verb} up to {escape(size) if name is bold else size} worse than {name(than)}")
    return f"{', and '.join(texts)}." if texts else ""


def best_mark(spec: Spec, comparisons: Iterable[Comparison]) -> str:
    """What a mark says of the run with the best mean: the others against it decide whether it is "best"."""
    if all(comparison.outcome == "worse" for comparison in comparisons):
        return "best"
    return f"{'lowest' if direction(spec) < 0 else 'highest'} {spec.average}"


def tied_mark(comparison: Comparison) -> str:
    """What a mark says of a run without a significant difference from the best one: with the same mean, it is no
    other than of that one.
    """
    return TIED if comparison.mean_difference else best_mark(comparison.spec, [comparison])


def change_sentence(verdict: Verdict, surface: Surface = "page", *, markdown: bool = True, alone: bool = True) -> str:
    """What would change the verdict; alone: with what `next_step_sentence` and `answers_sentence` say elsewhere."""
    name = bold if markdown else str
    plain = escape if markdown else str
    if verdict.state == "not-comparable":
        return " ".join(dict.fromkeys(plain(check.fix(surface)) for check in verdict.withheld))
    if verdict.state == "too-few":
        return "Add queries: 50 or more are a good test."
    parts = [hybrid] if alone and (hybrid := hybrid_sentence(verdict, markdown=markdown)) else []
    if verdict.state == "no-clear-difference":
        parts += _needed_parts([pair for pair in verdict.tied if not _is_nearly_same(verdict, pair)], name, plain)
    named = _named_checks(verdict, alone)
    parts += [f"{plain(findings_text(named, surface))}."] if named else []
    parts += [plain(fix) for fix in dict.fromkeys(check.fix(surface) for check in fixed_checks(verdict, alone)) if fix]
    if verdict.state == "undefined" and not parts:
        return plain(no_value_fix(verdict, surface))
    if verdict.opposed and (verdict.explaining or not parts):  # else the decision says it
        parts.append(f"{evidence_subject(verdict.spec)} point the other way: "
                     f"{_evidence_text(verdict.opposed[0], markdown)}.")
    if verdict.state == "one-run" and not parts:
        return "More queries would make the interval narrower."
    return " ".join(parts) or (NOTHING_CHANGES if not alone and answers_sentence(verdict) else
                               _nothing_against(verdict, plain))


def fixed_checks(verdict: Verdict, alone: bool) -> Sequence[RunCheck]:
    """The checks whose fix `change_sentence` says."""
    if verdict.state == "not-comparable":
        return verdict.withheld
    many = len({check.fix() for check in verdict.qualified if check.fix()}) > 1
    return () if many and len(_named_checks(verdict, alone)) == len(verdict.qualified) else verdict.qualified


def _named_checks(verdict: Verdict, alone: bool) -> Sequence[RunCheck]:
    """The checks whose finding it says: a page has lines for the others, so there few queries alone."""
    if alone or not any(check.fix() for check in verdict.qualified):
        return verdict.qualified
    return [check for check in verdict.qualified if check.kind == FEW_QUERIES_CHECK]


def _is_nearly_same(verdict: Verdict, pair: Comparison) -> bool:
    """Whether a check says of these two runs that their rankings are nearly the same: more queries confirm nothing."""
    return any(check.kind == "nearly-same" and {check.facts["first"], check.facts["second"]} == {
        pair.baseline, pair.candidate} for check in verdict.checks)


def _needed_parts(tied: Sequence[Comparison], name: Say, plain: Say) -> list[str]:
    """The queries that would confirm the best run against the next best, and the largest difference; none where NaN."""
    by_size = sorted((one for one in tied if one.outcome != "equivalent"), key=lambda one: abs(one.mean_difference))
    parts = []
    for pair in (*by_size[:1], *by_size[1:][-1:]):
        if not np.isfinite(pair.queries_needed):
            continue
        runs = "" if len(tied) == 1 else f" between {name(pair.baseline)} and {name(pair.candidate)}"
        of = f"difference of {plain(gain_text(pair.spec, abs(pair.mean_difference)))}{runs}"
        parts.append(f"A {of} is too small to confirm with any usual number of queries."
                     if pair.queries_needed >= MOST_NEEDED else
                     f"To confirm the {of}, you would need {needed_text(pair)} in all.")
    return parts


def evidence_lines(verdict: Verdict) -> list[str]:
    """A line of Markdown for each significant difference by labels and scores of the answers, the first few."""
    lines = [comparison_sentence(pair, pair.baseline, None) for pair in verdict.differing[:MAX_EVIDENCE]]
    rest = len(verdict.differing) - MAX_EVIDENCE
    return [*lines, *([f"And {rest} more."] if rest > 0 else [])]


def evidence_heading(verdict: Verdict) -> str:
    """Whether labels, scores or both of the answers differ."""
    kinds = {"labels" if dict(pair.spec.params).get("label") else "scores" for pair in verdict.differing}
    return f"By the {listed(sorted(kinds))} of the answers:"


def _nothing_against(verdict: Verdict, plain: Say) -> str:
    """That no check speaks against the verdict, and what was looked at."""
    if not verdict.evidence and says_nothing_of_quality(verdict.spec):
        return "For a verdict on quality, choose a metric that says how good answers or rankings are."
    if verdict.differing:
        differing = list(dict.fromkeys(pair.spec.title for pair in verdict.differing))
        return f"{NOTHING_CHANGES} {evidence_subject(verdict.spec)} point the same way: {plain(listed(differing))}."
    alike = answers_alike("The answers show no significant difference", verdict, plain) if verdict.evidence else ""
    return f"{NOTHING_CHANGES} {alike}".rstrip()


def _evidence_text(pair: Comparison, markdown: bool) -> str:
    """Which run is better than which on what, with the better one first."""
    name, plain = (bold, escape) if markdown else (str, str)
    first, second = (pair.candidate, pair.baseline) if pair.outcome == "better" else (pair.baseline, pair.candidate)
    return f"{name(first)} is better than {name(second)} on {plain(pair.spec.title)}"


def fix_lines(verdict: Verdict, *, markdown: bool = True) -> list[str]:
    """A line for each thing that was done to a run by choice, such as scores that were reversed."""
    plain = escape if markdown else str
    return [plain(f"{check.found()}.") for check in verdict.checks if check.kind in FIXES]


def verdict_dict(verdict: Verdict) -> dict:
    """The verdict with its sentences, for JSON."""
    return {**verdict.as_dict(), "title": verdict_title(verdict),
            "sentence": verdict_sentence(verdict, markdown=False),
            "baseline_sentence": baseline_sentence(verdict, markdown=False),
            "decision": decision_sentence(verdict, markdown=False), "risk": risk_sentence(verdict, markdown=False),
            "change": change_sentence(verdict, "json", markdown=False)}


def _gain_at_least(comparison: Comparison) -> float:
    """The end of the interval nearer to 0."""
    return min(abs(comparison.low), abs(comparison.high))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text[:1].isdigit() else text

