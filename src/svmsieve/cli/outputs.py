"""The files that a command writes: checked before the work, each written whatever happens to the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svmsieve.cli.frame_files import plain_form, refuse_foreign_ending
from svmsieve.datasets import DataError
from svmsieve.report.files import check_report_path, check_writable
from svmsieve.runtime.text import one_line


@dataclass(frozen=True)
class Outputs:
    """Files to write."""

    out: Path | None = None
    ranking: Path | None = None
    report: Path | None = None
    json: Path | None = None
    model: Path | None = None

    def check(self, file: Path | None = None, resume: Path | None = None) -> None:
        """Refuse what could not be written, or would be written over, before hours of work."""
        if self.report is not None:
            check_report_path(self.report)
        for path in (self.out, self.ranking, self.json, self.model):
            if path is not None:
                check_writable(path)
        if self.out is not None:
            refuse_foreign_ending(self.out, "--out")
        if self.ranking is not None:
            plain_form(self.ranking, "--ranking")
        taken: dict[Path, str] = {}
        everything = {"the file that is read": file, "--resume": resume}
        everything |= {f"--{name}": path for name, path in vars(self).items()}
        for what, path in everything.items():
            if path is None:
                continue
            other = taken.setdefault(path.resolve(), what)
            if other != what:
                raise DataError(
                    f"{what} and {other} are the same file, {one_line(path, 200)!r}; choose another."
                )
        if self.model is not None:
            from svmsieve.cli.models import require_skops

            require_skops()


def with_names(folds: Any, names: Sequence[str]) -> Any:
    """Return what was kept of the folds with the names of columns wherever it has their numbers."""
    if isinstance(folds, list):
        return [with_names(each, names) for each in folds]
    if not isinstance(folds, dict):
        return folds
    named = {key: with_names(value, names) for key, value in folds.items()}
    if "feature_names" in named:
        named["feature_names"] = list(names)
    for key in ("selected", "order"):
        if named.get(key) is not None:
            named[key] = [names[int(i)] for i in named[key]]
    return named


def write_each(
    writers: Mapping[str, tuple[Path | None, Callable[[Path], object]]],
) -> Callable[[], None]:
    """Write the files that were asked for; return what says where they are and which could not be written.

    Nothing is printed yet: a terminal that went away must not take the files with it.
    """
    lines: list[str] = []
    failures: list[str] = []
    for what, (path, write) in writers.items():
        if path is None:
            continue
        try:
            write(path)
        except Exception as error:  # whatever it is, the other files are worth writing
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            failures.append(f"{one_line(path, 200)}: {reason}")
        else:
            lines.append(f"{what}: {path}")

    def tell() -> None:
        for line in lines:
            print(line)
        if failures:
            raise OSError(f"could not be written: {'; '.join(failures)}.")

    return tell
