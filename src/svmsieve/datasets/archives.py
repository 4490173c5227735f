"""The two public archives: from a source to the files of a data set."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import Any

from svmsieve.datasets.addresses import OpenML, Source, Uci
from svmsieve.datasets.errors import DataError
from svmsieve.datasets.fetch import MOST_BYTES, fetch
from svmsieve.datasets.recipes import Files


def download(source: Source, **options: Any) -> Files:
    """Return the files of a data set; the options are those of :func:`fetch`."""
    if isinstance(source, Uci):
        return _unzip(fetch(source.archive, **options), source.archive)
    return _from_openml(source, **options)


def _unzip(body: bytes, url: str) -> Files:
    """Return the files of a zip archive by name; it is not unpacked to disk."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if sum(member.file_size for member in members) > MOST_BYTES:
                raise DataError(f"{url}: the archive is larger than any data set here")
            return {member.filename.rsplit("/", 1)[-1]: archive.read(member) for member in members}
    except (zipfile.BadZipFile, NotImplementedError, zlib.error, EOFError, RuntimeError):
        raise DataError(f"{url}: not a zip archive, or a damaged one") from None


def _from_openml(source: OpenML, **options: Any) -> Files:
    """Ask for the number of the data set, for its description, and then for its file."""
    small = {**options, "verbose": False}
    listing = _json(source.search, small)
    try:
        number = int(listing["data"]["dataset"][0]["did"])
        description = _json(source.description(number), small)["data_set_description"]
        file, checksum = int(description["file_id"]), str(description["md5_checksum"])
    except (KeyError, IndexError, TypeError, ValueError):
        raise DataError(f"{source.search}: an answer of another form than expected") from None
    return {f"{source.name}.arff": fetch(source.file(file), md5=checksum, **options)}


def _json(url: str, options: dict[str, Any]) -> Any:
    try:
        return json.loads(fetch(url, **options))
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{url}: an answer that is not JSON") from None
