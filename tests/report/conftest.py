"""A browser, and reports as files."""

from __future__ import annotations

import os
import shutil

import pytest

from svmsieve.report import describe, to_html
from svmsieve.report.content import describe_comparison, describe_reproduction
from tests.report.problems import PROBLEMS, classified


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Reports as files, by name."""
    from svmsieve.evaluation import Comparison

    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name, problem in PROBLEMS.items():
        sieve, X, y, evaluation = problem()
        baselines = {"all features": evaluation.at_size(int(evaluation.sizes[-1]))}
        made[name] = describe(
            sieve,
            X,
            y,
            evaluation=evaluation,
            baselines=baselines,
            name=name,
            command="svmsieve select table.csv --target class",
            warnings=["Class 'a' has 4 rows: 4 outer folds, not 5.", "A file is old."],
        )
    evaluation = classified()[3]
    both = Comparison({"one": evaluation, "other": evaluation.at_size(1)})
    made["comparison"] = describe_comparison(both, name="two methods")
    made["alone"] = describe(classified()[0])
    rows = [["f-score", "<0.5"], ["fspp2", "0.4"]]
    tables = [{"title": "Table 1", "columns": ["method", "obtained"], "rows": rows}] * 2
    made["reproduction"] = describe_reproduction(
        "a paper", tables, command="svmsieve reproduce a", seconds=1.0, seed=0
    )
    for name, content in made.items():
        (folder / f"{name}.html").write_text(to_html(content), encoding="utf-8")
    return folder, made
