"""Which fields hold the question and the id of a query."""

from __future__ import annotations

from ragdash.io.proposals import meanings
from ragdash.io.proposals.assignment import Assignment, take
from ragdash.io.proposals.choices.right_documents import gold_lists
from ragdash.io.proposals.content.questions import (
    BODIES,
    is_in_code,
    is_variant,
    named_cases,
    names_speakers,
    other_questions,
    question_rank,
    rest_of_ticket,
    titles_of_topics,
)
from ragdash.io.proposals.fields import Field, leaves
from ragdash.io.proposals.names import (
    ANSWER,
    COUNTING,
    DOCUMENT,
    GOLD,
    ID,
    LATENCIES,
    MILLISECONDS,
    QUESTION,
    RETURNED,
    SECONDS,
)
from ragdash.io.proposals.records import KEY
from ragdash.io.proposals.shapes.ranked_lists import lists_with_scores
from ragdash.io.proposals.shapes.values_by_query import are_ids_of_documents

_OF_QUERIES = {"query", "question", "case", "custom"}
_COMPARED = {"model", "system", "retriever", "config", "configuration", "strategy", "run", "pipeline", "method",
             "experiment", "framework"}  # what is compared: their ids are not those of queries
_OF_OTHERS = {"user", "session", "conversation", "trace", "author", "annotator", "worker", "image", "video", "parent"}
_OF_ASKING = _COMPARED | _OF_OTHERS | QUESTION | RETURNED | {
    "order", "patient", "eval", "evaluation", "message", "log", "feedback", "client", "company", "event", "dataset",
    "topic", "case", "task", "test", "group", "category", "customer", "account", "tenant", "org", "dialogue", "dialog",
    "chat", "turn"}  # their ids are those of who asks, what is asked or what is compared
_OF_EACH_QUERY, _OF_EACH_SYSTEM = 0.7, 0.3  # share of different instructions
_MOSTLY_DIFFERENT = 0.5  # share of the questions, and of the ids with several of them
_FEWEST = 4  # queries whose id comes again among what was returned
_TOPICS = (("number",), ("num",), ("topic",), ("topic", "number"))
_OF_POSTS = (("url",), ("link",), ("permalink",))
_NO_ID = {"top", "app", "found", "total", "count", "max", "min"} | LATENCIES | SECONDS | MILLISECONDS


def assign_query(result: Assignment, free: dict[str, Field]) -> None:
    """Which field holds the question, and which one the id of the query."""
    questions = titles_of_topics(free) or sorted(
        (item for item in free.values() if meanings.is_question(item)), key=question_rank)
    if not questions and ("column 2" not in free or meanings.is_question_of_text(next(iter(free.values())))):
        questions = [item for item in result.fields.values() if meanings.is_question_of_text(item)]
        if any(names_speakers(item) for item in result.fields.values()):
            questions = []  # what several speakers said to each other
    elif questions and all(map(is_in_code, questions)):  # the text that was translated into a query of a database
        questions = [item for item in result.fields.values() if meanings.is_question_of_text(item)] or questions
    questions = questions or other_questions(free)
    if not questions and "column 2" in free and "column 1" in free and free["column 2"].is_long_text and (
            free["column 1"].blank_share == 0):
        questions = [free["column 2"]]
        if free["column 1"].distinct_count == len(free["column 1"].values):
            take(result, free, "query_id", free["column 1"])
    questions = [item for item in _without_inputs(questions, free)
                 if item.path_share < 0.6 and (item.share > 0.5 or "." not in item.path)
                 and item.name_words[:1] != ("system",)]  # system_prompt
    if questions:
        take(result, free, "query", questions[0])
        is_text = questions[0].name_words == ("text",)
        for item in list(filter(is_variant, free.values())) if is_text else rest_of_ticket(free, questions[0]):
            del free[item.path]
    if questions and questions[0].name_words == ("title",):
        numbers = [item for item in free.values() if item.name_words in _TOPICS and item.is_id_like
                   and item.distinct_count == len(item.values)]
        if numbers:
            take(result, free, "query_id", numbers[0])
        if bodies := [item for item in free.values() if item.name_words in BODIES]:
            for item in [*bodies, *(item for item in free.values() if item.name_words in _OF_POSTS)]:
                del free[item.path]  # the rest of a post, and where it is
    if "query_id" in result.roles:
        return
    right = [item.path for item in gold_lists(free)]
    returned = {str(value) for item in lists_with_scores(free) for value in item.items}
    ids = [item for item in free.values() if meanings.is_query_id(item) and item.path not in right
           and (GOLD.isdisjoint(item.words) or returned.isdisjoint(map(str, item.items)))]
    keys = sorted((free[name] for name in (KEY, KEY + KEY) if name in free), key=lambda item: -item.distinct_count)
    ids = [item for item in ids if item not in keys] + keys[:1]
    if questions:
        ids = ids if right else _without_right_id(ids, result, free)
        ids = [item for item in ids if _names_questions(item, questions[0])]
        ids = [item for item in ids if _several_ids(item, questions[0]) < 0.3 or questions[0].distinct_share > 0.7]
        ids = sorted(ids, key=lambda item: (_several_ids(item, questions[0]) > 0, item.path.count(".")))
        ids = ids or [item for item in free.values() if _is_own_id(item) and _names_questions(
            item, questions[0]) and _several_ids(item, questions[0]) == 0]
    else:
        ids = sorted(ids, key=lambda item: (item.path == KEY, _OF_QUERIES.isdisjoint(item.words), item.path.count(".")))
    if not ids and not questions:
        ids = [item for item in free.values() if meanings.names_query(item)]
    if not ids and not questions:
        ids = [item for item in free.values() if not item.is_list and not item.is_object and item.share == 1.0
               and item.mean_length < 100 and (item.is_text or item.is_id_like)
               and not set(item.name_words).isdisjoint(ID) and item.distinct_share > 0.2
               and (_NO_ID | _COMPARED).isdisjoint(item.words)
               and item.name_words[0] not in COUNTING - {"no", "number"}
               and (item.distinct_count > 1 or len(item.values) == 1)]
    if ids := ids or ([] if questions else named_cases(free)):
        take(result, free, "query_id", ids[0] if questions else _shared_by_systems(ids[0], free) or ids[0])


