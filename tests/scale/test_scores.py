"""Streamed criteria: what the definitions give row by row, whatever the chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.criteria import CRITERIA, make_criterion
from svmsieve.criteria.density import SDGauss, SDLaplace
from svmsieve.criteria.fspp import FSPP1, FSPP2
from svmsieve.engine.kernels.kernel import RBF, Linear
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.platt import couple
from svmsieve.engine.machines.target import Classes, Numbers, Target
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.scale.chunks import RowChunks
from svmsieve.scale.driver import STREAMED, refuse_criterion, streamed_scores
from svmsieve.scale.stream import ColumnStream, NystroemMachines, Stream
from tests import naive_scale
from tests.scale.problems import binary, classes, numbers


def _problem(task: str) -> tuple[Any, Target, Plan]:
    if task == "regression":
        X, y = numbers()
        return X, Numbers.of(y), Plan(Machine("epsilon", C=5.0, epsilon=0.1), RBF(0.2))
    X, labels = binary() if task == "binary" else classes()
    return X, Classes.of(labels), Plan(Machine("hinge", C=5.0), RBF(0.2))


def _stream(X: Any, target: Target, weight: Any = None, m: int = 40) -> ColumnStream:
    return Stream.of_matrix(X, target, weight, m, 0).columns(np.arange(X.shape[1]))


def _cut(stream: ColumnStream, rows: int) -> ColumnStream:
    """The same stream in chunks of some rows."""
    base = stream.chunks
    assert isinstance(base, RowChunks)
    stream.chunks = RowChunks(base.X, base.y, base.weight, memory=8 * base.n_features * rows)
    return stream


def _trained(stream: ColumnStream, plan: Plan, criterion: Any) -> NystroemMachines:
    with one_blas_thread():
        return stream.train(plan, probabilities=criterion.needs_probabilities)


def _probabilities(criterion: Any, machines: NystroemMachines, X: Any) -> Any:
    """Class probabilities of some rows by their definition, shape (rows, classes)."""
    f = np.column_stack([each.decision_function(X) for each in machines.expansions])
    assert isinstance(machines.target, Classes)
    k = len(machines.target.classes)
    if criterion.name == "fspp1":
        votes = np.zeros((len(X), k))
        for values, (first, second) in zip(f.T, machines.losses.pairs, strict=True):
            votes[np.arange(len(X)), np.where(values >= 0.0, second, first)] += 1
        wins = votes == votes.max(axis=1, keepdims=True)  # equal ones share
        return wins / wins.sum(axis=1, keepdims=True)
    pairwise = np.column_stack(
        [naive_scale.probability(s.A, s.B, f[:, i]) for i, s in enumerate(machines.sigmoids)]
    )
    return np.column_stack([1 - pairwise, pairwise]) if k == 2 else couple(pairwise, k)


def _by_definition(
    criterion: Any, stream: ColumnStream, machines: NystroemMachines, groups: Any, seed: int
) -> list[float]:
    """The criterion's scores, row by row and column by column."""
    chunk = stream.chunks.take(np.arange(stream.chunks.n_rows))
    X, weight = chunk.X, chunk.copies
    donors = stream.donors.X
    thresholds = np.cumsum(stream.donors.copies) / stream.donors.copies.sum()
    n_repeats = getattr(criterion, "n_permutations", 1)
    lenders = [
        naive_scale.donors_of(len(X), thresholds, seed, repeat) for repeat in range(n_repeats)
    ]
    zero = criterion.name == "fspp3"
    scores = []
    for columns in groups:
        new = [
            naive_scale.replaced_rows(X, columns, None if zero else donors, of_row)
            for of_row in lenders
        ]
        if criterion.name.startswith("fspp"):
            before = _probabilities(criterion, machines, X)
            shifts = [
                0.5 * np.abs(_probabilities(criterion, machines, each) - before).sum(axis=1)
                for each in new
            ]
            scores.append(float(np.mean([naive_scale.mean(shift, weight) for shift in shifts])))
            continue
        f = machines.expansions[0].decision_function(X)
        after = [machines.expansions[0].decision_function(each) for each in new]
        spread = naive_scale.mean(criterion.size(chunk.y - f), weight)
        new_spread = np.mean(
            [naive_scale.mean(criterion.size(chunk.y - each), weight) for each in after]
        )
        values = [criterion.divergence(each - f, spread, new_spread) for each in after]
        scores.append(float(np.mean([naive_scale.mean(value, weight) for value in values])))
    return scores


CASES = [
    (FSPP1(), "binary"),
    (FSPP1(n_permutations=2), "multiclass"),
    (FSPP2(n_permutations=3), "binary"),
    (FSPP2(), "multiclass"),
    (make_criterion("fspp3", "binary"), "binary"),
    (SDGauss(n_permutations=2), "regression"),
    (SDLaplace(), "regression"),
]


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("criterion", "task"), CASES, ids=lambda value: str(value))
def test_scores_are_those_of_the_definition(
    criterion: Any, task: str, weighted: bool, grouped: bool
) -> None:
    X, target, plan = _problem(task)
    weight = np.linspace(0.2, 2.0, len(X)) if weighted else None
    stream = _stream(X, target, weight)
    machines = _trained(stream, plan, criterion)
    groups = tuple(np.array([i]) for i in range(X.shape[1]))
    if grouped:
        groups = (np.array([0, 2]), *(np.array([i]) for i in range(X.shape[1]) if i not in (0, 2)))
    given = groups if grouped else None
    found = streamed_scores(criterion, _cut(stream, 100), machines, given, 7)
    wanted = _by_definition(criterion, stream, machines, groups, 7)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)


