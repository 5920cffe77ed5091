"""What is asked where nothing is called a question: claims, what speakers say, and the likeliest of several fields."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.names import ANSWER, DOCUMENT, GOLD, ID, NOTES, RELATED, RETURNED, SCORES, SPANS, TEXT
from ragdash.io.proposals.shapes.values_by_query import is_code

_RIGHT = {"relevant", "expected", "gold", "golden", "reference", "qrels", "truth", "correct"}
_MOSTLY, _FEW_WORDS = 0.9, 60  # share of different texts; characters of texts that are asked, not documents
_CASES = (("name",), ("test",), ("case",), ("test", "name"), ("case", "name"), ("test", "case"))
_TICKETS = (("description",), ("body",), ("message",), ("ticket", "text"), ("issue",), ("title",), ("subject",))
_HEADS = (("title",), ("subject",))
_KINDS_OF_TICKETS = {"issue", "ticket", "bug", "incident", "case", "post", "email", "complaint"}
_MANY_TIMES = 5  # as long as a title
_MOST = 0.8  # share of records
_SURE_IDS = {"query_id", "qid", "question_id", "topic_id", "query-id"}
BODIES = (("body",), ("question", "body"), ("selftext",))  # of posts


def other_questions(free: Mapping[str, Field]) -> list[Field]:
    """What is asked where nothing is called a question: claims, what tickets say, or a text that may be nothing else.
    """
    return [item for item in free.values() if is_claim(item)] or described_problems(free) or titles_of_posts(free) or (
        _first_of_two_columns(free) if "column 2" in free else asked_texts(free) or _only_text(free))


def _first_of_two_columns(free: Mapping[str, Field]) -> list[Field]:
    """Texts of several words in the first of two columns without a header, next to lists: what was asked."""
    first, second = free.get("column 1"), free["column 2"]
    is_asked = first is not None and "column 3" not in free and second.is_list and not first.is_list
    return [first] if is_asked and first.blank_share > _MOST and first.distinct_share > _MOST else []


def _only_text(free: Mapping[str, Field]) -> list[Field]:
    """The one text of each record that several systems wrote something about, or that related texts were found for:
    korean_sentence next to rag_translation and plain_translation, clause next to related_laws.
    """
    texts = [item for item in free.values() if item.is_long_text and not item.is_object and item.share == 1.0]
    single = [item for item in texts if not item.is_list and {".", "[", "{"}.isdisjoint(item.path) and (
        GOLD | NOTES | ANSWER | RETURNED).isdisjoint(item.name_words)]
    written = [item for item in texts if "{run}" in item.path and not item.is_list]
    related = [item for item in texts if item.is_list and "[]" not in item.path and not RELATED.isdisjoint(
        item.name_words)]
    is_asked = len(single) == 1 and single[0].distinct_share > _MOST
    return single if is_asked and (bool(written) or len(related) == 1) else []


def named_cases(free: Mapping[str, Field]) -> list[Field]:
    """`name` or `test` with another text in each record, next to a list of objects with ids of its own: test cases.

    The same ids in the lists of all records would be those of queries, and the names those of configurations.
    """
    lists = [item for item in free.values() if item.path.endswith("[].id") or (
        "[]." in item.path and not DOCUMENT.isdisjoint(item.name_words) and not ID.isdisjoint(item.name_words))]
    own = [item for item in lists if item.is_id_like and 2 * len(set(map(str, item.items))) > len(item.items)]
    names = [item for item in free.values() if item.name_words in _CASES and "." not in item.path and not item.is_list
             and item.is_text and item.share == 1.0 and item.distinct_share == 1.0 and len(item.values) > 1]
    return names if own else []


def is_claim(field: Field) -> bool:
    """A claim to check, which is what a retriever is asked where nothing else is."""
    return field.path.lower() in ("claim", "statement") and field.is_long_text and not field.is_list and (
        field.distinct_share > 0.5)


def described_problems(free: Mapping[str, Field]) -> list[Field]:
    """What a ticket says, where the documents or answers that solve it are known: `description` next to gold_kb_id,
    issue_title next to expected_files. A title comes before a body that is many times as long.
    """
    has_gold = any({"gold", "expected"} & {*item.name_words} and "." not in item.path for item in free.values())
    texts = [item for item in free.values() if _of_ticket(item) in _TICKETS and item.is_long_text and not item.is_list
             and item.share == 1.0 and item.distinct_share > 0.7]
    texts.sort(key=lambda item: -item.mean_length)
    titles = [item for item in texts if _of_ticket(item) in _HEADS and (
        _MANY_TIMES * item.mean_length < texts[0].mean_length)]
    return (titles or texts)[:1] if has_gold else []


def _of_ticket(field: Field) -> tuple[str, ...]:
    """The words of a name without that of a ticket in front: issue_title, bug_description."""
    return field.name_words[len(field.name_words) > 1 and field.name_words[0] in _KINDS_OF_TICKETS:]


def rest_of_ticket(free: Mapping[str, Field], question: Field) -> list[Field]:
    """The other texts of the ticket whose title is asked."""
    return [item for item in free.values() if _of_ticket(question) in _HEADS and _of_ticket(item) in _TICKETS
            and len(item.name_words) == len(question.name_words) > 1 and item.name_words[0] == question.name_words[0]]


def titles_of_topics(free: Mapping[str, Field]) -> list[Field]:
    """The title of a topic next to its description and what is relevant to it."""
    by_name = {item.name_words: item for item in free.values() if not item.is_list and item.is_text}
    is_topic = any(name in by_name for name in (("description",), ("desc",))) and any(
        name in by_name for name in (("narrative",), ("narr",)))
    return [by_name[("title",)]] if is_topic and ("title",) in by_name else []


def titles_of_posts(free: Mapping[str, Field]) -> list[Field]:
    """The title of a post next to its longer body and an answer to it, as forums have them."""
    texts = {item.name_words: item for item in free.values() if item.is_text and not item.is_list and (
        "." not in item.path and item.share > _MOST)}
    title, body = texts.get(("title",)), next((texts[name] for name in BODIES if name in texts), None)
    is_post = title is not None and body is not None and title.distinct_share > _MOST and (
        body.mean_length > 2 * title.mean_length and title.blank_share > 1 - _MOST)
    return [title] if is_post and title and any("answer" in name for name in texts) else []


def asked_texts(free: Mapping[str, Field]) -> list[Field]:
    """`text`, or the one text such as asr_text, where nothing else can be asked and no record names a document: next to
    what is right, or a few words.
    """
    named = [item for item in free.values() if item.name_words[-1:] == ("text",) and "." not in item.path]
    text = free.get("text") or (named[0] if len(named) == 1 else None)
    others = [item for path, item in free.items() if item is not text and path.lower() not in _SURE_IDS]
    if text is not None and text.is_text and not text.is_list and len(free) > len(others) + 1 and all(
            is_variant(item) or (not ANSWER.isdisjoint(item.name_words) and item.mean_length > 2 * text.mean_length)
            for item in others):
        return [text]  # whatever is in it: next to the id of a query, to longer answers and to text_clean
    if text is None or text.is_list or not text.is_text or len(text.values) < 2 or text.share < 1 or (
            text.distinct_share < _MOSTLY):
        return []
    others = [item for item in free.values() if item is not text and item.present and item.path != "title"]
    is_right = any(not item.is_object and not _RIGHT.isdisjoint(item.name_words) for item in others)
    names_documents = any(not DOCUMENT.isdisjoint(item.name_words) and _RIGHT.isdisjoint(item.name_words)
                          for item in others)
    is_titled = "title" in free and bool(free["title"].present)
    is_rated = any(not (ANSWER | RETURNED | TEXT | SCORES | SPANS).isdisjoint(item.name_words)
                   and _RIGHT.isdisjoint(item.name_words) for item in others)
    is_keyed = any(item.path.lower() in ("id", "_id", "qid", "query_id", "question_id") for item in others)
    if names_documents or is_titled or is_rated or not is_keyed:
        return []
    return [text] if is_right or (text.mean_length < _FEW_WORDS and not any("\n" in str(item) for item in text.items)
                                  ) else []


def is_variant(item: Field) -> bool:
    """True for another form of a text, such as text_stemmed."""
    return item.name_words[:1] == ("text",) and len(item.name_words) > 1 and item.is_text and not item.is_list


def names_speakers(field: Field) -> bool:
    """True for the speaker of each turn of a conversation, of which there are two or three."""
    return (field.name_words in (("role",), ("rol",), ("speaker",), ("sender",), ("from",)) and not field.is_list
            and field.is_text and 1 < field.distinct_count < 4 and len(field.values) > field.distinct_count)


def is_in_code(field: Field) -> bool:
    """True where most texts are queries to a database."""
    return 2 * sum(map(is_code, field.items)) > len(field.items)


def question_rank(field: Field) -> tuple:
    """Sort key: the likelier question first."""
    name = field.name_words
    exact = name in (("question",), ("query",), ("input",), ("user", "input"), ("user", "query"), ("user", "question"))
    strong = not {"question", "query", "frage", "pregunta", "pergunta"}.isdisjoint(name)
    return (is_in_code(field), field.path.count("."), not exact, not strong, len(name), not field.is_long_text)
