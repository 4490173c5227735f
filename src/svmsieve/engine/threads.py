"""Run a GIL-free function over ranges of rows in threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba

_WORTH_A_THREAD = 200_000
"""Elementary operations below which starting a thread costs more than it saves."""


def n_threads() -> int:
    """Threads the engine may use: numba's setting, which joblib lowers inside its workers."""
    return int(numba.get_num_threads())


def over_rows(function: Callable[[int, int], object], n_rows: int, work_per_row: float) -> None:
    """Call ``function(start, stop)`` on parts of ``range(n_rows)``, in threads where it pays.

    The parts are disjoint and the function writes only its own rows, so the result does not
    depend on the number of threads.
    """
    n_parts = min(n_threads(), n_rows, int(n_rows * work_per_row / _WORTH_A_THREAD))
    if n_parts < 2:
        function(0, n_rows)
        return
    edges = [n_rows * part // n_parts for part in range(n_parts + 1)]
    with ThreadPoolExecutor(n_parts) as pool:
        list(pool.map(function, edges[:-1], edges[1:]))
