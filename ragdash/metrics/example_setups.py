"""The setups that the worked examples of the metrics share, small enough for pencil and paper.

An example is next to its metric, as an argument of the decorator. The tests compute every one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """spec applied to the given texts or ranking yields value; worked: how, in one line.

    about: the setup that several examples share, one of SETTINGS.
    """

    about: str
    spec: str
    value: float
    worked: str

    @property
    def setting(self) -> str:
        """The setup in words."""
        return SETTINGS[self.about]


RANKING, GRADES = "xabyz", {"a": 3, "c": 2, "b": 1, "x": 0, "y": 0}
SCORES = (5.0, 4.0, 3.0, 2.0, 1.0)
SPANS = ("the probe crashed in the Sea of Crises", "it drilled about two metres into the ground")
CHUNKS = ("Unrelated text about other missions and crews.",
          "On 21 July the probe crashed in the Sea of Crises, perhaps into a slope.",
          "Its arm dug small trenches in the soil nearby.", "There it drilled about two metres into the ground.")
QUESTION, ANSWER = "What is the capital of France?", "The capital of France is Paris"
REFERENCE = "Paris is the capital city of France"
DECLINED = "I don't know."
SALES_QUESTION, SALES_ANSWER = "What were the net sales in 2018?", "In 2018 net sales were $1.4965 billion."
SALES_REFERENCE = "$1,496.5 million"
GROUNDED = "Paris, the capital of France, has 2,200,000 inhabitants."
CONTEXT = "Paris is the capital of France. It has 2,102,650 inhabitants."

SETTINGS: Mapping[str, str] = {
    "ranking": "Returned, best first: x, a, b, y, z. Judged: a grade 3, c grade 2 (not returned), b grade 1, x and y "
               "grade 0; z is not judged.",
    "evidence": f"Gold spans: “{SPANS[0]}”, “{SPANS[1]}”. Returned: 1. “{CHUNKS[0]}” 2. “{CHUNKS[1]}” 3. “{CHUNKS[2]}” "
                f"4. “{CHUNKS[3]}” Chunk 2 covers the first span, chunk 4 the second.",
    "answer": f"Question: “{QUESTION}” Answer: “{ANSWER}” Reference: “{REFERENCE}”",
    "numbers": f"Question: “{SALES_QUESTION}” Answer: “{SALES_ANSWER}” Reference: “{SALES_REFERENCE}”",
    "declined": f"Answer: “{DECLINED}”",
    "grounded": f"Answer: “{GROUNDED}” Context: “{CONTEXT}”",
}
