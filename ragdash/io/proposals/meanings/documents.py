"""What one field can mean: ids of documents that are right, or were returned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ragdash.io.proposals.content.places import are_headings, are_places, is_place_within
from ragdash.io.proposals.content.spread import (
    are_codes,
    are_ids_of_documents,
    counts_by_plural,
    counts_rows,
    has_codes,
    holds_phrases,
    is_constant,
    is_several,
    names_document,
    says_whether,
)
from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.names import (
    AGAINST,
    ANSWER,
    CHOICES,
    CODES,
    COUNTING,
    DOCUMENT,
    GOLD,
    ID,
    KINDS_OF_SOURCES,
    LACKING,
    LATENCIES,
    METRICS,
    NOTES,
    QUESTION,
    RETRIEVING,
    RETURNED,
    SPANS,
    TEXT,
    WEAK_GOLD,
    words,
)
from ragdash.io.tables.cells import ID_PART

_FEW = 5  # records for each kind
_NOUNS = {"doc", "document", "chunk", "passage", "file", "filename", "page", "url", "article", "section", "paragraph"}
_FILES = 0.9  # share of paths and names of files
ID_FORM = re.compile(ID_PART)
_CODE_FORM = re.compile(r"[A-Za-z][A-Za-z-]*[:_-][\w-]*\d[\w-]*")  # of an id alone, no answer
_NO_DOCUMENT = {"output", "saved", "script",
                "turn", "query", "question", "user", "session", "conversation", "case", "test", "tool", "run",
                "start", "begin", "end", "offset", "character", "title", "type", "author", "parent", "request", "task",
                "created", "date", "annotation", "annotator", "rater", "worker", "claim", "language", "lang", "status",
                "dataset", "split", "feedback", "class", "strategy", "method", "size", "overlap", "intent",
                "mode", "format", "model", "keyword", "term", "phrase", "line", "linha"}
_PARTS_OF_NAMES = {"prefix", "suffix", "pattern", "regex", "glob"}  # several documents have them
_NO_IDS = {"reason", "outcome", "status", "error", "behavior", "count", "length", "size", "contain", "keyword", "type",
           "title", "tool", "term", "start", "end", "offset", "rank", "turn", "metric", "stock", "ticker", "currency",
           "country", "company", "model"} | _PARTS_OF_NAMES
_WORKS = {"rule", "guide", "guideline", "manual", "handbook", "law", "statute", "regulation", "clause", "provision"}
_NO_CODES = {"keyword", "term", "entity", "phrase", "number", "value", "date", "year", "amount", "figure", "fact",
             "tool", "answer", "token", "word", "code", "path", "contain", "substring", "topic", "intent", "label",
             "class", "score", "count", "match", "triple", "edge", "price", "text", "ticker", "symbol", "isin",
             "company", "stock", "currency", "country", "agent", "function", "route", "filter", "skill", "category",
             "in", "by", "for", "at", "with", "of"} | _PARTS_OF_NAMES  # none names documents, whatever the values are
_IRRELEVANT = ({"irrelevant"}, {"nonrelevant"}, {"non", "relevant"}, {"not", "relevant"})
_COPIES = {"archive", "archived", "wayback", "permalink", "mirror"}  # links to copies of documents
_JUDGED = {"judged", "assessed", "rated", "annotated", "labelled", "labeled"}
_SEVERAL = {"all", "list", "set", "one", "chapter", "section", "heading", "title", "name", "entry", "article", "target",
            "n", "answer", "session"}  # next to a word for what is right, in names of lists of ids


def _lists_numbers(field: Field) -> bool:
    """True for reference_numbers, the numbers in an answer: no documents."""
    return field.path.lower().endswith("numbers") and DOCUMENT.isdisjoint(field.name_words)


def is_gold_list(field: Field) -> bool:
    """A list of short values under a name that only says that they are right: `expected`, `gold_all`."""
    if _lists_numbers(field):
        return False
    name = {word.rstrip("0123456789") for word in field.name_words} - {"or"}
    if name == {"label"} and not (has_codes(field) or field.is_shared or field.is_number):
        return False  # kinds of texts, such as BACKGROUND and RESULTS
    if names_kinds(field) or not CHOICES.isdisjoint(field.words) or (name <= WEAK_GOLD and not (
            field.is_shared or 5 * sum(ID_FORM.fullmatch(str(item)) is not None for item in field.items) >= 4 * len(
                field.items))):  # of random ids some have letters alone
        return False  # references may be short texts
    if name <= GOLD and not field.is_shared and holds_phrases(list(map(str, field.items))):
        return False
    strong = bool(name & (GOLD - WEAK_GOLD)) and bool(name & (DOCUMENT | _WORKS))
    is_titles = (bool(name & {"article", "title"}) and field.mean_length < 60) or (strong and are_places(field))
    is_named = field.is_text or (field.is_number and field.is_id_like and "." not in field.path)  # whole numbers
    are_ids = name <= GOLD | TEXT | SPANS | ID and _are_surely_ids(field)  # reference_contexts: ["d7#2", "d2#0"]
    if not (field.is_list and is_named and "[]" not in field.path
            and (is_titles or (field.is_id_like and field.blank_share < 0.4))):
        return False
    if name == {"evidence"}:
        return are_ids and field.is_text
    return bool(name & GOLD) and (are_ids or name - {"pool"} <= GOLD | _SEVERAL | ID | DOCUMENT | _WORKS or (
        bool(name & (GOLD - WEAK_GOLD)) and name.isdisjoint(_NO_CODES) and has_codes(field)))


def _are_surely_ids(field: Field) -> bool:
    """True for values that no text has: whole numbers, one word each with a digit or a mark, places in documents."""
    texts = [str(item).strip() for item in field.items]
    return field.is_shared or (field.is_id_like and all(text.isdecimal() or ID_FORM.fullmatch(text) for text in texts))


def is_returned_list(field: Field) -> bool:
    """A list of short values under a name that only says that they were returned: `returned`, `top5`."""
    if _lists_numbers(field):
        return False
    name = {word.rstrip("0123456789") for word in field.name_words} - {"", "config", "configuration", "or"}
    name -= {"label"} if "topk" in name else set()
    is_titles = ("title" in name or name == {"top"}) and field.mean_length < 120 and "[]" not in field.path
    is_titles = is_titles or (bool(name & DOCUMENT) and "[]" not in field.path and are_places(field))
    is_named = field.is_text or (  # whole numbers as ids
        is_several(field) and field.is_id_like and "[]" not in field.path and name <= RETURNED | _SEVERAL | DOCUMENT)
    others = GOLD | METRICS - ({"hit"} if field.is_text else set())
    if not (field.is_list and (field.is_id_like or is_titles) and is_named and name.isdisjoint(others)):
        return False
    if name <= {"model", "llm", "system", "agent", "bot"} or ("[]" in field.path and name <= ANSWER) or "pool" in name:
        return False  # who gave a score, what was compared, trials[].response, what was searched
    if name - RETURNED == {"context"} and are_codes(field):
        return True
    if name - {"n"} == {"rank"} or field.path.lower() in ("ids", "doc_ids", "docids"):
        return True
    return bool(name & (RETURNED | {"selected"})) and name <= RETURNED | _SEVERAL | ID | DOCUMENT | {"selected", "k"}


def is_gold_documents(field: Field) -> bool:
    """Ids of relevant documents."""
    if _lists_numbers(field):
        return False
    name, path = set(field.name_words), set(field.words)
    names_ids = bool(ID - {"no"} & name) or ("entity" in name and has_codes(field))
    if field.is_list and {"answer"} & name and names_ids and not field.is_long_text and field.is_id_like:
        return True  # answer_session_ids: what holds the answer
    if name and name <= GOLD and "[]" not in field.path and are_ids_of_documents(field):
        return True  # expected: doc_12
    if field.is_number and field.name_words[-2:] == ("answer", "no") and path & (GOLD - WEAK_GOLD):
        return True  # target_answer_no, of a list of answers
    if (field.is_number and not field.is_list and (name.isdisjoint(CODES) or name & {"total", "count"})) or (
            says_whether(field)):
        return False  # queries_total_in_gold_file
    if field.is_paired or (name <= GOLD and not field.is_list and all(
            type(item) is str and _CODE_FORM.fullmatch(item) for item in field.items)):
        return not path.isdisjoint(GOLD)  # target: MONDO:0010518
    if _is_of_questions(field) or counts_by_plural(field) or not path.isdisjoint(CHOICES):
        return False  # claims of a right answer
    if name == {"evidence", "page"} and field.is_id_like:
        return True  # evidence_pages: "42;43"
    if field.is_list and field.is_id_like and field.is_text and "[]" not in field.path and (
            (name & {"evidence", "acceptable"} and "id" in name) or {"evidence"} < name <= {"evidence"} | DOCUMENT):
        return True  # evidence_chunk_ids, evidence_docs
    if field.is_list and field.is_id_like and field.is_text and name & (DOCUMENT - {"source"}) and name & ID and (
            field.words[0] == "evidence" and field.path.count(".") == 1):
        return True  # evidence[].doc_id
    if not path.isdisjoint(LACKING | AGAINST) or not name.isdisjoint(_COPIES):
        return False  # missing_required_items, gold.distractors
    if field.name_words[:1] and field.name_words[0] in COUNTING - {"no", "number"} | {"distinct", "unique"} and (
            len(field.name_words) > 1):
        return False  # num_guests
    if names_kinds(field) or is_place_within(field):
        return False
    if "citation" in name and not path.isdisjoint(GOLD - WEAK_GOLD) and (
            are_headings(field) or ("[]" in field.path and are_places(field))):
        return True  # "Terms, article 10"
    path -= {"full", "partial"} - (name if field.is_list else set())  # full_api_response.id, fullUrl
    judged = GOLD | ({"rating", "judgment", "judgement", "qrel", "relevance"} if "[]" in field.path else set())
    is_named = field.is_id_like or names_document(field)
    if not is_named or path.isdisjoint(judged) or not name.isdisjoint((ANSWER | METRICS | LATENCIES) - GOLD - {
            "reference"}):
        return False
    lacks = _NO_IDS - {"contain"} if name & DOCUMENT and field.path_share > _FILES else _NO_IDS
    if name == {"page", "label"} or path & {"entity", "edge", "triple", "predicate"} or name & lacks:
        return False  # expected_citations_contain is of documents where it has names of files
    if (field.is_number or name <= GOLD | {"number", "value"}) and name.isdisjoint(CODES - {"number"}):
        return False
    is_one = bool(name & (GOLD - WEAK_GOLD)) and name.isdisjoint(_NO_CODES) and are_ids_of_documents(field)
    return not name.isdisjoint(CODES | _WORKS) or is_one or field.path_share > 0.6 or (  # expected_ticket: TICKET_52
        not path.isdisjoint({"qrels", "retrieval", "relevant"}) and field.blank_share < 0.2)


def is_judged_pool(field: Field) -> bool:
    """All documents of a query that someone has judged, right or not: judged, assessed_doc_ids; and those that are not
    relevant.
    """
    name = set(field.name_words)
    return lists_irrelevant(field) or (
        field.is_list and field.is_id_like and "[]" not in field.path and bool(name & _JUDGED) and (
            name <= _JUDGED | ID | DOCUMENT | {"all", "pool"}))


def lists_irrelevant(field: Field) -> bool:
    """Documents of a query that are not relevant: irrelevant, not_relevant_ids."""
    name = set(field.name_words) - ID - DOCUMENT
    return field.is_list and field.is_id_like and "[]" not in field.path and name in _IRRELEVANT


def is_neutral_documents(field: Field) -> bool:
    """Ids of documents whose name does not say whether they are returned or relevant."""
    name = set(field.name_words)
    if not field.is_id_like or field.is_bool or names_kinds(field) or not name.isdisjoint(
            METRICS | NOTES | LATENCIES | QUESTION) or (
            not set(field.words).isdisjoint(AGAINST | LACKING)):
        return False
    if (name == {"id"} and "[]" not in field.path) or not name.isdisjoint(_NO_DOCUMENT | _PARTS_OF_NAMES | _COPIES):
        return False
    if name & {"slug"} and not field.is_list and field.distinct_count == 1 and len(field.values) > _FEW:
        return False  # of a court
    if name == {"data", "source"} and field.path_share < 0.6 and _FEW * field.distinct_count <= len(field.values):
        return False  # the data set that a question is from
    if len(field.name_words) > 1 and field.name_words[0] in COUNTING - {"no", "number"}:
        return False  # num_chunks
    if _is_of_questions(field) or counts_rows(field) or is_constant(field):
        return False
    is_number_of = field.path in ("document", "doc") or (
        field.is_list and "[]" not in field.path and name & {"document", "doc", "chunk", "passage"})
    if field.is_number and name.isdisjoint(ID) and not is_number_of:
        return False
    return not name.isdisjoint(DOCUMENT) or field.path_share > 0.8 or (
        ("[]" in field.path or "{n}" in field.path) and not name.isdisjoint(ID))


def names_of_hits(fields: Iterable[Field], names: Sequence[str]) -> list[Field]:
    """hit_id and retrieved_doc_title in rows of which each query has several, where nothing else is a document's id."""
    return [item for item in fields if not item.is_list and item.share == 1 and (
        ({*item.name_words} - ID == {"hit"} and item.is_id_like) or (
            item.name_words[-1:] in (("title",), ("name",)) and item.is_text and not DOCUMENT.isdisjoint(
                item.name_words) and (not RETRIEVING.isdisjoint(item.words) or _comes_once(item, names)))) and len(
            item.name_words) > 1
        and 2 * len(set(names)) <= len(names) and (len(set(names)) < item.distinct_count or _comes_once(item, names))]


