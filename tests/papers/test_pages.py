"""The pages are made of the committed result files, and explain what differs."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy.stats import norm

from svmsieve.papers import PAPERS, Measurements, Result, views
from svmsieve.papers.pages import make_pages, result_file
from svmsieve.papers.rakotomamonjy2003 import SETTLED_ROWS

DOCS = Path(__file__).resolve().parents[2] / "docs" / "papers"
EVERY = [(paper, item) for paper in PAPERS for item in views(paper)]


@pytest.mark.parametrize(("paper", "item"), EVERY)
def test_views_are_about_what_is_measured(paper, item):
    view = views(paper)[item]
    for row in view.rows:
        for column in view.columns:
            place = view.place(row, column)
            if place is not None:
                assert place.condition in view.study.conditions
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


@pytest.mark.parametrize(("paper", "item"), EVERY)
def test_every_cell_that_differs_is_explained(paper, item):
    view = views(paper)[item]
    file = result_file(DOCS, paper, view.study.name)
    if not file.exists():
        return
    made = Measurements.from_json(file.read_text(encoding="utf-8"))
    assert (made.paper, made.study) == (paper, view.study.name)
    cells = Result.of(view, made).cells
    assert any(cell.n_trials for cell in cells)
    unexplained = [(c.row, c.column) for c in cells if c.verdict == "differs" and not c.remark]
    assert unexplained == []


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


def test_committed_pages_are_those_of_the_committed_results(tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "results").symlink_to(DOCS / "results")
    for page in make_pages(tmp_path):
        committed = (DOCS / page.name).read_text(encoding="utf-8")
        assert page.read_text(encoding="utf-8") == committed, f"make {page.name} again"


def test_the_note_on_chance_counts_the_cells_that_are_there():
    counted = []
    for item in ("table 1", "table 2"):
        view = views("rakotomamonjy2003")[item]
        file = result_file(DOCS, "rakotomamonjy2003", view.study.name)
        cells = Result.of(view, Measurements.from_json(file.read_text(encoding="utf-8"))).cells
        counted += [cell.verdict for cell in cells if cell.row in SETTLED_ROWS]
    assert set(counted) == {"agrees", "differs"}
    outside = counted.count("differs")
    (note,) = [note for note in view.notes if "chance alone" in note]
    assert f"Of the {len(counted)} cells" in note
    assert f" {outside} are outside two standard errors" in note
    assert f"would put {round(2.0 * norm.sf(2.0) * len(counted))} there (4.6 %)" in note
