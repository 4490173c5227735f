"""Compile the numerical code while a wheel is built, so that the first call after an installation need not.

``pip install .`` and an installation from the source archive take a minute or two longer for it.  A wheel
for others (a release), whose processors are not known, is built with ``SVMSIEVE_PURE=1``; an editable
installation, whose sources change, compiles at the first call.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledCode(BuildHookInterface):
    """Adds ``svmsieve/compiled`` to a wheel; where that fails, the wheel has only sources."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what compiling needs: all that the package itself needs."""
        return [] if _pure() else self.metadata.core.dependencies

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into a temporary folder."""
        if version == "editable" or _pure():
            return
        self._place = tempfile.TemporaryDirectory()
        folder = Path(self._place.name, "compiled")
        # pip names what a build needs by this variable, too
        paths = [str(Path(self.root, "src")), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "NUMBA_CACHE_DIR": str(Path(self._place.name, "cache")),
        }
        self.app.display_info("compiling the numerical code, a minute or two")
        done = subprocess.run(
            [sys.executable, str(Path(self.root, "compile_ahead.py")), str(folder)],
            env=environment,
            cwd=self._place.name,
            capture_output=True,
            text=True,
        )
        if (
            done.returncode or not folder.is_dir()
        ):  # without numba's compiler there is nothing to keep
            self.app.display_warning(
                f"not compiled ahead, so the first call will: {done.stderr[-2000:]}"
            )
            return
        build_data["force_include"][str(folder)] = "svmsieve/compiled"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if hasattr(self, "_place"):
            self._place.cleanup()


def _pure() -> bool:
    return os.environ.get("SVMSIEVE_PURE", "") not in ("", "0")
