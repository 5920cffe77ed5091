"""The report: what stands in it, what is left out and said so, and that it is one harmless file."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from helpers import run_of, truth_of
from hostile import BAD, runs_and_truth
from speed import quick

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.io import read_run, read_truth
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec, parse_specs
from ragdash.reporting.figure_zip import figure_archive
from ragdash.reporting.html.blocks import Text
from ragdash.reporting.html.content import ReportContent, ReportRequest
from ragdash.reporting.html.markdown import as_blocks, as_html, as_plain
from ragdash.reporting.html.report_page import build_report, build_sections, select_sections
from ragdash.reporting.html.sections import ASKED, ONE_PAGE, SECTIONS
from ragdash.reporting.html.sections.summary import _example_sides
from ragdash.reporting.html.static_picture import means_picture
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.sentences.formatting import escape, strip_markdown
from ragdash.reporting.sentences.runs.differences import differences_sentence
from ragdash.reporting.sentences.verdict import (
    decision_sentence,
    headline,
    verdict_sentence,
)

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "sample_runs"
NAMES = ("dense", "sparse", "hybrid")
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Elements of a page: tags with their attributes, headings, ids, the text outside scripts."""

    def __init__(self, content: bytes):
        super().__init__()
        self.tags, self.headings, self.scripts, self.text, self.open = [], [], [], "", []
        self.feed(content.decode())
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append((int(tag[1]), ""))
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"{tag} closed within {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        if "script" in self.open:
            self.scripts[-1] += data
        elif "style" not in self.open:
            self.text += data
            if self.open and re.fullmatch("h[1-6]", self.open[-1]):
                self.headings[-1] = (self.headings[-1][0], self.headings[-1][1] + data)


@pytest.fixture(scope="module")
def samples() -> tuple[Match, ...]:
    truth = read_truth(SAMPLES / "truth.jsonl")
    return tuple(Match(read_run(SAMPLES / f"{name}.jsonl"), truth) for name in NAMES)


@pytest.fixture(scope="module")
def made(samples) -> bytes:
    return build_report(ReportRequest(samples))


@pytest.fixture(scope="module")
def page(made) -> Page:
    return Page(made)


def test_the_verdict_says_the_same_sentence_as_the_page(samples, page):
    content = ReportContent(ReportRequest(samples))
    line = verdict_sentence(content.verdict)
    assert "sparse" in line and " ".join(as_plain(line).split()) in " ".join(page.text.split()).replace(" .", ".")


def test_the_verdict_compares_the_runs_in_the_order_of_the_leaderboard(samples):
    content = ReportContent(ReportRequest(samples, sections=("verdict",)))
    means = {name: row[0].mean for name, row in zip(content.names, content.summaries, strict=True)}
    best_first = [name for name in sorted(means, key=lambda name: -means[name]) if name != NAMES[0]]
    (section,) = build_sections(content)
    text = as_plain(section.blocks[0].text)
    places = [text.index(f"{name} minus {NAMES[0]}") for name in best_first]
    assert len(places) == 2 and places == sorted(places)


def test_the_most_frequent_failure_says_of_how_many_failing_queries(page):
    text = " ".join(page.text.split())
    assert re.search(r"The most frequent failure: “.+?” for \w+ \(\d+ of \d+ failing queries\)", text)
    assert "queries that go wrong." not in text


def test_every_section_stands_in_it_in_order(page):
    titles = [title for level, title in page.headings if level == 2]
    assert titles == [*(title for name, (title, _) in SECTIONS.items() if name not in ("judges", *ASKED))]


