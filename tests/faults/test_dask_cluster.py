"""A real Dask cluster whose workers die: the same result, or one sentence; by ``make faults`` only."""

import threading
import time

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC

from svmsieve import SVMSieve, nested_evaluate
from svmsieve.runtime import cluster_loss
from svmsieve.runtime.cluster_loss import ClusterLostError
from svmsieve.scale.dask_chunks import as_chunks
from tests.faults.counts import MANY, told
from tests.scale.conftest import Cluster

da = pytest.importorskip("dask.array")
pytestmark = [
    pytest.mark.skipif(not MANY, reason="clusters take their time: make faults"),
    pytest.mark.timeout(900),
]
SIEVE = SVMSieve(SVC(C=3.0), criterion="fspp2", step=1, cv=3, random_state=1)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 12))
DATA = X, np.where(X[:, 0] * X[:, 1] > 0, 1, 0)


@pytest.fixture
def cluster(tmp_path):
    """Start clusters, and end them."""
    started = []

    def start(**options):
        started.append(Cluster(tmp_path, **options))
        return started[-1]

    yield start
    for each in started:
        each.stop()


def slow_sums(chunk, factor):
    time.sleep(0.1)
    return factor * chunk.X.sum(axis=0)


def test_two_of_three_workers_killed_one_after_the_other(cluster):
    started, heard = cluster(n_workers=3), []

    def kill(step):
        heard.append(step)
        if len(heard) in (2, 6):
            started.workers[len(heard) // 4].kill()

    with started.client() as client, joblib.parallel_config("dask", client=client):
        there = nested_evaluate(clone(SIEVE).set_params(callback=kill), *DATA, 3)
    assert len(heard) >= 6
    told("2 of 3 Dask workers killed in one evaluation: the same result")
    here = nested_evaluate(SIEVE, *DATA, 3)
    for one, other in zip(here.folds, there.folds, strict=True):
        assert {**one.to_dict(), "seconds": 0} == {**other.to_dict(), "seconds": 0}


def test_no_worker_is_left(cluster, monkeypatch):
    """Dask would wait for a new one for ever."""
    doomed = cluster()
    monkeypatch.setattr(cluster_loss, "WITHOUT_WORKERS", 1.0)
    client = doomed.client()
    there = as_chunks(
        da.from_array(np.zeros((400, 3)), chunks=(20, 3)), np.zeros(400), client=client
    )
    heard = []

    def kill(step=None):
        heard.append(step)
        for worker in doomed.workers:
            worker.kill()
            worker.wait()

    try:
        killer = threading.Timer(0.3, kill)
        killer.start()
        with pytest.raises(ClusterLostError, match="the workers that had the data, went away"):
            there.total(slow_sums, 2.0)
        killer.join()
        with pytest.raises(ClusterLostError, match="the workers that had the data, went away"):
            list(there.map(slow_sums, 2.0))
        doomed.workers = [doomed._start_worker(number) for number in (2, 3)]
        client.wait_for_workers(2, timeout=60)
        sieve = clone(SIEVE).set_params(callback=kill)
        with (
            joblib.parallel_config("dask", client=client),
            pytest.raises(ClusterLostError, match="the workers that had the data, went away"),
        ):
            nested_evaluate(sieve, *DATA, 3)
    finally:
        client.close(timeout=1)


def fill_memory(chunk):
    kept = []
    while True:
        kept.append(np.ones(2**24))
        time.sleep(0.05)


def test_a_worker_that_has_too_little_memory(cluster):
    """Its nanny ends it at its limit, starts another, and so on until that is given up."""
    started = cluster(n_workers=1, memory="900MB", nanny=True)
    with started.client() as client:
        there = as_chunks(da.from_array(np.zeros((4, 3)), chunks=4), np.zeros(4), client=client)
        with pytest.raises(ClusterLostError, match=r"memory") as lost:
            there.total(fill_memory)
    assert "\n" not in str(lost.value)
