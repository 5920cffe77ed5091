"""What one field can mean: an answer, a right one, or texts of documents."""

from __future__ import annotations

import re

from ragdash.io.proposals.content.spread import (
    are_codes,
    are_mostly_several,
    asks_mostly,
    has_codes,
    is_kind,
    is_several,
    is_source_name,
    names_document,
    says_whether,
)
from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.meanings.documents import ID_FORM
from ragdash.io.proposals.names import (
    ACCEPTED,
    AGAINST,
    ANSWER,
    CHOICES,
    CRITERIA,
    DOCUMENT,
    GATHERED,
    GENERIC,
    GOLD,
    ID,
    LACKING,
    LATENCIES,
    METRICS,
    MILLISECONDS,
    NO_ANSWER,
    NOTES,
    OUTPUT_PROMPT,
    QUESTION,
    RELATED,
    RETRIEVING,
    RETURNED,
    SECONDS,
    SPANS,
    SURE_METRICS,
    TEXT,
    WRONG,
    last_words,
    words,
)

_RAW_ANSWER = re.compile(r"(choices\[\]\.(message\.content|text|turns)|generations\[\]\.text|"
                         r"output\[\]\.content\[\]\.text)$")
_DEMAND = re.compile(r"\b(should|must|needs? to|shall)\b", re.IGNORECASE)  # said of a system, not of what is asked
_ID_MARKS = re.compile(r"(?=.*\d)(?=.*[#@/_:])[^\s。，、；！？]+")
_REFERENCES = {"truth", "reference", "target", "expected", "ideal", "gold", "groundtruth", "gt", "correct", "golden"}
_RIGHT_ONES = (("answer", "key"), ("canonical", "solution"), ("reference", "solution"), ("gold", "solution"),
               ("real", "answer"))
_BEHAVIORS = {"answer", "answered", "answerable", "unanswerable", "refuse", "refused", "refusal", "abstain",
              "abstained", "abstention", "decline", "declined", "clarify", "clarification", "escalate", "fallback"}
_OTHER_WAYS = ("answer", "variant")  # to write a right answer
_SAID_OF_ANSWERS = {"information", "info", "detail", "statement", "value", "result"}  # expected_information
_CUT = {"preview", "truncated"}  # behind the name of a text of which the beginning is kept
_NO_TEXT = {"tool", "highlight", "highlighted"}
_ABOUT_ANSWERS = {"failure", "mode", "method", "strategy", "status", "label", "flag", "confidence", "version",
                  "provider", "from"}
_MEASURES = {"ms", "sec", "second", "cost", "usd", "price", "avg", "mean", "total", "rate", "num"}  # numbers of them
_VERDICTS = {"correct", "right", "match", "valid", "relevant", "true"}  # behind answer: whether it is
_SPEAKERS_ANSWERING = (("assistant",), ("assistant", "message"), ("ai",), ("bot",))
_SPEAKERS = {"bot", "chatbot", "assistant", "ai", "model", "llm", "system", "agent", "rag", "it"}
_OF_ANSWERS = {"claim", "issue", "finding", "error", "nugget"}  # lists of what an answer says, or what is wrong in it
_FACT, _SOLUTIONS = {"subject", "predicate", "relation", "object"}, {"solution", "resolution"}


def is_answer_object(field: Field) -> bool:
    """The text in a list of answers: answers[].text."""
    parents = field.path.split("[].")[:-1]
    above = set(words(parents[-1].rpartition(".")[2])) if parents else set()
    return field.is_text and bool(above & ANSWER) and above <= ANSWER | ACCEPTED | GOLD | GATHERED and (
        set(words(field.path.rpartition(".")[2])) <= GENERIC | ANSWER)


def is_evidence(field: Field) -> bool:
    """Texts of documents that hold the answer."""
    name, path = set(field.name_words), set(field.words)
    if not field.is_long_text or (field.is_id_like and field.path_share > 0.6) or is_answer_object(field) or (
            field.is_hash or names_document(field) or _are_names(field)):
        return False
    if not name.isdisjoint({"title", "question", "note", "reason", "answer", "file", "url", "caveat", "heading", "path",
                            "locator", "location", "name", "type", "tier", "id"} | METRICS - {"exact"}):
        return False
    if name == {"reference"} and field.is_list and not set(words(field.path.rpartition(".")[0])).isdisjoint(GOLD):
        return True  # ground_truth.references
    if "[]" in field.path and not {"reason", "justification"}.isdisjoint(path) and not path.isdisjoint(METRICS):
        return False  # groundedness_reason[].supporting_evidence: what a judge says
    if ("fact" in name and not name.isdisjoint({"key", "required", "must", "mandatory"})) or (
            name == {"text"} and "claim" in path) or not path.isdisjoint(LACKING) or name <= _FACT:
        return False  # what an answer has to say, or does not say, and parts of a fact
    gold = not path.isdisjoint(GOLD | {"source", "cited", "supporting"})
    spans = {"evidence", "quote", "span", "excerpt", "support", "supporting", "fact"}
    names_spans = not path.isdisjoint(spans) and path.isdisjoint(RETURNED)
    if (field.is_list and name <= {"positive", "pos", "gold", "golden", "relevant", "oracle"}) or (
            name in ({"positive"}, {"pos"})):
        return True  # texts
    return names_spans or (gold and not name.isdisjoint(TEXT | SPANS | {"doc"}) and path.isdisjoint(RETURNED))


