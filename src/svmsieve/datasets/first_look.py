"""A first look at a file: what it is, how it is encoded, how much memory it would take."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from svmsieve.datasets.errors import DataError, shown
from svmsieve.runtime.memory import DEFAULT_BUDGET, check_memory, human_size

_GZIP = b"\x1f\x8b"
_SAMPLE = 2**18
_LONGEST_SAMPLE = 2**26
_LINES = 20
_CHUNK = 2**20
_PAIRS = re.compile(r"^\S+(\s+(qid:)?\d+:\S+)+\s*(#.*)?$")

FORMATS = ("arff", "csv", "libsvm", "npz", "parquet")
_ENDINGS = {
    ".arff": "arff",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
    ".npz": "npz",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_FOREIGN = {
    b"\x89HDF": "an HDF5 file",
    b"\xd0\xcf\x11\xe0": "an old Office file",
    b"%PDF": "a PDF",
    b"\x93NUMPY": "a single array",
    b"\x80\x02": "a pickle, which is never loaded",
    b"\x80\x03": "a pickle, which is never loaded",
    b"\x80\x04": "a pickle, which is never loaded",
    b"\x80\x05": "a pickle, which is never loaded",
}


def format_of_ending(path: Path) -> str | None:
    """Return the format that a file's name promises, None where it promises none."""
    endings = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return _ENDINGS.get(endings[-1]) if endings else None


@dataclass(frozen=True)
class Survey:
    """What a first look at a file tells.

    Attributes
    ----------
    path : the file
    format : one of :data:`FORMATS`
    compressed : whether it is a gzip file
    size : bytes, uncompressed; of a gzip file an estimate from its beginning
    encoding : of a text file
    sample : the beginning of a text file
    whole : whether the sample is all of it
    notes : what was understood
    """

    path: Path
    format: str
    compressed: bool
    size: int
    encoding: str
    sample: str
    whole: bool
    notes: tuple[str, ...] = ()

    def open_text(self) -> IO[str]:
        """Open the text, decoded; line ends are left to the parser."""
        return io.TextIOWrapper(self.open_bytes(), encoding=self.encoding, newline="")

    def open_bytes(self) -> Any:
        """Open the uncompressed bytes."""
        return _open(self.path, self.compressed)


def _open(path: Path, compressed: bool) -> Any:
    return gzip.open(path, "rb") if compressed else path.open("rb")


def _head(file: Any) -> tuple[bytes, bool]:
    """Return the beginning of a file, of wide files at least some lines, and whether it is all."""
    head = b""
    while len(head) < _LONGEST_SAMPLE and (not head or head.count(b"\n") < _LINES):
        chunk = file.read(_SAMPLE)
        head += chunk
        if len(chunk) < _SAMPLE:
            return head, True
    return head, False


