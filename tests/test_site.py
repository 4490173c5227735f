"""The site says what is true: its code runs, its examples were run as they stand, every name has a page."""

from __future__ import annotations

import doctest
import hashlib
import importlib
import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from svmsieve.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [DOCS / "index.md", DOCS / "start.md", *sorted((DOCS / "guide").glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
PACKAGES = ("criteria", "datasets", "evaluation", "papers", "report", "search", "sizing")
PACKAGES += ("strategies", "testing")

EACH_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def text_of(page):
    return page.read_text(encoding="utf-8")


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)\n```", text_of(page), re.DOTALL)


@EACH_PAGE
def test_the_code_of_a_page_runs(page):
    code = "\n\n".join(blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(code, {}, page.stem, str(page), 0)
    said = []
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    doctest.DocTestRunner(optionflags=flags).run(test, out=said.append)
    assert not said, "".join(said)


@cache
def help_of(command):
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0, command
    return result.output


@EACH_PAGE
def test_commands_and_options_of_a_page_exist(page):
    inline = re.findall(r"`(svmsieve [a-z][^`]*)`", text_of(page))
    shown = [line for block in blocks(page, "console") for line in block.splitlines()]
    for line in [*inline, *shown]:
        words = line.removeprefix("$ ").split()
        if words[0] == "svmsieve" and words[1].isalpha():
            for option in (word for word in words[2:] if word.startswith("--")):
                assert re.search(rf"{option}\b", help_of(words[1])), line


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_was_run_as_it_stands(example):
    kept = DOCS / "gallery" / f"{example.name}.md5"
    now = hashlib.md5(text_of(example).encode(), usedforsecurity=False).hexdigest()
    assert kept.exists(), f"run {example.name}: make docs, then commit docs/gallery"
    assert text_of(kept) == now, f"{example.name} has changed: make docs, then commit docs/gallery"
    page = text_of(kept.parent / f"{example.stem}.rst")
    assert "site-packages" not in page, (
        f"{example.name} warns: its page shows a path of this machine"
    )


def test_the_gallery_has_the_examples_and_no_others():
    pages = {page.stem for page in (DOCS / "gallery").glob("plot_*.rst")}
    assert pages == {example.stem for example in EXAMPLES}
    assert len(pages) >= 15


@pytest.mark.parametrize("package", ["", *PACKAGES])
def test_every_public_name_has_its_place_in_the_reference(package):
    page = text_of(DOCS / "reference" / f"{package or 'selection'}.rst")
    public = importlib.import_module(f"svmsieve.{package}".rstrip(".")).__all__
    missing = [name for name in public if not re.search(rf"\b{name}\b", page)]
    assert set(missing) <= {"__version__"}


def test_ten_questions_are_answered_where_it_is_said():
    row = re.compile(r"^\| (.+) \| \[.+\]\((.+)\) \| (.+) \|$", re.M)
    answers = row.findall(text_of(DOCS / "questions.md"))
    assert len(answers) == 10
    for question, page, words in answers:
        file = DOCS / (page if page.endswith(".md") else f"{page}.rst")
        said = re.sub(r"\s+", " ", re.sub(r"[*`#]", "", text_of(file)))
        assert words in said, question


QUOTED = {
    # what pages quote of an example's output, and the example
    ("guide/wide.md", r"shows (\S+) % error, nested folds (\S+) %"): "plot_selection_bias",
    ("guide/numbers-for-a-paper.md", r"pure noise at (\S+) % error"): "plot_selection_bias",
    ("guide/which-criterion.md", r"`hsic` keeps (\d+) true ones"): "plot_madelon",
    ("guide/which-criterion.md", r"`hsic` puts them on places (\d+) and (\d+)"): "plot_xor",
    ("guide/which-criterion.md", r"with all columns on (\d+) and (\d+)"): "plot_xor",
}


@pytest.mark.parametrize(("place", "example"), QUOTED.items())
def test_quoted_numbers_are_those_of_the_example(place, example):
    page, pattern = place
    found = re.search(pattern, re.sub(r"\s+", " ", text_of(DOCS / page)))
    assert found, pattern
    printed = text_of(DOCS / "gallery" / f"{example}.rst")
    for number in found.groups():
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?![\d])", printed), number


PAIR = re.compile(r"(\d+\.\d+) ± (\d+\.\d+)")


def section(page, start, end=None):
    text = text_of(page)
    return text[text.index(start) : text.index(end) if end else None]


@pytest.mark.parametrize(
    ("page", "start", "end"),
    [
        (ROOT / "README.md", "## How it compares", "## Limits"),
        (DOCS / "guide" / "comparison.md", "## Quality", "## Speed"),
        (DOCS / "guide" / "when-not.md", "# When not", None),
        (DOCS / "guide" / "wide.md", "Expect to lose", "Ask for the stable"),
        (DOCS / "guide" / "which-criterion.md", "Single rankings", "What the papers"),
    ],
    ids=lambda value: getattr(value, "stem", ""),
)
def test_quoted_qualities_are_those_that_were_measured(page, start, end):
    measured = {
        tuple(f"{float(each):.1f}" for each in pair)
        for pair in PAIR.findall(text_of(DOCS / "quality.md"))
    }
    quoted = PAIR.findall(section(page, start, end))
    assert quoted
    assert set(quoted) <= measured, f"see docs/quality.md: {set(quoted) - measured}"


def test_the_crawler_finds_what_is_broken(tmp_path):
    spec = importlib.util.spec_from_file_location("crawl", DOCS / "_ext" / "crawl.py")
    crawl = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(crawl)
    assert crawl.wrong(tmp_path)  # no pages at all
    page = tmp_path / "index.html"
    page.write_text('<h1 id="top">x</h1><a href="#top">a</a><a href="https://example.org">b</a>')
    assert not crawl.wrong(tmp_path)
    for broken in (
        '<a href="gone.html">x</a>',
        '<a href="index.html#gone">x</a>',
        '<img src="gone.png">',
        '<script src="https://example.org/x.js"></script>',
        '<link rel="stylesheet" href="//example.org/x.css">',
    ):
        (tmp_path / "other.html").write_text(broken)
        assert len(crawl.wrong(tmp_path)) == 1, broken
