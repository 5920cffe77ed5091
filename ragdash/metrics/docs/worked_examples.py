"""A worked example of each metric, small enough for pencil and paper; the tests compute every one of them."""

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
GROUNDED = "Paris, the capital of France, has 2,200,000 inhabitants."
CONTEXT = "Paris is the capital of France. It has 2,102,650 inhabitants."

SETTINGS: Mapping[str, str] = {
    "ranking": "Returned, best first: x, a, b, y, z. Judged: a grade 3, c grade 2 (not returned), b grade 1, x and y "
               "grade 0; z is not judged. So R = 3.",
    "evidence": f"Gold spans: “{SPANS[0]}”, “{SPANS[1]}”. Returned: 1. “{CHUNKS[0]}” 2. “{CHUNKS[1]}” 3. “{CHUNKS[2]}” "
                f"4. “{CHUNKS[3]}” Chunk 2 covers the first span, chunk 4 the second.",
    "answer": f"Question: “{QUESTION}” Answer: “{ANSWER}” Reference: “{REFERENCE}”",
    "declined": f"Answer: “{DECLINED}”",
    "grounded": f"Answer: “{GROUNDED}” Context: “{CONTEXT}”",
}


def _all(about: str, *rows: tuple[str, str, float, str]) -> dict[str, Example]:
    return {name: Example(about, spec, value, worked) for name, spec, value, worked in rows}


EXAMPLES: Mapping[str, Example] = {
    **_all(
        "ranking",
        ("P", "P@5", 0.4, "2 of the 5 ranks have a relevant document (a, b): 2 / 5"),
        ("R", "R@5", 2 / 3, "2 of the 3 relevant documents are in the first 5: 2 / 3"),
        ("F1", "F1@5", 0.5, "2 · 0.4 · 0.667 / (0.4 + 0.667)"),
        ("Success", "Success@5", 1.0, "a relevant document is among the first 5"),
        ("RR", "RR", 0.5, "the first relevant document, a, is at rank 2: 1 / 2"),
        ("AP", "AP", (1 / 2 + 2 / 3) / 3, "(1/2 at a + 2/3 at b + 0 for c) / 3"),
        ("nDCG", "nDCG@5", 0.5024905, "DCG = 3/log2(3) + 1/log2(4) = 2.393; ideal order a, c, b: 3 + 2/log2(3) + "
         "1/log2(4) = 4.762"),
        ("Rprec", "Rprec", 2 / 3, "R = 3, and 2 of the first 3 are relevant"),
        ("bpref", "bpref", 1 / 3, "one of two judged non-relevant documents is above a and b: (1 - 1/2) + (1 - 1/2) "
         "+ 0 for c, over 3"),
        ("ERR", "ERR@5", 0.875 / 2 + 0.125 / 3 * 0.125, "p(a) = 7/8, p(b) = 1/8: 0.875/2 + 0.125/3 · (1 - 0.875)"),
        ("RBP", "RBP", 0.288, "0.2 · (0.8 at rank 2 + 0.64 at rank 3)"),
        ("MeanRank", "MeanRank", 2.0, "the first relevant document is at rank 2"),
        ("FirstRank", "FirstRank", 2.0, "the first relevant document is at rank 2"),
        ("Judged", "Judged@5", 0.8, "x, a, b, y are judged, z is not: 4 / 5"),
        ("RBPResidual", "RBPResidual", 0.4096, "1 - 0.2 · (1 + 0.8 + 0.64 + 0.512), the four judged ranks"),
        ("n_ret", "n_ret", 5.0, "five documents"),
        ("n_rel", "n_rel", 3.0, "a, b, c"),
        ("n_rel_ret", "n_rel_ret", 2.0, "a, b"),
        ("AUC", "AUC", 0.5, "of the four pairs (a, x) (a, y) (b, x) (b, y) two have the relevant one higher"),
        ("AQWV", "AQWV@5", 1 - 1 / 3 - 40 * 3 / 5, "1 - 1/3 missed - 40 · 3/5 false alarms"),
        ("MQWV", "MQWV(corpus_size=1000)", 2 / 3 - 40 / 997, "best with x, a, b kept: 1 - 1/3 - 40 · 1/997, in a "
         "corpus of 1,000")),
    **_all(
        "evidence",
        ("EvidenceRecall", "EvidenceRecall@3", 0.5, "1 of 2 spans is covered by the first 3 chunks"),
        ("PerQueryCoverage", "PerQueryCoverage@3", 0.5, "1 of 2 spans is covered by the first 3 chunks"),
        ("FullCoverageRate", "FullCoverageRate@3", 0.0, "not every span is covered by the first 3 chunks"),
        ("ContextPrecision", "ContextPrecision@3", 0.5, "the only covering chunk is at rank 2, where precision "
         "is 1/2"),
        ("ContextRecall", "ContextRecall@3", 0.5, "1 of 2 spans is covered by the first 3 chunks"),
        ("NoiseShare", "NoiseShare@3", 2 / 3, "chunks 1 and 3 cover nothing: 2 of 3"),
        ("TokensToFullCoverage", "TokensToFullCoverage", 40.0, "chunks 1 to 4 have 7 + 15 + 9 + 9 words")),
    **_all(
        "answer",
        ("EM", "EM", 0.0, "after normalization the texts differ"),
        ("CoverEM", "CoverEM", 0.0, "the answer does not contain “paris is capital city of france” in this order"),
        ("TokenF1", "TokenF1", 10 / 11, "without articles 5 and 6 tokens, 5 in common: 2 · 5 / 11"),
        ("ROUGE_L", "ROUGE_L", 6 / 11, "longest common subsequence “capital of france”: 2 · 3 / 11"),
        ("ROUGE_1", "ROUGE_1", 12 / 13, "with articles 6 and 7 tokens, 6 in common: 2 · 6 / 13"),
        ("ROUGE_2", "ROUGE_2", 4 / 11, "5 and 6 pairs, “the capital” and “of france” in common: 2 · 2 / 11"),
        ("AnswerRelevance", "AnswerRelevance", 0.8, "“is capital of france” of 5 and 5 tokens: 2 · 4 / 10")),
    **_all("declined", ("Refusal", "Refusal", 1.0, "the answer says that it does not know")),
    **_all(
        "grounded",
        ("SupportCoverage", "SupportCoverage", 0.8, "the context contains paris, capital, france and inhabitants, "
         "but not 2200000: 4 / 5"),
        ("SupportDensity", "SupportDensity", 6 / 7, "6 of the 7 tokens, including “of” and “has”"),
        ("HallucinationRate", "HallucinationRate", 1 / 7, "1 of the 7 tokens is in no context"),
        ("UnsupportedNumbers", "UnsupportedNumbers", 1.0, "its only number, 2,200,000, is not in the context")),
}
