"""Every page's whole state stands in its address: whatever is chosen there, a second visitor sees the same."""

from __future__ import annotations

import base64
from urllib.parse import parse_qs, urlencode, urlsplit

import page_cases
import pytest
from page_cases import asked, charts, opened, shown, widget
from test_pages import PAGES

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.dashboard.session import keys, state
from ragdash.dashboard.session.address import current_address, short_address
from ragdash.dashboard.session.data_store import LOADED, workspace
from ragdash.workspace import Workspace

OURS = {*keys.SIDEBAR, *keys.PAGE}
KINDS = ("selectbox", "multiselect", "button_group", "text_input", "number_input", "checkbox", "toggle", "slider",
         "text_area")
# What is no choice of what is shown: it is done once (a name, a review), or kept in the workspace (prices, the shelf)
DOING = ("slot_", "name_", "collapse_", "kept_", "shelf_", "sure_", "role_", "review_", "price_", "uses_", "map_")
DOING += ("target_", "_way", "_slider", "_run_filters", "shown_runs_")  # these write a choice that is in the address
DOING += ("_report_", "view_")  # title and author are written into a file, a view into the workspace
DOING += ("_judge_",)  # an endpoint and a budget are not for who gets the link
PARTS = set(keys.PARTS_OF_PAGES)  # left alone: another part of a page is another page here
FILTERS = {"case", "least", "text", "attributes", "stages", "readings", "marked", "slice"}
KEPT = {"shown", "metric", "k", "baseline", "match"}  # left alone, so that the page has something to show
CHOSEN = {"compare": {"columns", "margin"}, "compare/queries": {"candidate", "picture", "outcome"},
          "compare/similarity": {"alike"}, "score-cutoffs": {"measure", "score", "tuned"},
          "threshold-bands": {"bands"}, "data/evidence": {"covers", "pairs"},
          "precision-recall": {"curves", "axis", "tradeoff"},
          "ranking": {"across", "up"}, "answers": {"answers", "answer", "right", "look", "kind"},
          "queries": {"look", "order"}, "what-if": {"fused"},
          "share": {"sections", "texts", "table", "format", "to", "look_as"}, "metrics": {"about", "find"}}
MOST_CHARACTERS = 300
TYPED = {"margin": "0.02", "find": "rank", "text": "the", "least": "0.01", "corpus": "300"}


@pytest.fixture(scope="module")
def samples() -> dict:
    """The address of the samples."""
    at = opened()
    at.button(key="samples").click().run()
    return dict(at.query_params)


def choices(at) -> dict:
    """{key: widget} of all that can be chosen on the page."""
    return {one.key: one for part in (at.main, at.sidebar) for kind in KINDS for one in part.get(kind) if one.key}


