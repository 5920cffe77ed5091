"""Which chunk covers which gold span: the rules, each similarity against its definition, thresholds, decisions."""

from __future__ import annotations

import difflib
import random

import numpy as np
import pytest
from evidence_cases import naive_covers, naive_partial, run_with_texts, truth_with_evidence

from ragdash.core.errors import InputError, Unavailable
from ragdash.matching.evidence import (
    HOW,
    digest,
    embedded_texts,
    match_evidence,
    normalize,
    read_decisions,
    similarity,
    spans,
    write_decisions,
)
from ragdash.matching.evidence.spans import LONG, place_in, split_span, words
from ragdash.matching.views.evidence import NEVER
from ragdash.models.local import ENCODER, default_score_cache
from ragdash.models.local.score_cache import text_key

pytestmark = pytest.mark.filterwarnings("error")

SPAN = "The office in Paris was opened in the spring of that year."
CHUNK = f"History. {SPAN} It has forty desks and a small garden behind the house."


def match(chunks: list, evidence: list, how: str = "partial", **options):
    run, truth = run_with_texts({"q": chunks}), truth_with_evidence({"q": evidence})
    if how == "embedding":
        let_speak(run, truth)
    return match_evidence(run, truth, how, **options)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_CACHE", str(tmp_path))


def let_speak(run, truth) -> None:
    """A random direction for each text that embedding asks for, so that different texts are not alike."""
    texts, store = embedded_texts(run, truth), default_score_cache()
    model = store.use(ENCODER, "random", "random-1", 256)
    vectors = np.array([np.random.default_rng(list(text.encode())).normal(size=384) for text in texts])
    store.save("vectors", model, [text_key(text) for text in texts], np.zeros(len(texts), bool),
              vectors.reshape(len(texts), 384))


def covers(chunk: str, span: str, how: str = "partial", threshold: float = 0.7) -> bool:
    return bool(match([chunk], [span], how).covered(threshold).hit[0])


@pytest.mark.parametrize("chunk, span, expected", [
    (CHUNK, SPAN, True),
    (CHUNK.upper().replace(" ", " \n\t"), SPAN, True),  # lower-cased, white space collapsed
    ("The office in Paris was opened", SPAN, True),  # the chunk stands in the span
    (CHUNK, "The garden in Rome was closed in the autumn of 1950, nobody knows why.", False),
    ("In 2021 there were 12.", "2019", False),
    ("In 2019 there were 12.", "2019", True),
    ("Its number is 120190.", "2019", False),
    ("Total: $4,312 million.", "$4,213 million", False),
    ("Total: $4,213 million.", "$4,213 million", True),
    ("Total: $1,496.5 million.", "496.5", False),
    ("Total: 496.55 million.", "496.5", False),
    ("It was 496.5.", "496.5", True),
    ("A change of -12.6 percent", "12.6", False),
    ("In 2018-2019 it grew.", "2019", True),
    ("The classroom was empty.", "class", False),
    ("The class_room was empty.", "class", False),
    ("The class was empty.", "class", True),
    ("He said: cafe\u0301 society", "cafe", False),
    ("我在东京都工作", "东京都", True),
    ("(12.6)", "(12.6)", True),
    ("2017 1,107.7 2018 1,202.9 2019 1,496.5 2020 1,611.3 sales", "2017 1,107.7 2018 1,202.9 2019 1,496.4", False),
    ("sales 2017 1,107.7 2018 1,202.9 2019 1,496.5", "2017 1,107.7 2018 1,202.9 2019 1,496.5", True),
    ("2021", "Sales rose in 2019, as they had in the year before that one.", False),  # a short chunk, too, only exactly
    ("2019", "Sales rose in 2019, as they had in the year before that one.", True),
    ("", SPAN, False),
    ("  \n", SPAN, False),
    ("...", SPAN, False),  # without a letter or digit a text is empty
], ids=str)
@pytest.mark.parametrize("how", HOW)
def test_the_rule_under_every_similarity(how, chunk, span, expected):
    assert covers(chunk, span, how) is expected


@pytest.mark.parametrize("how, expected", [("partial", True), ("sequence", False), ("exact", False), ("tokens", True)])
def test_a_span_with_edits_in_a_long_chunk(how, expected):
    """What full-string similarity can hardly ever see."""
    span = SPAN.replace("opened", "0pened").replace("Paris", "Pariss")
    assert covers(CHUNK, span, how) is expected
    assert covers(CHUNK + " More and more of it." * 40, span, how) is expected


