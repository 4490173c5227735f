"""Measure an elimination with five folds against one ranking of the same rows, read from Parquet files.

    python -m benchmarks.scale_elimination [--rows 100000 1000000] [--landmarks 300] [--alone]

The rows of :mod:`benchmarks.scale`, in Parquet files, on a Dask cluster of two workers of one thread and
2 GB, or with ``--alone`` in one process that reads a chunk at a time.  Both the ranking and the elimination
use ``fspp2``; the default rule chooses the size by five folds.  The figures go into
``docs/benchmarks/scale.json``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.scale import FIGURES, GAMMA, N_RELEVANT, C, exponent, generate
from benchmarks.scale_cluster import _warm, cluster, peak_mb
from benchmarks.timing import environment, write_json


def measure(folder: Path, n: int, n_landmarks: int, alone: bool) -> dict[str, Any]:
    """Rank and eliminate the files of a folder."""
    from sklearn.svm import SVC

    from svmsieve import SVMSieve
    from svmsieve.ranking.chunks import rank_chunks
    from svmsieve.scale.dask_chunks import as_chunks
    from svmsieve.scale.parquet_chunks import ParquetChunks
    from svmsieve.scale.shared_passes import SharedPasses

    files = generate(folder / "rows", n)
    machine = SVC(C=C, gamma=GAMMA)
    options: dict[str, Any] = {"n_landmarks": n_landmarks, "random_state": 0}
    passes: list[SharedPasses] = []
    begin = SharedPasses.__init__

    def remember(self: SharedPasses, chunks: Any) -> None:
        begin(self, chunks)
        passes.append(self)

    SharedPasses.__init__ = remember  # type: ignore[method-assign]
    with nullcontext() if alone else cluster(folder) as client:

        def chunks() -> Any:
            if alone:
                return ParquetChunks(files, "y")
            import dask.dataframe as dd

            frame = dd.read_parquet(folder / "rows", split_row_groups=True)
            return as_chunks(frame.drop(columns="y"), frame["y"], client=client)

        def worked() -> float:
            there = 0.0 if alone else sum(client.run(process_time).values())
            return process_time() + there

        _warm() if alone else client.run(_warm)
        start, before = perf_counter(), worked()
        ranking = rank_chunks(chunks(), "fspp2", machine, **options)
        ranked, rank_worked = perf_counter(), worked()
        sieve = SVMSieve(machine, criterion="fspp2", machine="nystroem", cv=5, **options)
        sieve.fit(chunks(), None)
        ended, all_worked = perf_counter(), worked()
        peaks = [] if alone else sorted(client.run(peak_mb).values())
    SharedPasses.__init__ = begin  # type: ignore[method-assign]
    return {
        "rows": n,
        "landmarks": n_landmarks,
        "ranking": ranked - start,
        "ranking_cpu": rank_worked - before,
        "seconds": ended - ranked,
        "cpu": all_worked - rank_worked,
        "ratio": (ended - ranked) / (ranked - start),
        "ratio_cpu": (all_worked - rank_worked) / (rank_worked - before),
        "passes": passes[0].n_passes,
        "sums": passes[0].n_questions,
        "steps": len(sieve.record_.steps["all"]),
        "selected": sieve.n_features_,
        "relevant_on_top": int((sieve.order_[:N_RELEVANT] < N_RELEVANT).sum()),
        "relevant_ranked": int((ranking.order[:N_RELEVANT] < N_RELEVANT).sum()),
        "peak_mb_of_workers": peaks,
        "peak_mb": peak_mb(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--landmarks", type=int, default=300)
    parser.add_argument("--alone", action="store_true", help="one process, without a cluster")
    parser.add_argument("--folder", type=Path, help="where the rows are, or are to be written")
    options = parser.parse_args()
    key = "elimination_alone" if options.alone else "elimination"
    with tempfile.TemporaryDirectory() as temporary:
        for n in options.rows:
            folder = (options.folder or Path(temporary)) / str(n)
            folder.mkdir(parents=True, exist_ok=True)
            found = measure(folder, n, options.landmarks, options.alone)
            print(found, flush=True)
            known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
            series = {each["rows"]: each for each in known.get(key, [])} | {n: found}
            ordered = [series[rows] for rows in sorted(series)]
            write_json(FIGURES, {**known, "environment": environment(), key: ordered})
    if len(ordered) > 1:
        print(f"exponent from {ordered[0]['rows']} rows on: {exponent(ordered):.3f}")


if __name__ == "__main__":
    main()
