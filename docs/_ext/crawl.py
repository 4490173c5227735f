"""Follow every link of the built site: `python docs/_ext/crawl.py docs/_build/html`.

Wrong are: a link to a page, picture or heading that is not there, and anything that a page would fetch from
elsewhere.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
NOT_FETCHED = {"canonical", "next", "prev", "author", "search", "index"}


class Page(HTMLParser):
    """What a page links to, what it fetches, and which places of it can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.places = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to, fetches and is called."""
        given = dict(attrs)
        self.places.update(given[key] or "" for key in ("id", "name") if key in given)
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        elif given.get(FETCHED.get(tag, "")) and given.get("rel") not in NOT_FETCHED:
            self.fetched.append(given[FETCHED[tag]] or "")


def wrong(root: Path) -> list[str]:
    """Return a sentence for each link, picture or script that does not work without network."""
    files = [file for file in root.rglob("*.html") if "_static" not in file.parts]
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in files}
    said = [] if pages else [f"no pages in {root}"]
    for file, page in pages.items():
        here = file.relative_to(root)
        for address in page.fetched:
            if urlsplit(address).scheme in ("http", "https") or address.startswith("//"):
                said.append(f"{here} fetches {address}")
        for address in page.links + page.fetched:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                said.append(f"{here}: {address} is not there")
            elif target in pages and unquote(parts.fragment) not in pages[target].places:
                said.append(f"{here}: {address} names a heading that is not there")
    return said


def main() -> int:
    """Print what is wrong; the exit code is 1 if there is anything."""
    root = Path(sys.argv[1]).resolve()
    said = wrong(root)
    print(
        "\n".join(sorted(set(said))) or f"{len(list(root.rglob('*.html')))} pages, no broken link"
    )
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
