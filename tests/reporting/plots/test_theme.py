"""The colors stay apart for every reader, and labels do not lie on each other."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

import numpy as np
import pytest

from ragdash.analysis.diagnosis import STAGES
from ragdash.dashboard.pages.failures.query_map import stage_looks
from ragdash.reporting.plots import answers, ranking
from ragdash.reporting.plots.common import theme
from ragdash.reporting.plots.common.page_style import page_figure

ROOT = Path(__file__).resolve().parents[3]
# Machado, Oliveira & Fernandes 2009, severity 1.0, on linear RGB
VISION = {
    "normal": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(color: str) -> np.ndarray:
    part = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def oklab(light: np.ndarray) -> np.ndarray:
    """OKLab times 100: a distance of about 2 is just noticeable."""
    cone = np.clip(light, 0, 1) @ np.array(
        [
            [0.4122214708, 0.2119034982, 0.0883024619],
            [0.5363325363, 0.6806995451, 0.2817188376],
            [0.0514459929, 0.1073969566, 0.6299787005],
        ]
    )
    return 100 * (
        np.array(
            [
                [0.2104542553, 0.7936177850, -0.0040720468],
                [1.9779984951, -2.4285922050, 0.4505937099],
                [0.0259040371, 0.7827717662, -0.8086757660],
            ]
        )
        @ np.cbrt(cone)
    )


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio."""
    low, high = sorted(float(np.array([0.2126, 0.7152, 0.0722]) @ linear(color)) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def test_ink_is_readable_on_every_tint():
    for look in (theme.LIGHT, theme.DARK):
        for color in (look.better, look.worse):
            for share in (0.0, 0.25, 0.55):
                assert contrast(theme.tint(look, color, share), look.ink) >= 4.5
    assert theme.tint(theme.LIGHT, theme.LIGHT.worse, 0.0) == theme.LIGHT.paper


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISION)
def test_the_colors_of_two_runs_can_be_told_apart(look, vision):
    seen = {color: oklab(VISION[vision] @ linear(color)) for color in look.runs}
    distance = {pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]) for pair in itertools.combinations(look.runs, 2)}
    assert min(distance.values()) >= 13, f"choose colors that are further apart: {min(distance, key=distance.get)}"
    gray = oklab(VISION[vision] @ linear(look.gray))
    assert min(np.linalg.norm(gray - color) for color in seen.values()) >= 7


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_every_stage_of_the_query_map_has_a_color_and_a_symbol_of_its_own(look):
    """More than six colors are near each other for color-blind readers: there the symbol tells them apart."""
    order, colors, symbols = stage_looks(look)
    assert sorted(order) == list(range(len(STAGES)))
    assert len(colors) == len({*colors}) == len(symbols) == len({*symbols}) == len(STAGES)
    for vision, least in (("normal", 10.5), ("protan", 6), ("deutan", 6), ("tritan", 6)):
        seen = {color: oklab(VISION[vision] @ linear(color)) for color in colors}
        distance = {(one, other): np.linalg.norm(seen[one] - seen[other])
                    for one, other in itertools.combinations(colors, 2)}
        assert min(distance.values()) >= least, (vision, min(distance, key=distance.get))
    assert min(contrast(color, look.paper) for color in colors) >= 3


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_marks_and_text_stand_out_from_the_page(look):
    assert min(contrast(color, look.paper) for color in (*look.runs, look.gray)) >= 3
    assert min(contrast(color, look.paper) for color in (look.ink, look.muted, look.better, look.worse)) >= 4.5


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_the_page_theme_names_the_same_colors(look):
    page = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["theme"][look.name]
    assert page["backgroundColor"] == look.paper and page["textColor"] == look.ink
    assert tuple(page["chartCategoricalColors"]) == look.runs, \
        "write the colors of runs of theme.py into .streamlit/config.toml too"


def test_a_run_has_the_same_hue_in_light_and_dark():
    def hue(color: str) -> float:
        _, green_red, blue_yellow = oklab(linear(color))
        return float(np.degrees(np.arctan2(blue_yellow, green_red)))

    for light, dark in zip(theme.LIGHT.runs, theme.DARK.runs, strict=True):
        apart = abs((hue(light) - hue(dark) + 180) % 360 - 180)
        assert apart <= 12, (light, dark, apart)


def test_every_run_has_a_second_channel():
    looks = [theme.run_look(slot) for slot in range(10)]
    assert len({(look.color, look.symbol) for look in looks}) == 10
    assert len({look.sign for look in looks}) == 10
    assert {look.color for look in looks[6:]} == {theme.LIGHT.gray}


def test_of_many_runs_the_best_five_and_the_baseline_have_colors():
    order = list(range(29, -1, -1))
    slots = theme.color_best(list(range(30)), order, baseline=3)
    colored = {index for index, slot in enumerate(slots) if slot < theme.COLORED}
    assert colored == {29, 28, 27, 26, 25, 3} and slots[3] == 3, "a run that has a color keeps it"
    assert len(set(slots)) == 30
    assert theme.color_best(list(range(6)), [5, 4, 3, 2, 1, 0]) == list(range(6)), "six runs keep their colors"
    gray = theme.color_best([0, 9, 9, 7, 2, 1, 3, 4], list(range(8)))
    assert sum(slot < theme.COLORED for slot in gray) == 5 and gray[0] == 0


