"""What one field can mean, by its name and its values."""

from __future__ import annotations

import re

from ragdash.core.text.sentences import asks
from ragdash.io.proposals.content.places import are_places, is_place_within
from ragdash.io.proposals.content.spread import (
    are_mostly_numbers,
    are_mostly_several,
    asks_mostly,
    counts_by_plural,
    counts_rows,
    has_codes,
    is_constant,
    is_kind,
    is_several,
    is_source_name,
    names_document,
)
from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.names import (
    ACCEPTED,
    ANSWER,
    CODES,
    COUNTING,
    CRITERIA,
    DOCUMENT,
    GATHERED,
    GENERIC,
    GOLD,
    ID,
    KINDS_OF_SOURCES,
    LATENCIES,
    METRICS,
    MILLISECONDS,
    NOTES,
    OUTPUT_PROMPT,
    QUESTION,
    RETRIEVING,
    RETURNED,
    SECONDS,
    SPANS,
    TEXT,
    WEAK_GOLD,
    counts_something,
    words,
)
from ragdash.io.tables.cells import ID_PART

_ID = re.compile(ID_PART)
_REFERENCES = {"truth", "reference", "target", "expected", "ideal", "gold", "groundtruth", "gt", "correct", "golden"}
_QUERY_IDS = {"query", "question", "case", "test", "item", "example", "turn", "sample", "task", "gold", "q", "topic",
              "qa", "prompt", "record", "row", "entry", "input", "interaction", "conversation", "request", "ticket"}
_NO_DOCUMENT = {"turn", "query", "question", "user", "session", "conversation", "case", "test", "tool", "run",
                "start", "begin", "end", "offset", "character", "title", "type", "author", "parent", "request", "task",
                "created", "date", "annotation", "annotator", "rater", "worker", "claim", "language", "lang", "status",
                "dataset", "split", "feedback", "class", "strategy", "method", "size", "overlap", "intent",
                "mode", "format", "model", "keyword", "term", "phrase"}
_NO_QUESTION = {"count", "expansion", "rewritten", "vector", "set", "group", "kind", "class", "template", "format",
                "token", "variant", "version", "style", "id"}
NO_ANSWER = {"type", "contain", "keyword", "length", "time", "token", "reason", "id", "latency", "prompt", "start",
             "end", "format", "key", "count", "model", "relevance", "relevancy", "similarity", "score", "rating", "in",
              "words", "alias", "var", "variable", "fact", "point", "term", "rule"}
_RIGHT_ONES = (("answer", "key"), ("canonical", "solution"), ("reference", "solution"), ("gold", "solution"))
_SAID_OF_ANSWERS = {"information", "info", "detail", "statement", "value", "result"}  # expected_information
_NO_IDS = {"reason", "outcome", "status", "error", "behavior", "count", "length", "size", "contain", "keyword", "type",
           "title", "tool", "term", "start", "end", "offset", "rank", "turn"}
_CHOICES, _NO_TEXT = {"choice", "option"}, {"tool", "highlight", "highlighted"}
_ABOUT_ANSWERS = {"mode", "method", "strategy", "status", "label", "flag", "confidence", "version", "provider", "from"}
_MEASURES = {"ms", "sec", "second", "cost", "usd", "price", "avg", "mean", "total", "rate", "num"}  # numbers of them
_VERDICTS = {"correct", "right", "match", "valid", "relevant", "true"}  # behind answer: whether it is
_SPEAKERS_ASKING = (("user",), ("user", "message"), ("human",))
_PROBLEMS = (("problem",), ("problem", "text"), ("problem", "statement"), ("problem", "description"))
_SPEAKERS_ANSWERING = (("assistant",), ("assistant", "message"), ("ai",), ("bot",))
_SPEAKERS = {"bot", "chatbot", "assistant", "ai", "model", "llm", "system", "agent", "rag", "it"}
_AGAINST = {"negative", "neg", "distractor", "distracting", "irrelevant", "forbidden", "wrong", "incorrect", "hard",
            "excluded"}
