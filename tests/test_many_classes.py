"""Fifty classes are 1225 machines of a few samples: what is done for each must not be done one by one."""

import sys
import warnings

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.engine.machines.machine import Machine

SIEVES = {
    "a filter": lambda: SVMSieve(SVC(), criterion="f-score", cv=2),
    "probabilities": lambda: SVMSieve(SVC(), criterion="fspp2", cv=2),
    "forward": lambda: SVMSieve(SVC(), search="forward", cv=2),
    "machines that follow the size": lambda: SVMSieve(criterion="f-score", cv=2),
}


def _calls(sieve, n_classes):
    """Return how many functions were called from the interpreter, compiled ones among them."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4 * n_classes, 16)), np.repeat(np.arange(n_classes), 4).astype(str)
    n_calls = 0

    def count(frame, event, arg):
        nonlocal n_calls
        n_calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # there is nothing to be found
            sieve.fit(X, y)
    finally:
        sys.setprofile(None)
    return n_calls


@pytest.mark.parametrize("name", SIEVES)
def test_the_interpreter_is_not_called_for_each_pair_of_classes(name, monkeypatch):
    def solve(*_):
        raise AssertionError("a machine of a few samples was trained by itself")

    monkeypatch.setattr(Machine, "solve", solve)
    _calls(SIEVES[name](), 10)  # what is compiled or loaded on the way is not counted
    few, many = (_calls(SIEVES[name](), n_classes) for n_classes in (12, 24))  # 66, 276 machines
    assert many < 2 * few
