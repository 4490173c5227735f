"""What select and apply print is what was reviewed."""

import pytest

from tests.golden import bundled, real
from tests.golden.__main__ import REAL_TEXTS, TEXTS
from tests.golden.printing import printed

pytest.importorskip("skops")
ANEW = (
    "it differs from the text that was reviewed: python -m tests.golden writes it anew, then look"
)


def need(path):
    if path.endswith("xlsx"):
        pytest.importorskip("openpyxl")


def compare(text, path):
    assert text == path.read_text(encoding="utf-8"), ANEW


@pytest.mark.parametrize("name", bundled.CASES)
def test_a_table_of_each_kind(tmp_path, name, monkeypatch):
    make, case = bundled.CASES[name]
    need(case.table)
    monkeypatch.setenv("COLUMNS", "100")
    make(tmp_path)
    compare(printed(case, tmp_path), TEXTS / f"{name}.txt")


@pytest.mark.paper
@pytest.mark.parametrize("name", real.FILES)
def test_a_real_file(tmp_path, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    case = real.make(name, tmp_path)
    if case is None:
        pytest.skip("its package is not installed: vega_datasets, statsmodels")
    compare(printed(case, tmp_path), REAL_TEXTS / f"{name}.txt")


def test_every_text_belongs_to_a_case():
    assert {path.stem for path in TEXTS.glob("*")} == set(bundled.CASES)
    assert {path.stem for path in REAL_TEXTS.glob("*")} == set(real.FILES)
