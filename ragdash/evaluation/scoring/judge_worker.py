"""Start, watch and stop the process that asks a judge. A page never asks a judge itself.

The process writes a JSON object a line to standard output (`python -m ragdash judge ... --progress json`):
{"plan": {...}}, {"progress": {...}} and at the end {"report": {...}} or {"problems": [...]}. A key that a person typed
into the page, or that is in the server's secrets, goes to it in its environment alone, never on the command line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from ragdash.evaluation.scoring.score_worker import Worker, line

KEY = "RAGDASH_JUDGE_KEY"
__all__ = ["KEY", "Worker", "command", "line", "start"]


def command(runs: Sequence[str], truth: str | None, metrics: str, base_url: str, model: str, *,
            options: Mapping[str, object] | None = None) -> list[str]:
    """The command line that asks a judge, for this interpreter. options: such as {"--max-cost": 2.5, "--yes": True};
    None and False leave one out.
    """
    flags = {"--truth": truth, "--metrics": metrics, "--base-url": base_url, "--model": model, **(options or {})}
    return [
        sys.executable,
        "-m",
        "ragdash",
        "judge",
        *runs,
        *(
            argument
            for name, value in flags.items()
            if value is not None and value is not False
            for argument in ((name,) if value is True else (name, str(value)))
        ),
    ]


def start(arguments: Sequence[str], key: str | None = None, folder: str | os.PathLike | None = None,
          name: str = KEY) -> Worker:
    """Start a command of `command`, without waiting for it. key: of the endpoint, where none of the variables of the
    environment holds it; name: of the variable that it goes in. `cancel` of the worker awaits what is on its way, for
    some seconds.
    """
    if key is None:
        return Worker.start(arguments, folder)
    return Worker.start([*arguments, "--key-env", name], folder, {name: key})