def survey(path: Any, format: str | None = None, encoding: str | None = None) -> Survey:
    """Look at a file; refuse what is missing, empty, binary or of a foreign format."""
    path = Path(path)
    name = shown(path.name)
    if format is not None and format not in FORMATS:
        raise DataError(f"format must be one of {', '.join(FORMATS)}, got {format!r}.")
    try:
        if path.is_dir():
            raise DataError(f"{name} is a folder; give the path of a file in it.")
        on_disk = path.stat().st_size
        with path.open("rb") as file:
            compressed = file.read(2) == _GZIP
        with _open(path, compressed) as file:
            head, whole = _head(file)
            size = on_disk
            if compressed:
                consumed = max(1, file.fileobj.tell())
                size = max(len(head), int(on_disk * len(head) / consumed))
    except FileNotFoundError:
        raise DataError(f"there is no file {str(path)!r}; check the path.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DataError(f"{name} is a damaged gzip file; copy or download it again.") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"{name} cannot be read ({reason}); check its permissions.") from None
    if not head.strip():
        raise DataError(f"{name} is empty; give a file with a header and rows.")
    kind = format or _binary_format(head, name)
    if kind in ("npz", "parquet"):
        return Survey(path, kind, compressed, size, "", "", False)
    found, notes = _encoding(path, compressed, head, name, encoding)
    sample = _decoded_sample(head, found)
    return Survey(
        path, kind or _text_format(path, sample), compressed, size, found, sample, whole, notes
    )


def _binary_format(head: bytes, name: str) -> str | None:
    """Name the format of a binary file, None for text; refuse what cannot be read."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK\x03\x04"):
        if b".npy" in head[:2048]:
            return "npz"
        raise DataError(
            f"{name} is a zip archive (perhaps a spreadsheet); unpack it, or save it as CSV."
        )
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise DataError(f"{name} is {what}; save the table as CSV, Parquet, ARFF or NPZ.")
    return None


def _text_format(path: Path, sample: str) -> str:
    """Tell ARFF and LIBSVM from delimited text, by the ending of the name or by the content."""
    named = format_of_ending(path)
    lines = [line.strip() for line in sample.splitlines()[:50]]
    lines = [line for line in lines if line and not line.startswith("%")]
    if lines and lines[0].lower().startswith("@relation"):
        return "arff"
    if named in ("arff", "libsvm"):
        return named
    rows = [line for line in lines[:20] if not line.startswith("#")]
    if rows and all(_PAIRS.match(row) for row in rows[:-1] or rows):
        return "libsvm"
    return "csv"


def _encoding(
    path: Path, compressed: bool, head: bytes, name: str, wanted: str | None
) -> tuple[str, tuple[str, ...]]:
    """Return the encoding: what was asked for, a byte order mark's, UTF-8, or else Windows-1252."""
    if wanted is not None:
        try:
            codecs.lookup(wanted)
        except LookupError:
            raise DataError(f"encoding must be one Python knows, got {wanted!r}.") from None
        if _first_not(path, compressed, wanted) is not None:
            raise DataError(f"{name} is not {wanted} text; leave encoding out or give another.")
        return wanted, ()
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        found = "utf-16"
    else:
        if b"\0" in head:
            raise DataError(
                f"{name} is a binary file of no known format; save the table as CSV, Parquet, ARFF "
                "or NPZ."
            )
        found = "utf-8-sig"
    line = _first_not(path, compressed, found)
    if line is None:
        return found, ()
    if found == "utf-16":
        raise DataError(f"{name} is damaged UTF-16 text; save it as UTF-8.")
    control = sum(byte < 32 and byte not in b"\t\n\r\f" for byte in head)
    if control > len(head) / 100:
        raise DataError(
            f"{name} is a binary file of no known format; save the table as CSV, Parquet, ARFF or NPZ."
        )
    fallback = "cp1252" if _first_not(path, compressed, "cp1252") is None else "latin-1"
    note = f"line {line} is not UTF-8: the file was read as {fallback}; say encoding if text looks odd."
    return fallback, (note,)


def _first_not(path: Path, compressed: bool, encoding: str) -> int | None:
    """Return the first line that is not in the encoding, None where all of them are."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    with _open(path, compressed) as file:
        while True:
            try:
                chunk = file.read(_CHUNK)
            except (EOFError, zlib.error, gzip.BadGzipFile):
                raise DataError(
                    f"{shown(path.name)} is a damaged gzip file; copy or download it again."
                ) from None
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                return line + error.object[: error.start].count(b"\n")
            if not chunk:
                return None
            line += text.count("\n")


def _decoded_sample(head: bytes, encoding: str) -> str:
    return codecs.getincrementaldecoder(encoding)(errors="ignore").decode(head)


def require(n_bytes: float, memory: float | None, path: Path) -> None:
    """Refuse a file that would take more memory than the budget, before it is read."""
    limit = check_memory(memory) or DEFAULT_BUDGET
    if n_bytes > limit:
        raise DataError(
            f"{shown(path.name)} would take about {human_size(n_bytes)}, over the memory budget of "
            f"{human_size(limit)}; raise memory, or keep fewer columns or rows."
        )
