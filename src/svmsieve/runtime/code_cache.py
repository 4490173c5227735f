"""Where compiled code is kept between processes.

What was compiled at the installation comes first (``shipped_code``).  The rest numba keeps in
``NUMBA_CACHE_DIR``, beside the source or in the user's cache folder, the first of them that can be
written, and refuses to compile when none can: an installation that belongs to root, or is read-only, and
a user without a home.  Then it is kept in a private temporary folder, and where there is none either,
nowhere.

numba takes what it kept for a function as long as the function's own file is what it was, though what the
function calls is compiled into it.  Here all files of the engine must be what they were.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, TypeVar

import numba

from svmsieve.runtime.shipped_code import with_shipped_code

Compiled = TypeVar("Compiled")

SOURCES = Path(__file__).parents[1] / "engine"
"""Where the functions are that compiled functions call."""


def with_cache(compile: Callable[[bool], Compiled]) -> Compiled:
    """Return ``compile(cache)`` with a cache if there is a place for it.

    numba chooses the place when a function is decorated, not when it is first called.
    """
    function = _with_place(compile)
    kept = getattr(getattr(function, "_cache", None), "_cache_file", None)
    if kept is not None:  # without numba's compiler, or without a cache, there is none
        kept._source_stamp = (kept._source_stamp, _stamp_of_sources(SOURCES))
    with_shipped_code(function)
    return function


@functools.cache
def _stamp_of_sources(folder: Path) -> str:
    """Return what tells the files of a folder from others: names, times and sizes, as numba does it."""
    files = [(file, file.stat()) for file in sorted(folder.rglob("*.py"))]
    told = [(file.name, stat.st_mtime_ns, stat.st_size) for file, stat in files]
    return hashlib.sha256(repr(told).encode()).hexdigest()


def _with_place(compile: Callable[[bool], Compiled]) -> Compiled:
    try:
        return compile(True)
    except RuntimeError:  # "no locator available"
        folder = private_folder()
    if folder is not None:
        try:
            with _numba_folder(folder):
                return compile(True)
        except RuntimeError:
            pass
    _warn_once()
    return compile(False)


@contextmanager
def _numba_folder(folder: Path) -> Iterator[None]:
    """numba's own folder for a moment only: it is not ours to set for other packages."""
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


@functools.cache
def private_folder() -> Path | None:
    """Return a temporary folder of this user's, the same in every process, or None.

    What lies in the folder is run, so one that somebody else could have filled is not taken.
    """
    # On Windows the temporary folder itself belongs to the user.
    user = f"-{os.geteuid()}" if hasattr(os, "geteuid") else ""
    try:
        folder = Path(tempfile.gettempdir(), f"svmsieve{user}")
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder if not user or _only_mine(folder) else None
    except OSError:
        return None


def _only_mine(folder: Path) -> bool:
    """Whether no other user can write into a folder, nor put another one in its place."""
    me, own, parent = os.geteuid(), folder.lstat(), folder.parent.stat()
    others_write = stat.S_IWGRP | stat.S_IWOTH
    return (
        stat.S_ISDIR(own.st_mode)
        and own.st_uid == me
        and not own.st_mode & others_write
        and parent.st_uid in (0, me)
        and (not parent.st_mode & others_write or bool(parent.st_mode & stat.S_ISVTX))
    )


@functools.cache
def _warn_once() -> None:
    if parent_process() is not None:  # a worker's parent has said it
        return
    warnings.warn(
        "No folder for compiled code can be written, so every process compiles svmsieve anew, which "
        "takes up to a minute; set NUMBA_CACHE_DIR to a folder that you can write.",
        RuntimeWarning,
        stacklevel=2,
    )