def _are_names(field: Field) -> bool:
    """True for texts without a blank, such as long ids; where words need none, as in Chinese, those with marks of ids.
    """
    texts = [str(item).strip() for item in field.items]
    return all(len(text.split()) < 2 and (text.isascii() or _ID_MARKS.fullmatch(text)) for text in texts)


def is_context(field: Field) -> bool:
    """Texts of returned documents."""
    name, path = set(field.name_words), set(field.words)
    if is_answer_object(field) or field.is_hash or field.path_share > 0.6 or _RAW_ANSWER.search(field.path) or (
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
    if above and (not above.isdisjoint(CHOICES) or ("[]" in field.path and (above <= QUESTION or "sub" in above))):
        return False  # input[].text, sub_questions[].text, choices[].text
    if not field.is_long_text and not (field.is_list and field.is_text and "context" in name and not are_codes(field)):
        return not field.present and "context" in name and name <= {"context", *RETURNED} and "." not in field.path
    if not name.isdisjoint((METRICS - {"hit"}) | NOTES | QUESTION | ID | _NO_TEXT) or (
            name & ANSWER and name != {"context", "answer"}) or (
            not path.isdisjoint(GOLD | AGAINST | LACKING | {"judgment"})) or name - _CUT == {"generated", "text"}:
        return False
    if name and name <= {"document", "doc", "retrieved"} and not field.is_id_like:
        return True
    if field.is_list and "[]" not in field.path and name & (RETRIEVING | RELATED) and not field.is_id_like:
        return True  # returned_facts, related_laws
    return not name.isdisjoint(TEXT - {"document"}) or (
        not name.isdisjoint({"document", "doc", "result", "hit", "source"}) and field.is_list)


def is_reference(field: Field) -> bool:
    """What a right answer is."""
    name, path = set(field.name_words), set(field.words)
    if not (field.is_text or (field.is_number and not field.is_list) or field.is_bool) or field.is_object or (
            field.is_hash):
        return False
    if ((field.is_list and is_several(field)) or (has_codes(field) and name.isdisjoint(ANSWER))) and all(
            ID_FORM.fullmatch(str(item)) for item in field.items):
        return False  # ids of documents
    if all(" " not in str(item) and not _BEHAVIORS.isdisjoint(words(str(item))) for item in field.items):
        return False  # what a system should do: answer, refuse
    if (field.name_words in _RIGHT_ONES and not field.is_list) or field.name_words == _OTHER_WAYS:
        return True
    if field.is_number and field.name_words[-2:] == ("answer", "no"):
        return False  # target_answer_no, its number in a list of answers
    if (name.isdisjoint(ANSWER) and asks_mostly(field)) or {"label", "expected"} <= name or (
            _VERDICTS.issuperset(field.name_words[-1:]) and field.name_words and (
                says_whether(field) or field.is_number)):
        return False  # a question in other words; of another kind; answer_correct, resp_true: a verdict on the answer
    others = RETURNED - {"response", "output"} | NO_ANSWER | DOCUMENT | {"match"}
    if name & ANSWER and name & ACCEPTED and name.isdisjoint(others | SURE_METRICS):
        return True
    texts = TEXT - {"text", "content"} if name & ANSWER else TEXT  # answer_text
    no_answer = NO_ANSWER | texts | {"image", "index", "idx"} | (QUESTION - {"q"}) | (DOCUMENT - {"source"})
    if not name.isdisjoint(no_answer) or (field.is_bool and name.isdisjoint(ANSWER | {"truth"})):
        return False
    if (field.distinct_count == 1 and len(field.values) > 5) or is_kind(field):
        return False
    if "." in field.path and not {"prediction", "predicted", "pred", "generated", "generation"}.isdisjoint(path - name):
        return False
    above = set(last_words(field.path.rpartition(".")[0]))
    if name & ANSWER and above & GOLD and "context" in above:
        return False  # gold_context.answer: what a system wrote with the right texts
    if "[]" in field.path and not ({"reference", "expected", "gold"} & path and ANSWER & name):
        return False
    if not name.isdisjoint(ANSWER | _SOLUTIONS) and not path.isdisjoint(GOLD - {"label", "partial"}):
        return True
    if field.is_list and field.path == "label" and field.is_text and not field.is_id_like:
        return True
    if field.path.lower() == "reference" and not field.is_list and all(type(item) is str for item in field.items):
        return True  # "23"
    if not {"behavior", "behaviour", "outcome"}.isdisjoint(name):
        return "expected" in name and field.is_long_text and field.distinct_share > 0.5 and not field.is_list and (
            2 * sum(_DEMAND.search(str(item)) is not None for item in field.items) < len(field.items))
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
    path -= {"metric"} if {"metric", "input"} <= path else set()  # metric_input.response: what was rated
    if not path.isdisjoint(GOLD | WRONG | CRITERIA | {"score", "metric", "feedback", "judge"}):
        return False
    if field.path.endswith(".model") or field.name_words == _OTHER_WAYS or (field.is_list and (
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
        return bool(_RAW_ANSWER.search(field.path))
    if (name == {"result"} and field.blank_share > 0.4) or (field.name_words in _SPEAKERS_ANSWERING and (
            field.distinct_share > 0.2 or len(field.present) < 5)):  # else: the names of what is compared
        return True
    if not name.isdisjoint({"say", "said", "wrote"}) and name < _SPEAKERS | {"say", "said", "wrote"}:
        return not name.isdisjoint(_SPEAKERS)
    return not name.isdisjoint(ANSWER) or name - _CUT in ({"generated", "text"}, {"generated"}, {"predicted"}, {"pred"},
                                                   {"gen"}, {"actual"}, {"hypothesis"}, {"candidate"}, {"got"})
