"""Data sets of question answering: HotpotQA, DPR's retriever outputs and training data, Tevatron, Bedrock."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragdash.io.field_names import QUERY_ALIASES, find_fields
from ragdash.io.formats.tools.conversion import Keys, ToolFile, as_id, member, objects, present, register
from ragdash.io.json.head import LIST

_FACT_TITLES, _FACT_PLACES = ("title", "doc_id", "document", "doc", "source"), ("sent_id", "sentence", "sent_idx")
_QUESTIONS = {"question", "query", "conversationTurns"}
_GIVEN = {"answer": (*QUERY_ALIASES["answer"][1:], "pred"), **{  # by a system
    role: (*(name for name in QUERY_ALIASES[role] if name.startswith("retriev")), f"retrieved_{more}")
    for role, more in (("retrieved", "titles"), ("contexts", "paragraphs"))}}
_UNSPACED = re.compile("[\u0e00-\uffff]{8}")  # several words of a script without blanks
_MOST_SPLITS = 5  # of a data set: train, dev, test
_IDS = ("passage_id", "psg_id", "docid", "doc_id", "id", "title")


def _records(values: list) -> list[dict]:
    """The objects of a JSON array, of lines, or of the lists of questions in one object: data, or train and dev."""
    root = values[0] if len(values) == 1 else values
    if type(root) is list:
        return objects(root)
    lists = [items for items in root.values() if type(items) is list and any(
        not _QUESTIONS.isdisjoint(item) for item in objects(items)[:1])] if type(root) is dict else []
    return [item for items in lists for item in objects(items)] or objects([root])


def _has(*names: str, most: int = 1, is_given: bool | None = None):
    """True for objects with these names, in no more lists than that: others may be of several systems.

    is_given: only with something that a system gave, or only without; None for both.
    """
    def matches(keys: Keys) -> bool:
        paths = [path for path, members in keys.items() if (path in ((), (LIST,)) or (
            len(path) == 2 and path[1] is LIST)) and set(names) <= set(members)]
        has_given = any(find_fields(keys[path], _GIVEN, _GIVEN) for path in paths)
        return 0 < len(paths) <= most and is_given in (None, has_given)

    return matches


def _given(item: dict, *names: str) -> dict:
    """What a system gave for a question of a data set, under our names."""
    schema = find_fields((name for name, value in item.items() if value is not None), names or _GIVEN, _GIVEN)
    return {name: item[field] for name, field in schema.items()}


def _hotpot_questions(values: list) -> Iterator[dict]:
    """A question with its answer, the titles of its supporting facts, and their sentences as evidence."""
    for item in _records(values):
        sentences = dict(_hotpot_pairs(item.get("context"), "sentences"))
        facts = list(_hotpot_pairs(_as_pairs(item.get("supporting_facts")), "sent_id"))
        spans = [{"text": text.strip(), "source": title} for title, number in facts
                 if type(text := member(sentences.get(title), number if type(number) is int else -1)) is str]
        spans = spans or [{"text": text, "source": None} for name in ("evidence", "evidences", "supporting_facts")
                          for text in _long_texts(item.get(name))]
        yield present(query_id=as_id(item.get("_id") or item.get("id")), query=item.get("question"),
                      answers=_texts(item.get("answer")), relevant=dict.fromkeys((title for title, _ in facts), 1),
                      evidence=spans or None, **_given(item))


def _as_pairs(value):
    """[{"title": "Vault", "sent_id": 0}] as pairs."""
    if type(value) is list and value and all(type(item) is dict for item in value):
        titles = [next((item[name] for name in _FACT_TITLES if type(item.get(name)) is str), None) for item in value]
        return [[title, next((item[name] for name in _FACT_PLACES if name in item), None)]
                for title, item in zip(titles, value, strict=True) if title is not None]
    return value


def _long_texts(value) -> list[str]:
    """The texts of several words in a text or a list of texts."""
    texts = [value] if type(value) is str else value if type(value) is list else []
    return [text for text in texts if type(text) is str and (text.count(" ") > 2 or _UNSPACED.search(text))]


def _hotpot_pairs(value, name: str) -> Iterator[tuple[str, object]]:
    """(title, what goes with it) of [[title, x]], or of {"title": [...], name: [...]}."""
    if type(value) is dict:
        titles, others = value.get("title"), value.get(name)
        if type(titles) is list and type(others) is list:
            value = [list(pair) for pair in zip(titles, others, strict=False)]
    for pair in value if type(value) is list else ():
        if type(pair) is list and len(pair) == 2 and type(pair[0]) is str:
            number = pair[1]
            yield pair[0], int(number) if isinstance(number, str) and number.isdecimal() else number


def _texts(value) -> list[str] | None:
    if value is None:
        return None
    return [value] if type(value) is not list else value


def _dpr_results(values: list) -> Iterator[dict]:
    """The passages of each question, in their order, and its answers; those that have one are relevant."""
    for item in _records(values):
        judged = {_document_id(passage): int(passage["has_answer"]) for passage in objects(item.get("ctxs"))
                  if type(passage.get("has_answer")) is bool and type(_document_id(passage)) is str}
        passages = [present(doc_id=_document_id(passage), score=_score(passage.get("score")),
                            text=passage.get("text") or passage.get("contents"))
                    for passage in objects(item.get("ctxs"))]
        yield present(query_id=as_id(item.get("q_id") or item.get("id") or item.get("question_id")),
                      query=item.get("question"),
                      answers=_texts(item.get("answers") or item.get("answer")), retrieved=passages,
                      relevant=judged or None,
                      **_given(item, "answer"))


def _score(value):
    """A score, which DPR writes as text."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return None


