"""Verdicts on a few simulated data sets; on a hundred of each in tests/paper/test_verdicts.py."""

from __future__ import annotations

import pytest

from tests.studies.verdicts import count_costly, count_named, count_noise


@pytest.mark.parametrize("kind", ["few rows", "numbers"])
def test_a_few_of_each(kind):
    seeds = range(1)
    assert count_noise(kind, seeds) == 0
    assert count_named(kind, seeds) == 1
    assert count_costly(kind, seeds)[1] == 0
