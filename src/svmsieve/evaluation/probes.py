"""Probes among the selected: how many features that cannot matter a method picks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray, Matrix
from svmsieve.evaluation.folds import selected_columns
from svmsieve.inputs.table import as_matrix, feature_names
from svmsieve.runtime.seeds import seed_of
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.selection.probes import Probed
from svmsieve.sizing.fdr import estimated_fdp

_SHOWN = 10


def with_probes(
    X: Any, n_copies: int = 1, random_state: Any = None
) -> tuple[Matrix, BoolArray, list[str]]:
    """Return the table with permuted copies of its columns, as the NIPS 2003 challenge added them.

    Every copy is shuffled by a permutation of its own.  Columns come in random order, so that a
    method that breaks ties by their order favours neither features nor probes.

    Parameters
    ----------
    X : data frame, array or sparse matrix of numbers
        A table of numbers.
    n_copies : int, default=1
        Probes for each column.
    random_state : int, RandomState or None, default=None
        Seed of the permutations; None is 0.

    Returns
    -------
    X : ndarray or CSR matrix
        The columns and their probes.
    is_probe : ndarray of bool
        Which of its columns are probes.
    names : list of str
        Names of its columns, those of probes ending in ``(probe)``.

    Examples
    --------
    >>> table, is_probe, names = with_probes([[1, 2], [3, 4], [5, 6]])
    >>> table.shape, int(is_probe.sum())
    ((3, 4), 2)
    """
    if n_copies < 1:
        raise ValueError(f"n_copies must be at least 1, got {n_copies!r}.")
    matrix = as_matrix(X)
    old = feature_names(X if hasattr(X, "columns") else matrix)
    units = tuple(np.array([column]) for column in range(matrix.shape[1]))
    probed = Probed.of(matrix, units, frozenset(), n_copies, seed_of(random_state))
    names = [
        f"{old[source]} (probe)" if probe else old[source]
        for source, probe in zip(probed.source, probed.origin < 0, strict=True)
    ]
    return probed.X, probed.origin < 0, names


@dataclass(frozen=True, eq=False)
class ProbeReport:
    """What a method made of features and probes.

    What :func:`probe_report` returns.

    Parameters
    ----------
    n_features, n_probes : int
        How many of each it chose from.
    selected : list of str
        Names of the features it selected, best first where it ranks.
    n_probes_selected : int
        Number of probes it selected.
    ranked : list of str or None, default=None
        Names of all features, best first; None if it does not rank.
    probes_before : ndarray of int or None, default=None
        Number of probes ranked before each of ``ranked``.

    See Also
    --------
    svmsieve.probe_report : Let a method choose among features and probes, and count the probes it
        selects.
    svmsieve.FDR : As many features as a false-discovery rate allows.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve, probe_report
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> sieve = SVMSieve(SVC(), criterion="f-score", search="once", n_features_to_select=2)
    >>> report = probe_report(sieve, X, y)
    >>> report.n_probes, sorted(report.selected)
    (5, ['x0', 'x1'])
    """

    n_features: int
    n_probes: int
    selected: list[str]
    n_probes_selected: int
    ranked: list[str] | None = None
    probes_before: IntArray | None = None

    @property
    def probe_fraction(self) -> float:
        """Share of probes among the selected, the measure of the NIPS 2003 challenge; NaN of none."""
        n_selected = len(self.selected) + self.n_probes_selected
        return self.n_probes_selected / n_selected if n_selected else float("nan")

    @property
    def estimated_fdp(self) -> float:
        """Estimated share of features that do not matter among the selected features.

        ``(1 + probes selected) · d/(m + 1) / features selected``, at most 1; NaN of none.
        """
        if not self.selected:
            return float("nan")
        share = (1.0 + self.n_probes_selected) * self.n_features / (self.n_probes + 1.0)
        return min(1.0, share / len(self.selected))

    @property
    def curve(self) -> FloatArray | None:
        """Estimated share of features that do not matter among the best 1, 2, …; None unranked."""
        if self.probes_before is None:
            return None
        return np.minimum(estimated_fdp(self.probes_before, self.n_probes), 1.0)

    def to_frame(self) -> Any:
        """Return a pandas frame of the ranked features: probes before each, estimated share.

        Returns
        -------
        DataFrame
            Probes before each feature, and the estimated share.
        """
        import pandas as pd

        if self.ranked is None:
            raise ValueError("the method does not rank features; probe_fraction is all there is.")
        return pd.DataFrame(
            {
                "feature": self.ranked,
                "probes_before": self.probes_before,
                "estimated_fdp": self.curve,
                "selected": np.isin(self.ranked, self.selected),
            },
            index=pd.RangeIndex(1, len(self.ranked) + 1, name="rank"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, lists and strings.

        Returns
        -------
        dict
            Everything as plain numbers, lists and strings.
        """
        return {
            "n_features": self.n_features,
            "n_probes": self.n_probes,
            "selected": list(self.selected),
            "n_probes_selected": self.n_probes_selected,
            "probe_fraction": self.probe_fraction,
            "estimated_fdp": self.estimated_fdp,
            "ranked": self.ranked,
            "probes_before": None if self.probes_before is None else self.probes_before.tolist(),
        }

    def __repr__(self) -> str:
        return (
            f"ProbeReport: selected {len(self.selected)} of {self.n_features} features and "
            f"{self.n_probes_selected} of {self.n_probes} probes ({self.probe_fraction:.0%} probes; "
            f"estimated false discoveries {self.estimated_fdp:.0%})"
        )


