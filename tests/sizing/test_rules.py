"""How many features: every rule against a table worked out by hand."""

from fractions import Fraction as Frac

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import RBF, Linear, gram
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.target import Classes
from svmsieve.engine.machines.trained import train
from svmsieve.search import Elimination, Forward, HillClimb
from svmsieve.search.path import Path
from svmsieve.sizing import (
    RULES,
    Best,
    Bound,
    Fixed,
    Fraction,
    OneStandardError,
    SizeRule,
    Threshold,
    make_rule,
)
from svmsieve.sizing.bound import radius_margin_bound
from svmsieve.sizing.rules import Choice
from tests import naive
from tests.search.problems import two_classes


def path_of(sizes, fold_scores=None, **columns):
    """A path of which only some columns matter."""
    nothing = np.full(len(sizes), np.nan)
    folds = np.empty((len(sizes), 0)) if fold_scores is None else np.array(fold_scores, dtype=float)
    names = ("criterion", "largest", "bound", "C", "gamma", "seconds")
    rest = {name: np.array(columns.get(name, nothing), dtype=float) for name in names}
    return Path(max(sizes), np.array(sizes), folds, **rest)


# Four folds.  Means 0.60, 0.79, 0.82, 0.8475, 0.90, 0.88; the best is 0.90 with 16 features, whose folds
# deviate by 0.1155 (n − 1), so its standard error is 0.0577 and the limit 0.8423.
TABLE = path_of(
    [1, 2, 4, 8, 16, 32],
    [
        [0.60, 0.60, 0.60, 0.60],
        [0.45, 1.00, 0.85, 0.86],
        [0.82, 0.82, 0.82, 0.82],
        [0.85, 0.85, 0.845, 0.845],
        [0.80, 1.00, 1.00, 0.80],
        [0.88, 0.88, 0.88, 0.88],
    ],
)


def test_one_standard_error_of_the_best_size_over_its_folds():
    choice = OneStandardError().choose(TABLE)
    assert choice.size == 8
    assert "one standard error (0.058) of the best score, 0.9 with 16 features" in choice.reason


def test_what_others_take_for_one_standard_error_chooses_otherwise():
    means = TABLE.mean_score
    best = means.max()

    def smallest(limit):
        return TABLE.n_features[means >= limit].min()

    deviation_over_folds = TABLE.fold_scores[4].std(ddof=1)
    error_over_sizes = means.std(ddof=1) / np.sqrt(len(means))
    assert smallest(best - deviation_over_folds) == 2
    assert smallest(best - means.std(ddof=1)) == 4
    assert smallest(best - error_over_sizes) == 16
    assert smallest(best - 0.01) == 16
    assert TABLE.n_features[means + TABLE.se_score >= best].min() == 2
    assert smallest(best - TABLE.se_score[4]) == 8


def test_a_score_on_the_limit_is_within():
    # Best 0.9 ± 0.1 over two folds; 0.8 is on the limit, in binary a little below it.
    path = path_of([1, 2, 3], [[0.79, 0.8], [0.8, 0.8], [0.8, 1.0]])
    assert OneStandardError().choose(path).size == 2


def test_without_a_spread_one_standard_error_is_the_best():
    path = path_of([1, 2, 3], [[0.7], [0.9], [0.9]])
    assert OneStandardError().choose(path).size == 2
    same = path_of([1, 2, 3], [[0.7, 0.7], [0.9, 0.9], [0.9, 0.9]])
    assert OneStandardError().choose(same).size == 2


def test_the_best_score_wins_and_fewer_features_if_equal():
    assert Best().choose(TABLE) == Choice(16, "best cross-validated score, 0.9")
    ties = path_of([2, 3, 5, 9], [[0.5, 0.6], [0.9, 0.7], [0.7, 0.9], [0.8, 0.8]])
    assert Best().choose(ties).size == 3