WRONG = _AGAINST | {"hallucinated", "hallu", "corrupted", "perturbed", "bad", "rejected", "fake", "competitor", "rival",
                    "opponent", "sabotaged", "poisoned", "tampered"}  # answers that are not right, on purpose
_LACKING = {"missing", "missed", "uncovered", "lacking", "unmatched", "problematic", "unsupported", "flagged"}
_WORKS = {"rule", "guide", "guideline", "manual", "handbook", "law", "statute", "regulation", "clause", "provision"}
_NO_CODES = {"keyword", "term", "entity", "phrase", "number", "value", "date", "year", "amount", "figure", "fact",
             "tool", "answer", "token", "word", "code", "path", "contain", "substring", "topic", "intent", "label",
             "class", "score", "count", "match", "triple", "edge", "price", "text",
             "in", "by", "for", "at", "with", "of"}  # of which none names documents, also where values have a digit
_OF_ANSWERS = {"claim", "issue", "finding", "error", "nugget"}  # lists of what an answer says, or what is wrong in it
_FACT, _SOLUTIONS = {"subject", "predicate", "relation", "object"}, {"solution", "resolution"}
_SEVERAL = {"all", "list", "set", "one", "chapter", "section", "heading", "title", "name", "entry", "article", "target",
            "n", "answer", "session"}  # next to a word for what is right, in names of lists of ids


def is_question(field: Field) -> bool:
    """The text of the question."""
    name = set(field.name_words)
    if field.name_words in _SPEAKERS_ASKING + _PROBLEMS and field.is_long_text and "[]" not in field.path:
        return True
    if are_mostly_numbers(field) or (not field.is_long_text and {"doc", "document"} & set(field.words)):
        return False  # n_queries counts them; doc.query names weights of both
    if field.name_words == ("narrative",) and field.is_long_text and not field.is_list:
        return True  # of a topic
    return (field.is_text and not (field.is_list and is_several(field)) and not QUESTION.isdisjoint(name)
            and name.isdisjoint(ID | METRICS | NOTES | _NO_QUESTION)
            and name.isdisjoint(ANSWER - QUESTION) and "[]" not in field.path and not field.is_object)


def is_question_of_text(field: Field) -> bool:
    """A text without a name that says so, most of which are questions: `text` or `message` in a file of queries."""
    texts = [item for item in field.items if type(item) is str]
    asking = sum(map(asks, texts))
    no_names = ANSWER | GOLD | RETURNED | ID | NO_ANSWER | NOTES - {"title"}
    is_different = field.distinct_share > 0.5 or field.path.startswith("*")  # a key comes again with each system
    is_plain = field.path == "text" or ({".", "{"}.isdisjoint(field.path) and is_different and len(texts) > 1
                                        and no_names.isdisjoint(field.name_words))
    return is_plain and not field.is_list and 2 * asking > len(texts) > 0


def is_query_id(field: Field) -> bool:
    """A single short value that can name the query."""
    name = set(field.name_words)
    if field.is_list or field.is_object or not field.is_id_like or field.path.count(".") > 2:
        return False
    if field.share < 0.9 and (len(field.values) - len(field.present) > 1 or not 4 < len(field.values) < 13):
        return False  # of a few records one may be a summary
    if counts_something(field.name_words) or (name & {"chunk", "doc", "document", "passage"} and name.isdisjoint(
            {"query", "question"})):
        return False
    return (field.path.lower() in ("id", "_id", "qid", "uid", "uuid", "index", "*", "query_id", "question_id", "no",
                                 "nr", "#")
            or field.path == "*"
            or (not name.isdisjoint(ID) and not name.isdisjoint(_QUERY_IDS)) or name == {"id"} or name == {"qid"})


def names_query(field: Field) -> bool:
    """A short value under a word for queries alone: `topic`, `case`."""
    return (not field.is_list and not field.is_object and field.is_id_like and field.share == 1.0
            and field.distinct_count > 1 and not {"doc", "document"} & set(field.words)
            and field.name_words in (("topic",), ("case",), ("query",), ("question",)))


