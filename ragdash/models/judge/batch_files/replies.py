"""Reply files of a batch read into the ledger: each line counts once, whatever the order and however often."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from ragdash.core.console import count
from ragdash.core.errors import InputError, Problem
from ragdash.models.judge.batch_files.lines import BatchReply, read_lines
from ragdash.models.judge.batch_files.pending import BATCH, BatchJob, Pending, batch_calls, batch_files, job_state
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.plan import read_tokens, tokens_of
from ragdash.models.judge.question import MISSING, Question, Reply, Usage
from ragdash.models.judge.transport.client import read_verdict
from ragdash.models.judge.transport.protocols import NotAReply, parameters_sent, parse_reply
from ragdash.models.judge.transport.response_status import signal
from ragdash.models.judge.transport.structured_output import OutputMode


@dataclass
class BatchReading:
    """What reply files held. verdicts: new; known: lines read before; failed: lines by reason; foreign, repeated: lines
    that answer nothing of the job, or something answered already in the same files; usage: tokens of what is new.
    """

    verdicts: int = 0
    known: int = 0
    failed: Counter = field(default_factory=Counter)
    foreign: int = 0
    repeated: int = 0
    usage: Usage = field(default_factory=Usage)
    problems: list[Problem] = field(default_factory=list)

    def as_dict(self) -> dict:
        return {"verdicts": self.verdicts, "known": self.known, "failed": dict(self.failed), "foreign": self.foreign,
                "repeated": self.repeated, "prompt_tokens": self.usage.prompt,
                "completion_tokens": self.usage.completion, "words": str(self)}

    def __str__(self) -> str:
        reasons = ", ".join(f"{MISSING[reason]} ({n:,})" for reason, n in self.failed.most_common())
        rest = [f"{self.known:,} read before" if self.known else "",
                f"{self.repeated:,} repeated" if self.repeated else "",
                f"{self.foreign:,} of other questions" if self.foreign else ""]
        read = ", ".join([count(self.verdicts, "new verdict"), *(part for part in rest if part)])
        return f"{read}; without a verdict: {reasons}" if reasons else read


def read_replies(job: BatchJob, endpoint: Endpoint, files: Iterable[tuple[str, bytes]]) -> BatchReading:
    """Read reply files into the ledger.

    Parameters
    ----------
    job, endpoint
        As the requests were written for.
    files
        (name, content) of each, also those with errors; replies of several rounds may come together.

    Returns
    -------
    BatchReading
        With a problem for lines that cannot be read, are repeated, or answer other questions.

    Raises
    ------
    InputError
        No line answers a question of the job.
    """
    reader = _Reader(job, endpoint)
    left = reader.lines_by_name(files)
    with job.verdict_store.writing() as writer:
        while True:
            state = job_state(job)
            matches = {key: wanted for key, wanted in state.pending.items() if key.hex() in left}
            if not matches:
                break
            writer.use(job.judge)
            writer.save(job.judge, [row for key, wanted in matches.items()
                                    if (row := reader.read(left.pop(key.hex()), wanted))])
        for mode in reader.lowered.values():
            writer.save_mode(endpoint.url, endpoint.model, mode.as_dict())
    reader.count_rest(left, state.replies)
    return reader.reading


@dataclass(frozen=True)
class _Line:
    """A line of a reply file. digest: of the file, under which a reply notes that it was read."""

    file: str
    digest: str
    number: int
    reply: BatchReply


@dataclass
class _Reader:
    """Makes replies of lines. lowered: the output mode to ask in next, by the file whose errors ask for it; files:
    names of those read.
    """

    job: BatchJob
    endpoint: Endpoint
    reading: BatchReading = field(default_factory=BatchReading)
    lowered: dict[str, OutputMode] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        learned = self.job.verdict_store.learned_mode(self.endpoint.url, self.endpoint.model)
        self._mode = OutputMode.initial(self.endpoint.kind, learned)

    def lines_by_name(self, files: Iterable[tuple[str, bytes]]) -> dict[str, list[_Line]]:
        """The lines by the name of their request, in order; what is no line of a reply is reported."""
        by_name: dict[str, list[_Line]] = {}
        for file, content in files:
            self.files.append(file)
            digest = hashlib.blake2b(content, digest_size=6).hexdigest()
            for number, reply in read_lines(content):
                if reply is None:
                    self.reading.problems.append(Problem("bad-batch-line", {}, file, line=number, severity="warning"))
                else:
                    by_name.setdefault(reply.name, []).append(_Line(file, digest, number, reply))
        return by_name

    def read(self, lines: Sequence[_Line], wanted: Pending) -> tuple[Question, Reply] | None:
        """The reply that the lines of a question come to, None where all were read before."""
        reply, digests = wanted.failure, set()
        for line in lines:
            if line.digest in batch_files(wanted.failure):
                self.reading.known += 1
            elif digests and (reply.missing is None or line.digest in digests):
                self._repeated(line)
            else:
                usage = reply.usage if reply else Usage()
                reply = self._reply(line, wanted.question, reply)
                self.reading.usage += Usage(reply.usage.prompt - usage.prompt,
                                            reply.usage.completion - usage.completion, reply.usage.estimated)
                digests.add(line.digest)
        if not digests:
            return None
        if reply.missing:
            self.reading.failed[reply.missing] += 1
        else:
            self.reading.verdicts += 1
        return wanted.question, reply

    def _reply(self, line: _Line, question: Question, before: Reply | None) -> Reply:
        """What one line comes to, with the attempts and tokens of the lines before it."""
        note = {"files": [*batch_files(before), line.digest], "calls": batch_calls(before)}
        made = Reply(None, "expired", usage=before.usage if before else Usage(),
                     attempts=(before.attempts if before else 0) + 1,
                     at=datetime.now(UTC).isoformat(timespec="seconds"), mode=self._mode.mode,
                     sent={**parameters_sent(self.endpoint, self._mode, question.max_tokens, question.vote),
                           BATCH: note},
                     note=line.reply.note)
        if line.reply.answer is None:
            return made
        if line.reply.answer.status != 200:
            return self._error(line, made)
        try:
            parsed = parse_reply(line.reply.kind, line.reply.answer.content)
        except NotAReply:
            return replace(made, missing="not-a-reply", note="")
        note["calls"] += 1
        guessed = parsed.prompt is None or parsed.completion is None
        usage = Usage(read_tokens(question) if parsed.prompt is None else parsed.prompt,
                      tokens_of(parsed.text) if parsed.completion is None else parsed.completion, guessed)
        value, reason, wrong = read_verdict(question, parsed)
        reason = "truncated" if reason and reason != "refused" and parsed.cut else reason
        return replace(made, value=value, missing=reason or None, raw=parsed.text, model=parsed.model, note=wrong,
                       usage=made.usage + usage)

    def _error(self, line: _Line, made: Reply) -> Reply:
        """The failure of a line that holds an error. One that names the output mode or a parameter changes how the
        next file is written.
        """
        meaning = signal(line.reply.answer, self.endpoint)
        if meaning.problem and meaning.problem not in self.reading.problems:
            self.reading.problems.append(meaning.problem)
        if meaning.kind == "adjust":
            lower = self._mode.next_after(self.endpoint.kind, meaning.text, tuple(self.endpoint.parameters))
            if lower is not None:
                self.lowered.setdefault(line.digest, lower)
                made.sent[BATCH]["adjusted"] = True
        return replace(made, missing=meaning.reason or "server-error", note=meaning.words)

    def _repeated(self, line: _Line) -> None:
        self.reading.repeated += 1
        facts = {"name": line.reply.name[:16]}
        self.reading.problems.append(
            Problem("repeated-batch-line", facts, line.file, line=line.number, severity="warning"))

    def count_rest(self, left: dict[str, list[_Line]], replies: dict[bytes, Reply]) -> None:
        """Count lines of questions that have a verdict already, and those that answer nothing of this job."""
        known = {key.hex() for key in replies}
        foreign: Counter = Counter()
        for name, lines in left.items():
            if name in known:
                self.reading.known += len(lines)
            else:
                foreign.update(line.file for line in lines)
        self.reading.foreign = sum(foreign.values())
        problems = [Problem("foreign-batch-lines", {"lines": n}, file, severity="warning")
                    for file, n in foreign.items()]
        if not (self.reading.verdicts or self.reading.known or self.reading.failed):
            unread = Counter(problem.file for problem in self.reading.problems if problem.kind == "bad-batch-line")
            problems += [Problem("no-batch-replies", {"lines": unread[file]}, file) for file in self.files
                         if file not in foreign]
            raise InputError([replace(problem, severity="error") for problem in problems])
        self.reading.problems += problems
