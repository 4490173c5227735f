"""What is lost on the way: a worker, the scheduler, the client's wish to wait."""

from __future__ import annotations

import socket
import threading
import time

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.evaluation import nested_evaluate
from svmsieve.runtime.cluster_loops import cluster, in_order
from svmsieve.runtime.cluster_loss import ClusterLostError, lost
from svmsieve.scale import connection as module
from svmsieve.scale.connection import connected
from svmsieve.scale.dask_chunks import as_chunks

SIEVE = SVMSieve(SVC(C=3.0), criterion="fspp2", step=1, cv=3, random_state=1)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 12))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=80) > 0, 1, 0)


def outcome(sieve):
    return repr((sieve.order_.tolist(), sieve.scores_.tolist(), sieve.path_.fold_scores.tolist()))


def test_a_lost_scheduler_leaves_a_record_that_goes_on(doomed, data, tmp_path):
    with joblib.parallel_config("sequential"):
        whole = clone(SIEVE).fit(*data)
    client = doomed.client()
    try:
        file, heard = tmp_path / "run.jsonl", []

        def lose(step):
            heard.append(step)
            if len(heard) == 3:
                doomed.scheduler.kill()

        sieve = clone(SIEVE).set_params(checkpoint=file, callback=lose)
        with (
            joblib.parallel_config("dask", client=client),
            pytest.raises(
                ClusterLostError, match=r"scheduler at tcp://127.*repeat the run"
            ) as lost,
        ):
            sieve.fit(*data)
        assert "\n" not in str(lost.value)
    finally:
        client.close(timeout=1)
    lines = file.read_text().splitlines()
    assert 1 + 3 <= len(lines) < 1 + 4 * 13
    resumed = clone(SIEVE).set_params(checkpoint=file, callback=heard.append)
    assert outcome(resumed.fit(*data)) == outcome(whole)
    assert len(heard) == 4 * 12  # no step was done twice


def test_a_worker_killed_in_the_middle_of_an_evaluation(doomed, data):
    client = doomed.client()
    sieve = clone(SIEVE).set_params(criterion="weight-gradient")
    heard = threading.Event()

    def kill(step):
        if not heard.is_set():
            doomed.workers[1].kill()
            heard.set()

    try:
        with joblib.parallel_config("dask", client=client):
            there = nested_evaluate(clone(sieve).set_params(callback=kill), *data, 4)
    finally:
        client.close(timeout=1)
    assert heard.is_set()
    here = nested_evaluate(sieve, *data, 4)
    for one, other in zip(here.folds, there.folds, strict=True):
        assert {**one.to_dict(), "seconds": 0} == {**other.to_dict(), "seconds": 0}


def slow_sums(chunk, factor):
    time.sleep(0.1)
    return factor * chunk.X.sum(axis=0)


def test_a_worker_killed_in_the_middle_of_a_pass_then_a_lost_scheduler(doomed):
    dask = pytest.importorskip("dask")
    da = pytest.importorskip("dask.array")
    X = np.random.default_rng(1).normal(size=(400, 3))
    table = da.from_array(X, chunks=(20, 3))
    here = as_chunks(table, np.zeros(400))
    with dask.config.set({"distributed.comm.timeouts.connect": "5s"}):
        client = doomed.client()
        there = as_chunks(table, np.zeros(400), client=client)
        killer = threading.Timer(0.5, doomed.workers[0].kill)
        try:
            killer.start()
            sums = there.total(slow_sums, 2.0)
            killer.join()
            np.testing.assert_array_equal(sums, here.total(slow_sums, 2.0))
            each = list(there.map(slow_sums, 1.0))
            np.testing.assert_array_equal(each, list(here.map(slow_sums, 1.0)))

            doomed.scheduler.kill()
            doomed.scheduler.wait()
            with pytest.raises(ClusterLostError, match="went away"):
                there.total(slow_sums, 2.0)
            with pytest.raises(ClusterLostError, match="went away"):
                list(there.map(slow_sums, 2.0))
        finally:
            client.close(timeout=1)


ELIMINATION = SVMSieve(
    SVC(C=3.0, gamma=0.1), criterion="fspp2", machine="nystroem", n_landmarks=20, step=1, cv=2
)