def is_gold_list(field: Field) -> bool:
    """A list of short values under a name that only says that they are right: `expected`, `gold_all`."""
    name = {word.rstrip("0123456789") for word in field.name_words}
    if name == {"label"} and not (has_codes(field) or field.is_shared or field.is_number):
        return False  # kinds of texts, such as BACKGROUND and RESULTS
    if _names_kinds(field) or not _CHOICES.isdisjoint(field.words) or (name <= WEAK_GOLD and not (
            field.is_shared or all(_ID.fullmatch(str(item)) for item in field.items))):
        return False  # references may be short texts
    strong = bool(name & (GOLD - WEAK_GOLD)) and bool(name & (DOCUMENT | _WORKS))
    is_titles = (bool(name & {"article", "title"}) and field.mean_length < 60) or (strong and are_places(field))
    is_named = field.is_text or (field.is_number and field.is_id_like and "." not in field.path)  # whole numbers
    return (field.is_list and is_named and "[]" not in field.path
            and (is_titles or (field.is_id_like and field.blank_share < 0.4))
            and bool(name & GOLD) and (name <= GOLD | _SEVERAL | ID | DOCUMENT | _WORKS or (
                bool(name & (GOLD - WEAK_GOLD)) and name.isdisjoint(_NO_CODES) and has_codes(field))))


def is_returned_list(field: Field) -> bool:
    """A list of short values under a name that only says that they were returned: `returned`, `top5`."""
    name = {word.rstrip("0123456789") for word in field.name_words} - {"", "config", "configuration"}
    is_titles = ("title" in name or name == {"top"}) and field.mean_length < 120 and "[]" not in field.path
    is_titles = is_titles or (bool(name & DOCUMENT) and "[]" not in field.path and are_places(field))
    is_named = field.is_text or (  # whole numbers as ids
        is_several(field) and field.is_id_like and "[]" not in field.path and name <= RETURNED | _SEVERAL | DOCUMENT)
    others = GOLD | METRICS - ({"hit"} if field.is_text else set())
    if not (field.is_list and (field.is_id_like or is_titles) and is_named and name.isdisjoint(others)):
        return False
    if name <= {"model", "llm", "system", "agent", "bot"} or ("[]" in field.path and name <= ANSWER):
        return False  # who gave a score, what was compared, trials[].response
    if name - {"n"} == {"rank"} or field.path.lower() in ("ids", "doc_ids", "docids"):
        return True
    return bool(name & (RETURNED | {"selected"})) and name <= RETURNED | _SEVERAL | ID | DOCUMENT | {"selected", "k"}


def is_gold_documents(field: Field) -> bool:
    """Ids of relevant documents."""
    name, path = set(field.name_words), set(field.words)
    if field.is_list and {"answer"} & name and ID - {"no"} & name and not field.is_long_text and field.is_id_like:
        return True  # answer_session_ids: what holds the answer
    if (field.is_number and not field.is_list and name.isdisjoint(CODES)) or field.is_bool:
        return False
    if field.is_paired:
        return not path.isdisjoint(GOLD)
    if _is_of_questions(field) or counts_by_plural(field) or not path.isdisjoint(_CHOICES):
        return False  # claims of a right answer
    if field.is_list and name & {"evidence", "acceptable"} and "id" in name and field.is_id_like and field.is_text:
        return True  # evidence_chunk_ids
    if not path.isdisjoint(_LACKING | _AGAINST):
        return False  # missing_required_items, gold.distractors
    if field.name_words[:1] and field.name_words[0] in COUNTING - {"no", "number"} | {"distinct", "unique"} and (
            len(field.name_words) > 1):
        return False  # num_guests
    if _names_kinds(field) or is_place_within(field):
        return False
    if "citation" in name and "[]" in field.path and not path.isdisjoint(GOLD - WEAK_GOLD) and are_places(field):
        return True  # "Terms, article 10"
    path -= {"full", "partial"} - name  # full_api_response.id
    judged = GOLD | ({"rating", "judgment", "judgement", "qrel", "relevance"} if "[]" in field.path else set())
    is_named = field.is_id_like or names_document(field)
    if not is_named or path.isdisjoint(judged) or not name.isdisjoint((ANSWER | METRICS | LATENCIES) - GOLD - {
            "reference"}):
        return False
    if name == {"page", "label"} or path & {"entity", "edge", "triple"} or name & _NO_IDS:
        return False
    if (field.is_number or name <= GOLD | {"number", "value"}) and name.isdisjoint(CODES - {"number"}):
        return False
    return not name.isdisjoint(CODES | _WORKS) or field.path_share > 0.6 or (
        not path.isdisjoint({"qrels", "retrieval", "relevant"}) and field.blank_share < 0.2)


