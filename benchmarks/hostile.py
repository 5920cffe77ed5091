"""Hostile text in every field, on every page, in a real browser: what leaves the server, runs, or changes.

    python benchmarks/hostile.py             every text leads once: in the fields of which there is a single value
    python benchmarks/hostile.py --texts 5   the first five texts only
    python benchmarks/hostile.py --first 23  from the 23rd text on; with --texts 1 this round alone

Each round keeps a workspace in which run names, judgments, ids, questions, answers, references, contexts, documents,
sources, attributes, settings, models, notes, tags, descriptions, reasons of judges and drafts hold the texts of
tests/hostile_workspace.py, starts a server and opens every page and part. Needs playwright and Chromium.
Ends with 1 if anything was found.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "dashboard")]

from hostile_workspace import TEXTS, VISITS, HostileCase, hostile_case, keep  # noqa: E402
from live_dashboard import CHROMIUM, FLAGS, start_server, visitor  # noqa: E402

from ragdash.core.text.quoted import quoted  # noqa: E402
from ragdash.core.text.short_names import NARROW_NAME, short_names  # noqa: E402

HARM = ("faults", "scripts", "dialogs", "errors", "pictures", "changed")
# What is written outside figures, which shorten long names.
WRITTEN = """[...document.querySelectorAll('[data-testid=stMain] :is([data-testid=stMarkdownContainer], table)')]
    .map(element => element.innerText).join(" ")"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds and print what was found."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=len(TEXTS), help="how many texts lead a round (default: all)")
    parser.add_argument("--first", type=int, default=1, help="the text that leads the first round (default: 1)")
    options = parser.parse_args(arguments)
    numbers = range(options.first - 1, min(options.first - 1 + options.texts, len(TEXTS)))
    if not numbers or options.first < 1:
        parser.error(f"no round: there are {len(TEXTS)} texts")
    counts: Counter[str] = Counter()
    started = time.monotonic()
    with sync_playwright() as api:
        browser = api.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        for number in numbers:
            of_round = _round(browser, [*TEXTS[number:], *TEXTS[:number]])
            harm = {name: of_round[name] for name in HARM if of_round[name]} or "nothing"
            print(f"{number + 1} of {len(TEXTS)}: {TEXTS[number][:50]!r}, {of_round['visits']} visits: {harm}",
                  flush=True)
            counts += of_round
        browser.close()
    minutes = (time.monotonic() - started) / 60
    print(f"texts {len(TEXTS)}, rounds {len(numbers)}, pages and parts {len(VISITS)}, "
          f"visits {counts['visits']:,}")
    print(f"requests that left the server, or scripts that failed: {counts['faults']}")
    print(f"scripts of a text that ran: {counts['scripts']}; dialogs: {counts['dialogs']}")
    print(f"pages with an error: {counts['errors']}; pictures of a text: {counts['pictures']}")
    print(f"names shown: {counts['shown']:,}, of them changed: {counts['changed']}")
    print(f"pages opened a second time, as the first took too long: {counts['late']}")
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{minutes:.1f} minutes; load of the machine over 1, 5 and 15 minutes: {load} on {os.cpu_count()} cores")
    return int(any(counts[name] for name in HARM))


def _round(browser, texts: Sequence[str]) -> Counter[str]:
    """Open every page of a workspace in which the first of the texts leads."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RAGDASH_WORKSPACE"] = workspace = str(Path(folder) / "workspace")
        os.environ["RAGDASH_CACHE"] = str(Path(folder) / "cache")
        case = hostile_case(texts)
        keep(case, Path(workspace), texts)
        process, url = start_server(Path(folder) / "server.log", RAGDASH_WORKSPACE=workspace)
        try:
            return _visits(browser, url, case)
        finally:
            process.terminate()
            process.wait(60)


def _visits(browser, url: str, case: HostileCase) -> Counter[str]:
    counts: Counter[str] = Counter()
    app, faults, context = visitor(browser, url)
    app.page.on("dialog", lambda dialog: (counts.update(dialogs=1), dialog.dismiss()))
    names = [" ".join(run.name.split()) for run in case.runs]
    for path, choices in VISITS:
        try:
            app.open(case.address(path, **choices))
        except AssertionError:  # on a busy machine
            counts["late"] += 1
            app.open(case.address(path, **choices))
        counts["visits"] += 1
        counts["errors"] += app.page.get_by_test_id("stException").count()
        counts["scripts"] += app.page.evaluate("window.pwned !== undefined")
        counts["pictures"] += app.page.locator("img[src*=hostile], img[alt=i]").count()
        text = " ".join(app.page.evaluate(WRITTEN).split())
        for name, short in zip(names, short_names(names, NARROW_NAME), strict=True):
            end = name.rpartition(" ")[2]  # "run0": where this is shown, the name is
            places = text.count(f" {end}")
            counts["shown"] += places
            counts["changed"] += sum(not _shows(text[:match.end()], name, short)
                                     for match in re.finditer(re.escape(f" {end}"), text))
    for fault in faults:
        print(f"  {fault}")
    counts["faults"] += len(faults)
    context.close()
    return counts


def _shows(text: str, name: str, short: str) -> bool:
    """Whether the text ends with the name: as it is, as messages quote it, short, or shortened in its middle."""
    if text.endswith((name, quoted(name)[:-1], short)):
        return True
    before, mark, tail = (part.strip() for part in text.rpartition("…"))  # messages have blanks around it
    return bool(mark) and name.endswith(tail) and any(before.endswith(name[:length]) for length in range(3, len(name)))


if __name__ == "__main__":
    sys.exit(main())
