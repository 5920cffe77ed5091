"""Several files in one: zip archives and BEIR folders."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.io.assemble.truth_builder import TruthReader
from ragdash.io.detect import detect_source
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats import corpus as formats_corpus
from ragdash.io.formats import jsonl
from ragdash.io.formats.registry import FORMATS, Format, Writer
from ragdash.io.formats.text import csv_tsv
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NeedsExact, parse_lines_fast
from ragdash.io.recorded import folder
from ragdash.io.source import zip_file
from ragdash.io.source.source import SUFFIXES, Source
from ragdash.io.write import format_writers

_NO_DATA = {"unknown-format", "binary-file", "empty-file"}  # a license, a picture ... next to the files
_OF_RUN = "unread-field/beir-queries"  # what a system gave, in a folder
_SPLITS = ("test", "dev", "train")  # of BEIR's qrels, the first that is there counts


def files_in_archive(source: Source) -> dict[str, Source]:
    """{path: source} of the files in an archive, which are named archive/path in problems."""
    return {member.path: Source((f"{source.file}/{member.path}", member.content), source.encoding, source.mapping)
            for member in zip_file.read_members(source) if member.content}


def _empty_in_archive(source: Source) -> list[Problem]:
    """A warning for each file of an archive that has no bytes, although its ending says that it should hold data."""
    return [Problem("unread-file", {}, f"{source.file}/{path}", severity="warning", cause=Problem("empty-file"))
            for path in zip_file.empty_members(source) if PurePosixPath(path).suffix.lower() in SUFFIXES]


def files_in_folder(folder: Path, encoding: str, mapping: dict) -> dict[str, Source]:
    """{path: source} of the files of a BEIR folder."""
    patterns = ("qrels/*", "*.jsonl", "*.jsonl.*")
    paths = sorted(path for pattern in patterns for path in folder.glob(pattern) if path.is_file())
    return {path.relative_to(folder).as_posix(): Source(path, encoding, mapping) for path in paths}


def is_beir(paths: Iterable[str]) -> bool:
    """True if the paths include qrels as in BEIR."""
    return bool(_qrels_paths(paths))


def _qrels_paths(paths: Iterable[str]) -> list[str]:
    qrels = [path for path in paths if PurePosixPath(path).parent.name == "qrels" and path.endswith(".tsv")]
    order = {f"{split}.tsv": index for index, split in enumerate(_SPLITS)}
    return sorted(qrels, key=lambda path: (order.get(PurePosixPath(path).name, len(order)), path))


def read_runs(source: Source, name: str | None, read: Callable[[Source, str | None], list[Run]]) -> list[Run]:
    """The runs of all files of an archive, named after them."""
    files = files_in_archive(source)
    runs, problems, unread = [], [], _empty_in_archive(source)
    for path, file in files.items():
        try:
            if (role := detect_source(file).role) in ("truth", "corpus"):
                unread.append(_unread_file(file, f"unread-file/{role}"))
                continue
            file_runs = read(file, None)
        except InputError as error:
            data = any(problem.severity == "error" and problem.kind not in _NO_DATA for problem in error.problems)
            (problems if data else unread).extend(error.problems if data else [
                _unread_file(file, "unread-file", error.problems[0])])
            continue
        label = f"{name}/{PurePosixPath(path).name}" if name else None
        runs.extend(run.renamed(f"{name}/{run.name}") if label else run for run in file_runs)
    if problems:
        raise InputError([*problems, *unread])
    if not runs:
        empty = Problem("empty-file/archive", {}, source.file)
        raise InputError([replace(problem, severity="error") for problem in unread] or [empty])
    if name and len(runs) == 1:
        runs = [runs[0].renamed(name)]
    return [replace(runs[0], problems=(*runs[0].problems, *unread)), *runs[1:]]


def _unread_file(file: Source, message: str, cause: Problem | None = None) -> Problem:
    return Problem(message, {}, file.file, severity="warning", cause=cause)


def read_truth(source: Source, read: Callable[[Source], Truth]) -> Truth:
    """The truth of an archive: BEIR's files, or one file of judgments or references, optionally with a corpus."""
    files = files_in_archive(source)
    if is_beir(files):
        return read_beir(source.name, source.file, files)
    roles = {}
    for path, file in files.items():
        try:
            roles[path] = detect_source(file).role
        except InputError as error:
            if any(problem.kind not in _NO_DATA for problem in error.problems):
                raise
    for needed in ("truth", "both", "unknown"):
        paths = [path for path, role in roles.items() if role == needed]
        if len(paths) == 1:
            texts = [formats_corpus.read_corpus(files[path]) for path, role in roles.items() if role == "corpus"]
            truth = read(files[paths[0]])
            return truth.with_corpus(texts[0]) if len(texts) == 1 else truth
        if len(paths) > 1:
            source.fail("several-truths/files", {"count": len(paths), "files": list(paths[:5])})
    source.fail("run-as-truth/archive")


