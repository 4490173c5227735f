"""The page for everyone: seen at once, by keys, by a checker, in the dark, without a script, on paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from svmsieve.report.drawing.palette import DARK, LIGHT, N_COLOURS
from tests.report.browsing import Watched
from tests.report.problems import PROBLEMS

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
NAMES = (*PROBLEMS, "comparison", "alone")
WANTED = "a, button, input, summary"


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 664)])
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_verdict_is_seen_without_scrolling(name, width, height, browser, pages):
    with Watched(browser, pages[0] / f"{name}.html", width, height=height) as watched:
        box = watched.page.locator("#verdict strong").bounding_box()
        told = watched.page.locator("#verdict strong").text_content().replace("\xa0", " ")
        assert told == pages[1][name]["verdict"]["sentence"]
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [
        *((name, 1280, "light") for name in NAMES),
        ("classes", 390, "dark"),
        ("numbers", 1280, "dark"),
        ("comparison", 390, "dark"),
        ("reproduction", 1280, "light"),
    ],
)
def test_a_checker_of_accessibility_finds_nothing(name, width, scheme, browser, pages):
    with Watched(browser, pages[0] / f"{name}.html", width, scheme) as watched:
        page = watched.page
        page.eval_on_selector_all("details", "all => all.forEach(each => { each.open = true })")
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        told = [
            (each["id"], [n["html"][:200] for n in each["nodes"]]) for each in found["violations"]
        ]
        assert told == []


def contrast(one, other):
    """The contrast of two colours (WCAG 2.1)."""

    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    a, b = sorted((light(one), light(other)))
    return (b + 0.05) / (a + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_stand_out_from_the_page(colours):
    for name in ("ink", "quiet", *map(str, range(N_COLOURS))):
        assert contrast(colours[name], colours["back"]) >= 4.5, name
        assert contrast(colours[name], colours["panel"]) >= 4.5, name
    assert contrast(colours["ink"], colours["note"]) >= 7.0
    assert colours.keys() == LIGHT.keys()


def test_tables_are_sorted_by_keys_alone(browser, pages):
    content = pages[1]["classes"]["ranking"]
    with Watched(browser, pages[0] / "classes.html") as watched:
        page = watched.page
        for _ in range(400):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent") == "selected in folds":
                break
        else:
            pytest.fail("no key reaches the head of the table")
        names = page.locator("#ranks td:nth-child(2)")
        head = page.locator("#ranks th", has_text="selected in folds")
        for direction, sign in (("ascending", 1), ("descending", -1)):
            page.keyboard.press("Enter")
            assert head.get_attribute("aria-sort") == direction
            order = sorted(range(6), key=lambda i: (sign * content["frequency"][i], i))
            assert names.all_text_contents() == [content["names"][i] for i in order]
        assert page.locator("#ranks [aria-sort]").count() == 1
        page.locator("#search").fill("plain")
        assert set(names.all_text_contents()) == {"plain", "twin of plain"}


def test_everything_that_can_be_used_is_reached_by_keys(browser, pages):
    with Watched(browser, pages[0] / "classes.html") as watched:
        page = watched.page
        wanted = page.eval_on_selector_all(
            WANTED, "all => all.filter(e => e.checkVisibility()).length"
        )
        reached = set()
        for _ in range(3 * wanted):
            page.keyboard.press("Tab")
            reached.add(
                page.evaluate(
                    f"[...document.querySelectorAll({WANTED!r})].indexOf(document.activeElement)"
                )
            )
        assert len(reached - {-1}) >= wanted
        page.locator("#size").focus()
        page.keyboard.press("Home")
        assert page.locator("#size-title").text_content() == "1 feature"


def test_all_columns_of_the_ranking_are_reached_on_a_telephone(browser, pages):
    with Watched(browser, pages[0] / "classes.html", 390, height=844) as watched:
        page = watched.page
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        last = page.locator("#ranks thead th").last
        last.scroll_into_view_if_needed()
        box = last.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


@pytest.mark.parametrize("name", NAMES)
def test_without_a_script_plots_and_tables_are_there(name, browser, pages):
    """What the script only moves, sorts and saves is in the page without it; nothing asks for it."""
    file = pages[0] / f"{name}.html"
    with Watched(browser, file) as with_script, Watched(browser, file, script=False) as without:
        count = {}
        for key, page in (("with", with_script.page), ("without", without.page)):
            visible = [e.is_visible() for e in page.locator("figure svg").all()]
            assert all(visible)
            rows = page.locator("table.data tbody tr").count()
            count[key] = len(visible), rows, page.locator("main h3").count()
        assert count["with"] == count["without"]
        for selector in ("#size", "#search", "#more", "#copy", "button"):
            assert not [e for e in without.page.locator(selector).all() if e.is_visible()]
        text = without.page.locator("body").inner_text()
        assert "Move the slider" not in text
        assert "NaN" not in text
        assert "undefined" not in text


@pytest.mark.parametrize("name", NAMES)
def test_on_paper_nothing_asks_to_be_touched(name, browser, pages, tmp_path):
    with Watched(browser, pages[0] / f"{name}.html", 718, "dark") as watched:
        page = watched.page
        page.emulate_media(media="print")
        assert "Move the slider" not in page.locator("body").inner_text()
        for selector in (".saves button", "#size", "#search", "#more", "#copy", "nav"):
            assert not [e for e in page.locator(selector).all() if e.is_visible()]
        back = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert back == "rgb(255, 255, 255)"  # of a dark page too
        page.pdf(path=tmp_path / "report.pdf", format="A4")
    data = (tmp_path / "report.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", data)) <= 15


@pytest.mark.parametrize("name", NAMES)
def test_every_axis_has_its_name_and_every_plot_its_words(name, browser, pages):
    with Watched(browser, pages[0] / f"{name}.html") as watched:
        plots = watched.page.eval_on_selector_all(
            "figure",
            """all => all.map(f => [f.id, f.querySelector('svg').getAttribute('aria-label'),
            [...f.querySelectorAll('svg text')].map(t => t.textContent)])""",
        )
    matrices = ("heat-map", "correlation-matrix", "tuning-grid")
    for plot, label, texts in plots:
        assert label
        words = [t for t in texts if re.search("[a-zγ]", t)]
        assert words, plot
        if plot in matrices:  # a colour key with the signs of both ends
            assert any("0" in t or "%" in t for t in texts)
    signed = [texts for plot, _, texts in plots if plot == "correlation-matrix"]
    assert all("−1" in texts and "+1" in texts for texts in signed)
