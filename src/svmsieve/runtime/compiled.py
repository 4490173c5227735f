"""How the hot functions are compiled; nothing else in the package calls numba's decorators."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, TypeVar

from numba import njit
from numba.core.event import Listener, register

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


class _Clock(Listener):
    """Counts the seconds in which something is compiled; numba compiles one function at a time."""

    def __init__(self) -> None:
        self._depth = 0
        self._begun = self._before = 0.0

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._begun = monotonic()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._before += monotonic() - self._begun

    def seconds(self) -> float:
        return self._before + (monotonic() - self._begun if self._depth else 0.0)


_clock = _Clock()
register("numba:compile", _clock)


def seconds_compiling() -> float:
    """Return how long this process has compiled so far, which no call after the first one does."""
    return _clock.seconds()
