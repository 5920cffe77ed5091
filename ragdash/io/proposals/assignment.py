"""The meanings of the fields of a list of records, as far as they are assigned."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragdash.io.field_names import WHOLE_TIMES
from ragdash.io.proposals.content.first_ranks import names_first_rank
from ragdash.io.proposals.content.spread import asks_mostly
from ragdash.io.proposals.fields import Field, as_number
from ragdash.io.proposals.names import (
    ANSWER,
    AVERAGES,
    DOCUMENT,
    GOLD,
    ID,
    LATENCIES,
    NOTES,
    QUESTION,
    RETURNED,
    SCORES,
    SURE_METRICS,
    TEXT,
    describes_question,
    words,
)
from ragdash.io.proposals.records import KEY, RecordList
from ragdash.io.proposals.shapes.text_tables import LISTS_OF_QUESTIONS, are_named_questions

WEIGHTS = {"retrieved": 4, "doc_id": 4, "contexts": 3, "text": 3, "answer": 3, "relevant": 4, "grade": 2, "answers": 3,
           "evidence": 3, "scores": 2, "labels": 1, "query": 2, "query_id": 1, "latency_ms": 0.5, "latency_s": 0.5,
           "config": 0.5, "score": 0.5, "rank": 0.5, "source": 0.1}
_OF_SYSTEMS = SURE_METRICS - {"score", "quality", "similarity", "rouge", "coverage", "completeness", "overlap"}
_QUESTIONS = re.compile(r"(?:.*\.)?(?:queries|questions|qas?)\[\]\.(?:query|question|text|q)", re.IGNORECASE)
_SYSTEMS = {"model", "system", "name", "retriever", "bot", "engine", "pipeline"}
_HASH = re.compile(r"(?=.*\d)[0-9a-fA-F-]{12,}")
_OF_QUERY = re.compile(r"(?:q|qid|query|question|topic)[_ -]?0|0[_.-]0", re.IGNORECASE)  # q7, and 127_6 of a topic
_PLACEHOLDER = re.compile(r"\{[A-Za-z_]{1,20}\}")
_MANY_KEYS, _ARE_WORDS = 20, 0.7  # keys of one form: configurations are fewer; share of texts of letters alone
_REPORTED = {"disagreement", "mismatch", "discrepancy", "inconsistency",  # of judges, in a report
             "failure", "failed", "miss", "misse", "missed"}
CHECKED = {"contain", "keyword", "phrase", "term", "substr", "topic", "concept", "theme",  # lists of what an answer
            "tag", "entity"}  # has to say
_OF_HITS = DOCUMENT | TEXT | {"id", "score", "rank", "similarity", "distance", "title", "metadata", "preview",
                              "heading", "position", "bm25", "dense", "rerank", "start", "end", "length"}  # of a hit
_OF_TEXTS = {"chunk", "passage", "doc", "document", "docid", "docno", "node", "paragraph", "pmid"}  # ids of hits
_HITS = {"doc_id", "text", "rank", "score", "retrieved"}
_HITS_ABOVE = {"top", "hit", "retrieved", "returned", "ranked", "candidate"}
_SAMPLED = {"sample", "example", "miss", "missed", "failure", "failed"}  # lists of a few of the queries
_EXTREME, _SHOTS = {"worst", "hardest", "easiest", "lowest"}, {"demo", "demonstration", "fewshot", "shot"}
_NUMBERED = re.compile(r"[A-Za-z][A-Za-z_-]*?[-_]?(\d{2,})")
_COMPARED = {"system", "model", "retriever", "config", "configuration", "pipeline", "strategy", "variant", "method",
             "provider", "parameter", "selector", "setting"}  # their keys are no queries
_OF_QUERIES = {"case", "sample", "item", "record", "result", "row", "example", "task", "test", "topic", "data",
               "detail", "run", "eval", "evaluation", "per", "benchmark", "set", "gold", "golden", "qa", "pair",
               "label", "judgment", "prediction", "ranking", "retrieval", "qid"}  # in names of their lists
_NUMBERS_OF_QUERIES = (("n",), ("num", "query"), ("n", "query"), ("query", "count"), ("n", "sample"))
_OF_TALKS = {"conversation", "conv", "session", "dialog", "dialogue", "topic", "thread", "turn", "case"}
_FEWEST, _FEWEST_KEYS = 5, 8  # records without a question, deep in a file; keys that may be those of queries
_CHECKSUMS = {"sha", "sha1", "sha256", "sha512", "md5", "hash", "checksum"}
_PREFERRED = {"a", "b", "tie", "draw", "both", "neither"}
_RATED_THINGS = {"product", "paper", "file", "url", "page", "article"}
_RATED = (("metric",), ("metric", "name"), ("measure",), ("criterion",))
DOCUMENT_TEXTS = ("text", "content", "contents", "body")
CONTENT = ("retrieved", "doc_id", "contexts", "text", "answer", "relevant", "answers", "evidence", "scores", "labels")
RUN_CONTENT = ("retrieved", "doc_id", "contexts", "text", "answer")
RETURNED_OR_JUDGED = ("retrieved", "doc_id", "contexts", "text", "relevant")  # what a row of averages does not have
TRUTH_CONTENT = ("relevant", "answers", "evidence", "grade")


@dataclass
class Assignment:
    """roles: {our field: the path, or several joined with +}; ignored: fields without a meaning."""

    records: RecordList
    fields: dict[str, Field]
    roles: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    runs: tuple[str, ...] = ()
    repeats: int = 0
    averages: int = 0
    separating: tuple[str, ...] = ()  # fields that make repeated queries unique
    penalty: float = 0.0  # of a reading that comes after another one of the same records

    @property
    def weight(self) -> float:
        """How much of the file the roles explain."""
        return sum(WEIGHTS.get(name, 0) for name in self.roles) + min(len(self.records.rows), 50) / 25 - self.penalty

    @property
    def is_useful(self) -> bool:
        """True with a query and something about it."""
        content = [name for name in CONTENT if name in self.roles]
        if any(self.roles.get(name, "").startswith(f"{KEY}.") for name in ("doc_id", "text")) or all(
                path.startswith(f"{KEY}.") for spec in self.roles.values() for path in spec.split("+")):
            return False  # the document above its sentences; all of it is said of the records above
        if self.roles.get("query_id", "").startswith(KEY) and not _SAMPLED.isdisjoint(
                words(self.roles.get("retrieved", "").rpartition("[].")[0])):
            return False  # means of configurations with a few examples each
        names_queries = self._crosses_queries or not {"query", "question", "case", "item", "sample"}.isdisjoint(
            words(self.records.path))
        is_keyed = self.roles.get("query_id", "").startswith(KEY) and not (
            names_queries and self.roles.get("config", "").startswith(KEY))
        keys = [str(row.get(self.roles["query_id"])) for row in self.records.rows] if is_keyed else []
        numbered = sum(any(map(str.isdigit, key)) for key in keys)
        is_rated = is_keyed and "query" not in self.roles and not set(content) - {"scores", "labels"}
        if (is_keyed and self._are_places(keys)) or (is_rated and not self._rates_queries(keys) and not are_numbered(
                keys) and not (names_queries and len(keys) > 4 and 10 * numbered > 9 * len(keys))):
            return False  # means of groups
        if is_keyed and "query" not in self.roles and len(set(keys)) < 4 and not numbered:
            return False  # parts of a report
        if "query" not in self.roles and (self._lists_things or ("answer" not in self.roles and self._holds_means)):
            return False
        if self.roles.get("query_id") in (KEY, KEY + KEY) and "doc_id" in self.roles and {
                "query", "score", "rank", "grade"}.isdisjoint(self.roles):
            return False  # published values with their sources
        if "text" in self.roles and {"query", "retrieved", "doc_id", "score", "rank", "grade"}.isdisjoint(self.roles):
            return False  # the sentences of an answer
        if self.records.path and not set(content) - {"scores", "labels"} and self.roles.get("query_id") == "index" and (
                "query" not in self.roles):
            return False  # places in a list
        if "query" not in self.roles and (self._lists_documents or self._describes_documents or self._holds_one_each):
            return False
        if self._are_examples or self._holds_answers or (content == ["labels"] and not self._gives_verdicts):
            return False
        if 2 * self.repeats > len(self.records.rows) and (set(content) <= {"scores", "labels"} or (
                {"query_id", "query", "answer"} <= self.roles.keys())):
            return False  # values of something else than queries, or of configurations that nothing names
        if not set(RUN_CONTENT) & self.roles.keys() and not _REPORTED.isdisjoint(words(self.records.path)):
            return False  # examples of where judges differ, or a system failed
        is_report = len(self.records.rows) == 1 and not self.records.path and not self._is_a_case
        if is_report or self._holds_several_questions or self._compares_others or self._counts_queries:
            return False
        key = words(self.roles.get("query_id", ""))
        has_texts = not {"contexts", "evidence"}.isdisjoint(content) and "query" not in self.roles
        if "query" not in self.roles and self._says_hits and not _OF_TEXTS.isdisjoint(key):
            return False  # the documents of one query, by their ids
        if has_texts and (not DOCUMENT.isdisjoint(key) or (
                content in (["contexts"], ["evidence"]) and self.roles[content[0]] in DOCUMENT_TEXTS)):
            return False  # documents with their texts
        things = _RATED_THINGS | (_OF_TEXTS if self.records.path else set())
        if not set(content) - {"scores", "labels"} and "query" not in self.roles and not things.isdisjoint(key):
            return False  # a catalog with ratings, the judged documents of one query
        if self.repeats and any(item.name_words in _RATED and item.is_text and not (item.is_list or item.is_object)
                                for item in self.fields.values()):
            return False  # a record for each metric
        if not content:
            return "query" in self.roles and ("query_id" in self.roles or self._asks_only or (
                not WHOLE_TIMES.isdisjoint(self.roles) and len(self.records.rows) >= _FEWEST))
        return bool({"query", "query_id"} & self.roles.keys())

    @property
    def _holds_several_questions(self) -> bool:
        """True for a list of questions in each record."""
        return "query" not in self.roles and any(("[]." in name and (
            "question" in words(name) or _QUESTIONS.fullmatch(name))) or (
            item.is_list and item.is_long_text and "." not in name and item.name_words in (("question",), ("query",)))
            for name, item in self.fields.items())

    @property
    def _counts_queries(self) -> bool:
        """True for means next to the number of queries that they are of: n = 200 below a setting called Prompt."""
        asked = self.fields.get(self.roles.get("query", ""))
        return asked is not None and not asked.is_long_text and {*CONTENT} & self.roles.keys() <= {
            "scores", "labels"} and any(item.name_words in _NUMBERS_OF_QUERIES and item.is_number and all(
                (as_number(value) or 0) >= _MANY_KEYS for value in item.items) for item in self.fields.values())

    @property
    def _compares_others(self) -> bool:
        """True where the systems that are compared change from record to record, and for variants of one query."""
        return (self.repeats > 0 and not _COMPARED.isdisjoint(words(self.records.path.rpartition(".")[2]))) or any(
            "{run}" in path and set(item.name_words) <= _SYSTEMS and item.is_text and not item.is_list
            and item.distinct_count > len(self.runs) for path, item in self.fields.items())

    def _are_places(self, keys: list[str]) -> bool:
        """True for places in a list of texts, of which nothing says that they are right or returned."""
        return sorted(keys) == sorted(map(str, range(len(keys)))) and {"query", "doc_id", "scores"}.isdisjoint(
            self.roles) and (GOLD | RETURNED - ANSWER).isdisjoint(
            word for path in self.roles.values() for word in words(path))

    @property
    def _are_examples(self) -> bool:
        """True for a few of the queries for each kind of error, and for few records in a part of a report."""
        above, _, name = self.records.path.rpartition(".")
        if not (_SHOTS | _EXTREME).isdisjoint(words(name)):
            return True  # in the prompt of a program, or the few with the lowest values
        if (KEY in above or {"error", "failure"} & set(words(above))) and not _SAMPLED.isdisjoint(words(name)):
            return True
        return len(self.records.rows) < _FEWEST and "." in self.records.path.strip(f".{KEY}") and {
            "query", "retrieved", "doc_id"}.isdisjoint(self.roles)

    @property
    def _holds_answers(self) -> bool:
        """True for a list of answers below each configuration: they are of queries, not documents."""
        parent = self.roles.get("retrieved", "").rpartition("[].")[0]
        return bool(parent) and self.roles.get("query_id", "").startswith(KEY) and "query" not in self.roles and any(
            path.startswith(f"{parent}[].") and not ANSWER.isdisjoint(item.name_words) and item.is_text
            for path, item in self.fields.items())

    @property
    def _describes_classes(self) -> bool:
        """True for values of classes of a classifier: class_idx, precision, recall."""
        content = {name for name in CONTENT if name in self.roles}
        return "class" in words(self.roles.get("query_id", "")) and content <= {"scores", "labels"}

    @property
    def _is_corpus(self) -> bool:
        """True for titles with their texts and ids that do not say what they are of: documents."""
        text = self.fields.get(self.roles.get("evidence", ""))
        return self.roles.keys() == {"query_id", "evidence"} and text is not None and text.name_words == ("text",) and (
            "title" in self.fields) and set(words(self.roles["query_id"])) <= ID - {"qid"}

    @property
    def _gives_verdicts(self) -> bool:
        """True for labels of which some say more than A or B, the better one of two, or of known questions."""
        labels = [self.fields[path] for path in self.roles["labels"].split("+") if path in self.fields]
        if [self.roles.get("query_id"), *(item.name_words for item in labels)] == ["id", ("label",)] and (
                WHOLE_TIMES.isdisjoint(self.roles)):
            return False  # of anything
        return "query" in self.roles or any(
            not _PREFERRED.issuperset(str(label).strip().lower() for label in item.items) for item in labels)

    @property
    def _says_hits(self) -> bool:
        """True for what hits have, or a similarity or label alone, which documents have as well as queries."""
        rated, others = words(self.roles.get("scores", "")), self.roles.keys() - {"scores", "labels"}
        return not _HITS.isdisjoint(others) or (SCORES.issuperset(rated) and {*CONTENT, "config"}.isdisjoint(others))

    @property
    def _crosses_queries(self) -> bool:
        """True for the same numbered keys below each configuration: q01, q02 ... are queries, whatever is above them.
        """
        if not all(self.roles.get(name, "").startswith(KEY) for name in ("query_id", "config")):
            return False
        counts = Counter(str(row.get(self.roles["query_id"])) for row in self.records.rows)
        configs = {str(row.get(self.roles["config"])) for row in self.records.rows}
        return len(counts) >= _FEWEST_KEYS and len(configs) > 1 and set(counts.values()) == {len(configs)} and all(
            any(map(str.isdigit, key)) and SURE_METRICS.isdisjoint(words(key)) for key in counts)

    @property
    def _describes_documents(self) -> bool:
        """True for documents with their texts and what was measured of them, for files with their checksums, and for
        classes with what was measured of them.
        """
        if self._describes_classes or self._is_corpus:
            return True
        if any(item.is_hash and not _CHECKSUMS.isdisjoint(item.name_words) for item in self.fields.values()):
            return self.roles.get("query_id", "").startswith(KEY)
        texts = self.fields.get(self.roles.get("contexts", ""))
        return texts is not None and not texts.is_list and "{" not in texts.path and RETURNED.isdisjoint(
            texts.words) and {name for name in CONTENT if name in self.roles} <= {"contexts", "scores", "labels"}

    @property
    def _lists_documents(self) -> bool:
        """True where an id below a query has a score or a rank, and nothing but what documents have: a list of hits."""
        if not self.records.path:
            return False
        names = {name for path in self.fields for name in words(path.rpartition(".")[2])}
        key = words(self.roles.get("query_id", ""))
        is_hit = not {"score", "rank", "similarity", "distance"}.isdisjoint(names) and names <= _OF_HITS
        is_hit = is_hit or (not _HITS_ABOVE.isdisjoint(words(self.records.path.rpartition(".")[2])) and {*key} == {
            "id"} and {*CONTENT} & self.roles.keys() <= {"scores", "labels"})  # top_n, with an id and a score each
        return is_hit and {"query", "question", KEY}.isdisjoint((*key, self.roles.get("query_id"))) and {
            "retrieved", "doc_id"}.isdisjoint(self.roles)

    @property
    def _holds_one_each(self) -> bool:
        """True for one document below each id that nothing calls the id of a query: hits of a query that the file does
        not name, or links of a list.
        """
        key, returned = self.fields.get(self.roles.get("query_id", "")), self.fields.get(
            self.roles.get("doc_id", self.roles.get("retrieved", "")))
        return key is not None and returned is not None and not returned.is_list and "[]" not in returned.path and (
            key.distinct_count == len(key.values) and set(words(key.path)) <= ID - {"qid"} and {
                "answer", "relevant", "answers", "evidence", "grade"}.isdisjoint(self.roles))

    def _rates_queries(self, keys: list[str]) -> bool:
        """True for marks of each query rather than means of groups: true and false, or keys that no one invents."""
        paths = "+".join(self.roles.get(name, "") for name in ("scores", "labels")).split("+")
        rated = [self.fields[path] for path in paths if path in self.fields]
        forms = {re.sub(r"\d+", "0", key) for key in keys}
        is_one_form = len(forms) == 1 and all("0" in form and (
            _OF_QUERY.fullmatch(form) or len(keys) >= _MANY_KEYS) for form in forms)
        return len(keys) > 4 and bool(rated) and (
            all(item.is_bool for item in rated) or all(map(_HASH.fullmatch, keys)) or is_one_form)

    @property
    def _holds_means(self) -> bool:
        """True where most of the numbers are means or totals by their names, as in a list of runs."""
        names = [item.name_words for item in self.fields.values() if item.is_number and not item.is_list and not (
            SURE_METRICS | LATENCIES | AVERAGES | {"rate"}).isdisjoint(item.name_words)]
        if ("main", "score") in names:
            return True  # of MTEB
        means = sum(not (AVERAGES | {"rate"}).isdisjoint(name) for name in names)
        return means > 1 and 2 * means > len(names) and {"query", "question", "topic", "qid"}.isdisjoint(
            words(self.roles.get("query_id", "")))

    @property
    def _lists_things(self) -> bool:
        """True for systems, panels, nodes or files with an `id` and links: nothing says that they are queries."""
        if self._is_keyed_by_system:
            return True
        content = {name for name in CONTENT if name in self.roles} | ({"query_id"} & self.roles.keys())
        path, key = self.records.path, self.roles.get("query_id", "")
        return bool(path) and content <= {
            "query_id", "relevant", "retrieved", "evidence", "answers", "answer"} and not key.startswith(
            KEY) and (_OF_QUERIES | QUESTION | ANSWER).isdisjoint((*words(path), *words(key)))

    @property
    def _is_keyed_by_system(self) -> bool:
        """True for the names of systems or settings, below a word for them: systems.*, parameters.*."""
        above, _, key = self.records.path.rpartition(".")
        is_last = key == KEY and self.roles.get("query_id") == KEY * (1 + above.count(KEY))
        return is_last and not _COMPARED.isdisjoint(words(above.rpartition(".")[2]))

    @property
    def _is_a_case(self) -> bool:
        """True for one record with the text of a question, or with an answer below the id of one."""
        asked = self.fields.get(self.roles.get("query", ""))
        if asked is not None and ((asked.path.count(".") > 1 and "[]" not in asked.path) or any(
                _PLACEHOLDER.search(str(text)) for text in asked.items)):
            return False  # a prompt in the settings of a model, or a template
        if asked is not None and "." in asked.path and (_has_several_rankings(self.fields.get(
                self.roles.get("retrieved", ""))) or not {*RUN_CONTENT, *TRUTH_CONTENT} & self.roles.keys()):
            return False  # how stable a ranking is, or the prompt in the settings of a report
        if asked is not None:
            return asked.is_long_text and not any(_HASH.fullmatch(str(text)) for text in asked.items)
        key = words(self.roles.get("query_id", ""))
        return not {"query", "question"}.isdisjoint(key) and "answer" in self.roles

    @property
    def _asks_only(self) -> bool:
        """True for questions with notes and short values that describe them, and nothing that may be content."""
        rest = [item for path, item in self.fields.items() if not is_inside(path, self.roles)]
        asked = self.fields.get(self.roles.get("query", ""))
        if not rest and "query" in self.roles and len(self.records.rows) > 1:
            asked = self.roles["query"]
            return are_named_questions(asked) or {*LISTS_OF_QUESTIONS, "text"}.issuperset(words(asked))
        if asked is not None and asked.is_id_like and not asked.is_long_text and not (
                asked.name_words == ("query",) and _ARE_WORDS * len(asked.items) < sum(
                    str(text).replace(" ", "").isalpha() for text in asked.items)):
            return False  # ids under a name for a question; a word such as "comedy" is searched for
        return "query" in self.roles and len(self.records.rows) > 1 and all(
            not CHECKED.isdisjoint(item.name_words) or (
                asks_mostly(item) or "history" in item.name_words) or (
                not item.is_list and not item.is_object and (
                    item.name_words[-1:] != ("id",) or not _OF_TALKS.isdisjoint(item.name_words))
                and (not item.is_long_text or not NOTES.isdisjoint(item.name_words))) for item in rest
            if not describes_question(f"{item.path}." if item.is_object else item.path))

    @property
    def role(self) -> str:
        """run, truth, both, or questions."""
        is_run = any(name in self.roles for name in RUN_CONTENT) and not (
            {"doc_id", "grade"} <= self.roles.keys() and not {"score", "rank"} & self.roles.keys())
        is_truth = not self.roles.keys().isdisjoint(TRUTH_CONTENT)
        rated = [path for path in self.roles.get("scores", "").split("+")
                 if path not in self.fields or not self.fields[path].is_bool]  # checks of a test set are true or false
        differs = "config" in self.roles or "{run}" in self.roles.get("scores", "")
        is_run = is_run or ((differs or not is_truth) and bool({"scores", "labels"} & self.roles.keys()))
        is_run = is_run or ({"grade", "doc_id"}.isdisjoint(self.roles) and (
            not WHOLE_TIMES.isdisjoint(self.roles) or (is_truth and any(  # a system took the time
                not _OF_SYSTEMS.isdisjoint(words(path)) or names_first_rank(path) for path in rated))))
        return ("both" if is_truth else "run") if is_run else ("truth" if is_truth else "questions")


def _has_several_rankings(item: Field | None) -> bool:
    """True for several rankings in one record."""
    return item is not None and any(type(inner) is list for value in item.present[:1] if type(value) is list
                                    for inner in value)


def are_numbered(keys: Sequence[str]) -> bool:
    """True for many keys that end with a number of the same width, most of them from 0: fact-001, fact-002, neg-001.

    Examples
    --------
    >>> are_numbered([f"fact-{number:03}" for number in range(1, 12)]), are_numbered(["top-10", "top-20"] * 5)
    (True, False)
    """
    numbers = [match[1] for key in keys if (match := _NUMBERED.fullmatch(key))]
    return len(set(keys)) >= _FEWEST_KEYS and len(numbers) == len(keys) and len(set(map(len, numbers))) == 1 and (
        3 * sum(number.startswith("0") for number in numbers) >= 2 * len(numbers))


def take(result: Assignment, free: dict[str, Field], role: str, *items: Field, note: str = "") -> None:
    result.roles[role] = note or "+".join(item.path for item in items)
    for item in items:
        free.pop(item.path, None)


def is_inside(name: str, roles: dict[str, str]) -> bool:
    """True for a part or the whole of a field that has a meaning."""
    paths = [path.rpartition(":")[0] if path[-2:-1] == ":" else path
             for spec in roles.values() if spec for path in spec.split("+")]
    return any(path == name or path.startswith((f"{name}.", f"{name}[]", name if name.endswith("[]") else f"{name}."))
               for path in paths)
