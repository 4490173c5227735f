"""Parquet files as row chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.scale.chunks import Chunk
from svmsieve.scale.parquet_chunks import ParquetChunks


def _itself(chunk: Chunk) -> Chunk:
    return chunk


def _files(folder: Path, frame: pd.DataFrame, n: int) -> list[Path]:
    paths = [folder / f"{i}.parquet" for i in range(n)]
    for path, part in zip(paths, np.array_split(np.arange(len(frame)), n), strict=True):
        frame.iloc[part].to_parquet(path, index=False)
    return paths


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": rng.normal(size=50),
            "y": rng.choice(["no", "yes"], 50),
            "b": rng.integers(0, 5, 50),
            "w": rng.random(50),
        }
    )


@pytest.mark.parametrize("memory", [16, 160, 10**9])
@pytest.mark.parametrize("n", [1, 3])
def test_rows_are_those_of_the_files(
    frame: pd.DataFrame, memory: int, n: int, tmp_path: Path
) -> None:
    frame.loc[7, "a"] = np.nan
    chunks = ParquetChunks(_files(tmp_path, frame, n), "y", "w", memory=memory)
    assert chunks.names == ["a", "b"]
    assert chunks.n_rows == 50
    for _ in range(2):  # every pass anew
        found = list(chunks.map(_itself))
        assert max(chunk.X.shape[0] for chunk in found) <= max(1, memory // 16)
        np.testing.assert_array_equal(
            np.concatenate([chunk.X for chunk in found]), frame[["a", "b"]].to_numpy(float)
        )
        np.testing.assert_array_equal(np.concatenate([chunk.rows for chunk in found]), range(50))
        assert np.concatenate([chunk.y for chunk in found]).tolist() == frame["y"].tolist()
        np.testing.assert_array_equal(np.concatenate([chunk.weight for chunk in found]), frame["w"])


def test_errors_name_the_column(frame: pd.DataFrame, tmp_path: Path) -> None:
    (path,) = _files(tmp_path, frame, 1)
    with pytest.raises(ValueError, match="no column 'z'"):
        ParquetChunks([path], "z")
    with pytest.raises(ValueError, match=r"column 'y' .* must hold numbers"):
        ParquetChunks([path], "a")
    other = tmp_path / "other.parquet"
    frame.drop(columns="b").to_parquet(other)
    with pytest.raises(ValueError, match="has other columns"):
        ParquetChunks([path, other], "y")
    frame[["y"]].to_parquet(other)
    with pytest.raises(ValueError, match="no column besides"):
        ParquetChunks([other], "y")
    with pytest.raises(ValueError, match="at least one"):
        ParquetChunks([], "y")


def test_files_that_are_not_parquet_are_named(frame: pd.DataFrame, tmp_path: Path) -> None:
    (path,) = _files(tmp_path, frame, 1)
    whole = path.read_bytes()
    for content in (b"", b"a,y\n1,0\n", whole[:-30], whole[:-208] + b"?" * 200 + whole[-8:]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"0\.parquet is not a Parquet file, or is a damaged"):
            ParquetChunks([path], "y")
    with pytest.raises(FileNotFoundError, match=r"absent\.parquet"):
        ParquetChunks([tmp_path / "absent.parquet"], "y")


def test_a_file_damaged_between_the_passes_is_named(frame: pd.DataFrame, tmp_path: Path) -> None:
    (path,) = _files(tmp_path, frame, 1)
    chunks = ParquetChunks([path], "y")
    path.write_bytes(b"PAR1")
    with pytest.raises(ValueError, match=r"0\.parquet is not a Parquet file"):
        list(chunks.map(_itself))


def test_files_without_rows_are_named(frame: pd.DataFrame, tmp_path: Path) -> None:
    empty, full = tmp_path / "empty.parquet", tmp_path / "full.parquet"
    frame[:0].to_parquet(empty)
    frame.to_parquet(full)
    with pytest.raises(ValueError, match=r"no row is in .*empty\.parquet"):
        ParquetChunks([empty], "y")
    assert ParquetChunks([empty, full], "y").n_rows == 50


def test_a_folder_is_its_files_by_name(frame: pd.DataFrame, tmp_path: Path) -> None:
    files = _files(tmp_path, frame, 3)
    expected = [chunk.X for chunk in ParquetChunks(files, "y", "w").map(_itself)]
    for given in (tmp_path, str(tmp_path), [tmp_path]):
        found = [chunk.X for chunk in ParquetChunks(given, "y", "w").map(_itself)]
        np.testing.assert_array_equal(np.concatenate(found), np.concatenate(expected))
    alone = ParquetChunks(files[0], "y", "w")
    assert alone.paths == [str(files[0])]
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match="at least one Parquet file"):
        ParquetChunks(tmp_path / "none", "y")


@pytest.mark.parametrize("method", ["predict", "transform", "decision_function", "score"])
def test_what_is_fitted_says_that_it_takes_no_chunks(
    frame: pd.DataFrame, tmp_path: Path, method: str
) -> None:
    chunks = ParquetChunks(_files(tmp_path, frame, 2), "y", "w")
    sieve = SVMSieve(SVC(), n_features_to_select=1).fit(frame[["a", "b"]], frame["y"])
    rest = [frame["y"]] if method == "score" else []
    with pytest.raises(TypeError, match="not row chunks; read the files with dask"):
        getattr(sieve, method)(chunks, *rest)
