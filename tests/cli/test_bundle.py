"""`ragdash bundle`: a site that needs no server, of closed runs alone, and that only replaces itself."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

from helpers import call
from history_cases import write_log_folder

import ragdash

LINK = re.compile(r'(?:href|src)="([^"]*)"')


class Words(HTMLParser):
    """The text of a page, without scripts and styles."""

    def __init__(self, file: Path):
        super().__init__()
        self.text, self._hidden = "", 0
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self._hidden += tag in ("script", "style")

    def handle_endtag(self, tag):
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data):
        self.text += "" if self._hidden else data


def test_a_log_folder_becomes_a_site_that_asks_nobody_for_anything(tmp_path, capfdbinary):
    root = write_log_folder(tmp_path)
    hostile = root / "logs" / "20260402T000000Z-<b>x&.."
    hostile.mkdir()
    first = next(folder for folder in sorted((root / "logs").iterdir()) if (folder / "results.jsonl").is_file())
    header = json.loads((first / "header.json").read_bytes())
    (hostile / "header.json").write_text(json.dumps({**header, "run_id": "../../../etc", "name": "<b>bold</b>",
                                                     "created": "2026-04-02T00:00:00+00:00"}))
    (hostile / "results.jsonl").write_bytes((first / "results.jsonl").read_bytes())
    site = tmp_path / "site"
    arguments = ("bundle", root / "logs", "--truth", root / "qrels.txt", "-m", "RR P@1", "-o", site)
    status, out, err = call(capfdbinary, *arguments)
    assert (status, out) == (0, "") and "21 runs in" in err
    pages = sorted(site.rglob("*.html"))
    assert len(pages) == 23 and len(list((site / "runs").iterdir())) == 21
    for page in pages:
        text = page.read_text(encoding="utf-8")
        markup = re.sub("<script.*?</script>", "", text, flags=re.DOTALL)
        assert "default-src 'none'" in unescape(text) and "<b>bold" not in markup
        for link in LINK.findall(markup):
            assert link.startswith("#") or (page.parent / link).is_file(), (page, link)
    index = Words(site / "index.html").text
    assert index.count("▼ worse since") == 2 and "▲ better since" not in index and "2026-03-09 00:00" in index
    assert "recording" in index or "interrupted" in index
    page = Words(next((site / "runs").glob("20260309*"))).text
    assert "retriever.k: 10 → 5" in page and "08080808" in page and "MRR" in page

    status, _, err = call(capfdbinary, *arguments)
    assert status == 2 and "--replace" in err
    (site / "notes.txt").write_text("mine")
    assert call(capfdbinary, *arguments, "--replace")[0] == 0 and (site / "notes.txt").read_text() == "mine"
    mark = site / "ragdash-bundle.json"
    for damaged in ("[]", '{"files": 1}', '{"files": "index.html"}', "[" * 100_000):
        mark.write_text(damaged)
        status, _, err = call(capfdbinary, *arguments, "--replace")
        assert status == 2 and "other files" in err, damaged
    mark.write_text(json.dumps({"files": ["a\0b", "\ud800", None, "runs/gone.html"]}))
    assert call(capfdbinary, *arguments, "--replace")[0] == 0 and (site / "notes.txt").read_text() == "mine"


def test_runs_of_one_minute_are_newest_first(tmp_path, capfdbinary):
    for second, name in enumerate(("b", "c", "a", "b")):
        with ragdash.record(name, settings={"step": second}, folder=tmp_path / "logs") as run:
            run.add("q1", ["d1"])
        folder = next(path for path in (tmp_path / "logs").glob("*/header.json")
                      if not path.parent.name.startswith("step")).parent
        header = json.loads((folder / "header.json").read_bytes())
        (folder / "header.json").write_text(json.dumps({**header, "created": f"2026-04-02T00:00:0{second}+00:00"}))
        folder.rename(folder.with_name(f"step{second}"))
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    status, _, _ = call(capfdbinary, "bundle", tmp_path / "logs", "--truth", tmp_path / "qrels.txt", "-m", "RR", "-o",
                        tmp_path / "site")
    links = [link for link in LINK.findall((tmp_path / "site" / "index.html").read_text(encoding="utf-8"))
             if "runs/" in link]
    assert status == 0 and links == [f"runs/step{second}.html" for second in (3, 2, 1, 0)]
    assert "4 closed runs of 3 names" in Words(tmp_path / "site" / "index.html").text


def test_a_folder_with_other_files_is_left_alone(tmp_path, capfdbinary):
    root = write_log_folder(tmp_path)
    status, _, err = call(capfdbinary, "bundle", root / "logs", "--truth", root / "qrels.txt", "-o", root, "--replace")
    assert status == 2 and "other files" in err and not (root / "index.html").exists()
    status, _, err = call(capfdbinary, "bundle", tmp_path / "none", "--truth", root / "qrels.txt", "-o", root / "site")
    assert status == 2 and not (root / "site").exists()
