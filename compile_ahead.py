"""Compile what rankings and selections need: ``python compile_ahead.py [folder]``.

The code stays in numba's cache, as that of any first call does; with a folder it is kept there too, as an
installation ships it (``svmsieve.runtime.shipped_code``).  Then the cache must be empty: what numba loads
it cannot save again.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numba.core.dispatcher import Dispatcher
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

import svmsieve
from svmsieve.criteria.registry import names_for
from svmsieve.runtime import shipped_code


def tables() -> Iterator[tuple[Any, Any]]:
    """Yield samples and a target: of two classes, of three, of numbers.

    Wide tables, and those of 250 samples and more, go other ways; so do missing and repeated values.
    """
    rng = np.random.default_rng(0)
    for n_rows, n_columns in ((60, 8), (260, 5), (24, 200)):
        X = rng.normal(size=(n_rows, n_columns))
        numbers = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n_rows)
        X[:, 4] = X[:, 4] > 0
        X[::9, 3] = np.nan
        yield X, np.where(numbers > 0, "a", "b")
        yield X, np.digitize(numbers, [-1.0, 1.0]).astype(str)
        yield X, numbers


def work(page: Path) -> None:
    """Call what people call first: studies with their report, the default, and every ranking."""
    for X, y in tables():
        wide = X.shape[1] > len(X)
        if not wide:
            frame = pd.DataFrame(X).rename(columns=str).assign(target=y)
            frame["category"] = np.resize(["x", "y", "z"], len(y))
            svmsieve.study(frame, "target", cv=2, jobs=1, quiet=True).report(page)
        X = np.nan_to_num(X)
        svmsieve.SVMSieve(cv=2, random_state=0).fit(X, y)
        if wide or len(X) < 100:
            rankings(X, y)


def rankings(X: Any, y: Any) -> None:
    """Rank by every criterion with kernels of both kinds; of wide tables not by those that train again."""
    numbers = y.dtype.kind == "f"
    task = "regression" if numbers else "binary" if len(set(y)) == 2 else "multiclass"
    for criterion in names_for(task):
        if X.shape[1] > len(X) and (criterion == "forest" or "retrained" in criterion):
            continue
        for machine in (SVR(), LinearSVR()) if numbers else (SVC(), LinearSVC()):
            with suppress(ValueError):  # not for this kernel, or not for three classes
                svmsieve.rank(X, y, criterion, machine, random_state=0)


def dispatchers() -> set[Any]:
    """Return every compiled function of the package."""
    modules = [module for name, module in sys.modules.items() if name.startswith("svmsieve.")]
    return {
        each for module in modules for each in vars(module).values() if isinstance(each, Dispatcher)
    }


def keep(folder: Path) -> None:
    """Keep what this process compiled in a folder."""
    shipped_code.FOLDER = folder
    for function in dispatchers():
        code = shipped_code.ShippedCode(function.py_func)
        for types, compiled in function.overloads.items():
            code.save_overload(types, compiled)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as place:
        work(Path(place, "report.html"))
    if len(sys.argv) > 1:
        keep(Path(sys.argv[1]))
