"""The vectorised exponential against the library's."""

import numpy as np
import pytest

from svmsieve.engine.exponential import exp_in_place, rbf_rows


@pytest.mark.jitless
def test_equals_numpy_to_two_units_in_the_last_place():
    rng = np.random.default_rng(0)
    v = np.concatenate(
        [
            rng.uniform(-1e-8, 1e-8, 50),
            rng.uniform(-1, 1, 200),
            rng.uniform(-40, 40, 200),
            rng.uniform(-707, 700, 200),
            np.log(2.0) * (np.arange(-20, 21) + 0.5),  # where the rounding of v / ln 2 switches
            [0.0, -0.0, 700.0, -707.0],
        ]
    )
    expected = np.exp(v)
    values = v.copy()
    exp_in_place(values)
    np.testing.assert_array_less(np.abs(values - expected), 2.5 * np.spacing(expected))
    assert values[-4] == 1.0


@pytest.mark.jitless
def test_underflow_is_about_zero():
    values = np.array([-708.0, -720.0, -1e5, -1e300])
    exp_in_place(values)
    assert (values >= 0.0).all()
    assert (values < 1e-300).all()


@pytest.mark.parametrize("n", [0, 1, 511, 512, 513, 1500])
def test_any_length(n):
    v = np.linspace(-5.0, 5.0, n)
    values = v.copy()
    exp_in_place(values)
    np.testing.assert_allclose(values, np.exp(v), rtol=1e-15)


@pytest.mark.jitless
def test_rows_are_written_where_asked():
    distances = np.arange(12.0).reshape(4, 3)
    out = np.full((4, 3), -1.0)
    rbf_rows(distances, 0.5, out, 1, 3)
    np.testing.assert_allclose(out[1:3], np.exp(-0.5 * distances[1:3]), rtol=1e-15)
    assert (out[[0, 3]] == -1.0).all()
