"""What the public archives serve, rebuilt from a data folder: the recipes' way back, and a server of it."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import scipy.sparse as sp

Respond = Callable[[Any, int], None]


def text(matrix: Any, delimiter: str = ",") -> bytes:
    """Numbers as text, missing ones as a question mark, whole ones without a point."""

    def cell(number: float) -> str:
        if number != number:
            return "?"
        return str(int(number)) if number == int(number) else repr(number)

    numbers = np.asarray(matrix, dtype=np.float64)
    if np.isfinite(numbers).all() and (numbers == np.round(numbers)).all():
        rows = numbers.astype(np.int64).tolist()
        return "".join(delimiter.join(map(str, row)) + "\n" for row in rows).encode()
    rows = numbers.tolist()
    return "".join(delimiter.join(map(cell, row)) + "\n" for row in rows).encode()


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def monks(data: Any) -> dict[str, bytes]:
    problem = data.entry.name[-1]
    files = {}
    for part, (X, y) in data.parts.items():
        rows = [
            f" {label} {' '.join(str(int(v)) for v in row)} data_{i}\n"
            for i, (row, label) in enumerate(zip(X, y, strict=True))
        ]
        files[f"monks-{problem}.{part}"] = "".join(rows).encode()
    return files


def nips(data: Any) -> dict[str, bytes]:
    name = data.entry.name
    files: dict[str, bytes] = {}
    for part, (X, y) in data.parts.items():
        if sp.issparse(X):
            lines = []
            for row in range(X.shape[0]):
                piece = slice(X.indptr[row], X.indptr[row + 1])
                pairs = zip(X.indices[piece] + 1, X.data[piece].astype(int), strict=True)
                with_value = name == "dexter"
                lines.append(
                    " ".join(f"{i}:{v}" if with_value else str(i) for i, v in pairs) + " \n"
                )
            content = "".join(lines).encode()
        else:
            content = text(X, " ")
        files[f"{name.upper()}/{name}_{part}.data"] = content
        if y is not None:
            place = "" if part == "valid" else f"{name.upper()}/"
            files[f"{place}{name}_{part}.labels"] = text(y[:, None])
    return files


def wisconsin(data: Any) -> dict[str, bytes]:
    table = np.column_stack([data.extras["id"], data.X, data.y])
    return {"breast-cancer-wisconsin.data": text(table), "Index": b"x"}


def glass(data: Any) -> dict[str, bytes]:
    table = np.column_stack([np.arange(1, 215), data.X, data.y])
    return {"glass.data": text(table)}


def optdigits(data: Any) -> dict[str, bytes]:
    return {
        f"optdigits.{part[:3] if part == 'train' else 'tes'}": text(np.column_stack([X, y]))
        for part, (X, y) in data.parts.items()
    }


def mfeat(data: Any) -> dict[str, bytes]:
    views = data.extras["view"]
    return {f"mfeat-{view}": text(data.X[:, views == view], "  ") for view in np.unique(views)}


def abalone(data: Any) -> dict[str, bytes]:
    rows = text(np.column_stack([data.X[:, 1:], data.y])).decode().splitlines()
    lines = [f"{sex},{row}\n" for sex, row in zip(data.extras["sex"], rows, strict=True)]
    return {"abalone.data": "".join(lines).encode()}


def auto_mpg(data: Any) -> dict[str, bytes]:
    table = np.column_stack([data.extras["y_all398"], data.extras["X_all398"]])
    lines = [f'{row}\t"a car"\n' for row in text(table, "   ").decode().splitlines()]
    return {"auto-mpg.data": "".join(lines).encode()}


def without_header(name: str) -> Callable[[Any], dict[str, bytes]]:
    def files(data: Any) -> dict[str, bytes]:
        import gzip

        content = gzip.decompress(data.path.read_bytes())
        return {name: content.split(b"\n", 1)[1]}

    return files


def arff(data: Any) -> dict[str, bytes]:
    """As OpenML serves it: housing has nominal columns of numbers, pima classes of words."""
    X = data.X.astype(np.float32) if data.entry.name == "pima" else data.X
    lines = ["% comment", f"@RELATION {data.entry.name}"]
    for i, name in enumerate(data.feature_names):
        nominal = data.entry.name == "housing" and name == "CHAS"
        lines.append(f"@ATTRIBUTE {name}_{i} {'{0,1}' if nominal else 'REAL'}")
    words = {0: "tested_negative", 1: "tested_positive"}
    if data.entry.name == "pima":
        lines.append("@ATTRIBUTE class {tested_negative,tested_positive}")
        target = [words[int(label)] for label in data.y]
    else:
        lines.append("@ATTRIBUTE class REAL")
        target = [repr(float(value)) for value in data.y]
    rows = text([[float(str(v)) for v in row] for row in X]).decode().splitlines()
    lines += ["@DATA", *(f"{row},{y}" for row, y in zip(rows, target, strict=True))]
    return {f"{data.entry.source.name}.arff": "\n".join(lines).encode()}


ARCHIVED: dict[str, Callable[[Any], dict[str, bytes]]] = {
    "monks-1": monks,
    "monks-2": monks,
    "monks-3": monks,
    "arcene": nips,
    "dexter": nips,
    "dorothea": nips,
    "madelon": nips,
    "breast-cancer-wisconsin": wisconsin,
    "kr-vs-kp": without_header("kr-vs-kp.data"),
    "crx": without_header("crx.data"),
    "mushroom": without_header("agaricus-lepiota.data"),
    "pima": arff,
    "mfeat": mfeat,
    "glass": glass,
    "optdigits": optdigits,
    "auto-mpg": auto_mpg,
    "abalone": abalone,
    "cpusmall": arff,
    "housing": arff,
    "pyrim": arff,
    "triazines": arff,
}


class Server:
    """A server on the loopback interface: what it serves, and what it was asked for."""

    def __init__(self) -> None:
        self.pages: dict[str, Respond] = {}
        self.asked: list[str] = []
        self.stop = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path
                server.asked.append(path)
                if path not in server.pages:
                    self.send_error(404)
                    return
                server.pages[path](self, server.asked.count(path))

            def log_message(self, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.stop.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def serve(self, path: str, body: bytes, *, shown: int | None = None) -> None:
        """Serve a body, or less of it than its length says."""

        def respond(handler: Any, _: int) -> None:
            send(handler, body, shown=shown)

        self.pages[path] = respond

    def serve_source(self, source: Any, files: dict[str, bytes]) -> str:
        """Serve a data set as its archive does; return the path of its file."""
        if hasattr(source, "archive"):
            path = source.archive.removeprefix(self.address)
            self.serve(path, zipped(files))
            return path
        (body,) = files.values()
        listing = {"data": {"dataset": [{"did": 7, "name": source.name}]}}
        checksum = hashlib.md5(body).hexdigest()
        description = {"data_set_description": {"file_id": "77", "md5_checksum": checksum}}
        self.serve(source.search.removeprefix(self.address), json.dumps(listing).encode())
        self.serve(
            source.description(7).removeprefix(self.address), json.dumps(description).encode()
        )
        path = source.file(77).removeprefix(self.address)
        self.serve(path, body)
        return path


def send(handler: Any, body: bytes, *, status: int = 200, shown: int | None = None) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[:shown])


def drip(server: Server, seconds: float) -> Respond:
    """A server that sends one byte at a time, for so long."""

    def respond(handler: Any, _: int) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        end = time.monotonic() + seconds
        while time.monotonic() < end and not server.stop.wait(0.01):
            try:
                handler.wfile.write(b"x")
                handler.wfile.flush()
            except OSError:
                return

    return respond


@contextmanager
def running() -> Iterator[Server]:
    server = Server()
    try:
        yield server
    finally:
        server.close()
