"""Click at random on the pages, also faster than they are drawn: no exception box and no traceback may come of it.

    python benchmarks/fuzz_pages.py [--seconds 300] [--seed NUMBER] [--sessions 2] [--runs FILE ...]

Visitors without a browser share a server and a workspace. One step opens a page, goes back, loads it again, drops a
file, or uses up to three widgets: one by one, without waiting, or all in one message, as when a person is faster than
the server. Widgets that the page has just replaced are used too. The server starts anew, with an empty workspace,
after each --steps steps. Ends with 1 if anything was found; what was done before it is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "dashboard")]

from sessions import Server, Session  # noqa: E402
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: E402
from streamlit.proto.WidgetStates_pb2 import WidgetState  # noqa: E402

QUIET = 0.3  # seconds without a message after which a page is at rest
SECTION = 10  # seconds without a message after which the whole page is asked for
LONGEST = 60  # seconds that a page may take
TEXTS = ("", "x", "dense", "q1", "-1", "0", "1e308", "nan", "0.5", "5,5", "<b>x</b>", "$x$ :material/x: `a`",
         "a" * 3_000, "\u202eabc", "1\n2", "{}", "[1", "../x", "=1+1", "http://127.0.0.1:9/v1")
SAMPLES = ("dense.jsonl", "sparse.jsonl", "hybrid.jsonl", "truth.jsonl")


class Visitor(Session):
    """A session that clicks without waiting; `found`: what its pages showed that they should not."""

    def prepare(self, folder: Path, rng: random.Random) -> None:
        """What it needs besides an address."""
        self.files = sorted(path for path in folder.iterdir() if path.is_file())
        self.rng = rng
        self.done: deque[str] = deque(maxlen=14)
        self.places = [("", "")]
        self.found: list[str] = []
        self.used: Counter[str] = Counter()

    async def rest(self, ended: bool = False, asked: bool = False) -> None:
        """Take messages until a script has ended and nothing follows.

        A section that is no longer on the page may end without a message: then the page is asked for once more.
        """
        start = time.monotonic()
        while True:
            try:
                end = await asyncio.wait_for(self._take_message(), QUIET if ended else LONGEST if asked else SECTION)
            except TimeoutError:
                if not ended and asked:
                    self.found.append(f"a page was not drawn within {LONGEST} s")
                elif not ended:
                    await self._send_rerun()
                    await self.rest(asked=True)
                return
            if self.failed:
                self.found.append(self.failed)
                self.failed = ""
            if end is not None:
                ended = end != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            if time.monotonic() - start > 3 * LONGEST:
                self.found.append("a page is drawn without end")
                return

    async def step(self) -> None:
        """One thing that a person does."""
        actions: list[Callable] = [self.use, self.open_page, self.go_back, self.load_again, self.drop]
        await self.rng.choices(actions, (80, 10, 3, 3, 4))[0]()
        self.values = {widget: state for widget, state in self.values.items() if widget in self.fragments}
        self.places.append((self.page, self.query))

    async def use(self) -> None:
        """Use up to three widgets: one by one, at once, or in one message."""
        states = [state for state in (self.change() for _ in range(self.rng.choice((1, 1, 1, 2, 3)))) if state]
        if not states:
            return await self.open_page()
        way = self.rng.choice(("in turn", "at once", "together"))
        for place, state in enumerate(states):
            self.values[state.id] = state
            if way != "together" or place == len(states) - 1:
                alone = self.fragments.get(state.id, "") if way != "together" or len(states) == 1 else ""
                await self._send_rerun(fragment=alone)
                self.forget_clicks()
            if way == "in turn":
                await self.rest()
        if way != "in turn":
            self.done.append(f"({way})")
            if self.rng.random() < 0.2:  # and a link before it is drawn
                return await self.open_page()
            await self.rest()
        return None

    def forget_page(self) -> None:
        """Its widgets; what they held is sent once more, as a browser does."""
        self.shown.clear()
        self.blocks.clear()
        self.fragments.clear()

    def forget_clicks(self) -> None:
        """A click is sent once."""
        for widget in [key for key, state in self.values.items() if state.WhichOneof("value") in (
                "trigger_value", "json_trigger_value", "string_trigger_value")]:
            del self.values[widget]

    async def open_page(self) -> None:
        """Click on a link of the menu."""
        if self.pages:
            path = self.rng.choice(sorted(self.pages))
            self.page, self.query = self.pages[path], ""
            self.forget_page()
            self.done.append(f"open /{path}")
        await self._send_rerun()
        await self.rest()

    async def go_back(self) -> None:
        """Go to a place of before, with the state that the session has now."""
        self.page, self.query = self.rng.choice(self.places)
        self.forget_page()
        self.done.append(f"back to {self.place()}")
        await self._send_rerun()
        await self.rest()

    async def load_again(self) -> None:
        """Load the page anew, in another session, at times with another page's address."""
        page, query = self.page, self.query if self.rng.random() < 0.7 else self.rng.choice(self.places)[1]
        await self.close()
        self.forget_page()
        self.values.clear()
        self._kept.clear()
        await self.connect()
        self.page, self.query = page, query
        self.done.append(f"load {self.place()}")
        await self._send_rerun()
        await self.rest()

    async def drop(self) -> None:
        """Give a file to the first uploader of the page."""
        uploaders = [element.file_uploader for element in self.shown.values()
                     if element.WhichOneof("type") == "file_uploader"]
        files = [file for file in self.files if uploaders and file.suffix in (uploaders[0].type or (file.suffix,))]
        if not files:
            return await self.open_page()
        file = self.rng.choice(files)
        self.done.append(f"drop {file.name} on {self.place()}")
        await self.upload(file.name, file.read_bytes())
        await self.rest(ended=True)
        return None

    def place(self) -> str:
        """The page and its query."""
        names = {page: name for name, page in self.pages.items()}
        return f"/{names.get(self.page, self.page)}?{self.query}"

    def change(self) -> WidgetState | None:
        """Another value of a widget of the page."""
        widgets = [getattr(element, element.WhichOneof("type")) for element in self.shown.values()]
        widgets += [getattr(block, block.WhichOneof("type")) for block in self.blocks.values()
                    if block.WhichOneof("type") in ("tab_container", "expandable", "popover")]
        kinds: dict[str, list] = {}
        for widget in widgets:
            if getattr(widget, "id", "") and not getattr(widget, "disabled", False):
                kinds.setdefault(type(widget).__name__, []).append(widget)
        kinds = {kind: of for kind, of in kinds.items() if kind in VALUES}
        if not kinds:
            return None
        kind = self.rng.choice(sorted(kinds))
        widget = self.rng.choice(kinds[kind])
        state = WidgetState(id=widget.id)
        VALUES[kind](self, widget, state)
        if state.WhichOneof("value") is None:
            return None
        self.used[kind] += 1
        self.done.append(f"{kind} {getattr(widget, 'label', '')[:40]!r} of {self.place()[:60]}: "
                         f"{str(getattr(state, state.WhichOneof('value')))[:80]!r}")
        return state

    def options(self, widget, state: WidgetState) -> None:
        """One of the options; one of its own where the field takes it."""
        is_typed = getattr(widget, "accept_new_options", False) and self.rng.random() < 0.3
        if is_typed or widget.options:
            state.string_value = self.rng.choice(TEXTS) if is_typed else self.rng.choice(list(widget.options))

    def some_options(self, widget, state: WidgetState) -> None:
        """None, some or all of the options."""
        state.string_array_value.data.extend(self.rng.sample(list(widget.options), self.rng.randint(
            0, len(widget.options))))

    def pills(self, widget, state: WidgetState) -> None:
        """One option or none; several where that is possible."""
        names = [f"{option.content_icon} {option.content}".strip() for option in widget.options]
        most = len(names) if widget.click_mode == widget.MULTI_SELECT else min(1, len(names))
        state.string_array_value.data.extend(self.rng.sample(names, self.rng.randint(int(widget.required), most)))

    def ends(self, widget, state: WidgetState) -> None:
        """A number, or two in order, within the bounds; an option of a slider of options."""
        if widget.options:
            state.string_array_value.data.extend(sorted(self.rng.sample(list(widget.options), len(widget.default)),
                                                        key=list(widget.options).index))
            return
        steps = round((widget.max - widget.min) / (widget.step or 1))
        state.double_array_value.data.extend(sorted(
            widget.min + (widget.step or 1) * self.rng.randint(0, max(steps, 0)) for _ in widget.default))

    def number(self, widget, state: WidgetState) -> None:
        """A number within the bounds."""
        low, high = widget.min if widget.has_min else -1e6, widget.max if widget.has_max else 1e6
        value = self.rng.choice((low, high, self.rng.uniform(low, high), widget.default))
        state.double_value = round(value) if widget.data_type == widget.INT else value

    def text(self, widget, state: WidgetState) -> None:
        """An odd text."""
        text = self.rng.choice(TEXTS)
        state.string_value = text[:widget.max_chars] if widget.max_chars else text

    def click(self, widget, state: WidgetState) -> None:
        """A click."""
        state.trigger_value = True

    def mark(self, widget, state: WidgetState) -> None:
        """A tick set or taken away; a section opened or closed."""
        state.bool_value = self.rng.random() < 0.5

    def tab(self, widget, state: WidgetState) -> None:
        """Another tab."""
        place = next(path for path, block in self.blocks.items() if getattr(block, "tab_container", None) == widget)
        tabs = [block.tab.label for path, block in self.blocks.items()
                if path[:-1] == place and block.WhichOneof("type") == "tab"]
        if tabs:
            state.string_value = self.rng.choice(tabs)

    def row(self, widget, state: WidgetState) -> None:
        """A row of a table."""
        if widget.selection_mode:
            rows = [] if self.rng.random() < 0.2 else [self.rng.randint(0, 12)]
            state.string_value = json.dumps({"selection": {"rows": rows, "columns": [], "cells": []}})
        elif widget.editing_mode:
            names = [name for name in json.loads(widget.columns or "{}") if name != "_index"]
            value = self.rng.choice((None, 0, 0.5, *TEXTS))
            state.string_value = json.dumps({
                "edited_rows": {}, "deleted_rows": [],
                "added_rows": [{name: value for name in self.rng.sample(names, min(len(names), 2))}]})

    def point(self, widget, state: WidgetState) -> None:
        """Marks of a picture."""
        traces = [trace.get("customdata") for trace in json.loads(widget.spec).get("data", [])]
        data = [item for trace in traces if isinstance(trace, list) for item in trace] or [0, "dense", ["dense", 1]]
        points = [{"curve_number": 0, "point_index": 0, "x": 0, "y": 0, "customdata": item}
                  for item in self.rng.sample(data, min(len(data), self.rng.randint(0, 2)))]
        state.string_value = json.dumps({"selection": {"points": points, "point_indices": [0] * len(points), "box": [],
                                                       "lasso": []}})

    def listed(self, widget, state: WidgetState) -> None:
        """A row of a list."""
        if widget.component_name.endswith("row_list"):
            state.json_value = json.dumps({"opened": {"list": widget.bytes[:32].decode(errors="replace"),
                                                      "row": self.rng.randint(0, 12)}})


