"""What one field can mean: the question, or the id of one."""

from __future__ import annotations

from ragdash.core.text.sentences import asks
from ragdash.io.proposals.content.spread import (
    are_mostly_numbers,
    counts_by_plural,
    is_several,
)
from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.names import (
    ANSWER,
    COUNTING,
    GENERIC,
    GOLD,
    ID,
    METRICS,
    NO_ANSWER,
    NOTES,
    QUESTION,
    RETURNED,
    counts_something,
)

_QUERY_IDS = {"query", "question", "case", "test", "item", "example", "turn", "sample", "task", "gold", "q", "topic",
              "qa", "prompt", "record", "row", "entry", "input", "interaction", "conversation", "request", "ticket",
              "custom", "intent", "scenario"}
_ASKED = QUESTION | GENERIC | {"user", "original", "initial", "first", "search", "en", "english", "full", "test",
                               "eval", "string"}  # words around a question, which may then be one word
_NO_QUESTION = {"path", "file", "filename", "url", "directory",
                "count", "expansion", "rewritten", "vector", "set", "group", "kind", "class", "template", "format",
                "token", "variant", "version", "style", "id"}
_CASES = {"case", "item", "sample", "example", "test", "task", "entry", "record", "input"}  # above its text
_SPEAKERS_ASKING = (("user",), ("user", "message"), ("human",), ("customer", "message"))
_PROBLEMS = (("problem",), ("problem", "text"), ("problem", "statement"), ("problem", "description"))


def is_question(field: Field) -> bool:
    """The text of the question."""
    name = set(field.name_words)
    if field.name_words in _SPEAKERS_ASKING + _PROBLEMS and field.is_long_text and "[]" not in field.path:
        return True
    if "path" in field.words:
        return False
    if are_mostly_numbers(field) or (not field.is_long_text and {"doc", "document"} & set(field.words)):
        return False  # n_queries counts them; doc.query names weights of both
    if field.name_words == ("narrative",) and field.is_long_text and not field.is_list:
        return True  # of a topic
    if not name <= _ASKED and field.is_id_like and not field.is_long_text:
        return False  # input_adapter
    return (field.is_text and not (field.is_list and is_several(field)) and not QUESTION.isdisjoint(name)
            and name.isdisjoint(ID | METRICS | NOTES | _NO_QUESTION)
            and name.isdisjoint(ANSWER - QUESTION) and "[]" not in field.path and not field.is_object)


def is_question_of_text(field: Field) -> bool:
    """A text without a name that says so, most of which are questions: `text` or `message` in a file of queries."""
    texts = [item for item in field.items if type(item) is str]
    asking = sum(map(asks, texts))
    no_names = ANSWER | GOLD | RETURNED | ID | NO_ANSWER | NOTES - {"title"}
    is_different = field.distinct_share > 0.5 or field.path.startswith("*")  # a key comes again with each system
    above = set(field.words) - set(field.name_words)
    is_of_case = field.name_words == ("text",) and field.path.count(".") == 1 and set() < above <= _CASES
    is_plain = field.path == "text" or is_of_case or (
        {".", "{"}.isdisjoint(field.path) and is_different and len(texts) > 1
        and no_names.isdisjoint(field.name_words))
    return is_plain and not field.is_list and 2 * asking > len(texts) > 0


def is_query_id(field: Field) -> bool:
    """A single short value that can name the query."""
    name = set(field.name_words)
    if field.is_list or field.is_object or not field.is_id_like or field.path.count(".") > 2:
        return False
    if field.share < 0.9 and (len(field.values) - len(field.present) > 1 or not 4 < len(field.values) < 13):
        return False  # of a few records one may be a summary
    if counts_something(field.name_words) or (len(name) > 1 and field.name_words[0] in COUNTING - {"no", "number"}):
        return False  # num_samples
    if field.is_hash and "sha256" in name:
        return False
    name -= {"no"} if field.name_words[-1:] != ("no",) else set()  # no_gold_blocks
    if name & {"chunk", "doc", "document", "passage"} and name.isdisjoint({"query", "question"}):
        return False
    return (field.path.lower() in ("id", "_id", "qid", "uid", "uuid", "index", "*", "query_id", "question_id", "no",
                                   "nr", "i", "#")
            or field.path == "*"
            or (not name.isdisjoint(ID) and not name.isdisjoint(_QUERY_IDS)) or name == {"id"} or name == {"qid"})


def names_query(field: Field) -> bool:
    """A short value under a word for queries alone: `topic`, `case`."""
    return (not field.is_list and not field.is_object and field.is_id_like and field.share == 1.0
            and field.distinct_count > 1 and not {"doc", "document"} & set(field.words) and not counts_by_plural(field)
            and field.name_words in (("topic",), ("case",), ("query",), ("question",)))