@pytest.mark.parametrize("unit", [1.0, 1e-9, -1e9])
def test_of_sizes_that_are_equal_but_for_rounding_the_smallest_wins_with_its_error(unit):
    """Correct samples of folds of unequal size; which means are equal is known in exact fractions."""
    rng = np.random.default_rng(0)
    ties = 0
    for _ in range(300):
        n = np.array([7, 9, 7, 9, 7])
        folds = [rng.integers(4, n)]
        for _ in range(5):  # the same folds in another order, and now and then one sample less
            other = folds[0].copy()
            for part in ([0, 2, 4], [1, 3]):
                other[part] = rng.permutation(other[part])
            other[0] -= rng.random() < 0.3
            folds.append(other)
        sign = -1 if unit < 0 else 1
        exact = [sum(Frac(sign * int(c), int(m)) for c, m in zip(f, n, strict=True)) for f in folds]
        path = path_of([1, 2, 3, 4, 5, 6], [abs(unit) * (sign * fold / n) for fold in folds])
        best = exact.index(max(exact))
        ties += exact.count(max(exact)) > 1
        assert Best().choose(path).size == best + 1
        limit = path.mean_score[best] - path.se_score[best] - 1e-11 * abs(unit)
        assert OneStandardError().choose(path).size == 1 + np.argmax(path.mean_score >= limit)
    assert ties > 100


def test_losses_are_scores_below_zero():
    path = path_of([1, 2, 3], [[-4.0, -2.0], [-1.0, -1.2], [-1.0, -0.8]])
    assert Best().choose(path).size == 3
    assert OneStandardError().choose(path).size == 3


@pytest.mark.parametrize("rule", [Best(), OneStandardError()])
def test_scores_that_are_not_defined_are_refused(rule):
    path = path_of([1, 2], [[0.5, np.nan], [0.5, 0.6]])
    with pytest.raises(ValueError, match="scoring must give a finite number on every fold"):
        rule.choose(path)


def test_the_smallest_bound_wins_and_fewer_features_if_equal():
    choice = Bound().choose(path_of([1, 2, 4, 8], bound=[3.0, 1.5, 1.5, 2.0]))
    assert choice == Choice(2, "smallest radius/margin bound, 1.5")
    rounded = path_of([1, 2, 4, 8], bound=[3.0, 1.5, 1.5 - 1e-15, 2.0])
    assert Bound().choose(rounded).size == 2


def test_the_threshold_keeps_what_matters():
    # With 8 features those that leave reach 1 % of the largest score, with 4 features 4 %, with 2 features
    # 50 %: removing from 2 would take one that matters.
    path = path_of([1, 2, 4, 8], criterion=[3.0, 1.0, 0.08, 0.05], largest=[3.0, 2.0, 2.0, 5.0])
    assert Threshold().choose(path).size == 2
    assert Threshold(0.03).choose(path).size == 4
    assert Threshold(0.005).choose(path).size == 8
    assert Threshold(0.6).choose(path).size == 1
    assert "at least 0.03 of the largest score" in Threshold(0.03).choose(path).reason


def test_the_threshold_looks_at_the_first_removal_that_hurts():
    path = path_of([1, 2, 4, 8], criterion=[3.0, 0.01, 1.0, 0.05], largest=[3.0, 2.0, 2.0, 5.0])
    assert Threshold().choose(path).size == 4


def test_without_any_score_the_threshold_keeps_the_least():
    path = path_of([1, 2], criterion=[0.0, 0.0], largest=[0.0, 0.0])
    assert Threshold().choose(path) == Choice(1, "no removed feature reached the threshold")


def test_a_number_and_a_fraction():
    path = path_of([3, 10])
    assert Fixed(3).fixed_size(10) == 3
    assert Fixed(3).choose(path) == Choice(3, "3 features were asked for")
    assert Fixed(1).choose(path) == Choice(1, "1 feature was asked for")
    assert Fraction(0.3).fixed_size(10) == 3
    assert Fraction(0.39).fixed_size(10) == 3
    assert Fraction(0.01).fixed_size(10) == 1
    assert Fraction(0.3).choose(path) == Choice(3, "a fraction of 0.3 was asked for")


