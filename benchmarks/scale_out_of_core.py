"""Eliminate features of more rows than there is memory for, in one process, from Parquet files.

    python -m benchmarks.scale_out_of_core [--rows 20000000] [--features 20] [--landmarks 50]

The rows of :mod:`benchmarks.scale` with fewer columns, a chunk at a time in every pass; features leave until
as many are left as matter.  The figures go into ``docs/benchmarks/scale.json``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.scale import FIGURES, GAMMA, N_RELEVANT, C, generate
from benchmarks.scale_cluster import peak_mb
from benchmarks.timing import environment, write_json


def measure(folder: Path, n: int, n_features: int, n_landmarks: int) -> dict[str, Any]:
    """Eliminate down to the features that matter; seconds, peak memory, what is left."""
    from sklearn.svm import SVC

    from svmsieve import SVMSieve
    from svmsieve.scale.parquet_chunks import ParquetChunks

    files = generate(folder, n, n_features)
    chunks = ParquetChunks(files, "y")
    sieve = SVMSieve(
        SVC(C=C, gamma=2.0 * GAMMA),
        criterion="fspp2",
        machine="nystroem",
        n_landmarks=n_landmarks,
        n_features_to_select=N_RELEVANT,
        step=0.6,
        random_state=0,
        callback=lambda step: print(step.size, round(step.seconds), flush=True),
    )
    begin, start = perf_counter(), process_time()
    sieve.fit(chunks, None)
    return {
        "rows": n,
        "features": n_features,
        "landmarks": n_landmarks,
        "gigabytes": sum(path.stat().st_size for path in files) / 1e9,
        "sizes": [step.size for step in sieve.record_.steps["all"]],
        "elapsed": perf_counter() - begin,
        "seconds": process_time() - start,
        "peak_mb": peak_mb(),
        "relevant_left": int(sieve.support_[:N_RELEVANT].sum()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--landmarks", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), options.rows, options.features, options.landmarks)
    print(found)
    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    write_json(FIGURES, {**known, "environment": environment(), "out_of_core": found})


if __name__ == "__main__":
    main()
