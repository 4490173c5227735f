"""Numbers of a sparse table: checked, and passed on as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data


class SparseNumbers(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """What :class:`TableEncoder` is for a sparse matrix, which is all numbers: checked, unchanged.

    It stands where a table needs an encoder and a matrix needs none.

    See Also
    --------
    svmsieve.datasets.TableEncoder : Turn a frame into numbers: categories one-hot, missing numbers
        the training rows' mean.
    svmsieve.datasets.encode : Encode a table whole; inside a cross-validation put the encoder into
        a pipeline instead.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> SparseNumbers().fit_transform(sp.eye(2, format="csr")).shape
    (2, 2)
    """

    def fit(self, X: Any, y: Any = None) -> SparseNumbers:
        """Note the number of columns.

        Parameters
        ----------
        X : sparse matrix
            The training rows.
        y : ignored, default=None
            Not looked at.

        Returns
        -------
        SparseNumbers
            The fitted transformer.
        """
        validate_data(self, X, accept_sparse="csr")
        return self

    def transform(self, X: Any) -> Any:
        """Return the matrix, CSR.

        Parameters
        ----------
        X : sparse matrix
            Rows with as many columns.

        Returns
        -------
        CSR matrix
            The matrix.
        """
        check_is_fitted(self, "n_features_in_")
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
