"""Answers that only the fields next to them show to be answers."""

from __future__ import annotations

from dataclasses import replace

from ragdash.io.proposals import meanings
from ragdash.io.proposals.assignment import WEIGHTS, Assignment, take
from ragdash.io.proposals.content.questions import BODIES
from ragdash.io.proposals.content.spread import are_mostly_numbers, are_mostly_several
from ragdash.io.proposals.fields import Field, as_bool, as_number, is_missing
from ragdash.io.proposals.names import (
    ACTUAL_ANSWER,
    CRITERIA,
    DOCUMENT,
    GATHERED,
    GOLD,
    GRADES,
    ID,
    METRICS,
    NO_ANSWER,
    NOTES,
    QUESTION,
    RETURNED,
    SPANS,
    WEAK_GOLD,
    words,
)
from ragdash.io.proposals.shapes.families import RUN, ColumnFamily, is_known_system
from ragdash.io.proposals.shapes.values_by_query import is_code

_FEWEST_AGREEING, _MOST_AGREEING = 0.2, 0.99  # shares of the records in which a system gives the right value
_FEWEST = 4  # records and different values that show it
_PAIRS = {"qa", "qa_pair", "question_answer", "question_answer_pair"}  # objects of a question and its answer
_SHORT = 40  # characters
_NEARLY_ALL = 0.9  # of the records
_LESS = WEIGHTS["answers"] + 0.1  # a penalty after which a right answer adds no weight
_PREDICTED = (("predicted",), ("pred",), ("prediction",))
_RIGHT = (("gold",), ("golden",), ("expected",), ("target",), ("correct",), ("truth",), ("ground", "truth"), ("gt",))
_OF_SYSTEMS = {"final", "got", "chosen", "picked", "selected", "extracted", "given"}
_NO_VALUES = DOCUMENT | METRICS - {"correct", "exact"} | GRADES - {"label"} | {"count", "num", "type", "score"}


def text_of_answer(result: Assignment, free: dict[str, Field]) -> Field | None:
    """`text` next to the id of an answer, another one in each record, and that of its question: what was answered."""
    text = free.get("text")
    ids = [item for item in free.values() if item.name_words in (("answer", "id"), ("response", "id"))
           and item.distinct_count == len(item.values)]
    asked = {"query", "question"} & set(words(result.roles.get("query_id", "")))
    is_answer = text is not None and text.is_long_text and not text.is_list and bool(ids and asked)
    if is_answer and "query" not in result.roles:
        return text
    above = words(result.records.path.rpartition(".")[2])
    value = free.get("value")
    is_value = value is not None and not value.is_object and 2 * value.share > 1
    return value if is_value and above == ("answer",) and "query" in result.roles else None


def assign_task(result: Assignment, free: dict[str, Field]) -> None:
    """`retrieve` and `generate` of each query: what is right below ground_truths, what a system gave below anything
    else.
    """
    is_right = not GOLD.isdisjoint(words(result.records.path.rpartition(".")[2]))
    names = ("relevant", "answers") if is_right else ("retrieved", "answer")
    for role, name in zip(names, ("retrieve", "generate"), strict=True):
        item = free.get(name)
        if item is not None and (item.is_text if name == "generate" else item.is_id_like) and 2 * item.share > 1:
            take(result, free, role, item)


