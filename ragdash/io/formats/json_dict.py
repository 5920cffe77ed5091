"""JSON dictionaries: {"q1": {"d1": 0.9}} or {"q1": ["d1", "d2"]}, as pytrec_eval, ranx and BEIR write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ragdash.core.errors import Collector, Problem
from ragdash.core.records import Run, Truth
from ragdash.core.text.metric_names import is_metric_name
from ragdash.core.text.sentences import are_questions
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats import jsonl
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS, Format
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NeedsExact, parse_fast
from ragdash.io.json.numbers import parse_number
from ragdash.io.json.typed_fields import show_value
from ragdash.io.source.source import Source

MAX_MISFITS = 1_000
MAX_GRADE = 4  # whole numbers up to this look like grades
METRIC_NAME = re.compile(
    r"(?:mean_|avg_|average_|macro_|micro_)?(?:mrr|ndcg|dcg|map|ap|recall|precision|hit|hits|hit_?rate|f1|rr|success|"
    r"[pr](?=@\d)|mhr|accuracy|em|exact_match|rouge\w*|bleu\w*|faithfulness|answer_\w+|context_\w+|correctness|"
    r"groundedness|reciprocal_rank|r_precision|latency\w*|p\d\d\w*)"
    r"(?:[@_ ]?(?:at_?)?k?\d*)(?:_(?:mean|avg|std|score|rate|ms|s))*",
    re.IGNORECASE)
_TREC_NAME = re.compile(  # of trec_eval, as its Python wrappers write them
    r"recip_rank|bpref|Rprec|infAP|gm_(?:map|bpref)|11pt_avg|num_(?:q|ret|rel|rel_ret)|set_(?:P|recall|F|map)|"
    r"(?:P|ndcg_cut|map_cut|success|iprec_at_recall|relative_P|Rprec_mult)[_.][\d.]+")
_COUNT = re.compile(  # or a time, a size, a score: of files, stages and systems
    r"(?:n|num|number|total|count|size)_(?:of_)?[a-z_]+|[a-z_]+_(?:count|total|size|seconds?|secs?|ms|bytes|score)|"
    r"scores?|counts?|seconds?|secs?|ms|bytes|tokens|docs|documents|chunks|queries|segments|items|samples",
    re.IGNORECASE)
QUERY_ID = re.compile(r"(?:q|qid|query|question)[-_ ]?\d+", re.IGNORECASE)
_DOCUMENT_ID = re.compile(r"(?:d|doc|docid|document|chunk|passage|page)[-_ ]?\d+", re.IGNORECASE)
_GROUP = re.compile(r"(?:cluster|group|fold|batch|community|epoch|class)[-_ ]?\d+", re.IGNORECASE)
_USER = re.compile(r"(?:user|session)[-_ ]?\d+", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z][\w -]+")  # of a system or a measure; names of files have a point
_MOST_COLUMNS = 20
_PASSAGE = re.compile(r"P_\d+")  # precision, or a passage
_SPLITS = {"train", "training", "dev", "development", "val", "valid", "validation", "test", "testing", "eval", "all"}
_FIELDS = {"documents", "docs", "queries", "questions", "answers", "contexts", "chunks", "texts", "ids", "corpus",
           "passages", "references", "metadata", "sources", "titles"}  # of data, not queries
_WORD = re.compile(r"[^\W\d]{2,}(?:[-_][^\W\d]+)*|[A-Z](?:-[^\W\d]+)+")  # rankgpt-api, scifact, P-CLEV
_NUMBER = re.compile(r":\s*(-?\d[\d.eE+-]*)\s*[,}]")


def guess(start: FileStart) -> DetectedFormat:
    """A JSON object that no other format has recognized: its role by the numbers in it."""
    written = _NUMBER.findall(start.json_text)
    values = [float(value) for value in written if parse_number(value) is not None]
    if not values:
        return DetectedFormat("json-dict", "unknown", "a JSON dictionary of queries with lists of documents")
    if all(value.is_integer() and value <= 10 for value in values) and "." not in "".join(written):
        return DetectedFormat("json-dict", "truth", "a JSON dictionary of documents with whole grades")
    return DetectedFormat("json-dict", "run", "a JSON dictionary of documents with scores")


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The one run of a JSON dictionary: documents with scores rank by score, lists in their order."""
    runs = jsonl.read_runs(source, name, _entries_with_field("retrieved"))
    return [_note_grades(run, source) for run in runs]


def read_truth(source: Source) -> Truth:
    """The judgments of a JSON dictionary: documents with grades, or lists of relevant documents."""
    return jsonl.read_truth(source, _entries_with_field("relevant"))