@pytest.fixture()
def menus(monkeypatch) -> dict:
    """{key: a call that gives another value}, of every choice that a page asked for."""
    found = {}
    one, several, share, text, number = (
        state.choice_key,
        state.choices_key,
        state.fraction_key,
        state.text_key,
        state.number_key,
    )

    def of_one(key, options, default, **more):
        others = [option for option in options if option != default]
        found[key] = others[len(others) // 2] if others else None
        return one(key, options, default, **more)

    def of_several(key, options, default, *, free=False):
        found[key] = list(default)[:-1] or list(options)[:1]
        return several(key, options, default, free=free)

    monkeypatch.setattr(state, "choice_key", of_one)
    monkeypatch.setattr(state, "choices_key", of_several)
    monkeypatch.setattr(state, "number_key", lambda key, *rest: found.update({key: "7"}) or number(key, *rest))
    monkeypatch.setattr(state, "fraction_key", lambda key, *rest: found.update({key: 0.45}) or share(key, *rest))
    monkeypatch.setattr(state, "text_key", lambda key: found.update({key: TYPED.get(key, "0.5")}) or text(key))
    return found


def address_of(page: str, parameters: dict) -> str:
    """What a browser shows for a page on this computer."""
    return f"http://127.0.0.1:8501/{page.partition('/')[0]}?{urlencode(parameters, doseq=True)}"


def set_address(at, parameters: dict) -> None:
    """What the next message of the browser has for its address."""
    at.query_params.clear()
    for key, value in parameters.items():
        at.query_params[key] = value


def seen(at) -> dict:
    """What the page says and shows."""
    return {"words": [one.value for kind in (at.title, at.header, at.markdown, at.caption) for one in kind],
            "charts": charts(at), "tables": [one.value.to_json() for kind in (at.table, at.dataframe) for one in kind],
            "lists": [one.proto.bytes for one in at.get("bidi_component")],
            "choices": {key: one.value for key, one in choices(at).items() if key in OURS}}


def test_an_attribute_other_than_that_of_the_verdict_is_in_the_address(samples):
    at = opened("compare", **samples, detail="slices")
    assert at.session_state["by"] == "type" and "by" not in at.query_params
    at.session_state["by"] = "difficulty"
    at.run()
    assert asked(at, "by") == ["difficulty"] and seen(opened("compare", **at.query_params)) == seen(at)


@pytest.mark.parametrize(("page", "kept", "chosen"), [
    *((page, PARTS, {"slice", *CHOSEN.get(page, ())}) for page in PAGES),
    ("queries", FILTERS | PARTS, {"query", "ranks", "against"})])
def test_what_is_chosen_on_a_page_stands_in_its_address_and_comes_back(page, kept, chosen, samples, menus):
    at = opened(page, **samples)
    altered: set[str] = set()
    for _ in range(3):  # a choice may bring others
        new = {key: value for key, value in menus.items() if key in OURS - KEPT - kept - altered
               and value not in (None, [])}
        for key, value in new.items():
            at.session_state[key] = value
        altered |= new.keys()
        at.run()
        assert not at.exception, at.exception
    others = [key for key in choices(at) if key not in OURS and not key.startswith(DOING)]
    assert not others, f"{others}: a choice that is not in the address"
    link = dict(at.query_params)
    assert len(address_of(page, link)) <= MOST_CHARACTERS, address_of(page, link)
    again = opened(page, **link)
    assert dict(again.query_params) == link
    assert seen(again) == seen(at)
    written, damaged = short_address.unpack(
        {key: [value] if isinstance(value, str) else value for key, value in link.items()})
    assert not damaged and not again.session_state["_left_out"]
    assert altered & written.keys() >= chosen


def test_an_address_of_an_earlier_version_holds_every_choice_and_opens(samples):
    runs = [token[:12] for token in samples["run"]]
    old = {**samples, "shown": runs[1:], "baseline": runs[2], "metric": "R@k", "k": "5", "columns": ["RR", "P@k"],
           "match": "id", "how": "partial", "from": "0.7", "decided": "yes", "missing": "zero", "view": "11"}
    at = opened("compare", **old)
    chosen = [at.session_state[key] for key in ("metric", "k", "columns", "missing")]
    assert chosen == ["R@k", "5", ["RR", "P@k"], "zero"]
    assert [digest[:12] for digest in at.session_state["shown"]] == runs[1:]
    assert at.session_state["baseline"].startswith(runs[2])
    assert asked(at, "baseline") == ["2"] and asked(at, "shown") == ["-0"]
    assert not at.query_params.keys() & {"how", "view"}
    assert opened("precision-recall", **old).session_state["tradeoff"] == "11"


def test_an_address_of_thirty_runs_is_short_and_opens_the_same_runs():
    """A run with a name of its own is written with it; the long address of an earlier version opens too."""
    truth = Truth.build("truth", ["q1"], ["a"], [1])
    many = [Run.build(f"retriever-{at:02}-chunk-512", ["q1"] * 2, ["a", f"of 30: {at}"], [2.0, 1.0])  # no other test's
            for at in range(30)]
    long = page_cases.address(truth, many)
    assert len(address_of("compare", long)) > 2 * MOST_CHARACTERS
    at = opened("metrics", **long)
    link = dict(at.query_params)
    assert len(address_of("metrics", link)) <= MOST_CHARACTERS
    again = opened("metrics", **link)
    assert again.session_state["_runs"] == at.session_state["_runs"] and dict(again.query_params) == link
    assert [entry.name for entry in at.session_state["_runs"]] == [run.name for run in many]
    named = [*long["run"][:7], long["run"][7].replace("retriever-07", "mine"), *long["run"][8:]]
    other = opened("metrics", **{**link, "run": dict(opened("metrics", **{**long, "run": named}).query_params)["run"]})
    assert [entry.name for entry in other.session_state["_runs"]][6:9] == [
        "retriever-06-chunk-512", "mine-chunk-512", "retriever-08-chunk-512"]
    content = b"".join(bytes.fromhex(token[:12]) for token in [*named[:7], *named[8:]])
    former = opened("metrics", **{**link, "run": [f"~{base64.urlsafe_b64encode(content).decode()}", f"7:{named[7]}"]})
    assert former.session_state["_runs"] == other.session_state["_runs"], "as earlier versions wrote it"
    broken = opened("metrics", **{**link, "run": ["~no digest"]})
    assert not broken.exception and "damaged: run cannot be read" in broken.warning[0].value


def test_names_that_the_files_do_not_have_are_few_characters_in_an_address():
    """As of files whose runs are called the same, so that each has the name of its file."""
    truth = Truth.build("truth", ["q1"], ["a"], [1])
    many = [Run.build("run", ["q1"] * 2, ["a", f"named {at}"], [2.0, 1.0]) for at in range(30)]
    chunks = [f"bge-m3-multi-vector-chunk{256 << at % 3}-overlap128-top{10 * (at // 3)}-reranked" for at in range(30)]
    long = page_cases.address(truth, many)
    long["run"] = [f"{token[:12]}.{at}.run ({name})" for at, (token, name) in enumerate(
        zip(long["run"], chunks, strict=True))]
    assert len(address_of("metrics", long)) > 2_000
    at = opened("metrics", **long)
    link = dict(at.query_params)
    assert len(address_of("metrics", link)) < 600
    again = opened("metrics", **link)
    assert [entry.name for entry in again.session_state["_runs"]] == [f"run ({name})" for name in chunks]
    damaged = opened("metrics", **{**link, "run": [link["run"][0], "~no names"]})
    assert not damaged.exception and "damaged: run cannot be read" in damaged.warning[0].value
    assert len(damaged.session_state["_runs"]) == 30


def test_the_way_back_leaves_out_what_was_chosen_since(samples):
    at = opened("compare", **samples)
    before = dict(at.query_params)
    at.session_state["k"], at.session_state["detail"] = "5", "slices"
    shown(at.run())
    assert asked(at, "k") == ["5"] and asked(at, "detail") == ["slices"]
    shown(at.run())  # the browser has taken the new address
    set_address(at, before)
    shown(at.run())
    assert at.session_state["k"] == "10" and dict(at.query_params) == before
    assert at.session_state["detail"] == opened("compare", **before).session_state["detail"] != "slices"


def test_clicks_in_quick_succession_undo_no_choice(samples, monkeypatch):
    """A message may have the address of before, which the browser has until it learns of the new one."""
    monkeypatch.setattr(current_address, "MOST_DELAY", 600.0)  # a run may take long here
    at = opened("compare", **samples)
    before = dict(at.query_params)
    shown(at.selectbox(key="k").select("5").run())
    after_first = dict(at.query_params)
    set_address(at, before)
    shown(at.selectbox(key="metric").select("P@k").run())
    set_address(at, after_first)
    baseline = at.selectbox(key="baseline").options[1]
    shown(at.selectbox(key="baseline").select_index(1).run())
    assert asked(at, "k") == ["5"] and asked(at, "metric") == ["P@k"] and asked(at, "baseline") == ["1"]
    assert at.selectbox(key="baseline").format_func(at.session_state["baseline"]) == baseline
    set_address(at, before)
    monkeypatch.setattr(current_address, "MOST_DELAY", 0.0)
    shown(at.run())
    assert at.session_state["k"] == "10" and dict(at.query_params) == before, "later it is a step back"


def test_a_choice_that_is_taken_back_in_quick_succession_is_what_the_browser_shows(samples, monkeypatch):
    monkeypatch.setattr(current_address, "MOST_DELAY", 600.0)
    at = opened("compare", **samples)
    before = dict(at.query_params)
    shown(at.selectbox(key="k").select("5").run())
    set_address(at, before)
    shown(at.selectbox(key="k").select("10").run())
    assert at.session_state["k"] == "10" and dict(at.query_params) == before


def test_a_link_may_fix_the_appearance(samples):
    at = opened("share", **samples, look_as="dark")
    plain, embedded = (one.value for one in at.main.get("code")[:2])
    assert plain.endswith("&embed_options=dark_theme") and "&embed=true&embed_options=dark_theme" in embedded
    at = opened("share", **samples)
    assert "embed_options" not in "".join(one.value for one in at.main.get("code")[:2])
    assert "embed_options" not in at.query_params, "nor in the address, which the sidebar shows"


def test_a_link_to_a_page_has_only_choices_of_that_page(samples):
    """Of a page that this session has not seen."""
    at = opened("share", **samples, bands_part="speed", detail="slices", to="compare")
    at.session_state["bands_part"], at.session_state["detail"] = "speed", "slices"
    shown(at.run())
    link = at.main.get("code")[0].value
    assert "/compare?" in link and "detail=slices" in link and "bands_part" not in link
    shown(at.selectbox(key="to").select("threshold-bands").run())
    link = at.main.get("code")[0].value
    assert "/threshold-bands?" in link and "bands_part=speed" in link and "detail" not in link


def test_a_link_to_a_page_has_no_choices_that_were_left_on_others(samples):
    """Filters of Queries, the run and the tab there, a mix of What-if: on no other page do they change what is seen."""
    at = opened("queries", **samples, text="moon", order="score", case="gains", least="0.1", tab="Answers",
                look="sparse")
    at.switch_page("pages/what-if.py").run()
    at.session_state["fusion"] = "rrf"
    shown(at.switch_page("pages/share.py").run())
    for page in ("compare", "ranking", "answers", "threshold-bands", "test-set", "score-cutoffs", "overview"):
        shown(at.selectbox(key="to").select(page).run())
        link = urlsplit(at.main.get("code")[0].value).query
        held = short_address.unpack(parse_qs(link))[0]
        assert held.keys() <= {"run", "truth", *(["look"] if page == "answers" else [])}, (page, held)
    shown(at.selectbox(key="to").select("queries").run())
    held = short_address.unpack(parse_qs(urlsplit(at.main.get("code")[0].value).query))[0]
    assert {"text", "least"} <= held.keys(), "what its reader sees"


def test_a_page_asks_for_no_choice_that_links_keep_from_it(samples):
    for page in ("compare", "ranking", "precision-recall", "score-cutoffs", "failures", "queries", "threshold-bands",
                 "what-if", "answers", "data", "test-set"):
        used = opened(page, **samples).session_state["_used"].keys() & {*keys.PAGE}
        assert used <= {*keys.keys_of_link(page), keys.TAB}, page


def test_the_pages_to_link_to_are_those_that_show_something(samples):
    offered = widget(opened("share", **samples), "selectbox", "to").options
    assert {"Overview", "Compare", "Answers", "What-if", "Share"} <= set(offered)
    assert not {"History", "Variants"} & set(offered), "no run of the samples is dated or has settings"
    single = opened("share", **{**samples, "run": samples["run"][:1]})
    assert "What-if" not in widget(single, "selectbox", "to").options


def test_a_link_to_the_samples_opens_on_a_server_that_has_not_opened_them(samples):
    LOADED.clear()
    at = opened("compare", **samples)
    assert not at.exception and len(at.session_state["_runs"]) == 3 and len(at.table)


def test_choices_packed_by_an_earlier_version_are_read():
    packed = ("hdI9DoAgDAbQ27hrJE4OnoSAYogaHcDB21taxWIwjvyX9_UOE9smCRS7ioVK_fVOFulDiFA7NUvi_umdc60IEs7CzVGzzHB6ay7R3u7"
              "r_M8Klx0P6RhEJJZwqTZRtN_W8IRjsoLT1oLhwoDxwig8Iad9wK2i8Eq3HZI6-rFclDaLw0WaiJtP")
    choices, _ = short_address.unpack({"run": ["a"], "choices": [packed], "k": ["5"]})
    assert len(choices) == 30 and choices["run"] == ["a"] and choices["k"] == ["5"]
    assert choices["against"] == ["contexts"] and choices["least"] == ["0.01"] and choices["right_judge"] == ["0.5"]


def warnings(at) -> str:
    assert not at.exception, at.exception
    return " ".join(warning.value for warning in at.warning)


def test_a_link_to_what_cannot_be_read_now_does_not_say_that_it_is_gone(monkeypatch):
    """As with a bucket that is away: the files are there, and loading them again would be wrong advice."""
    digest = workspace().add_run(Run.build("mine", ["q"], ["d"], [1.0])).digest

    def away(self, digest: str):
        raise InputError([Problem("unusable-blobs", {"reason": "no route"}, "s3://bucket")])

    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "load_run", away)
        at = opened("compare", run=[f"{digest}.0.mine"])
        text = warnings(at) + " ".join(card.value for card in at.error).replace("\\", "")
        assert "cannot be read now. It is not lost" in text and "no route" in text and "does not hold" not in text
    at = opened("compare", run=[f"{digest}.0.mine"], truth="0123456789ab")
    assert "cannot be read now" not in warnings(at) and "judgments that this server does not hold" in warnings(at)


