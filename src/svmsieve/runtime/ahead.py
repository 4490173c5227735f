"""Reading overlapped with computing: the next item is made while the last one is worked on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")


def one_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items, in order, each made in a thread while the one before is used.

    At most one is waiting; what making one raises is raised where it would be yielded.

    >>> list(one_ahead(range(3)))
    [0, 1, 2]
    """
    source = iter(items)
    end = object()
    with ThreadPoolExecutor(1, "svmsieve-reader") as reader:
        coming = reader.submit(next, source, end)
        while (item := coming.result()) is not end:
            coming = reader.submit(next, source, end)
            yield item  # type: ignore[misc]
