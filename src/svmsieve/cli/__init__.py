"""The command line: ``svmsieve``."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from svmsieve.cli.app import app

    app(prog_name="svmsieve")


__all__ = ["main"]
