"""What a lower layer asks of a higher one without knowing it: who provides it is said at the top.

``svmsieve/__init__.py`` names the provider, and it is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PROVIDERS: dict[str, str] = {}


def provide(what: str, module: str) -> None:
    """Say which module provides something."""
    _PROVIDERS[what] = module


def provider(what: str) -> Any:
    """Return the module that provides something."""
    return import_module(_PROVIDERS[what])