def test_headings_go_down_one_step_at_a_time(page):
    levels = [level for level, _ in page.headings]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_tables_and_pictures_can_be_read_by_those_who_do_not_see(page):
    assert all(attributes.get("scope") in ("col", "row") for tag, attributes in page.tags if tag == "th")
    assert sum(tag == "table" for tag, _ in page.tags) == sum(tag == "caption" for tag, _ in page.tags)
    pictures = [attributes for _, attributes in page.tags if "data-figure" in attributes]
    assert len(pictures) >= 10 and all(one["role"] == "group" and len(one["aria-label"]) > 20 for one in pictures)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_figures_are_data_for_both_appearances_and_plotly_stands_in_it_once(page):
    data = [script for script, (_, attributes) in zip(page.scripts, (one for one in page.tags if one[0] == "script"),
                                                      strict=True) if attributes.get("type") == "application/json"]
    assert data and all(set(json.loads(one)) == {"light", "dark"} for one in data)
    assert sum("plotly.js v" in script[:200] for script in page.scripts) == 1


def test_the_policy_names_exactly_the_scripts_of_the_file(page):
    policy = next(attributes["content"] for _, attributes in page.tags if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    run = [script for script, (_, attributes) in zip(page.scripts, (one for one in page.tags if one[0] == "script"),
                                                     strict=True) if "type" not in attributes]
    hashes = {base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in run}
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == hashes


def test_nothing_in_it_leads_out_of_the_file(page):
    for tag, attributes in page.tags:
        assert not attributes.keys() & {"src", "action", "data", "ping", "background"}, (tag, attributes)
        assert attributes.get("href", "#").startswith("#")
        assert not any(name.startswith("on") for name in attributes)


def test_enough_to_make_it_again(samples, page):
    for match in samples:
        assert match.run.digest in page.text
    assert samples[0].truth.digest in page.text
    for word in ("10,000 resamples", "seed 0", "unanswerable", "numpy", "corrected for all 3 pairs of the 3 runs"):
        assert word.casefold() in page.text.casefold()


def test_the_same_request_gives_the_same_bytes(samples, made):
    assert build_report(ReportRequest(samples)) == made


def test_texts_can_be_left_out(samples, made):
    content = build_report(ReportRequest(samples, texts=False))
    text = Page(content).text
    assert "left out on request" in text and "q053" in text
    assert "Carle Pieters" in Page(made).text and b"Carle Pieters" not in content
    for match in samples:
        for name in ("query", "answer"):
            for told in match.run.details[name].to_pylist()[:40]:
                assert not told or html.escape(told).encode() not in content


def test_sections_can_be_chosen(samples):
    own = Page(build_report(ReportRequest(samples, sections=("settings", "verdict"))))
    assert [title for level, title in own.headings if level == 2] == ["Verdict", "Settings"]
    assert not any("plotly.js v" in script for script in own.scripts), "no picture, no plotly"
    assert select_sections(None) == list(SECTIONS)
    for wrong in (["verdicts"], []):
        with pytest.raises(InputError, match="some of summary, verdict"):
            select_sections(wrong)


def bare() -> tuple[Match, ...]:
    truth = truth_of({"q1": ["a"], "q2": ["b"]})
    return (Match(run_of({"q1": ["a"], "q2": ["x", "b"]}, "one"), truth),)


def test_what_the_runs_lack_is_left_out_and_said():
    found = {one.name: one for one in build_sections(ReportContent(ReportRequest(bare())))}
    assert "answer" in found["answers"].reason and "latency_ms" in found["speed"].reason
    assert "One run alone" in found["queries"].reason
    text = Page(build_report(ReportRequest(bare()))).text
    assert "Not in this report" in text and found["speed"].reason in text


def test_runs_that_return_nothing_make_a_report():
    truth = truth_of({"q1": ["a"], "q2": ["b"]})
    runs = [Match(run_of({"q1": [], "q2": []}, name), truth) for name in ("x", "y")]
    text = Page(build_report(ReportRequest(runs))).text
    assert "No run returns a document" in text


def test_a_part_of_the_queries_counts_alone(samples):
    inside = np.zeros(len(samples[0].truth), bool)
    inside[:40] = True
    content = ReportContent(
        ReportRequest(samples, queries=inside, slice_title="the first 40", sections=("verdict", "settings"))
    )
    assert len(content.evaluations[0].query_ids) == 40
    assert "the first 40" in Page(build_report(content.request)).text
    known = int((samples[0].ranked.relevant() > 0)[:40].sum())
    assert content.summaries[0][0].n == known
    summary = next(section for section in build_sections(ReportContent(ReportRequest(
        samples, queries=inside, slice_title="the first 40"))) if section.name == "summary")
    assert "3 runs on 40 of 122 queries only (the first 40), ground" in as_plain(summary.blocks[0].text)


def test_the_deciding_queries_are_those_with_the_largest_differences(samples):
    content = ReportContent(ReportRequest(samples, parse_specs("nDCG@10")))
    section = next(one for one in build_sections(content) if one.name == "queries")
    shown = [one.query_id for one in section.blocks if one.kind == "query"]
    gap = content.evaluations[1].column("nDCG@10") - content.evaluations[0].column("nDCG@10")
    ids = content.evaluations[0].query_ids.to_pylist()
    by_size = {name: abs(one) for name, one in zip(ids, gap, strict=True) if one == one}
    assert len(shown) == 8 and min(by_size[one] for one in shown) >= sorted(by_size.values())[-16]


@pytest.mark.parametrize("markdown, expected", [
    ("**a\\*b** <i>", "<strong>a*b</strong> &lt;i&gt;"),
    (":blue[better] \\[1\\]", '<span class="blue">better</span> [1]'),
    ("*x* `a<b`", "<em>x</em> <code>a&lt;b</code>"), ("a  \n:gray[b]", 'a<br><span class="gray">b</span>'),
    ("**open :blue[x", '<strong>open <span class="blue">x</span></strong>'), ("a ] b", "a ] b")])
def test_markdown_of_the_sentences_becomes_html(markdown, expected):
    assert str(as_html(markdown)) == expected


@pytest.mark.parametrize("bad", BAD)
def test_what_is_escaped_for_markdown_comes_out_as_written(bad):
    assert html.unescape(str(as_html(escape(bad)))).replace("\u2028", "\u2028") == bad
    assert "<script" not in str(as_blocks(bad)) and as_plain(escape(bad)).split() == bad.split()


@pytest.mark.parametrize("name", ["חיפוש צפוף", "بحث هجين", "\u202egnp", "a\u2069\u202eb", "\u2067x", "dense חיפוש"])
def test_a_name_from_right_to_left_does_not_turn_the_numbers_behind_it(name):
    """What is around the name has one direction: each mark that opens is closed within the name's own."""
    text, depth, turned = f"**{escape(name)}** (+0.290 [+0.096, +0.484])", 0, []
    for char in text:
        depth += (char in "\u2066\u2067\u2068") - (char == "\u2069")
        turned.append(depth > 0)
    assert depth == 0 and all(turned[text.index(char)] for char in name)
    assert not any(turned[text.index(" (+"):]) and not any(turned[:2])
    assert as_plain(text) == strip_markdown(text) and "\u2068" not in as_plain(text)


def test_a_name_from_left_to_right_has_no_marks_around_it():
    assert escape("dense café 密集") == "dense café 密集"


def test_hostile_fields_stay_text():
    runs, truth = runs_and_truth()
    found = Page(build_report(ReportRequest(tuple(Match(run, truth) for run in runs), title=BAD[1])))
    assert sum(tag == "script" for tag, _ in found.tags) == sum(
        "data-figure" in attributes for _, attributes in found.tags) + 2
    assert not any(tag in ("img", "svg", "iframe", "object", "form") for tag, _ in found.tags)
    assert BAD[0] in found.text and "{{ 7 * 7 }}" in found.text and "49{% raw" not in found.text
    assert next(text for level, text in found.headings if level == 1) == BAD[1]


def test_the_pictures_of_a_report_in_one_archive(samples):
    import io
    import zipfile

    content = figure_archive(ReportContent(ReportRequest(samples, sections=("leaderboard", "ranking"))), "json")
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert names == ["01-means.json", "02-differences.json", "03-at-RR.json", "04-at-nDCG.json", "05-first-rank.json"]
    means = json.loads(zipfile.ZipFile(io.BytesIO(content)).read(names[0]))["layout"]
    text = means["title"]["text"]
    assert text.startswith("<b>") and "95% interval" in text and " queries in the report." in text
    assert means["showlegend"]


def big(queries: int = 1_000, runs: int = 5, depth: int = 100) -> tuple[Match, ...]:
    rng = np.random.default_rng(0)
    ids = [f"query-{at}" for at in range(queries)]
    rows = np.repeat(ids, depth)
    judged = rng.integers(0, 300, queries * 3) * 3 + np.tile(np.arange(3), queries)
    truth = Truth.build("truth", np.repeat(ids, 3), [f"doc-{at}" for at in judged],
                        rng.integers(0, 3, queries * 3), details=pa.table({
            "query_id": ids, "query": [f"what is {one}?" for one in ids], "answers": [["some right words"]] * queries}))
    found = []
    for at in range(runs):
        docs = np.concatenate([rng.permutation(900)[:depth] for _ in ids])
        scores = np.tile(-np.arange(depth, dtype=float), queries)
        text = "some text of a document " * 8
        details = pa.table({"query_id": ids, "answer": ["some words, right or not"] * queries,
                            "contexts": [[text] * 3] * queries, "latency_ms": rng.gamma(4, 50, queries),
                            "prompt_tokens": rng.integers(500, 900, queries), "cost_usd": rng.random(queries)})
        found.append(Run.build(f"run {at}", rows, [f"doc-{one}" for one in docs], scores, texts=[text] * len(rows),
                               details=details))
    return tuple(Match(run, truth) for run in found)


@pytest.mark.slow
def test_five_runs_of_a_thousand_queries_are_quick_and_small():
    matches = big()
    content = quick(lambda: build_report(ReportRequest(matches)), 30)
    assert len(content) < 8_000_000


def test_the_one_page_has_its_picture_without_a_script_and_is_small(samples):
    """plotly.js alone takes 4.8 MB. The picture has each run's mean and interval at their places on the axis."""
    made = build_report(ReportRequest(samples, sections=ONE_PAGE))
    assert len(made) < 100_000 and b"plotly.js v" not in made and b"data-figure=" not in made
    text = made.decode()
    (label,) = re.findall(r'role="img" aria-label="([^"]+)"', text)
    assert label.startswith("Mean NDCG@10 of each run with its 95% interval: sparse 0.718, dense 0.711, hybrid 0.695")
    content = ReportContent(ReportRequest(samples, sections=ONE_PAGE))
    ticks = re.findall(r'<span style="left:([\d.]+)%">(0\.\d+)</span>', text)
    (first, start), (last, end) = ((float(place), float(number)) for place, number in (ticks[0], ticks[-1]))

    def place(value: float) -> float:
        return first + (last - first) * (value - start) / (end - start)

    for run, name in enumerate(NAMES):
        found = content.summaries[run][0]
        sign = re.search(rf'dots-bar run-{run}" style="left:([\d.]+)%;width:([\d.]+)%"></i><i class="dots-mark '
                         rf'run-{run}" style="left:([\d.]+)%', text)
        low, width, mean = map(float, sign.groups())
        assert (low, low + width, mean) == pytest.approx(
            (place(found.low), place(found.high), place(found.mean)), abs=0.2), name


def test_an_undefined_mean_is_said_in_the_picture():
    drawn = means_picture(["a", "b<"], [0, 1], np.array([0.5, np.nan]), np.array([np.nan, np.nan]),
                          np.array([np.nan, np.nan]), axis=axis_of(parse_spec("RR")), baseline=0)
    assert "undefined" in drawn and "b&lt;" in drawn and "nan" not in drawn


@pytest.mark.parametrize("baseline, shown", [(0, True), (None, False)])
def test_the_dotted_line_of_the_picture_is_explained_where_there_is_one(baseline, shown):
    values = np.array([0.5, 0.6])
    drawn = means_picture(["a", "b"], [0, 1], values, values - 0.1, values + 0.1, axis=axis_of(parse_spec("RR")),
                          baseline=baseline)
    assert ("dots-base" in drawn) is shown and ("dashed line: mean of the baseline" in drawn) is shown


def test_the_summary_has_decision_table_picture_and_three_queries(samples):
    content = ReportContent(ReportRequest(samples, sections=ONE_PAGE, author="R. Eader", date="2026-11-22"))
    (section,) = build_sections(content)
    kinds = [block.kind for block in section.blocks]
    assert [kinds.count(kind) for kind in ("grid", "picture", "query")] == [1, 1, 3]
    origin, decision = (block.text for block in section.blocks[:2])
    assert "2026-11-22 · R. Eader · 3 runs on 122 queries, ground truth “truth”, " in as_plain(origin)
    assert headline(content.verdict) in decision and differences_sentence(content.verdict) in decision
    assert decision_sentence(content.verdict) in decision
    best = content.verdict.best
    blocks = [block for block in section.blocks if block.kind == "query"]
    assert best != NAMES[0] and [block.why for block in blocks] == [
        f"A typical query on which {best} is better", f"A typical query on which {best} is worse",
        f"The largest loss of {best}"]
    better, worse = (content.evaluations[NAMES.index(name)].column(content.lead) for name in (best, NAMES[0]))
    rows = [content.evaluations[0].query_ids.index(block.query_id).as_py() for block in blocks]
    ahead = better - worse
    wins, losses = np.sort(ahead[ahead > 0]), np.sort(ahead[ahead < 0])
    assert ahead[rows[0]] == pytest.approx(np.median(wins), abs=0.1)
    assert ahead[rows[2]] == losses[0] < ahead[rows[1]] < 0
    note = as_plain(next(block.text for block in section.blocks if "Typical: half" in getattr(block, "text", "")))
    assert note == (f"By NDCG@10, {best} is better than {NAMES[0]} on {len(wins)} queries, worse on {len(losses)} and "
                    f"equal on {int((ahead == 0).sum())}. Typical: half of the differences on that side "
                    "are larger, half are smaller.")
    third = set(NAMES) - set(re.findall(r"(\w+) [\d.]+", next(
        block.values for block in section.blocks if block.kind == "query").partition(";")[0]))
    assert len(third) == 1 and all(re.search(rf"; {min(third)} [\d.]+$", block.values) for block in section.blocks
                                   if block.kind == "query"), "every run has its value"


@pytest.mark.parametrize(("ahead", "rows"), [
    ([0.5, 1.0, 0.2, -0.1, -0.9, -0.3, 0.0], [(0, "better"), (3, "worse"), (4, "loss")]),
    ([0.5, -0.2, 0.0], [(0, "better"), (1, "loss")]),
    ([-0.2, 0.0, np.nan], [(0, "loss")]),
    ([0.1, 0.9, 0.4, np.nan], [(1, "win"), (0, "better")]),
    ([0.7, 0.0], [(0, "win")]),
    ([0.0, 0.0, np.nan], []),
    ([-1.0, -1.0, 1.0, 1.0], [(3, "better"), (1, "worse"), (0, "loss")]),
])
def test_the_examples_are_of_both_sides_and_one_is_the_largest_loss(ahead, rows):
    """Typical is the middle difference of a side; the largest loss is never the typical one too."""
    sides = _example_sides(np.array(ahead))
    short = [words.split()[-1] if "typical" in words else words.split()[2] for words in sides.values()]
    assert list(zip(sides, short, strict=True)) == rows


def test_the_examples_of_equal_runs_are_their_worst_queries():
    best = run_of({"q1": ["a"], "q2": ["x", "a"], "q3": ["x"]}, "best")
    truth = truth_of({query: ["a"] for query in best.query_ids.to_pylist()})
    content = ReportContent(ReportRequest((Match(best.renamed("other"), truth), Match(best, truth)), parse_specs("RR"),
                                          sections=ONE_PAGE))
    (section,) = build_sections(content)
    assert [block.query_id for block in section.blocks if block.kind == "query"] == ["q3", "q2", "q1"]
    assert "The queries with the worst MRR of" in " ".join(getattr(block, "text", "") for block in section.blocks)


def test_the_summary_says_what_each_metric_of_its_table_is(samples):
    (section,) = build_sections(ReportContent(ReportRequest(samples, sections=ONE_PAGE)))
    text = " ".join(as_plain(block.text) for block in section.blocks if isinstance(block, Text))
    for meaning in ("NDCG@10: How near the top of the first 10 ranks the relevant documents are",
                    "Recall@10: Share of the relevant documents", "95% interval: where the mean is expected"):
        assert meaning in text, meaning


def test_the_settings_of_the_files_end_the_one_pager_and_are_in_the_appendix_of_the_full_report(samples):
    (alone,) = build_sections(ReportContent(ReportRequest(samples, sections=ONE_PAGE)))
    assert as_plain(alone.blocks[-1].text).startswith("Settings in the files. ")
    assert not any("Settings in the files" in getattr(block, "text", "") for block in alone.blocks[:-1])
    small, large = (Match(replace(match.run, settings={"chunk_size": size}), match.truth)
                    for match, size in zip(samples, (256, 512), strict=False))
    (section,) = build_sections(ReportContent(ReportRequest([small, large], sections=ONE_PAGE)))
    assert "chunk size: 256" in as_plain(section.blocks[-1].text), "an identifier is written as words"
    full = build_sections(ReportContent(ReportRequest(samples, sections=(*ONE_PAGE, "settings"))))
    assert not any("Settings in the files" in getattr(block, "text", "") for block in full[0].blocks)
    assert "Settings of the runs" in [getattr(block, "text", "") for block in full[1].blocks]


def test_the_summary_says_where_no_run_returns_as_many_documents_as_count(samples):
    texts = ["".join(getattr(block, "text", "") for block in build_sections(ReportContent(ReportRequest(
        samples, k=k, sections=ONE_PAGE)))[0].blocks) for k in (10, 50)]
    assert [text.count("No run returns more than 30 documents per query, so the first 50 ranks") for text in texts] == [
        0, 1]


def test_the_summary_compares_every_run_with_a_baseline_that_is_not_the_best(samples):
    best = ReportContent(ReportRequest(samples)).verdict.best
    baseline = next(index for index, name in enumerate(NAMES) if name != best)
    content = ReportContent(ReportRequest(samples, sections=ONE_PAGE, baseline=baseline))
    (section,) = build_sections(content)
    sentence = differences_sentence(content.verdict)
    assert sentence in section.blocks[1].text
    others = [name for name in NAMES if name != NAMES[baseline]]
    assert all(f"**{name}** minus **{NAMES[baseline]}** (baseline) " in sentence for name in others)
    values = [block.values for block in section.blocks if block.kind == "query"]
    assert all(re.match(rf"NDCG@10: {NAMES[baseline]} [\d.]+, {best} ", text) for text in values)


def test_the_summary_of_one_run_shows_its_worst_queries(samples):
    (section,) = build_sections(ReportContent(ReportRequest(samples[:1], sections=ONE_PAGE)))
    values = [float(block.values.split()[-1]) for block in section.blocks if block.kind == "query"]
    assert values == [0.0, 0.0, 0.0] and "worst" in "".join(getattr(block, "text", "") for block in section.blocks)


def test_the_leaderboard_marks_the_best_the_tied_and_the_baseline(samples):
    truth = samples[0].truth
    poor = Match(run_of({query: ["apollo-12-landing"] for query in truth.query_ids.to_pylist()}, "poor"), truth)
    checked = ("unknown-ids", "shallow-run")  # what withholds the verdict on the poor run
    for runs, accepted, expected in ((samples, (), {"highest mean", "not clearly worse"}),
                                     ((samples[0], poor), (), {"highest mean", ""}),
                                     ((samples[0], poor), checked, {"best", ""})):
        content = ReportContent(ReportRequest(runs, parse_specs("nDCG@10"), baseline=1, sections=("leaderboard",),
                                              accepted=accepted))
        best, results = content.best_run(content.lead), content.against_best(content.lead)
        leads = "best" if all(pair.outcome == "worse" for pair in results.values()) else "highest mean"
        states = [leads if index == best else "not clearly worse" if results[index].tied else ""
                  for index in range(len(runs))]
        assert set(states) == expected
        table = build_sections(content)[0].blocks[0]
        shown = dict(re.search(r"<bdi>(\w+)</bdi>(?:<br>.*?>([^<]+)<)?", str(row[0])).groups("") for row in table.rows)
        assert shown == {name: ", ".join(filter(None, (state, "baseline" if index == 1 else "")))
                         for index, (name, state) in enumerate(zip(content.names, states, strict=True))}


def test_columns_of_numbers_are_aligned_and_the_sentence_on_first_ranks_has_the_numbers_of_its_table(samples):
    content = ReportContent(ReportRequest(samples, sections=("curves", "ranking")))
    blocks = [block for section in build_sections(content) for block in section.blocks]
    grids = [block.table for block in blocks if getattr(block, "table", None) is not None]
    assert len(grids) >= 4 and all(grid.numbers == set(range(1, len(grid.header))) for grid in grids)
    missed = {run: round(float(share[:-1])) for run, *_, share in next(
        grid.rows for grid in grids if grid.header[-1] == "none")}
    text = " ".join(as_plain(block.text) for block in blocks if hasattr(block, "text"))
    run, share = re.search(r" puts a relevant document first .*? (\w+) misses entirely for (\d+)%", text).groups()
    assert missed[run] == int(share) == min(missed.values())


def test_warnings_stand_in_the_summary(samples):
    truth = samples[0].truth
    rankings = {query: ["apollo-12-landing"] for query in truth.query_ids.to_pylist()[::2]}
    short = Match(run_of(rankings, "half"), truth)
    page = Page(build_report(ReportRequest((samples[0], short), sections=ONE_PAGE)))
    assert (3, "Warnings") in page.headings and "Do not decide" in page.text
    assert page.text.count("Not comparable yet") == 1 and "--" not in page.text


def test_with_many_runs_the_summary_shows_five_and_counts_the_rest(samples):
    runs = tuple(samples[number % 3].renamed(f"run {number:02}") for number in range(12))
    content = ReportContent(ReportRequest(runs, sections=ONE_PAGE, baseline=11))
    (table,) = (block for block in build_sections(content)[0].blocks if block.kind == "grid")
    assert len(table.rows) == 5 and "7 runs are not shown" in table.caption
    assert any("run 11" in str(row[0]) and "baseline" in str(row[0]) for row in table.rows)
    long_names = tuple(f"retriever-with-a-long-name_{number:02}_chunk512-overlap64-bge-large" for number in range(12))
    content = ReportContent(ReportRequest(runs, names=long_names, sections=ONE_PAGE, baseline=11))
    (table,) = (block for block in build_sections(content)[0].blocks if block.kind == "grid")
    numbers = [re.findall(r"_(\d\d)_", str(row[0])) for row in table.rows]
    assert len({number for (number,) in numbers}) == 5, "names that are alike at both ends stay different"


def test_the_command_makes_one_page_unless_the_full_report_is_asked_for(tmp_path, capsys):
    assert main(command(tmp_path, "--author", "R. Eader", "--date", "1 May")) == 0
    short = Page((tmp_path / "report.html").read_bytes())
    assert [title for level, title in short.headings if level == 2] == ["Summary"] and "1 May · R. Eader" in short.text
    assert main(command(tmp_path, "--full", "--date", "")) == 0
    full = [title for level, title in Page((tmp_path / "report.html").read_bytes()).headings if level == 2]
    assert full[:2] == ["Summary", "Verdict"] and "Versions and digests" in full


def command(tmp_path, *more: str) -> list[str]:
    runs = [f"{name}={SAMPLES / f'{name}.jsonl'}" for name in NAMES]
    return ["report", *runs, "--truth", str(SAMPLES / "truth.jsonl"), "-o", str(tmp_path / "report.html"), *more]


def test_a_run_with_a_negative_cost_has_a_report_that_says_so(tmp_path, capsys):
    for name, cost in (("good", 1.0), ("bad", -1.0)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(
            {"query_id": f"q{at}", "retrieved": ["a"], "cost_usd": cost, "latency_ms": 5.0}) + "\n" for at in range(8)))
    (tmp_path / "qrels.txt").write_text("".join(f"q{at} 0 a 1\n" for at in range(8)))
    paths = [tmp_path / "good.jsonl", tmp_path / "bad.jsonl", "--truth", tmp_path / "qrels.txt"]
    assert main(list(map(str, ["report", *paths, "--full", "-o", tmp_path / "page.html"]))) == 0
    assert "-1 in cost_usd" in Page((tmp_path / "page.html").read_bytes()).text
    assert main(list(map(str, ["evaluate", *paths, "-m", "RR", "--latency"]))) == 2
    assert "-1 in cost_usd" in capsys.readouterr().err


