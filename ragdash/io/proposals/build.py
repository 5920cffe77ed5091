"""Read a file as a reading says: runs, truth, scores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from ragdash.core.file_scores import FileScores
from ragdash.core.ranking.reverse_scores import DISTANCES
from ragdash.core.records import Run, Truth
from ragdash.io.assemble.query_fields import RUN_TYPES, TRUTH_TYPES, details_table
from ragdash.io.assemble.query_ids import question_as_id
from ragdash.io.chat_messages import messages_of
from ragdash.io.proposals.assignment import RETURNED_OR_JUDGED, RUN_CONTENT
from ragdash.io.proposals.choices.repetitions import Repeat, as_repeats, repeat_of, times_asked
from ragdash.io.proposals.content.averages import averages_of
from ragdash.io.proposals.content.file_content import FileContent, QueryContent, leave_out_unranked
from ragdash.io.proposals.content.first_ranks import names_first_rank, values_of_rank
from ragdash.io.proposals.content.grades import graded_object, whole_factor, with_grades
from ragdash.io.proposals.content.numbered_rows import NAME as NUMBERED
from ragdash.io.proposals.content.spread import with_spread_values
from ragdash.io.proposals.content.times import TOTAL, time_stage, time_unit
from ragdash.io.proposals.content.usage import USAGE, usage_value
from ragdash.io.proposals.content.values import (
    add_attributes,
    answer_of,
    for_each,
    joined_ids,
    joined_key,
    metric_name,
    numbers_of,
    says_none,
    split_paths,
    text_of,
    texts_of,
)
from ragdash.io.proposals.fields import as_bool, as_number, data_objects, flatten, id_text, is_missing, leaves
from ragdash.io.proposals.names import last_words, numbers_chunk
from ragdash.io.proposals.reading import RECORDS, ROLE
from ragdash.io.proposals.records import RecordList
from ragdash.io.proposals.shapes.answers_in_parts import whole_answer
from ragdash.io.proposals.shapes.families import NUMBER, PLAIN, RUN, fields_of
from ragdash.io.source.source import Source
from ragdash.io.tables.cells import is_cut_off
from ragdash.io.tables.failed_scores import says_failed
from ragdash.io.tables.joined_ids import ID_LISTS, settle_columns, split_ids

_RATINGS = ("scores", "labels")
_GRADED = re.compile(r"(.*):(\d+)$")


def build_content(source: Source, records: RecordList, mapping: Mapping[str, str]) -> FileContent:
    """The content of a list of records under a mapping."""
    whole = data_objects(records.rows)
    rows = [with_spread_values(flatten(row, whole), mapping) for row in records.rows]
    builder = _Builder(source, mapping, dict.fromkeys(name for row in rows for name in row))
    builder.split_ids(rows)
    builder.find_averages(rows)
    builder.find_trials(rows)
    for row in rows:
        builder.add(row)
    return builder.finish()


class _Builder:
    """Collects the records of a file."""

    def __init__(self, source: Source, mapping: Mapping[str, str], names: dict[str, None]):
        self.source, self.problems = source, source.collector()
        self.role = mapping.get(ROLE, "both")
        self.names = names
        self.paths = {name: split_paths(path, names) for name, path in mapping.items() if name not in (ROLE, RECORDS)}
        self.patterned = {name: [path for path in paths if RUN in path] for name, paths in self.paths.items()}
        self._check_paths(names)
        self.variants = self._find_variants(names)
        self.entries: dict[str | None, dict[str, QueryContent]] = {}
        self.repeats: dict[str | None, Repeat | None] = {}
        self.truths, self.grades = dict[str, dict](), dict[tuple[str, str], float]()
        self.scores, self.seen = list[tuple](), dict[tuple, int]()
        self.left_out: Counter[str] = Counter()  # by what the problems say
        self.rows_read, self.averages, self.times_asked = 0, set[int](), 0  # averages: numbers of rows
        self.grades_texts = {"evidence", "grade"} <= self.paths.keys() and {
            "doc_id", "relevant", "retrieved"}.isdisjoint(self.paths)  # a row for each judged text
        self.is_long = "doc_id" in self.paths or ("text" in self.paths and "retrieved" not in self.paths) or (
            self.grades_texts and "contexts" not in self.paths)
        right = self.paths.get("relevant", [""])  # a document and its page, or the number of its chunk
        self.joins_relevant = not _GRADED.fullmatch(right[0]) and len(right) > 1 and (
            len(right) == len(self.paths.get("retrieved", ())) or numbers_chunk(right[-1])
            or ("page" in last_words(right[-1]) and "page" not in last_words(right[0])))
        self.has_distances = "distance" in last_words(self.paths.get("score", [""])[0])
        self.is_judged_rows = {"answer", "contexts", "retrieved", *_RATINGS}.isdisjoint(self.paths) and not (
            {"answers", "query"} <= self.paths.keys())

    def _check_paths(self, names: dict[str, None]) -> None:
        missing = [path for paths in self.paths.values() for path in paths
                   if path not in names and RUN not in path and NUMBER not in path
                   and not ((graded := _GRADED.fullmatch(path)) and graded[1] in names)]
        for path in missing:
            self.problems.add("unknown-column", {"column": path, "columns": ", ".join(list(names)[:20]), "name": path},
                              field=path)
        self.problems.raise_errors()

    def _find_variants(self, names: dict[str, None]) -> dict[str, dict[str, str]]:
        """{configuration: {path with {run}: field}}; {"": {}} without such paths."""
        variants: dict[str, dict[str, str]] = {}
        for paths in self.paths.values():
            for path in paths:
                if RUN in path:
                    for variant, name in fields_of(path, names).items():
                        variants.setdefault(variant, {})[path] = name
                elif any(RUN in other for other in paths):
                    variants.setdefault(PLAIN, {})[next(other for other in paths if RUN in other)] = path
        given = {path for role in RUN_CONTENT for path in self.patterned.get(role, ())}
        systems = {name: fields for name, fields in variants.items() if len(fields) > 1 or not given.isdisjoint(fields)}
        return (systems if given else variants) or {"": {}}  # classifier_correct is no system next to plain_answer

    def split_ids(self, rows: list[dict]) -> None:
        """Split cells that hold several ids."""
        roles = {"run": ("retrieved",), "truth": ("relevant", "allowed")}.get(self.role, ID_LISTS)
        fields = {name: self.paths[name][-1] for name in ID_LISTS if len(self.paths.get(name, ())) == 1 or (
            name == "relevant" and self.joins_relevant and "retrieved" not in self.paths)}
        ways = settle_columns({name: [row.get(path) for row in rows] for name, path in fields.items()}, self.problems,
                              {name: path for name, path in fields.items() if name in roles})
        for row in rows:
            split_ids(row, fields, ways)

    def find_averages(self, rows: list[dict]) -> None:
        """Find the rows of averages; one without a query may be called so in any field."""
        keys = [[joined_key(self._values(row, "query_id", {})), *self._values(row, "query", {})[:1]] for row in rows]
        documents = [variant.get(path, path) for role in RETURNED_OR_JUDGED for path in self.paths.get(role, ())
                     for variant in self.variants.values()]
        self.averages = averages_of(rows, keys, documents)

    def _values(self, row: dict, name: str, variant: Mapping[str, str]) -> list:
        """The values of the paths of a field in a record."""
        if name not in self.paths:
            return []
        if patterned := self.patterned[name]:
            return [row.get(variant[path]) for path in patterned if path in variant]
        return [row.get(path) for path in self.paths[name]]

    def add(self, row: dict) -> None:
        """Take one record."""
        is_average = self.rows_read in self.averages
        self.rows_read += 1
        if is_average:
            self.left_out["average-row"] += 1
            return
        query, name = self._query(row)
        if name is None:
            self.left_out["record-without-query"] += 1
            return
        for variant, fields in self.variants.items():
            config = None if self.role == "truth" else self._config(row, variant)  # what is right is the same for all
            self._add_to(row, name, query, config, fields)

    def _query(self, row: dict) -> tuple[str | None, str | None]:
        """(text, id) of the query of a record; the text is the id where there is none."""
        query = text_of(next(iter(self._values(row, "query", {})), None))
        query_id = joined_key(self._values(row, "query_id", {}))
        if not is_missing(query_id):
            return query, id_text(query_id)
        return query, question_as_id(query) if query else None

    def find_trials(self, rows: list[dict]) -> None:
        """Note whether all queries were asked equally often, without a column that says which time it was."""
        if not self.is_long and not self.is_judged_rows and self.role in ("run", "both"):
            self.times_asked = times_asked((self._config(row, ""), self._query(row)[1])
                                           for place, row in enumerate(rows) if place not in self.averages)

    def _config(self, row: dict, variant: str) -> str | None:
        """The name of a record's configuration; notes of which configuration it is a repeat."""
        parts = [("", variant)] * bool(variant) + [(path, id_text(value)) for path, value in zip(
            self.paths.get("config", ()), self._values(row, "config", {}), strict=False) if not is_missing(value)]
        config = " / ".join(part for _, part in parts) or None
        if config is not None and config not in self.repeats:
            self.repeats[config] = repeat_of(parts, self.source.name)
        return config

    def _add_to(self, row: dict, name: str, query: str | None, config: str | None, variant: Mapping[str, str]) -> None:
        """Take what a record says of one configuration."""
        if not self.is_long and not (self.is_judged_rows and self._adds_to_query(row)):
            count = self.seen[config, name] = self.seen.get((config, name), 0) + 1
            if self.times_asked > 1:
                repeat = (config or self.source.name, f"trial {count}")
                config = " / ".join(([config] if config else []) + [repeat[1]])
                self.repeats[config] = repeat
            elif count > 1:
                self.left_out["repeated-question"] += 1
                name = f"{name} ({count})"
        if self.role in ("truth", "both", "questions"):
            self._add_truth(row, name, query)
        self._add_scores(row, name, config, variant)
        if self.role in ("run", "both"):
            entry = self.entries.setdefault(config, {}).setdefault(name, QueryContent())
            self._add_returned(entry, row, variant)
            self._add_run_details(entry.details, row, query, variant)

    def _adds_to_query(self, row: dict) -> bool:
        """True for a row of what is right for a query: a judgment, or one piece of evidence."""
        return "relevant" in self.paths or any(type(value) is str for value in self._values(row, "evidence", {}))

    def _add_returned(self, entry: QueryContent, row: dict, variant: Mapping[str, str]) -> None:
        values = self._values(row, "doc_id" if "doc_id" in self.paths else "retrieved", variant)
        self._fail_if_cut_off(values)
        entry.docs += (docs := joined_ids(values))
        for name, numbers in entry.numbers.items():
            numbers += for_each(docs, self._numbers(row, name, variant) if name in self.paths else [])
        entry.texts += for_each(docs, texts := self._texts(row, "text", variant))
        entry.sources += for_each(docs, self._texts(row, "source", variant))
        if self.is_long and not docs:
            entry.details.setdefault("contexts", []).extend(text for text in texts if text)

    def _numbers(self, row: dict, name: str, variant: Mapping[str, str]) -> list[float | None]:
        """The scores or ranks of a record; of distances the smallest is first."""
        sign = -1 if name == "score" and self.has_distances else 1
        return numbers_of(next(iter(self._values(row, name, variant)), None), sign)

    def _texts(self, row: dict, name: str, variant: Mapping[str, str]) -> list[str | None]:
        """The texts or sources of a record's documents."""
        return [text for value in self._values(row, name, variant) for text in texts_of(value, keep_missing=True)]

    def _fail_if_cut_off(self, values: list) -> None:
        """Note an error for a list of ids that has no end."""
        for value in values:
            if type(value) is str and is_cut_off(value):
                self.problems.add("cut-list/ids", {"end": value[-40:]})

    def _add_run_details(self, details: dict, row: dict, query: str | None, variant: Mapping[str, str]) -> None:
        if query:
            details.setdefault("query", query)
        self._add_history(details, row)
        if "answer" in self.paths:
            values, in_json = self._values(row, "answer", variant), self.source.is_json
            answer = answer_of([whole_answer(path, value, self.names) for path, value in zip(
                self.paths["answer"], values, strict=False)], in_json)
            if answer or (in_json and not self.is_long and any(value is not None for value in values)):  # no empty cell
                details.setdefault("answer", answer or "")
        if "contexts" in self.paths:
            contexts = [text for value in self._values(row, "contexts", variant) for text in texts_of(value)]
            details.setdefault("contexts", contexts)
        if times := self._times(row, variant):
            details.setdefault("latency_ms", times)
        for name in USAGE:
            if (value := usage_value(name, next(iter(self._values(row, name, variant)), None))) is not None:
                details.setdefault(name, value)
        add_attributes(details, row, self.paths.get("attributes", ()))

    def _times(self, row: dict, variant: Mapping[str, str]) -> dict[str, float]:
        """{stage: milliseconds} of a record."""
        times, seconds = {}, self.paths.get("latency_s", [])
        for path in (*self.paths.get("latency_ms", ()), *seconds):
            if (value := as_number(row.get(variant.get(path, path)))) is not None:
                is_seconds = path in seconds or time_unit(path) == "s"
                times.setdefault(time_stage(path) or TOTAL, value * 1000 if is_seconds else value)
        return times

    def _add_history(self, details: dict, row: dict) -> None:
        earlier = next((value for value in self._values(row, "chat_history", {}) if type(value) is list), None)
        if earlier:
            details.setdefault("chat_history", messages_of(earlier) or None)

    def _add_truth(self, row: dict, name: str, query: str | None) -> None:
        details = self.truths.setdefault(name, {})
        if query:
            details.setdefault("query", query)
        self._add_history(details, row)
        answers = list(dict.fromkeys(text for value in self._values(row, "answers", {}) for text in texts_of(value)))
        known_answers = details.setdefault("answers", answers) if answers else answers
        if known_answers is not answers:  # another row of the same query
            known_answers += [text for text in answers if text not in known_answers]
        sources = [id_text(value) for value in self._values(row, "source", {}) if not is_missing(value)]
        if spans := [{"text": text, "source": sources[0] if sources else None}
                     for value in self._values(row, "evidence", {}) for text in self._right_texts(value, row)]:
            known = details.setdefault("evidence", [])
            known += [span for span in spans if span not in known]
        add_attributes(details, row, self.paths.get("attributes", ()), only_shared=self.role == "both")
        for doc, grade in self._judgments(row):
            previous = self.grades.setdefault((name, doc), grade)
            if previous != grade:
                self.problems.add("conflicting-grades/reading", {"query": name, "document": doc, "first": previous,
                                                                 "second": grade})

    def _right_texts(self, value, row: dict) -> list[str]:
        """The texts of evidence; of judged ones those with a grade above 0."""
        texts = texts_of(value, keep_missing=self.grades_texts)
        graded = with_grades(texts, next(iter(self._values(row, "grade", {})), None))
        return [text for text, grade in graded if text and grade > 0] if self.grades_texts else texts

    def _judgments(self, row: dict) -> Iterator[tuple[str, float]]:
        """(document, grade) of a record."""
        gains = next(iter(self._values(row, "grade", {})), None)
        if "relevant" not in self.paths:
            self.left_out["record-without-grade"] += {"grade", "doc_id"} <= self.paths.keys() and is_missing(gains)
            if gains is None or self.grades_texts:
                return
            docs = joined_ids(self._values(row, "doc_id" if "doc_id" in self.paths else "retrieved", {}))
            yield from with_grades(docs, gains)
            return
        if self.joins_relevant:
            yield from ((doc, 1.0) for doc in joined_ids(self._values(row, "relevant", {})))
            return
        seen = set[str]()
        for path in self.paths["relevant"]:
            graded = _GRADED.fullmatch(path)
            value = row.get(graded[1] if graded and path not in row else path)
            self._fail_if_cut_off([value])
            if type(value) is dict:
                judged = list(graded_object(value))
            elif gains is not None:
                judged = list(with_grades([id_text(item) for item in leaves(value)], gains))
            else:
                grade = float(graded[2]) if graded and path not in row else 1.0
                docs = list(leaves(value))
                self.left_out["no-document"] += sum(map(says_none, docs))
                judged = [(id_text(item), grade) for item in docs if not says_none(item)]
            yield from ((doc, grade) for doc, grade in judged if grade or doc not in seen)  # 0 for the other ones
            seen.update(doc for doc, _ in judged)

    def _add_scores(self, row: dict, name: str, config: str | None, variant: Mapping[str, str]) -> None:
        run = config or self.source.name
        for role in _RATINGS:
            for path in self.paths.get(role, ()):
                is_patterned = any(RUN in other for other in self.paths[role])
                if (RUN in path and path not in variant) or (path in variant.values() and is_patterned):
                    continue
                if RUN not in path and len(self.variants) > 1 and PLAIN in self.variants and (
                        variant is not self.variants[PLAIN]):
                    continue
                value = row.get(variant.get(path, path))
                if role == "scores" and names_first_rank(path):
                    pairs = list(values_of_rank(value))
                    self.left_out["no-first-rank"] += pairs[-1][1] == 0
                else:
                    pairs = [(metric_name(path), value)]
                self.left_out["failed-scores/reading"] += role == "scores" and says_failed(value)
                for metric, item in pairs:
                    number = as_number(item) if as_bool(item) is None else float(bool(as_bool(item)))
                    text = str(item) if role == "labels" and not is_missing(item) else None
                    self.scores.append((name, run, str(metric), number if text is None else text))

    def finish(self) -> FileContent:
        """The runs, the truth and the scores."""
        self._note()
        self.problems.raise_errors()
        scores = FileScores.build(self.scores) if self.scores else None
        truth = self._truth() if self.role in ("truth", "both", "questions") else None
        runs = [self._run(config, entries).with_file_scores(scores) for config, entries in self.entries.items()]
        if not runs and (truth is None or not len(truth)):
            self.source.fail("no-rows/returned" if truth is None else "no-rows/truth")
        runs = as_repeats(runs, [self.repeats.get(config) for config in self.entries])
        return FileContent(runs, truth, scores, self.problems.problems)

    def _note(self) -> None:
        if self.paths.get("query_id") == [NUMBERED]:
            self.left_out["numbered-rows"] = self.rows_read
        if self.times_asked > 1:
            self.left_out["repeated-question/trials"] = self.times_asked
        self.left_out.update(leave_out_unranked(self.entries.values()))
        for message in [message for message, count in self.left_out.items() if count]:
            self.problems.add(message, {"count": self.left_out[message]}, severity="warning")

    def _run(self, config: str | None, entries: dict[str, QueryContent]) -> Run:
        queries = [name for name, entry in entries.items() for _ in entry.docs]
        docs = [doc for entry in entries.values() for doc in entry.docs]
        numbers = {}
        for name in ("score", "rank"):
            values = [value for entry in entries.values() for value in entry.numbers[name]]
            complete = bool(values) and all(value is not None for value in values)
            numbers[name] = np.array(values, np.float64) if complete else None
        texts, sources = ([item for entry in entries.values() for item in getattr(entry, name)]
                          for name in ("texts", "sources"))
        ranks = numbers["rank"]
        if ranks is None and not self.is_long:  # the order of a list counts
            ranks = np.array([place for entry in entries.values() for place in range(len(entry.docs))], np.float64)
        details = details_table(dict.fromkeys(entries, 0), {name: entry.details for name, entry in entries.items()},
                                set(queries), RUN_TYPES)
        return Run.build(config or self.source.name, pa.array(queries, pa.string()), pa.array(docs, pa.string()),
                         numbers["score"], ranks if docs else None,
                         texts=pa.array(texts, pa.string()) if any(texts) else None,
                         sources=pa.array(sources, pa.string()) if any(sources) else None, details=details,
                         settings={"scores": DISTANCES} if self.has_distances else None,
                         problems=self.problems.problems, file=self.source.file)

    def _truth(self) -> Truth:
        factor = whole_factor(list(self.grades.values()))
        if factor is None:
            self.source.fail("fractional-grades/reading", {"example": str(next(iter(self.grades.values())))})
        if factor > 1:
            self.problems.add("scaled-grades", {"factor": factor}, severity="warning")
        keys = list(self.grades)
        grades = np.array([round(grade * factor) for grade in self.grades.values()], np.int64)
        details = details_table(dict.fromkeys(self.truths, 0), self.truths, {query for query, _ in keys}, TRUTH_TYPES)
        return Truth.build(self.source.name, pa.array([query for query, _ in keys], pa.string()),
                           pa.array([doc for _, doc in keys], pa.string()), grades, details=details,
                           problems=self.problems.problems, file=self.source.file)
