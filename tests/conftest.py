"""Fixtures and settings of the whole suite."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Examples are the same in every run; the first one may compile, so there is no deadline.
settings.register_profile(
    "svmsieve",
    deadline=None,
    derandomize=True,
    max_examples=12,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("svmsieve")

# Tests run side by side; a study that takes every core for itself would slow the others down.
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the papers' data: ``SVMSIEVE_DATA``, or the one beside the repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SVMSIEVE_DATA", beside))
    if not folder.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail("the papers' data are missing: set SVMSIEVE_DATA to their folder")
        pytest.skip("the papers' data are not here: set SVMSIEVE_DATA to their folder")
    return folder
