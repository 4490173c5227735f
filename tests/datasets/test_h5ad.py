"""AnnData files: the matrix holds the features, obs the target, groups and identifiers."""

import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings

from svmsieve.datasets import DataError, read_table
from tests.faults.counts import count
from tests.faults.test_damaged_files import EDITS, PLACE, mutated

h5py = pytest.importorskip("h5py")
RNG = np.random.default_rng(4)
X = np.where(RNG.random((30, 6)) < 0.5, RNG.normal(size=(30, 6)).round(3), 0.0)
CODES = np.arange(30) % 2
GENES = [f"gene {i}" for i in range(6)]


def write(path, X, codes=CODES):
    """A file as anndata writes it."""
    with h5py.File(path, "w") as file:
        if sp.issparse(X):
            group = file.create_group("X")
            group.attrs["encoding-type"] = f"{X.format}_matrix"
            group.attrs["shape"] = X.shape
            for part in ("data", "indices", "indptr"):
                group[part] = getattr(X, part)
        else:
            file["X"] = X
        var, obs = file.create_group("var"), file.create_group("obs")
        for group, names in ((var, GENES), (obs, [f"{i:03}" for i in range(30)])):
            group.attrs["_index"] = "_index"
            group["_index"] = names
        var.attrs["column-order"] = []
        obs.attrs["column-order"] = ["kind", "donor", "age", "sample"]
        kind = obs.create_group("kind")
        kind["codes"], kind["categories"] = codes.astype(np.int8), ["a", "b"]
        obs["donor"] = [f"d{i % 5}" for i in range(30)]
        obs["sample"] = [f"{i:03}" for i in range(30)]
        age = obs.create_group("age")
        age["values"], age["mask"] = np.arange(30) + 20, np.arange(30) == 3
    return path


FORMS = {"dense": X, "csr": sp.csr_matrix(X), "csc": sp.csc_matrix(X)}


@pytest.mark.parametrize("form", FORMS)
def test_what_was_written_is_read(tmp_path, form):
    path = write(tmp_path / "a.h5ad", FORMS[form])
    table = read_table(path, "kind", groups="donor", ids=["sample"])
    values = table.X.toarray() if sp.issparse(table.X) else table.X.to_numpy()
    assert sp.issparse(table.X) == (form != "dense")
    assert table.names == GENES
    np.testing.assert_array_equal(values, X)
    assert table.y.tolist() == ["a", "b"] * 15
    assert table.groups.tolist() == [f"d{i % 5}" for i in range(30)]
    assert table.ids["sample"].tolist() == [f"{i:03}" for i in range(30)]
    again = read_table(path, like=table, ids=["sample"])
    values = again.X.toarray() if sp.issparse(again.X) else again.X.to_numpy()
    np.testing.assert_array_equal(values, X)


def test_rows_without_a_target_are_left_out_of_everything(tmp_path):
    path = write(tmp_path / "a.h5ad", X, np.where(np.arange(30) == 4, -1, np.arange(30) % 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = read_table(path, "kind", groups="donor", ids=["sample"])
        ages = read_table(path, "age")
    kept = np.delete(np.arange(30), 4)
    assert table.X.shape[0] == len(table.groups) == 29
    assert table.ids["sample"].tolist() == [f"{i:03}" for i in kept]
    assert ages.y.tolist() == np.delete(np.arange(30) + 20, 3).tolist()


def test_refusals(tmp_path, monkeypatch):
    path = write(tmp_path / "a.h5ad", X)
    with pytest.raises(DataError, match="--target; it has 'kind', 'donor', 'age', 'sample'"):
        read_table(path)
    with pytest.raises(DataError, match="no column 'knd' in its obs for the target; did you mean"):
        read_table(path, "knd")
    with pytest.raises(DataError, match="memory budget"):
        read_table(path, "kind", memory=1e4)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file["table"] = X
    with pytest.raises(DataError, match="without the groups 'obs' and 'var'"):
        read_table(tmp_path / "b.h5", "kind")
    with h5py.File(tmp_path / "c.h5ad", "w") as file:
        for part in ("obs", "var"):
            file.create_group(part).attrs["column-order"] = ["kind"]
        file.create_dataset("X", shape=(10**6, 10**5), dtype="f8", chunks=(10, 10))
    with pytest.raises(DataError, match="over the memory budget"):
        read_table(tmp_path / "c.h5ad", "kind")
    bomb = write(tmp_path / "d.h5ad", X)
    with h5py.File(bomb, "a") as file:
        del file["obs"]["donor"]
        file["obs"].create_dataset(
            "donor", shape=(30,), dtype="S10000000", chunks=(1,), compression="gzip"
        )
    assert bomb.stat().st_size < 10**5
    with pytest.raises(DataError, match="over the memory budget"):
        read_table(bomb, "donor", memory=1e8)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(DataError, match=r"needs h5py; install svmsieve\[h5ad\]"):
        read_table(path, "kind")


@pytest.mark.parametrize("form", ["dense", "csr"])
def test_a_damaged_file_is_a_table_or_one_sentence(tmp_path, form):
    path = write(tmp_path / "a.h5ad", FORMS[form])
    content = path.read_bytes()

    @settings(max_examples=count(60, 600))
    @given(EDITS)
    def check(edits):
        path.write_bytes(mutated(content, edits))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read_table(path, "kind", memory=2e8)
            except DataError as error:
                message = str(error)
                assert str(path) in message
                assert PLACE.search(message.replace(str(path), "")) or "obs" in message, message

    check()


def test_a_file_of_anndata_itself(tmp_path):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"kind": pd.Categorical(["a", "b"] * 15)}, index=list(map(str, range(30))))
    made = anndata.AnnData(sp.csr_matrix(X), obs=obs, var=pd.DataFrame(index=GENES))
    made.write_h5ad(tmp_path / "a.h5ad")
    table = read_table(tmp_path / "a.h5ad", "kind")
    np.testing.assert_array_equal(table.X.toarray(), X)
    assert table.names == GENES
