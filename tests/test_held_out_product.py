"""Search × size rule × criterion × strategy: garbage in a fold's held-out rows, and what was learned stays.

The rest of a selection (machine, kernel, weights, groups, missing values …) is drawn at random for each.
Columns *and* targets of the held-out rows are garbage.  CI takes a part in which every search meets every
size rule, and every criterion and strategy comes; the whole product is marked ``paper``.
"""

from __future__ import annotations

from itertools import cycle, product
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from svmsieve import SVMSieve
from svmsieve.criteria import CRITERIA
from svmsieve.criteria.forest import Forest
from svmsieve.engine.machines.pair_machines import PairDuals
from svmsieve.engine.machines.tuned_grid import Grid
from svmsieve.evaluation import compare, nested_evaluate
from svmsieve.search import SEARCHES
from svmsieve.search.growing_fold import GrowingFold
from svmsieve.sizing import make_rule
from tests.held_out_cases import (
    HELD_OUT,
    SIZES,
    STRATEGIES,
    TRAIN,
    N,
    few_points,
    learned,
    quick,
    steps_of,
    table,
    with_garbage,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:No feature is selected",
    "ignore:All",  # scores are zero where garbage is trained on
    "ignore:too few groups of samples",
)

GRIDS = {"SVC_GRID": Grid((0.5, 8.0), (0.1, 1.0))}
GRIDS |= {"SVR_GRID": Grid((1.0, 8.0), (0.1, 1.0), (0.1, 0.2))}
FOLDS = [(TRAIN, HELD_OUT), (np.sort(np.concatenate([HELD_OUT, TRAIN[::2]])), TRAIN[1::2])]
SAMPLE_GROUPS = 100 * (np.arange(N) % 3) + np.arange(N) // 6
"""Groups of samples that both folds keep whole."""


class Drawn(NamedTuple):
    """A selection, what it is fitted to, and the clean fit."""

    sieve: SVMSieve
    X: Any
    y: Any
    options: dict[str, Any]
    fitted: SVMSieve


def goes_together(search, size, task):
    try:
        make_rule(SIZES[size]).refuse(task, SEARCHES[search]())
    except ValueError:
        return False
    return True


def machine_of(task, rng):
    """A machine of scikit-learn, or None: tuned.  On unscaled garbage it would never end by itself."""
    options = {"C": float(10.0 ** rng.uniform(-1.0, 1.0)), "max_iter": 2000}
    regression = task == "regression"
    if not regression:
        options["class_weight"] = [None, "balanced"][rng.integers(2)]
    kind = rng.choice(["own", "linear", "kernel"], p=[0.3, 0.1, 0.6])
    if kind == "own":
        return None
    if kind == "linear":
        return LinearSVR(**options) if regression else LinearSVC(**options)
    options["kernel"] = str(rng.choice(["rbf", "linear", "poly"]))
    options["gamma"] = ["scale", 0.2][rng.integers(2)]
    return SVR(**options) if regression else SVC(**options)