def test_partial_is_the_best_alignment_of_the_shorter_text():
    rng = random.Random(1)
    letters = "abcdefgh "
    for _ in range(60):
        span = normalize("x" + "".join(rng.choices(letters, k=rng.randint(26, 40))) + "x")
        chunk = list("y" + "".join(rng.choices(letters, k=rng.randint(26, 70))) + "y")
        if rng.random() < 0.5:
            chunk[1:1] = [c if rng.random() > 0.2 else rng.choice(letters) for c in span]
        chunk = normalize("".join(chunk))
        found = match([chunk], [span], floor=0.01).score
        assert found == pytest.approx([naive_partial(span, chunk)], abs=1e-12)


def test_sequence_is_difflib_to_the_last_digit():
    rng = random.Random(2)
    found, expected = [], []
    for _ in range(150):
        span = "".join(rng.choices("abcdefgh ", k=rng.randint(30, 300)))
        chunk = "".join(c if rng.random() > rng.choice([0.1, 0.3]) else rng.choice("ijkl") for c in span)
        found.append(match([chunk], [span], "sequence", floor=0.3).score)
        ratio = difflib.SequenceMatcher(None, normalize(span), normalize(chunk)).ratio()
        expected.append([ratio] if ratio >= 0.3 else [])
    assert [list(scores) for scores in found] == expected
    assert 20 < sum(map(len, expected)) < 150


def test_indel_which_sieves_for_sequence_is_never_below_it():
    from rapidfuzz.distance import Indel

    rng = random.Random(3)
    for _ in range(500):
        a, b = ("".join(rng.choices("abc", k=rng.randint(1, 30))) for _ in "ab")
        assert Indel.normalized_similarity(a, b) >= difflib.SequenceMatcher(None, a, b).ratio() - 1e-12


def test_normalising_is_lower_case_and_collapsed_white_space_whatever_the_character():
    for code in range(0x110000):
        character = chr(code)
        if character.isspace() or code < 0x3000 or code % 97 == 0:
            for text in (f"A{character}b", f"{character}A  b c{character}"):
                assert normalize(text) == " ".join(text.lower().split()), code


def test_words_of_ascii_are_those_of_any_text():
    rng = random.Random(6)
    for _ in range(500):
        text = "".join(rng.choices("ab_9.,- '$%", k=20))
        assert words(text) == words(text + " \u00e9")[:-1]


def test_tokens_is_the_share_of_the_spans_distinct_words():
    span = "the cat and the dog went to the market"  # 7 distinct words
    assert match(["A cat, a dog; the market! Nothing else happened there on Monday."], [span], "tokens").score == \
        pytest.approx([4 / 7])


@pytest.mark.parametrize("how, ours", [
    ("partial", naive_partial), ("exact", lambda a, b: 0.0),
    ("sequence", lambda a, b: difflib.SequenceMatcher(None, a, b).ratio()),
    ("tokens", lambda a, b: len(set(a.split()) & set(b.split())) / len(set(a.split())))], ids=["p", "e", "s", "t"])
def test_random_cases_against_the_rule_written_out(how, ours):
    rng = random.Random(how)
    vocabulary = ["alpha", "beta", "gamma", "delta", "of", "to", "12", "2019", "45.7", "epsilon", "zeta"]
    seen = set()
    for _ in range(12):
        evidence = [" ".join(rng.choices(vocabulary, k=rng.choice([1, 2, 6, 9]))) for _ in range(3)]
        chunks = [" ".join(rng.choices(vocabulary, k=rng.choice([1, 4, 12]))) for _ in range(3)]
        place = rng.randrange(3)
        chunks[place] += " " + rng.choice(evidence).upper().replace("a", "e", 1)
        chunks[0] = rng.choice([chunks[0], rng.choice(evidence)])
        scores = match(chunks, evidence, how)
        for threshold in (0.5, 0.7, 0.9):
            covered = scores.covered(threshold)
            expected = [[naive_covers(chunk, span, ours, threshold) for chunk in chunks]
                        for span in dict.fromkeys(evidence)]
            assert covered.hit.tolist() == np.any(expected, axis=0).tolist()
            assert covered.span_rank.tolist() == [row.index(True) + 1 if any(row) else NEVER for row in expected]
            seen.update(covered.hit.tolist())
    assert seen == {True, False}