def test_sv_gradient_is_the_mean_share_at_the_rows_with_a_loss() -> None:
    X, target, plan = _problem("binary")
    criterion = make_criterion("sv-gradient", "binary")
    stream = _cut(_stream(X, target), 50)
    machines = _trained(stream, plan, criterion)
    (expansion,), chunk = machines.expansions, stream.chunks.take(np.arange(len(X)))
    y, step = 2.0 * chunk.y - 1.0, 1e-6
    shares = []
    for x, label in zip(X, y, strict=True):
        if label * expansion.decision_function(x[None])[0] < 1.0:
            moved = x + step * np.eye(len(x)), x - step * np.eye(len(x))
            up, down = (expansion.decision_function(each) for each in moved)
            slope = (up - down) / (2.0 * step)
            shares.append(slope**2 / (slope**2).sum())
    found = streamed_scores(criterion, stream, machines, None, 0)
    np.testing.assert_allclose(found, np.mean(shares, axis=0), rtol=1e-5)


@pytest.mark.parametrize("name", ["weight", "weight-gradient"])
def test_linear_weights(name: str) -> None:
    X, target, _ = _problem("multiclass")
    criterion = make_criterion(name, "multiclass")
    stream = _stream(X, target)
    machines = _trained(stream, Plan(Machine("hinge"), Linear()), criterion)
    squares = sum(each.linear_weights() ** 2 for each in machines.expansions)
    found = streamed_scores(criterion, stream, machines, None, 0)
    np.testing.assert_allclose(found, squares * (1.0 if name == "weight" else 2.0))


@pytest.mark.parametrize("name", STREAMED)
def test_chunks_do_not_matter(name: str) -> None:
    task = "regression" if name.startswith("sd") else "multiclass"
    X, target, plan = _problem(task)
    criterion = make_criterion(name, task)
    stream = _stream(X, target)
    machines = _trained(stream, plan, criterion)
    whole = streamed_scores(criterion, stream, machines, None, 3)
    parts = streamed_scores(criterion, _cut(stream, 37), machines, None, 3)
    np.testing.assert_allclose(parts, whole, rtol=1e-9, atol=1e-12)
    other = streamed_scores(criterion, stream, machines, None, 4)
    assert np.array_equal(other, parts) == (name in ("fspp3", "sv-gradient"))


@pytest.mark.parametrize("name", ["fspp3", "sv-gradient"])
def test_weights_are_numbers_of_copies(name: str) -> None:
    X, target, plan = _problem("binary")
    assert isinstance(target, Classes)
    criterion = make_criterion(name, "binary")
    copies = 1 + np.arange(len(X)) % 3
    weighted = _stream(X, target, copies.astype(float))
    machines = _trained(weighted, plan, criterion)
    repeated = Classes(target.classes, np.repeat(target.codes, copies))
    many = _stream(np.repeat(X, copies, axis=0), repeated)
    np.testing.assert_allclose(
        streamed_scores(criterion, weighted, machines, None, 0),
        streamed_scores(criterion, many, machines, None, 0),
        rtol=1e-9,
    )


@pytest.mark.parametrize("name", ["fspp2", "fspp3", "sv-gradient", "sd-gauss"])
def test_sparse_is_dense(name: str) -> None:
    task = "regression" if name.startswith("sd") else "binary"
    X, target, plan = _problem(task)
    X = X * (np.abs(X) > 0.5)
    criterion = make_criterion(name, task)
    found = []
    for made in (np.asarray, sp.csr_matrix):
        stream = _stream(made(X), target)
        found.append(streamed_scores(criterion, stream, _trained(stream, plan, criterion), None, 0))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6, atol=1e-9)


def test_a_constant_column_scores_zero() -> None:
    X, target, plan = _problem("binary")
    X[:, 1] = 3.0
    criterion = make_criterion("fspp3", "binary")  # zero is not what the column holds
    stream = _stream(X, target)
    assert streamed_scores(criterion, stream, _trained(stream, plan, criterion), None, 0)[1] == 0.0


@pytest.mark.parametrize("name", sorted(CRITERIA))
def test_every_criterion_runs_or_is_refused_by_name(name: str) -> None:
    criterion = CRITERIA[name]()
    if name in STREAMED or criterion.is_filter:
        refuse_criterion(criterion, RBF(1.0))
    else:
        with pytest.raises(ValueError, match=f"'{name}'.*machine='nystroem'.*use one of fspp1"):
            refuse_criterion(criterion, RBF(1.0))
    if name in ("weight", "weight-gradient"):
        refuse_criterion(criterion, Linear())


@pytest.mark.parametrize(
    ("criterion", "what"),
    [(FSPP1(evaluate_on="held-out"), "evaluate_on"), (FSPP1(n_permutations="all"), "a number")],
)
def test_options_that_need_all_rows_are_refused(criterion: Any, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        refuse_criterion(criterion, RBF(1.0))