@pytest.mark.parametrize(
    ("places", "gap"),
    [([0.5, 0.5, 0.5], 0.1), ([0.1, 0.9, 0.12], 0.05), ([1.0], 1), ([], 1), ([0.3, 0.1, 0.2, 0.1], 0.2)],
)
def test_labels_are_moved_apart_in_their_order(places, gap):
    moved = theme.spread_positions(places, gap)
    order = np.argsort(places, kind="stable")
    assert np.all(np.diff(moved[order]) >= gap - 1e-9)
    assert len(moved) == 0 or np.mean(moved) == pytest.approx(np.mean(places))


def test_no_name_at_the_end_of_a_line_is_below_the_axis_where_its_labels_are():
    fig = theme.figure(theme.LIGHT, height=340)
    theme.end_labels(fig, theme.looks(["a", "b"], [0, 1], theme.LIGHT), [0.0, 0.02], [0.0, 1.0])
    low, high = sorted(note.y * (340 - 70) for note in fig.layout.annotations)  # pixels above the axis
    assert low >= 8 and high - low >= 16


def test_names_are_drawn_as_written():
    assert theme.shorten("<b>bold</b>") == "&lt;b&gt;bold&lt;/b&gt;"
    assert theme.shorten("a" * 40, 11) == "aaaaa…aaaaa"


def test_numbers_have_three_decimals_and_undefined_is_a_dash():
    assert theme.value_text(np.array([0.12345, -1.0, np.nan])).tolist() == ["0.123", "−1.000", "–"]


@pytest.mark.parametrize("appearance", [theme.LIGHT, theme.DARK], ids=lambda one: one.name)
def test_a_computed_hybrid_looks_like_no_loaded_run(appearance):
    computed = theme.run_look(theme.COMPUTED_SLOT, appearance, "tuned")
    assert computed.color not in (*appearance.runs, appearance.gray) and not computed.is_gray
    assert (computed.symbol, computed.sign, computed.name) == ("star", "★", "tuned")


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_the_shares_of_a_heat_map_are_readable_on_every_shade(look):
    cells = ranking.first_rank([f"run {row}" for row in range(5)], list(range(5)), ["1", "none"],
                               np.tile([0.3, 0.7], (5, 1)), theme=look).data[0]
    stops, colors = zip(*cells.colorscale, strict=True)
    channels = np.array([[int(color[at:at + 2], 16) for at in (1, 3, 5)] for color in colors])
    grounds = ["#" + "".join(f"{round(np.interp(place, stops, channel)):02x}" for channel in channels.T)
               for place in np.linspace(0, 1, 101)]
    assert cells.textfont.color == look.ink and min(contrast(look.ink, ground) for ground in grounds) >= 4.5


def test_a_legend_shows_two_dashes_of_every_line():
    named = {"dash": (9, 9), "dot": (3, 3), "dashdot": (9, 3, 3, 3), "longdash": (15, 15), "longdashdot": (15, 6, 3, 6)}
    for dash in set(theme.DASHES) - {"solid"}:
        lengths = named.get(dash) or tuple(int(part.removesuffix("px")) for part in dash.split(","))
        assert sum((*lengths, *lengths)[:3]) <= 30, f"{dash}: pixels of a line in a legend"


def test_a_long_name_is_in_a_legend_where_it_would_take_the_room_of_the_lines():
    values = np.array([[0.4, 0.5], [0.5, 0.6]])
    for names, in_legend in ((["dense", "hybrid"], False), (["dense-with-a-reranker-of-30", "hybrid"], True)):
        fig = ranking.at_cutoffs(names, [0, 1], np.array([1, 10]), values, values, values,
                                 axis=theme.Axis("MRR", 0.0, 1.0, "higher"))
        assert bool(fig.layout.showlegend) is in_legend
        assert (fig.layout.margin.r or 0) <= 24 + 7 * theme.DIRECT_NAME


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_the_number_of_a_correlation_is_readable_and_what_is_near_0_is_near_the_ground(look):
    rho = np.linspace(-1, 1, 17)
    fig = answers.correlation([str(value) for value in rho], ["R@5"], rho[:, None], np.full((17, 1), 9), theme=look)
    places, colors = zip(*fig.data[0].colorscale, strict=True)
    channels = np.array([[int(color[at:at + 2], 16) for at in (1, 3, 5)] for color in colors], float)
    cells = ["#" + "".join(f"{round(np.interp((value + 1) / 2, places, channel)):02x}" for channel in channels.T)
             for value in rho]
    assert min(contrast(cell, label.font.color)
               for cell, label in zip(cells, fig.layout.annotations, strict=True)) >= 4.5
    assert contrast(cells[8], look.paper) < 1.3 < min(contrast(cells[0], look.paper), contrast(cells[-1], look.paper))


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_words_of_axes_and_legends_are_readable_on_a_page(look):
    fig = theme.figure(look).add_scatter(x=[1, 2], y=[1, 2])
    fig.update_layout(xaxis_title_text="Cutoff k", showlegend=True)
    layout = page_figure(fig, look).to_dict()["layout"]
    axis = layout["xaxis"]
    colors = [axis["tickfont"]["color"], axis["title"]["font"]["color"], layout["font"]["color"],
              layout["legend"]["font"]["color"]]
    assert min(contrast(color, look.paper) for color in colors) >= 4.5