def test_a_fraction_is_of_all_features_also_where_the_search_never_saw_so_many():
    steps = path_of([1, 2, 3])
    grown = Path(10, *(getattr(steps, name) for name in list(vars(steps))[1:]))
    assert Fraction(0.3).choose(grown).size == 3


@pytest.mark.parametrize("n", [0, -1, 11])
def test_numbers_that_cannot_be_selected_are_refused(n):
    with pytest.raises(ValueError, match=f"between 1 and the 10 features there are, got {n}"):
        Fixed(n).fixed_size(10)


@pytest.mark.parametrize("fraction", [0.0, 1.5, -0.1, float("nan")])
def test_fractions_outside_their_range_are_refused(fraction):
    with pytest.raises(ValueError, match="between 0 and 1 as a fraction"):
        make_rule(fraction)


@pytest.mark.parametrize(
    ("wish", "rule"),
    [
        (5, Fixed(5)),
        (np.int32(5), Fixed(5)),
        (0.5, Fraction(0.5)),
        ("best", Best()),
        ("1se", OneStandardError()),
        ("bound", Bound()),
        ("threshold", Threshold(0.05)),
        (Threshold(0.2), Threshold(0.2)),
    ],
)
def test_what_users_write_for_a_rule(wish, rule):
    assert make_rule(wish) == rule


def test_a_rule_of_ones_own():
    class Middle(SizeRule):
        def choose(self, path):
            return Choice(int(np.median(path.n_features)), "the middle")

    own = Middle()
    assert make_rule(own) is own
    assert own.fixed_size(10) is None
    assert (own.needs_cv, own.needs_bound) == (False, False)
    own.refuse("regression", Forward())


@pytest.mark.parametrize(
    ("wish", "hint"),
    [
        ("bets", "did you mean 'best'"),
        ("1sd", "did you mean '1se'"),
        ("tresholds", "did you mean 'threshold'"),
        ("xyz", "known rules are: auto, best, 1se, bound, threshold"),
        (None, "known rules are"),
        (True, "known rules are"),
    ],
)
def test_unknown_rules_are_answered_with_near_ones(wish, hint):
    with pytest.raises(ValueError, match=f"must be a number, a fraction or a rule, got .*{hint}"):
        make_rule(wish)


def test_rules_say_what_they_look_at():
    assert [name for name, rule in RULES.items() if rule.needs_cv] == ["auto", "best", "1se"]
    assert [name for name, rule in RULES.items() if rule.needs_bound] == ["bound"]


def test_rules_refuse_what_they_cannot_judge():
    for rule in RULES.values():
        rule().refuse("multiclass", Elimination())
    Threshold().refuse("regression", HillClimb())
    with pytest.raises(ValueError, match="'bound' needs classes and search='rfe' or 'once'"):
        Bound().refuse("regression", Elimination())
    with pytest.raises(ValueError, match="got binary and 'hill-climb'"):
        Bound().refuse("binary", HillClimb())
    with pytest.raises(ValueError, match="'threshold' looks at the criterion, which plays no part"):
        Threshold().refuse("binary", Forward())


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.2)])
def test_the_bound_is_that_of_a_generic_solver(kernel):
    X, y = two_classes(n=12, d=3)
    C = 2.0
    trained = train(Machine("squared_hinge", C=C), ActiveGram(X, kernel), Classes.of(y))
    # The machine with the squared hinge is a hard-margin one in the kernel K + I/C.
    K = gram(kernel, X, X) + np.eye(12) / C
    signs = np.where(y == 1, 1.0, -1.0)
    machine = SVC(kernel="precomputed", C=1e9, tol=1e-10).fit(K, signs)
    w2 = naive.quadratic_form(K[np.ix_(machine.support_, machine.support_)], machine.dual_coef_[0])
    radius2 = naive.sphere_by_slsqp(K)
    assert radius_margin_bound(trained) == pytest.approx(radius2 * w2 / 12, rel=1e-4)
