"""Write the stored outputs anew: `python tests/project/golden/regenerate.py`."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(FOLDER), str(ROOT)]

from golden_capture import COMMANDS, VISITS, run_commands, visit  # noqa: E402  (the path comes first)
from golden_reduce import reduce_command, reduce_page  # noqa: E402


def frozen_commands(root: Path, name: str, folder: Path) -> list[dict]:
    return as_stored([reduce_command(result) for result in run_commands(root, name, folder)])


def frozen_pages(root: Path, name: str, folder: Path) -> dict[str, dict]:
    """The pages of a visit; a sidebar that is the first page's is left out."""
    pages = {page: reduce_page(content) for page, content in visit(root, name, folder).items()}
    first = next(iter(pages.values()))["sidebar"]
    for content in list(pages.values())[1:]:
        if content["sidebar"] == first:
            del content["sidebar"]
    return as_stored(pages)


def as_stored(content):
    return json.loads(json.dumps(content))


def main() -> None:
    for file, names, frozen in (("commands", COMMANDS, frozen_commands), ("pages", VISITS, frozen_pages)):
        contents = {}
        for name in names:
            with tempfile.TemporaryDirectory() as folder:
                contents[name] = frozen(ROOT, name, Path(folder))
        text = json.dumps(contents, indent=0, sort_keys=True, ensure_ascii=False)
        (FOLDER / f"{file}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
