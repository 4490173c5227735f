"""From the files of the public archives to the arrays of a data folder, one recipe for each set."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from svmsieve.datasets.errors import DataError, shown

Arrays = dict[str, Any]
Files = Mapping[str, bytes]
"""The files of an archive, by name without folders."""
Recipe = Callable[[Files], Arrays]


def _lines(content: bytes) -> list[str]:
    return [line for line in content.decode("latin-1").splitlines() if line.strip()]


def _numbers(content: bytes, dtype: Any = np.float64, delimiter: str | None = None) -> Any:
    text = io.StringIO(content.decode("latin-1").replace("?", "nan"))
    return np.loadtxt(text, dtype=dtype, delimiter=delimiter, ndmin=2)


def monks(problem: int) -> Recipe:
    """MONK: lines of class, a1 … a6 and a name."""

    def recipe(files: Files) -> Arrays:
        arrays: Arrays = {}
        for part in ("train", "test"):
            rows = [line.split()[:7] for line in _lines(files[f"monks-{problem}.{part}"])]
            table = np.array(rows, dtype=np.int64)
            arrays[f"X_{part}"] = table[:, 1:].astype(np.uint8)
            arrays[f"y_{part}"] = table[:, 0].astype(np.int8)
        arrays["feature_names"] = np.array([f"a{i}" for i in range(1, 7)])
        return arrays

    return recipe


def _nips_labels(files: Files, name: str) -> Arrays:
    return {
        f"y_{part}": _numbers(files[f"{name}_{part}.labels"]).ravel().astype(np.int8)
        for part in ("train", "valid")
    }


def nips_dense(name: str, dtype: Any, *, test: bool) -> Recipe:
    """ARCENE, GISETTE, MADELON: a matrix of numbers, labels apart."""

    def recipe(files: Files) -> Arrays:
        arrays = _nips_labels(files, name)
        for part in ("train", "valid", "test") if test else ("train", "valid"):
            arrays[f"X_{part}"] = _numbers(files[f"{name}_{part}.data"]).astype(dtype)
        return arrays

    return recipe


def nips_sparse(name: str, n_features: int) -> Recipe:
    """DEXTER (pairs index:value) and DOROTHEA (indices): rows of entries, counted from 1."""

    def recipe(files: Files) -> Arrays:
        arrays = _nips_labels(files, name)
        for part in ("train", "valid", "test"):
            data: list[int] = []
            indices: list[int] = []
            indptr = [0]
            for line in files[f"{name}_{part}.data"].decode("ascii").splitlines():
                for entry in line.split():
                    index, _, value = entry.partition(":")
                    indices.append(int(index) - 1)
                    data.append(int(value or 1))
                indptr.append(len(indices))
            arrays[f"{part}_data"] = np.array(data, dtype=np.int16)
            arrays[f"{part}_indices"] = np.array(indices, dtype=np.int32)
            arrays[f"{part}_indptr"] = np.array(indptr, dtype=np.int32)
            arrays[f"{part}_shape"] = np.array([len(indptr) - 1, n_features])
        return arrays

    return recipe


def wisconsin(files: Files) -> Arrays:
    """Breast cancer of Wisconsin: id, nine marks from 1 to 10, class 2 or 4."""
    table = _numbers(files["breast-cancer-wisconsin.data"], delimiter=",")
    return {
        "X": table[:, 1:10].astype(np.float32),
        "y": table[:, 10].astype(np.int8),
        "id": table[:, 0].astype(np.int64),
        "feature_names": np.array(
            [
                "clump_thickness",
                "uniformity_cell_size",
                "uniformity_cell_shape",
                "marginal_adhesion",
                "single_epithelial_cell_size",
                "bare_nuclei",
                "bland_chromatin",
                "normal_nucleoli",
                "mitoses",
            ]
        ),
    }


def glass(files: Files) -> Arrays:
    """Glass: number, nine measurements, class."""
    table = _numbers(files["glass.data"], delimiter=",")
    names = ["RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"]
    return {
        "X": table[:, 1:10],
        "y": table[:, 10].astype(np.int8),
        "feature_names": np.array(names),
    }


def optdigits(files: Files) -> Arrays:
    """Optical digits: 64 counts and the digit."""
    arrays: Arrays = {}
    for part, ending in (("train", "tra"), ("test", "tes")):
        table = _numbers(files[f"optdigits.{ending}"], delimiter=",").astype(np.uint8)
        arrays[f"X_{part}"], arrays[f"y_{part}"] = table[:, :-1], table[:, -1]
    return arrays


def mfeat(files: Files) -> Arrays:
    """Multiple features: six views of 2000 digits, 200 of each in order."""
    views = ("fou", "fac", "kar", "pix", "zer", "mor")
    parts = {view: _numbers(files[f"mfeat-{view}"]) for view in views}
    digits = np.repeat(np.arange(10), 200)
    return {
        "X": np.hstack([parts[view] for view in views]),
        "y": digits.astype(np.uint8),
        "y_source": (digits + 1).astype(np.uint8),
        "view": np.array([view for view in views for _ in range(parts[view].shape[1])]),
        "feature_names": np.array(
            [f"{view}{i + 1}" for view in views for i in range(parts[view].shape[1])]
        ),
    }


def abalone(files: Files) -> Arrays:
    """Abalone: sex as a letter, seven measurements, rings."""
    rows = [line.split(",") for line in _lines(files["abalone.data"])]
    sex = np.array([row[0] for row in rows])
    code = {"M": 1.0, "F": 2.0, "I": 3.0}
    X = np.array([[code[row[0]], *map(float, row[1:8])] for row in rows])
    names = ["sex(M=1,F=2,I=3)", "length", "diameter", "height", "whole_weight"]
    names += ["shucked_weight", "viscera_weight", "shell_weight"]
    return {
        "X": X,
        "y": np.array([int(row[8]) for row in rows], dtype=np.int16),
        "sex": sex,
        "feature_names": np.array(names),
    }


def auto_mpg(files: Files) -> Arrays:
    """Auto MPG: miles per gallon, seven columns, the car's name in quotes; six horsepowers missing."""
    rows = [line.split('"')[0].split() for line in _lines(files["auto-mpg.data"])]
    table = np.array([[float(v) if v != "?" else np.nan for v in row] for row in rows])
    complete = ~np.isnan(table).any(axis=1)
    names = ["cylinders", "displacement", "horsepower", "weight", "acceleration"]
    return {
        "X": table[complete, 1:],
        "y": table[complete, 0],
        "X_all398": table[:, 1:],
        "y_all398": table[:, 0],
        "feature_names": np.array([*names, "model_year", "origin"]),
    }


def with_header(file: str, header: str) -> Recipe:
    """A table of text whose file has no header: it gets one."""

    def recipe(files: Files) -> Arrays:
        return {"text": "\n".join([header, *_lines(files[file])]) + "\n"}

    return recipe


def numbers_of_arff(labels: Mapping[str, int] | None, dtype: Any, names: str = "") -> Recipe:
    """An ARFF file of OpenML whose last column is the target: numbers, or classes to be coded."""

    def recipe(files: Files) -> Arrays:
        from svmsieve.datasets.arff import parse_arff

        ((file, content),) = files.items()
        raw = parse_arff(io.StringIO(content.decode("utf-8", "replace")), shown(file))
        X = raw.X.iloc[:, :-1].to_numpy(dtype=np.float64)
        target = raw.X.iloc[:, -1]
        if labels is None:
            y = np.asarray(target, dtype=np.float64)
        else:
            try:
                y = np.array([labels[str(label)] for label in target], dtype=np.int8)
            except KeyError as error:
                raise DataError(f"the class {error} is not one of {', '.join(labels)}") from None
        return {
            "X": X.astype(dtype),
            "y": y,
            "feature_names": np.array(names.split() or raw.names[:-1]),
        }

    return recipe
