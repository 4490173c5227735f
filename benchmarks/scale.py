"""Measure how the Nyström machine grows with the rows: time per row, passes, peak memory.

    python -m benchmarks.scale [--rows 10000 31623 100000 316228 1000000] [--landmarks 300] [--plot]

Rows of 50 features, 8 of them relevant and nonlinear, are generated into Parquet files (a temporary
folder, or ``--folder``) and ranked with ``fspp2`` out of core, each size in a process of its own.  The
figures go to ``docs/benchmarks/scale.json``, the plot to ``docs/images/scale.svg``.  A size that is there
already is not measured again, unless ``--again``: a long series can be made in pieces.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.problems import ROOT
from benchmarks.timing import environment, write_json

N_FEATURES, N_RELEVANT = 50, 8
ROWS = (10_000, 31_623, 100_000, 316_228, 1_000_000)
FIGURES = ROOT / "docs" / "benchmarks" / "scale.json"
PLOT = ROOT / "docs" / "images" / "scale.svg"
_ROWS_OF_FILE = 100_000
C, GAMMA = 1.0, 0.01


def generate(folder: Path, n: int, n_features: int = N_FEATURES) -> list[Path]:
    """Write rows of a nonlinear problem of two classes; row i is the same whatever n.

    The class is the sign of Σ sin(2 x_i) + ½(x0 x1 + x2 x3) over the first eight columns plus noise; the
    other columns are noise.
    """
    from pyarrow import parquet, table

    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, start in enumerate(range(0, n, _ROWS_OF_FILE)):
        path = folder / f"part-{number:05d}.parquet"
        paths.append(path)
        rows = min(_ROWS_OF_FILE, n - start)
        if path.exists() and parquet.ParquetFile(path).metadata.num_rows == rows:
            continue
        rng = np.random.default_rng([0, number])
        X = rng.normal(size=(_ROWS_OF_FILE, n_features))
        value = np.sin(2.0 * X[:, :N_RELEVANT]).sum(axis=1)
        value += 0.5 * (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3])
        value += 0.3 * rng.normal(size=_ROWS_OF_FILE)
        columns: dict[str, Any] = {f"x{i}": X[:rows, i] for i in range(n_features)}
        columns["y"] = (value[:rows] > 0.0).astype(np.int64)
        parquet.write_table(table(columns), path, row_group_size=25_000)
    return paths


def measure(folder: Path, n: int, n_landmarks: int) -> dict[str, Any]:
    """Rank the files of a folder out of core; processor seconds of each phase and peak memory.

    Processor time, because other work on the machine does not add to it.
    """
    from sklearn.svm import SVC

    from svmsieve.ranking.chunks import prepare_chunks
    from svmsieve.runtime.threads import one_blas_thread
    from svmsieve.scale.driver import streamed_scores
    from svmsieve.scale.parquet_chunks import ParquetChunks

    files = generate(folder, n)
    chunks = ParquetChunks(files, "y")
    loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with one_blas_thread():
        begin, start = perf_counter(), process_time()
        prepared = prepare_chunks(
            chunks,
            "fspp2",
            SVC(C=C, gamma=GAMMA),
            scale=True,
            missing="error",
            random_state=0,
            n_landmarks=n_landmarks,
            memory=None,
        )
        surveyed = process_time()
        stream = prepared.stream.columns(np.arange(N_FEATURES))
        machines = stream.train(prepared.plan, probabilities=True)
        trained = process_time()
        scores = streamed_scores(prepared.criterion, stream, machines, None, 0)
        scored = process_time()
    order = np.argsort(-scores)
    return {
        "rows": n,
        "landmarks": n_landmarks,
        "features": N_FEATURES,
        "prepare": surveyed - start,
        "train": trained - surveyed,
        "score": scored - trained,
        "seconds": scored - start,
        "elapsed": perf_counter() - begin,
        "passes": machines.n_passes,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "loaded_mb": loaded / 1024,
        "relevant_on_top": int((order[:N_RELEVANT] < N_RELEVANT).sum()),
    }


def exponent(figures: list[dict[str, Any]]) -> float:
    """Slope of log(seconds) over log(rows), by least squares."""
    rows, seconds = (np.log([each[key] for each in figures]) for key in ("rows", "seconds"))
    return float(np.polyfit(rows, seconds, 1)[0])


def plot(figures: list[dict[str, Any]], path: Path) -> None:
    """Draw microseconds per row and peak memory against the rows."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    rows = np.array([each["rows"] for each in figures], dtype=float)
    below = np.zeros(len(rows))
    for phase in ("prepare", "train", "score"):
        part = 1e6 * np.array([each[phase] for each in figures]) / rows
        left.plot(rows, part, marker="o", label=phase)
        below += part
    left.plot(rows, below, marker="o", color="black", label="all")
    left.set(xscale="log", xlabel="rows", ylabel="processor time, µs per row", ylim=(0.0, None))
    left.legend(frameon=False)
    right.plot(rows, [each["peak_mb"] for each in figures], marker="o", label="peak memory")
    right.plot(rows, 8e-6 * N_FEATURES * rows, ls="--", color="grey", label="the rows themselves")
    right.set(xscale="log", yscale="log", xlabel="rows", ylabel="MB")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


def _known() -> dict[str, Any]:
    """What has been measured, on one process and on a cluster."""
    return json.loads(FIGURES.read_text()) if FIGURES.exists() else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    parser.add_argument("--landmarks", type=int, default=300)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--plot", action="store_true", help="draw what has been measured")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.folder, options.rows[0], options.landmarks)))
        return
    local = {each["rows"]: each for each in _known().get("local", []) if not options.again}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        for n in options.rows:
            if n in local and local[n]["landmarks"] == options.landmarks:
                continue
            command = [sys.executable, "-m", "benchmarks.scale", "--measure", "--rows", str(n)]
            command += ["--landmarks", str(options.landmarks), "--folder", str(folder / str(n))]
            output = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
            local[n] = json.loads(output.stdout.splitlines()[-1])
            print({key: round(value, 2) for key, value in local[n].items()}, flush=True)
            series = [local[rows] for rows in sorted(local)]
            write_json(FIGURES, {**_known(), "environment": environment(), "local": series})
    series = [local[rows] for rows in sorted(local)]
    large = [each for each in series if each["rows"] >= 100_000]
    if len(large) > 1:
        print(f"exponent from {large[0]['rows']} rows on: {exponent(large):.3f}")
    if options.plot:
        plot(series, PLOT)


if __name__ == "__main__":
    main()
