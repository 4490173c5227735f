"""SVG as text: elements are added one after the other, texts from data are escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from markupsafe import Markup

from svmsieve.report.drawing.palette import paint
from svmsieve.runtime.text import one_line

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"
TEXT = 12.0
"""Size of letters."""
_LETTER = 0.61
"""Width of a letter, as a share of its size, in a wide font."""


def number(value: float) -> str:
    """Return a coordinate, to a tenth.

    >>> number(3.0), number(2.345), number(-0.01)
    ('3', '2.3', '0')
    """
    text = f"{value:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")


def text_width(text: str, size: float = TEXT) -> float:
    """Return about how wide a text is."""
    return _LETTER * size * len(text)


def letters(width: float, size: float = TEXT, *, bold: bool = False) -> int:
    """Return how many letters fit into a width."""
    return max(1, int(width / ((1.12 if bold else 1.0) * _LETTER * size)))


def path(points: Iterable[tuple[float, float]]) -> str:
    """Return a line through points."""
    return "".join(f"{'L' if i else 'M'}{number(x)} {number(y)}" for i, (x, y) in enumerate(points))


class Drawing:
    """An SVG picture.

    Parameters
    ----------
    width, height : of the picture
    label : what it shows, for those who do not see it
    """

    def __init__(self, width: float, height: float, label: str) -> None:
        self.width, self.height, self.label = width, height, label
        self._parts: list[str] = []

    def add(self, tag: str, content: str | None = None, **attributes: Any) -> None:
        """Add an element; its content is text. Underscores in names are hyphens."""
        self._parts.append(f"<{tag}{_written(attributes)}")
        self._parts.append("/>" if content is None else f">{escape(content)}</{tag}>")

    @contextmanager
    def group(self, **attributes: Any) -> Iterator[None]:
        """Put what is added meanwhile into a group."""
        self._parts.append(f"<g{_written(attributes)}>")
        yield
        self._parts.append("</g>")

    def text(self, x: float, y: float, words: Any, longest: int = 60, **attributes: Any) -> None:
        """Add a text of at most so many letters; a longer one is whole in its title."""
        whole = one_line(words, 300)
        shown = one_line(whole, longest)
        colour = {} if "fill" in attributes else paint(fill="ink")
        self._parts.append(f"<text{_written({'x': x, 'y': y, **colour, **attributes})}>")
        title = f"<title>{escape(whole)}</title>" if shown != whole else ""
        self._parts.append(f"{escape(shown)}{title}</text>")

    def line(self, x1: float, y1: float, x2: float, y2: float, **attributes: Any) -> None:
        """Add a straight line."""
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)

    def titled(self, tag: str, title: str, **attributes: Any) -> None:
        """Add an element that says what it is when pointed at."""
        self._parts.append(f"<{tag}{_written(attributes)}><title>{escape(title)}</title></{tag}>")

    def markup(self) -> Markup:
        """Return the picture, which may stand in a page or in a file of its own."""
        head = {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {number(self.width)} {number(self.height)}",
            "width": self.width,
            "height": self.height,
            "role": "img",
            "aria-label": one_line(self.label, 300),
            "font-family": FONT,
            "font-size": TEXT,
        }
        return Markup(f"<svg{_written(head)}>{''.join(self._parts)}</svg>")


def _written(attributes: dict[str, Any]) -> str:
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )


def _value(value: Any) -> str:
    return number(value) if isinstance(value, float) else escape(str(value), quote=True)
