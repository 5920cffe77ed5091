"""How an endpoint wants to be asked: the ladder of structured output, and the parameters that a model refuses.

It is learned from refusals and remembered for each (URL, model) in the verdict store once a question was answered so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

MODES = {"openai": ("json_schema", "json_object", "text"), "anthropic": ("tool", "text"),
         "litellm": ("json_schema", "json_object", "text")}
LENGTH, LENGTH_TOO = "max_tokens", "max_completion_tokens"


@dataclass(frozen=True)
class OutputMode:
    """mode: of MODES; dropped: parameters that are not sent; length: the name of the bound on tokens, "" for none."""

    mode: str
    dropped: frozenset[str] = frozenset()
    length: str = LENGTH

    @classmethod
    def initial(cls, kind: str, known: dict) -> OutputMode:
        """What was learned, as `as_dict` has it, else the best there is."""
        mode = known.get("mode")
        return cls(mode if mode in MODES[kind] else MODES[kind][0], frozenset(known.get("dropped", ())),
                   known.get("length", LENGTH))

    def as_dict(self) -> dict:
        return {"mode": self.mode, "dropped": sorted(self.dropped), "length": self.length}

    def next_after(self, kind: str, refusal: str, parameters: tuple[str, ...]) -> OutputMode | None:
        """What to try after the endpoint refused a question with these words; None where nothing is left to try.

        What the words name is changed; where they name nothing, the mode goes down, then parameters are left out.
        """
        sent = [name for name in parameters if name not in self.dropped]
        named = [name for name in sent if re.search(rf"\b{re.escape(name)}\b", refusal, re.IGNORECASE)]
        if named:
            return replace(self, dropped=self.dropped | set(named))
        if self.length and re.search(rf"\b{self.length}\b", refusal):
            other = {LENGTH: LENGTH_TOO}.get(self.length, "") if kind == "openai" else self.length
            return replace(self, length=other) if other != self.length else None
        lower = self._next_mode(kind)
        if lower:
            return replace(self, mode=lower)
        return replace(self, dropped=self.dropped | set(sent)) if sent else None

    def _next_mode(self, kind: str) -> str | None:
        modes = MODES[kind]
        next_mode = modes.index(self.mode) + 1
        return modes[next_mode] if next_mode < len(modes) else None
