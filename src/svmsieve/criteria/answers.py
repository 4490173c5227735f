"""What machines answer to samples with features replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from svmsieve.criteria.material import Machines
from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.expansion import vote
from svmsieve.engine.machines.platt import Sigmoid, couple, sigmoids_of
from svmsieve.engine.machines.target import Classes


class Answers(NamedTuple):
    """Decision values of some samples, their features as they are."""

    before: FloatArray
    """Shape (rows, machines)."""
    truth: FloatArray | IntArray
    """The target of these samples: codes of their classes, or numbers."""
    share: FloatArray
    """How much each row counts in the mean over all samples."""


class Replaced(NamedTuple):
    """Decision values of some samples before and after some features were replaced.

    A response criterion is given one block after the other and adds up what they say.

    Parameters
    ----------
    which : ndarray of int
        Columns (or groups) that were replaced, one at a time.
    before : ndarray of float
        Decision values before, shape (rows, machines).
    after : ndarray of float
        Decision values after, shape (rows, which, machines).
    truth : ndarray
        Target of these samples: codes of their classes, or numbers.
    share : ndarray of float
        How much each row counts in the mean over all samples and orders.
    rows : ndarray of int
        Which samples these are.

    See Also
    --------
    svmsieve.criteria.ResponseCriterion : Adds up, sample by sample, what machines answer when the
        values of a feature are replaced.
    svmsieve.criteria.predicted : Return what machines answer: codes of classes by one-against-one
        votes, or numbers.
    svmsieve.criteria.probabilities : Return Platt's probabilities of the classes, coupled, shape
        (…, classes).

    Examples
    --------
    >>> from svmsieve.criteria import Replaced
    >>> Replaced._fields
    ('which', 'before', 'after', 'truth', 'share', 'rows')
    """

    which: IntArray
    """The columns (or groups) that were replaced, one at a time."""
    before: FloatArray
    """Shape (rows, machines)."""
    after: FloatArray
    """Shape (rows, which, machines)."""
    truth: FloatArray | IntArray
    """The target of these samples: codes of their classes, or numbers."""
    share: FloatArray
    """How much each row counts in the mean over all samples and orders."""
    rows: IntArray
    """Which samples these are."""


def predicted(machines: Machines, decisions: FloatArray) -> FloatArray | IntArray:
    """Return what machines answer: codes of classes by one-against-one votes, or numbers.

    Parameters
    ----------
    machines : Machines
        Exact or Nyström's machines.
    decisions : ndarray of float
        Decision values, shape (…, machines).

    Returns
    -------
    ndarray of float or ndarray of int
        What machines answer: codes of classes by one-against-one votes, or numbers.
    """
    target = machines.target
    if not isinstance(target, Classes):
        return decisions[..., 0]
    winners = vote(decisions.reshape(-1, decisions.shape[-1]), len(target.classes))
    return winners.reshape(decisions.shape[:-1])


def probabilities(
    machines: Machines, decisions: FloatArray, sigmoids: Sequence[Sigmoid] | None = None
) -> FloatArray:
    """Return Platt's probabilities of the classes, coupled, shape (…, classes).

    Parameters
    ----------
    machines : Machines
        Exact or Nyström's machines.
    decisions : ndarray of float
        Decision values, shape (…, machines).
    sigmoids : sequence of Sigmoid or None
        Those of the machines; None: the ones they were calibrated with.

    Returns
    -------
    ndarray of float
        Platt's probabilities of the classes, coupled, shape (…, classes).
    """
    assert isinstance(machines.target, Classes)
    sigmoids = machines.sigmoids if sigmoids is None else sigmoids
    if not sigmoids:
        raise TypeError(
            "machines have no probabilities; set needs_probabilities = True to have them."
        )
    pairwise = sigmoids_of(sigmoids, decisions)
    flat = couple(pairwise.reshape(-1, pairwise.shape[-1]), len(machines.target.classes))
    return flat.reshape(*pairwise.shape[:-1], -1)
