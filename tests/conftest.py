"""Fixtures and settings of the whole suite."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

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

# With ``--dist loadfile`` one worker runs a file, so that what its tests share is made once; and one all
# files of these names, which share a cluster, a browser, units of the papers that are measured again.
TOGETHER = ("tests/scale/test_dask_", "tests/report/", "tests/papers/")
LONG = (
    *TOGETHER,
    "tests/selection/test_selector_sklearn.py",
    "tests/faults/",
    "tests/test_",
    "tests/cli/",
)
"""Files by how their names begin: what takes longest is begun first, so that all workers end together."""


def group_of(nodeid: str) -> str:
    """The tests that one worker runs together with this one."""
    file = nodeid.partition("::")[0]
    return next((begin for begin in TOGETHER if file.startswith(begin)), file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadFileScheduling

    class InGroups(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return InGroups(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        begins = (*LONG, "")
        items.sort(key=lambda item: [item.nodeid.startswith(each) for each in begins].index(True))


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
