"""Sentences of Rakotomamonjy (2003) that the measurements confirm or contradict."""

from __future__ import annotations

import numpy as np

from svmsieve.papers.measurements import Measurements, Place
from svmsieve.papers.rakotomamonjy2003_studies import (
    ARRAY_PROBLEMS,
    BREAST,
    CURVES,
    HEART,
    LINEAR_SIZES,
    NONLINEAR_SIZES,
    SIX,
    THREE,
)
from svmsieve.papers.views import Finding, Statement

THRESHOLD = 100.0
STOPPED_AT = "50 samples"


def _percent(values: list[float]) -> str:
    return ", ".join(f"{100.0 * value:.1f}" for value in values) + " %"


def _identical(made: Measurements) -> Finding:
    pairs = [
        (made.at(Place(n, "‖w_i‖²", "error@2")), made.at(Place(n, "∇‖w‖²", "error@2")))
        for n in LINEAR_SIZES
    ]
    same = sum(a[t] == b[t] for a, b in pairs for t in a)
    total = sum(len(a) for a, _ in pairs)
    return Finding(f"equal in {same} of {total} trials", 0 < total == same)


def _retraining_helps(made: Measurements) -> Finding:
    with_, without = (
        [made.mean(Place(n, row, "error@2")) for n in LINEAR_SIZES] for row in ("‖w‖²", "‖w_i‖²")
    )
    found = f"‖w‖² {_percent(with_)}, ‖w_i‖² {_percent(without)}"
    return Finding(found, all(a < b for a, b in zip(with_[1:], without[1:], strict=True)))


def _retraining_hurts(made: Measurements) -> Finding:
    sizes = NONLINEAR_SIZES
    higher = {
        first: [
            n
            for n in sizes
            if made.mean(Place(n, first, "error@2")) > made.mean(Place(n, second, "error@2"))
        ]
        for first, second in (("‖w‖²", "‖w_i‖²"), ("R²w²", "R_i²w_i²"))
    }
    words = "; ".join(f"{row} with {', '.join(at)} samples" for row, at in higher.items())
    return Finding(f"higher: {words}", all(len(at) == len(sizes) for at in higher.values()))


def _best_without_retraining(made: Measurements) -> Finding:
    rows = ("‖w_i‖²", "R_i²w_i²", "S_pi²", "∇R²w²", "∇S_p²")
    best = [min(rows, key=lambda row: made.mean(Place(n, row, "error@2"))) for n in LINEAR_SIZES]
    won = sum(row == "‖w_i‖²" for row in best)
    return Finding(f"best with {won} of {len(best)} numbers of samples", won == len(best))


def _correlation_fails(made: Measurements) -> Finding:
    errors = [made.mean(Place(n, "Corr", "error@2")) for n in NONLINEAR_SIZES]
    return Finding(_percent(errors), min(errors) > 0.45)


LINEAR_STATEMENTS = (
    Statement("In the linear case ∇‖w‖² and ‖w_i‖² are identical.", _identical),
    Statement(
        "Retraining increases the capacity of a zero-order criterion: clear in the linear case as samples "
        "increase.",
        _retraining_helps,
    ),
    Statement(
        "Without retraining, in the linear case ∇‖w‖² (= ‖w_i‖²) outperforms other methods.",
        _best_without_retraining,
    ),
)
NONLINEAR_STATEMENTS = (
    Statement(
        "For ‖w‖² and R²w² the test errors are always higher when retraining is performed.",
        _retraining_hurts,
    ),
    Statement("With correlation coefficients the error does not decrease.", _correlation_fails),
)


def _slightly_best(made: Measurements) -> Finding:
    sizes = ARRAY_PROBLEMS["colon"][1]
    best = [min(SIX, key=lambda row: made.mean(Place("colon", row, f"error@{k}"))) for k in sizes]
    won = sum(row == "∇‖w‖²" for row in best)
    return Finding(f"lowest with {won} of {len(sizes)} numbers of variables", won > len(sizes) / 2)


def _span_best(made: Measurements) -> Finding:
    sizes = ARRAY_PROBLEMS["lymphoma"][1]
    errors = {
        (row, k): made.mean(Place("lymphoma", row, f"error@{k}")) for row in SIX for k in sizes
    }
    row, k = min(errors, key=lambda at: errors[at])
    found = f"the lowest is {100.0 * errors[row, k]:.2f} % of {row} with {k} variables"
    return Finding(found, (row, k) == ("∇S_p²", 250))


def _few_suffice(made: Measurements) -> Finding:
    few = made.mean(Place("lymphoma", "∇‖w‖²", "error@20"))
    all_ = made.mean(Place("lymphoma", "SVM", "error@all"))
    return Finding(f"{100.0 * few:.2f} % with 20, {100.0 * all_:.2f} % with all", few < all_ + 0.01)


