"""What can be refused before the machine is loaded: it takes seconds, a wrong path should not."""

from __future__ import annotations

import glob
from pathlib import Path

from svmsieve.cli.outputs import Outputs
from svmsieve.datasets.presence import require_present


def check_files(file: Path, outputs: Outputs, resume: Path | None = None) -> None:
    """Refuse a file that is not there, and outputs that could not be written."""
    if str(file) != "-" and not (glob.has_magic(str(file)) and not file.exists()):
        require_present(file)
    outputs.check(file, resume)
