"""The artificial problems are what their papers say."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from svmsieve.datasets import (
    make_led24,
    make_madelon,
    make_monk,
    make_weston_linear,
    make_weston_nonlinear,
    make_yang,
)
from svmsieve.datasets.madelon import MADELON_TRUE
from svmsieve.datasets.rules import monk_labels

ALL = {
    "weston-linear": make_weston_linear,
    "weston-nonlinear": make_weston_nonlinear,
    "yang": make_yang,
    "monk": lambda n, **seed: make_monk(3, n, noise=0.1, **seed),
    "led24": make_led24,
    "madelon": lambda n, **seed: make_madelon(n, n_probes=20, **seed)[:2],
}


@pytest.mark.parametrize("name", ALL)
def test_a_seed_fixes_everything_and_none_is_zero(name):
    make = ALL[name]
    X, y = make(60, random_state=7)
    again, labels = make(60, random_state=7)
    assert np.array_equal(X, again)
    assert np.array_equal(y, labels)
    other, _ = make(60, random_state=8)
    assert not np.array_equal(X, other)
    default, _ = make(60)
    assert np.array_equal(default, make(60, random_state=0)[0])
    assert X.dtype == np.float64
    assert X.shape[0] == y.shape[0] == 60


@pytest.mark.parametrize("name", ALL)
def test_a_generator_goes_on_from_where_it_is(name):
    rng = np.random.default_rng(5)
    first, _ = ALL[name](40, random_state=rng)
    second, _ = ALL[name](40, random_state=rng)
    assert not np.array_equal(first, second)
    assert np.array_equal(first, ALL[name](40, random_state=np.random.default_rng(5))[0])


def close(values, expected, deviation=1.0):
    """Whether a mean is within five standard errors of what it should be."""
    values = np.asarray(values)
    return abs(values.mean() - expected) < 5 * deviation / np.sqrt(len(values))


def test_weston_linear_means_and_variances():
    X, y = make_weston_linear(20000, 9, random_state=1)
    assert y.sum() == 0
    for i in range(3):
        # a mixture of N(i, 1) and N(0, 1) under the sign of y
        signed = X[:, i] * y
        assert close(signed, 0.7 * (i + 1), signed.std())
        signed = X[:, i + 3] * y
        assert close(signed, 0.3 * (i + 1), signed.std())
    noise = X[:, 6:].ravel()
    assert close(noise, 0.0, np.sqrt(20.0))
    assert abs(noise.var() / 20.0 - 1.0) < 0.05
    # one triple speaks at a time: where x_3 is far from zero, x_6 is N(0, 1)
    far = np.abs(X[:, 2]) > 4.0
    assert abs(X[far, 5].std() - 1.0) < 0.05


def test_weston_nonlinear_is_a_mixture_of_four():
    X, y = make_weston_nonlinear(20000, 5, random_state=1)
    for label, x1 in ((-1, 0.75), (1, -3.0)):
        for side in (-1, 1):
            chosen = (y == label) & (np.sign(X[:, 1]) == side)
            # x_2 is ±3 ± 1: its sign tells the side for all but 1 in 700
            assert abs(X[chosen, 0].mean() - side * x1) < 0.05
            assert abs(X[chosen, 1].mean() - side * 3.0) < 0.05
            assert abs(chosen.sum() / len(y) - 0.25) < 0.02
    # alone, x_2 says nothing
    assert abs(np.corrcoef(X[:, 1], y)[0, 1]) < 0.03
    assert abs(X[:, 2:].var() / 20.0 - 1.0) < 0.05


def test_yang_follows_its_equation():
    X, y = make_yang(5000, 12, random_state=2)
    expected = [
        0.1 * np.exp(4 * a) + 4 / (1 + np.exp(-20 * (b - 0.5))) + 3 * c + 2 * d + e
        for a, b, c, d, e, *_ in X
    ]
    residual = y - expected
    assert X.min() >= 0.0
    assert X.max() <= 1.0
    assert close(residual, 0.0, 0.1)
    assert abs(residual.std() - 0.1) < 0.005


def naive_monk(problem, robot):
    a1, a2, _a3, a4, a5, _a6 = robot
    if problem == 1:
        return int(a1 == a2 or a5 == 1)
    if problem == 2:
        return int(list(robot).count(1) == 2)
    return int((a5 == 3 and a4 == 1) or (a5 != 4 and a2 != 3))


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_monk_rules(problem):
    X, y = make_monk(problem)
    robots = list(product([1, 2, 3], [1, 2, 3], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2]))
    assert X.tolist() == [list(map(float, robot)) for robot in robots]
    assert y.tolist() == [naive_monk(problem, robot) for robot in robots]


@pytest.mark.parametrize(("problem", "wrong"), [(1, 0), (2, 0), (3, 6)])
def test_monk_rules_give_the_labels_of_the_real_files(shared_data, problem, wrong):
    with np.load(shared_data / f"monks-{problem}.npz", allow_pickle=False) as data:
        assert np.array_equal(monk_labels(problem, data["X_test"]), data["y_test"])
        assert (monk_labels(problem, data["X_train"]) != data["y_train"]).sum() == wrong
        robots, labels = make_monk(problem)
        order = np.lexsort(data["X_test"].T[::-1])
        assert np.array_equal(data["X_test"][order], robots)
        assert np.array_equal(data["y_test"][order], labels)


def test_monk_sample_has_no_robot_twice_and_the_noise_asked_for():
    X, y = make_monk(3, 200, noise=0.05, random_state=3)
    assert len(np.unique(X, axis=0)) == 200
    assert (monk_labels(3, X) != y).sum() == 10


def test_led24_segments_flips_and_noise():
    X, y = make_led24(20000, random_state=4)
    clean, digits = make_led24(2000, flip=0.0, n_noise=0, random_state=4)
    assert clean.shape == (2000, 7)
    pattern = {digit: clean[digits == digit] for digit in range(10)}
    assert all((rows == rows[0]).all() for rows in pattern.values())
    lit = [int(pattern[digit][0].sum()) for digit in range(10)]
    assert lit == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]
    assert len({tuple(rows[0]) for rows in pattern.values()}) == 10
    wrong = np.array([X[y == digit, :7] != pattern[digit][0] for digit in range(10)], dtype=object)
    flips = np.concatenate([part.ravel() for part in wrong]).astype(float)
    assert close(flips, 0.1, 0.3)
    assert close(X[:, 7:].ravel(), 0.5, 0.5)
    assert np.unique(y).tolist() == list(range(10))


class TestMadelon:
    def test_columns_are_what_kind_and_source_say(self):
        problem = make_madelon(
            400, n_informative=4, n_redundant=3, n_repeated=6, n_probes=11, noise=0, random_state=1
        )
        kinds, counts = np.unique(problem.kind, return_counts=True)
        expected = {"informative": 4, "redundant": 3, "repeated": 6, "probe": 11}
        assert dict(zip(kinds.tolist(), counts.tolist(), strict=True)) == expected
        X = problem.X
        repeated = problem.kind == "repeated"
        assert np.array_equal(X[:, repeated], X[:, problem.source[repeated]])
        assert np.array_equal(problem.source[~repeated], np.flatnonzero(~repeated))
        assert set(problem.kind[problem.source[repeated]]) <= {"informative", "redundant"}
        informative = X[:, problem.kind == "informative"]
        redundant = X[:, problem.kind == "redundant"]
        _, residual, rank, _ = np.linalg.lstsq(informative, redundant)
        assert rank == 4
        assert residual.max() < 1e-18 * len(X)
        # shuffled: the useful columns do not come first
        assert (problem.kind[:13] == "probe").any()

    def test_no_column_speaks_alone_but_neighbours_do(self):
        from sklearn.neighbors import KNeighborsClassifier

        problem = make_madelon(1200, n_probes=5, flip_y=0.0, random_state=2)
        useful = problem.X[:, problem.kind == "informative"]
        half = KNeighborsClassifier(5).fit(useful[:800], problem.y[:800])
        assert half.score(useful[800:], problem.y[800:]) > 0.8
        # A column is tied to the class only by the chance of 32 vertices dealt to two classes.
        squares = [
            np.corrcoef(column, problem.y)[0, 1] ** 2
            for seed in range(30)
            for problem in [make_madelon(640, n_probes=0, random_state=seed)]
            for column in problem.X[:, problem.kind == "informative"].T
        ]
        assert np.mean(squares) < 1.5 / 32

    def test_vertices_are_distinct_and_dealt_fairly(self):
        for m, clusters in ((3, 4), (3, 2), (70, 3)):
            problem = make_madelon(
                4000,
                n_informative=m,
                n_redundant=0,
                n_repeated=0,
                n_probes=0,
                n_clusters_per_class=clusters,
                class_sep=1000.0,
                flip_y=0.0,
                random_state=1,
            )
            sides = np.sign(problem.X)
            vertices = {tuple(side) for side in sides.tolist()}
            assert len(vertices) == 2 * clusters
            owner = [(tuple(s), y) for s, y in zip(sides.tolist(), problem.y.tolist(), strict=True)]
            assert len(set(owner)) == 2 * clusters  # a vertex belongs to one class

    def test_flips_are_random_labels(self):
        same = {"n_samples": 4000, "n_probes": 0, "noise": 0.0, "random_state": 6}
        clean = make_madelon(**same, flip_y=0.0)
        dirty = make_madelon(**same, flip_y=1.0)
        assert set(clean.y.tolist()) == {-1, 1}
        assert abs(clean.y.mean()) < 0.01
        assert abs(dirty.y.mean()) < 0.1

    def test_the_original_has_the_same_structure(self, shared_data):
        with np.load(shared_data / "madelon.npz", allow_pickle=False) as data:
            real = np.vstack([data["X_train"], data["X_valid"], data["X_test"]])
        real = real[:, list(MADELON_TRUE)].astype(float)
        made = make_madelon(len(real), random_state=0)
        made = made.X[:, made.kind != "probe"]

        def singular(X):
            return np.linalg.svd((X - X.mean(0)) / X.std(0), compute_uv=False) / np.sqrt(len(X))

        def n_pairs(X):
            return int((np.abs(np.triu(np.corrcoef(X.T), 1)) > 0.985).sum())

        # five dimensions, and noise of a tenth of each column's deviation in the other fifteen
        for values in (singular(real), singular(made)):
            assert values[4] > 1.0
            assert 0.09 < values[19] < values[5] < 0.12
        # 20 columns of which 10 are copies: at least 10 pairs
        assert n_pairs(real) >= 10
        assert n_pairs(made) >= 10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_weston_linear(1), "n_samples must be a whole number of at least 2, got 1"),
        (lambda: make_weston_linear(10, 5), "n_features must be a whole number of at least 6"),
        (lambda: make_weston_nonlinear(10.5), "n_samples must be a whole number"),
        (lambda: make_weston_nonlinear(10, 1), "n_features must be a whole number of at least 2"),
        (lambda: make_yang(10, 4), "n_features must be a whole number of at least 5"),
        (lambda: make_yang(10, noise=-1.0), "noise must be a finite number, not negative, got -1"),
        (
            lambda: make_yang(10, noise=np.inf),
            "noise must be a finite number, not negative, got inf",
        ),
        (
            lambda: make_yang(10, noise=np.nan),
            "noise must be a finite number, not negative, got nan",
        ),
        (lambda: make_yang(10, noise="x"), "noise must be a finite number, not negative, got 'x'"),
        (lambda: make_monk(4), "problem must be 1, 2 or 3, got 4"),
        (lambda: make_monk(1, 433), "n_samples must be at most 432, got 433"),
        (lambda: make_monk(1, noise=1.5), "noise must be a number from 0 to 1, got 1.5"),
        (lambda: make_led24(10, flip="x"), "flip must be a number from 0 to 1, got 'x'"),
        (lambda: make_led24(10, random_state="x"), "random_state must be a whole number"),
        (lambda: make_madelon(10, n_informative=0), "n_informative must be a whole number"),
        (
            lambda: make_madelon(10, n_informative=3, n_clusters_per_class=5),
            "n_clusters_per_class must be at most 4 for n_informative=3, got 5",
        ),
        (lambda: make_madelon(10, noise=-0.1), "noise must be a finite number, not negative"),
        (lambda: make_madelon(10, noise=np.inf), "noise must be a finite number, not negative"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
