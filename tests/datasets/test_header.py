"""Whether the first row of a delimited file holds names or values."""

from __future__ import annotations

import warnings

import pytest

from svmsieve.datasets import DataWarning, read_table

SPECTRA = (
    "0.02,0.0371,0.0428,1,R\n0.0453,0.0523,0.0843,2,R\n0.0262,0.0582,0.1099,3,M\n0.01,0.3,0.2,1,M\n"
)
WAVELENGTHS = (
    "908.1,914.46,920.61,kind\n0.2,0.4,0.1,x\n0.3,0.1,0.7,y\n0.4,0.2,0.2,x\n0.5,0.9,0.3,y\n"
)


def read(folder, text, target=None, **options):
    path = folder / "data.csv"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_table(path, target, **options)


@pytest.mark.parametrize("written", ["points", "commas"])
def test_a_row_of_fractions_and_a_label_is_no_header(tmp_path, written):
    text = SPECTRA if written == "points" else SPECTRA.replace(",", ";").replace(".", ",")
    table = read(tmp_path, text, -1)
    assert table.y.tolist() == ["R", "R", "M", "M"]
    assert table.names == ["column 1", "column 2", "column 3", "column 4"]
    assert table.X["column 1"].tolist() == [0.02, 0.0453, 0.0262, 0.01]


def test_whole_numbers_are_names(tmp_path):
    table = read(
        tmp_path, "1990,2000,2010,y\n0.5,0.2,0.7,a\n0.1,0.8,0.3,b\n0.4,0.6,0.9,a\n0.3,1,2,b\n", -1
    )
    assert table.names == ["1990", "2000", "2010"]


@pytest.mark.parametrize(
    ("target", "options"),
    [("kind", {}), (-1, {"drop": ["908.1"]}), (-1, {"keep": ["908.1"]})],
)
def test_fractions_are_names_where_one_of_the_row_is_asked_for(tmp_path, target, options):
    table = read(tmp_path, WAVELENGTHS, target, **options)
    assert table.target == "kind"
    assert table.y.tolist() == ["x", "y", "x", "y"]


def test_fractions_are_names_where_they_were_in_the_first_table(tmp_path):
    first = read(tmp_path, WAVELENGTHS, "kind")
    new = read(tmp_path, "914.46,908.1,920.61\n1.5,2.5,3.5\n", like=first)
    assert new.X.to_numpy().tolist() == [[2.5, 1.5, 3.5]]
