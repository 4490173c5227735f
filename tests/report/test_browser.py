"""The report in a real browser: no error, no request, and what one touches works."""

from __future__ import annotations

import os
import shutil

import pytest

from svmsieve.report import describe, to_html
from svmsieve.report.content import describe_comparison
from tests.report.problems import classified, grouped, regressed


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, driven by Playwright; missing is a failure in CI."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    reason = None if program else "Chromium is not installed: apt-get install chromium"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        reason = "Playwright is not installed: pip install playwright"
    if reason is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Reports as files, by name."""
    from svmsieve.evaluation import Comparison

    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name, problem in (("classes", classified), ("numbers", regressed), ("groups", grouped)):
        sieve, X, y, evaluation = problem()
        baselines = {"all features": evaluation.at_size(int(evaluation.sizes[-1]))}
        made[name] = describe(sieve, X, y, evaluation=evaluation, baselines=baselines, name=name)
    evaluation = classified()[3]
    both = Comparison({"one": evaluation, "other": evaluation.at_size(1)})
    made["comparison"] = describe_comparison(both, name="two methods")
    made["alone"] = describe(classified()[0])
    for name, content in made.items():
        (folder / f"{name}.html").write_text(to_html(content), encoding="utf-8")
    return folder, made


class Watched:
    """A page that notes errors and requests."""

    def __init__(self, browser, file, width=1280, scheme="light"):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        self.page = self.context.new_page()
        self.errors, self.requests = [], []
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


NAMES = ("classes", "numbers", "groups", "comparison", "alone")


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
        assert [each for each in empty if each != "comparison-curves"] == []
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
            cells = page.locator("#at-size table.confusion td").all_text_contents()
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
        assert page.locator("#ranks td.feature").all_text_contents() == ["twin of plain"]
        page.locator("#search").fill("<b>")
        assert page.locator("#ranks td.feature").all_text_contents() == ["<b>bold</b>"]
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
        avoid = page.eval_on_selector_all(
            "figure", "all => all.map(e => getComputedStyle(e).breakInside)"
        )
        assert set(avoid) <= {"avoid"}
        assert page.locator("nav").is_visible() is False


def test_ten_thousand_features_are_searched(browser, tmp_path, pages):
    content = dict(pages[1]["classes"])
    n = 10_000
    ranking = dict(content["ranking"])
    ranking["names"] = [f"gene{i}" for i in range(n)]
    for key in ("scores", "frequency", "mean_rank"):
        ranking[key] = [1.0 / (i + 1) for i in range(n)]
    for key in ("lowest_rank", "highest_rank"):
        ranking[key] = list(range(1, n + 1))
    content["ranking"] = ranking
    file = tmp_path / "large.html"
    file.write_text(to_html(content), encoding="utf-8")
    assert file.stat().st_size < 6_000_000
    with Watched(browser, file) as watched:
        page = watched.page
        page.locator("#search").fill("gene9999")
        assert page.locator("#ranks td.feature").all_text_contents() == ["gene9999"]
        page.locator("#search").fill("")
        assert page.locator("#ranks tbody tr").count() == 50
        page.locator("#more").click()
        assert page.locator("#ranks tbody tr").count() == 100
        assert watched.errors == []
