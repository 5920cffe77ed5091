"""Settle what a record is where its fields can mean several things: truth or run, or both readings."""

from __future__ import annotations

import re
from dataclasses import replace

from ragdash.io.proposals import meanings
from ragdash.io.proposals.assignment import CONTENT, WEIGHTS, Assignment, is_inside, take
from ragdash.io.proposals.choices.right_documents import id_rank, judged_or_ranked, take_documents_of_evidence
from ragdash.io.proposals.content.spread import (
    are_data_files,
    are_names_of_files,
    are_phrases,
    asks_mostly,
    is_same_number,
    is_several,
)
from ragdash.io.proposals.fields import SENTENCE_ENDS, Field, leaves
from ragdash.io.proposals.names import (
    ACTUAL_ANSWER,
    CRITERIA,
    DOCUMENT,
    GOLD,
    ID,
    LATENCIES,
    METRICS,
    NOTES,
    OUTPUT_PROMPT,
    QUESTION,
    RETURNED,
    SURE_METRICS,
    TEXT,
    WEAK_GOLD,
    WRONG,
    words,
)
from ragdash.io.proposals.records import KEY
from ragdash.io.proposals.shapes.families import OF_RANKINGS
from ragdash.io.proposals.shapes.ranked_lists import are_places, same_lengths

_AS_TRUTH = {"retrieved": "relevant", "text": "evidence", "answer": "answers"}  # roles in a file of what is right
_NAMES_OF_DOCUMENTS = (("doc", "name"), ("document", "name"), ("doc", "index"), ("document", "index"))
_QUOTES = (("answer",), ("text",), ("quote",), ("content",))
_BEST = ("best_ids", "best_id")
_PARTS = {"section", "page", "paragraph", "chapter", "article"}
_NEARLY = WEIGHTS["retrieved"] + 0.1  # a penalty after which one field less weighs more
_JUDGED = {"correctness", "groundedness", "faithfulness", "completeness", "relevance", "relevancy"}  # of an answer
_TITLE = 60  # characters
_FEWEST_SAME = 4  # records
_TIME_OF_DAY = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_NO_ANSWER = GOLD | NOTES | QUESTION | ID | DOCUMENT | TEXT | CRITERIA | METRICS | LATENCIES | {
    "summary", "persona", "hint", "keyword", "review", "remark", "reviewer", "annotator", "user", "intent", "step",
    "video", "movie", "film", "book", "lecture", "episode", "course"}


