"""The report in a real browser: no error, no request, and what one touches works."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.evaluation import nested_evaluate
from svmsieve.report import describe, to_html
from tests.report.browsing import Watched
from tests.report.problems import PROBLEMS

NAMES = (*PROBLEMS, "comparison", "alone")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_no_error_and_no_request(name, scheme, browser, pages):
    file = pages[0] / f"{name}.html"
    with Watched(browser, file, scheme=scheme) as watched:
        assert watched.errors == []
        assert watched.requests == [file.as_uri()]
        assert watched.page.locator("figure svg").count() > 0
        empty = watched.page.eval_on_selector_all(
            "figure", "all => all.filter(f => !f.querySelector('svg')).map(f => f.id)"
        )
        assert empty == []
        assert "NaN" not in watched.page.content().split('id="report-data"')[0]


@pytest.mark.parametrize("name", NAMES)
def test_phone_width_needs_no_sideways_scrolling(name, browser, pages):
    with Watched(browser, pages[0] / f"{name}.html", width=360) as watched:
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_slider_changes_list_error_and_confusion(browser, pages):
    content = pages[1]["classes"]
    with Watched(browser, pages[0] / "classes.html") as watched:
        page = watched.page
        seen = []
        for i, size in enumerate(content["curve"]["sizes"]):
            page.locator("#size").fill(str(i))
            names = page.locator("#size-features li").all_text_contents()
            assert names == content["ranking"]["names"][:size]
            cells = page.locator("#size-confusion td").all_text_contents()
            matrix = content["confusion"]["by_size"][i]
            assert list(map(int, cells)) == [n for row in matrix for n in row]
            shown = page.locator("#size-error").text_content()
            assert f"{100 * content['curve']['value'][i]:.1f} %" in shown
            seen.append(shown)
        assert len(set(seen)) > 1


def test_slider_obeys_the_keyboard_and_points_the_mouse(browser, pages):
    with Watched(browser, pages[0] / "classes.html") as watched:
        page = watched.page
        page.locator("#size").focus()
        page.keyboard.press("Home")
        assert page.locator("#size-features li").count() == 1
        page.keyboard.press("ArrowRight")
        assert page.locator("#size-features li").count() == 2
        page.locator("circle.hit").nth(3).click()
        assert page.locator("#size-features li").count() == 4
        assert watched.errors == []


def test_search_finds_a_name(browser, pages):
    with Watched(browser, pages[0] / "classes.html") as watched:
        page = watched.page
        assert page.locator("#ranks tbody tr").count() == 6
        page.locator("#search").fill("TWIN")
        assert page.locator("#ranks td:nth-child(2)").all_text_contents() == ["twin of plain"]
        page.locator("#search").fill("<b>")
        assert page.locator("#ranks td:nth-child(2)").all_text_contents() == ["<b>bold</b>"]
        page.locator("#search").fill("no such name")
        assert page.locator("#ranks tbody tr").count() == 0
        assert "0 of 6" in page.locator("#found").text_content()


@pytest.mark.parametrize("name", NAMES)
def test_printed_plots_are_not_cut(name, browser, pages):
    """On paper of A4's width nothing reaches over the edge, and no figure is taller than a page."""
    with Watched(browser, pages[0] / f"{name}.html", width=718) as watched:
        page = watched.page
        page.emulate_media(media="print")
        boxes = page.eval_on_selector_all(
            "figure svg, table",
            "all => all.map(e => e.getBoundingClientRect()).map(r => [r.left, r.right, r.height])",
        )
        assert boxes
        for left, right, height in boxes:
            assert left >= -1
            assert right <= 719
            assert height < 1040
        over = page.eval_on_selector_all(
            "figure svg",
            """all => all.filter(e => e.getBoundingClientRect().right >
            e.closest("figure").getBoundingClientRect().right + 1).length""",
        )
        assert over == 0
        avoid = page.eval_on_selector_all(
            "figure", "all => all.map(e => getComputedStyle(e).breakInside)"
        )
        assert set(avoid) <= {"avoid"}
        assert page.locator("nav").is_visible() is False


def test_ten_thousand_features_are_searched(browser, tmp_path):
    """A fitted selection from 10 000 features: the page is small, and all of them are in it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 10_000)), columns=[f"gene{i}" for i in range(10_000)])
    y = np.repeat(["tumour", "normal"], 30)
    X.iloc[:30, :20] += 1.5
    sieve = SVMSieve(SVC(), criterion="f-score", search="once", n_features_to_select=300, cv=3)
    content = describe(sieve.fit(X, y), X, y, evaluation=nested_evaluate(sieve, X, y, 3))
    file = tmp_path / "large.html"
    file.write_text(to_html(content), encoding="utf-8")
    assert file.stat().st_size < 6_000_000
    with Watched(browser, file) as watched:
        page = watched.page
        page.locator("#search").fill("gene9999")
        assert page.locator("#ranks td:nth-child(2)").all_text_contents() == ["gene9999"]
        page.locator("#search").fill("")
        assert page.locator("#ranks tbody tr").count() == 100
        page.locator("#more").click()
        assert page.locator("#ranks tbody tr").count() == 200
        names = page.locator("#ranks td:nth-child(2)").all_text_contents()
        assert names == content["ranking"]["names"][:200]
        assert page.locator("#ranks tr.selected").count() == 200
        assert watched.errors == []
