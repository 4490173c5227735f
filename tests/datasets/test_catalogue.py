"""The catalogue says what the files hold; files are found, checked and refused."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from svmsieve.datasets import CATALOGUE, DataError, TableEncoder, load
from svmsieve.datasets.store import checksum, read_arrays, write_arrays

HERE = sorted(set(CATALOGUE) - {"gisette"})


@pytest.fixture(autouse=True)
def no_other_folder(monkeypatch, tmp_path_factory):
    """Neither the user's cache nor the environment's folder plays a part."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.delenv("SVMSIEVE_DATA", raising=False)


@pytest.mark.parametrize("name", HERE)
def test_the_real_file_is_as_documented(shared_data, name):
    data = load(name, shared_data, download=False)
    entry = CATALOGUE[name]
    assert data.entry is entry
    assert list(data.parts) == list(entry.parts)
    for part, rows in entry.parts.items():
        X, y = data.parts[part]
        assert X.shape == (rows, entry.n_features)
        assert y is None or y.shape == (rows,)
        if isinstance(X, pd.DataFrame):
            continue
        assert (X.data if sp.issparse(X) else X).dtype == np.float64
    assert data.X is next(iter(data.parts.values())).X
    assert len(data.feature_names) == entry.n_features
    if entry.classes is None:
        assert entry.task == "regression"
        assert data.y.dtype == np.float64
    else:
        labels, counts = np.unique(data.y, return_counts=True)
        assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == dict(entry.classes)
        assert entry.task == ("binary" if len(labels) == 2 else "multiclass")


def test_every_file_of_the_folder_is_in_the_catalogue(shared_data):
    files = {path.name for path in shared_data.iterdir() if path.suffix in (".npz", ".gz")}
    assert files == {CATALOGUE[name].file for name in HERE}


def test_details_of_some(shared_data):
    heart = load("ratsch_heart", shared_data)
    assert len(heart.splits) == 10
    for train, test in heart.splits:
        assert sorted([*train, *test]) == list(range(270))
    assert heart.extras["X_raw"].shape == (270, 13)
    assert np.isnan(load("breast-cancer-wisconsin", shared_data).X).sum() == 16
    crx = load("crx", shared_data)
    assert crx.X.isna().sum().sum() == 67
    assert crx.X["A2"].dtype == np.float64
    encoder = TableEncoder().fit(crx.X)
    assert encoder.transform(crx.X).notna().all(axis=None)
    assert load("lymphoma", shared_data).extras["y_malignant62"].sum() == 62 - 34
    assert load("dexter", shared_data).parts["test"].y is None
    assert len(set(load("colon", shared_data).feature_names)) < 2000
    pyrim = load("pyrim", shared_data)
    assert np.ptp(pyrim.X, axis=0).argmin() == 24


def test_entries_are_complete():
    for name, entry in CATALOGUE.items():
        assert entry.name == name
        assert entry.licence
        assert entry.citation
        assert (entry.source is None) == (entry.recipe is None)
        if name == "gisette":
            assert entry.checksum is None
        else:
            assert re.fullmatch("[0-9a-f]{64}", entry.checksum)
    assert len({entry.checksum for entry in CATALOGUE.values()}) == len(CATALOGUE)


def test_folders_are_searched_in_order(shared_data, tmp_path, monkeypatch):
    def folder(name):
        (tmp_path / name).mkdir()
        shutil.copy(shared_data / "monks-1.npz", tmp_path / name)
        return tmp_path / name

    cache = tmp_path / "svmsieve"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder("svmsieve")
    assert load("monks-1").path.parent == cache
    monkeypatch.setenv("SVMSIEVE_DATA", str(folder("environment")))
    assert load("monks-1").path.parent.name == "environment"
    assert load("monks-1", folder("given")).path.parent.name == "given"
    # a folder without the file is passed over
    (tmp_path / "given" / "monks-1.npz").unlink()
    assert load("monks-1", tmp_path / "given").path.parent.name == "environment"


@pytest.mark.parametrize("name", ["glass", "kr-vs-kp"])
def test_the_checksum_does_not_depend_on_how_the_file_is_stored(shared_data, tmp_path, name):
    file = CATALOGUE[name].file
    arrays = read_arrays(shared_data / file)
    if "X" in arrays:
        arrays["X"] = np.asfortranarray(arrays["X"])
        arrays["y"] = arrays["y"].astype(np.int64)
        arrays["feature_names"] = np.array(["other"] * 9)
    write_arrays(tmp_path / file, arrays)
    assert (tmp_path / file).read_bytes() != (shared_data / file).read_bytes()
    assert load(name, tmp_path).path.parent == tmp_path


def test_one_changed_cell_is_refused(shared_data, tmp_path):
    arrays = read_arrays(shared_data / "glass.npz")
    before = checksum(arrays)
    arrays["X"][100, 3] += 1e-3
    assert checksum(arrays) != before
    write_arrays(tmp_path / "glass.npz", arrays)
    with pytest.raises(
        DataError, match=r"is not the data set glass: .* another checksum"
    ) as caught:
        load("glass", tmp_path)
    assert "remove it to download it again" in str(caught.value)


def test_missing_numbers_and_signed_zeros_have_one_checksum():
    first = {"X": np.array([np.nan, 0.0])}
    strange = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    assert checksum(first) == checksum({"X": np.array([strange, -0.0])})
    assert checksum(first) != checksum({"X": np.array([0.0, np.nan])})
    assert checksum(first) != checksum({"X": np.array([[np.nan, 0.0]])})
    assert checksum(first) != checksum({"Y": first["X"]})


@pytest.mark.parametrize("file", ["glass.npz", "crx.csv.gz"])
def test_damaged_files_are_refused(shared_data, tmp_path, file):
    whole = (shared_data / file).read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"not a file of this kind"):
        (tmp_path / file).write_bytes(content)
        with pytest.raises(DataError, match="damaged") as caught:
            load(file.split(".")[0], tmp_path)
        assert str(tmp_path) in str(caught.value)


def test_a_pickle_in_an_npz_is_refused(tmp_path):
    np.savez(tmp_path / "glass.npz", X=np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="Python objects, which are never loaded"):
        load("glass", tmp_path)


def test_unknown_names():
    with pytest.raises(
        DataError, match="no data set 'monk-1' in the catalogue; did you mean 'monks-1'"
    ):
        load("monk-1")
    with pytest.raises(DataError, match="no data set 'qqq' in the catalogue; it has 'monks-1'"):
        load("qqq")


def test_what_no_archive_has_must_be_put_into_a_folder(tmp_path):
    with pytest.raises(DataError) as caught:
        load("colon", tmp_path)
    message = str(caught.value)
    assert message.startswith("colon.npz is not in ")
    assert message.endswith(f"it is not among the public archives; put it into {tmp_path}.")


def test_without_download(tmp_path):
    with pytest.raises(
        DataError, match=r"glass\.npz is not in .* and download is off; put it into"
    ):
        load("glass", tmp_path, download=False)


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    import os

    path = tmp_path / "x.npz"
    write_arrays(path, {"X": np.zeros(3)})
    monkeypatch.setattr(os, "replace", lambda *a: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_arrays(path, {"X": np.ones(3)})
    assert [file.name for file in tmp_path.iterdir()] == ["x.npz"]
    assert read_arrays(path)["X"].tolist() == [0, 0, 0]
