"""The pages are made of the committed result files, and explain what differs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from svmsieve.papers import PAPERS, Measurements, views
from svmsieve.papers.pages import make_pages, with_scoreboard
from svmsieve.papers.scoreboard import Score, omitted, result_file, scores, total

DOCS = Path(__file__).resolve().parents[2] / "docs" / "papers"
EVERY = [(paper, item) for paper in PAPERS for item in views(paper)]


@pytest.mark.parametrize(("paper", "item"), EVERY)
def test_views_are_about_what_is_measured(paper, item):
    view = views(paper)[item]
    for row in view.rows:
        for column in view.columns:
            place = view.place(row, column)
            if place is not None:
                assert set(place.condition.split(" / ")) <= set(view.study.conditions)
                assert set(place.method.split(" / ")) <= set(view.study.method_names)
    assert {row for row, _ in view.published} <= set(view.rows)
    assert {column for _, column in view.published} <= set(view.columns)
    for claim in view.claims:
        assert claim.lower.condition in view.study.conditions
        assert {claim.lower.method, claim.higher.method} <= set(view.study.method_names)


@pytest.mark.parametrize("paper", PAPERS)
def test_items_are_told_apart(paper):
    items = [view.item for view in __import__(f"svmsieve.papers.{paper}", fromlist=["x"]).VIEWS]
    assert len(items) == len(set(items))


def test_a_page_tells_how_many_trials_each_method_has(tmp_path):
    pytest.importorskip("matplotlib")
    trials = {"SVM": 5, "Corr": 5, "‖w‖²": 3}
    values = {
        size: {
            name: {
                "error@2": dict.fromkeys(range(n), 0.4),
                "error@all": dict.fromkeys(range(n), 0.4),
            }
            for name, n in trials.items()
        }
        for size in ("10", "20", "30", "40", "50")
    }
    values["30"]["‖w‖²"]["error@2"].pop(2)
    made = Measurements("rakotomamonjy2003", "linear", values, {}, 1.0, "2026-01-01", "0", 0)
    file = result_file(tmp_path, "rakotomamonjy2003", "linear")
    file.parent.mkdir()
    file.write_text(made.to_json(), encoding="utf-8")
    (page,) = make_pages(tmp_path, ("rakotomamonjy2003",))
    text = page.read_text(encoding="utf-8")
    assert "0 to 5 of 100 trials" in text
    assert "Trials: 5 of SVM, Corr; 2 to 3 of ‖w‖²; 0 of R²w², S_p², " in text
    assert "Other seeds" not in text
    for seed in (1, 2):
        few = {"10": {"SVM": {"error@all": {0: 0.4}}, "Corr": {"error@2": {0: 0.4, 1: 0.3}}}}
        other = replace(made, values=few, seed=seed, date="2026-01-02")
        file = result_file(tmp_path, "rakotomamonjy2003", "linear", seed)
        file.write_text(other.to_json(), encoding="utf-8")
    (page,) = make_pages(tmp_path, ("rakotomamonjy2003",))
    text = page.read_text(encoding="utf-8")
    assert "Other seeds and their trials: 1, 2: 1 of SVM; 2 of Corr on 10 (2026-01-02)." in text


def test_committed_pages_are_those_of_the_committed_results(tmp_path, monkeypatch):
    figure = pytest.importorskip("matplotlib.figure")
    save, saved = figure.Figure.savefig, []

    def first_one(self, path, **options):  # texts are compared, and figures take their time
        if not saved:
            save(self, path, **options)
        saved.append(path)

    monkeypatch.setattr(figure.Figure, "savefig", first_one)
    (tmp_path / "results").symlink_to(DOCS / "results")
    for page in make_pages(tmp_path):
        committed = (DOCS / page.name).read_text(encoding="utf-8")
        assert page.read_text(encoding="utf-8") == committed, f"make {page.name} again"
    assert saved[0].exists()


def test_the_scoreboard_is_that_of_the_committed_results():
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    assert with_scoreboard(text, DOCS) == text, "make the pages again"


def test_the_scoreboard_adds_up():
    for paper in PAPERS:
        found = scores(DOCS, paper)
        for item, each in found.items():
            judged = each.agrees + each.differs + each.cannot_tell
            assert each.printed == judged + each.reason, item
            assert each.held <= each.claims
        whole = total(list(found.values()))
        assert whole == Score(*(sum(column) for column in zip(*found.values(), strict=True)))
        left_out = sum(each.numbers for each in omitted(paper))
        assert whole.reason >= left_out


PRINTED_NUMBERS = {
    # of all tables: Chen & Lin 13 + 3 (GISETTE), the tops, 10, 15, the forest's 16, two of 66
    "chen2006": 16 + 3 + 10 + 15 + 1 + 132,
    # six columns of nine sets less the wrapper of mfeat, 17 seconds as 8 + 8 ratios, r
    "heiler2001": 52 + 16 + 1,
    # Tables 1 to 4 with two errors of all variables, each with its deviation; eight counts
    "rakotomamonjy2003": 2 * (55 + 64 + 37 + 37) + 8,
    # Tables 1 to 3
    "shen2008": 9 + 8 + 20,
    # Tables 1 to 5: values and p-values
    "yang2010": 20 + 20 + 16 + 36 + 35 + 28 + 40 + 32,
}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_printed_number_has_a_verdict_or_a_reason(paper):
    assert total(list(scores(DOCS, paper).values())).printed == PRINTED_NUMBERS[paper]


@pytest.mark.parametrize("paper", PAPERS)
def test_table_1_is_one_table(paper):
    assert "table 1" in views(paper)


def test_a_table_of_a_paper_is_one_line_of_the_scoreboard():
    tables = {"chen2006": 3, "heiler2001": 2, "rakotomamonjy2003": 4, "shen2008": 3, "yang2010": 5}
    for paper, number in tables.items():
        lines = {name.partition(":")[0] for name in scores(DOCS, paper)}
        of_tables = {name for name in lines if re.fullmatch(r"table \d", name)}
        assert of_tables == {f"table {n}" for n in range(1, number + 1)}
        assert not any(name.startswith("table") for name in lines - of_tables)
