"""Several methods on the same outer folds: tables, paired tests, wins and losses."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.evaluation.fold_result import listed
from svmsieve.evaluation.metrics import Metric
from svmsieve.evaluation.nested import Running, evaluating
from svmsieve.evaluation.pair_result import PairResult, adjusted, sign
from svmsieve.evaluation.paired_tests import PairedTest, corrected_t_test, paired_t_test
from svmsieve.evaluation.results import NestedEvaluation

ALPHA = 0.05


def compare(
    selectors: Mapping[str, Any],
    X: Any,
    y: Any,
    outer_cv: Any = 5,
    *,
    groups: Any = None,
    scoring: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    verbose: int = 0,
) -> Comparison:
    """Judge several methods on the same outer folds and test their differences.

    Parameters
    ----------
    selectors : mapping from names to methods, each as in :func:`nested_evaluate`
        Methods by name, each as in :func:`nested_evaluate`.
    X, y, outer_cv, groups, scoring, random_state, n_jobs, checkpoint, verbose : object
        As in :func:`nested_evaluate`; one checkpoint serves all methods.

    Returns
    -------
    Comparison
        The evaluations of all methods, and their tests.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> sieve = SVMSieve(SVC(C=10), criterion="f-score", search="once", n_features_to_select=5)
    >>> comparison = compare({"five best": sieve, "all": SVC(C=10)}, X, y, outer_cv=3)
    >>> comparison.to_frame().index.tolist()
    ['five best', 'all']
    """
    if len(selectors) < 2:
        raise ValueError(f"selectors must hold at least two methods, got {len(selectors)}.")
    running = Running(n_jobs, checkpoint, verbose)
    options = {"groups": groups, "scoring": scoring, "random_state": random_state}
    with evaluating(selectors, X, y, outer_cv, running, **options) as found:
        return Comparison(found.end())


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods that were evaluated on the same outer folds.

    What :func:`compare` returns.

    Parameters
    ----------
    evaluations : dict of str to NestedEvaluation
        The evaluation of each method, by name.

    See Also
    --------
    svmsieve.compare : Judge several methods on the same outer folds and test their differences.
    svmsieve.NestedEvaluation : Scores of a method that was fitted anew, selection included, in
        every outer fold.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve, compare
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> sieve = SVMSieve(SVC(), criterion="f-score", search="once", n_features_to_select=2)
    >>> comparison = compare({"two": sieve, "all": SVC()}, X, y, outer_cv=3)
    >>> list(comparison.evaluations)
    ['two', 'all']
    """

    evaluations: dict[str, NestedEvaluation]

    @property
    def metric(self) -> Metric:
        """What was measured."""
        return self._any.metric

    @property
    def _any(self) -> NestedEvaluation:
        return next(iter(self.evaluations.values()))

    @property
    def names(self) -> list[str]:
        """The methods."""
        return list(self.evaluations)

    @property
    def sizes(self) -> IntArray:
        """Sizes that every method visited in every fold; methods without a path do not count."""
        visited = [e.sizes for e in self.evaluations.values() if any(len(f.sizes) for f in e.folds)]
        if not visited:
            return np.empty(0, dtype=np.intp)
        common = set(visited[0].tolist()).intersection(*[sizes.tolist() for sizes in visited[1:]])
        return np.array(sorted(common), dtype=np.intp)

    @property
    def with_sizes(self) -> list[str]:
        """The methods that have scores at sizes."""
        return [name for name, e in self.evaluations.items() if any(len(f.sizes) for f in e.folds)]

    def _scores(self, name: str, size: int | None) -> FloatArray:
        evaluation = self.evaluations[name]
        return evaluation.scores if size is None else evaluation.scores_at(size)

    def tests(
        self,
        *,
        reference: str | None = None,
        sizes: Sequence[int] | Literal["all"] | None = None,
        alpha: float = ALPHA,
    ) -> list[PairResult]:
        """Test the differences between methods, pair by pair.

        Everything asked for in one call is one family for Holm's correction.

        Parameters
        ----------
        reference : str or None, default=None
            Compare this method with each of the others; None compares all pairs.
        sizes : sequence of int, "all" or None, default=None
            Numbers of features to compare at, ``"all"`` for those all methods visited; None is the
            size each fold chose.
        alpha : float, default=0.05
            Level of the signs.

        Returns
        -------
        list of PairResult
            One for each pair and size.
        """
        if reference is not None and reference not in self.evaluations:
            raise ValueError(
                f"reference must be one of {', '.join(self.names)}, got {reference!r}."
            )
        if not 0.0 < alpha < 1.0:
            raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}.")
        names = self.names if sizes is None else self.with_sizes
        pairs = [
            pair if reference is None else (reference, next(n for n in pair if n != reference))
            for pair in combinations(names, 2)
            if reference is None or reference in pair
        ]
        results = [
            self._pair(*pair, size, alpha) for size in self._checked(sizes) for pair in pairs
        ]
        return adjusted(results, alpha)

    def _checked(self, sizes: Sequence[int] | Literal["all"] | None) -> list[int | None]:
        if sizes is None:
            return [None]
        if isinstance(sizes, str):
            if sizes != "all":
                raise ValueError(f"sizes must be 'all', a list of sizes or None, got {sizes!r}.")
            return [int(size) for size in self.sizes]
        missing = [size for size in sizes if size not in self.sizes]
        if missing:
            raise ValueError(
                f"sizes must be ones that every method visited, {listed(self.sizes)}; got "
                f"{missing[0]!r}."
            )
        return [int(size) for size in sizes]

    def _pair(self, first: str, second: str, size: int | None, alpha: float) -> PairResult:
        ours, theirs = self._scores(first, size), self._scores(second, size)
        gains = self.metric.gain(ours, theirs)
        if np.isfinite(gains).all():
            plain = paired_t_test(gains)
            corrected = corrected_t_test(gains, self._any.test_per_train)
        else:  # a score that is not defined on some fold has no test
            plain = corrected = PairedTest(float(np.mean(gains)), np.nan, len(gains) - 1, np.nan)
        return PairResult(
            first,
            second,
            size,
            float(ours.mean()),
            float(theirs.mean()),
            plain.mean,
            plain.t,
            plain.p,
            corrected.t,
            corrected.p,
            corrected.p,
            "",
            sign(plain.mean, plain.p, alpha),
        )

    def to_frame(self) -> Any:
        """Return a pandas frame, one row for each method at the sizes its folds chose.

        Returns
        -------
        DataFrame
            One row for each method, at the sizes its folds chose.
        """
        import pandas as pd

        rows = {}
        for name, evaluation in self.evaluations.items():
            known = [n for n in evaluation.n_features if n is not None]
            rows[name] = {
                "mean": evaluation.mean,
                "se": evaluation.se,
                "corrected_se": evaluation.corrected_se,
                "n_features": float(np.mean(known)) if known else np.nan,
                "seconds": float(np.mean([fold.seconds for fold in evaluation.folds])),
            }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")

    def sizes_frame(self) -> Any:
        """Return a pandas frame: mean and standard error of each method at each common size.

        Returns
        -------
        DataFrame
            Mean and standard error of each method at each common size.
        """
        import pandas as pd

        frames = {
            name: self.evaluations[name].sizes_frame().loc[self.sizes] for name in self.with_sizes
        }
        return pd.concat(frames, axis=1) if frames else pd.DataFrame(index=self.sizes)

    def tests_frame(self, **options: Any) -> Any:
        """Return a pandas frame of :meth:`tests`, one row for each pair and size.

        Parameters
        ----------
        **options : dict
            The parameters of :meth:`tests`.

        Returns
        -------
        DataFrame
            One row for each pair and size.
        """
        import pandas as pd

        return pd.DataFrame([result.to_dict() for result in self.tests(**options)])

    def signs_frame(self, reference: str | None = None, alpha: float = ALPHA) -> Any:
        """Return a table like those of Yang & Ong 2010: a method against each other one, size by size.

        For each method its mean, the corrected p-value adjusted for the whole table, and whether the
        reference wins (+) or loses (-); the last row is at the sizes the folds chose.

        Parameters
        ----------
        reference : str or None, default=None
            Method that is compared with the others; None is the first.
        alpha : float, default=0.05
            Level of the signs.

        Returns
        -------
        DataFrame
            One row for each size, the last at the sizes the folds chose.
        """
        import pandas as pd

        reference = self.names[0] if reference is None else reference
        sizes: list[int | None] = [*map(int, self.sizes), None]
        if reference not in self.with_sizes:
            sizes = [None]
        results = [
            result
            for size in sizes
            for result in self.tests(
                reference=reference, sizes=None if size is None else [size], alpha=alpha
            )
        ]
        rows: dict[Any, dict[tuple[str, str], Any]] = {}
        for result in adjusted(results, alpha):
            row = rows.setdefault("chosen" if result.size is None else result.size, {})
            row[reference, "mean"] = result.mean_first
            row[result.second, "mean"] = result.mean_second
            row[result.second, "p"] = result.p_holm
            row[result.second, "sign"] = result.sign
        frame = pd.DataFrame(list(rows.values()), index=pd.Index(list(rows), name="n_features"))
        frame.columns = pd.MultiIndex.from_tuples(frame.columns)
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, lists and strings.

        Returns
        -------
        dict
            Everything as plain numbers, lists and strings.
        """
        return {
            "metric": self.metric.name,
            "lower_is_better": self.metric.lower_is_better,
            "evaluations": {name: e.to_dict() for name, e in self.evaluations.items()},
            "tests": [result.to_dict() for result in self.tests()],
        }

    def __repr__(self) -> str:
        better = "lower" if self.metric.lower_is_better else "higher"
        lines = [
            f"Comparison of {len(self.evaluations)} methods on {len(self._any.folds)} outer folds, "
            f"{self.metric.name} ({better} is better), mean ± SE"
        ]
        width = max(map(len, self.names))
        for name, evaluation in self.evaluations.items():
            known = [n for n in evaluation.n_features if n is not None]
            size = f", {np.mean(known):.3g} features" if known else ""
            lines.append(f"  {name:<{width}}  {evaluation.mean:.4g} ± {evaluation.se:.2g}{size}")
        for result in self.tests():
            if result.sign:
                word = "better" if result.sign == "+" else "worse"
                lines.append(
                    f"  {result.first} is {word} than {result.second}, p = {result.p_holm:.2g}"
                )
        return "\n".join(lines)
