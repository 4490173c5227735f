"""What a user gets without asking for anything: ``SVMSieve().fit(X, y)``."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from svmsieve import SVMSieve, rank
from svmsieve.engine.kernels.kernel import RBF
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.plan import Plan, trusted
from svmsieve.engine.machines.relative_grid import GRID
from svmsieve.engine.machines.skill import SLOPES
from svmsieve.engine.machines.tuned_grid import Tuning
from svmsieve.search import Thinning
from svmsieve.search.portfolio import Judged
from svmsieve.search.rankers import portfolio

RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 12))
XOR = np.where(X[:, 3] * X[:, 7] > 0, "same", "other")
QUICK = {"cv": 5, "random_state": 0}


@pytest.fixture(scope="module")
def xor():
    return SVMSieve(**QUICK).fit(X, XOR)


def test_an_interaction_that_no_linear_ranking_sees_is_found(xor):
    assert xor.get_support(indices=True).tolist() == [3, 7]
    assert xor.score(X, XOR) > 0.9


def test_what_was_tried_is_told(xor):
    tried = xor.path_.tried
    assert [row.ranking for row in tried] == [ranker.name for ranker in portfolio("binary")]
    assert sum(row.taken for row in tried) == 1
    assert xor.path_.ranking == next(row.ranking for row in tried if row.taken)
    assert tried[0].difference == tried[0].se == 0.0
    best = max(row.score for row in tried)
    taken = next(row for row in tried if row.taken)
    assert taken.score == best or taken is tried[0]


def test_the_ranking_is_the_consensus_of_folds_and_all_samples(xor):
    assert xor.fold_ranking_.shape == (5, 12)
    assert np.sort(xor.fold_ranking_, axis=1).tolist() == [list(range(1, 13))] * 5
    every = [unit for step in xor.record_.steps["all"] for unit in step.moved][::-1]
    ranks = np.vstack([np.argsort(every) + 1, xor.fold_ranking_])
    mean = np.log(ranks).mean(axis=0)[xor.order_]
    assert (np.diff(mean) >= -1e-9).all()


def test_sizes_grid_and_machine_belong_together(xor):
    assert xor.path_.n_features.tolist() == Thinning().sizes(12, 1)[::-1]
    at = xor.path_.n_features.tolist().index(2)
    assert xor.tuning_.best_C == xor.estimator_.C
    assert xor.estimator_.gamma == pytest.approx(xor.tuning_.best_gamma)
    assert xor.tuning_.best_score >= xor.path_.mean_score[at] - 0.02  # of the consensus' columns
    other = xor.at_size(4, X, XOR)
    at = xor.path_.n_features.tolist().index(4)
    assert xor.path_.C[at] == other.estimator_.C
    assert other.estimator_.gamma == pytest.approx(xor.path_.gamma[at])


def test_the_final_machine_is_scikit_learns_choice_in_the_same_folds(xor):
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    Z = X[:, xor.get_support()]
    grid = {"svc__C": xor.tuning_.C, "svc__gamma": xor.tuning_.gamma}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=folds).fit(Z, XOR)
    assert xor.tuning_.best_score == pytest.approx(search.best_score_)


def test_its_path_is_that_of_scikit_learns_machines_in_the_folds(xor):
    """The best point of each size, trained by scikit-learn on the columns each fold had left."""
    name, at = xor.path_.ranking, 1
    from sklearn.model_selection import StratifiedKFold
    from sklearn.preprocessing import StandardScaler

    size = int(xor.path_.n_features[at])
    relative = xor.path_.gamma[at] * size
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, XOR)
    for number, (train, test) in enumerate(folds):
        steps = xor.record_.steps[f"{name}: {number}"]
        order = [unit for step in steps for unit in step.moved][::-1]
        columns = np.sort(order[:size])
        scaler = StandardScaler().fit(X[train][:, columns])
        machine = SVC(C=xor.path_.C[at], gamma=relative / size)
        machine.fit(scaler.transform(X[train][:, columns]), XOR[train])
        score = machine.score(scaler.transform(X[test][:, columns]), XOR[test])
        assert xor.path_.fold_scores[at, number] == pytest.approx(score)


def test_the_same_whatever_the_number_of_workers(xor):
    other = clone(xor).set_params(n_jobs=3).fit(X, XOR)
    assert other.order_.tolist() == xor.order_.tolist()
    np.testing.assert_array_equal(other.path_.fold_scores, xor.path_.fold_scores)


def test_a_run_that_was_cut_short_ends_the_same(xor, tmp_path):
    file = tmp_path / "run.jsonl"
    clone(xor).set_params(checkpoint=file).fit(X, XOR)
    lines = file.read_text().splitlines(keepends=True)
    for n_kept in (2, len(lines) // 3, len(lines) - 3):
        file.write_text("".join(lines[:n_kept]))
        again = clone(xor).set_params(checkpoint=file).fit(X, XOR)
        assert again.order_.tolist() == xor.order_.tolist()
        assert again.path_.tried == xor.path_.tried
        np.testing.assert_array_equal(again.path_.fold_scores, xor.path_.fold_scores)


def test_numbers():
    F, y = make_friedman1(150, 12, noise=0.5, random_state=1)
    sieve = SVMSieve(cv=3, random_state=0).fit(F, 1e4 * y)
    assert set(sieve.get_support(indices=True)) <= {0, 1, 2, 3, 4}
    assert {0, 1, 3} <= set(sieve.get_support(indices=True))
    assert sieve.score(F, 1e4 * y) > 0.8


def test_pure_noise_is_told():
    sizes, told = [], []
    for seed in range(6):
        noise = np.random.default_rng(seed).normal(size=(80, 10))
        sieve = SVMSieve(cv=3, random_state=0).fit(noise, np.arange(80) % 2)
        sizes.append(sieve.n_features_)
        told.append("no size beats guessing" in sieve.size_reason_)
    assert sum(told) >= 5  # one of many draws may look like a finding
    assert np.mean(sizes) <= 3


def test_unequal_classes_are_judged_by_balanced_accuracy():
    y = (X[:, 0] + 0.3 * X[:, 1] > 1.3).astype(int)
    assert 4 * y.sum() < (1 - y).sum()
    sieve = SVMSieve(cv=3, random_state=0).fit(X, y)
    asked = clone(sieve).set_params(scoring="balanced_accuracy").fit(X, y)
    np.testing.assert_array_equal(sieve.path_.fold_scores, asked.path_.fold_scores)


def test_a_criterion_of_ones_own_choice_is_followed_too():
    sieve = SVMSieve(criterion="fspp2", **QUICK).fit(X, XOR)
    assert sieve.get_support(indices=True).tolist() == [3, 7]
    assert [row.taken for row in sieve.path_.tried] == [True]


def test_a_tuned_point_counts_only_if_it_beats_guessing():
    def plan_with(folds):
        grid = Tuning(
            np.array([8.0]),
            np.array([0.5]),
            np.zeros(1),
            np.reshape(folds, (1, 1, 1, -1)),
            np.ones(1),
        )
        return Plan(Machine("hinge", C=8.0), RBF(0.5), tuning=grid)

    untuned = Plan(Machine("hinge"), RBF(0.1), gamma_rule="scale")
    clearly, by_chance = [0.7, 0.75, 0.8, 0.7, 0.75], [0.6, 0.45, 0.65, 0.5, 0.55]
    assert trusted(plan_with(clearly), untuned, 0.5).machine.C == 8.0
    assert trusted(plan_with(by_chance), untuned, 0.5).machine.C == 1.0


@pytest.mark.paper
def test_tuning_at_chance_does_not_rank():
    """Of fifty columns two matter together: no point of the grid beats guessing, and C = 1 finds them."""
    rng = np.random.default_rng(1)
    wide = rng.normal(size=(300, 50))
    y = (wide[:, 0] * wide[:, 1] > 0).astype(int)
    sieve = SVMSieve(criterion="fspp2", n_features_to_select=2).fit(wide, y)
    assert sieve.get_support(indices=True).tolist() == [0, 1]


def test_folds_are_repeated_where_samples_are_few():
    y = XOR[:40]
    sieve = SVMSieve(SVC(), criterion="f-score", search="once").fit(X[:40], y)
    assert sieve.path_.fold_scores.shape[1] == 20


def test_later_folds_judge_the_points_that_the_first_five_found_best():
    sieve = SVMSieve(cv=11, random_state=0).fit(X, XOR)
    for ranker in portfolio("binary"):
        folds = [sieve.record_.steps[f"{ranker.name}: {number}"] for number in range(11)]
        first = Judged.of(folds[:5])
        assert not np.isnan(first.skills).any()
        for step in (step for steps in folds[5:] for step in steps):
            for values in (step.point_scores, step.point_skills):
                judged = [place for place, value in enumerate(values) if value is not None]
                assert judged == list(first.best_points(3)[step.size])
    # What decides was judged in all folds.
    assert np.isfinite(sieve.path_.fold_scores).all()
    assert np.isfinite(sieve.path_.fold_skills).all()
    again = SVMSieve(cv=9, random_state=0).fit(X, XOR)
    assert all(None not in step.point_scores for _, step in again.record_)


def test_groups_and_kept_columns():
    groups = ["a", "a", "b", "c", "c", "d", "e", "f", "g", "h", "i", "j"]
    sieve = SVMSieve(groups=groups, keep=[11], **QUICK).fit(X, XOR)
    assert set(sieve.get_support(indices=True)) == {3, 4, 7, 11}
    assert sieve.path_.n_features.min() == 1
    assert sieve.order_[0] == 11


def test_the_joint_ranking_is_the_mean_log_rank_of_the_others_in_each_fold(xor):
    joint = portfolio("binary")[0]

    def ranks(name):
        order = [unit for step in xor.record_.steps[name] for unit in step.moved][::-1]
        return np.argsort(order) + 1

    for fold in range(5):
        mean = np.mean(
            [np.log(ranks(f"{member.name}: {fold}")) for member in joint.members], axis=0
        )
        assert (np.diff(mean[np.argsort(ranks(f"{joint.name}: {fold}"))]) >= -1e-7).all()


def test_where_all_rankings_see_the_features_the_joint_one_is_taken():
    y = X[:, 2] + 0.5 * X[:, 9] + 0.1 * RNG.normal(size=len(X)) > 0
    sieve = SVMSieve(**QUICK).fit(X, y)
    assert sieve.path_.ranking == "joint of 3"
    assert {2, 9} <= set(sieve.get_support(indices=True))
    members = [name for name in sieve.record_.steps if name.endswith(": all")]
    assert len(members) == 3


def test_a_machine_tuned_at_chance_does_not_rank_alone_either():
    untuned = "RBF, C=1, gamma=0.0833333"
    draws = [np.random.default_rng(seed).permutation(np.arange(len(X)) % 2) for seed in range(8)]
    machines = [rank(X, y, criterion="fspp2", random_state=0).machine for y in draws]
    assert machines.count(untuned) >= 5  # the best of a hundred points may look good by chance
    assert rank(X, X[:, 2] > 0, criterion="fspp2", random_state=0).machine != untuned


def test_skill_decides_for_accuracy_and_the_score_itself_for_what_is_asked_for(xor):
    assert xor.path_.fold_skills.shape == xor.path_.fold_scores.shape
    assert xor.path_.tried[0].skill is not None
    assert "skill" in xor.size_reason_
    asked = clone(xor).set_params(scoring="roc_auc", criterion="f-score").fit(X[:60], XOR[:60])
    assert asked.path_.fold_skills is None
    assert "best score" in asked.size_reason_


def test_the_skill_of_the_record_is_that_of_scikit_learns_machines(xor):
    """The columns that a fold has left, scaled by its training part, in an SVC at each point of the grid."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, XOR)
    for number, (train, held_out) in enumerate(folds):
        steps = xor.record_.steps[f"{xor.path_.ranking}: {number}"]
        step = next(step for step in steps if step.size == 3)
        columns = [unit for each in steps if each.size <= 3 for unit in each.moved]
        assert len(columns) == 3
        scaler = StandardScaler().fit(X[np.ix_(train, columns)])
        inside, outside = (scaler.transform(X[np.ix_(rows, columns)]) for rows in (train, held_out))
        unit = 1.0 / (3 * inside.var())
        is_second = XOR[held_out] == "same"
        share = (XOR == "same").mean()
        for (C, gamma), skill in zip(GRID.points, step.point_skills, strict=True):
            machine = SVC(C=C, gamma=gamma * unit).fit(inside, XOR[train])
            values = machine.decision_function(outside)
            losses = [np.mean((expit(slope * values) - is_second) ** 2) for slope in SLOPES]
            expected = 1.0 - min(losses) / (share * (1.0 - share))
            assert skill == pytest.approx(expected, abs=0.03)  # judged machines end at 1e-2


@pytest.mark.parametrize("n", [6, 9])
def test_few_numbers_are_divided_so_that_a_fold_has_two(n):
    rng = np.random.default_rng(n)
    few = rng.normal(size=(n, 3))
    sieve = SVMSieve(random_state=0).fit(few, few[:, 0] + 0.01 * rng.normal(size=n))
    assert 1 <= sieve.n_features_ <= 3


def test_what_has_no_weight_is_not_guessed_from():
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(120, 5)), rng.normal(size=120)
    weight = np.ones(120)
    weight[::3], y[::3] = 0.0, 10.0
    folds = list(KFold(5, shuffle=True, random_state=0).split(noise))
    sieve = SVMSieve(cv=folds).fit(noise, y, sample_weight=weight)
    assert np.abs(sieve.path_.guess_skills).max() < 1.0
    assert "no size beats guessing" in sieve.size_reason_
