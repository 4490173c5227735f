"""Measure how the Nyström machine grows with the rows on a Dask cluster: two workers with 2 GB each.

    python -m benchmarks.scale_cluster [--rows 100000 316228 1000000] [--landmarks 300]

The rows of :mod:`benchmarks.scale`, in Parquet files, are ranked with ``fspp2`` where they are read: on two
worker processes of one thread, whose memory Dask limits.  The workers' processor time tells more than the
clock where the machine has other work.  A cluster is started for each size and ended
after it.  The figures go beside those of one process, into ``docs/benchmarks/scale.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.problems import ROOT
from benchmarks.scale import FIGURES, GAMMA, N_FEATURES, N_RELEVANT, C, exponent, generate
from benchmarks.timing import environment, write_json

ROWS = (100_000, 316_228, 1_000_000)
N_WORKERS, WORKER_MEMORY = 2, "2GB"
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


@contextmanager
def cluster(folder: Path) -> Iterator[Any]:
    """Start a scheduler and workers, and end them by their ids."""
    from distributed import Client

    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    common = ["--scheduler-file", str(file), "--no-dashboard", "--host", "127.0.0.1"]
    worker = ["--nthreads", "1", "--memory-limit", WORKER_MEMORY, "--local-directory", str(folder)]
    commands = [["dask_scheduler", *common, "--port", "0", "--no-show"]]
    commands += [["dask_worker", *common, *worker] for _ in range(N_WORKERS)]
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    surroundings = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1"), "PYTHONPATH": path}
    processes = []
    try:
        for module, *options in commands:
            command = [sys.executable, "-m", f"distributed.cli.{module}", *options]
            processes.append(
                subprocess.Popen(
                    command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            )
        with Client(scheduler_file=str(file), timeout=120) as client:
            client.wait_for_workers(N_WORKERS, timeout=120)
            yield client
    finally:
        for process in reversed(processes):
            process.terminate()  # a worker's supervisor ends its worker
        for process in processes:
            process.wait()


def peak_mb() -> float:
    """Return the most memory this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _warm() -> float:
    """Compile, or load, what the passes need; return the memory of a worker with nothing to do."""
    import numpy as np
    from sklearn.svm import SVC

    from svmsieve import rank

    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    options = {"machine": "nystroem", "n_landmarks": 20}
    rank(X, (X[:, 0] * X[:, 1] > 0).astype(int), "fspp2", SVC(), **options)
    return peak_mb()


def measure(folder: Path, n: int, n_landmarks: int) -> dict[str, Any]:
    """Rank the files of a folder on a cluster of its own."""
    import dask.dataframe as dd
    from sklearn.svm import SVC

    from svmsieve import rank

    generate(folder / "rows", n)
    with cluster(folder) as client:
        idle = client.run(_warm)
        before = client.run(process_time)
        start = perf_counter()
        frame = dd.read_parquet(folder / "rows", split_row_groups=True)
        ranking = rank(
            frame.drop(columns="y"),
            frame["y"],
            "fspp2",
            SVC(C=C, gamma=GAMMA),
            machine="nystroem",
            n_landmarks=n_landmarks,
            random_state=0,
        )
        seconds = perf_counter() - start
        worked = client.run(process_time)
        peaks = client.run(peak_mb)
    return {
        "rows": n,
        "features": N_FEATURES,
        "landmarks": n_landmarks,
        "workers": N_WORKERS,
        "worker_memory": WORKER_MEMORY,
        "partitions": frame.npartitions,
        "seconds": seconds,
        "worker_seconds": sum(worked[each] - before[each] for each in worked),
        "peak_mb_of_workers": sorted(peaks.values()),
        "idle_mb_of_workers": sorted(idle.values()),
        "peak_mb_of_client": peak_mb(),
        "relevant_on_top": int((ranking.order[:N_RELEVANT] < N_RELEVANT).sum()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    parser.add_argument("--landmarks", type=int, default=300)
    parser.add_argument("--folder", type=Path, help="where the rows are, or are to be written")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for n in options.rows:
            folder = (options.folder or Path(temporary)) / str(n)
            folder.mkdir(parents=True, exist_ok=True)
            found = measure(folder, n, options.landmarks)
            print(found, flush=True)
            known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
            series = {each["rows"]: each for each in known.get("cluster", [])} | {n: found}
            ordered = [series[rows] for rows in sorted(series)]
            write_json(FIGURES, {**known, "environment": environment(), "cluster": ordered})
    if len(ordered) > 1:
        worked = [{**each, "seconds": each["worker_seconds"]} for each in ordered]
        print(f"exponent from {ordered[0]['rows']} rows on: {exponent(ordered):.3f}")
        print(f"exponent of the workers' processor time: {exponent(worked):.3f}")


if __name__ == "__main__":
    main()