def _comes_once(item: Field, names: Sequence[str]) -> bool:
    """True where no query has a value twice, and some values come with several queries."""
    pairs = set(zip(names, map(str, item.values), strict=False))
    return len(pairs) == len(names) == len(item.values) > item.distinct_count > _FEW and "corpus" not in item.name_words


def names_kinds(field: Field) -> bool:
    """True for kinds of sources, such as pdf and wiki, and for ways of search that many records share."""
    if field.name_words[-1:] == ("path",) and field.path_share < 0.2:
        return 3 * field.distinct_count <= len(field.values)
    names = {str(item) for item in field.items}
    if field.is_list and "[]" not in field.path and field.seen_count >= _FEW * len(names) and all(
            name.isalpha() and name.isupper() for name in names):
        return bool(names)  # PASSAGE and GRAPH
    is_right = not GOLD.isdisjoint(field.name_words) and _NOUNS.isdisjoint(field.name_words)
    is_of_many = is_right and not field.is_list and not field.is_shared and field.path_share < 0.2 and (
        len(field.values) >= 2 * _FEW * field.distinct_count)
    if is_of_many and not any(char.isdigit() for name in names for char in name):
        return True  # ground_truth_source with a few words for all: how people came to what is right, or its kind
    return bool(names) and KINDS_OF_SOURCES.issuperset(map(str.lower, names))


