"""Public names that are imported on first use, so that importing a package is quick."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, home: dict[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's ``__getattr__`` and ``__dir__`` from its public names and where they live.

    Type checkers do not see such names: the package also imports them under ``TYPE_CHECKING``.
    """

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home[name]), name)

    return find, lambda: sorted(sys.modules[package].__all__)
