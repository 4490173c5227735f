"""What the options say about the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from svmsieve.cli.options import parse_memory
from svmsieve.datasets import Table, read_table


@dataclass(frozen=True)
class Reading:
    """A file and how to read it."""

    file: Path
    target: str | int | None
    task: str | None
    delimiter: str | None
    missing: tuple[str, ...]
    categorical: tuple[str, ...]
    drop: tuple[str, ...]
    keep: tuple[str, ...]
    memory: float | None

    @classmethod
    def of(
        cls,
        file: Path,
        target: str | None,
        task: str | None,
        delimiter: str | None,
        missing: Sequence[str] | None,
        categorical: Sequence[str] | None,
        drop: Sequence[str] | None,
        keep: Sequence[str] | None,
        memory: str | None,
    ) -> Reading:
        """Take the options as they were given."""
        tab = delimiter in ("tab", "\\t")
        return cls(
            file,
            target,
            task,
            "\t" if tab else delimiter,
            tuple(missing or ()),
            tuple(categorical or ()),
            tuple(drop or ()),
            tuple(keep or ()),
            parse_memory(memory),
        )

    def read(self) -> Table:
        """Read the table."""
        return read_table(
            self.file,
            self.target,
            task=self.task,
            delimiter=self.delimiter,
            missing=self.missing,
            categorical=self.categorical,
            drop=self.drop,
            keep=self.keep,
            memory=self.memory,
        )
