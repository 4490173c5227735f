"""A real Dask cluster on this machine: a scheduler and two workers, each a process of its own."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import joblib
import pytest

from tests.scale.forked import Forked, Parent

ROOT = Path(__file__).resolve().parents[2]
ONE_THREAD = {
    name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
}


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, **ONE_THREAD, "PYTHONPATH": path}


@cache
def parent() -> Parent:
    """The process from which those of all clusters are forked."""
    made = Parent(environment())
    atexit.register(made.end)
    return made


class Cluster:
    """Starts the processes, and ends those it started, by their ids."""

    def __init__(
        self, folder: Path, n_workers: int = 2, memory: str = "2GB", nanny: bool = False
    ) -> None:
        self.folder = folder
        self.memory, self.nanny = memory, nanny
        self.file = folder / "scheduler.json"
        self.scheduler = self._start(
            "dask_scheduler",
            *("--host", "127.0.0.1", "--port", "0", "--no-show", "--idle-timeout", "5 minutes"),
        )
        self.workers = [self._start_worker(number) for number in range(n_workers)]

    def _start(self, module: str, *options: str) -> subprocess.Popen[bytes] | Forked:
        words = ["--scheduler-file", str(self.file), "--no-dashboard", *options]
        log = self.folder / f"{module}.log"
        if sys.platform == "linux" and not self.nanny:
            return parent().start(f"distributed.cli.{module}", words, self.folder, log)
        command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{module}", *words]
        with log.open("ab") as written:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
            )

    def _start_worker(self, number: int) -> subprocess.Popen[bytes] | Forked:
        return self._start(
            "dask_worker",
            *("--host", "127.0.0.1", "--nthreads", "1", "--memory-limit", self.memory),
            *("--nanny" if self.nanny else "--no-nanny", "--name", str(number)),
            *("--local-directory", str(self.folder)),
            *("--preload", "svmsieve", "--death-timeout", "60"),
        )

    def client(self):
        """Return a client that nobody finds by chance."""
        from distributed import Client

        client = Client(scheduler_file=str(self.file), timeout=60, set_as_default=False)
        client.wait_for_workers(len(self.workers), timeout=60)
        client._timeout = 5.0  # a scheduler that is gone is not looked for any longer
        return client

    def stop(self) -> None:
        """End all processes."""
        for process in self.workers if self.nanny else ():  # it ends the worker that it looks after
            process.terminate()
            process.wait()
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """The cluster of the session."""
    started = Cluster(tmp_path_factory.mktemp("dask"))
    yield started
    started.stop()


@pytest.fixture(scope="session")
def client(cluster):
    """A client of the session's cluster."""
    with cluster.client() as client:
        yield client


@pytest.fixture
def on_dask(client):
    """Every loop of the test goes to the cluster."""
    with joblib.parallel_config("dask", client=client):
        yield client


@pytest.fixture
def doomed(tmp_path):
    """A cluster of the test's own, whose processes it may kill."""
    started = Cluster(tmp_path)
    yield started
    started.stop()
