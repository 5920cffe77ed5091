"""Every file of the tests, dropped on the upload field of a real browser, against `ragdash check`.

    python benchmarks/uploads.py                       all files of tests/io, one browser and one server
    python benchmarks/uploads.py --folder real_files   the files of one folder
    python benchmarks/uploads.py --match pages         files whose name has this text
    python benchmarks/uploads.py --part 1/3            the first third of them

A file that is read as it is must show the same runs, judgments and documents on the page as on the command line; a
refused one its reason; for a proposed reading the box is applied first, for a choice with its first reading. Needs
playwright and Chromium. Prints each difference; ends with 1 if there is any.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = ROOT / "tests" / "io"
sys.path[:0] = [str(ROOT), *(str(ROOT / "tests" / part) for part in ("", "dashboard", "dashboard/browser"))]

from dropped_files import Reading, on_the_command_line  # noqa: E402
from live_dashboard import CHROMIUM, FLAGS, start_server, visitor  # noqa: E402
from test_upload_shapes_browser import on_the_page  # noqa: E402

PATIENCE = 10.0  # seconds until a page has to be drawn
FOLDERS = ("real_files", "wild_shapes", "posted_shapes", "unseen_shapes", "collected_shapes")


class Printed:
    """What the command line printed since it was last read, as pytest's capfdbinary gives it."""

    def __enter__(self) -> Printed:
        """Begin to collect."""
        self.streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
        self.stack = contextlib.ExitStack()
        self.stack.enter_context(contextlib.redirect_stdout(self.streams[0]))
        self.stack.enter_context(contextlib.redirect_stderr(self.streams[1]))
        return self

    def __exit__(self, *error: object) -> None:
        """Print as before."""
        self.stack.close()

    def readouterr(self) -> tuple[bytes, ...]:
        """The bytes of both streams."""
        result = []
        for stream in self.streams:
            stream.flush()
            result.append(stream.buffer.getvalue())
            stream.seek(0)
            stream.truncate()
        return tuple(result)


def main(arguments: Sequence[str] | None = None) -> int:
    """Drop the files and print what differs."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", choices=FOLDERS, help="the files of one folder (default: all)")
    parser.add_argument("--match", default="", help="only files whose name has this text")
    parser.add_argument("--part", default="1/1", help="one part of several, such as 2/3")
    options = parser.parse_args(arguments)
    folders = [options.folder] if options.folder else FOLDERS
    files = [(FILES / folder / name, expected) for folder in folders
             for name, expected in json.loads((FILES / folder / "expected.json").read_text(encoding="utf-8"))[
                 "files"].items() if options.match in name]
    part, parts = map(int, options.part.split("/"))
    files = files[len(files) * (part - 1) // parts:len(files) * part // parts]
    started, counts = time.monotonic(), Counter[str]()
    with sync_playwright() as api, tempfile.TemporaryDirectory() as folder:
        process, url = start_server(Path(folder) / "server.log")
        browser = api.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        try:
            app, faults, _ = visitor(browser, url)
            for path, expected in files:
                differences = list(_differences(app, path, expected))
                counts["differ" if differences else "same"] += 1
                print(f"{path.parent.name}/{path.name}: {'; '.join(differences) or 'same'}", flush=True)
        finally:
            browser.close()
            process.kill()
            process.wait()
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"files {sum(counts.values())}, the same {counts['same']}, different {counts['differ']}, "
          f"faults of the pages {len(faults)}: {faults[:5]}")
    print(f"{(time.monotonic() - started) / 60:.1f} minutes; load {load} on {os.cpu_count()} cores")
    return int(bool(counts["differ"] or faults))


def _differences(app, path: Path, expected: dict) -> Iterator[str]:
    """How the page and the command line differ for one file."""
    from playwright.sync_api import Error

    with Printed() as printed:
        reading, proposed = on_the_command_line(printed, str(path))
    try:
        app.open().upload(str(path))
        shown, apply = on_the_page(app.page), app.page.get_by_role("button", name="Apply", exact=True)
        if "refused" in expected:
            if expected["refused"] not in shown.refused or shown.runs or shown.truth or apply.count():
                yield f"expected a refusal, the page shows {shown}"
            return
        if apply.count() != bool(proposed):
            yield f"{apply.count()} boxes, the command line proposes {proposed!r}"
            return
        if proposed and expected["how"] != "as is":
            app.after_a_run(apply.click)
            with Printed() as printed:
                reading, _ = on_the_command_line(printed, *shlex.split(proposed))
            shown = on_the_page(app.page)
        until = time.monotonic() + PATIENCE
        while list(_unlike(shown, reading)) and time.monotonic() < until:  # cards are drawn one after the other
            app.page.wait_for_timeout(500)
            shown = on_the_page(app.page)
        yield from _unlike(shown, reading)
    except (AssertionError, Error) as error:  # a page that does not answer is a difference, and the next file is tried
        yield f"{type(error).__name__}: {str(error)[:200]}"


def _unlike(shown: Reading, reading: Reading) -> Iterator[str]:
    if (shown.runs, shown.truth) != (reading.runs, reading.truth):
        yield f"the page shows {shown.runs} and {shown.truth}, the command line {reading.runs} and {reading.truth}"
    if not (shown.runs or shown.truth or shown.documents):
        yield f"nothing is shown: {shown.refused[:200]}"


if __name__ == "__main__":
    sys.exit(main())