VALUES: dict[str, Callable] = {
    "Selectbox": Visitor.options, "Radio": Visitor.options, "MultiSelect": Visitor.some_options,
    "ButtonGroup": Visitor.pills, "Slider": Visitor.ends, "NumberInput": Visitor.number, "TextInput": Visitor.text,
    "TextArea": Visitor.text, "Button": Visitor.click, "Checkbox": Visitor.mark, "Expandable": Visitor.mark,
    "Popover": Visitor.mark, "TabContainer": Visitor.tab, "Dataframe": Visitor.row, "PlotlyChart": Visitor.point,
    "BidiComponent": Visitor.listed}


def main(arguments: Sequence[str] | None = None) -> int:
    """Click until the time is over; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sessions", type=int, default=2)
    parser.add_argument("--steps", type=int, default=150, help="of each session, before the server starts anew")
    parser.add_argument("--runs", type=Path, nargs="*", default=[ROOT / "sample_runs" / name for name in SAMPLES])
    parser.add_argument("--files", type=Path, default=ROOT / "sample_runs", help="the folder of files to drop")
    options = parser.parse_args(arguments)
    end, seed, steps, found = time.monotonic() + options.seconds, options.seed, 0, 0
    used: Counter[str] = Counter()
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory(prefix="ragdash-fuzz-") as folder:
            new_steps, new_found = asyncio.run(life(Path(folder), options, seed, end, used))
        steps, found, seed = steps + new_steps, found + new_found, seed + 1
        print(f"seeds {options.seed} to {seed - 1}: {steps:,} steps, {found} found", flush=True)
    print("used:", ", ".join(f"{kind} {count:,}" for kind, count in used.most_common()))
    return int(found > 0)


async def life(folder: Path, options: argparse.Namespace, seed: int, end: float,
               used: Counter[str]) -> tuple[int, int]:
    """Click on one server; how many steps, and how many finds."""
    server = Server.start(folder, options.runs)
    steps = found = 0
    try:
        visitors = []
        for number in range(options.sessions):
            visitor = Visitor(server.address)
            visitor.prepare(options.files, random.Random(f"{seed} {number}"))
            await visitor.open()
            visitors.append(visitor)

        async def click(visitor: Visitor) -> None:
            nonlocal steps, found
            read = 0
            for _ in range(options.steps):
                if time.monotonic() > end:
                    return
                await visitor.step()
                steps += 1
                log = server.log.read_text(errors="replace")
                if "Traceback" in log[read:]:
                    visitor.found.append(log[read:][-3_000:])
                read = len(log)
                if visitor.found:
                    found += len(visitor.found)
                    print(f"\nFOUND (seed {seed}): {visitor.place()}", *visitor.done, *visitor.found, sep="\n  ",
                          flush=True)
                    visitor.found.clear()

        await asyncio.gather(*map(click, visitors))
        for visitor in visitors:
            used.update(visitor.used)
            await visitor.close()
    finally:
        server.stop()
    return steps, found


if __name__ == "__main__":
    sys.exit(main())
