"""How long do the metrics of answers and grounding take, and how often are refusals and numbers recognized?

    python benchmarks/answers.py [--answers 100000] [--limit 60] [--seed 1] [--only texts|speed]
                                 [--mtrag FILE] [--ragchecker FILE] [--financebench FOLDER]

With files of public sets that people rated: how far each metric agrees with people, with intervals (agreement.py).
Then precision and recall, with exact 95 % intervals, on the labeled texts of the tests: those that rules were written
from, and those that no rule was written from; and on 719 cases in two halves, of which one was looked at to improve
rules (read_cases), with CoverEM next to NumberMatch. Then the speed.

Made-up text with the word frequencies of a natural one (Zipf's): answers of 60 words, all different, one reference of
40 words and one question of 10 each, five contexts of 120 words drawn from as many chunks as there are answers. A share
of the answers are copies of contexts, so that all values differ from 0. The views are fresh: every text is tokenised
within the time shown. Ends with status 1 where EM, F1, ROUGE-L and grounding together take longer than the limit, or
a sample of values is not that of rouge-score (where it is installed) or of plain counting.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import re
import string
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from agreement import add_sets, measure_sets

from ragdash.core.text import is_refusal, states_quantities
from ragdash.evaluation.stats import label_interval
from ragdash.matching.views.texts import Answered, Grounded
from ragdash.metrics import METRICS, parse_specs

PROMISED = "EM TokenF1 ROUGE_L SupportCoverage SupportDensity HallucinationRate UnsupportedNumbers"
BESIDE = ("TokenF1(tokens='set') ROUGE_L(tokens='rouge') ROUGE_1 ROUGE_2 "
          "ROUGE_L(stem='porter',tokens='rouge') AnswerRelevance Refusal EM(normalization='unicode') "
          "SupportDensity(normalization='unicode')")
CHECKED = 200
TEXTS = Path(__file__).parents[1] / "tests" / "core"


def views(answers: int, seed: int) -> tuple[Answered, Grounded]:
    rng = np.random.default_rng(seed)
    letters = random.Random(seed)
    book = ["the", "of", "and", "to", "a", "in", "is", "that", "it", "was", "for", "on", "are", "as", "with"]
    book += ["".join(letters.choices("etaoinshrdlu", k=letters.randint(3, 11))) for _ in range(30_000)]
    book = np.array([*book, *(f"{number:,}" for number in range(1, 20_000, 7))], object)
    weights = 1 / np.arange(2, len(book) + 2)
    weights /= weights.sum()

    def texts(count: int, words: int) -> list[str]:
        picked = book[rng.choice(len(book), (count, words), p=weights)]
        return [" ".join(row).capitalize() + "." for row in picked.tolist()]

    chunks = texts(answers, 120)
    contexts = [tuple(chunks[i] for i in row) for row in rng.integers(answers, size=(answers, 5)).tolist()]
    written = texts(answers, 60)
    written[::3] = [" ".join(contexts[q][0].split()[7:50]) + f", {q}." for q in range(0, answers, 3)]
    references = texts(answers, 40)
    references[::2] = [" ".join(written[q].split()[5:45]) for q in range(0, answers, 2)]
    references[::10] = [f"The {written[q]}" for q in range(0, answers, 10)]
    return (Answered(tuple(written), tuple((text,) for text in references), tuple(texts(answers, 10))),
            Grounded(tuple(written), tuple(contexts)))


def timed(names: str, answered: Answered, grounded: Grounded) -> tuple[float, dict]:
    """(seconds of all, {spec: values}); prints a line for each."""
    total, found = 0.0, {}
    for spec in parse_specs(names):
        view = {"Answered": answered, "Grounded": grounded}[spec.metric.view]
        begin = time.perf_counter()
        found[str(spec)] = METRICS[spec.name].function(view, **dict(spec.params))
        took = time.perf_counter() - begin
        total += took
        defined = found[str(spec)][~np.isnan(found[str(spec)])]
        print(f"  {spec!s:45} {took:7.2f} s   mean {defined.mean():.4f}, n {len(defined):,}")
    return total, found


def plain_tokens(text: str) -> list[str]:
    bare = "".join(char for char in text.lower() if char not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def wrong(found: dict, answered: Answered, grounded: Grounded) -> list[str]:
    """Names of metrics whose values of the first queries are not those of an independent count."""
    expected: dict[str, list[float]] = {"TokenF1": [], "SupportDensity": []}
    for q in range(min(CHECKED, answered.queries)):
        ours, right = plain_tokens(answered.answers[q]), plain_tokens(answered.references[q][0])
        held = {token for text in grounded.contexts[q] for token in plain_tokens(text)}
        expected["TokenF1"].append(2 * (Counter(ours) & Counter(right)).total() / (len(ours) + len(right)))
        expected["SupportDensity"].append(sum(token in held for token in ours) / len(ours))
    if importlib.util.find_spec("rouge_score"):
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer(["rougeL"])
        expected["ROUGE_L(tokens='rouge')"] = [scorer.score(answered.references[q][0],
                                                            answered.answers[q])["rougeL"].fmeasure
                                               for q in range(min(CHECKED, answered.queries))]
    return [name for name, values in expected.items() if not np.allclose(found[name][:CHECKED], values, 0, 1e-9)]


def labeled_texts() -> list[tuple[str, list[bool], list[bool]]]:
    """(name, alarms, labels) of each set of labeled texts."""
    def rows(name: str) -> list[list[str]]:
        return [line.split("\t") for line in (TEXTS / name).read_text(encoding="utf-8").splitlines()]

    halves, numbers = rows("held_out/refusals_in_halves.tsv"), rows("held_out/numbers.tsv")
    refusals = {"refusals, rules written from them": [row[::2] for row in rows("refusal_texts/texts.tsv")],
                "refusals, half to improve rules": [row[1::2] for row in halves if row[0] == "tuned"],
                "refusals, half held out": [row[1::2] for row in halves if row[0] == "held out"],
                "refusals, by another writer": [row[::2] for row in rows("held_out/refusals.tsv")]}
    sets = [(name, [is_refusal(text) for _, text in texts], [label == "1" for label, _ in texts])
            for name, texts in refusals.items()]
    sets.append(("refusals, no rule from them", *(sets[2][part] + sets[3][part] for part in (1, 2))))
    return [*sets, ("numbers, no rule from them", [bool(states_quantities(answer, reference, question))
                                                   for _, question, reference, answer in numbers],
                    [label == "1" for label, *_ in numbers])]


def read_cases() -> list[tuple[str, list[bool], list[bool]]]:
    """(name, alarms, labels) of the cases by an independent writer, half by half."""
    sets = []
    for half, note in (("tune", "half to improve rules"), ("held", "half held out")):
        refusals, numbers = (
            [case for case in map(json.loads, (TEXTS / f"read_cases/{name}.jsonl").open(encoding="utf-8"))
             if case["half"] == half] for name in ("refusals", "numbers"))
        declines = [case["refusal"] for case in refusals]
        asked = [is_refusal(case["answer"], case["question"]) for case in refusals]
        sets += [(f"read refusals, {note}", asked, declines),
                 ("  without the question", [is_refusal(case["answer"]) for case in refusals], declines)]
        for name in ("NumberMatch", "CoverEM"):
            values = METRICS[name].function(Answered(
                tuple(case["answer"] for case in numbers), tuple((case["reference"],) for case in numbers),
                tuple(case["question"] for case in numbers)))
            sets.append((f"read numbers, {note}" if name == "NumberMatch" else "  CoverEM on them",
                         [value == 1 for value in values], [case["right"] for case in numbers]))
    return sets


def print_recognition() -> None:
    """Precision and recall of each set of labeled texts."""
    for name, alarms, labels in [*labeled_texts(), *read_cases()]:
        alarm, label = np.array(alarms), np.array(labels)
        shown = ", ".join(f"{word} {hits.sum()}/{len(hits)} = {hits.mean():.3f} [{low:.3f}, {high:.3f}]"
                          for word, hits in (("precision", label[alarm]), ("recall", alarm[label]))
                          for low, high in [label_interval(hits.astype(float))])
        print(f"  {name:35} {len(label):4,d} texts: {shown}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that the promised metrics may take together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("texts", "speed"))
    add_sets(parser)
    options = parser.parse_args()
    if options.only != "speed":
        if not measure_sets(options):
            print("agreement with people: no rated set was given (--mtrag, --ragchecker, --financebench)")
        print("recognized, with exact 95 % intervals:")
        print_recognition()
    if options.only == "texts":
        return 0
    answered, grounded = views(options.answers, options.seed)
    print(f"{options.answers:,} answers, promised within {options.limit:g} s:")
    promised, found = timed(PROMISED, answered, grounded)
    print(f"  {'together':45} {promised:7.2f} s")
    print("beside them, on the same views:")
    _, more = timed(BESIDE, answered, grounded)
    bad = wrong(found | more, answered, grounded)
    print("values of the first queries:", f"WRONG: {', '.join(bad)}" if bad else "as an independent count has them")
    return int(bool(bad) or promised > options.limit)


if __name__ == "__main__":
    sys.exit(main())