def is_neutral_documents(field: Field) -> bool:
    """Ids of documents whose name does not say whether they are returned or relevant."""
    name = set(field.name_words)
    if not field.is_id_like or field.is_bool or _names_kinds(field) or not name.isdisjoint(
            METRICS | NOTES | LATENCIES | QUESTION) or (
            not set(field.words).isdisjoint(_AGAINST | _LACKING)):
        return False
    if (name == {"id"} and "[]" not in field.path) or not name.isdisjoint(_NO_DOCUMENT):
        return False
    if len(field.name_words) > 1 and field.name_words[0] in COUNTING - {"no", "number"}:
        return False  # num_chunks
    if _is_of_questions(field) or counts_rows(field) or is_constant(field):
        return False
    if field.path.endswith("choices[].index"):
        return False
    if field.is_number and name.isdisjoint(ID) and not (
            field.is_list and "[]" not in field.path and name & {"document", "doc", "chunk", "passage"}):
        return False
    return not name.isdisjoint(DOCUMENT) or field.path_share > 0.8 or (
        ("[]" in field.path or "{n}" in field.path) and not name.isdisjoint(ID))


def _names_kinds(field: Field) -> bool:
    """True for kinds of sources, such as pdf and wiki, and for ways of search that many records share."""
    if field.name_words[-1:] == ("path",) and field.path_share < 0.2:
        return 3 * field.distinct_count <= len(field.values)
    return bool(field.items) and KINDS_OF_SOURCES.issuperset(str(item).lower() for item in field.items[:200])


def _is_of_questions(field: Field) -> bool:
    """True for members of a list of questions, answers or annotations, whose ids name no documents."""
    parents = field.path.split("[].")[:-1]
    return bool(parents) and not (QUESTION | ANSWER | {"annotation", "turn", "claim", "step"}).isdisjoint(
        words(parents[-1].rpartition(".")[2])) and set(field.name_words).isdisjoint(DOCUMENT)


def is_answer_object(field: Field) -> bool:
    """The text in a list of answers: answers[].text."""
    parents = field.path.split("[].")[:-1]
    above = set(words(parents[-1].rpartition(".")[2])) if parents else set()
    return field.is_text and bool(above & ANSWER) and above <= ANSWER | ACCEPTED | GOLD | GATHERED and (
        set(words(field.path.rpartition(".")[2])) <= GENERIC | ANSWER)


def is_returned_documents(field: Field) -> bool:
    """Ids of returned documents."""
    path, name = set(field.words), set(field.name_words)
    if not field.is_list or not field.is_id_like or field.is_bool or not name.isdisjoint(METRICS | NOTES | LATENCIES):
        return False
    if (field.is_number and name.isdisjoint(ID)) or not name.isdisjoint(_NO_DOCUMENT) or not path.isdisjoint(
            _AGAINST | _LACKING):
        return False
    if path & {"spec", "annotation"} or (name == {"key"} and "citation" in path):
        return False  # what is asked for or annotated, and how an answer marks what it cites
    returned = RETURNED | {"hit", "context"}
    return (not is_constant(field) and not path.isdisjoint(returned) and path.isdisjoint(GOLD - {"cited"})
            and (not name.isdisjoint(ID | DOCUMENT) or field.path_share > 0.6))