def test_another_threshold_compares_nothing_again(monkeypatch):
    scores = match([CHUNK], [SPAN.replace("office", "bureau")])
    monkeypatch.setattr(similarity, "similarities", None)
    monkeypatch.setattr(similarity, "score_pairs", None)
    exactly = float(scores.score[0])
    assert 0.7 < exactly < 1
    assert scores.covered(exactly).hit[0] and not scores.covered(np.nextafter(exactly, 1)).hit[0]


@pytest.mark.parametrize("threshold", [0.49, 1.01, float("nan")])
def test_a_threshold_below_the_floor_is_refused(threshold):
    with pytest.raises(InputError, match="lower floor"):
        match([CHUNK], [SPAN]).covered(threshold)


@pytest.mark.parametrize("options", [{"how": "magic"}, {"floor": 0.0}, {"floor": 1.1}, {"depth": 0}], ids=str)
def test_settings_that_do_not_exist_are_refused(options):
    with pytest.raises(InputError):
        match([CHUNK], [SPAN], **options)


_letters = random.Random(4)
LONG_SPAN = " ".join("".join(_letters.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(400))


@pytest.mark.parametrize("text", [LONG_SPAN, "word " * 1000, "长" * 4000, "a" * (LONG + 1), "b" * LONG, "a b"],
                         ids=lambda text: f"{text[:8]} {len(text)}")
def test_parts_of_a_span_are_whole_and_alike(text):
    plain = normalize(text)
    parts = split_span(plain)
    assert max(map(len, parts)) <= LONG and len(parts) == -(-len(plain) // LONG)
    assert "".join(parts).replace(" ", "") == plain.replace(" ", "")
    assert len(parts) == 1 or min(map(len, parts)) > LONG / 4
    assert " " not in plain or " ".join(parts) == plain


def test_a_split_span_is_covered_when_every_part_is():
    first, second = split_span(normalize(LONG_SPAN))
    both = match(["nothing at all to be seen here, friends", f"so: {second}", "no", f"and: {first} end"], [LONG_SPAN])
    covered = both.covered()
    assert covered.span_rank.tolist() == [4]
    assert covered.hit.tolist() == [False, True, False, True]  # a part is evidence, too
    assert both.table().select(["rank", "part", "parts"]).to_pylist() == [
        {"rank": 2, "part": 2, "parts": 2}, {"rank": 4, "part": 1, "parts": 2}]
    assert match([f"so: {second}"], [LONG_SPAN]).covered().span_rank.tolist() == [NEVER]
    assert match([f"so: {LONG_SPAN}!"], [LONG_SPAN]).covered().span_rank.tolist() == [1]
    across = LONG_SPAN[len(first) - 100:len(first) + 100]  # stands in the span, in neither part
    assert match([across], [LONG_SPAN]).covered().span_rank.tolist() == [1]


def test_sequence_takes_a_long_span_whole():
    span = "".join(chr(0x4E00 + i) for i in range(2000))
    edited = "".join(c if i % 10 else "x" for i, c in enumerate(span))
    assert match([edited], [span], "sequence").score.tolist() == [difflib.SequenceMatcher(None, span, edited).ratio()]


def test_sequence_sees_little_of_a_text_of_200_characters():
    """difflib passes over characters that are frequent in a second text of 200 or more: the published rule does."""
    near = LONG_SPAN[:400].replace("e", "ee")
    assert match([near], [LONG_SPAN[:400]], "partial").score[0] > 0.9
    assert len(match([near], [LONG_SPAN[:400]], "sequence").score) == 0


def test_spans_of_a_query_that_are_equal_once_normalized_are_one():
    truth = truth_with_evidence({"a": [SPAN, SPAN.upper() + " ", "Other evidence of another kind altogether"],
                                 "b": None, "c": ["", " ... ", SPAN]})
    found = spans(truth)
    assert found.query.tolist() == [0, 0, 2]
    assert [problem.kind for problem in found.problems] == ["empty-evidence", "repeated-evidence"]


def test_chunks_without_a_text_are_reported_before_those_with_a_text_of_the_corpus():
    from ragdash.core.corpus import Corpus
    from ragdash.core.records import Run

    corpus = Corpus.build("docs", ["d1"], [CHUNK])
    run = Run.build("run", ["q", "q"], ["d1", "d2"], texts=[None, None])
    scores = match_evidence(run, truth_with_evidence({"q": [SPAN]}).with_corpus(corpus))
    assert [(problem.kind, problem.severity) for problem in scores.problems] == [
        ("chunk-without-text", "warning"), ("texts-from-corpus", "note")]


def test_ranks_leave_out_repeats_and_stop_at_the_depth():
    from ragdash.core.records import Run

    truth = truth_with_evidence({"q": [SPAN], "p": [SPAN], "empty": [SPAN], "none": None})
    run = Run.build("run", ["x", "q", "q", "q", "p"], ["d", "d1", "d1", "d2", "d1"],
                    texts=["a", "no", "no", CHUNK, None])
    scores = match_evidence(run, truth)
    covered = scores.covered()
    assert covered.chunk_query.tolist() == [0, 0, 1]
    assert covered.chunk_rank.tolist() == [1, 2, 1]
    assert covered.span_rank.tolist() == [2, NEVER, NEVER]
    assert covered.returned.tolist() == [2, 1, 0, 0]
    assert covered.missing.tolist() == [False, False, True, True]
    assert covered.read.tolist() == [True, True, False]
    assert [problem.kind for problem in scores.problems] == ["chunk-without-text"]
    shallow = match_evidence(run, truth, depth=1).covered()
    assert shallow.span_rank.tolist() == [NEVER] * 3 and shallow.returned.tolist() == [1, 1, 0, 0]


def test_ranks_of_the_caller_win():
    """So that ties stand as the conventions have them."""
    run, truth = run_with_texts({"q": ["no", CHUNK, CHUNK]}), truth_with_evidence({"q": [SPAN]})
    assert match_evidence(run, truth).covered().span_rank.tolist() == [2]
    turned = match_evidence(run, truth, ranks=np.array([2, 3, 1]))
    assert turned.covered().span_rank.tolist() == [1]
    assert turned.table()["doc_id"].to_pylist() == ["d3", "d2"]
    assert turned.covered().chunk_rank.tolist() == [1, 2, 3]


def test_what_is_not_there_is_unavailable():
    with pytest.raises(Unavailable, match="without evidence"):
        match_evidence(run_with_texts({"q": [CHUNK]}), truth_with_evidence({"q": None}))
    with pytest.raises(Unavailable, match="without evidence"):
        match_evidence(run_with_texts({"q": [CHUNK]}), truth_with_evidence({"q": ["?!"]}))
    with pytest.raises(Unavailable, match="without texts"):
        match([None], [SPAN])


def test_a_run_that_returned_nothing():
    covered = match_evidence(run_with_texts({"other": ["text"], "q": []}), truth_with_evidence({"q": [SPAN]})).covered()
    assert covered.span_rank.tolist() == [NEVER] and not len(covered.hit)


@pytest.mark.parametrize("chunk, span", [
    (CHUNK, SPAN), ("Also:\t" + SPAN.replace(" ", " \n "), SPAN), ("İİİ  " + SPAN + " ẞ", SPAN.upper()),
    ("one two", "It was one two three times that he called the office."), ("  7 in 17 and 7", "7"),
])
def test_the_passage_stands_where_the_table_says(chunk, span):
    row = match([chunk], [span]).table().to_pylist()[0]
    said = normalize(chunk[row["start"]:row["stop"]])
    assert said == (normalize(span) if row["kind"] == "span in chunk" else normalize(chunk))
    assert chunk != "  7 in 17 and 7" or row["start"] == 2


def test_the_passage_of_an_edited_span():
    table = match(["Introduction. " + CHUNK.replace("opened", "0pened")], [SPAN]).table()
    row = table.to_pylist()[0]
    assert row["kind"] == "similar" and row["score"] < 1
    assert ("Introduction. " + CHUNK.replace("opened", "0pened"))[row["start"]:row["stop"]] == SPAN.replace(
        "opened", "0pened")
    nowhere = match([CHUNK.replace("opened", "0pened")], [SPAN], "tokens").table().to_pylist()[0]
    assert nowhere["start"] is None and nowhere["stop"] is None


def test_the_table_of_one_query():
    scores = match_evidence(run_with_texts({"a": [CHUNK], "b": ["no", CHUNK]}),
                            truth_with_evidence({"a": [SPAN], "b": [SPAN]}))
    assert scores.table()["query_id"].to_pylist() == ["a", "b"]
    assert scores.table(query_id="b").select(["query_id", "rank", "doc_id", "score"]).to_pylist() == [
        {"query_id": "b", "rank": 2, "doc_id": "d2", "score": 1.0}]
    with pytest.raises(KeyError):
        scores.table(query_id="c")


EDITED = SPAN.replace("spring", "autumn").replace("office", "bureau")


def test_borderline_pairs_come_nearest_first():
    berlin = SPAN.replace("Paris", "Berlin")
    scores = match([CHUNK, f"So. {EDITED} And so on for a while.", f"So. {berlin} Yes."], [SPAN])
    by_rank = dict(zip(scores.rank[scores.row_chunk].tolist(), scores.score.tolist(), strict=True))
    near = scores.borderline(by_rank[2], margin=1.0)
    assert near["rank"].to_pylist() == [2, 3]  # what one text has of the other whole is not in doubt
    assert near["passage"].to_pylist()[0].startswith("The bureau")
    assert scores.borderline(by_rank[2], margin=0.0)["rank"].to_pylist() == [2]


def test_decisions_win_over_the_threshold_and_are_kept(tmp_path):
    chunks = [CHUNK, f"So. {EDITED} And so on.", "Nothing of the kind stands in here at all, I fear."]
    scores = match(chunks, [SPAN, "Nobody ever wrote this sentence in any chunk of any kind"])
    decisions = {("q", digest(chunks[0]), digest(SPAN)): False, ("q", digest(chunks[2].upper()), digest(SPAN)): True,
                 ("q", "0" * 16, digest(SPAN)): True, ("other", digest(chunks[1]), digest(SPAN)): False}
    write_decisions(tmp_path / "decisions.jsonl", decisions)
    assert read_decisions(tmp_path / "decisions.jsonl") == decisions
    decided = scores.decided(decisions)
    assert scores.covered(0.95).span_rank.tolist() == [1, NEVER]
    assert decided.covered(0.95).span_rank.tolist() == [3, NEVER]
    assert decided.covered(0.5).hit.tolist() == [False, True, True]
    assert decided.table(0.95).select(["rank", "decision"]).to_pylist() == [{"rank": 3, "decision": "accepted"}]
    assert decided.settings["decisions"] == 2 and scores.settings["decisions"] == 0
    again = decided.decided({})
    assert again.covered(0.95).span_rank.tolist() == [1, NEVER] and len(again.score) == len(scores.score)


def test_an_accepted_chunk_covers_every_part_of_a_split_span():
    other = "Nothing of the kind stands in here at all, I fear."
    accepted = match([other], [LONG_SPAN]).decided({("q", digest(other), digest(LONG_SPAN)): True})
    assert accepted.covered(1.0).span_rank.tolist() == [1]


@pytest.mark.parametrize("line", ["{", "[]", '{"query_id": "q", "chunk": "a", "span": "b"}',
                                  '{"query_id": "q", "chunk": "a", "span": "b", "accept": 1}', "\\xff"])
def test_lines_that_are_no_decisions_are_named(tmp_path, line):
    good = '{"query_id": "q", "chunk": "a", "span": "b", "accept": true, "note": "sure"}\n'
    (tmp_path / "d.jsonl").write_bytes((good + "\n" + line + "\n").encode("latin-1"))
    with pytest.raises(InputError) as error:
        read_decisions(tmp_path / "d.jsonl")
    assert [problem.line for problem in error.value.problems] == [3]


def test_contradicting_decisions_are_named(tmp_path):
    line = '{"query_id": "q", "chunk": "a", "span": "b", "accept": %s}\n'
    (tmp_path / "d.jsonl").write_text(line % "true" + line % "false")
    with pytest.raises(InputError, match="accepted and rejected"):
        read_decisions(tmp_path / "d.jsonl")


@pytest.mark.slow
def test_one_megabyte_chunks_and_mixed_scripts():
    chunk, mixed = "мир 世界 عالم world " * 60_000, "世界 عالم world мир 世界 عالم world мир 世"
    scores = match([chunk + SPAN, "!" * 1_000_000, "ab" * 500_000], [SPAN, mixed])
    assert scores.covered().span_rank.tolist() == [1, 1]


def test_place_in_counts_whole_tokens_alone_where_asked():
    assert place_in("class classes class.", "class", whole_tokens=True) == 0
    assert place_in("classes class.", "class", whole_tokens=True) == 8
    assert place_in("classes class.", "class", whole_tokens=False) == 0
    assert place_in("classes", "class", whole_tokens=True) == -1
