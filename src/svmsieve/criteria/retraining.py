"""Train the machines again without each feature, in threads, from the machine that has them all."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import numba
import numpy as np

from svmsieve.criteria.contract import Data
from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines import Dual
from svmsieve.engine.threads import n_threads, one_blas_thread
from svmsieve.engine.trained import Part, Trained

Value = Callable[[FloatArray, Part, Dual], float]


def for_each_removal(
    trained: Trained, data: Data, value: Value, *, train: bool = True
) -> FloatArray:
    """Return, for each column or group, ``value(K, part, dual)`` of the retrained machines, added up.

    ``K`` is the kernel matrix of the part's samples without the column, ``dual`` the machine trained
    on it (the one with all columns if ``train`` is False).  Each thread holds one matrix; the result
    does not depend on their number.
    """
    groups: list[IntArray] = (
        [np.array([i]) for i in range(data.n_scores)] if data.groups is None else list(data.groups)
    )
    workers = min(n_threads(), len(groups))
    matrices: SimpleQueue[FloatArray] = SimpleQueue()
    for _ in range(workers):
        matrices.put(np.empty_like(data.gram.base))

    def without(columns: IntArray) -> float:
        numba.set_num_threads(1)
        buffer = matrices.get()
        try:
            K = data.gram.without(data.gram.active[columns], out=buffer)
            total = 0.0
            for part in trained.parts:
                K_part = K if len(part.rows) == len(K) else np.take(K[part.rows], part.rows, 1)
                dual = part.dual
                if train:
                    dual = trained.machine.solve(K_part, part.y, part.bounds, part.dual)
                total += value(K_part, part, dual)
            return total
        finally:
            matrices.put(buffer)

    with one_blas_thread(), ThreadPoolExecutor(workers) as pool:
        return np.array(list(pool.map(without, groups)))