def test_the_command_writes_the_report(tmp_path, capsys):
    assert main(command(tmp_path, "--baseline", "hybrid", "--k", "5", "--title", "A & B", "--sections",
                        "verdict, versions,settings")) == 0
    found = Page((tmp_path / "report.html").read_bytes())
    assert "NDCG@5" in found.text and found.headings[0] == (1, "A & B")
    assert "No significant difference between" in found.text or "than hybrid" in found.text
    again = next(line for line in found.text.splitlines() if "ragdash report" in line).split("Made by")[-1].strip()
    assert shlex.split(again)[:3] == ["ragdash", "report", "dense=dense.jsonl"]
    assert str(SAMPLES) not in found.text and str(tmp_path) not in found.text, "no folder of this machine"


@pytest.mark.parametrize("more, said", [
    (("--sections", "verdikt"), "some of summary, verdict, leaderboard"),
    (("--baseline", "dens"), "one of 'dense', 'sparse'"),
    (("-m", "nDGC@10"), "nDCG")])
def test_a_wrong_word_is_told_and_nothing_is_written(tmp_path, capsys, more, said):
    assert main(command(tmp_path, *more)) == 2
    assert said in capsys.readouterr().err and not (tmp_path / "report.html").exists()


def test_a_full_disk_leaves_the_last_report_as_it_was(tmp_path, capsys, monkeypatch):
    (tmp_path / "report.html").write_text("the last one")
    monkeypatch.setattr(
        "ragdash.core.console.os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left"))
    )
    assert main(command(tmp_path, "--sections", "verdict")) == 2
    assert "No space left" in capsys.readouterr().err
    assert (tmp_path / "report.html").read_text() == "the last one" and len(list(tmp_path.iterdir())) == 1


def test_the_example_in_the_docs_is_that_of_its_command(tmp_path, monkeypatch, capsys):
    """Words and figures but for versions, which change what computes and draws them."""
    monkeypatch.chdir(ROOT)
    line = re.search(r"<!-- example -->\n```\n(ragdash .*)\n```", (ROOT / "docs" / "guide" / "share.md").read_text())[1]
    words = shlex.split(line)[1:]
    held = Page(Path(words[-1]).read_bytes())
    assert main([*words[:-1], str(tmp_path / "report.html")]) == 0
    fresh = Page((tmp_path / "report.html").read_bytes())
    assert held.headings == fresh.headings, "run: python tests/regenerate_documents.py"
    assert held.text.partition("ragdash0.1")[0].partition("Python")[0] == fresh.text.partition(
        "ragdash0.1")[0].partition("Python")[0], "run: python tests/regenerate_documents.py"
    assert (ROOT / "docs" / "example-report.html").stat().st_size < 6_000_000
