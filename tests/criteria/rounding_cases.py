"""Every criterion of the registry next to its twin in extended precision, on problems of any scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.criteria import CRITERIA
from svmsieve.criteria.radius_margin import sphere_around
from svmsieve.criteria.replacement import permutation_orders
from tests import naive_extended as extended
from tests.criteria.cases import Case

NO_SUMS = {"forest", "loo-scaling"}
"""Counts the hits of trees, which no rounding of sums touches; follows a descent, whose steps have a test of
their own (``tests/engine/test_loo_scales.py``)."""
LOSSES = {"squared-hinge": "squared_hinge"}


def loss_of(name: str) -> str | None:
    return LOSSES.get(str(CRITERIA[name].machine))


def _orders(case: Case) -> Any:
    return permutation_orders(case.data.weights, 1, case.data.seed)


def _betas(case: Case) -> Any:
    return [sphere_around(case.trained.matrix_of(p), p).beta for p in case.trained.parts]


def _classes(case: Case) -> bool:
    return case.trained.target.task != "regression"


def _platt(case: Case, orders: Any) -> Any:
    assert case.fitted is not None
    sigmoids = case.fitted.sigmoids
    return extended.fspp(
        case.kernel,
        case.X,
        case.machines,
        case.groups,
        orders,
        lambda f: extended.probabilities(f, sigmoids, case.n_classes),
    )


def _retrained(case: Case, value: Any) -> Any:
    """Values of the machines that are trained again, their dual variables taken as they come."""
    trained = case.trained
    betas = _betas(case) if trained.machine.loss == "squared_hinge" else [None]
    scores = np.zeros(len(case.groups), dtype=extended.LONG)
    for index, g in enumerate(case.groups):
        K = trained.gram.without(trained.gram.active[g])
        for part, start in zip(trained.parts, betas * len(trained.parts), strict=False):
            rows = part.rows
            dual = trained.machine.solve(K[np.ix_(rows, rows)], part.y, part.bounds, part.dual)
            exact = extended.gram(case.kernel, case.X[rows], case.X[rows], g)
            scores[index] += value(K[np.ix_(rows, rows)], exact, part, dual, start)
    return scores


def _optimum(K: Any, exact: Any, part: Any, dual: Any, start: Any) -> Any:
    c = extended.long(dual.coef)
    return abs(c @ exact @ c - 2 * extended.long(dual.alpha).sum())


def _bound(K: Any, exact: Any, part: Any, dual: Any, start: Any) -> Any:
    lifted = exact + np.diag(1 / extended.long(part.bounds))
    c, beta = extended.long(dual.coef), sphere_around(K, part, start).beta
    return (c @ lifted @ c) * extended.sphere_value(lifted, extended.long(beta))


def _span(K: Any, exact: Any, part: Any, dual: Any, start: Any) -> Any:
    lifted = exact + np.diag(1 / extended.long(part.bounds))
    support = np.flatnonzero(dual.alpha > 0.0)
    return extended.span_sum(lifted[np.ix_(support, support)], dual.alpha[support])


def _of_machines(twin: Any) -> Any:
    return lambda case: twin(case.kernel, case.X, case.machines, case.groups)


def _of_spheres(twin: Any) -> Any:
    return lambda case: twin(case.kernel, case.X, case.machines, _betas(case), case.groups)


def _density(density: str) -> Any:
    return lambda case: extended.sd(
        case.kernel, case.X, case.y, case.machines[0], case.groups, _orders(case), density
    )


TWINS = {
    "correlation": lambda case: extended.correlation(case.X, case.y, case.groups, _classes(case)),
    "s2n": lambda case: extended.s2n(case.X, case.y, case.groups),
    "f-score": lambda case: extended.f_score(case.X, case.y, case.groups),
    "hsic": lambda case: extended.hsic(
        case.kernel, case.X, extended.target_kernel(case.y, _classes(case)), case.groups
    ),
    "lasso": lambda case: extended.lasso(case.X, case.y, case.groups, _classes(case)),
    "weight": _of_machines(extended.weight),
    "weight-gradient": _of_machines(extended.weight_gradient),
    "weight-retrained": lambda case: _retrained(case, _optimum),
    "radius-margin": _of_spheres(extended.radius_margin),
    "radius-margin-gradient": _of_spheres(extended.radius_margin_gradient),
    "radius-margin-retrained": lambda case: _retrained(case, _bound),
    "span": _of_machines(extended.span),
    "span-gradient": _of_machines(extended.span_gradient),
    "span-retrained": lambda case: _retrained(case, _span),
    "fspp1": lambda case: extended.fspp(
        case.kernel,
        case.X,
        case.machines,
        case.groups,
        _orders(case),
        lambda f: extended.winners(f, case.n_classes),
    ),
    "fspp2": lambda case: _platt(case, _orders(case)),
    "fspp3": lambda case: _platt(case, None),
    "fspp4": lambda case: extended.fspp4(
        case.kernel,
        case.X,
        case.machines,
        case.fitted.sigmoids,
        case.n_classes,
        case.groups,
    ),
    "sv-gradient": _of_machines(extended.sv_gradient),
    "sd-laplace": _density("laplace"),
    "sd-gauss": _density("gauss"),
}
