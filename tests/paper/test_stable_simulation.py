"""False and true features of the stable set as it is by default, on a hundred draws of each problem.

Long statistics with fixed seeds: run with ``pytest -m paper``.  ``docs/quality/stable.md`` has the figures,
and Stabl's beside them.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.stable.problems import PROBLEMS, drawn
from svmsieve import SVMSieve

pytestmark = [pytest.mark.paper, pytest.mark.timeout(6000)]

FOUND = {"numbers": 0.8, "shifted": 0.8, "weak": 0.3, "blocks": 0.85, "xor": 0.97, "rings": 0.97}
"""Share of the true features that must be found at the least."""


@pytest.mark.filterwarnings("ignore:No feature is selected")
@pytest.mark.parametrize("name", PROBLEMS)
def test_false_ones_stay_within_the_bound_and_true_ones_are_found(name):
    counts = []
    for draw in range(100):
        sieve = SVMSieve(n_features_to_select="stable", random_state=draw).fit(*drawn(name, draw))
        counts.append(PROBLEMS[name].counts(sieve.support_))
    false = np.array([each["false"] for each in counts])
    error = np.std(false, ddof=1) / np.sqrt(len(false))
    true = np.mean([each["true"] for each in counts])
    print(
        f"{name}: {true:.2f} of {len(PROBLEMS[name].true)} true, {false.mean():.2f} ± {error:.2f} false"
    )
    assert false.mean() <= 1.0 + 2.0 * error
    if name in FOUND:
        assert true >= FOUND[name] * len(PROBLEMS[name].true)
