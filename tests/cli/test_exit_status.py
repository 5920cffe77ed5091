"""Every way a command can end: exit status 1 means a missed bound and nothing else."""

from __future__ import annotations

import argparse
import ast
import errno
import importlib
import io
import json
import os
import pickle
import py_compile
import re
import signal
import socket
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pyarrow as pa
import pytest
from helpers import call

from ragdash import __main__ as ragdash_main
from ragdash import __version__
from ragdash import record as ragdash_record
from ragdash.analysis.tracking import read_baseline
from ragdash.cli import main as command_line
from ragdash.cli.command_line import INPUTS, OUTPUTS, PrintCompletion
from ragdash.core.console import write
from ragdash.core.text.quoted import printable

ROOT = Path(__file__).resolve().parents[2]
RUN = "q1 Q0 a 1 3.0 t\nq1 Q0 b 2 2.0 t\nq2 Q0 b 1 2.0 t\nq2 Q0 a 2 1.0 t\n"
QRELS = "q1 0 b 1\nq2 0 b 2\nq2 0 z 1\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "run.trec").write_text(RUN)
    (tmp_path / "qrels.txt").write_text(QRELS)
    return tmp_path


def ragdash(*arguments: object, **options) -> subprocess.CompletedProcess:
    """One command in a process of its own, as a shell starts it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-m", "ragdash", *map(os.fspath, arguments)], stderr=subprocess.PIPE,
                          env=environment, check=False, **options)


@pytest.mark.parametrize("arguments", [("metrics", "RR"), ("--version",), ("gate", "--help"),
                                       ("--print-completion", "bash")])
def test_a_full_disk_behind_standard_output_is_one_line(files, arguments):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "wb") as full:
        done = ragdash(*arguments, stdout=full, cwd=files)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: standard output: found No space left on device")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the size of files")
@pytest.mark.parametrize("arguments", [
    ("relink", "TRUTH", "--old", "CORPUS", "--new", "CORPUS", "-o", "new.jsonl"),
    ("ab", "--a", "echo {}", "--b", "echo {}", "--truth", "TRUTH", "--sample", "2", "--output-dir", "ab")])
def test_a_full_disk_behind_an_output_is_one_line_and_no_fault_of_ragdash(tmp_path, arguments):
    import resource

    def take_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))

    places = {"TRUTH": ROOT / "sample_runs" / "truth.jsonl", "CORPUS": ROOT / "sample_runs" / "corpus.jsonl"}
    done = ragdash(*(places.get(argument, argument) for argument in arguments), stdout=subprocess.PIPE, cwd=tmp_path,
                   preexec_fn=take_room)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ") and b"found File too large" in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("where", ["main", "_module_of"])
def test_a_compiled_module_that_a_full_disk_has_cut_off_is_one_line(tmp_path, monkeypatch, capfd, where):
    """Python 3.11 keeps what it could write of it."""
    (tmp_path / "cut_off.py").write_text("TABLE = " + repr(list(map(str, range(1_000)))))
    compiled = Path(py_compile.compile(str(tmp_path / "cut_off.py")))
    compiled.write_bytes(compiled.read_bytes()[:1_000])
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(command_line, where, lambda *_: importlib.import_module("cut_off"))
    assert ragdash_main.main(["metrics"]) == 2
    said = capfd.readouterr().err
    assert said.startswith(f"error: {compiled}: found a compiled module that is cut off") and said.count("\n") == 1
    monkeypatch.setattr(command_line, where, lambda *_: pickle.loads(b""))
    assert ragdash_main.main(["metrics"]) == 3


@pytest.mark.parametrize("value", ["", "x", "1e9", "1700000000.5", "9" * 20, "-1"])
def test_a_date_of_builds_that_is_none_is_a_warning(files, monkeypatch, value):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    done = ragdash("evaluate", "run.trec", "--truth", "qrels.txt", "-m", "RR", stdout=subprocess.PIPE, cwd=files)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"warning: (SOURCE_DATE_EPOCH): found {value!r}; expected".encode())
    assert done.stderr.count(b"SOURCE_DATE_EPOCH") == 1


def test_a_date_of_builds_is_no_warning(files, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    done = ragdash("evaluate", "run.trec", "--truth", "qrels.txt", "-m", "RR", stdout=subprocess.PIPE, cwd=files)
    assert done.returncode == 0 and b"SOURCE_DATE_EPOCH" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "2>/dev/full", "<&- >&- 2>&-"])
def test_closed_and_full_standard_streams_change_no_exit_status(files, closed):
    """The message of a missing file; with a closed standard input, of an empty one."""
    run = "-" if closed == "<&-" else "missing.trec"
    done = subprocess.run(f'exec "{sys.executable}" -m ragdash evaluate {run} --truth qrels.txt {closed}', shell=True,
                          capture_output=True, cwd=files, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert (done.returncode, done.stdout) == (2, b""), done.stderr
    assert b"Traceback" not in done.stderr and (b"empty file" in done.stderr) == (closed == "<&-")


def test_a_baseline_is_written_into_a_pipe(files):
    done = ragdash("pin", "run.trec", "--truth", "qrels.txt", "-m", "RR", "-o", "/dev/stdout", cwd=files,
                   stdout=subprocess.PIPE, timeout=60)
    assert done.returncode == 0, done.stderr
    (files / "b.ragdash").write_bytes(done.stdout)
    assert read_baseline(files / "b.ragdash").name == "run"


def test_a_closed_standard_error_is_no_place_for_an_output(files):
    done = subprocess.run(f'exec "{sys.executable}" -m ragdash evaluate run.trec --truth qrels.txt -o out.txt 2>&-',
                          shell=True, cwd=files, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == 0 and (files / "out.txt").read_text().startswith("metric ")


@pytest.mark.parametrize("arguments", [("evaluate", "/dev/full"), ("evaluate", "run.trec", "--truth", "/dev/zero"),
                                       ("gate", "run.trec", "--against", "/dev/zero"),
                                       ("trust", "run.trec", "-m", "RR", "--labels", "/dev/full")])
def test_a_device_without_an_end_is_not_read(files, capfdbinary, monkeypatch, arguments):
    if not Path("/dev/zero").exists() or not Path("/dev/full").exists():
        pytest.skip("this system has no such devices")
    monkeypatch.chdir(files)
    truth = () if "--truth" in arguments else ("--truth", "qrels.txt")
    status, _, err = call(capfdbinary, *arguments, *truth)
    assert status == 2 and "it is a device" in err


def test_standard_input_that_is_a_device_is_not_read(files):
    if not Path("/dev/zero").exists():
        pytest.skip("this system has no such device")
    for words in ("check -", "evaluate run.trec --truth -"):
        done = subprocess.run(f'ulimit -v 4000000; exec "{sys.executable}" -m ragdash {words} < /dev/zero', shell=True,
                              cwd=files, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False, timeout=120,
                              capture_output=True)
        assert done.returncode == 2 and b"standard input" in done.stderr and b"it is a device" in done.stderr


@pytest.mark.parametrize("content", ["a = " + "[" * 5000, "[" + "a." * 5000 + "a]", "a = " + "9" * 10_000])
@pytest.mark.parametrize("arguments", [
    ("judge", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--dry-run", "--rubric"),
    ("judge", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--dry-run", "--policy"),
    ("report", "-o", "report.html", "--prices"), ("report", "-o", "report.html", "--bands"), ("variants", "--prices")])
def test_toml_that_python_cannot_read_is_bad_input(files, capfdbinary, monkeypatch, arguments, content):
    monkeypatch.chdir(files)
    Path("odd.toml").write_text(content)
    status, _, err = call(capfdbinary, *arguments, "odd.toml", "run.trec", "--truth", "qrels.txt")
    assert status == 2 and "odd.toml" in err


def test_an_output_never_replaces_an_input(files, capfdbinary, monkeypatch):
    monkeypatch.chdir(files)
    (files / "link").symlink_to("run.trec")
    (files / "base.ragdash").write_text("a baseline")
    truth = ("--truth", "qrels.txt")
    for option, *arguments in (("-o", "evaluate", "run.trec", *truth, "-o", "run.trec"),
                               ("-o", "compare", "a=run.trec", "run.trec", *truth, "-o", "link"),
                               ("-o", "report", "run.trec", *truth, "-o", "./qrels.txt"),
                               ("-o", "convert", "run.trec", "-o", f"{files}/run.trec"),
                               ("-o", "pin", "n=run.trec", *truth, "-o", "run.trec"),
                               ("--result-json", "gate", "run.trec", *truth, "--against", "base.ragdash",
                                "--result-json", "base.ragdash")):
        status, _, err = call(capfdbinary, *arguments)
        assert status == 2 and "a file that this command reads" in err and f"another name for {option}." in err, err
    assert (files / "run.trec").read_text() == RUN and (files / "qrels.txt").read_text() == QRELS
    assert call(capfdbinary, "evaluate", "run.trec", *truth, "-o", "table")[0] == 0
    assert call(capfdbinary, "evaluate", "run.trec", *truth, "-o", "table")[0] == 0  # a file named as a choice is


def test_every_option_that_names_a_file_is_known_as_input_or_output():
    """Those that are neither write next to what they name, or check it themselves."""
    names = set()
    for parser in parsers(command_line._full_parser()):
        names |= {action.dest for action in parser._actions if action.dest not in (*INPUTS, *OUTPUTS) and re.search(
            r"\b(FILE|RUN|TRUTH|LOG|SHEET|IN|OUT|CORPUS)\b", str(action.metavar))}
    assert names == {"batch_out"}


@pytest.mark.parametrize("command", [
    ["evaluate", "run.trec", "--truth", "qrels.txt"], ["convert", "run.trec", "--format", "jsonl"],
    ["check", "run.trec"],
    ["fuse", "run.trec", "run.trec"], ["report", "run.trec", "--truth", "qrels.txt"], ["pin", "run.trec"]])
def test_a_dash_and_an_empty_name_are_no_files_to_write(command, files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    for name, found in (("-", "-"), ("", "an empty name")):
        assert command_line.main([*command, "-o", name]) == 2
        assert f"found {found}; expected the name of a file" in capsys.readouterr().err
    assert sorted(os.listdir(files)) == ["qrels.txt", "run.trec"]




def parsers(parser):
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action.choices.values():
                yield from parsers(choice)


def test_a_command_that_is_stopped_says_so_in_one_line(files):
    if os.name != "posix":
        pytest.skip("signals")
    os.mkfifo(files / "pipe")
    process = subprocess.Popen([sys.executable, "-m", "ragdash", "evaluate", "pipe", "--truth", "qrels.txt"],
                               cwd=files, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)})
    with open(files / "pipe", "wb"):  # opens when the command reads it
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=180)[1] == b"error: stopped\n"
    assert process.returncode == 130


@pytest.mark.parametrize(("arguments", "status"), [
    (("evaluate", "run.trec", "--truth", "qrels.txt", "-m", "RR", "--fail-under", "RR=0.99"), 1),
    (("evaluate", "run.trec", "--truth", "qrels.txt", "-m", "RR"), 0),
    (("compare", "run.trec", "short.trec", "--truth", "qrels.txt", "-m", "RR", "--no-worse-than", "0.02"), 1),
    (("gate", "short.trec", "--truth", "qrels.txt", "--against", "pinned"), 1), (("check", "none", "run.trec"), 2)])
def test_a_reader_that_has_gone_changes_no_exit_status(files, capfdbinary, arguments, status):
    """As in `ragdash gate ... | head -1`, where a pipeline would take a regression for a success."""
    (files / "short.trec").write_text("q1 Q0 a 1 3.0 t\n")
    assert call(capfdbinary, "pin", files / "run.trec", "--truth", files / "qrels.txt", "-o", files / "pinned")[0] == 0
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = ragdash(*arguments, cwd=files, stdout=writing)
    finally:
        os.close(writing)
    assert done.returncode == status and b"BrokenPipe" not in done.stderr and b"Traceback" not in done.stderr


def test_a_closed_standard_output_is_one_line(files):
    done = subprocess.run(f'exec "{sys.executable}" -m ragdash metrics RR >&-', shell=True, stderr=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == 2 and b"it is closed" in done.stderr and done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("metrics", ["", " ", ",", " , "])
def test_no_metric_is_bad_input(files, capfdbinary, metrics):
    for command in ("evaluate", "diagnose", "audit", "judgments"):
        status, _, err = call(capfdbinary, command, files / "run.trec", "--truth", files / "qrels.txt", "-m", metrics)
        assert status == 2 and "found no metric" in err and err.count("\n") == 1


@pytest.mark.parametrize("arguments", [
    ("evaluate", "run.trec", "--resamples", "100000000000"),
    ("evaluate", "run.trec", "--resamples", "39"),
    ("compare", "run.trec", "run.trec", "--permutations", "100000000000"),
    ("dashboard", "--port", "99999"),
    ("dashboard", "--port", "0"),
])
def test_a_number_out_of_range_is_a_usage_error(capfdbinary, arguments):
    with pytest.raises(SystemExit) as ended:
        command_line.main(arguments)
    assert ended.value.code == 2
    assert re.search(rb"argument --\w+: \d+ is (more|less) than [\d,]+\n$", capfdbinary.readouterr().err)


@pytest.mark.parametrize("arguments", [
    ("sweep", "true {k}", "--set", "k=1", "--timeout", "nan"), ("sweep", "true {k}", "--set", "k=1", "--timeout", "-1"),
    ("drift", "log.jsonl", "--alpha", "nan"), ("drift", "log.jsonl", "--alpha", "2"),
    ("drift", "log.jsonl", "--seed", "-1"), ("judge", "run.trec", "--votes", "1000000000")])
def test_a_number_that_means_nothing_is_a_usage_error(capfdbinary, arguments):
    with pytest.raises(SystemExit) as ended:
        command_line.main(arguments)
    assert ended.value.code == 2 and f"argument {arguments[-2]}" in capfdbinary.readouterr().err.decode()


def test_a_port_in_use_is_not_opened(capfdbinary):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        status, _, err = call(capfdbinary, "dashboard", "--no-browser", "--port", str(port))
    assert status == 2 and f"port {port} of 127.0.0.1" in err and err.count("\n") == 1


@pytest.mark.parametrize(("memory", "arguments", "said"), [
    ("abc", (), "a number of GB above 0"), ("-1", (), "RAGDASH_MEMORY"), ("nan", (), "'nan'"),
    ("", ("--port", "8599", "--status", "127.0.0.1:8599"), "the pages are served there"),
    ("", ("--", "--server.port=8598"), "Use --port instead"), ("", ("--host", "\udcff"), "expected the name of a host"),
    ("", ("--host", "a" * 70), "expected the name of a host"), ("", ("--status", "\udcff:9"), "--status"),
    ("", ("--", "--server.address=::"), "Use --host instead")])
def test_a_server_whose_settings_contradict_each_other_does_not_start(capfdbinary, monkeypatch, memory, arguments,
                                                                      said):
    monkeypatch.setenv("RAGDASH_MEMORY", memory)
    monkeypatch.setattr(os, "execve", None)
    status, _, err = call(capfdbinary, "dashboard", "--no-browser", *arguments)
    assert status == 2 and said in err and err.count("\n") == 1


@pytest.mark.parametrize(("content", "said"), [
    (b"[[[broken", "not TOML"), (b"\xff\xfe", "not TOML"), (b"x=1", ".toml: found x outside of a section"),
    (b"[theme]\nbase=3", "(theme.base): found 3"),
    (b"[logger]\nlevel=3\n[server]\nport=8501", "(logger.level): found 3"),
])
def test_settings_of_streamlit_that_it_cannot_use_are_said_before_it_starts(tmp_path, capfdbinary, monkeypatch, content,
                                                                            said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("the server starts"))
    Path(".streamlit").mkdir()
    Path(".streamlit/config.toml").write_bytes(content)
    status, _, err = call(capfdbinary, "dashboard", "--no-browser")
    assert status == 2 and said in err and err.count("\n") == 1


@pytest.mark.parametrize("setting", ["STREAMLIT_THEME_BASE=foo", "STREAMLIT_GLOBAL_DEVELOPMENT_MODE=true",
                                     "STREAMLIT_LOGGER_LEVEL=3", "HOME=/dev/null",
                                     "STREAMLIT_SERVER_SSL_CERT_FILE=/none", "--server.cookieSecret=x"])
def test_settings_with_which_streamlit_does_not_start_are_bad_input(tmp_path, setting):
    name, value = setting.split("=")
    command = [sys.executable, "-m", "ragdash", "dashboard", "--no-browser", *["--", setting] * name.startswith("--")]
    done = subprocess.run(command, stderr=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": str(ROOT), name: value,
                               "STREAMLIT_SERVER_SSL_KEY_FILE": "/none" * ("SSL" in name)}, cwd=tmp_path, check=False)
    assert done.returncode == 2 and b"Traceback" not in done.stderr and done.stderr.count(b"\n") <= 3


@pytest.mark.parametrize(("name", "value", "said"), [
    ("RAGDASH_READ_ONLY", "maybe", "one of 1, true, yes, on or of 0, false, no, off"),
    ("RAGDASH_AHEAD", "2", "(RAGDASH_AHEAD): found '2'"), ("RAGDASH_WATCH_ALL", "all", "RAGDASH_WATCH_ALL"),
    ("RAGDASH_STATUS", "zz", "(RAGDASH_STATUS): found the address 'zz'"),
    ("RAGDASH_STATUS", "1" * 5_000, "(RAGDASH_STATUS)")])
def test_a_variable_that_means_nothing_is_refused_and_not_passed_over(capfdbinary, monkeypatch, name, value, said):
    monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("the server starts"))
    status, _, err = call(capfdbinary, "dashboard", "--no-browser")
    assert status == 2 and said in err and err.count("\n") == 1


def test_secrets_that_the_server_may_not_read_are_said_before_it_starts(tmp_path, capfdbinary, monkeypatch):
    file, real = Path(".streamlit") / "secrets.toml", Path.open

    def refused(path: Path, *arguments, **options):
        if path == file:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *arguments, **options)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("the server starts"))
    file.parent.mkdir()
    file.write_text("[auth]")
    monkeypatch.setattr(Path, "open", refused)  # root may read every file
    status, _, err = call(capfdbinary, "dashboard", "--no-browser")
    assert status == 2 and str(file) in err and "Permission denied" in err and err.count("\n") == 1


@pytest.mark.parametrize("command", ["view", "dashboard"])
def test_a_folder_that_is_gone_is_no_fault_of_ragdash(command, monkeypatch, capfdbinary):
    def gone():
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(os, "getcwd", gone)
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("started in a folder that is gone"))
    if command == "view":
        monkeypatch.setenv("RAGDASH_LOG_DIR", "here")
    status, _, err = call(capfdbinary, command, "--no-browser")
    assert status == 2 and "Change to another folder" in err and err.count("\n") == 1


def test_an_address_that_is_none_is_not_opened(capfdbinary):
    status, _, err = call(capfdbinary, "dashboard", "--no-browser", "--host", "999.1.1.1", "--port", "8599")
    assert status == 2 and "999.1.1.1" in err and err.count("\n") == 1


def test_a_file_name_that_is_not_utf8_is_shown_with_its_bytes(tmp_path, monkeypatch, capfdbinary):
    name = os.fsdecode(b"run\xff.trec")
    try:
        (tmp_path / name).write_text(RUN)
    except (OSError, UnicodeEncodeError):
        pytest.skip("this file system takes UTF-8 names alone")
    (tmp_path / "qrels.txt").write_text(QRELS)
    evaluate = ("evaluate", name, "--truth", "qrels.txt", "--format")
    done = ragdash("check", name, cwd=tmp_path, stdout=subprocess.PIPE)  # as a shell gives it
    assert done.returncode == 0 and b"Traceback" not in done.stderr and b"udcff" in done.stdout
    monkeypatch.chdir(tmp_path)
    for arguments in (("check", name, "--format", "json"), ("check", name, "no\udcffne"),
                      (*evaluate, "table"), (*evaluate, "json"), (*evaluate, "csv"),
                      ("report", name, "--truth", "qrels.txt", "-o", "report.html")):
        status, out, err = call(capfdbinary, *arguments)
        assert status == (2 if len(arguments) == 3 else 0), err
        assert "Traceback" not in err
        assert "udcff" in (out or (tmp_path / "report.html").read_text())


def test_a_given_name_that_is_not_utf8_is_shown_with_its_bytes(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.trec").write_text(RUN)
    (tmp_path / "qrels.txt").write_text(QRELS)
    run = os.fsdecode(b"n\xff") + "=run.trec"
    for arguments in (("evaluate", run, "--truth", "qrels.txt"), ("compare", run, "run.trec", "--truth", "qrels.txt"),
                      ("check", run), ("report", run, "--truth", "qrels.txt", "-o", "report.html"),
                      ("report", "run.trec", "--truth", "qrels.txt", "-o", "report.html", "--title",
                       os.fsdecode(b"n\xff"))):
        status, out, err = call(capfdbinary, *arguments)
        assert status == 0 and "Traceback" not in err, err
        assert "n\\udcff" in (out or (tmp_path / "report.html").read_text())


def test_a_given_name_may_be_longer_than_that_of_a_file(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.trec").write_text(RUN)
    (tmp_path / "qrels.txt").write_text(QRELS)
    status, out, err = call(capfdbinary, "evaluate", f"{'n' * 10_000}=run.trec", "--truth", "qrels.txt",
                            "--format", "json")
    assert status == 0 and json.loads(out)["runs"][0]["name"] == "n" * 10_000, err


def test_a_fault_of_ragdash_has_a_status_of_its_own(monkeypatch, capfdbinary):
    def broken(command: str):
        raise ZeroDivisionError("planted")

    options = command_line.parse(["metrics"])
    monkeypatch.setattr(command_line, "parse", lambda arguments: options)
    monkeypatch.setattr(command_line, "_module_of", broken)
    assert command_line.main(["metrics"]) == 3
    err = capfdbinary.readouterr().err.decode()
    assert "planted" in err and __version__ in err and "CONTRIBUTING.md" in err


@pytest.mark.parametrize("code", [
    "__main__.main()",
    "__main__.keep_no_bare_traceback(); fail()",
    "__main__.keep_no_bare_traceback(); threading.Thread(target=fail).start()",
    "__main__.keep_no_bare_traceback(); atexit.register(fail)"])
def test_no_fault_ends_with_a_traceback_alone(code):
    """In what is imported before a command, in a thread, and at the end of the process."""
    planted = ("import atexit, threading\nimport ragdash.cli.main\nfrom ragdash import __main__\n"
               "def fail(*_):\n    raise ZeroDivisionError('planted')\nragdash.cli.main.show_warnings = fail\n")
    done = subprocess.run([sys.executable, "-c", planted + code], stderr=subprocess.PIPE, text=True, check=False,
                          cwd=ROOT)
    assert done.returncode == (0 if "target" in code or "register" in code else 3)
    assert "planted" in done.stderr and "CONTRIBUTING.md" in done.stderr.splitlines()[-1]


def test_a_python_without_the_libraries_is_one_line():
    done = subprocess.run([sys.executable, "-S", "-m", "ragdash", "metrics"], stderr=subprocess.PIPE, text=True,
                          check=False, cwd=ROOT)
    assert done.returncode == 2 and "found no module" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("error", [
    MemoryError(), RuntimeError("can't start new thread"), OSError(errno.ENOMEM, "so"),
    ImportError("/lib/_ppoly.so: failed to map segment from shared object"),
    pa.ArrowException("Unknown error: Failed to launch worker thread: Resource temporarily unavailable")], ids=repr)
def test_too_little_memory_is_bad_input(monkeypatch, capfdbinary, error):
    def starved(command: str):
        raise error

    options = command_line.parse(["metrics"])
    monkeypatch.setattr(command_line, "parse", lambda arguments: options)
    monkeypatch.setattr(command_line, "_module_of", starved)
    assert command_line.main(["metrics"]) == 2
    assert b"not enough memory" in capfdbinary.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
def test_a_file_that_does_not_fit_is_refused_before_arrow_ends_the_process(tmp_path):
    import resource

    path = tmp_path / "large.trec"
    path.write_bytes(b"".join(b"q%d Q0 document-%d 1 %d t\n" % (row // 1000, row, row) for row in range(900_000)))
    done = subprocess.run([sys.executable, "-m", "ragdash", "check", str(path)], capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (700 << 20,) * 2),
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, check=False)
    assert done.returncode == 2 and "of free memory" in done.stderr and str(path) in done.stderr, done.stderr[-500:]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of addresses are those of Linux")
@pytest.mark.parametrize("limit", [500, 550])
def test_too_few_addresses_are_said_by_ragdash_and_not_by_a_library(files, limit):
    import resource

    done = ragdash("evaluate", "run.trec", "--truth", "qrels.txt", cwd=files, stdout=subprocess.PIPE, timeout=120,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit << 20, limit << 20)))
    assert done.returncode == 2 and b"not enough memory" in done.stderr and b"OpenBLAS" not in done.stderr


def test_version(capfdbinary):
    with pytest.raises(SystemExit) as ended:
        command_line.main(["--version"])
    assert ended.value.code == 0 and capfdbinary.readouterr().out.decode() == f"ragdash {__version__}\n"


def test_without_a_word_it_lists_the_commands_and_says_how_to_begin(capfdbinary):
    with pytest.raises(SystemExit) as ended:
        command_line.main([])
    printed = capfdbinary.readouterr().err.decode()
    assert ended.value.code == 2 and all(f"    {name}" in printed for name in command_line.COMMANDS)
    assert "ragdash dashboard opens the pages" in printed


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_knows_every_command_and_option(capfdbinary, shell):
    with pytest.raises(SystemExit) as ended:
        command_line.main(["--print-completion", shell])
    script = capfdbinary.readouterr().out.decode()
    assert ended.value.code == 0
    assert all(name in script for name in (*command_line.COMMANDS, "fail-under", "no-worse-than", "max-calls"))


def test_what_is_half_written_when_a_command_is_stopped_goes(files, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    (files / "out.txt").write_text("earlier")
    before = sorted(files.iterdir())
    monkeypatch.setattr(os, "replace", stopped)
    assert command_line.main(["metrics", "RR", "-o", str(files / "out.txt")]) == 130
    assert sorted(files.iterdir()) == before and (files / "out.txt").read_text() == "earlier"


def test_warnings_of_python_are_lines_like_all_others(monkeypatch, capsys):
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    command_line.show_warnings()
    warnings.showwarning("two open recordings of a\x1b[31m", UserWarning, "sweep.py", 217)
    assert capsys.readouterr().err == "warning: two open recordings of a\\x1b[31m\n"


def test_without_docstrings_metrics_have_no_explanation_and_no_fault():
    done = subprocess.run([sys.executable, "-OO", "-m", "ragdash", "metrics", "RR"], capture_output=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0 and done.stdout.startswith(b"RR"), done.stderr


def test_control_characters_of_a_name_do_not_reach_the_terminal(files, capfdbinary):
    run = files / "run.jsonl"
    run.write_text('{"config": "a\\u001b[31mb\\u0007", "query": "q1", "retrieved": ["b"]}\n')
    means = ("evaluate", run, "--truth", files / "qrels.txt")
    for expected, *command in ((0, "check", run), (0, *means), (1, *means, "--fail-under", "nDCG@10=1")):
        status, out, err = call(capfdbinary, *command)
        assert status == expected
        assert "\x1b" not in str(out) + err and "\x07" not in str(out) + err and "\\x1b[31mb\\x07" in str(out) + err


def test_a_name_can_neither_forge_a_line_nor_reach_the_terminal_as_a_heading(files, capfdbinary):
    """A line break, an escape sequence and a mark that turns the direction, in the name of every run of a history."""
    name = "a\x1b[31m\u202e\nerror: forged"
    for number in range(2):
        with ragdash_record(name, settings={"k": number}, folder=files / "logs") as run:
            run.add("q1", ["b"])
    truth = ("--truth", files / "qrels.txt", "-m", "RR")
    for command in (("history", *truth), ("history", *truth, "--accepted", "none"), ("evaluate", *truth),
                    ("variants", *truth), ("check",)):
        _, out, err = call(capfdbinary, *command, files / "logs")
        assert "\x1b" not in out + err and "\u202e" not in out + err, command
        assert "\nerror: forged" not in out + err, command


def test_a_terminal_never_gets_control_characters_whatever_the_format(tmp_path, monkeypatch):
    for terminal, expected in ((True, b"a\\x1b,b\n"), (False, b"a\x1b,b\n")):
        out = io.TextIOWrapper(io.BytesIO())
        out.isatty = lambda terminal=terminal: terminal
        monkeypatch.setattr(sys, "stdout", out)
        write(b"a\x1b,b\n", None, "csv")
        assert out.buffer.getvalue() == expected
    write(b"a\x1b\n", str(tmp_path / "table"), "table")
    assert (tmp_path / "table").read_bytes() == b"a\\x1b\n"


def test_every_option_takes_two_dashes_as_a_value_or_refuses_them(capfdbinary):
    """argparse of Python 3.11 made an empty list of any --option=--, which no command expects."""
    bad = []
    for parser in parsers(command_line._full_parser()):
        for action in parser._actions:
            if action.option_strings and action.nargs != 0 and not isinstance(action, PrintCompletion):
                try:
                    value = parser._get_values(action, ["--"])
                except argparse.ArgumentError:
                    continue
                bad += [] if value in ("--", ["--"]) else [(parser.prog, action.dest, value)]
    assert not bad


@pytest.mark.parametrize("arguments", [
    ("check", "LONG"), ("history", "LONG"), ("variants", "LONG"), ("evaluate", "run.trec", "--truth", "LONG"),
    ("dashboard", "LONG"), ("view", "LONG"), ("pin", "run.trec", "--truth", "qrels.txt", "-o", "LONG/x")])
def test_a_path_that_the_system_refuses_is_bad_input(files, capfdbinary, monkeypatch, arguments):
    monkeypatch.chdir(files)
    status, _, err = call(capfdbinary, *(text.replace("LONG", "a" * 300) for text in arguments))
    assert status == 2 and err.startswith("error: aaa") and "File name too long" in err and err.count("\n") == 1


@pytest.mark.parametrize(("text", "shown"), [
    ("dense\n", "dense\n"), ("a\tb", "a\\x09b"), ("\x1b[2J", "\\x1b[2J"), ("\x9b31m", "\\x9b31m"), ("\x7f", "\\x7f"),
    ("\udcff", "\\udcff"), ("\u202ea\u2066b\u2028", "\\u202ea\\u2066b\\u2028"), ("naïve 雪 🙂", "naïve 雪 🙂"),
    ("", "")])
def test_text_for_a_terminal(text, shown):
    assert printable(text) == shown


def test_every_command_makes_control_characters_visible_in_what_it_says_to_people():
    """What a print to standard error takes from files, options or endpoints goes through `printable`."""
    bare = []
    for path in sorted((ROOT / "ragdash" / "cli").rglob("*.py")):
        for call_ in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            if getattr(call_.func, "id", "") == "print" and "sys.stderr" in map(ast.unparse, (
                    word.value for word in call_.keywords if word.arg == "file")):
                values = [part.value for argument in call_.args for part in ast.walk(argument)
                          if isinstance(part, ast.FormattedValue)]
                values += [argument for argument in call_.args
                           if not isinstance(argument, ast.Constant | ast.JoinedStr)]
                bare += [f"{path.name}:{call_.lineno}: {text}" for text in map(ast.unparse, values)
                         if not text.startswith(("printable(", "one_line(", "_version("))]
    assert not bare