def attempt(search, size, criterion, rng):
    """A random selection of this kind, not fitted, and its samples; some are refused."""
    tasks = [task for task in sorted(criterion.tasks) if goes_together(search, size, task)]
    task, missing = str(rng.choice(tasks)), bool(rng.integers(2))
    X, labels, values = table(missing)
    y = values if task == "regression" else labels
    if task == "multiclass":
        y = np.where((np.arange(N) // 3) % 3 == 2, 2, labels)
    columns = [[0, 3], [1], [2]] if rng.random() < 0.2 else None
    sieve = SVMSieve(
        machine_of(task, rng),
        criterion=Forest(5) if criterion is Forest else criterion(),
        search=search,
        n_features_to_select=SIZES[size],
        step=1,
        cv=FOLDS,
        missing="mean" if missing else "error",
        scale=bool(rng.random() < 0.8),
        groups=columns,
        keep=[0] if SEARCHES[search].forward else None,  # the first that hill-climb takes
        random_state=int(rng.integers(100)),
        tuning=str(rng.choice(["best", "1se"])),
    )
    if rng.random() < 0.2 and not missing:
        sieve.set_params(machine="nystroem", n_landmarks=8)
    if rng.random() < 0.2 and search == "rfe":
        sieve.set_params(retune=[2])
    options = {}
    if rng.random() < 0.3:
        options["sample_weight"] = rng.uniform(0.5, 2.0, N)
    if rng.random() < 0.3:
        options["groups"] = SAMPLE_GROUPS
    return sieve, X, y, options


def draw(search, size, criterion, seed):
    """A random selection of this kind that is not refused."""
    key = [seed, list(SEARCHES).index(search), list(SIZES).index(size)]
    rng = np.random.default_rng([*key, list(CRITERIA).index(criterion.name)])
    for _ in range(20):
        sieve, X, y, options = attempt(search, size, criterion, rng)
        try:
            fitted = clone(sieve).fit(X, y, **options)
        except ValueError as error:
            refusal = error
        else:
            return Drawn(sieve, X, y, options, fitted)
    raise refusal


def garbage_of(drawn):
    """Other columns and other targets in the held-out rows: labels swapped, numbers of another order."""
    rng, y = np.random.default_rng(2), drawn.y.copy()
    if y.dtype.kind == "f":
        y[HELD_OUT] = 1e6 * rng.normal(size=len(HELD_OUT))
    else:
        y[HELD_OUT] = rng.permutation(y[HELD_OUT])
    return with_garbage(drawn.X), y


def grown(sieve, X, y, options, monkeypatch):
    """The machines that a growing search trained in the first fold, by the sets it tried."""
    found, real = {}, GrowingFold.validate

    def spy(self, unit, *arguments):
        validated = real(self, unit, *arguments)
        if np.array_equal(self.fold.rows[: self.fold.n_train], TRAIN):
            trained = validated.duals
            if isinstance(trained, PairDuals):
                trained = [trained.dual(machine) for machine in range(len(trained.numbers))]
            duals = [(dual.coef, dual.intercept, dual.n_iter) for dual in trained]
            found[(*self.chosen, unit)] = self.plan_with(unit).machine, duals
        return validated

    with monkeypatch.context() as patched:
        patched.setattr(GrowingFold, "validate", spy)
        clone(sieve).fit(X, y, **options)
    return found


def check_own_folds(drawn, monkeypatch):
    """The folds of a selection: each step of an elimination, each machine of a growing set."""
    sieve, X, y, options, fitted = drawn
    bad = garbage_of(drawn)
    if SEARCHES[sieve.search].forward:
        clean, other = (grown(sieve, *data, options, monkeypatch) for data in ((X, y), bad))
        common = clean.keys() & other.keys()
        assert common
        for tried in common:
            np.testing.assert_equal(other[tried], clean[tried])
    elif make_rule(sieve.n_features_to_select).needs_cv:
        other = clone(sieve).fit(*bad, **options)
        np.testing.assert_equal(steps_of(other, "0"), steps_of(fitted, "0"))
        assert steps_of(other, "1") != steps_of(fitted, "1")  # it trains on the garbage


def check_outer_folds(drawn, strategy):
    """The outer folds of an evaluation, and of comparisons with a plain machine and with a strategy."""
    sieve, X, y, options, _ = drawn
    groups, garbage = options.get("groups"), garbage_of(drawn)
    sieve = clone(sieve).set_params(cv=2)
    methods = {"sieve": sieve, "machine": in_pipeline(SVR() if y.dtype.kind == "f" else SVC())}
    clean = compared(methods, (X, y), garbage, groups)
    alone = nested_evaluate(sieve, *garbage, FOLDS, groups=groups)
    np.testing.assert_equal(learned(alone.folds[0]), learned(clean["sieve"].folds[0]))
    labels = table()[1]  # Chen & Lin's strategies are for two classes
    methods = {"strategy": in_pipeline(quick(STRATEGIES[strategy])), "machine": in_pipeline(SVC())}
    compared(methods, (X, labels), (garbage[0], labels), groups)


def in_pipeline(estimator):
    return make_pipeline(SimpleImputer(), estimator)


def compared(methods, clean, garbage, groups):
    """Compare on clean and on bad samples: what the first outer fold learned is the same."""
    clean = compare(methods, *clean, FOLDS, groups=groups).evaluations
    other = compare(methods, *garbage, FOLDS, groups=groups).evaluations
    for name in methods:
        one, two = clean[name].folds[0], other[name].folds[0]
        np.testing.assert_equal(learned(two), learned(one))
        if one.n_features:
            assert not np.array_equal(judged(one), judged(two))
    return clean


def judged(fold):
    return fold.predictions if fold.decisions is None else fold.decisions


def check(search, size, criterion, strategy, monkeypatch):
    few_points(monkeypatch, GRIDS)
    drawn = draw(search, size, criterion, seed=list(STRATEGIES).index(strategy))
    check_own_folds(drawn, monkeypatch)
    check_outer_folds(drawn, strategy)


PRODUCT = [
    (search, size, criterion)
    for search, size, criterion in product(SEARCHES, SIZES, CRITERIA)
    if any(goes_together(search, size, task) for task in CRITERIA[criterion].tasks)
]


def part_of_the_product():
    """Every search with every size rule, criteria and strategies by turns until all came."""
    pairs = sorted({(search, size) for search, size, _ in PRODUCT})
    order = np.random.default_rng(0).permutation(list(CRITERIA)).tolist()
    turns, chosen = cycle(order), []
    for (search, size), strategy in zip(pairs, cycle(STRATEGIES), strict=False):
        name = next(name for name in turns if (search, size, name) in PRODUCT)
        chosen.append((search, size, name, strategy))
    return chosen


PART = part_of_the_product()


def test_the_part_holds_everything_once():
    searches, sizes, criteria, used = map(set, zip(*PART, strict=True))
    assert searches == set(SEARCHES)
    assert sizes == set(SIZES)
    assert criteria == set(CRITERIA)
    assert used == set(STRATEGIES)


@pytest.mark.parametrize(("search", "size", "criterion", "strategy"), PART)
def test_held_out_rows_teach_nothing(search, size, criterion, strategy, monkeypatch):
    check(search, size, CRITERIA[criterion], strategy, monkeypatch)


@pytest.mark.paper
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("search", "size", "criterion"), PRODUCT)
def test_held_out_rows_teach_nothing_in_the_whole_product(
    search, size, criterion, strategy, monkeypatch
):
    check(search, size, CRITERIA[criterion], strategy, monkeypatch)