def _entries_with_field(field: str):
    """A reader of the members of the file, as native objects with this field."""
    def entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
        if exact:
            members = exact.members()
        else:
            value = parse_fast(source.data)
            if type(value) is not dict:
                raise NeedsExact
            members = (InputEntry(0, member, key) for key, member in value.items())
        fit = misfits = 0
        members = list(members)
        if _is_summary([value for _, value, _ in members]):
            source.fail("summary", {"keys": list(members[0].value)[:5]}, line=members[0].line or 1)
        if len(members) > 1 and all(str(key).casefold() in _SPLITS for _, _, key in members):
            source.fail("data-splits", {"keys": [key for _, _, key in members]}, line=members[0].line or 1)
        if len(members) > 1 and all(_is_measure(str(key), 0) for _, _, key in members) and type(
                members[0].value) is dict:
            source.fail("summary", {"keys": [key for _, _, key in members][:5]}, line=members[0].line or 1)
        if len(members) > 1 and all(str(key).casefold() in _FIELDS for _, _, key in members):
            source.fail("fields-as-queries", {"keys": [key for _, _, key in members]}, line=members[0].line or 1)
        if fractions := next((key for _, value, key in members if _are_fractions(value)), None):
            source.fail("fractions-as-documents", {"key": fractions}, line=members[0].line or 1)
        if asked := next((key for _, value, key in members if _are_questions(value)), None):
            source.fail("questions-as-documents", {"key": asked}, line=members[0].line or 1)
        if _lists_queries(members):
            source.fail("fields-as-queries", {"keys": [key for _, _, key in members][:6]}, line=members[0].line or 1)
        if sentences := next((key for _, value, key in members if _are_sentences(value)), None):
            source.fail("sentences-as-documents", {"key": sentences}, line=members[0].line or 1)
        if members and (_are_settings(members) or _are_aliases(members)):
            source.fail("fields-as-queries", {"keys": [key for _, _, key in members][:6]}, line=members[0].line or 1)
        if _is_table([(str(key), value) for _, value, key in members]):
            source.fail("summary", {"keys": list(members[0].value)[:5]}, line=members[0].line or 1)
        for line, value, key in members:
            if type(value) is str and key is not None and key.startswith("_"):  # a comment, not a query
                if exact is None:
                    raise NeedsExact
                exact.problems.add("unread-field/comment", {"key": key}, line=line, field=key, severity="warning")
                continue
            if not _is_nested_object(value) if type(value) is dict else _is_flat_list(value):
                fit += 1
                yield InputEntry(line, {"query_id": key, field: value}, key)
            elif exact is None:
                raise NeedsExact
            else:
                _note_wrong_type(exact.problems, line, key, value)
                misfits += 1
            if misfits > MAX_MISFITS > fit:
                return  # no dictionary of queries: the rest would say the same

    return entries


def _is_summary(values: list) -> bool:
    """True for objects of metrics, not of documents: all the same, {"dense": {"mrr@10": 0.4, "queries": 120}}, or each
    with its own and nothing else, {"map": {"MAP@10": 0.4}, "ndcg": {"NDCG@10": 0.5}}.
    """
    if not values or any(type(value) is not dict or not value for value in values):
        return False
    names = [str(name) for name in values[0]]
    if all(map(_PASSAGE.fullmatch, names)):
        return False
    if all(_is_measure(str(name), member) for value in values[:100] for name, member in value.items()):
        return True
    typical = max(values, key=len)
    named = sum(_NAME.fullmatch(str(name)) is not None and is_metric_name(str(name)) for name in typical)
    measures = max(named, sum(_is_measure(str(name), member) for name, member in typical.items()))
    return 2 * measures >= len(typical) and all(value.keys() <= typical.keys() for value in values)


def _is_measure(name: str, value) -> bool:
    is_counted = type(value) not in (dict, list) and _COUNT.fullmatch(name) is not None
    return is_counted or METRIC_NAME.fullmatch(name) is not None or _TREC_NAME.fullmatch(name) is not None


def _are_settings(members: list[InputEntry]) -> bool:
    """True for lists under single words, most without a number, such as groups of models, data sets or settings: no
    queries have such ids; and for groups with the same counts.
    """
    values: list = [value for _, value, _ in members]
    if any(_is_nested_object(value) if type(value) is dict else not _is_flat_list(value) for value in values) or (
            2 * sum(_WORD.fullmatch(str(key)) is not None for *_, key in members) < len(members)) or (
            are_questions([str(key) for *_, key in members])):
        return False
    if any(type(value) is list for value in values):
        return True
    same = len(values) > 1 and all(type(value) is dict and value.keys() == values[0].keys() for value in values)
    return same and not {"total", "count"}.isdisjoint(part for name in values[0] for part in str(name).split("_"))


def _lists_queries(members: list[InputEntry]) -> bool:
    """True for the queries or terms of each document, the members of clusters and folds, and what users did: the keys
    are no queries, by their form or by that of what is below them. Items that are recommended to users have ids.
    """
    keys = [str(key) for _, _, key in members]
    below = [value for _, value, _ in members if isinstance(value, (dict, list))]
    names = [str(name) for value in below for name in value]
    if not names or len(below) < len(members) or any(
            type(value) is dict and _is_nested_object(value) for value in below):
        return False
    is_inverse = all(map(QUERY_ID.fullmatch, names)) and not any(map(QUERY_ID.fullmatch, keys))
    is_indexed = all(map(_DOCUMENT_ID.fullmatch, keys)) and not any(map(_DOCUMENT_ID.fullmatch, names))
    is_of_users = all(map(_USER.fullmatch, keys)) and all(map(_WORD.fullmatch, names))
    return is_inverse or is_indexed or is_of_users or all(map(_GROUP.fullmatch, keys))


