"""The same bits whatever the number of workers, their kind, and the number of threads."""

from concurrent.futures import ThreadPoolExecutor

import joblib
import numba
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC, SVR
from threadpoolctl import threadpool_info

from svmsieve import SVMSieve
from svmsieve.criteria.forest import Forest
from svmsieve.runtime import threads
from svmsieve.search import Forward, HillClimb
from tests.search.problems import numbers, three_classes, two_classes


def outcome(sieve):
    """Everything that was found, as bits."""
    steps = [(name, step.moved, step.scores, step.test_score) for name, step in sieve.record_]
    arrays = (sieve.order_, sieve.scores_, sieve.path_.fold_scores, sieve.support_)
    return [array.tobytes() for array in arrays], sorted(map(repr, steps))


SIEVES = {
    "fspp2": (two_classes, SVMSieve(SVC(), criterion="fspp2")),
    "weight, linear": (two_classes, SVMSieve(SVC(kernel="linear"), criterion="weight")),
    "weight-gradient, three classes": (
        three_classes,
        SVMSieve(SVC(), criterion="weight-gradient"),
    ),
    "span, retuned": (two_classes, SVMSieve(SVC(), criterion="span", retune=[4])),
    "forest, once": (three_classes, SVMSieve(SVC(), criterion=Forest(20), search="once")),
    "sd-gauss": (numbers, SVMSieve(SVR(), criterion="sd-gauss")),
    "hill-climb": (numbers, SVMSieve(SVR(), criterion="weight", search=HillClimb(cv=3))),
    "forward": (two_classes, SVMSieve(SVC(), search=Forward(cv=3))),
}


def fit(name, n_jobs=None, n=60, d=9):
    problem, sieve = SIEVES[name]
    X, y = problem(n=n, d=d)
    if name == "forest, once":
        X = sp.csr_array(np.where(np.abs(X) > 0.3, X, 0.0))
    sieve = SVMSieve(**sieve.get_params(deep=False))
    sieve.set_params(n_features_to_select="best", cv=3, step=0.4, random_state=3, n_jobs=n_jobs)
    return sieve.fit(X, y)


@pytest.fixture
def two_threads(monkeypatch):
    """Small work is shared out too, in small parts."""
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("one thread only: there is nothing to compare")
    for limit in ("_WORTH_A_THREAD", "_WORTH_PARTS", "_WORTH_A_POOL"):
        monkeypatch.setattr(threads, limit, 1)
    monkeypatch.setattr(threads, "_PRODUCT_PART", 8)
    yield
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("name", SIEVES)
def test_threads_of_the_engine(name):
    numba.set_num_threads(1)
    one = outcome(fit(name))
    numba.set_num_threads(2)
    assert outcome(fit(name)) == one


def test_the_blas_has_one_thread_whichever_thread_asks():
    def n_blas_threads():
        return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}

    def inside():
        with threads.one_blas_thread():
            return n_blas_threads()

    outside = n_blas_threads()
    for _ in range(2):
        assert inside() == {1}
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(inside).result() == {1}
        assert n_blas_threads() == outside


@pytest.mark.parametrize("name", SIEVES)
def test_folds_in_threads(name):
    one = outcome(fit(name, n_jobs=1))
    assert outcome(fit(name, n_jobs=2)) == one
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert outcome(fit(name)) == one


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_folds_in_processes(backend, tmp_path):
    X, y = two_classes(n=80, d=20)
    heard = []
    options = {"criterion": "fspp2", "n_features_to_select": "best", "cv": 3, "step": 0.3}
    one = SVMSieve(SVC(), n_jobs=1, **options).fit(X, y)
    file = tmp_path / "run.jsonl"
    with joblib.parallel_config(backend=backend):
        two = SVMSieve(SVC(), n_jobs=2, checkpoint=file, callback=heard.append, **options)
        two.fit(X, y)
    assert outcome(two) == outcome(one)
    # The callback, of no use in another process, heard of every step all the same, once.
    assert heard == [step for _, step in two.record_]
    # What the processes wrote is one whole record.
    again = SVMSieve(SVC(), checkpoint=file, callback=heard.append, **options).fit(X, y)
    assert outcome(again) == outcome(one)
    assert len(heard) == len(list(two.record_))


def test_processes_take_large_data_and_say_what_is_wrong(capsys):
    # joblib hands arrays of more than a megabyte over as read-only memory maps.
    X, y = two_classes(n=300, d=500)
    assert X.nbytes > 2**20
    options = {"criterion": "weight", "n_features_to_select": "best", "cv": 2, "step": 0.7}
    options["scale"] = False
    one = SVMSieve(SVC(gamma=0.001), **options).fit(X, y)
    with joblib.parallel_config(backend="loky"):
        two = SVMSieve(SVC(gamma=0.001), n_jobs=2, verbose=1, **options).fit(X, y)
        assert outcome(two) == outcome(one)
        assert f"{len(list(one.record_))}/{len(list(one.record_))}" in capsys.readouterr().out
        cv = [(np.arange(0, 300, 2), np.arange(1, 300, 2)), (np.arange(150), np.arange(150, 300))]
        with pytest.raises(ValueError, match="class"):
            SVMSieve(SVC(), n_jobs=2, **(options | {"cv": cv})).fit(X, y)
        with pytest.raises(KeyboardInterrupt):
            SVMSieve(SVC(gamma=0.001), n_jobs=2, callback=press_at(8), **options).fit(X, y)


def press_at(n_steps):
    """A callback that stands for Ctrl-C."""
    count = iter(range(n_steps))

    def press(step):
        if next(count, None) is None:
            raise KeyboardInterrupt

    return press


def test_a_run_can_be_repeated():
    first, second = (fit("fspp2") for _ in range(2))
    assert outcome(first) == outcome(second)
    np.testing.assert_array_equal(first.estimator_.dual_coef_, second.estimator_.dual_coef_)


def test_forms_of_the_same_data_give_the_same_bits():
    X, y = two_classes(n=40, d=6)
    options = {"criterion": "weight", "n_features_to_select": "best", "cv": 2}
    expected = outcome(SVMSieve(SVC(), **options).fit(X, y))
    read_only = X.copy()
    read_only.setflags(write=False)
    wide = np.repeat(X, 2, axis=1)[:, ::2]
    for same in (np.asfortranarray(X), read_only, wide, X.tolist()):
        assert outcome(SVMSieve(SVC(), **options).fit(same, y)) == expected
    assert outcome(SVMSieve(SVC(), **options).fit(X, y.astype(float))) == expected