def is_evidence(field: Field) -> bool:
    """Texts of documents that hold the answer."""
    name, path = set(field.name_words), set(field.words)
    if not field.is_long_text or (field.is_id_like and field.path_share > 0.6) or is_answer_object(field) or (
            field.is_hash or names_document(field)):
        return False
    if not name.isdisjoint({"title", "question", "note", "reason", "answer", "file", "url", "caveat", "heading", "path",
                            "locator", "location", "name", "type", "tier", "id"} | METRICS - {"exact"}):
        return False
    if name == {"reference"} and field.is_list and not set(words(field.path.rpartition(".")[0])).isdisjoint(GOLD):
        return True  # ground_truth.references
    if ("fact" in name and not name.isdisjoint({"key", "required", "must", "mandatory"})) or (
            name == {"text"} and "claim" in path) or not path.isdisjoint(_LACKING) or name <= _FACT:
        return False  # what an answer has to say, or does not say, and parts of a fact
    gold = not path.isdisjoint(GOLD | {"source", "cited", "supporting"})
    spans = {"evidence", "quote", "span", "excerpt", "support", "supporting", "fact"}
    names_spans = not path.isdisjoint(spans) and path.isdisjoint(RETURNED)
    if (field.is_list and name <= {"positive", "pos", "gold", "golden", "relevant", "oracle"}) or (
            name in ({"positive"}, {"pos"})):
        return True  # texts
    return names_spans or (gold and not name.isdisjoint(TEXT | SPANS | {"doc"}) and path.isdisjoint(RETURNED))


def is_context(field: Field) -> bool:
    """Texts of returned documents."""
    name, path = set(field.name_words), set(field.words)
    if is_answer_object(field) or field.is_hash or field.path_share > 0.6 or (
            "source" in name and field.mean_length < 60):
        return False
    above = set(words(field.path.rpartition(".")[0]))
    if (field.share < 0.5 and {"metadata", "meta"} & above and "[]" not in field.path) or is_source_name(field):
        return False  # how some questions were made, or where they come from
    if field.name_words in (("pre", "text"), ("post", "text"), ("raw", "text")):
        return False  # around a table, and what a model wrote
    if name == {"reference"} and field.is_list and field.is_long_text and above & RETURNED and not above & GOLD:
        return True
    if field.path.lower().startswith(("query.", "question.")) or above & _OF_ANSWERS or (
            "citation" in above and name & {"quote", "quoted"}):
        return False  # parts of the question or of the answer, and what it quotes
    if above and (not above.isdisjoint(_CHOICES) or ("[]" in field.path and (above <= QUESTION or "sub" in above))):
        return False  # input[].text, sub_questions[].text, choices[].text
    if not field.is_long_text and not (field.is_list and field.is_text and "context" in name):
        return not field.present and "context" in name and name <= {"context", *RETURNED} and "." not in field.path
    if not name.isdisjoint((METRICS - {"hit"}) | NOTES | QUESTION | ID | ANSWER | _NO_TEXT) or (
            not path.isdisjoint(GOLD | _AGAINST | _LACKING | {"judgment"})) or name == {"generated", "text"}:
        return False
    if name and name <= {"document", "doc", "retrieved"} and not field.is_id_like:
        return True
    if field.is_list and "[]" not in field.path and name & RETRIEVING and not field.is_id_like:
        return True  # returned_facts
    return not name.isdisjoint(TEXT - {"document"}) or (
        not name.isdisjoint({"document", "doc", "result", "hit", "source"}) and field.is_list)


