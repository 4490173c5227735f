"""Verdicts by simulation: noise is no finding, a planted leak is named, what does no harm is not costly."""

from __future__ import annotations

import pytest

from tests.studies.verdicts import KINDS, count_costly, count_named, count_noise

pytestmark = pytest.mark.paper
OF_A_KIND = range(20)
"""A hundred data sets, of five kinds."""


def test_noise_is_no_finding():
    assert sum(count_noise(kind, OF_A_KIND) for kind in KINDS) <= 5


def test_a_planted_leak_is_named():
    assert sum(count_named(kind, OF_A_KIND) for kind in KINDS) >= 95


def test_what_does_no_harm_is_not_called_costly():
    counts = [count_costly(kind, range(30)) for kind in KINDS]
    harmless, called = (sum(each) for each in zip(*counts, strict=True))
    assert harmless >= 100
    assert called <= 0.05 * harmless
