"""The tests' problems have few columns."""

import pytest

from svmsieve.criteria import retraining


@pytest.fixture(autouse=True)
def _few_columns_take_the_compiled_loops(monkeypatch):
    monkeypatch.setattr(retraining, "MANY_COLUMNS", 1)
