"""What the options say about the file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmsieve.cli.options import parse_memory
from svmsieve.datasets import DataError
from svmsieve.runtime.text import one_line

if TYPE_CHECKING:
    from svmsieve.datasets import Table


@dataclass(frozen=True)
class Reading:
    """A file and how to read it."""

    file: Path
    target: str | int | None
    task: str | None
    delimiter: str | None
    decimal: str | None
    header: bool | None
    missing: tuple[str, ...]
    categorical: tuple[str, ...]
    drop: tuple[str, ...]
    keep: tuple[str, ...]
    memory: float | None
    sample_groups: str | None = None
    dates: bool = False
    ids: tuple[str, ...] = ()
    encoding: str | None = None

    @classmethod
    def of(cls, file: Path, **options: Any) -> Reading:
        """Take the options as they were given: texts, None where one was not."""
        if options["delimiter"] in ("tab", "\\t"):
            options["delimiter"] = "\t"
        for name in ("missing", "categorical", "drop", "keep", "ids"):
            options[name] = tuple(options[name] or ())
        options["memory"] = parse_memory(options["memory"])
        return cls(file, **options)

    def of_file(self, file: Path) -> Reading:
        """Return the same options for another path."""
        return replace(self, file=file)

    def of_target(self, target: str) -> Reading:
        """Return the same options with a target."""
        return replace(self, target=target)

    def read(self) -> Table:
        """Read the table."""
        from svmsieve.datasets import read_table

        for name in self.keep:
            if name in self.drop:
                raise DataError(f"--keep and --drop both name {one_line(name)!r}; leave one out.")
        for option, names in (("--keep", self.keep), ("--drop", self.drop), ("--id", self.ids)):
            if self.target in names:
                raise DataError(
                    f"{option} names the target {one_line(self.target)!r}; leave it out."
                )
        return read_table(
            self.file,
            self.target,
            task=self.task,
            delimiter=self.delimiter,
            decimal=self.decimal,
            header=self.header,
            encoding=self.encoding,
            missing=self.missing,
            categorical=self.categorical,
            drop=self.drop,
            keep=self.keep,
            groups=self.sample_groups,
            dates=self.dates,
            ids=self.ids,
            memory=self.memory,
        )