def is_reference(field: Field) -> bool:
    """What a right answer is."""
    name, path = set(field.name_words), set(field.words)
    if not (field.is_text or (field.is_number and not field.is_list) or field.is_bool) or field.is_object or (
            field.is_hash):
        return False
    if ((field.is_list and is_several(field)) or (has_codes(field) and name.isdisjoint(ANSWER))) and all(
            _ID.fullmatch(str(item)) for item in field.items):
        return False  # ids of documents
    if field.name_words in _RIGHT_ONES and not field.is_list:
        return True
    if (name.isdisjoint(ANSWER) and asks_mostly(field)) or {"label", "expected"} <= name or (
            _VERDICTS.issuperset(field.name_words[-1:]) and field.name_words and (field.is_bool or field.is_number)):
        return False  # a question in other words; of another kind; answer_correct, resp_true: a verdict on the answer
    others = RETURNED - {"response", "output"} | NO_ANSWER | DOCUMENT | {"match"}
    if name & ANSWER and name & ACCEPTED and name.isdisjoint(others):
        return True
    texts = TEXT - {"text", "content"} if name & ANSWER else TEXT  # answer_text
    no_answer = NO_ANSWER | texts | {"image"} | (QUESTION - {"q"}) | (DOCUMENT - {"source"})
    if not name.isdisjoint(no_answer) or (field.is_bool and name.isdisjoint(ANSWER | {"truth"})):
        return False
    if (field.distinct_count == 1 and len(field.values) > 5) or is_kind(field):
        return False
    if "." in field.path and not {"prediction", "predicted", "pred", "generated", "generation"}.isdisjoint(path - name):
        return False
    if "[]" in field.path and not ({"reference", "expected", "gold"} & path and ANSWER & name):
        return False
    if not name.isdisjoint(ANSWER | _SOLUTIONS) and not path.isdisjoint(GOLD - {"label", "partial"}):
        return True
    if field.is_list and field.path == "label" and field.is_text and not field.is_id_like:
        return True
    if field.path.lower() == "reference" and not field.is_list and all(type(item) is str for item in field.items):
        return True  # "23"
    if not {"behavior", "behaviour", "outcome"}.isdisjoint(name):
        return "expected" in name and field.is_long_text and field.distinct_share > 0.5 and not field.is_list
    if not name.isdisjoint(_SAID_OF_ANSWERS) and (field.is_list or field.distinct_share <= 0.5):
        return False
    return name <= _REFERENCES | {"ground", "output", "standard", "one", "generation"} | _SAID_OF_ANSWERS and bool(
        name & _REFERENCES) and not field.is_number


def is_answer(field: Field) -> bool:
    """What the system wrote."""
    name, path = set(field.name_words), set(field.words)
    is_text = field.is_text or (field.says_yes_or_no and not path.isdisjoint(RETURNED) and (
        "answer" in name or field.name_words in (("prediction",), ("response",))))
    if not is_text or (field.is_object and field.object_share > 0.2) or is_kind(field) or field.is_hash:
        return False
    if not path.isdisjoint(GOLD | WRONG | CRITERIA | {"score", "metric", "feedback", "judge"}):
        return False
    if field.path.endswith(".model") or (field.is_list and (
            are_mostly_several(field) or field.path.lower().removesuffix(".text") in ("answers", "answer"))):
        return False  # response_a.model: who wrote it
    if field.is_number and field.distinct_count <= 3 and len(field.values) > 10:
        return False  # the class that was predicted
    if field.distinct_count == 1 and len(field.values) > 5 and not any(" " in str(item) for item in field.items[:1]):
        return False  # the same word for all, such as how it was made
    if field.is_number and not name.isdisjoint(_MEASURES | MILLISECONDS | SECONDS | LATENCIES | METRICS):
        return False
    if ("answer" in name and name & ACCEPTED and name.isdisjoint(RETURNED)) or (  # answer_long next to answer_short
            field.is_number and not field.is_id_like and not name <= ANSWER | RETURNED | {"final", "numeric", "short"}):
        return False  # lix_response, a measure of it
    others = name - {"model"} if name & {"answer", "response", "output"} else name
    others -= {"prompt"} if field.name_words == OUTPUT_PROMPT else set()
    if not others.isdisjoint(NO_ANSWER | _ABOUT_ANSWERS | (NOTES - {"title"}) | QUESTION - {"q"}):
        return False
    if "[]" in field.path:
        return bool(re.search(r"choices\[\]\.(message\.content|text|turns)$|generations\[\]\.text$", field.path))
    if (name == {"result"} and field.blank_share > 0.4) or (field.name_words in _SPEAKERS_ANSWERING and (
            field.distinct_share > 0.2 or len(field.present) < 5)):  # else: the names of what is compared
        return True
    if not name.isdisjoint({"say", "said", "wrote"}) and name < _SPEAKERS | {"say", "said", "wrote"}:
        return not name.isdisjoint(_SPEAKERS)
    return not name.isdisjoint(ANSWER) or name in ({"generated", "text"}, {"generated"}, {"predicted"}, {"pred"},
                                                   {"actual"}, {"hypothesis"}, {"candidate"}, {"got"})