def detect(source: Source) -> DetectedFormat:
    """Detect what an archive is."""
    files = files_in_archive(source)
    if is_beir(files):
        return DetectedFormat("zip", "truth", "a zip archive of BEIR's qrels")
    if folder.is_recorded(files):
        return DetectedFormat("zip", "run", "a zip archive of a recorded run")
    for file in files.values():
        try:
            detected = detect_source(file)
        except InputError:
            continue  # it is reported by whoever reads it
        if detected.role != "unknown":
            reason = f"a zip archive of {len(files)} files; {file.file} is {detected.reason}"
            return DetectedFormat("zip", detected.role, reason, detected.columns, detected.guess)
    return DetectedFormat("zip", "unknown", f"a zip archive of {len(files)} files, none of them known")


def read_beir(name: str, file: str, files: dict[str, Source]) -> Truth:
    """The judgments of qrels/*.tsv with the questions of queries.jsonl and the documents of corpus.jsonl."""
    qrels, *other_paths = _qrels_paths(files)
    judged = csv_tsv.read_truth(files[qrels])
    problems = [Problem("unread-file/questions", {"what": f"qrels next to {qrels}"}, files[path].file,
                        severity="warning") for path in other_paths]
    questions, documents = (_find_file(files, name) for name in ("queries.jsonl", "corpus.jsonl"))
    corpus = formats_corpus.read_corpus(documents) if documents else None
    problems += corpus.problems if corpus else ()
    if questions is None:
        return replace(judged, name=name, problems=(*judged.problems, *problems), corpus=corpus)
    ids = judged.query_ids.take(judged.queries).to_pylist()
    relevant: dict[str, dict] = {query: {} for query in judged.query_ids.to_pylist()}
    for query, doc, grade in zip(ids, judged.docs.to_pylist(), judged.grades.tolist(), strict=True):
        relevant[query][doc] = grade

    def read(collector, entries: Iterable[InputEntry]) -> Truth:
        reader, unjudged = TruthReader(collector, {}), 0
        for entry in entries:
            fields = _query_object(entry, relevant)
            unjudged += fields is None
            if fields is not None:
                reader.add(InputEntry(entry.line, fields))
        if unjudged:
            collector.add("unjudged-queries", {"queries": unjudged, "file_name": qrels}, severity="warning", count=1)
        for query in relevant.keys() - reader.query_lines.keys():
            reader.add(InputEntry(1, {"query_id": query, "relevant": relevant[query]}))
        return reader.finish(questions)

    try:
        truth = jsonl.read_fast_or_exact(questions, read, _query_entries)
    except NeedsExact:
        problem = Problem("wrong-type/beir-queries", {}, file)
        raise InputError([problem]) from None
    noted = [replace(problem, message=_OF_RUN) if problem.message == "unread-field/of-run" else problem
             for problem in truth.problems]  # a folder takes no mapping
    return replace(truth, name=name, problems=(*judged.problems, *noted, *problems), corpus=corpus)


def _find_file(files: dict[str, Source], name: str) -> Source | None:
    """The file of this name, compressed or not."""
    return next((file for path, file in files.items() if PurePosixPath(path).name.startswith(name)), None)


def _query_entries(source: Source, exact: ExactReader | None):
    return exact.lines() if exact else parse_lines_fast(source)


def _query_object(entry: InputEntry, relevant: dict[str, dict]) -> dict | object | None:
    """A line of queries.jsonl as a native object; None for a query without judgments."""
    if type(entry.value) is not dict or "_id" not in entry.value:
        return entry.value if type(entry.value) is not dict else {"query_id": None}
    fields = dict(entry.value)
    query_id = fields.pop("_id")
    metadata = fields.pop("metadata", None)
    if str(query_id) not in relevant:
        return None
    query_fields = {"query_id": query_id, "query": fields.pop("text", None), "relevant": relevant[str(query_id)]}
    return {**fields, **(metadata if type(metadata) is dict else {}), **query_fields}


FORMATS.register(
    Format("zip", "ZIP archive"), Format("beir", "BEIR folder"),
    kind="container", order=90, detect=lambda _start: DetectedFormat("zip", "unknown", "a zip archive"),
    writer=Writer("beir", 5, ("",), format_writers.write_beir_run, format_writers.write_beir_truth))