def _without_right_id(ids: list[Field], result: Assignment, free: dict[str, Field]) -> list[Field]:
    """The ids; that of the document which a question is from is what is right."""
    document = next((item for item in ids if _was_returned(item, free)), None)
    if document is not None:
        take(result, free, "relevant", document)
    return [item for item in ids if item is not document]


def settle_origin(result: Assignment, free: dict[str, Field]) -> None:
    """The id that most of its questions share with others is that of the document which they were made of: `id` before
    movie_id. Questions mostly differ: else the id is that of a question, asked several times.
    """
    question = result.fields.get(result.roles.get("query", ""))
    if question is None or question.distinct_share <= _MOSTLY_DIFFERENT or not {
            "query_id", "relevant", "retrieved", "doc_id", "grade", "config"}.isdisjoint(result.roles):
        return
    ids = [item for item in free.values() if _names_origin(item) and len(item.values) == len(question.values)
           and item.distinct_count >= _FEWEST and _share_of_several(item, question) > _MOSTLY_DIFFERENT]
    if ids:
        take(result, free, "relevant", min(ids, key=lambda item: len(item.name_words)))


def _names_origin(item: Field) -> bool:
    """True for an id of each record that may be that of a document, and for keys that only documents have."""
    if item.is_list or item.share < 1 or not item.is_id_like:
        return False
    if item.path == KEY:
        return are_ids_of_documents(list(map(str, item.items)))
    return item.name_words[-1:] == ("id",) and "." not in item.path and _OF_ASKING.isdisjoint(item.name_words) and (
        not meanings.is_neutral_documents(item) or meanings.is_query_id(item))


def _share_of_several(item: Field, question: Field) -> float:
    """The share of the ids that have several different questions."""
    questions: dict[str, set] = {}
    for key, text in zip(item.values, question.values, strict=True):
        questions.setdefault(str(key), set()).add(str(text))
    return sum(len(texts) > 1 for texts in questions.values()) / max(len(questions), 1)


def _was_returned(item: Field, free: dict[str, Field]) -> bool:
    """True for a plain `id` that most rankings next to it have: that of the document that the question is from."""
    if item.path.lower() != "id" or len(item.values) < _FEWEST or any(map(meanings.is_gold_documents, free.values())):
        return False
    rankings = [other for other in free.values() if other.is_list and other.is_id_like and len(other.values) == len(
        item.values) and not (RETURNED - ANSWER).isdisjoint(other.words)]
    return any(2 * sum(str(key) in map(str, leaves(ranking)) for key, ranking in zip(
        item.values, other.values, strict=True)) > len(item.values) for other in rankings)


def _shared_by_systems(own: Field, free: dict[str, Field]) -> Field | None:
    """The id that each system has once, next to one that is another one in each record: source_id, not response_id."""
    count = len(own.values)
    if own.distinct_count < count:
        return None
    systems = [item for item in free.values() if item.is_text and not item.is_list and item.share == 1.0
               and len(item.values) == count and 1 < item.distinct_count <= count / 2
               and not _COMPARED.isdisjoint(item.name_words)]
    shared = [item for item in free.values() if item is not own and not item.is_list and item.share == 1.0
              and len(item.values) == count and item.name_words[-1:] == ("id",)
              and _OF_OTHERS.isdisjoint(item.name_words) and 3 * item.distinct_count <= 2 * count]
    return next((item for system in systems for item in shared if len(set(zip(
        map(repr, item.values), map(repr, system.values), strict=True))) == count), None)


def _is_own_id(item: Field) -> bool:
    """True for an id with the name of a data set, another one in each record: financebench_id."""
    return item.name_words[-1:] == ("id",) and "." not in item.path and item.is_id_like and not item.is_list and (
        item.share == 1.0 and item.distinct_count == len(item.values) > 1) and (
        DOCUMENT - {"item", "record"} | GOLD | RETURNED | _COMPARED | _OF_OTHERS).isdisjoint(item.name_words)


def _without_inputs(questions: list[Field], free: dict[str, Field]) -> list[Field]:
    """The questions; `input` next to longer than an `instruction` of its own is what the instruction is about."""
    asked = [item for item in free.values() if item.path.lower() == "instruction" and item.is_long_text
             and item.distinct_share > (_OF_EACH_SYSTEM if KEY in free else _OF_EACH_QUERY)]
    inputs = [item for item in questions if item.name_words == ("input",)]
    return asked if asked and (not questions or (
        inputs and inputs[0].mean_length > asked[0].mean_length)) else questions


def _names_questions(item: Field, question: Field) -> bool:
    """True if an id belongs to one question only."""
    questions: dict[str, set] = {}
    for key, text in zip(item.values, question.values, strict=False):
        questions.setdefault(repr(key), set()).add(repr(text))
    return all(len(texts) == 1 for texts in questions.values())


def _several_ids(item: Field, question: Field) -> float:
    """Share of the questions that have several of these ids."""
    ids: dict[str, set] = {}
    for key, text in zip(item.values, question.values, strict=False):
        ids.setdefault(repr(text), set()).add(repr(key))
    return sum(len(keys) > 1 for keys in ids.values()) / max(len(ids), 1)
