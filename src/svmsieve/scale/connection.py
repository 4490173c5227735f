"""Connect to a Dask cluster that runs already; none is ever started here."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import joblib

_PATIENCE = 10
"""Seconds a scheduler, or its first worker, has to answer."""


def require_dask(what: str) -> None:
    """Say what to install if Dask is missing."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise ImportError(f"{what} needs Dask; install svmsieve[dask].") from None


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Connect to a scheduler and let every loop run on its workers; None: do nothing.

    Parameters
    ----------
    address : such as ``"tcp://host:8786"``

    Yields
    ------
    distributed.Client, or None without an address
    """
    if address is None:
        yield None
        return
    require_dask("--scheduler")
    from distributed import Client

    with _silent_dask():
        try:
            client: Any = Client(address, timeout=_PATIENCE)
        except (OSError, ValueError) as error:
            raise ConnectionError(
                f"no Dask scheduler answers at {address!r}; start one with `dask scheduler`, or leave "
                "--scheduler out."
            ) from error
        try:
            _wait_for_a_worker(client, address)
            with joblib.parallel_config("dask", client=client):
                yield client
        finally:
            client.close(timeout=1)


def _wait_for_a_worker(client: Any, address: str) -> None:
    from distributed import TimeoutError as DaskTimeoutError

    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except DaskTimeoutError as error:
        raise ConnectionError(
            f"the Dask scheduler at {address!r} has no workers; start some with `dask worker "
            f"{address}`."
        ) from error


@contextmanager
def _silent_dask() -> Iterator[None]:
    """What goes wrong is told once, by the error that ends the run."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
