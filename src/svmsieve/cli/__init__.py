"""The command line: ``svmsieve``."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Run the command line; characters that the terminal does not know become question marks."""
    from svmsieve.cli.interrupt import end_at_ctrl_c

    end_at_ctrl_c()
    from svmsieve.cli.app import app
    from svmsieve.cli.early import allow, end

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    allow()
    try:
        app(prog_name="svmsieve")
    finally:
        end()


__all__ = ["main"]