def answer_next_to_documents(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """A plain `text` next to the question, in a record with a list of returned documents."""
    if "[]." not in result.roles.get("retrieved", ""):
        return []
    return [item for item in free.values() if item.path.lower() in ("text", "content", "message") and item.is_text
            and not item.is_list and item.distinct_share > 0.5]


def settle_single_text(result: Assignment) -> list[Assignment]:
    """One `text` next to a question and the ids of several documents is the answer rather than the text of them all."""
    texts, returned = (result.fields.get(result.roles.get(name, "")) for name in ("contexts", "retrieved"))
    if texts is None or returned is None or texts.path.lower() != "text" or texts.is_list or not returned.is_list or (
            "query" not in result.roles or "answer" in result.roles or not are_mostly_several(returned)):
        return []
    other = replace(result, roles=dict(result.roles), penalty=0.1)
    result.roles["answer"] = result.roles.pop("contexts")
    return [other]


def predicted_class(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """`predicted_label` next to `label`, or `predicted` next to `gold`, of the same few classes: what a system answers,
    and what is right.
    """
    plain = [item for item in free.values() if not (item.is_list or item.is_object) and "[]" not in item.path and all(
        type(value) is str for value in item.items)]
    kinds = [item for item in free.values() if item.name_words[-1:] == ("label",) and item.is_text
             and not (item.is_list or item.is_object) and "[]" not in item.path]
    predicted = [item for item in kinds if not {"predicted", "pred"}.isdisjoint(item.name_words)]
    right = [item for item in kinds if item.name_words == ("label",) or (
        len(item.name_words) > 1 and GOLD.issuperset(item.name_words[:-1]))]
    predicted = predicted or [item for item in plain if item.name_words[-1:] in _PREDICTED]
    known = result.fields.get(result.roles.get("answers", ""))
    right = right or [item for item in (*plain, *[known] * (known is not None)) if item.name_words in _RIGHT]
    if len(predicted) != 1 or len(right) != 1 or set(predicted[0].items).isdisjoint(right[0].items):
        return []
    if "answers" not in result.roles:
        take(result, free, "answers", right[0])
    return predicted


def _right_numbers(free: dict[str, Field]) -> list[Field]:
    """`gold` with many different numbers next to short predictions: what is right where questions ask for numbers."""
    predicted = [item for item in free.values() if meanings.is_answer(item) and item.mean_length < _SHORT
                 and not item.is_list and not RETURNED.isdisjoint(item.words)]
    return [item for item in free.values() if predicted and item.is_number and not item.is_list and item.share > 0.5
            and item.name_words in _RIGHT and item.distinct_count >= _FEWEST and item.distinct_share > 0.5]


def is_expected_text(field: Field) -> bool:
    """A text in an object of what is expected: expected.grounding."""
    return (field.path.rpartition(".")[0].lower() in ("expected", "gold", "golden") and field.is_long_text
            and not field.is_list and field.share > 0.3 and set(field.name_words).isdisjoint(
                NOTES | QUESTION | NO_ANSWER | CRITERIA | SPANS | DOCUMENT | {"keyword"}))


def without_gap_fillers(answers: list[Field], result: Assignment, free: dict[str, Field]) -> list[Field]:
    """The answers; `answer` where `answerKey` has none, and never next to one, is the right answer of other questions.
    """
    right = result.fields.get(result.roles.get("answers", ""))
    if right is None or not 0.1 < right.share < 0.9:
        return answers
    fillers = [item for item in answers if item.name_words == ("answer",) and len(right.values) == len(item.values)
               and item.present and all(is_missing(one) or is_missing(other)
                                        for one, other in zip(item.values, right.values, strict=True))]
    if fillers:
        take(result, free, "answers", right, *fillers)
    return [item for item in answers if item not in fillers]


def without_written_queries(answers: list[Field], result: Assignment, free: dict[str, Field]) -> list[Field]:
    """The answers; a `completion` with the text of `query` in it is how a model wrote a query for the question."""
    queries = [item for item in free.values() if "query" in item.name_words and item.is_long_text and not item.is_list
               and item.path != result.roles.get("query")]
    return [item for item in answers if not any(_quotes(item, query) for query in queries)]


def _quotes(item: Field, other: Field) -> bool:
    """True where most texts hold those of another field and more."""
    pairs = [(text, part) for text, part in zip(item.values, other.values, strict=False)
             if type(text) is str and type(part) is str and part.strip()]
    return bool(pairs) and 2 * sum(part.strip() in text and len(part) < len(text) for text, part in pairs) > len(pairs)


def settle_prediction(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """A `response` next to the prediction may be what the prediction was taken from, or what a judge wrote."""
    if "prediction" not in words(result.roles.get("answer", "")):
        return []
    others = [item for item in free.values() if item.name_words in (("response",), ("output",)) and (
        meanings.is_answer(item))]
    return [replace(result, roles={**result.roles, "answer": item.path}, penalty=0.1) for item in others[:1]]


def settle_right_answers(result: Assignment) -> None:
    """Swap answers and right answers where only the first are the same in all records of a question, and `answers` for
    `answer`: the right answer of a question is one, whatever wrote the other.
    """
    paths = result.roles.get("answer", ""), result.roles.get("answers", "")
    asked = result.fields.get(result.roles.get("query") or result.roles.get("query_id", ""))
    pair = [result.fields.get(path) for path in paths]
    if asked is None or any(item is None or item.is_list or item.is_object for item in pair):
        return
    if (GOLD - WEAK_GOLD).isdisjoint(words(paths[0])) and not (GOLD - WEAK_GOLD).isdisjoint(words(paths[1])):
        return  # a question that comes twice, with two right answers
    written, right = (_share_of_different(item, asked) for item in pair if item is not None)
    if written == 0 < right or (paths == ("answers", "answer") and written <= right):
        result.roles["answer"], result.roles["answers"] = reversed(paths)
        if "reference" in words(paths[1]) and "config" not in result.roles:
            del result.roles["answer"]  # where the right answer is from


def settle_answer_of_question(result: Assignment) -> list[Assignment]:
    """A plain `answer` that is the same from all configurations for each question is the right one before a system's.

    Not where another field is named as the right one, nor where most questions have the same answer.
    """
    item = result.fields.get(result.roles.get("answer", ""))
    asked = result.fields.get(result.roles.get("query") or result.roles.get("query_id", ""))
    config = result.fields.get(result.roles.get("config", ""))
    if item is None or asked is None or config is None or item.path.lower() != "answer" or item.is_list or (
            "answers" in result.roles or config.distinct_count < 2 or asked.distinct_count < _FEWEST):
        return []
    if len(asked.values) < 2 * asked.distinct_count or _share_of_different(item, asked) or (
            2 * item.distinct_count <= asked.distinct_count or any(
                not GOLD.isdisjoint(field.name_words) for path, field in result.fields.items() if path != item.path)):
        return []
    other = replace(result, roles=dict(result.roles), penalty=_LESS)
    result.roles["answers"] = result.roles.pop("answer")
    return [other]


def is_right_one(item: Field, other: Field, result: Assignment) -> bool:
    """Whether one of two texts is the right answer, as the names of both or the questions asked several times show."""
    asked = result.fields.get(result.roles.get("query") or result.roles.get("query_id", ""))
    return item.path.lower() == "answer" or {item.path.lower(), other.path.lower()} == {"answer", "answers"} or (
        asked is not None and (_share_of_different(item, asked) > 0) != (_share_of_different(other, asked) > 0))


def _share_of_different(item: Field, asked: Field) -> float:
    """The share of the questions asked several times for which this field has several values."""
    groups: dict[str, list[str]] = {}
    for question, value in zip(asked.values, item.values, strict=False):
        groups.setdefault(repr(question), []).append(repr(value))
    repeated = [values for values in groups.values() if len(values) > 1]
    return sum(len(set(values)) > 1 for values in repeated) / max(len(repeated), 1)


def less_sure_answers(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """Right answers that a name alone does not show: next to what a system wrote, numbers, and the answer in a pair."""
    return _actual_answer(free) or _right_numbers(free) or _of_pair(result, free) or _part_of_answer(free) or (
        _of_post(result, free))


def _actual_answer(free: dict[str, Field]) -> list[Field]:
    """`Actual Answer` next to what a system wrote, and gold_snippet next to answer_snippet: the right answer."""
    actual = [item for item in free.values() if item.name_words == ACTUAL_ANSWER and meanings.is_answer(item)]
    names = {item.name_words for item in free.values() if item.name_words[:1] == ("answer",)}
    alike = [item for item in free.values() if item.name_words[:1] == ("gold",) and item.is_text and not item.is_list
             and len(item.name_words) == 2 and ("answer", *item.name_words[1:]) in names]
    if alike:
        return alike
    others = [item for item in free.values() if meanings.is_answer(item) and item not in actual]
    return actual if others else []


def _of_pair(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """`qa.answer` next to `qa.question`: a question of a data set with its answer."""
    parent = result.roles.get("query", "").rpartition(".")[0]
    return [free[f"{parent}.answer"]] if parent.lower() in _PAIRS and f"{parent}.answer" in free else []


def _of_post(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """What people answered to a post, whose title is the question, next to its body."""
    names = {item.name_words for item in result.fields.values()}
    is_post = words(result.roles.get("query", "")) == ("title",) and not names.isdisjoint(BODIES)
    return [item for item in free.values() if is_post and "answer" in item.name_words and meanings.is_answer(item)
            and RETURNED.isdisjoint(item.words)][:1]


def _part_of_answer(free: dict[str, Field]) -> list[Field]:
    """A text in an object called answer, next to other members: answer.compliance and answer.clause of a data set."""
    whole = free.get("answer")
    if whole is None or whole.is_list or whole.object_share < _NEARLY_ALL or any(
            meanings.is_answer(item) for item in free.values()):
        return []
    return [item for item in free.values() if item.path.startswith("answer.") and item.path.count(".") == 1 and (
        item.is_text and not (item.is_list or item.is_object or item.is_bool) and item.share >= _NEARLY_ALL
        and (NOTES | METRICS | ID).isdisjoint(item.name_words))][:1]


def written_in_several_ways(free: dict[str, Field]) -> list[Field]:
    """A right answer and a list of ways to write it, one of which it is in each record: answer_value, answer_aliases.
    """
    plain = [item for item in free.values() if meanings.is_answer(item) and not item.is_list
             and RETURNED.isdisjoint(item.words) and len(item.present) >= _FEWEST]
    return next(([item, ways] for ways in gathered_answers(free) if "alias" in ways.name_words for item in plain if len(
        item.values) == len(ways.values) and all(
        value is None or type(names) is not list or value in names
        for value, names in zip(item.values, ways.values, strict=True))), [])


def code_answers(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """Programs that were generated, and queries to a database next to the question that they answer: SQL, SPARQL,
    Cypher; right ones are taken.
    """
    generated = [item for item in free.values() if item.name_words in (("generated", "code"), ("predicted", "code"))
                 and item.is_text and item.is_long_text and not item.is_list and "[]" not in item.path]
    codes = [item for item in free.values() if "query" in result.roles and item.is_text and not item.is_list
             and "[]" not in item.path and item.path.count(".") < 2
             and 10 * sum(map(is_code, item.items)) >= 9 * len(item.items)]
    right = [item for item in codes if not GOLD.isdisjoint(item.name_words)]
    if right and "answers" not in result.roles:
        take(result, free, "answers", right[0])
    return [item for item in codes if item not in right] or generated


def short_names(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """`a` next to `q`, and the second column without a header next to a question in the first: no classes 0 and 1."""
    pairs = {"q": "a", "column 1": "column 2", "column 2": "column 3"}
    other = pairs.get(result.roles.get("query", "").rpartition(".")[2])
    return [item for item in free.values() if other and item.path.rpartition(".")[2] == other and item.is_text
            and not (item.distinct_count < 3 and are_mostly_numbers(item))]


def gathered_answers(free: dict[str, Field]) -> list[Field]:
    """Several answers that people gave to a question, in lists such as `answers-cleaned`; the raw ones come last."""
    several = [item for item in free.values() if item.is_list and item.is_text and not item.is_object
               and "answer" in item.name_words and GATHERED.issuperset({*item.name_words} - {"answer"})
               and {"[", "{"}.isdisjoint(item.path) and are_mostly_several(item)]
    return sorted(several, key=lambda item: "raw" in item.name_words)


def agreeing_values(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """`final` next to `expected`: of short values that are the same in some records, those that a name says are right
    and those of a system.
    """
    plain = [item for item in free.values() if not (item.is_list or item.is_object or item.is_bool)
             and "[]" not in item.path and item.share > 0.5 and item.mean_length < 100]
    known = result.fields.get(result.roles.get("answers", ""))
    right = [known] if known is not None and not (known.is_list or known.is_object) else [
        item for item in plain if not (GOLD - WEAK_GOLD).isdisjoint(item.name_words)
        and (_NO_VALUES | ID).isdisjoint(item.name_words)]
    pairs = [(item, other) for other in right for item in plain if item is not other and _agrees(item, other)
              and (GOLD | _NO_VALUES).isdisjoint(item.words)
             and not (_OF_SYSTEMS | RETURNED).isdisjoint(item.name_words)]
    if not pairs:
        return []
    answer, gold = max(pairs, key=lambda pair: _agreement(*pair))
    if "answers" not in result.roles:
        take(result, free, "answers", gold)
    return [answer]


def _agreement(item: Field, gold: Field) -> float:
    pairs = list(zip(item.values, gold.values, strict=False))
    return sum(a is not None and str(a).strip() == str(b).strip() for a, b in pairs) / max(len(pairs), 1)


def _agrees(item: Field, gold: Field) -> bool:
    return len(item.values) == len(gold.values) >= _FEWEST and min(item.distinct_count, gold.distinct_count) >= (
        _FEWEST) and _FEWEST_AGREEING <= _agreement(item, gold) <= _MOST_AGREEING


def spans_of_answers(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """`gold_answer_span` next to an answer: where a document says it."""
    has_answer = "answers" in result.roles or any(item.name_words == ("answer",) for item in free.values())
    return [item for item in free.values() if has_answer and item.is_long_text and "answer" in item.name_words
            and (SPANS - {"context", "support", "fact"}) & {*item.name_words} and RETURNED.isdisjoint(item.words)
            and SPANS | GOLD | {"answer"} >= {*item.name_words}]


def marks_of_agreement(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """True and false, or 1 and 0, for whether the answer is the right one: `ok` next to both."""
    answer, gold = (result.fields.get(result.roles.get(name, "")) for name in ("answer", "answers"))
    if answer is None or gold is None or len(answer.values) != len(gold.values) or len(answer.values) < _FEWEST:
        return []
    same = [str(a).strip().casefold() == str(b).strip().casefold() for a, b in zip(answer.values, gold.values,
                                                                                   strict=True)]
    return [item for item in free.values() if not item.is_list and "expected" not in item.words and (
        len(set(same)) > 1) and [
        as_bool(value) if as_bool(value) is not None else as_number(value) for value in item.values] == same]


def settle_two_answers(result: Assignment, family: ColumnFamily | None) -> list[Assignment]:
    """Two answers whose names say nothing are those of two systems, or the right one and that of a system; the same of
    a plain `answer` next to `poor_answer` and `ungrounded_answer`.
    """
    pattern = result.roles.get("answer", "")
    plain = result.roles.get("answers", "")
    if family and plain.lower() == "answer" and words(pattern.replace(RUN, "")) == ("answer",) and not any(
            map(is_known_system, family.members.get(pattern, {}))):
        roles = {name: path for name, path in result.roles.items() if name != "answers"}
        return [replace(result, roles={**roles, "answer": f"{pattern}+{plain}"}, penalty=0.1 - WEIGHTS["answers"])]
    answers = list(family.members.get(pattern, {}).values()) if family else []
    others = {RUN in path for name, path in result.roles.items() if name != "answer"}
    if len(answers) != 2 or True in others or "answers" in result.roles or any(
            map(is_known_system, family.members[pattern])):
        return []
    return [replace(result, roles={**result.roles, "answers": right, "answer": given}, runs=(), penalty=penalty)
            for right, given, penalty in ((*answers, _LESS), (*reversed(answers), _LESS + 0.1))]
