"""Compiled functions that only compiled functions call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def inner(fastmath: set[str] | bool = False) -> Callable[[Function], Function]:
    """Compile a function without a way in from the interpreter, which takes as long as a short body."""
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return njit(cache=True, nogil=True, error_model="numpy", fastmath=fastmath, **options)
