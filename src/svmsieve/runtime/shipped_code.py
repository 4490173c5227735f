"""Compiled code that an installation brings along, so that the first call compiles next to nothing.

``pip install`` of the sources compiles them once (``hatch_build.py``) and lays the code into ``compiled``,
inside the package, in the form of numba's own cache.  It is asked before that cache.  Code of other
sources, another version of Python or numba, or another kind of processor does not count: what is not there
is compiled as ever, and so is what is damaged.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache

FOLDER = Path(__file__).parents[1] / "compiled"


def with_shipped_code(dispatcher: Any) -> None:
    """Let a function look among the shipped code before it looks into its cache."""
    if FOLDER.is_dir() and hasattr(dispatcher, "py_func"):  # without it numba does not compile
        dispatcher._cache = _ShippedFirst(ShippedCode(dispatcher.py_func), dispatcher._cache)


class _Place:
    """Where the shipped code of a function lies: numba's locator."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._function, self._file = function, file

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Place:
        """Return the place, which is the same for all functions."""
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        """Make the folder, which only an installation does."""
        FOLDER.mkdir(exist_ok=True)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(FOLDER)

    def get_source_stamp(self) -> str:
        """Return what tells a source from another: its text, for an installation sets the times anew."""
        return _digest(self._file)

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name apart, of modules of one name, too."""
        return f"{self._function.__module__}-{self._function.__code__.co_firstlineno}"


class _Form(CompileResultCacheImpl):
    _locator_classes = [_Place]  # noqa: RUF012  # numba declares it as a list of the instance


class ShippedCode(FunctionCache):
    """The shipped code of one function, by the types of its arguments."""

    _impl_class = _Form


class _ShippedFirst:
    """A function's cache that is asked only for what is not shipped, and gets what is compiled later."""

    def __init__(self, shipped: ShippedCode, own: Any) -> None:
        self._shipped, self._own = shipped, own

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for some types, None where neither has it."""
        try:
            found = self._shipped.load_overload(sig, target_context)
        except Exception:  # whatever a damaged file makes of itself: as if it were not there
            found = None
        return self._own.load_overload(sig, target_context) if found is None else found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


@functools.cache
def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()
