"""The page that says how long each example took, and the examples' own pages without archives.

Pages and pictures in docs/gallery are the cache of the gallery: an example whose text has not changed since
is not run.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.util.typing import ExtensionMetadata

GALLERY = Path(__file__).resolve().parents[1] / "gallery"
TIME = re.compile(r"\*\*Total running time of the script:\*\* \((\d+) minutes ([\d.]+) seconds\)")
TITLE = re.compile(r"^(\w[^\n]*)\n=+$", re.M)
ARCHIVE = re.compile(r"\n *\.\. container:: sphx-glr-download sphx-glr-download-zip\n\n[^\n]*\n")

HEAD = """# How long the examples take

Wall time of each example at its last run, on one core of a two-core virtual machine that did other work too:
alone they take less. `make docs` runs an example again when its text has changed, `make gallery` runs them
all; the whole site, examples included, then took {whole} s.

| example | seconds |
| --- | --- |
"""


def times() -> dict[str, tuple[str, float]]:
    """Return title and seconds of each example's page, by its name."""
    found = {}
    for page in sorted(GALLERY.glob("plot_*.rst")):
        text = page.read_text(encoding="utf-8")
        minutes, seconds = TIME.search(text).groups()
        found[page.stem] = TITLE.search(text).group(1), 60 * int(minutes) + float(seconds)
    return found


def small_pictures(gallery_conf, name: str) -> None:
    """Set the size of pictures: small enough to be kept beside the sources."""
    import matplotlib as mpl

    mpl.rcParams.update({"figure.dpi": 80, "savefig.dpi": 80, "figure.figsize": (7.0, 4.0)})


def _write_times(app) -> None:
    rows = times()
    lines = [f"| [{title}](gallery/{name}) | {took:.1f} |" for name, (title, took) in rows.items()]
    total = sum(took for _, took in rows.values())
    whole = (GALLERY / "whole-build-seconds.txt").read_text(encoding="utf-8").strip()
    text = (
        HEAD.format(whole=whole)
        + "\n".join([*lines, f"| **{len(rows)} examples** | **{total:.1f}** |"])
        + "\n"
    )
    page = GALLERY.parent / "gallery-times.md"
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def _leave_out_archive(app, name: str, source: list[str]) -> None:
    if name.startswith("gallery/"):
        source[0] = ARCHIVE.sub("\n", source[0])


def setup(app) -> ExtensionMetadata:
    """Write the page after the gallery's pages, before any page is read."""
    app.connect("builder-inited", _write_times, priority=900)
    app.connect("source-read", _leave_out_archive)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