def test_a_link_with_judgments_that_the_server_does_not_have_says_so(samples):
    gone = {**samples, "truth": "0123456789ab"}
    at = opened("compare", **gone)
    for _ in range(2):  # also when the page is loaded again
        assert "relevance judgments that this server does not hold" in warnings(at)
        assert "Load their file again" in warnings(at) and asked(at, "truth") == ["0123456789ab"]
        at = opened("compare", **dict(at.query_params))
    at = opened("compare", **samples)
    at.query_params["truth"] = "0123456789ab"
    at.run()
    assert "All numbers are by" in warnings(at) and "so they are not those of the link" in warnings(at)
    assert asked(at, "truth") == samples["truth"] if isinstance(samples["truth"], list) else [samples["truth"]]
    widget(at, "button", "forget_missing").click().run()
    assert not warnings(at)


@pytest.mark.parametrize("damage", [lambda text: text[:-9], lambda text: "nonsense", lambda text: "%%%"])
def test_a_link_whose_packed_choices_are_damaged_says_so(samples, damage):
    at = opened("compare", **samples, text="long " * 60, metric="R@k", detail="slices", columns=["P@k", "nDCG@k", "AP"])
    at.session_state["margin"] = "0.123456789" * 20
    link = dict(shown(at.run()).query_params)
    packed = link["c"] if isinstance(link["c"], str) else link["c"][0]
    assert not warnings(opened("compare", **link))
    at = opened("compare", **{**link, "c": damage(packed)})
    assert "The link is damaged: c cannot be read" in warnings(at)
    widget(at, "button", "forget_left_out").click().run()
    assert not warnings(at)


def test_a_link_with_choices_that_make_no_sense_says_what_is_shown_instead(samples):
    at = opened("compare", **samples, k="many", metric="Quality<b>", baseline="77", missing="perhaps", picture="sorted",
                detail="nothing", margin="x", utm_source="mail")
    words = warnings(at).replace("\\", "")
    assert words.startswith("Left out of the link") and "Shown instead: " in words and len(at.warning) == 1
    for text in ("k=many", "metric=Quality<b>", "baseline=77", "missing=perhaps", "detail=nothing", "k=10",
                 "metric=nDCG@k", "baseline=dense", "missing=zero"):
        assert text in words.replace(":color[", "").replace("]", ""), text
    assert "picture" not in words and "utm" not in words
    at.selectbox(key="k").select("20").run()
    assert "k=many" not in warnings(at) and "missing=perhaps" in warnings(at)
    widget(at, "button", "forget_left_out").click().run()
    assert not warnings(at)
    assert not warnings(opened("compare", **samples, k="010", tab="Rank"))
