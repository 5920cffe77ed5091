"""Change one value of the files that commands take next to runs and judgments, and of those that they wrote earlier.

    python benchmarks/fuzz_roles.py [--seconds 300] [--seed NUMBER] [--only NAME]

Verdicts, labels, sheets, rubrics, policies, bands, prices, pinned baselines, recorded runs, drafts, batch replies and
others: each is made small, one value gets another type as in fuzz_types.py, and the commands that take it are run.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import fuzz_types
from fuzz_types import as_json, change_table, change_value, run_command

from ragdash import record

QUESTION, ANSWER, CONTEXT = "Who wrote the long letter?", "Ada wrote it in 1843.", "Ada wrote the long letter in 1843."
IDS = ("q1", "q2", "q3")
RUN = [{"query_id": query, "query": f"{QUESTION} {query}", "retrieved": ["d1", "d2"], "answer": ANSWER,
        "contexts": [CONTEXT], "latency_ms": {"retrieval": 5, "total": 9}, "usage": {"prompt_tokens": 9,
        "completion_tokens": 3}, "settings": {"model": "small"}} for query in IDS]
TRUTH = [{"query_id": query, "query": f"{QUESTION} {query}", "relevant": {"d1": 1, "d3": 2}, "answers": [ANSWER],
          "evidence": [CONTEXT], "attributes": {"type": "fact"}} for query in IDS]
CORPUS = [{"doc_id": f"d{n}", "text": f"{CONTEXT} Number {n} has more words of its own, for questions."}
          for n in range(1, 6)]
ENTAILED = {"response_claims": ["a", "b"], "gt_answer_claims": ["c"], "answer2response": ["Entailment"],
            "response2answer": ["Entailment", "Neutral"], "retrieved2response": [["Entailment"], ["Neutral"]],
            "retrieved2answer": [["Entailment"]]}
BATCH = ("--model", "m", "--base-url", "http://127.0.0.1:1")


def toml(value) -> str:
    """A value as TOML, on one line."""
    if type(value) is dict:
        return "{" + ", ".join(f"{json.dumps(name)} = {toml(part)}" for name, part in value.items()) + "}"
    if type(value) is list:
        return "[" + ", ".join(map(toml, value)) + "]"
    return as_json("" if value is None else value).decode().replace("NaN", "nan").replace("Infinity", "inf")


def as_toml(value) -> bytes:
    """A file of TOML; half characters, which TOML cannot write, are left out."""
    items = value.items() if type(value) is dict else ()
    text = "\n".join(f"{json.dumps(name)} = {toml(part)}" for name, part in items)
    return text.replace("\\ud800", "").encode()


def as_lines(rows) -> bytes:
    """A file of JSON lines."""
    return b"".join(as_json(row) + b"\n" for row in (rows if type(rows) is list else [rows]))


class Roles:
    """The files, and the commands that take them."""

    def __init__(self, folder: Path):
        self.folder = folder
        for name, rows in (("run.jsonl", RUN), ("truth.jsonl", TRUTH), ("corpus.jsonl", CORPUS),
                           ("other.jsonl", [{**row, "retrieved": ["d2", "d3"], "answer": "Bob."} for row in RUN])):
            (folder / name).write_bytes(as_lines(rows))
        self.run, self.other, self.corpus = (str(folder / f"{name}.jsonl") for name in ("run", "other", "corpus"))
        self.truth = ["--truth", str(folder / "truth.jsonl")]
        self.of: dict[str, tuple[object, Callable, Path, list[list[str]]]] = {}  # name: content, writer, file, commands
        self._tables()
        self._settings()
        self._written()

    def add(self, name: str, content, write: Callable, file: str, *commands: list[str]) -> None:
        """A file to change, or the ending of one; FILE in a command is its path."""
        path = self.folder / (f"changed{file}" if file.startswith(".") else file)
        self.of[name] = content, write, path, list(commands)

    def _tables(self) -> None:
        run, truth = self.run, self.truth
        verdicts = [["verdicts", run, *truth, "--read", "FILE"],
                    ["evaluate", run, *truth, "-m", "RAGAS.Faithfulness ClaimFaithfulness RAGChecker.F1 Correctness",
                     "--format", "json"], ["verdicts", run, *truth], ["diagnose", run, *truth],
                    ["trust", run, *truth, "-m", "RAGAS.Faithfulness"], ["verdicts", run, *truth, "--format", "ragas"]]
        ragas = [{"query_id": query, "user_input": QUESTION, "response": ANSWER, "retrieved_contexts": [CONTEXT],
                  "faithfulness": 0.5, "answer_relevancy": 1} for query in IDS]
        self.add("ragas", ragas, as_json, ".json", *verdicts)
        self.add("deepeval", {"testCases": [{"input": f"{QUESTION} {query}", "actualOutput": ANSWER, "metricsData": [
            {"name": "Faithfulness", "score": 0.5, "reason": "so", "success": True}], "metadata": {"id": query}}
            for query in IDS]}, as_json, ".json", *verdicts)
        self.add("ragchecker", {"results": [{"query_id": query, "query": QUESTION, "response": ANSWER, **ENTAILED}
                                            for query in IDS]}, as_json, ".json", *verdicts)
        labels = [{"run": "run", "query_id": query, "label": 1, "value": 0.5, "vote": "0", "judge": "m", "missing": ""}
                  for query in IDS]
        trust = [["trust", run, *truth, "-m", "RAGAS.Faithfulness", "--labels", "FILE"],
                 ["trust", run, *truth, "-m", "TokenF1", "--labels", "FILE", "--keep", "--format", "json"],
                 ["trust", "--verdicts", "run=FILE", "--labels", "run=FILE"], ["trust", "--verdicts", "FILE"]]
        self.add("labels", labels, as_lines, ".jsonl", *trust)
        self.add("labels_table", b"run,query_id,label,value\n" + b"".join(
            f"run,{query},1,0.5\n".encode() for query in IDS), bytes, ".csv", *trust)
        log = [{"timestamp": f"2026-11-{n:02}T10:00:00Z", "question": f"{QUESTION} {chr(96 + n) * 5}", "answer": ANSWER,
                "latency_ms": 5, "session": f"s{n}", "refused": False, "error": None, "status": 200}
               for n in range(1, 22)]
        self.add("log", log, as_lines, ".jsonl", ["drift", "FILE", *truth, "--format", "json"],
                 ["drift", "FILE", "--against", "FILE"], ["drift", "FILE", *truth, "--run", run],
                 ["drift", "FILE", *truth, "--drafts", str(self.folder / "o1"), "--questions", str(self.folder / "o2")])
        spans = [{"spanId": str(n), "startTimeUnixNano": f"{1767261600 + n}000000000", "status": {"code": 1},
                  "endTimeUnixNano": f"{1767261601 + n}000000000", "attributes": [
                      {"key": "input.value", "value": {"stringValue": f"{QUESTION} {chr(96 + n) * 5}"}},
                      {"key": "output.value", "value": {"stringValue": ANSWER}}]} for n in range(1, 22)]
        self.add("spans", {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}, as_json, ".json",
                 ["drift", "FILE", *truth], ["drift", "FILE", "--against", "FILE", "--format", "json"])
        self.add("corpus", CORPUS, as_lines, ".jsonl", ["relink", *truth[1:], "--old", "FILE", "--new", self.corpus],
                 ["relink", *truth[1:], "--old", self.corpus, "--new", "FILE", "--runs", run],
                 ["testset", "FILE", *BATCH, "--max-calls", "1", "--yes"],
                 ["evaluate", run, *truth, "--corpus", "FILE", "--match", "evidence"])
        self.add("own_verdicts", [{"key": "ab" * 32, "host": "h", "model": "m", "parameters": "{}",
                                   "task": "Correctness", "version": "3", "vote": 0,
                                   "reply": {"value": {"score": 1, "reason": "r"}, "raw": "",
                                   "usage": {"prompt": 1, "completion": 2, "estimated": True}, "model": "m",
                                   "latency": 0.5, "attempts": 1, "at": "2026-11-22T00:00:00+00:00", "mode": "text",
                                   "sent": {"temperature": 0}}}], as_lines, ".jsonl",
                 ["verdicts", run, *truth, "--read", "FILE"], ["evaluate", run, *truth, "-m", "Correctness"])

    def _settings(self) -> None:
        run, other, truth = self.run, self.other, self.truth
        self.add("bands", {"table": [{"metric": "nDCG@10", "source": "s", "bands": [
            {"label": "poor", "low": 0.0}, {"label": "good", "low": 0.5, "high": 1.0}]}]}, as_toml, ".toml",
            ["report", run, *truth, "--bands", "FILE", "-o", str(self.folder / "r.html")])
        self.add("prices", {"price": {"small": {"prompt": 0.1, "completion": 0.2, "call": 1}},
                            "uses": {"run": ["small"]}}, as_toml, ".toml",
                 ["variants", run, other, f"a={run}", f"b={other}", *truth,
                                                              "--prices", "FILE"],
                 ["evaluate", run, *truth, "-m", "Cost", "--latency"],
                 ["report", run, *truth, "--prices", "FILE", "-o", str(self.folder / "r.html")])
        for kind, more in (("labels", {"labels": ["bad", "good"]}), ("pass", {}), 
                           ("number", {"anchors": {"1": "a", "5": "b"}}), ("ranking", {})):
            self.add(f"rubric_{kind}", {"name": "polite", "question": "Is it polite?", "kind": kind, "column": "",
                                        "sees": ["question", "answer"], "anchors": {"good": "thanks"}, **more}, as_toml,
                     ".toml", ["judge", run, other, *truth, "--rubric", "FILE", *BATCH, "--batch-out",
                               str(self.folder / "b.jsonl")])
        from ragdash.models.judge.tasks.policy import ASKED

        self.add("policy", {name: next(iter(answers[1])) for name, answers in ASKED.items()}, as_toml, ".toml",
                 ["judge", run, *truth, "--policy", "FILE", "-m", "Correctness", *BATCH, "--batch-out",
                  str(self.folder / "b.jsonl")])
        requests = self.folder / "requests.jsonl"
        with suppress(fuzz_types.Fault):
            run_command(["judge", run, *truth, "-m", "Correctness", *BATCH, "--batch-out", str(requests), "--policy",
                         "none"])
        asked = json.loads(requests.read_bytes().split(b"\n")[0])["custom_id"]
        claude = {"custom_id": asked, "result": {"type": "succeeded", "message": {
            "content": [{"type": "text", "text": "{}"}], "usage": {"input_tokens": 1, "output_tokens": 2}}}}
        reply = {"custom_id": asked, "error": None, "response": {"status_code": 200, "body": {
            "choices": [{"message": {"content": '{"score": 1, "reason": "x"}'}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2}, "model": "m"}}}
        for name, line in (("batch", reply), ("batch_claude", claude)):
            self.add(name, [line], as_lines, ".jsonl",
                     ["judge", run, *truth, "-m", "Correctness", *BATCH, "--policy", "none", "--batch-in", "FILE"])

    def _written(self) -> None:
        """Files that commands write and read again."""
        run, other, truth, folder = self.run, self.other, self.truth, self.folder
        steps = {"pin": ["pin", run, *truth, "-o", str(folder / "b.ragdash")],
                 "sheet": ["trust", run, *truth, "-m", "TokenF1", "-n", "2", "--sheet", str(folder / "sheet.csv")],
                 "judgments": ["judgments", run, other, *truth, "--design", "documents", "-n", "2", "-o",
                               str(folder / "judge.csv")],
                 "relabel": ["audit", run, *truth, "--relabel", str(folder / "relabel.csv")],
                 "links": ["relink", *truth[1:], "--old", self.corpus, "--new", self.corpus, "--links",
                           str(folder / "links.csv")]}
        for command in steps.values():
            with suppress(fuzz_types.Fault):
                run_command(command)
        after = {"pin": [["gate", run, *truth, "--against", "FILE", "--format", "json"],
                         ["gate", other, *truth, "--against", "FILE"], ["history", run, *truth, "--against", "FILE"]],
                 "sheet": [["trust", run, *truth, "-m", "TokenF1", "--labels", "FILE"]],
                 "judgments": [["judgments", run, other, *truth, "--judged", "FILE"]],
                 "relabel": [["audit", run, *truth, "--relabeled", "FILE"]], "links": []}
        for name, path in (("pin", "b.ragdash"), ("sheet", "sheet.csv"), ("judgments", "judge.csv"),
                           ("relabel", "relabel.csv")):
            if (folder / path).exists():
                data = (folder / path).read_bytes()
                if name == "sheet":
                    data = data.replace(b",\r\n", b",1\r\n").replace(b",\n", b",1\n")
                content = json.loads(data) if name == "pin" else data
                self.add(name, content, as_json if name == "pin" else bytes, f"c_{path}", *after[name])

        self._recorded()

    def _recorded(self) -> None:
        """Recorded runs, what an experiment has done, and a site."""
        folder, truth, script = self.folder, self.truth, self.folder / "system.py"
        script.write_text(f"import json\nprint(json.dumps({{'retrieved': ['d1', 'd2'], 'answer': {ANSWER!r}}}))")
        system, logs, experiment = f"{sys.executable} {script}", str(folder / "logs"), str(folder / "ab")
        for k in range(4):
            with record("search", settings={"k": k}, tags=["t"], folder=logs) as recording:
                for row in RUN:
                    recording.add(row["query_id"], row["retrieved"], query=row["query"], answer=ANSWER)
        ab = ["ab", "--a", system, "--b", system + " x", *truth, "--output-dir", experiment, "--resamples", "40",
              "--permutations", "99"]
        bundle = ["bundle", logs, *truth, "-o", str(folder / "site")]
        for command in (ab, bundle):
            run_command(command)
        uses = [["history", logs, *truth], ["variants", logs, *truth], [*bundle, "--replace"],
                ["drift", logs, *truth]]
        ones = sorted(path for path in Path(logs).rglob("*.json*") if path.stat().st_size)
        files = {f"{'head' if path.suffix == '.json' else 'rows'}_{path.suffix}": path for path in ones}
        files |= {f"ab_{path.name}": path for path in Path(experiment).rglob("*.json*") if path.stat().st_size}
        files["mark"] = next(path for path in (folder / "site").rglob("*") if b'"files"' in path.read_bytes()[:60])
        for name, path in files.items():
            data = path.read_bytes()
            content = [json.loads(line) for line in data.splitlines()] if path.suffix == ".jsonl" else json.loads(data)
            commands = [[*bundle, "--replace"]] if name == "mark" else [ab] if name.startswith("ab_") else \
                [*uses, ["evaluate", str(path.parent), *truth], ["gate", str(path.parent), *truth, "--against",
                                                                str(folder / "b.ragdash")]]
            write = as_lines if path.suffix == ".jsonl" else as_json
            self.add(name, content, write, str(path.relative_to(folder)), *commands)

        reply = {"answer": ANSWER, "retrieved": [{"doc_id": "d1", "score": 0.5, "text": CONTEXT}],
                 "contexts": [CONTEXT], "usage": {"prompt_tokens": 5, "completion_tokens": 2}, "cost_usd": 0.1,
                 "latency_ms": {"retrieval": 5}, "settings": {"k": 5}}
        self.add("reply", reply, as_json, ".json", ["ab", "--a", "cat FILE", "--b", system, *truth, "--resamples", "40",
                                                    "--output-dir", str(folder / "abNEW"), "--permutations", "99"])
        self.add("swept", RUN, as_lines, ".jsonl", ["sweep", "sh -c 'cat $0 # {k}' FILE", "--set", "k=1,2", "--logdir",
                                                    str(folder / "sweptNEW")],
                 ["history", str(folder / "sweptNEW"), *truth])

    def path(self, name: str) -> Path:
        return self.of[name][2]

    def keep_whole(self, name: str) -> None:
        """Write a file as it was."""
        content, write, path, _ = self.of[name]
        path.write_bytes(write(content))


def main(arguments: list[str] | None = None) -> int:
    """Change files until the time is over; returns the exit status."""
    search = fuzz_types.begin(arguments)
    options = search.options
    roles = Roles(search.folder)
    names = [name for name in roles.of if name.startswith(options.only)]
    for name in names:  # each as it is: a file that its commands refuse would be tried in vain
        roles.keep_whole(name)
        _, _, _, commands = roles.of[name]
        for command in commands:
            search.run(name, roles.path(name), filled(command, roles.path(name)))
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        name = search.random.choice(names)
        content, write, _, commands = roles.of[name]
        roles.path(name).write_bytes(change_table(content.decode(), search.random)[1] if type(content) is bytes
                                     else write(changed(content, search.random)))
        search.copies += 1
        for command in commands:
            search.run(name, roles.path(name), filled(command, roles.path(name)))
        roles.keep_whole(name)
    print(f"{search.copies} copies, {search.calls} commands, failures: {len(search.seen)}, slowest "
          f"{search.slowest[0]:.1f} s ({search.slowest[1]})")
    return 1 if search.seen else 0


def filled(command: list[str], path: Path) -> list[str]:
    """A command with the path of its file, and new folders where it writes some."""
    words = [word.replace("FILE", str(path)) if word.endswith("FILE") else word for word in command]
    return [word.replace("NEW", hashlib.sha256(path.read_bytes()).hexdigest()[:16]) for word in words]


def changed(content, random: random.Random):
    """A copy with one value changed; now and then another value in place of the whole."""
    if random.random() < 0.03:
        return random.choice(fuzz_types.VALUES)
    return change_value(content, random)


if __name__ == "__main__":
    sys.exit(main())