def _neutral_documents(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """Fields that may name documents, and do not say whether they are right or returned."""
    neutral = [item for item in free.values() if meanings.is_neutral_documents(item) and "[]" not in item.path
               and "cited" not in item.name_words
               and not is_inside(item.path, {"evidence": result.roles.get("evidence", "")})]
    neutral = [item for item in neutral if item.path_share > 0.6 or not set(item.name_words).isdisjoint(DOCUMENT)]
    neutral = neutral or [item for item in free.values() if item.path.lower() in _BEST and item.is_id_like]
    neutral = [item for item in neutral if not {"title", "type", "page", "name", "created", "index"} & set(
        item.name_words) or item.path_share > 0.6 or item.name_words in _NAMES_OF_DOCUMENTS]
    neutral = [item for item in neutral if (item.distinct_count > 1 or len(item.values) == 1) and not are_places(item)
               and (item.is_list or 5 * item.share >= 2)]  # else few of the queries have it
    neutral = [item for item in neutral if not _names_group(item) and (item.is_list or not meanings.is_query_id(item))]
    has_answer = not {"answer", "answers", "evidence"}.isdisjoint(result.roles)
    if not has_answer:
        neutral = [item for item in neutral if item.name_words != ("source",) or not are_data_files(item)]
    neutral = [item for item in neutral if not DOCUMENT.isdisjoint(item.words) or not are_data_files(item)]
    if {"query", "answer", "answers", "evidence"}.isdisjoint(result.roles):
        neutral = [item for item in neutral if item.is_list or item.name_words != ("source", "id")]  # of a data set
    neutral = [item for item in neutral if item.name_words != ("source",) or item.is_list or item.path_share > 0.6
               or (has_answer and (len(item.values) < 3 * item.distinct_count or are_names_of_files(item)))]
    if {"evidence", "answers", "answer"} & result.roles.keys() and all(map(_names_part, neutral)):
        # All questions may be about one document.
        whole_documents = [item for item in free.values() if item.path_share > 0.6 and "[]" not in item.path
                           and DOCUMENT.issuperset(item.name_words) and item.share > 0.9
                           and (item.is_list or any(not item.is_list for item in neutral))]
        return whole_documents or neutral
    return neutral


def settle_neutral_documents(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """Documents whose name does not say what they are: relevant in a file without anything returned.

    Next to a question alone they may as well be what was returned.
    """
    _take_origin(result, free)
    take_documents_of_evidence(result, free)
    if {"relevant", "retrieved", "doc_id", "text"} & result.roles.keys():
        return []
    if "contexts" in result.roles:
        return _take_sources(result, free)
    neutral = _neutral_documents(result, free)
    if not neutral:
        return []
    neutral.sort(key=lambda item: (not item.is_list, -item.path_share if not set(item.name_words) & DOCUMENT else -1,
                                   id_rank(item)))
    is_answered = not RETURNED.isdisjoint(set(words(result.roles.get("answer", ""))) - {"response", "output"})
    is_reference = "answers" in result.roles and not neutral[0].is_list and (
        {"answer", "latency_ms", "latency_s", "config"}.isdisjoint(result.roles))
    is_system = is_of_system(result) and not is_reference
    name = set(neutral[0].name_words)
    is_source = "evidence" in result.roles and not neutral[0].is_list and "source" not in neutral[0].words and (
        neutral[0].path_share < 0.6) and (name.isdisjoint({"chunk", "passage"}) or name.isdisjoint(ID))
    if is_source:
        take(result, free, "source", neutral[0])
    elif result.runs and "{run}" not in neutral[0].path and "answers" in result.roles:
        take(result, free, "relevant", neutral[0])  # the same for all systems, so none of them returned it
    elif is_answered or is_system or (neutral[0].is_list and {"answer", "answers"} <= result.roles.keys()):
        take(result, free, "retrieved", neutral[0])
        if "answers" in result.roles and not neutral[0].is_list and "query" in result.roles:
            result.roles["relevant"] = result.roles.pop("retrieved")  # the right answer may come from it
            return [replace(result, roles=renamed(result, {"relevant": "retrieved"}))]
    elif name & {"url", "uri", "link"} and not neutral[0].is_list and {
            "query", "answer", "answers", "evidence"}.isdisjoint(result.roles):
        return []  # the page that a record is about
    else:
        take(result, free, "relevant", neutral[0])
        if {"answers", "answer", "evidence"}.isdisjoint(result.roles):
            return judged_or_ranked(result, free, neutral[0])
    return []


def renamed(result: Assignment, names: dict[str, str]) -> dict[str, str]:
    """The roles under other names."""
    return {names.get(name, name): path for name, path in result.roles.items()}


def _names_part(item: Field) -> bool:
    """True for the section or page of a document; where a file is named as well, judgments name the file."""
    return not _PARTS.isdisjoint(item.name_words) and item.path_share < 0.6 and ID.isdisjoint(item.name_words)


def _names_group(item: Field) -> bool:
    """True for a slug that many records share, such as that of a court or a category."""
    return not item.is_list and set(item.name_words) & DOCUMENT == {"slug"} and (
        10 * item.distinct_count < len(item.values))


def _take_origin(result: Assignment, free: dict[str, Field]) -> None:
    """The document that a question was made from, where it is among those returned for many questions, is relevant."""
    returned = result.fields.get(result.roles.get("retrieved", "").split("+")[0])
    if returned is None or "answers" not in result.roles or "relevant" in result.roles or result.runs:
        return
    known = {str(item) for item in returned.items}
    first = [next(iter(leaves(value)), None) for value in returned.values]
    for item in [item for item in free.values() if meanings.is_neutral_documents(item) and not item.is_list
                 and item.distinct_count > 1 and "[]" not in item.path and (
                     "source" in item.name_words or set(item.name_words) < set(returned.name_words))
                 and not {"doc", "document", "file", "chunk", "passage", "page"}.isdisjoint(item.name_words)]:
        hits = sum(str(value) in known for value in item.present)
        tops = sum(value == top for value, top in zip(item.values, first, strict=True))
        if 2 * hits > len(item.present) and tops < 0.95 * len(item.values):
            take(result, free, "relevant", item)
            return


def _name_documents(item: Field) -> bool:
    """True for files, ids and plain names under a word for documents, and for titles under `sources`."""
    if not meanings.is_neutral_documents(item):
        return item.name_words == ("source",) and item.is_text and item.mean_length < _TITLE and 5 * sum(
            str(text).strip().endswith(SENTENCE_ENDS) for text in item.items) < len(item.items)
    return bool({*item.name_words} & DOCUMENT) and (item.path_share > 0.6 or bool({*item.name_words} & ID) or (
        DOCUMENT.issuperset(item.name_words) and item.is_text and item.blank_share == 0 and item.mean_length < _TITLE))


def _take_sources(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """A list of files or ids next to an answer and its contexts was returned as well.

    Next to evidence, and of another length than the contexts, it may as well name the documents of the evidence.
    """
    sources = [item for item in free.values() if item.is_list and "[]" not in item.path and GOLD.isdisjoint(item.words)
               and item.distinct_count > 1 and not are_places(item) and _name_documents(item)]
    spans, contexts = (result.fields.get(result.roles.get(name, "")) for name in ("evidence", "contexts"))
    if sources and spans is not None and contexts is not None and "relevant" not in result.roles and (
            same_lengths(sources[0], spans) and not same_lengths(sources[0], contexts)):
        take(result, free, "relevant", sources[0])  # the documents of the evidence
    elif sources and "answer" in result.roles and not result.runs:
        take(result, free, "retrieved", min(sources, key=id_rank))
        is_open = spans is not None and contexts is not None and "relevant" not in result.roles
        if is_open and not same_lengths(result.fields[result.roles["retrieved"]], contexts):
            other = replace(result, roles=dict(result.roles))
            result.roles["relevant"] = result.roles.pop("retrieved")
            return [other]
    return []


def settle_paragraph(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """One text next to a question, with or without its right answer, is what the question is about, not returned."""
    text, answer = result.fields.get(result.roles.get("contexts", "")), result.roles.get("answer", "")
    if text is None or not _is_one_text(text) or not RETURNED.isdisjoint(text.words) or is_of_system(result) or (
            _holds_documents(text)):
        return []
    if {"retrieved", "doc_id", "relevant", "evidence"} & result.roles.keys() or {"{run}", "{n}"} & set(text.path):
        return []
    if (answer and "answers" in result.roles) or (not RETURNED.isdisjoint(words(answer)) and (
            words(answer) != OUTPUT_PROMPT)):
        return []
    if answer and any(item.is_list and meanings.is_neutral_documents(item) for item in free.values()):
        return []  # a system says which documents it was given
    other = replace(result, roles=dict(result.roles))
    result.roles = renamed(result, {"contexts": "evidence", "answer": "answers"})
    return [other]


def settle_contexts(result: Assignment) -> list[Assignment]:
    """Lists of texts next to a right answer and no answer: those that a system found, or those of the data set."""
    texts = result.fields.get(result.roles.get("contexts", ""))
    if texts is None or not texts.is_list or not RETURNED.isdisjoint(texts.words) or "{run}" in texts.path or (
            "answers" not in result.roles or is_of_system(result)) or {
            "answer", "retrieved", "doc_id", "relevant", "evidence", "text"} & result.roles.keys():
        return []
    as_truth = replace(result, roles={("evidence" if name == "contexts" else name): path
                                      for name, path in result.roles.items()})
    if is_same_number(texts.values):
        return [as_truth]
    other = replace(result, roles=dict(result.roles))
    result.roles = as_truth.roles
    return [other]


def _holds_documents(text: Field) -> bool:
    """True for documents as LangChain writes them: what a retriever returned."""
    return 2 * sum("Document(" in str(item)[:20] for item in text.items) > len(text.items)


def _is_one_text(text: Field) -> bool:
    """True for one text in each record; `context` may have it in a list of its own."""
    return not text.is_list or (text.path.lower() == "context" and not is_several(text) and not text.is_object)


def settle_single_documents(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """One document for each query next to its scores may be what the query is about: no ranking says that."""
    role = "retrieved" if "retrieved" in result.roles else "doc_id"
    item = result.fields.get(result.roles.get(role, ""))
    if item is None or item.is_list or "{run}" in item.path or item.name_words == ("top1",) or {
            "scores", "labels"}.isdisjoint(result.roles) or not (RETURNED | SURE_METRICS).isdisjoint(item.words) or (
            result.roles.get("query_id", "").startswith(KEY) or {
                "score", "rank", "grade", "text", "contexts", "source"} & result.roles.keys()):
        return []
    other = replace(result, roles=dict(result.roles), penalty=_NEARLY)
    free[result.roles.pop(role)] = item
    right = {name: path for name, path in result.roles.items() if name in ("query_id", "query", "answers")}
    truth = replace(other, roles={**right, "relevant": item.path}, penalty=WEIGHTS["relevant"] - 0.5)
    return [other, truth] if "query" in right else [other]


def settle_lists(result: Assignment) -> list[Assignment]:
    """Lists of objects without scores, of which nothing says that they were returned, are as likely to be right."""
    path = result.roles.get("retrieved", "")
    parent = path.rpartition("[].")[0]
    named = meanings.is_returned_documents(result.fields[path]) if path in result.fields else True
    if not parent or named or {"score", "rank", "grade", "contexts", "relevant"} & result.roles.keys():
        return []
    answer = result.roles.get("answer", "")
    if answer:
        if is_of_system(result) or "answers" in result.roles or not RETURNED.isdisjoint(words(answer)):
            return []
        other = replace(result, roles=dict(result.roles))
        result.roles = renamed(result, _AS_TRUTH)
        return [other]
    other = replace(result, roles=renamed(result, _AS_TRUTH))
    lists = result.fields.get(path)
    is_of_data_set = "answers" in result.roles and lists is not None and not is_same_number(lists.values) and (
        not is_of_system(result))
    has_spans = any({"span", "offset", "start", "end", "answer"} & set(words(name.rpartition("[].")[2]))
                    for name in result.fields if name.startswith(f"{parent}[]."))
    if has_spans or is_of_data_set:
        result.roles, other.roles = other.roles, result.roles
    quotes = [item for item in result.fields.values() if has_spans and item.path.startswith(f"{parent}[].")
              and item.is_long_text and item.name_words in _QUOTES and not is_inside(item.path, result.roles)]
    if quotes and "evidence" not in result.roles:  # of LegalBench-RAG: a file, the places in it, and what is there
        result.roles["evidence"] = quotes[0].path
    return [other]


def is_of_system(result: Assignment) -> bool:
    """True where a file says what a system did: its configuration, its scores, how long it took."""
    measured = {"token", "cost", "cache", *LATENCIES - {"time", "took"}}
    rated = [result.fields.get(path) for path in result.roles.get("scores", "").split("+") if path]
    is_rated = any(item is None or item.distinct_count > 1 or len(item.values) < 3 for item in rated)
    are_judged = sum(item is not None and not _JUDGED.isdisjoint(item.name_words) for item in rated) > 1
    return is_rated or are_judged or bool({"latency_ms", "latency_s", "labels", "config"} & result.roles.keys()) or any(
        (not measured.isdisjoint(item.name_words) and {"start", "end"}.isdisjoint(item.name_words))
        or item.name_words in (("run", "id"), ("run", "name"))
        for item in result.fields.values())


def settle_answer(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """In a file of truth an answer is the reference; where both are plausible, both readings."""
    path = result.roles.get("answer")
    if path is None or "answers" in result.roles or "{run}" in path or _is_scored(result, path):
        return []
    as_truth = replace(result, roles={("answers" if name == "answer" else name): value
                                      for name, value in result.roles.items()})
    retrieved = result.roles.get("retrieved", "")
    if "{run}" in retrieved and words(path) == ("answer",) and {"relevant", "evidence"} & result.roles.keys():
        result.roles = as_truth.roles  # one answer next to the rankings of several systems is of none of them
        return []
    if path.startswith("outputs.") and retrieved.startswith("outputs.") and not is_of_system(result):
        as_truth.roles = renamed(result, _AS_TRUTH)
        return [as_truth]  # an example of a data set, or what a system returned
    if {"retrieved", "contexts", "doc_id", "text"} & result.roles.keys() or is_of_system(result):
        if _may_be_right(result) and are_phrases(result.fields[path]):
            other = replace(result, roles=dict(result.roles))
            result.roles = as_truth.roles
            return [other]
        is_open = path == "answer" and not is_of_system(result) and "doc_id" not in result.roles
        return [as_truth] if is_open or _may_be_right(result) else []
    plain = set(words(path)).isdisjoint(RETURNED - {"response", "output"})
    if not plain and words(path) != ACTUAL_ANSWER:
        return []
    listed = result.fields.get(result.roles.get("relevant", ""))
    is_gold = listed is None or not set(listed.words).isdisjoint(GOLD - WEAK_GOLD)
    if listed is not None and listed.is_list and not is_gold and "evidence" not in result.roles:
        other = replace(result, roles={("retrieved" if name == "relevant" else name): value
                                       for name, value in result.roles.items()})
        result.roles = as_truth.roles
        return [other]
    if {"relevant", "evidence", "source"} & result.roles.keys():
        result.roles = as_truth.roles
        return []
    if not set(words(path)).isdisjoint(RETURNED) or _is_logged(result):  # response, output: rather those of a system
        return [as_truth]
    other = replace(result, roles=dict(result.roles))
    result.roles = as_truth.roles
    return [other]


def settle_same_answers(result: Assignment) -> list[Assignment]:
    """Long answers that are the right ones word for word are those of a data set, made for training, before a system's.
    """
    answer, right = (result.fields.get(result.roles.get(name, "")) for name in ("answer", "answers"))
    if answer is None or right is None or not answer.is_long_text or len(answer.values) != len(right.values) or (
            len(answer.values) < _FEWEST_SAME) or {"retrieved", "doc_id", "contexts", "text", "config", "scores",
                                                   "latency_ms", "latency_s"} & result.roles.keys():
        return []
    same = sum(str(one).strip() == str(other).strip() for one, other in zip(answer.values, right.values, strict=True))
    if 20 * same < 19 * len(answer.values):
        return []
    other = replace(result, roles=dict(result.roles), penalty=WEIGHTS["answer"] + 0.1)
    del result.roles["answer"]
    return [other]


def _is_logged(result: Assignment) -> bool:
    """True for what was said before and a time of day for each record, as a service logs its conversations."""
    return "chat_history" in result.roles and any(
        item.is_text and not item.is_list and item.distinct_share > 0.5 and all(
            _TIME_OF_DAY.search(str(value)) for value in item.items[:50]) for item in result.fields.values())


def _is_scored(result: Assignment, path: str) -> bool:
    """True for members of a list of answers with a score each, as a system gives them."""
    parent = path.rpartition("[].")[0]
    return bool(parent) and any(name.startswith(f"{parent}[].") and {"score", "confidence"} & set(words(name))
                                for name in result.fields)


def _may_be_right(result: Assignment) -> bool:
    """True for an answer next to a ranking and its right documents, where nothing but values of the ranking is known.
    """
    gold = words(result.roles.get("relevant", ""))
    rated = {word for name in ("scores", "labels") for word in words(result.roles.get(name, ""))}
    return (words(result.roles.get("answer", "")) == ("answer",) and "retrieved" in result.roles
            and not ((GOLD - WEAK_GOLD) | {"id"}).isdisjoint(gold) and rated <= OF_RANKINGS and {
                "contexts", "text", "latency_ms", "config"}.isdisjoint(result.roles))


def settle_leftover_text(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """One column of different long texts is left next to the question: what the system wrote.

    Where nothing says what a system returned, or that there is one, it may as well be the right answer.
    """
    is_returned = not {"retrieved", "contexts"}.isdisjoint(result.roles)
    if "query" not in result.roles or "answer" in result.roles or (not is_returned and not {
            *CONTENT, "doc_id", "text"}.isdisjoint(result.roles.keys() - {"scores", "labels"})):
        return []
    left = [item for item in free.values() if item.is_long_text and not item.is_list and not item.is_object
            and (_NO_ANSWER | WRONG).isdisjoint(item.words) and not asks_mostly(item) and (
                not result.runs or "{run}" in item.path)]
    if len(left) != 1 or {".", "[", "{"} & set(re.sub(r"\{run\}\.?", "", left[0].path)) or len(left[0].values) < 3 or (
            min(left[0].distinct_share, left[0].share) <= 0.7 or left[0].blank_share <= 0.6):
        return []
    if left[0].name_words == ("abstract",) and not is_returned:  # of the paper that the question is about
        other = replace(result, roles={**result.roles, "contexts": left[0].path}, penalty=result.penalty + 0.1)
        take(result, free, "evidence", left[0])
        return [other]
    take(result, free, "answer", left[0])
    if is_returned or result.runs or is_of_system(result):
        return []
    other = replace(result, roles=dict(result.roles))
    result.roles["answers"] = result.roles.pop("answer")
    return [other]
