"""Tables of ten kinds, made of what scikit-learn brings along."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import (
    dump_svmlight_file,
    load_breast_cancer,
    load_diabetes,
    load_iris,
    load_wine,
)

from tests.golden.printing import QUICK, Case


def iris():
    data = load_iris()
    frame = pd.DataFrame(data.data, columns=data.feature_names)
    return frame.assign(species=data.target_names[data.target])


def wine():
    data = load_wine()
    frame = pd.DataFrame(data.data, columns=data.feature_names)
    return frame.assign(cultivar=[f"class {k}" for k in data.target])


def cancer():
    data = load_breast_cancer()
    frame = pd.DataFrame(data.data[:, :10], columns=data.feature_names[:10])
    return frame.assign(diagnosis=data.target_names[data.target])


def diabetes():
    data = load_diabetes(scaled=False)
    return pd.DataFrame(data.data, columns=data.feature_names).assign(progression=data.target)


def customers(n=120):
    """What an office keeps: a number, a day, money, percentages, gaps, a remark."""
    rng = np.random.default_rng(7)
    left = rng.random(n) < 0.4
    amount = rng.gamma(3.0, 900.0, n) * np.where(left, 0.5, 1.0)
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900, n) + 300 * left, "D")
    frame = pd.DataFrame(
        {
            "customer": [f"{i:05}" for i in rng.permutation(n)],
            "since": day.strftime("%Y-%m-%d"),
            "spent": [f"${value:,.2f}" for value in amount],
            "discount": [f"{value:.1f}%" for value in rng.uniform(0, 30, n)],
            "region": rng.choice(["north", "south", "west"], n),
            "calls": rng.poisson(2 + 3 * left),
            "left": np.where(left, "yes", "no"),
        }
    )
    frame.loc[rng.choice(n, 9, replace=False), "calls"] = None
    return frame


def halves(frame, target):
    """Rows to learn from, and new ones whose target is empty."""
    new = frame[1::2].reset_index(drop=True)
    new[target] = None
    return frame[::2].reset_index(drop=True), new


def both(frame, target, write, ending):
    def make(folder: Path) -> None:
        for name, part in zip(("table", "new"), halves(frame(), target), strict=True):
            write(part, folder / f"{name}.{ending}")

    return make, Case(f"table.{ending}", f"new.{ending}", ("--target", target, *QUICK))


def write_arff(frame, path):
    kinds = ["real"] * (frame.shape[1] - 1) + ["{setosa,versicolor,virginica}"]
    lines = ["@relation iris"]
    lines += [f"@attribute '{n}' {k}" for n, k in zip(frame.columns, kinds, strict=True)]
    rows = frame.astype(object).where(frame.notna(), "?")
    lines += ["@data", *(",".join(map(str, row)) for row in rows.to_numpy())]
    path.write_text("\n".join(lines) + "\n")


def write_titled(frame, path):
    """A sheet with a title above the table."""
    frame.to_excel(path, index=False, startrow=2, sheet_name="measured")
    import openpyxl

    book = openpyxl.load_workbook(path)
    book.active["A1"] = "Wines of 1991"
    book.create_sheet("remarks")["A1"] = "none"
    book.save(path)


def write_npz(folder):
    data = load_wine()
    for name, rows in (("table", slice(0, None, 2)), ("new", slice(1, None, 2))):
        arrays = {"X": data.data[rows], "feature_names": np.array(data.feature_names)}
        if name == "table":
            arrays["y"] = data.target[rows]
        np.savez(folder / f"{name}.npz", **arrays)


def write_libsvm(folder):
    data = load_breast_cancer()
    for name, rows in (("table", slice(0, None, 2)), ("new", slice(1, None, 2))):
        X, y = data.data[rows, :8].round(4), data.target[rows]
        dump_svmlight_file(X, y, str(folder / f"{name}.libsvm"), zero_based=False)


def records(frame):
    return json.loads(frame.to_json(orient="records"))


def lines(frame, path):
    path.write_text("\n".join(map(json.dumps, records(frame))) + "\n")


MONEY = ("--target", "left", "--dates", "--id", "customer", *QUICK)
SIMPLE = {
    "csv": both(iris, "species", lambda f, p: f.to_csv(p, index=False), "csv"),
    "excel": both(wine, "cultivar", write_titled, "xlsx"),
    "feather": both(cancer, "diagnosis", lambda f, p: f.to_feather(p), "feather"),
    "parquet": both(cancer, "diagnosis", lambda f, p: f.to_parquet(p), "parquet"),
    "json": both(wine, "cultivar", lambda f, p: p.write_text(json.dumps(records(f))), "json"),
    "json-lines": both(iris, "species", lines, "jsonl"),
    "arff": both(iris, "species", write_arff, "arff"),
    "decimal-comma": both(
        wine, "cultivar", lambda f, p: f.to_csv(p, index=False, sep=";", decimal=","), "csv"
    ),
    "regression-gzip": both(
        diabetes,
        "progression",
        lambda f, p: p.write_bytes(gzip.compress(f.to_csv(index=False, sep="\t").encode())),
        "tsv.gz",
    ),
    "money-and-dates": both(customers, "left", lambda f, p: f.to_csv(p, index=False), "csv"),
    "npz": (write_npz, Case("table.npz", "new.npz", QUICK)),
    "libsvm": (write_libsvm, Case("table.libsvm", "new.libsvm", QUICK)),
}
"""How to make the files, and what to run on them."""


def _other(name, words, apply=()):
    make, case = SIMPLE[name]
    return make, Case(case.table, case.new, words, apply)


REGRESSION = [word if word != "f-score" else "correlation" for word in QUICK]
CASES = {
    **SIMPLE,
    "regression-gzip": _other("regression-gzip", ("--target", "progression", *REGRESSION)),
    "money-and-dates": _other("money-and-dates", MONEY, ("--id", "customer")),
}