def _is_table(members: list[tuple[str, object]]) -> bool:
    """True for rows and columns of a report: the same different names below each key, {"gpt-4o": {"easy": 0.9, "hard":
    0.4}, ...}, the same queries below each system, and words below words, {"auth": {"test_login": 1}}.

    q1, q2, q3 are names of queries, and d1, d2, d3 or guide.md those of documents.
    """
    objects = [value for _, value in members if type(value) is dict and value]
    if len(objects) < max(2, len(members)) or all(QUERY_ID.fullmatch(key) for key, _ in members) or any(
            type(number) in (dict, list, str) for value in objects for number in value.values()):
        return False
    names = [str(name) for name in objects[0]]
    if all(value.keys() == objects[0].keys() for value in objects):
        forms = {re.sub(r"\d+", "0", name) for name in names}
        return all(map(QUERY_ID.fullmatch, names)) or (
            1 < len(forms) == len(names) <= _MOST_COLUMNS and all(map(_NAME.fullmatch, names)))
    return all(_WORD.fullmatch(key) for key, _ in members) and all(
        _WORD.fullmatch(str(name)) for value in objects for name in value)


def _are_aliases(members: list[InputEntry]) -> bool:
    """True for lists of other names for most keys: {"msmarco-v1": ["msmarco", "msmarco-passage-v1"], ...}. The parts
    that all keys have do not count, and a document may begin with the id of its query.
    """
    parts = [set(re.findall(r"[^\W\d_]{3,}", str(key).lower())) for _, _, key in members]
    shared = set.intersection(*parts) if len(parts) > 1 else set()
    alike = sum(type(value) is list and bool(value) and all(
        type(name) is str and not name.startswith(str(key)) and (own - shared) & set(
            re.findall(r"[^\W\d_]{3,}", name.lower())) for name in value)
        for own, (_, value, key) in zip(parts, members, strict=True))
    return len(members) > 1 and 2 * alike > len(members)


def _are_sentences(value) -> bool:
    """True for a list of sentences: they name no documents."""
    return type(value) is list and len(value) > 1 and all(
        type(item) is str and item.count(" ") > 2 and item.rstrip().endswith((".", "!")) for item in value)


def _is_flat_list(value) -> bool:
    return type(value) is list and not any(type(item) in (dict, list) for item in value)


def _are_questions(value) -> bool:
    """True for a list of questions: they name no documents."""
    return type(value) is list and all(type(item) is str for item in value) and are_questions(value)


def _are_fractions(value) -> bool:
    """True for a list of numbers from 0 to 1, such as the values of a metric, or 1 and 0 for the ranks of hits: they
    name no documents.
    """
    if type(value) is list and len(value) > 2 and {"0", "1"} == {str(item) for item in value}:
        return True
    if type(value) is not list or len(value) < 2 or any(type(item) in (str, bool, list, dict) for item in value):
        return False
    numbers = [parse_number(str(item)) for item in value if item is not None]
    return bool(numbers) and all(number is not None and 0 <= number <= 1 for number in numbers) and any(
        not float(number or 0).is_integer() for number in numbers)


def _is_nested_object(value: dict) -> bool:
    """True for an object of objects, such as several runs or a table."""
    return bool(value) and all(type(member) in (dict, list) for member in value.values())


def _note_wrong_type(problems: Collector, line: int, key: str | None, value) -> None:
    description = f"a list of {len(value)} objects or lists" if type(value) is list else show_value(value)
    if type(value) is dict:
        problems.add("wrong-type/dictionary-of-objects", {"key": key, "count": len(value)}, line=line, field=key)
        return
    if type(value) not in (list, str):
        problems.add("wrong-type/summary", {"key": key, "what": description}, line=line, field=key)
        return
    problems.add("wrong-type/dictionary", {"key": key, "what": description}, line=line, field=key)


def _note_grades(run: Run, source: Source) -> Run:
    """Warn if all scores of a run are small whole numbers, or 0, 1 and halves or quarters between them, like grades."""
    scores = run.scores
    if scores is None or not len(scores) or scores.max() > MAX_GRADE:
        return run
    is_marked = scores.min() == 0 and scores.max() == 1 and not (np.rint(4 * scores) != 4 * scores).any()
    if (np.rint(scores) != scores).any() and not is_marked:
        return run
    problem = Problem("looks-like-truth", {"highest": scores.max()}, source.file, severity="warning")
    return replace(run, problems=(*run.problems, problem))


FORMATS.register(Format("json-dict", "JSON dictionary", read_runs, read_truth), kind="json", order=90, guess=guess)