def _is_of_questions(field: Field) -> bool:
    """True for members of a list of questions, answers or annotations, whose ids name no documents."""
    parents = field.path.split("[].")[:-1]
    return bool(parents) and not (QUESTION | ANSWER | CHOICES | {"annotation", "turn", "claim", "step"}).isdisjoint(
        words(parents[-1].rpartition(".")[2])) and set(field.name_words).isdisjoint(DOCUMENT)


def is_returned_documents(field: Field) -> bool:
    """Ids of returned documents."""
    if _lists_numbers(field):
        return False
    path, name = set(field.words), set(field.name_words)
    if not field.is_list or not field.is_id_like or field.is_bool or not name.isdisjoint(METRICS | NOTES | LATENCIES):
        return False
    if (field.is_number and name.isdisjoint(ID)) or _is_of_questions(field) or not (
            name.isdisjoint(_NO_DOCUMENT | _COPIES) and path.isdisjoint(AGAINST | LACKING)):
        return False
    if path & {"spec", "annotation"} or (name == {"key"} and "citation" in path) or names_kinds(field):
        return False  # what is asked for or annotated, how an answer marks what it cites, and kinds of sources
    returned = RETURNED | {"hit", "context"}
    return (not is_constant(field) and not path.isdisjoint(returned) and path.isdisjoint(GOLD - {"cited"})
            and (not name.isdisjoint(ID | DOCUMENT) or field.path_share > 0.6))
