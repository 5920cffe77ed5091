"""Numbers and findings in words: three decimals, a dash for undefined, plain sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from ragdash.core.console import count, query_count
from ragdash.core.errors import Problem
from ragdash.core.messages import Surface
from ragdash.core.records import Conventions
from ragdash.core.slices import Slice
from ragdash.core.text.quoted import cut_middle, isolated, without_isolates
from ragdash.core.text.template import percent
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import METRICS, Spec, read_spec

UNDEFINED = "–"
NAMED = 3  # runs named in a part of a sentence; the rest are counted
NBSP = "\u00a0"
_MARKS = re.compile(r"[\\`*_{}\[\]<>#+\-!|$~:^()&]")
_INDENTED = re.compile(r"^[ \t]{2,}", re.MULTILINE)  # four blanks begin a block of code
_LINE_MARKS = re.compile(r"^(?P<digits>\d{1,9})?(?P<mark>(?(digits)\.(?=\s|$)|=+(?=[ \t]*$)))", re.MULTILINE)
_REPLACED = re.compile(r":(?=material/|[\w+-]+:)|(?<=http)s?:(?=//)|\bwww\.|"
                       r"(?<!\S)(?:<->|->|<-|--|>=|<=|~=)(?!\S)", re.IGNORECASE)
_SPAN = re.compile(r":color\[(\\.)\]")
_INTERVAL = re.compile(r"(\[[^ \[\]]*\d[^ \[\]]*,) ([^ \[\]]*\d[^ \[\]]*\])")
_ESCAPED_OR_STRONG = re.compile(r"\\(?P<plain>.)|\*\*", re.DOTALL)

def number(value: float | None, decimals: int = 3, signed: bool = False) -> str:
    """A number with a true minus sign, a dash where undefined."""
    if value is None or not np.isfinite(value):
        return UNDEFINED
    return f"{value + 0.0:{'+' if signed else ''},.{decimals}f}".replace("-", "−")  # -0.0 has no sign


def rounding_note(rows: Iterable[tuple[float, float, float]]) -> str:
    """Why a difference is not that of the two means as they are shown; "" where each is. rows: mean, other, difference.

    Examples
    --------
    >>> rounding_note([(0.7236, 0.7182, 0.0054)]), rounding_note([(0.7242, 0.7182, 0.006)])
    ('Differences are computed before rounding: they can differ by 0.001 from those of the means shown.', '')
    """
    off = any(abs(mean - other - difference) < 1e-9
              and abs(round(mean, 3) - round(other, 3) - round(difference, 3)) > 5e-4
              for mean, other, difference in rows)
    return "Differences are computed before rounding: they can differ by 0.001 from those of the means shown." if (
        off) else ""


def p_value(p: float) -> str:
    """Two digits that count, below 0.0001 as that; a dash for undefined."""
    if np.isnan(p):
        return UNDEFINED
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def query_range(counts: Sequence[int]) -> str:
    """122 queries; 110 to 122 queries where it is not the same for every run."""
    low, high = min(counts), max(counts)
    return query_count(low) if low == high else f"{low:,} to {query_count(high)}"


def file_size(value: int) -> str:
    """312 MB."""
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:,.0f} {unit}"
        value /= 1000
    return f"{value:,.1f} GB"


def query_title(query_id: str, question: str | None, longest: int = 400) -> str:
    """The id of a query and its question; the question alone where a file without ids made it the id.

    Examples
    --------
    >>> query_title("q1", "Who walked first?")
    'q1: Who walked first?'
    >>> query_title("Who walked  first?", "Who walked first?")
    'Who walked first?'
    """
    question = new_question(query_id, question)
    return f"{isolated(query_id)}: {isolated(question[:longest])}" if question else " ".join(query_id.split())


def new_question(query_id: str, question: str | None) -> str | None:
    """The question, None where the id of the query says the same already."""
    return None if question is None or question.split() == query_id.split() else question


def listed(names: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def listed_few(names: Sequence[str]) -> str:
    """The first names, and how many more there are; all of up to four.

    Examples
    --------
    >>> listed_few(["a", "b", "c", "d"]), listed_few(["a", "b", "c", "d", "e"])
    ('a, b, c and d', 'a, b, c and 2 more')
    """
    shown = names[:NAMED if len(names) > NAMED + 1 else len(names)]
    return listed([*shown, f"{len(names) - len(shown):,} more"] if len(names) > len(shown) else names)


def shorten_middle(name: str, limit: int) -> str:
    """A name of at most `limit` characters: both ends and an ellipsis between them.

    Examples
    --------
    >>> shorten_middle("abcdefghij", 5)
    'ab…ij'
    """
    return cut_middle(name, limit, "…")


def escape(text: str) -> str:
    r"""Text that Markdown shows as written, on every surface that draws Markdown.

    A backslash before a mark is not enough for what Streamlit replaces after it has read the marks: icons, arrows and
    addresses. There a part of the text is in a span without a style, so that nothing is left to replace. A text from
    right to left is isolated, so that the numbers behind it stay in their order. An interval stays on its line.

    Examples
    --------
    >>> escape("![a](b) &lt;")
    '\\!\\[a\\]\\(b\\) \\&lt;'
    >>> escape("a -> b")
    'a \\-:color[\\>] b'
    """
    fragments, position, text = [], 0, _INTERVAL.sub(rf"\1{NBSP}\2", text)
    for match in _REPLACED.finditer(text):
        split = match.start() + 1 if match[0][0] in "<>-~" else match.end() - 1
        fragments += [_MARKS.sub(r"\\\g<0>", text[position:split]), f":color[\\{text[split]}]"]
        position = split + 1
    escaped = "".join([*fragments, _MARKS.sub(r"\\\g<0>", text[position:])])
    return isolated(_LINE_MARKS.sub(lambda match: f"{match['digits'] or ''}\\{match['mark']}",
                                     _INDENTED.sub(" ", escaped)))


def unescape_spans(text: str) -> str:
    """Markdown whose spans of `escape` are escaped characters instead."""
    return _SPAN.sub(r"\1", text)


def problem_line(problem: Problem, surface: Surface = "page") -> str:
    """What was found and what to do about it, as one line of markdown."""
    words = problem.words(surface)
    return f"{escape(words.actual[:1].upper() + words.actual[1:])}. {escape(words.fix)}"


class Ends(Protocol):
    """The ends of an interval."""

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...


def interval(summary: Summary) -> str:
    """[0.660, 0.760], empty where undefined."""
    finite = np.isfinite([summary.low, summary.high]).all()
    return f"[{number(summary.low)}, {number(summary.high)}]" if finite else ""


def unbroken(text: str) -> str:
    """Markdown that stays on its line."""
    return escape(text.replace(" ", NBSP))


def percent_interval(share: Ends) -> str:
    """[66%, 76%] of a share, empty where undefined."""
    return f"[{percent(share.low)}, {percent(share.high)}]" if np.isfinite([share.low, share.high]).all() else ""


def extreme(spec: Spec) -> str:
    """What the best run has of a metric, as plain text.

    Examples
    --------
    >>> extreme(read_spec("nDCG@10")), extreme(read_spec("file:verdict(label='Incorrect')"))
    ('highest NDCG@10', 'lowest share incorrect (verdict)')
    """
    title = spec.title[:1].lower() + spec.title[1:] if spec.average == "share" else spec.title
    return f"{'highest' if spec.metric.better == 'higher' else 'lowest'} {title}"


def averages(specs: Iterable[Spec]) -> str:
    """What values over queries are called: "Mean", "Share" where all are shares of a label, or both.

    Examples
    --------
    >>> averages([read_spec("nDCG@10")]), averages([read_spec("RR"), read_spec("file:verdict(label='Correct')")])
    ('Mean', 'Mean or share')
    """
    words = {spec.average for spec in specs}
    return "Mean or share" if len(words) > 1 else next(iter(words), "mean").capitalize()


def delta(value: float, better: str | None) -> tuple[str, str]:
    """(text, verdict) of a difference to the baseline; the arrow says better or worse, the sign more or less.

    verdict is "better", "worse" or "" (equal to three decimals, undefined, or a metric that has no better end).
    """
    if not np.isfinite(value):
        return UNDEFINED, ""
    text = number(value, signed=True)
    if better is None or abs(value) < 5e-4:
        return (text if abs(value) >= 5e-4 else "± 0.000"), ""
    good = (value > 0) == (better == "higher")
    return f"{'▲' if good else '▼'} {text}", "better" if good else "worse"


def slice_label(slices: Mapping[str, Slice], token: str) -> str:
    """type: multi-hop (36) of the token of a slice; All queries for none."""
    if token not in slices:
        return "All queries"
    return f"{isolated(slices[token].title)} ({int(slices[token].queries.sum()):,})"


def query_counts(names: Sequence[str], counts: Sequence[Mapping[str, int]], conventions: Conventions, *,
                 of_runs: bool = False, rankings: bool = True) -> list[str]:
    """What the means leave out or count as 0, one sentence each; equal for all runs is said once.

    of_runs: the queries are those of the runs, because there is no ground truth; rankings: whether a run has any.
    """
    total, bare = counts[0]["queries"], 0 if of_runs else counts[0]["unanswerable"]
    where = "in the runs. Without a ground truth, retrieval is not measured" if of_runs else "in the ground truth"
    sentences = [f"{query_count(total)} {where}."]
    if bare and bare == total and conventions.unanswerable == "skip":
        sentences.append("No query has a relevant document, so retrieval metrics are undefined.")
    elif bare:
        treatment = {"skip": "left out of the means of retrieval metrics",
                "zero": "counted as 0 by retrieval metrics"}[conventions.unanswerable]
        sentences.append(f"{count(bare, 'query has', 'queries have')} no relevant document: {treatment}.")
    empty = "counted as an empty ranking" if rankings else "in no mean of answers"
    missing = {"zero": empty, "skip": "left out of the means"}[conventions.missing]
    for key, phrase, effect in (
        ("missing", "missing from", missing),
        ("extra", "of", "not in the ground truth, left out"),
    ):
        affected = [(name, run_counts[key]) for name, run_counts in zip(names, counts, strict=True) if run_counts[key]]
        if affected and len({n for _, n in affected}) == 1 and len(affected) == len(names) > 1:
            sentences.append(f"{query_count(affected[0][1])} {phrase} every run shown: {effect}.")
        elif affected:
            sentences.append(f"{listed([f'{query_count(n)} {phrase} {escape(name)}' for name, n in affected])}: "
                             f"{effect}.")
    return sentences


def grades_note(grades: np.ndarray, specs: Sequence[Spec], surface: Surface = "page",
                where: str = "**Compare**") -> str:
    """From which grade on a document is relevant, where the judgments have several and a metric knows yes or no only.

    grades: of the judgments, each at least once; specs: the metrics shown, where one with a grade of its own has it in
    its title. A page says how to change it; where: the page on which metrics are chosen.
    """
    given = np.unique(grades[grades > 0])
    binary = [spec for spec in specs if "rel" in spec.metric.params and "rel" not in dict(spec.params)]
    if len(given) < 2 or not binary:
        return ""
    graded = [escape(spec.title) for spec in specs if spec.metric.view == "Ranked" and "gain" in spec.metric.params]
    all_grades = f"; {listed(graded)} {'uses' if len(graded) == 1 else 'use'} all grades" if graded else ""
    first, stricter = binary[0], int(given[1])
    note = f"Relevant: grade {first.metric.params['rel']} or more{all_grades}."
    if surface != "page":
        return note
    example = first.metric.spec(first.k, **{**dict(first.params), "rel": stricter})
    return f"{note} To count grade {stricter} or more, type `{example}` under **Choose metrics** on {where}."


def range_text(low: float | str, high: float | str) -> str:
    """0 to 1; an open end is written as infinity, an end that depends on a parameter as the registry writes it."""

    def end(value: float | str) -> str:
        if isinstance(value, str):
            return value.replace("-", "−")
        return f"{value:g}".replace("-", "−").replace("inf", "∞")

    return f"{end(low)} to {end(high)}"


def metric_templates(names: Sequence[str] | None = None) -> list[str]:
    """The metrics of a menu, "nDCG@k" where the chosen cutoff goes in and "RR" where none does."""
    entries = []
    for name, metric in METRICS.items():
        if names is not None and name not in names:
            continue
        needs = any(default is None for default in metric.params.values())
        if metric.cutoff != "none":
            entries.append(f"{name}@k")
        if metric.cutoff != "required" and not needs:
            entries.append(name)
    return entries


def template_title(template: str) -> str:
    """nDCG@k -> NDCG@k, file:mrr -> mrr (file); what is typed by hand stays as it is."""
    if template.startswith("file:"):
        spec = read_spec(template)
        return template if spec is None else spec.title
    name, separator, _ = template.partition("@")
    return (
        f"{METRICS[name].title}{separator}{'k' if separator else ''}"
        if name in METRICS and (not separator or template.endswith("@k"))
        else template
    )


def menu_title(template: str) -> str:
    """The title of a metric in a menu, where all of a file are together.

    Examples
    --------
    >>> menu_title("file:human_label(label='Correct')"), menu_title("file:faithfulness"), menu_title("nDCG@k")
    ('Share correct (human_label)', 'faithfulness', 'NDCG@k')
    """
    spec = read_spec(template) if template.startswith("file:") else None
    return template_title(template) if spec is None or dict(spec.params).get("label") else spec.file_column


def strip_markdown(text: str) -> str:
    r"""Markdown without its marks, for terminals and alternative texts.

    Examples
    --------
    >>> strip_markdown("**Best:** " + escape("C:\\runs\\**new**"))
    'Best: C:\\runs\\**new**'
    """
    return _ESCAPED_OR_STRONG.sub(r"\g<plain>", without_isolates(unescape_spans(text))).replace(NBSP, " ")


def curve_alt_text(title: str, names: Sequence[str], values: np.ndarray, k: int) -> str:
    """Alternative text of a curve: every run's value at one cutoff."""
    return f"{title} at k = {k:,}: " + ", ".join(
        f"{name} {number(value)}" for name, value in zip(names, values, strict=True)
    )


def pairwise_sentence(x_name: str, y_name: str, x: np.ndarray, y: np.ndarray, spec: Spec) -> str:
    """One sentence: on how many queries each of two runs has the better value."""
    defined = np.isfinite(x) & np.isfinite(y)
    difference = (y - x)[defined] * (-1 if spec.metric.better == "lower" else 1)
    wins, losses = int((difference > 1e-9).sum()), int((difference < -1e-9).sum())
    word = "better" if spec.metric.better else "higher"
    undefined = f"; {len(x) - int(defined.sum()):,} undefined" if not defined.all() else ""
    return (
        f"**{escape(y_name)}** is {word} on {query_count(wins)}, **{escape(x_name)}** on {losses:,}; "
        f"equal on {int(defined.sum()) - wins - losses:,}{undefined}."
    )
