"""The methods: each takes training samples, standardised, and returns the columns it chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import (
    RFECV,
    SelectKBest,
    SequentialFeatureSelector,
    f_classif,
    f_regression,
)
from sklearn.linear_model import LassoCV, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve

Columns = Any
SEED = 0


@dataclass(frozen=True)
class Method:
    """A selection by name; ``most_columns`` is what it can afford."""

    name: str
    select: Callable[[Any, Any, bool], Columns]
    most_columns: int = 100_000
    wrapper: bool = False
    apart: bool = False
    """In a table of its own: it ran on some of the sets, or on fewer splits than the others."""


def _folds(y: Any, regression: bool) -> Any:
    if regression:
        return KFold(5, shuffle=True, random_state=SEED)
    smallest = np.unique(y, return_counts=True)[1].min()
    return StratifiedKFold(int(max(2, min(5, smallest))), shuffle=True, random_state=SEED)


def _sizes(d: int) -> list[int]:
    from svmsieve.search import Thinning

    return Thinning().sizes(d, 1)[::-1]


def _forest(regression: bool) -> Any:
    kind = RandomForestRegressor if regression else RandomForestClassifier
    return kind(100, random_state=SEED, n_jobs=1)


def everything(X: Any, y: Any, regression: bool) -> Columns:
    """All columns."""
    return np.arange(X.shape[1])


def sieve(**options: Any) -> Callable[[Any, Any, bool], Columns]:
    """SVMSieve with its defaults but for these options."""

    def select(X: Any, y: Any, regression: bool) -> Columns:
        return SVMSieve(random_state=SEED, **options).fit(X, y).get_support(indices=True)

    return select


def rfecv_linear(X: Any, y: Any, regression: bool) -> Columns:
    """scikit-learn's RFECV with a linear machine; a tenth at a time where there are many columns."""
    machine = SVR(kernel="linear") if regression else SVC(kernel="linear")
    step = 1 if X.shape[1] <= 100 else 0.1
    return RFECV(machine, step=step, cv=_folds(y, regression)).fit(X, y).get_support(indices=True)


def rfecv_forest(X: Any, y: Any, regression: bool) -> Columns:
    """RFECV with a random forest; a tenth at a time where there are more than 20 columns."""
    step = 1 if X.shape[1] <= 20 else 0.1
    model = RFECV(_forest(regression), step=step, cv=_folds(y, regression))
    return model.fit(X, y).get_support(indices=True)


def k_best(X: Any, y: Any, regression: bool) -> Columns:
    """SelectKBest, k by cross-validation of an RBF machine."""
    score, machine = (f_regression, SVR()) if regression else (f_classif, SVC())
    pipeline = Pipeline([("best", SelectKBest(score)), ("machine", machine)])
    search = GridSearchCV(pipeline, {"best__k": _sizes(X.shape[1])}, cv=_folds(y, regression))
    return search.fit(X, y).best_estimator_["best"].get_support(indices=True)


def l1(X: Any, y: Any, regression: bool) -> Columns:
    """Lasso or L1 logistic regression, the penalty by cross-validation."""
    if regression:
        coef = LassoCV(cv=_folds(y, True), random_state=SEED).fit(X, y).coef_
    else:
        model = LogisticRegressionCV(
            Cs=10,
            l1_ratios=(1.0,),
            solver="saga" if len(np.unique(y)) > 2 else "liblinear",
            cv=_folds(y, False),
            max_iter=300,
            random_state=SEED,
            use_legacy_attributes=False,
        )
        coef = model.fit(X, y).coef_
    chosen = np.flatnonzero(np.abs(np.atleast_2d(coef)).max(axis=0) > 1e-9)
    return chosen if len(chosen) else np.arange(1)


def sequential(X: Any, y: Any, regression: bool) -> Columns:
    """Forward selection with an RBF machine, as long as a column adds 0.002 to its score."""
    if X.shape[1] < 2:
        return np.arange(X.shape[1])
    search = SequentialFeatureSelector(
        SVR() if regression else SVC(),
        n_features_to_select="auto",
        tol=0.002,
        cv=_folds(y, regression),
    )
    return search.fit(X, y).get_support(indices=True)


def boruta(X: Any, y: Any, regression: bool) -> Columns:
    """Boruta: features that beat the best of their permuted copies in a forest."""
    from boruta import BorutaPy

    kind = RandomForestRegressor if regression else RandomForestClassifier
    forest = kind(max_depth=5, random_state=SEED, n_jobs=1)
    model = BorutaPy(forest, n_estimators=100, max_iter=50, random_state=SEED)
    chosen = np.flatnonzero(model.fit(X, y).support_)
    return chosen if len(chosen) else np.array([int(np.argmin(model.ranking_))])


