"""Landmarks and the feature space they span."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from svmsieve.engine.arrays import FloatArray, Matrix
from svmsieve.engine.kernels.kernel import Kernel, Linear, gram
from svmsieve.runtime.memory import require_memory
from svmsieve.runtime.threads import rows_product
from svmsieve.scale.chunks import Chunk
from svmsieve.scale.row_blocks import kernel_of_rows

RANK_TOL = 1e-10
"""Directions of the landmarks' space whose eigenvalue is below this share of the largest are left out."""


def choose_landmarks(sample: Chunk, n_landmarks: int, seed: int) -> Matrix:
    """Return rows of a sample, spread by k-means++ (Arthur & Vassilvitskii 2007), O(rows · m · d).

    A row is drawn with probability proportional to its weight times its squared distance from the
    landmarks so far.  Rows of weight zero are none; where no more rows are left than landmarks are
    wanted, all of them are.
    """
    from sklearn.cluster import kmeans_plusplus  # takes as long to import as all the rest

    present = np.flatnonzero(sample.copies > 0.0)
    X = sample.X if len(present) == sample.X.shape[0] else sample.X[present]
    if X.shape[0] <= n_landmarks:
        return X
    weight = None if sample.weight is None else sample.weight[present]
    _, rows = kmeans_plusplus(
        X, n_landmarks, sample_weight=weight, random_state=seed, n_local_trials=1
    )
    # In their order, each once: rows that are equal leave fewer.
    return X[np.unique(rows)]


@dataclass(frozen=True)
class LandmarkSpace:
    """The span of m landmarks in the kernel's feature space, with orthonormal coordinates.

        φ(x) = K(x, L) T,    T = U Λ^{−½},    K_LL = U Λ U'

    so that <φ(x), φ(z)> = K(x, L) K_LL⁻¹ K(L, z), the approximation of Nyström (Williams & Seeger 2001),
    and a machine w'φ(x) + b is the expansion with the landmarks as centres and the coefficients T w.
    A linear kernel needs no approximation: its landmarks are the unit vectors, φ(x) = x.
    """

    kernel: Kernel
    centers: Matrix
    transform: FloatArray | None
    """T, shape (landmarks, dimensions); None: the identity."""
    known: bool = False
    """Whether rows come as their kernel values against the landmarks."""

    @classmethod
    def of(cls, kernel: Kernel, landmarks: Matrix, memory: float | None = None) -> LandmarkSpace:
        """Span the space, O(m³)."""
        m = landmarks.shape[1] if isinstance(kernel, Linear) else landmarks.shape[0]
        what = "features" if isinstance(kernel, Linear) else "landmarks"
        require_memory(32.0 * m * m, memory, f"The matrices of {m} {what}", f"use fewer {what}")
        if isinstance(kernel, Linear):
            return cls(kernel, np.eye(m), None)
        values, vectors = eigh(gram(kernel, landmarks, landmarks))
        large = values > RANK_TOL * max(float(values[-1]), 0.0)
        if not large.any():
            raise ValueError(
                "the kernel of all landmarks is zero; choose other parameters of the kernel."
            )
        return cls(kernel, landmarks, vectors[:, large] / np.sqrt(values[large]))

    @property
    def n_dimensions(self) -> int:
        """Number of coordinates."""
        return int(self.centers.shape[0] if self.transform is None else self.transform.shape[1])

    def coef(self, w: FloatArray) -> FloatArray:
        """Return the expansion's coefficients of a machine w."""
        return w if self.transform is None else self.transform @ w

    def coordinates(self, K: FloatArray) -> FloatArray:
        """Return φ of rows from their kernel values against the landmarks."""
        return K if self.transform is None else rows_product(K, self.transform)

    def kernel_values(self, X: Matrix) -> FloatArray:
        """Return K(x, L) of some rows."""
        if self.transform is None or self.known:
            return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        return kernel_of_rows(self.kernel, X, self.centers)
