"""The scale of a numeric target, against the formulas written out."""

from __future__ import annotations

import numpy as np
import pytest

from svmsieve.engine.machines.target import Classes, Numbers, TargetScale


@pytest.mark.parametrize("weighted", [False, True])
def test_mean_and_deviation_of_the_samples(weighted: bool) -> None:
    y = np.array([1.0, 2.0, 4.0, 9.0])
    copies = np.array([1, 2, 0, 3]) if weighted else np.ones(4, dtype=int)
    scale = TargetScale.of(Numbers(y), copies.astype(float) if weighted else None)
    repeated = np.repeat(y, copies)
    assert scale.mean == pytest.approx(repeated.mean())
    assert scale.deviation == pytest.approx(repeated.std())


def test_what_is_standardised_is_restored() -> None:
    y = Numbers(np.array([3.0, -7.0, 40.0]))
    scale = TargetScale.of(y)
    learned = scale.apply(y)
    assert isinstance(learned, Numbers)
    assert learned.values.mean() == pytest.approx(0.0, abs=1e-15)
    assert learned.values.std() == pytest.approx(1.0)
    np.testing.assert_allclose(scale.restore(learned.values), y.values)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e9 / 3.0])
def test_a_constant_target_keeps_its_unit(value: float) -> None:
    scale = TargetScale.of(Numbers(np.full(7, value)))
    assert scale.deviation == 1.0
    assert scale.mean == pytest.approx(value)


def test_classes_have_no_scale() -> None:
    classes = Classes.of([10, 20, 10])
    scale = TargetScale.of(classes)
    assert scale == TargetScale(0.0, 1.0)
    assert scale.apply(classes) is classes
