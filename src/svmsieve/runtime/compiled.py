"""How the hot functions are compiled; nothing else in the package calls numba's decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

from svmsieve.runtime.code_cache import with_cache

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(fastmath: set[str] | bool = False, **options: Any) -> Callable[[Function], Function]:
    """Compile a function on its first call; divisions by zero follow numpy, the GIL is released."""

    def decorate(function: Function) -> Function:
        return with_cache(
            lambda cache: njit(
                cache=cache, nogil=True, error_model="numpy", fastmath=fastmath, **options
            )(function)
        )

    return decorate


def inner(fastmath: set[str] | bool = False) -> Callable[[Function], Function]:
    """Compile a function that only compiled functions call.

    It gets no way in from the interpreter, which takes as long to compile as a short body.
    """
    return compiled(fastmath, no_cpython_wrapper=True, no_cfunc_wrapper=True)