def mrmr(X: Any, y: Any, regression: bool) -> Columns:
    """mRMR's order, the number by cross-validation of an RBF machine."""
    import pandas as pd
    from mrmr import mrmr_classif, mrmr_regression
    from sklearn.model_selection import cross_val_score

    sizes = [size for size in _sizes(X.shape[1]) if size <= 64]
    rank = mrmr_regression if regression else mrmr_classif
    frame, target = (
        pd.DataFrame(X),
        pd.Series(y if regression else np.unique(y, return_inverse=True)[1]),
    )
    order = rank(X=frame, y=target, K=max(sizes), show_progress=False, n_jobs=1)
    machine = SVR() if regression else SVC()
    means = [
        cross_val_score(machine, X[:, order[:size]], y, cv=_folds(y, regression)).mean()
        for size in sizes
    ]
    return np.sort(order[: sizes[int(np.argmax(means))]])


def hsic_lasso(X: Any, y: Any, regression: bool) -> Columns:
    """HSIC Lasso, at most 30 columns, the number by cross-validation of an RBF machine."""
    import contextlib
    import io

    from pyHSICLasso import HSICLasso
    from sklearn.model_selection import cross_val_score

    if not hasattr(np.linalg, "linalg"):  # a name of old numpy, which pyHSICLasso 1.4.2 asks for
        np.linalg.linalg = np.linalg  # type: ignore[attr-defined]
    model = HSICLasso()
    codes = y if regression else np.unique(y, return_inverse=True)[1] + 1
    with contextlib.redirect_stdout(io.StringIO()):
        model.input(X, np.asarray(codes, dtype=float))
        fit = model.regression if regression else model.classification
        fit(min(30, X.shape[1]), B=min(20, len(y)), M=1, n_jobs=1)
    order = list(model.get_index())
    machine = SVR() if regression else SVC()
    sizes = [size for size in _sizes(X.shape[1]) if size <= len(order)]
    means = [
        cross_val_score(machine, X[:, order[:size]], y, cv=_folds(y, regression)).mean()
        for size in sizes
    ]
    return np.sort(order[: sizes[int(np.argmax(means))]])


def stabl(X: Any, y: Any, regression: bool) -> Columns:
    """Our small Stabl; of several classes the union of one against the others."""
    from benchmarks.stable.stabl import frequencies, threshold

    labels = [] if regression else np.unique(y)
    targets = [y] if len(labels) < 3 else [np.where(y == label, 1, 0) for label in labels]
    found = [frequencies(X, target, regression=regression, seed=SEED) for target in targets]
    chosen = np.flatnonzero(
        np.any([real > threshold(real, false) for real, false in found], axis=0)
    )
    most = int(np.argmax(np.max([real for real, _ in found], axis=0)))
    return chosen if len(chosen) else np.array([most])


def shap_rfecv(X: Any, y: Any, regression: bool) -> Columns:
    """ShapRFECV of probatus with LightGBM, which it recommends, a fifth at a time."""
    import pandas as pd
    from lightgbm import LGBMClassifier, LGBMRegressor
    from probatus.feature_elimination import ShapRFECV

    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    labels = pd.Series(y if regression else np.unique(y, return_inverse=True)[1])
    kind = LGBMRegressor if regression else LGBMClassifier
    search = ShapRFECV(
        kind(random_state=SEED, n_jobs=1, verbose=-1),
        step=0.2,
        cv=_folds(y, regression),
        scoring="r2" if regression else "accuracy",
        n_jobs=1,
        random_state=SEED,
    )
    # shap's values of a tree miss its answers by some hundredths, which it takes for an error.
    search.fit_compute(frame, labels, check_additivity=False)
    names = search.get_reduced_features_set(num_features="best")
    return np.sort([int(name[1:]) for name in names])


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("all features", everything),
        Method("svmsieve", sieve(), wrapper=True),
        Method("RFECV linear SVC", rfecv_linear, 20_000, wrapper=True),
        Method("RFECV forest", rfecv_forest, 20_000, wrapper=True, apart=True),
        Method("SelectKBest", k_best),
        Method("L1", l1, 20_000),
        Method("forward SFS", sequential, 60, wrapper=True, apart=True),
        Method("Boruta", boruta, 5000, wrapper=True),
        Method("mRMR", mrmr, 5000),
        Method("HSIC Lasso", hsic_lasso, 20_000),
        Method("Stabl", stabl, 20_000, apart=True),
        Method("ShapRFECV", shap_rfecv, 400, wrapper=True, apart=True),
    )
}
