"""Real files that packages of PyPI carry: vega_datasets, statsmodels, scikit-learn, SciPy, pyarrow."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from tests.golden.printing import QUICK, Case

VEGA, STATS = "vega_datasets/_data", "statsmodels"
NUMBERS = tuple(word if word != "f-score" else "correlation" for word in QUICK)
WRITE = {
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "feather": lambda frame, path: frame.to_feather(path),
    "parquet": lambda frame, path: frame.to_parquet(path),
}
FILES = {
    "cars-json": (f"{VEGA}/cars.json", ("--target", "Origin", *QUICK)),
    "cars-excel": (f"{VEGA}/cars.json", ("--target", "Origin", "--dates", *QUICK), "xlsx"),
    "barley-json": (f"{VEGA}/barley.json", ("--target", "yield", *NUMBERS)),
    "weather-csv": (f"{VEGA}/seattle-weather.csv", ("--target", "weather", "--dates", *QUICK)),
    "iris-feather": (f"{VEGA}/iris.json", ("--target", "species", *QUICK), "feather"),
    "cars-parquet": (f"{VEGA}/cars.json", ("--target", "Weight_in_lbs", *NUMBERS), "parquet"),
    "affairs-csv": (
        f"{STATS}/datasets/fair/fair.csv",
        ("--target", "affairs", "--quick", *NUMBERS),
    ),
    "spector-quoted": (f"{STATS}/datasets/spector/spector.csv", ("--target", "-1", *QUICK)),
    "schools-tabs": (f"{STATS}/datasets/star98/src/star98.dat", ("--target", "MATH", *NUMBERS)),
    "autos-csv": (f"{STATS}/gam/tests/results/autos.csv", ("--target", "city_mpg", *NUMBERS)),
    "diabetes-gzip": (
        "sklearn/datasets/data/diabetes_data_raw.csv.gz",
        ("--target", "-1", *NUMBERS),
    ),
    "breast-cancer-refused": ("sklearn/datasets/data/breast_cancer.csv", ("--target", "-1")),
    "iris-arff": ("scipy/io/arff/tests/data/iris.arff", ("--target", "class", *QUICK)),
}
"""Path in a package, options, and the format to write it in where it is to be another."""


def installed(path: str) -> Path | None:
    """Return a file of an installed package, None where there is none; nothing is imported."""
    package, _, rest = path.partition("/")
    spec = find_spec(package)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    return next((Path(f) / rest for f in folders if (Path(f) / rest).exists()), None)


def make(name: str, folder: Path) -> Case | None:
    """Copy a file into a folder and return what to run on it; None where its package is missing."""
    path, words, *form = FILES[name]
    source = installed(path)
    if source is None:
        return None
    copy = folder / source.name
    if form:
        read = pd.read_json if source.suffix == ".json" else pd.read_csv
        copy = copy.with_suffix(f".{form[0]}")
        WRITE[form[0]](read(source), copy)
    else:
        shutil.copy(source, copy)
    return Case(copy.name, copy.name, words)
