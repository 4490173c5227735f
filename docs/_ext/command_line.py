"""The page of the command line, made of what every command says of itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sphinx.util.typing import ExtensionMetadata

PAGE = Path(__file__).resolve().parents[1] / "reference" / "command-line.md"
COMMANDS = ("select", "apply", "compare", "reproduce", "criteria", "datasets", "demo")

HEAD = """# Command line

`svmsieve COMMAND --help` says the same. Exit codes: 0 done, 2 something in the input is wrong (one
sentence says what and where), 130 stopped by Ctrl-C (the command that goes on is printed).
"""


def _help(command: str) -> str:
    result = subprocess.run(
        [sys.executable, "-m", "svmsieve", command, "--help"],
        env={**os.environ, "COLUMNS": "96", "TERMINAL_WIDTH": "96", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return "\n".join(line.rstrip() for line in result.stdout.strip("\n").splitlines())


def _write(app) -> None:
    parts = [HEAD, *(f"## {each}\n\n```text\n{_help(each)}\n```\n" for each in COMMANDS)]
    text = "\n".join(parts)
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")


def setup(app) -> ExtensionMetadata:
    """Write the page before any page is read."""
    app.connect("builder-inited", _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
