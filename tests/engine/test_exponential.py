"""The vectorised exponential against the library's."""

import numpy as np
import pytest

from svmsieve.engine.kernels.exponential import exp_in_place, fourth_powers, rbf_values


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
@pytest.mark.parametrize("n", [1, 50, 4096, 5000])
def test_rbf_values(n):
    distances = np.linspace(0.0, 40.0, n)
    out = np.empty(n)
    rbf_values(distances, 0.5, out)
    np.testing.assert_allclose(out, np.exp(-0.5 * distances), rtol=1e-15)


@pytest.mark.jitless
def test_fourth_powers_are_the_kernel_of_four_times_gamma():
    distances = np.linspace(0.0, 300.0, 1000)
    values, expected = np.empty(1000), np.empty(1000)
    rbf_values(distances, 1 / 16, values)
    for gamma in (1 / 4, 1.0):
        fourth_powers(values)
        rbf_values(distances, gamma, expected)
        np.testing.assert_allclose(values, expected, rtol=1e-13)
    assert values[0] == 1.0