COLON_STATEMENTS = (Statement("∇‖w‖² slightly outperforms the others.", _slightly_best),)
LYMPHOMA_STATEMENTS = (
    Statement("∇S_p² achieves the best performance, with only 250 variables.", _span_best),
    Statement("With ∇‖w‖² good performance can be achieved using only 20 variables.", _few_suffice),
)


def _deviations(made: Measurements, condition: str, sizes: tuple[int, ...]) -> list[float]:
    """Deviation of the error over the trials by number of variables, the mean of the criteria's."""
    return [
        float(
            np.mean(
                [
                    np.std(list(made.at(Place(condition, row, f"error@{k}")).values()), ddof=1)
                    for row in CURVES
                ]
            )
        )
        for k in sizes
    ]


def _breast_deviation(made: Measurements) -> Finding:
    sizes = BREAST.settings["breast-cancer"].sizes
    found = _deviations(made, "breast-cancer", sizes)
    words = f"{100.0 * min(found):.1f} to {100.0 * max(found):.1f} %"
    return Finding(words, min(found) > 0.04 and max(found) < 0.06)


def _heart_deviation(made: Measurements) -> Finding:
    found = _deviations(made, "heart", HEART.settings["heart"].sizes)
    words = f"from {100.0 * found[0]:.1f} % with one variable to {100.0 * found[-1]:.1f} % with all"
    return Finding(words, abs(found[0] - 0.07) < 0.01 and abs(found[-1] - 0.04) < 0.01)


def _fewer_suffice(condition: str, d: int) -> Statement:
    def judge(made: Measurements) -> Finding:
        curve = {k: made.mean(Place(condition, "∇‖w‖²", f"error@{k}")) for k in range(1, d + 1)}
        enough = min(k for k, error in curve.items() if error <= curve[d] + 0.01)
        found = (
            f"∇‖w‖²: {100.0 * curve[enough]:.2f} % with {enough} variables, "
            f"{100.0 * curve[d]:.2f} % with all {d}"
        )
        return Finding(found, enough < d)

    return Statement("One can achieve better or similar performance using fewer variables.", judge)


def _span_poor(condition: str, d: int) -> Statement:
    def judge(made: Measurements) -> Finding:
        worst = [
            max(CURVES, key=lambda row, k=k: made.mean(Place(condition, row, f"error@{k}")))  # type: ignore[misc]
            for k in range(1, d)
        ]
        count = worst.count("S_pi²")
        return Finding(f"S_pi² is the worst with {count} of {d - 1} numbers", count > (d - 1) / 2)

    return Statement("The span estimate gives poor results without retraining.", judge)


BENCHMARK_STATEMENTS = {
    "breast-cancer": (
        _fewer_suffice("breast-cancer", 9),
        _span_poor("breast-cancer", 9),
        Statement("The standard deviation is rather stable, around 5 %.", _breast_deviation),
    ),
    "heart": (
        _fewer_suffice("heart", 13),
        _span_poor("heart", 13),
        Statement("The standard deviation tends to decrease from 7 % to 4 %.", _heart_deviation),
    ),
}


def _kept_by(made: Measurements, row: str) -> int:
    """How many variables are left when the criterion of the leaving one first reaches the threshold."""
    for k in range(52, 0, -1):
        if made.mean(Place(STOPPED_AT, row, f"removed@{k}")) >= THRESHOLD:
            return k
    return 0


def _about_ten(made: Measurements) -> Finding:
    kept = {row: _kept_by(made, row) for row in THREE}
    found = ", ".join(f"{row} keeps {k}" for row, k in kept.items())
    return Finding(found, all(5 <= k <= 20 for k in kept.values()))


def _validation_best(made: Measurements) -> Finding:
    best = {
        measure: [
            min(range(1, 53), key=lambda k: made.mean(Place(STOPPED_AT, row, f"{measure}@{k}")))
            for row in THREE
        ]
        for measure in ("error", "bound")
    }
    words = {name: ", ".join(map(str, sizes)) for name, sizes in best.items()}
    found = f"the error is lowest with {words['error']} variables, the bound with {words['bound']}"
    return Finding(found, set(best["error"]) == {2} and 2 not in best["bound"])


STOPPING_STATEMENTS: dict[str, tuple[Statement, ...]] = {
    "a": (),
    "b": (
        Statement(
            "The validation error is the best method; upper bounds perform poorly.",
            _validation_best,
        ),
    ),
    "c": (
        Statement(
            "A threshold of 100 keeps around 10 variables regardless of the criterion.", _about_ten
        ),
    ),
}