def probe_report(
    selector: Any, X: Any, y: Any, *, n_copies: int = 1, random_state: Any = None
) -> ProbeReport:
    """Let a method choose among features and probes, and count the probes it selects.

    A probe cannot matter: each one selected shows that about as many of the selected features matter as
    little (Guyon et al. 2005, the analysis of the NIPS 2003 challenge).  To choose a size by it, use
    ``SVMSieve(n_features_to_select=FDR(0.1))``.

    Parameters
    ----------
    selector : SVMSieve or estimator
        SVMSieve (without ``keep`` and ``groups``), or any scikit-learn selector or pipeline of
        selectors.
    X : data frame, array or sparse matrix of numbers
        The samples, all numbers.
    y : array-like of shape (n_samples,)
        Class labels or numbers.
    n_copies : int, default=1
        Probes for each feature.
    random_state : int, RandomState or None, default=None
        Seed of the permutations; None is 0.

    Returns
    -------
    ProbeReport
        What was selected and ranked, features and probes apart.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> sieve = SVMSieve(SVC(C=10), criterion="f-score", search="once", n_features_to_select=5)
    >>> probe_report(sieve, X, y).probe_fraction
    0.0
    """
    for key, value in selector.get_params().items():
        if key.split("__")[-1] in ("keep", "groups") and value is not None:
            raise ValueError(
                f"selector must not have {key}: it would name columns of X, not of the table with probes; "
                "leave it out."
            )
    table, is_probe, names = with_probes(X, n_copies, random_state)
    with one_blas_thread():
        fitted = clone(selector).fit(table, y)
    columns = selected_columns(fitted, table.shape[1])
    if columns is None:
        raise ValueError(
            f"selector must tell which columns it selects, {type(selector).__name__} does not."
        )
    ranked = before = None
    order = getattr(fitted, "order_", None)
    if order is not None:
        columns = order[np.isin(order, columns)]
        ranked = [names[column] for column in order if not is_probe[column]]
        before = np.cumsum(is_probe[order], dtype=np.intp)[~is_probe[order]]
    return ProbeReport(
        int((~is_probe).sum()),
        int(is_probe.sum()),
        [names[column] for column in columns if not is_probe[column]],
        int(is_probe[columns].sum()),
        ranked,
        before,
    )
