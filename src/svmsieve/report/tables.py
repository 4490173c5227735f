"""Tables of the page: texts for people, values for sorting and for CSV, a part of the rows at first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from svmsieve.runtime.text import cell, one_line

_LONGEST = 300


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : its head
    values : what is sorted and saved
    text : how a value is shown; None shows it as it is
    bar : whether its values, none negative, are bars too
    """

    name: str
    values: Sequence[Any]
    text: Callable[[Any], str] | None = None
    bar: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return not any(isinstance(value, str) for value in self.values)

    def shown(self, value: Any) -> str:
        """Return a value as it is shown."""
        if value is None:
            return "–"
        return one_line(value, _LONGEST) if self.text is None else self.text(value)


@dataclass(frozen=True)
class Table:
    """A table of the page.

    Attributes
    ----------
    id : name of the element, and of the file it is saved in
    name : what it holds
    columns : of equal lengths
    most : rows that stand in the page from the start; the others are in its data
    marked : number of first rows that are marked
    """

    id: str
    name: str
    columns: Sequence[Column]
    most: int = 200
    marked: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0].values)

    def markup(self) -> Markup:
        """Return the table with its first rows, in a part of the page that can be scrolled by keys."""
        largest = [_largest(column) for column in self.columns]
        head = "".join(
            f'<th scope="col"{" class=n" if column.is_number else ""}>{escape(column.name)}</th>'
            for column in self.columns
        )
        rows = "".join(
            f"<tr{' class=selected' if i < self.marked else ''}>"
            + "".join(
                _cell(column, column.values[i], top)
                for column, top in zip(self.columns, largest, strict=True)
            )
            + "</tr>"
            for i in range(min(self.n_rows, self.most))
        )
        return Markup(
            '<div class="tabled"><div class="scroll" tabindex="0" role="region" '
            f'aria-label="{escape(self.name)}">'
            f'<table class="data" id="{escape(self.id)}" data-marked="{self.marked}">'
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></div>"
        )

    def rest(self) -> dict[str, Any] | None:
        """Return the rows that are not in the page from the start; None where all are."""
        if self.n_rows <= self.most:
            return None
        texts, values = [], []
        for column in self.columns:
            later = column.values[self.most :]
            texts.append([column.shown(value) for value in later])
            saved = [_saved(value) for value in later]
            values.append(saved if saved != texts[-1] else None)
        return {"texts": texts, "values": values, "largest": list(map(_largest, self.columns))}


def _largest(column: Column) -> float | None:
    known = [value for value in column.values if value is not None] if column.bar else []
    return max(known, default=None) or None


def _saved(value: Any) -> Any:
    """A value as CSV has it: no text is a formula."""
    return "" if value is None else cell(value) if isinstance(value, str) else value


def _cell(column: Column, value: Any, largest: float | None) -> str:
    shown, saved = column.shown(value), str(_saved(value))
    attributes = "" if shown == saved else f' data-v="{escape(saved)}"'
    classes = ["n"] * column.is_number + ["bar"] * (largest is not None and value is not None)
    if largest is not None and value is not None:
        attributes += f' style="--w:{100.0 * max(0.0, value) / largest:.1f}%"'
    if classes:
        attributes += f' class="{" ".join(classes)}"'
    return f"<td{attributes}>{escape(shown)}</td>"
