"""Download with timeouts, retries, a bar, and checks of length and checksum."""

from __future__ import annotations

import hashlib
import http.client
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from svmsieve.datasets.errors import DataError, shown
from svmsieve.runtime.memory import human_size

MOST_BYTES = 2**30
"""Larger than anything in the catalogue: a server that sends more is not trusted."""
_CHUNK = 2**16
_LEAST_RATE = 1024
"""Bytes within one timeout, below which a server counts as stalled."""
_LONGEST_PAUSE = 30.0
_AGAIN = (408, 425, 429, 500, 502, 503, 504)


class _TryAgainError(Exception):
    """A failure that may pass."""

    def __init__(self, reason: str, pause: float | None = None) -> None:
        super().__init__(reason)
        self.pause = pause


def fetch(
    url: str,
    *,
    md5: str | None = None,
    timeout: float = 30.0,
    retries: int = 3,
    verbose: bool = True,
    title: str = "download",
    sleep: Callable[[float], None] = time.sleep,
) -> bytes:
    """Return what is at an address.

    A connection that fails, a server that stalls, answers "busy" or closes before the end is tried
    again after a pause that doubles each time.

    Parameters
    ----------
    url : http or https
    md5 : checksum of the body, where the archive publishes one
    timeout : seconds for the beginning of an answer, and then without any more, or with hardly any, after
        which a server counts as stalled
    retries : how often to try again
    verbose : show a bar
    title : before the bar
    sleep : what waits between two tries

    Raises
    ------
    DataError
        With the reason in a few words; the caller says what to do.
    """
    _refuse_address(url)
    for attempt in range(retries + 1):
        try:
            body = _once(url, timeout, verbose, title)
            break
        except _TryAgainError as error:
            if attempt == retries:
                raise DataError(f"{url}: {error}, {attempt + 1} times") from None
            sleep(min(0.5 * 2**attempt if error.pause is None else error.pause, _LONGEST_PAUSE))
    if md5 is not None and hashlib.md5(body, usedforsecurity=False).hexdigest() != md5:
        raise DataError(f"{url}: the file has another checksum than the archive says")
    return body


def _refuse_address(url: str) -> None:
    """Refuse what is no address of the web, before anybody is asked."""
    if not url.startswith(("http://", "https://")):
        raise DataError(f"the address {shown(url)} is neither http nor https")
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 (it is read as a number now)
        known = bool(parts.hostname and parts.hostname.encode("idna") and url.encode("ascii"))
    except ValueError:
        known = False
    if not known or not url.isprintable() or " " in url:
        raise DataError(f"{shown(url)} is no address")


class _SameScheme(urllib.request.HTTPRedirectHandler):
    """Follows redirections on the web, but not from https to http, nor to files or other services."""

    def redirect_request(
        self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str
    ) -> Any:
        try:
            _refuse_address(newurl)
        except DataError as error:
            raise DataError(f"{req.full_url}: redirected, but {error}") from None
        if req.full_url.startswith("https:") and not newurl.startswith("https:"):
            raise DataError(f"{req.full_url}: redirected to {shown(newurl)}, which is not https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)

    def http_error_302(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any) -> Any:
        """Follow, or close the connection."""
        try:
            return super().http_error_302(req, fp, code, msg, headers)
        except urllib.error.HTTPError:  # which closes it itself
            raise
        except BaseException:
            fp.close()
            raise

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _opened(url: str, timeout: float) -> Any:
    """Return the response; looking up, connecting and all headers have the time of one timeout.

    The time limit of a socket is for each piece that arrives, and there is none for looking up a name: a
    thread waits instead, and is left behind where it has to wait too long.
    """
    request = urllib.request.Request(url, headers={"User-Agent": "svmsieve"})
    found: list[Any] = []
    late = threading.Event()

    def ask() -> None:
        try:
            response = urllib.request.build_opener(_SameScheme).open(request, timeout=timeout)
        except BaseException as error:
            found.append(error)
            return
        found.append(response)
        if late.is_set():
            response.close()

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(timeout)
    if not found:
        late.set()
        raise TimeoutError
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def _once(url: str, timeout: float, verbose: bool, title: str) -> bytes:
    try:
        with _opened(url, timeout) as response:
            length = response.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else None
            if total is not None and total > MOST_BYTES:
                raise DataError(f"{url}: {human_size(total)} is more than any data set here")
            with _bar(verbose, title, total) as advance:
                body = b"".join(_chunks(response, timeout, advance, url))
    except urllib.error.HTTPError as error:
        with error:
            if error.code in _AGAIN:
                raise _TryAgainError(f"HTTP {error.code}", _retry_after(error)) from None
            raise DataError(f"{url}: HTTP {error.code} ({error.reason})") from None
    except TimeoutError:
        raise _TryAgainError(f"no answer within {timeout:g} s") from None
    except http.client.IncompleteRead:
        raise _TryAgainError("the connection closed before the end of the file") from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise _TryAgainError(f"no answer within {timeout:g} s") from None
        reason = getattr(error.reason, "strerror", None) or error.reason
        raise _TryAgainError(f"no connection ({reason})") from None
    except DataError:
        raise
    except (
        ValueError,
        http.client.InvalidURL,
    ) as error:  # of the address itself, or of one that it redirects to
        raise DataError(
            f"{shown(url)}, or where it redirects to, is no address ({error})"
        ) from None
    except (http.client.HTTPException, OSError) as error:
        raise _TryAgainError(f"the connection broke ({type(error).__name__})") from None
    if total is not None and len(body) != total:
        raise _TryAgainError("the connection closed before the end of the file")
    return body


def _chunks(
    response: Any, timeout: float, advance: Callable[[int], None], url: str
) -> Iterator[bytes]:
    """Yield the body; a server that drips counts as one that does not answer."""
    received, window, since = 0, 0, time.monotonic()
    while chunk := response.read1(_CHUNK):
        received += len(chunk)
        window += len(chunk)
        advance(len(chunk))
        if received > MOST_BYTES:
            raise DataError(
                f"{url}: more than {human_size(MOST_BYTES)}, larger than any data set here"
            )
        if time.monotonic() - since > timeout:
            if window < _LEAST_RATE:
                raise TimeoutError
            window, since = 0, time.monotonic()
        yield chunk


def _retry_after(error: urllib.error.HTTPError) -> float | None:
    text = error.headers.get("Retry-After", "")
    return float(text) if text.isdigit() else None


@contextmanager
def _bar(shown: bool, title: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar of the bytes received, on the standard error."""
    if not shown:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(title, total=total)
        yield lambda n: progress.advance(task, n)