def test_a_worker_killed_in_the_middle_of_an_elimination(doomed, data):
    """The rows are on the workers; the record and the searches are here."""
    da = pytest.importorskip("dask.array")
    table = da.from_array(data[0][:, :4], chunks=(27, 4))
    here = clone(ELIMINATION).fit(table, data[1])
    heard = []

    def kill(step):
        heard.append(step)
        if len(heard) == 5:
            doomed.workers[1].kill()

    client = doomed.client()
    try:
        with joblib.parallel_config("dask", client=client):
            there = clone(ELIMINATION).set_params(callback=kill).fit(table, data[1])
    finally:
        client.close(timeout=1)
    assert len(heard) == 3 * 4
    assert outcome(there) == outcome(here)


def test_a_scheduler_killed_in_the_middle_of_an_elimination(doomed, data, tmp_path):
    dask, da = pytest.importorskip("dask"), pytest.importorskip("dask.array")
    table = da.from_array(data[0][:, :4], chunks=(27, 4))
    whole = clone(ELIMINATION).fit(table, data[1])
    file, heard = tmp_path / "run.jsonl", []

    def lose(step):
        heard.append(step)
        if len(heard) == 5:
            doomed.scheduler.kill()

    client = doomed.client()
    try:
        with (
            dask.config.set({"distributed.comm.timeouts.connect": "5s"}),
            joblib.parallel_config("dask", client=client),
            pytest.raises(ClusterLostError, match=r"went away.*repeat the run") as lost_one,
        ):
            clone(ELIMINATION).set_params(checkpoint=file, callback=lose).fit(table, data[1])
        assert "\n" not in str(lost_one.value)
    finally:
        client.close(timeout=1)
    done = len(heard)
    resumed = clone(ELIMINATION).set_params(checkpoint=file, callback=heard.append)
    assert outcome(resumed.fit(table, data[1])) == outcome(whole)
    assert len(heard) == 3 * 4 >= done  # no step was done twice


async def ask_nobody(port):
    """Connect, as Dask does, to a worker that was killed a moment ago."""
    from distributed.comm import connect

    await connect(f"tcp://127.0.0.1:{port}", timeout=0.2)


def closed_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def sum_of_a_file(chunk):
    raise FileNotFoundError("rows.csv is gone")


@pytest.mark.parametrize("asked", ["scheduler", "client"])
def test_a_worker_that_does_not_answer_is_not_asked_again(client, monkeypatch, asked):
    """Nobody told the scheduler yet: what is sent may go to the dead one, until time is out."""
    da = pytest.importorskip("dask.array")
    table = da.from_array(np.random.default_rng(1).normal(size=(60, 3)), chunks=(20, 3))
    there = as_chunks(table, np.zeros(60), client=client)
    scatter, failed = client.scatter, []

    def send(*what, **how):
        if len(failed) < 2:
            failed.append(asked)
            ask = client.run_on_scheduler if asked == "scheduler" else client.sync
            ask(ask_nobody, closed_port())
        return scatter(*what, **how)

    monkeypatch.setattr(client, "scatter", send)
    sums = there.total(slow_sums, 2.0)
    assert len(failed) == 2
    np.testing.assert_array_equal(sums, as_chunks(table, np.zeros(60)).total(slow_sums, 2.0))
    failed.clear()
    with joblib.parallel_config("dask", client=client):
        backend = cluster()
        assert in_order(backend, pow, [(2,), (3,)], 5) == [25, 125]
    assert len(failed) == 2


def test_a_tasks_own_error_of_a_file_is_told_as_it_is(client):
    da = pytest.importorskip("dask.array")
    there = as_chunks(da.ones((40, 3), chunks=(20, 3)), np.zeros(40), client=client)
    with pytest.raises(FileNotFoundError, match=r"rows\.csv is gone"):
        there.total(sum_of_a_file)


def test_nothing_answers(monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.5)
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at"):
        connected(f"tcp://127.0.0.1:{closed_port()}").__enter__()


def test_a_scheduler_is_never_started_silently(data):
    with connected(None) as nobody:
        assert nobody is None
    with pytest.raises(ValueError, match="Client"):
        joblib.parallel_config("dask")


def test_a_client_that_has_given_up_has_no_address_to_tell():
    class Closed:
        scheduler = None

    assert lost(None) == lost(Closed())
    assert "went away" in lost(None)
