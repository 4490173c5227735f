"""Whether there is a file at all: asked before anything heavy is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from svmsieve.datasets.errors import DataError
from svmsieve.datasets.formats import is_address, shown_address


def require_present(path: Any) -> Path:
    """Return the path; an address, and a path where nothing is, are refused."""
    if is_address(path):
        raise DataError(
            f"{shown_address(path)} is an address; download it first, and give the path of the file."
        )
    try:
        Path(path).stat()
    except FileNotFoundError:
        raise DataError(f"there is no file {str(path)!r}; check the path.") from None
    except OSError:  # there may be one; who opens it says what is wrong
        pass
    return Path(path)
