"""Objects whose keys are query ids: {"q1": "an answer"}, {"answer": {"q1": ...}, "sp": {...}}, {"q1": {"d7": 0.9}}.

Lists of questions by what they are about: {"billing": ["Who pays?", ...], "shipping": {"easy": [...]}}.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from ragdash.core.text.sentences import are_questions, asks
from ragdash.io.proposals.names import ANSWER, CONFIGS, LATENCIES, QUESTION, ROLE_WORDS, SURE_METRICS, TEXT, words

SPLITS = {"train", "training", "dev", "development", "val", "valid", "validation", "test", "testing", "eval", "fold"}
KEY = "*"  # the query, as in the other lists of records
MOST_COLUMNS = 12
_MOST_GRADE = 4
QUARTERS = {0.0, 0.25, 0.5, 0.75, 1.0}  # marks of people: partly relevant
_NAME = re.compile(r"[^\W\d](?:[\w -]|\.\d)*")
PLAIN_WORD = re.compile(r"[^\W\d_]{3,}(?:[ -][^\W\d_]+)*")
_SCALE = 50
_LONGEST_QUERY = 80  # of keywords
_CUTOFFS = {str(number) for number in (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 100, 200, 500, 1000)}
_DEEPEST = 3  # names above a list of questions
_FEW_KEYS = 8  # which may be of systems: bm25, e5
_FEW = 5  # texts of which two thirds ask; the others are requests
_MANY_WORDS = re.compile(r"\s\S+\s|[\u0e00-\uffff]{8}")
_WORDS = re.compile(r"(?<!\S)[^\W\d_]{2,}")
_FEWEST = 2  # questions in a list of its own
_MEASURED = SURE_METRICS | LATENCIES | {"count", "token", "cost", "total", "avg", "mean"}
_RANGE = re.compile(r"\d+\s*[-–]\s*\d+")  # of a scale: 0-2, 3-4
_ID_LIKE = re.compile(r".*(\d|\?\s*$)", re.DOTALL)
_DOCUMENT_ID = re.compile(r"(?!q\D{0,8}\d)(?=\S*[\d_./#:-])\S+")  # not that of a query
_QUERY_ID = re.compile(r"(?:q|qid|query|question|topic|turn|case|test|cluster|group)[-_ ]?\d", re.IGNORECASE)
_PERCENTILE = re.compile(r"[pq]\d{1,2}|min|max", re.IGNORECASE)
_CODE = re.compile(r"\s*(?:SELECT|WITH|PREFIX|MATCH)\s")


def texts_by_query(value: dict, is_file: bool = False) -> list[dict]:
    """Records of {"q1": "an answer"}, or of {"a question": "31_1"}; none where the keys look like names of fields.

    is_file: the object is all of the file; below another member, the keys 0, 1, 2 are the places in a column.
    """
    if len(value) < 2 or not all(type(text) is str for text in value.values()) or (_counts(value) and not is_file):
        return []
    named = sum(_ID_LIKE.fullmatch(str(key)) is not None for key in value)
    if 10 * named < 9 * len(value) or any(_RANGE.fullmatch(str(key)) for key in value):
        return []
    texts = list(value.values())
    if _are_ids(texts) and are_questions(list(map(str, value))):
        return [{KEY: name, "query": key} for key, name in value.items()]
    name = "query" if 10 * sum(map(asks, texts)) >= 3 * len(texts) else "answer"
    if name == "answer" and _are_of_one_form(texts) and not are_questions(list(map(str, value))):
        name = "document"
    return [{KEY: key, name: text} for key, text in value.items()]


def _are_ids(texts: Sequence[str]) -> bool:
    """True for different names of one form with numbers in them, such as 31_1 and 31_2; numbers alone are answers."""
    return len(set(texts)) == len(texts) and _are_of_one_form(texts)


def _are_of_one_form(texts: Sequence[str]) -> bool:
    forms = {re.sub(r"\d+", "0", text) for text in texts}
    return len(forms) == 1 and all("0" in form and form != "0" and " " not in form for form in forms)


def queries_by_id(value: dict) -> list[dict]:
    """Records of {"q1": "adobe indian houses"}: short texts that may be asked as well as answered; none for others."""
    rows = texts_by_query(value)
    texts = [row.get("answer", "") for row in rows]
    short = [text for text in texts if text.strip() and len(text) < _LONGEST_QUERY and (
        text.rstrip()[-1].isalnum() or text.rstrip()[-1] in "?)\"'")]
    is_short = all(texts) and 20 * len(short) >= 19 * len(texts)
    several = sum(" " in text.strip() for text in texts)
    return [{KEY: row[KEY], "query": row["answer"]} for row in rows] if is_short and 2 * several > len(texts) else []


def is_code(text: object) -> bool:
    """True for a query to a database, in SQL, SPARQL or Cypher."""
    return isinstance(text, str) and _CODE.match(text) is not None


def columns_by_query(value: dict) -> list[dict]:
    """Records of {"answer": {"q1": ...}, "sp": {"q1": ...}}: fields above, the same query ids below."""
    value = _of_same_keys(value)
    if not 1 < len(value) <= MOST_COLUMNS:
        return []
    content = ANSWER | QUESTION | TEXT
    if all(content.isdisjoint(words(str(name))) for name in value) and any(
            (SURE_METRICS | {"map"}).isdisjoint(words(str(name))) for name in value):
        return []
    members = list(value.values())
    keys = dict.fromkeys(key for member in members for key in member)
    if len(keys) < 2 or any(2 * len(member) < len(keys) for member in members) or _counts(keys):
        return []
    if len(keys) <= MOST_COLUMNS and sum(_ID_LIKE.fullmatch(str(key)) is not None for key in keys) * 2 < len(keys):
        return []
    return [{KEY: key, **{name: _without_places(member[key]) for name, member in value.items() if key in member}}
            for key in keys]


def _of_same_keys(value: dict) -> dict:
    """The members that are objects; with settings next to them, those that have nearly the same keys."""
    members = {name: member for name, member in value.items() if type(member) is dict and member}
    if len(members) < 2 or 2 * len(members) < len(value):
        return {}
    largest = max(members.values(), key=len)
    alike = {name: member for name, member in members.items()
             if 2 * len(member.keys() & largest.keys()) >= len(largest)}
    return alike if len(alike) > 1 and (len(alike) == len(value) or len(largest) > 2) else {}


def pairs_by_query(value: dict) -> list[dict]:
    """Records of {"q1": [["d7", 0.9], ["d2", 0.8]]}: documents with their scores."""
    members = list(value.values())
    if not members or not all(type(member) is list and member and all(
            type(pair) is list and len(pair) == 2 and type(pair[0]) is str and _is_numbers([pair[1]])
            for pair in member) for member in members):
        return []
    if all(float(score).is_integer() for member in members for _, score in member):
        return []  # places in a document, as in supporting facts
    return [{KEY: key, "retrieved": [{"doc_id": doc, "score": score} for doc, score in member]}
            for key, member in value.items()]


def _counts(keys: Collection) -> bool:
    """True for the keys 0, 1, 2 ... of a column of pandas."""
    return all(str(number) in keys for number in range(len(keys)))


def _without_places(value):
    """[["title", 0], ["title", 3]] as the titles, each once: a supporting fact is a title and a sentence."""
    is_pairs = type(value) is list and value and all(
        type(item) is list and len(item) == 2 and type(item[0]) is str and type(item[1]) is int for item in value)
    return list(dict.fromkeys(item[0] for item in value)) if is_pairs else value


def documents_by_query(value: dict) -> list[dict]:
    """Records of {"q1": {"d7": 0.9, "d2": 0.8}} below other members of a file: a ranking, or judgments of whole grades.

    Values of metrics are none.
    """
    members = list(value.values())
    if len(members) < 2 or not all(type(member) is dict and _is_numbers(list(member.values())) for member in members):
        return []
    names = [str(name) for member in members[:50] for name in member]
    if len(members) < 3 and not any(_ID_LIKE.fullmatch(str(key)) or " " in str(key) for key in value):
        return []  # values of two groups
    if 2 * sum(not SURE_METRICS.isdisjoint(words(str(key))) for key in value) > len(value):
        return []  # parts of means: {"recall@5": {"num": 12, "den": 20}}
    if all(not CONFIGS.isdisjoint(words(str(key))) and not any(map(str.isdigit, str(key))) for key in value):
        return []  # values of models and retrievers
    measured = sum(not _MEASURED.isdisjoint(words(name)) or bool(_PERCENTILE.fullmatch(name)) for name in names)
    is_same = len({frozenset(member) for member in members}) == 1
    if not names or 2 * measured >= len(names) or (is_same and (measured or len(members[0]) < 3 or all(
            name in _CUTOFFS for name in names) or _are_of_different_scales(members))):
        return []  # values of metrics; the same names below each key are fields
    if is_same and not any(_ID_LIKE.fullmatch(str(name)) for name in (names if len(value) < _FEW_KEYS else (
            *value, *names))):
        return []  # counts of groups: {"code": {"A": 6, "B": 1}, "law": {"A": 2, "B": 8}}
    numbers = [number for member in members for number in member.values()]
    if all(type(number) is int and number <= _MOST_GRADE for number in numbers):
        return [{KEY: key, "relevant": member} for key, member in value.items()]
    return [{KEY: key, "retrieved": [{"doc_id": str(doc), "score": score} for doc, score in sorted(
        member.items(), key=lambda item: -float(item[1]))]} for key, member in value.items()]


def doubtful_numbers(value: dict) -> list[dict]:
    """A record for each document of {"q1": {"d7": 0.5, "d2": 1}}, where all numbers are 0, 1 or quarters between them:
    marks of what is relevant, or scores; or where every query has the same names, as of raters and systems.

    None for others, and for whole numbers, which are grades.
    """
    members = list(value.values())
    if not all(type(member) is dict and _is_numbers(list(member.values())) for member in members):
        return []
    marks = {float(mark) for member in members for mark in member.values()}
    if not {0.0, 1.0} < marks <= QUARTERS and not _same_names(members):
        return []
    return [{"query_id": key, "doc_id": doc, "score": mark} for key, member in value.items()
            for doc, mark in member.items()]


def _same_names(members: Sequence[dict]) -> bool:
    """True where all of several objects have the same names, each of another form: "alice" and "gpt-4o", not d1 and d2;
    names of files and of metrics are none.
    """
    names = list(map(str, members[0])) if members else []
    forms = {re.sub(r"\d+", "0", name) for name in names}
    is_same = len(members) >= _FEW and all(member.keys() == members[0].keys() for member in members)
    return is_same and 1 < len(forms) == len(names) <= MOST_COLUMNS and all(
        _NAME.fullmatch(name) and _MEASURED.isdisjoint(words(name)) for name in names)


def lists_by_word(value: dict) -> list[dict]:
    """Records of {"tea": ["d7", "d2"], "coffee": ["d2"]}: words with lists of ids of one form, or texts with
    lists of documents. They may be queries, as may words with lists of different whole numbers of other lengths each.
    """
    if rows := _lists_by_text(value) or _lists_of_words(value) or _ids_below_ids(value):
        return rows
    texts = [text for member in value.values() for text in member] if all(
        type(member) is list and member for member in value.values()) else []
    numbers = _are_numbers_of_documents(value)
    forms = {re.sub(r"\d+", "0", str(text)) if type(text) is str or numbers else "" for text in texts}
    is_words = 2 * sum(re.search(r"[\d\s]", str(key)) is None for key in value) >= len(value) > 1
    if not is_words or len(forms) != 1 or not all("0" in form and " " not in form for form in forms):
        return []
    if any(form.startswith("q") for form in forms):
        return []  # queries by what they are about
    return [{"query": key, "retrieved": member} for key, member in value.items()]


def _are_numbers_of_documents(value: dict) -> bool:
    """True for lists of different whole numbers, most of other lengths, below words that name no field or part of one.
    """
    lists = list(value.values())
    return len(value) > 2 and all(type(member) is list and len(set(map(repr, member))) == len(member) and all(
        type(number) is int and number >= 0 for number in member) for member in lists) and (
        2 * len(set(map(len, lists))) > len(lists)) and all(
        (ROLE_WORDS | SPLITS).isdisjoint(words(str(key))) for key in value)


def _lists_by_text(value: dict) -> list[dict]:
    """Records of {"green tea": ["d7", "tea.md"], "who grows it?": ["d2"]}: questions or keywords, no ids, with lists of
    documents; none for lists of sentences, questions or their ids.
    """
    lists = list(value.values())
    if len(value) < 2 or not all(map(is_worded, value)) or not all(
            type(member) is list and all(type(name) is str for name in member) for member in lists) or not any(lists):
        return []
    if any(are_questions(member) or any(name.count(" ") > 2 and name.rstrip().endswith((".", "!")) for name in member)
           for member in lists) or all(re.match(r"q\D{0,8}\d", name) for member in lists for name in member):
        return []
    return [{"query": key, "retrieved": member} for key, member in value.items()]


def _lists_of_words(value: dict) -> list[dict]:
    """Records of {"q1": ["hard", "multi-hop"], "q2": ["easy"]}: names of queries with lists of plain words, some of
    which come again: labels, keywords or titles of documents.
    """
    lists = list(value.values())
    if len(value) < _FEW or not all(_ID_LIKE.fullmatch(str(key)) and not is_worded(key) for key in value) or not all(
            type(member) is list and member and all(type(name) is str for name in member) for member in lists):
        return []
    names = [name for member in lists for name in member]
    plain = sum(PLAIN_WORD.fullmatch(name) is not None for name in names)
    return [{"query_id": key, "retrieved": member} for key, member in value.items()] if (
        2 * plain > len(names) > len(set(names))) else []


def _ids_below_ids(value: dict) -> list[dict]:
    """Records of {"q1": ["d2", "d7"], "q2": ["d9"]}: ids below ids, which may be right ones as well as returned."""
    lists = list(value.values())
    are_ids = len(value) > 1 and any(lists) and all(
        _ID_LIKE.fullmatch(str(key)) and not is_worded(key) for key in value) and all(
        type(docs) is list and len(set(map(repr, docs))) == len(docs) for docs in lists)
    docs = [doc for docs in lists for doc in docs] if are_ids else []
    is_one_kind = bool(docs) and ((all(type(doc) is int for doc in docs) and max(docs) > _SCALE) or all(
        type(doc) is str and _DOCUMENT_ID.fullmatch(doc) for doc in docs))
    return [{"query_id": key, "retrieved": docs} for key, docs in value.items()] if is_one_kind else []


def is_worded(key: object) -> bool:
    """True for a text of several words, not for q1 or Topic 12."""
    text = str(key)
    return len(_WORDS.findall(text)) > 1 or are_questions([text])


def rankings_by_system(value: dict) -> list[dict]:
    """Records of {"bm25": {"q1": ["d7", "d2"]}, "dense": {"q1": {"d2": 0.9}}}: the same queries below each system."""
    members = list(value.values())
    if not 1 < len(members) <= MOST_COLUMNS or not all(type(member) is dict and len(member) > 1 for member in members):
        return []
    keys = {key for member in members for key in member}
    shared = keys.intersection(*members)
    coded = sum(_ID_LIKE.fullmatch(str(key)) is not None or is_worded(key) for key in keys)
    if 2 * len(shared) < len(keys) or 10 * coded < 9 * len(keys) or any(
            ROLE_WORDS.issuperset(words(str(name))) for name in value):
        return []  # lists of other things, or what is right next to what was returned
    rows = [{KEY: name, KEY + KEY: row[KEY], "retrieved": row.get("retrieved")} for name, member in value.items()
            for row in documents_by_query(member) or _lists_of_ids(member)]
    return rows if len(rows) == sum(map(len, members)) and all(row["retrieved"] is not None for row in rows) else []


def _lists_of_ids(value: dict) -> list[dict]:
    """Records of {"q1": ["d7", "d2"], "q2": ["d9"]}."""
    is_ranking = all(type(docs) is list and all(type(doc) is str and not asks(doc) for doc in docs)
                     for docs in value.values())
    return [{KEY: key, "retrieved": docs} for key, docs in value.items()] if is_ranking and any(value.values()) else []


def _are_of_different_scales(members: Sequence[dict]) -> bool:
    """True where some names have far greater numbers in all objects than others: a count next to shares, as fields."""
    sizes = [sum(abs(float(member[name])) for member in members) / len(members) for name in members[0]]
    return max(sizes) > _SCALE * min(sizes)


def _is_numbers(values: Sequence) -> bool:
    try:
        return all(type(value) is not bool and type(value) not in (str, list, dict) and value is not None and (
            float(value) == float(value)) for value in values)
    except (TypeError, ValueError):
        return False


def questions_by_group(value: Mapping) -> list[dict]:
    """A record of each question with the names above it; none where anything else than questions is in the lists."""
    lists = list(_lists(value, ()))
    texts = [text for _, items in lists for text in items]
    if len(lists) < 2 or len(texts) < _FEWEST or not all(type(text) is str for text in texts) or not (
            are_questions(texts) or _are_alike([items for _, items in lists])):
        return []
    if any(not ANSWER.isdisjoint(words(name)) for names, _ in lists for name in names):
        return []  # next to what was answered
    first = [names[0] for names, _ in lists if names]
    name = "id" if len(set(first)) >= _FEW and are_ids_of_documents(first) else "group"
    return [{**_groups(names, name), "question": text} for names, items in lists for text in items]


def _are_alike(lists: Sequence[Sequence[str]]) -> bool:
    """True for lists of the same length, half of them of questions, the others of several words: keywords of the same.
    """
    asked = [items for items in lists if are_questions(items)]
    others = [text for items in lists if items not in asked for text in items]
    return len(lists[0]) >= _FEWEST and len({len(items) for items in lists}) == 1 and 2 * len(asked) >= len(lists) and (
        10 * sum(text.count(" ") > 1 for text in others) >= 9 * len(others))


def queries_by_document(value: Mapping) -> list[list[dict]]:
    """A record of each query of {"s7": ["tea films", "films about tea"], "s9": [...]}: what is searched for, most of it
    several words in small letters, below the document that it was made of; none below ids of queries. Then the same as
    the documents of queries, which they may be as well.
    """
    lists = list(value.values())
    if len(value) < _FEW or not all(type(texts) is list and texts and all(type(text) is str for text in texts)
                                    for texts in lists) or not are_ids_of_documents(list(map(str, value))):
        return []
    texts = [text.strip() for texts in lists for text in texts]
    searched = [text for text in texts if " " in text and (text[0].islower() or text[0].isdecimal())
                and not text.endswith((".", "!"))]
    if not 2 * len(searched) > len(texts) > len(lists):
        return []
    return [[{"id": key, "query": text} for key, texts in value.items() for text in texts],
            [{"query_id": key, "retrieved": texts} for key, texts in value.items()]]


def are_ids_of_documents(keys: Sequence[str]) -> bool:
    """True for keys that nearly all have a digit or a point and no blank, as ids and files have, and are neither ids of
    queries nor the numbers of places in a list.
    """
    named = sum(_DOCUMENT_ID.fullmatch(key) is not None or key.isdecimal() for key in keys)
    return 10 * named >= 9 * len(keys) > 0 and not _counts(keys) and not _counts([*keys, "0"]) and not any(
        map(_QUERY_ID.match, keys))


def turns_by_topic(value: Mapping) -> list[dict]:
    """A record of each turn of {"31": {"1": "What is throat cancer?", "2": "Is it treatable?"}, "32": {...}}: the
    numbers of topics and of their turns, and what is asked.
    """
    turns = [(str(topic), str(turn), text) for topic, member in value.items() if type(member) is dict
             for turn, text in member.items()]
    are_numbered = all(type(member) is dict and [*map(str, member)] == [*map(str, range(1, len(member) + 1))]
                       for member in value.values())
    if len(value) < 2 or len(turns) < _FEWEST or not are_numbered or len(turns) == len(value) or not all(
            any(map(str.isdigit, topic)) and type(text) is str for topic, _, text in turns):
        return []
    texts = [text for _, _, text in turns]
    return [{"topic_id": topic, "turn": turn, "question": text} for topic, turn, text in turns] if (
        2 * sum(map(asks, texts)) > len(texts)) else []


def listed_questions(items: Sequence) -> list[dict]:
    """A record of each question of ["Who pays?", "When?"]."""
    is_list = len(items) >= _FEWEST and all(type(item) is str for item in items) and (are_questions(items) or (
        _FEW <= len(items) <= 3 * sum(map(asks, items)) // 2 and all(_MANY_WORDS.search(item) for item in items)))
    return [{"question": item} for item in items] if is_list else []


def _lists(value, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Sequence]]:
    if type(value) is list:
        yield names, value
    elif type(value) is dict and len(names) < _DEEPEST:
        for key, member in value.items():
            yield from _lists(member, (*names, str(key)))
    else:
        yield names, [value]  # no list of questions


def _groups(names: Sequence[str], first: str) -> dict[str, str]:
    return {first if place == 0 else f"group {place + 1}": name for place, name in enumerate(names)}