def _document_id(passage: dict):
    return as_id(next((passage[name] for name in _IDS if passage.get(name) not in (None, "")), None))


def _positive_passages(values: list) -> Iterator[dict]:
    """The positive passages of each question as relevant documents; negative ones have grade 0.

    A title is that of several passages: where it is all that names them, the texts of the positive ones are evidence.
    """
    positive, negative = ("positive_passages", "positive_ctxs"), (
        "negative_passages", "negative_ctxs", "hard_negative_ctxs")
    for item in _records(values):
        judged = {}
        texts = [passage["text"] for name in positive for passage in objects(item.get(name))
                 if type(passage.get("text")) is str and passage["text"] and not any(
                     passage.get(name) not in (None, "") for name in _IDS if name != "title")]
        for grade, names in ((0, negative), (1, positive)) if not texts else ():
            for name in names:
                judged |= {_document_id(passage): grade for passage in objects(item.get(name))
                           if type(_document_id(passage)) is str}
        yield present(query_id=as_id(item.get("query_id") or item.get("q_id")),
                      query=item.get("query") or item.get("question"), answers=_texts(item.get("answers")),
                      relevant=judged if not texts else None, evidence=texts or None)


def _bedrock_turns(values: list) -> Iterator[dict]:
    """The prompt, the answer and the passages of each conversation's first turn, with the scores of its metrics."""
    for item in objects(values):
        turn = member(item, "conversationTurns", 0)
        passages = [text for result in objects(member(turn, "output", "retrievedPassages", "retrievalResults"))
                    if type(text := member(result, "content", "text")) is str]
        references = [text for reference in objects(member(turn, "inputRecord", "referenceResponses"))
                      if type(text := member(reference, "content", 0, "text")) is str]
        scores = {str(result.get("metricName")): result.get("result") for result in objects(member(turn, "results"))}
        yield present(query=member(turn, "inputRecord", "prompt", "content", 0, "text"),
                      answer=member(turn, "output", "text"), contexts=passages or None, answers=references or None,
                      metrics=scores or None)


register("qa-dataset", "Data set of questions", 25, (
    *(tool_file for name in ("answer", "context") for tool_file in (
        ToolFile("HotpotQA's questions with what a system gave", "both",
                 _has("question", name, "supporting_facts", is_given=True), _hotpot_questions),
        ToolFile("HotpotQA's questions with supporting facts", "truth",
                 _has("question", name, "supporting_facts", most=_MOST_SPLITS, is_given=False), _hotpot_questions))),
    ToolFile("questions with DPR's ctxs", "both", _has("question", "ctxs"), _dpr_results),
    ToolFile("questions with positive_ctxs", "truth", _has("question", "positive_ctxs"), _positive_passages),
    ToolFile("queries with positive_passages", "truth", _has("query", "positive_passages"), _positive_passages),
    ToolFile("evaluation of Amazon Bedrock", "both", _has("conversationTurns"), _bedrock_turns),
))
