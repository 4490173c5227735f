"""The committed results are within bounds, agree with each other, and are what the code measures now."""

from __future__ import annotations

import json

import pytest

from svmsieve.papers import PAPERS, studies
from tests.papers import guards

FIRST_SEED = [
    ("chen2006", "printed", "ARCENE", "F+SVM", 3),
    ("chen2006", "sizes", "MADELON", "counted", 0),
    ("heiler2001", "selection", "breast cancer", "SVM Selection", 4),
    ("heiler2001", "selection", "crx", "No Selection", 2),
    ("heiler2001", "selection", "crx", "SVM Selection", 2),
    ("heiler2001", "selection", "diabetes", "SVM Selection", 1),
    ("heiler2001", "selection", "glass", "SVM Selection", 6),
    ("heiler2001", "selection", "led", "SVM Selection", 0),
    ("heiler2001", "relevance", "led", "d_k", 11),
    *(
        ("rakotomamonjy2003", "linear", n, m, 17)
        for n in ("10", "50")
        for m in ("SVM", "Corr", "∇‖w‖²", "‖w_i‖²")
    ),
    *(
        ("rakotomamonjy2003", "nonlinear", n, m, 23)
        for n in ("20", "100")
        for m in ("SVM", "∇‖w‖²", "∇S_p²")
    ),
    *(("rakotomamonjy2003", "colon", "colon", m, 5) for m in ("SVM", "Corr", "∇‖w‖²")),
    *(("rakotomamonjy2003", "lymphoma", "lymphoma", m, 5) for m in ("SVM", "Corr", "∇‖w‖²")),
    *(("rakotomamonjy2003", "breast-cancer", "breast-cancer", m, 61) for m in ("‖w_i‖²", "∇R²w²")),
    *(("rakotomamonjy2003", "heart", "heart", m, 3) for m in ("‖w_i‖²", "S_pi²")),
    ("rakotomamonjy2003", "nonlinear", "50", "‖w‖²", 3),
    ("rakotomamonjy2003", "stopping", "50 samples", "∇‖w‖²", 8),
    *(
        ("shen2008", f"monk{n}", f"MONK-{n}", m, 0)
        for n in (1, 2, 3)
        for m in ("FSPP1-INIT", "FSPP2-RFE")
    ),
    *(("shen2008", "weston", "Weston", m, 4) for m in ("FSPP2-INIT", "FSPP2-RFE")),
    ("shen2008", "weston", "Weston", "FSPP3-RFE", 44),
    *(("shen2008", "breast-cancer", "breast cancer", m, 77) for m in ("FSPP2-RFE", "Δ‖w‖²-RFE")),
    *(("shen2008", "heart", "heart", m, 9) for m in ("FSPP1-INIT", "∇‖w‖²-RFE")),
    *(
        ("yang2010", "artificial", n, m, 12)
        for n in ("200", "50")
        for m in ("Corr", "SD-L-RFE", "SD-G-RFE")
    ),
    *(("yang2010", "mpg", "mpg", m, 29) for m in ("Corr", "HSIC-RFE", "SD-L-RFE")),
    ("yang2010", "abalone", "abalone", "SD-L-RFE", 0),
    ("yang2010", "housing", "housing", "Δ‖ω‖²-RFE", 7),
    ("yang2010", "pyrim", "pyrim", "SD-G-RFE", 6),
    ("yang2010", "triazines", "triazines", "Corr", 6),
]
OTHER_SEEDS = [
    *(("heiler2001", "selection", "glass", "SVM Selection", 3, seed) for seed in (1, 2)),
    *(("heiler2001", "selection", "led", "SVM Selection", 8, seed) for seed in (1, 2)),
    *(
        ("rakotomamonjy2003", name, "30", "∇‖w‖²", 7, seed)
        for name in ("linear", "nonlinear")
        for seed in (1, 2)
    ),
    *(
        ("rakotomamonjy2003", name, name, "∇‖w‖²", 31, seed)
        for name in ("colon", "lymphoma")
        for seed in (1, 2)
    ),
    *(("yang2010", "artificial", "70", "SD-L-RFE", 4, seed) for seed in (1, 2, 3, 4)),
    *(
        ("yang2010", name, name, "SD-G-RFE", 6, seed)
        for name in ("mpg", "abalone")
        for seed in (1, 2)
    ),
]
QUICK = [guards.Unit(*unit) for unit in (*FIRST_SEED, *OTHER_SEEDS)]
"""Units that take a fraction of a second each."""
SLOW = {
    ("chen2006", "found"),
    ("heiler2001", "standardised"),
    ("heiler2001", "scales"),
    ("heiler2001", "led samples"),
    ("rakotomamonjy2003", "linear variants"),
    ("rakotomamonjy2003", "nonlinear variants"),
    ("rakotomamonjy2003", "colon logarithms"),
    ("rakotomamonjy2003", "influence"),
    ("rakotomamonjy2003", "sizes"),
    ("shen2008", "sizes"),
    ("shen2008", "challenge"),
    ("yang2010", "sizes"),
    ("yang2010", "parameters"),
    ("yang2010", "cpusmall"),
}
"""Studies of which no unit is run again here: ours beside the paper's, counts, and hours of tuning."""


@pytest.fixture(autouse=True)
def data(shared_data, monkeypatch):
    monkeypatch.setenv("SVMSIEVE_DATA", str(shared_data))


def test_every_study_has_its_runs():
    assert guards.incomplete(guards.committed()) == []


def test_values_are_within_their_bounds():
    assert guards.out_of_bounds(guards.committed()) == []


def test_values_agree_with_each_other():
    assert guards.disagreeing_with_each_other(guards.committed()) == []


@pytest.fixture(scope="module")
def results():
    return guards.results_of(guards.committed())


def test_means_are_of_the_size_of_the_printed_ones(results):
    assert guards.far_from_printed(results) == []


def test_remarks_are_about_the_cells_that_differ_and_no_others(results):
    assert guards.unexplained(results) == []


def test_verdicts_are_those_that_are_pinned(results):
    assert guards.changed(results) == []
    assert set(json.loads(guards.PINS.read_text(encoding="utf-8"))) == set(guards.pins(results))


@pytest.mark.parametrize("unit", QUICK, ids=lambda unit: "-".join(map(str, unit)))
def test_a_unit_that_is_run_again_is_the_same(unit):
    assert guards.not_reproduced(guards.committed(), unit, guards.rerun(unit)) == []


def test_the_printed_thresholds_of_chen_and_lin_give_the_printed_counts(results):
    counts = results["chen2006", "table 3"]
    errors = results["chen2006", "table 1"]
    for name in ("ARCENE", "DEXTER", "DOROTHEA", "MADELON"):
        count = counts.cell("#features selected", name)
        assert count.obtained == count.published
        error = errors.cell("F+SVM", name)
        assert abs(error.obtained - error.published) <= error.window


def test_units_of_nearly_all_studies_are_run_again():
    every = {(paper, name) for paper in PAPERS for name in studies(paper)}
    assert every - {(unit.paper, unit.study) for unit in QUICK} == SLOW


def test_a_unit_of_every_other_seed_is_run_again():
    others = {(*key, run.seed) for key, some in guards.committed().items() for run in some[1:]}
    assert others == {(u.paper, u.study, u.seed) for u in QUICK if u.seed}
