"""Downloads from a server on the loopback interface, well and badly behaved."""

from __future__ import annotations

import hashlib
import io
import socket
import threading
import urllib.request

import numpy as np
import pytest

from svmsieve.datasets import CATALOGUE, DataError, addresses, load
from svmsieve.datasets.fetch import _SameScheme, fetch
from svmsieve.datasets.store import checksum, read_arrays
from tests.datasets.archive_files import ARCHIVED, drip, running, send, zipped

BODY = bytes(range(256)) * 400


@pytest.fixture
def server(monkeypatch):
    """A server that stands for both archives."""
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    with running() as server:
        monkeypatch.setattr(addresses, "OPENML", server.address)
        monkeypatch.setattr(addresses, "UCI", server.address)
        yield server


@pytest.fixture
def home(monkeypatch, tmp_path):
    """An empty folder, and no other one to look into."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("SVMSIEVE_DATA", raising=False)
    return tmp_path / "home"


class Pauses(list):
    """Stands for time.sleep and remembers."""

    def __call__(self, seconds):
        self.append(seconds)


def get(server, path="/x", **options):
    options = {"verbose": False, "timeout": 5.0, "sleep": Pauses(), **options}
    return fetch(server.address + path, **options)


class TestFetch:
    def test_body(self, server):
        server.serve("/x", BODY)
        assert get(server) == BODY
        assert get(server, md5=hashlib.md5(BODY).hexdigest()) == BODY
        assert server.asked == ["/x", "/x"]

    def test_without_a_length(self, server):
        def respond(handler, _):
            handler.send_response(200)
            handler.end_headers()
            handler.wfile.write(BODY)

        server.pages["/x"] = respond
        assert get(server) == BODY

    def test_a_redirection_is_followed(self, server):
        def respond(handler, _):
            handler.send_response(302)
            handler.send_header("Location", "/y")
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        server.pages["/x"] = respond
        server.serve("/y", BODY)
        assert get(server) == BODY

    def test_wrong_checksum(self, server):
        server.serve("/x", BODY)
        with pytest.raises(DataError, match="another checksum than the archive says"):
            get(server, md5="0" * 32)
        assert len(server.asked) == 1

    def test_404_is_final(self, server):
        with pytest.raises(DataError, match=r"/x: HTTP 404 \(Not Found\)"):
            get(server)
        assert len(server.asked) == 1

    def test_503_then_success(self, server):
        def respond(handler, times):
            send(handler, BODY, status=503 if times < 3 else 200)

        server.pages["/x"] = respond
        pauses = Pauses()
        assert get(server, sleep=pauses) == BODY
        assert len(server.asked) == 3
        assert pauses == [0.5, 1.0]

    def test_503_for_ever(self, server):
        server.pages["/x"] = lambda handler, _: send(handler, b"", status=503)
        with pytest.raises(DataError, match="/x: HTTP 503, 4 times"):
            get(server)
        assert len(server.asked) == 4

    def test_the_server_may_say_how_long_to_wait(self, server):
        def respond(handler, times):
            if times > 1:
                return send(handler, BODY)
            handler.send_response(429)
            handler.send_header("Retry-After", "7")
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        server.pages["/x"] = respond
        pauses = Pauses()
        assert get(server, sleep=pauses) == BODY
        assert pauses == [7.0]

    def test_truncated_body_then_whole(self, server):
        def respond(handler, times):
            send(handler, BODY, shown=1000 if times == 1 else None)

        server.pages["/x"] = respond
        assert get(server) == BODY
        assert len(server.asked) == 2

    def test_truncated_body_for_ever(self, server):
        server.serve("/x", BODY, shown=1000)
        with pytest.raises(DataError, match="closed before the end of the file, 2 times"):
            get(server, retries=1)

    @pytest.mark.parametrize("after_headers", [False, True])
    def test_a_silent_server(self, server, after_headers):
        def respond(handler, _):
            if after_headers:
                handler.send_response(200)
                handler.send_header("Content-Length", "10")
                handler.end_headers()
                handler.wfile.flush()
            server.stop.wait(10)

        server.pages["/x"] = respond
        with pytest.raises(DataError, match=r"no answer within 0\.2 s, 2 times"):
            get(server, timeout=0.2, retries=1)

    def test_a_server_that_drips(self, server):
        server.pages["/x"] = drip(server, 10.0)
        with pytest.raises(DataError, match=r"no answer within 0\.2 s, 1 times"):
            get(server, timeout=0.2, retries=0)

    def test_a_server_that_hangs_up(self, server):
        server.pages["/x"] = lambda handler, _: handler.connection.close()
        with pytest.raises(DataError, match="connection"):
            get(server, retries=1)
        assert len(server.asked) == 2

    def test_no_server(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        pauses = Pauses()
        with pytest.raises(DataError, match=r"no connection \(.*\), 4 times"):
            fetch(f"http://127.0.0.1:{port}/x", verbose=False, timeout=5.0, sleep=pauses)
        assert pauses == [0.5, 1.0, 2.0]

    def test_too_large(self, server, monkeypatch):
        monkeypatch.setattr("svmsieve.datasets.fetch.MOST_BYTES", 1000)
        server.serve("/x", BODY)
        with pytest.raises(DataError, match="is more than any data set here"):
            get(server)

    @pytest.mark.parametrize(
        "where",
        ["ftp://127.0.0.1/x", "file:///etc/hostname", "http://[", "//a b", "data:,x", "x:y"],
    )
    def test_a_redirection_elsewhere_is_refused(self, server, where):
        def respond(handler, _):
            handler.send_response(302)
            handler.send_header("Location", where)
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        server.pages["/x"] = respond
        with pytest.raises(DataError, match=r"redirected, but|is no address|HTTP 302"):
            get(server, timeout=5.0)
        assert server.asked == ["/x"]

    def test_no_redirection_from_https_to_http(self):
        request = urllib.request.Request("https://127.0.0.1/x")
        with pytest.raises(
            DataError, match=r"redirected to 'http://127\.0\.0\.1/y', which is not https"
        ):
            _SameScheme().redirect_request(
                request, io.BytesIO(), 302, "Found", {}, "http://127.0.0.1/y"
            )

    def test_headers_that_drip_have_one_timeout_together(self, server):
        stop = threading.Event()

        def respond(handler, _):
            for number in range(1000):
                handler.wfile.write(
                    b"HTTP/1.1 200 OK\r\n" if not number else b"X-%d: 1\r\n" % number
                )
                handler.wfile.flush()
                if stop.wait(0.05):
                    return

        server.pages["/x"] = respond
        with pytest.raises(DataError, match=r"no answer within 0\.3 s, 2 times"):
            get(server, timeout=0.3, retries=1)
        stop.set()

    @pytest.mark.parametrize(
        "url",
        [
            "http://",
            "http://[::1",
            "http://127.0.0.1:port/x",
            "http://127.0.0.1:99999999/x",
            "http://127.0.0.1/a b",
            "http://127.0.0.1/\n",
            "http://127.0.0.1/ä",
            "http://a..b/",
            "http://" + "a" * 70 + ".org/",
            "https://:80/",
            "http:///x",
            "",
        ],
    )
    def test_odd_addresses_are_refused_in_one_sentence(self, url):
        with pytest.raises(DataError, match=r"is no address|is neither http nor https"):
            fetch(url, verbose=False, sleep=Pauses())

    def test_only_the_web(self, tmp_path):
        (tmp_path / "x").write_text("secret")
        with pytest.raises(DataError, match="is neither http nor https"):
            fetch(f"file://{tmp_path}/x")

    def test_the_bar_goes_to_the_standard_error(self, server, capsys):
        server.serve("/x", BODY)
        get(server, verbose=True, title="[red]glass")
        shown = capsys.readouterr()
        assert not shown.out
        assert "[red]glass" in shown.err
        assert "102.4" in shown.err


@pytest.mark.parametrize("name", ARCHIVED)
def test_recipes_turn_the_archives_files_into_the_catalogues_content(
    shared_data, server, home, name
):
    entry = CATALOGUE[name]
    original = load(name, shared_data, download=False)
    server.serve_source(entry.source, ARCHIVED[name](original))
    data = load(name, home, verbose=False)
    assert data.path == home / entry.file
    assert checksum(read_arrays(data.path)) == entry.checksum
    assert len(data.feature_names) == entry.n_features
    for part, (X, y) in original.parts.items():
        other = data.parts[part]
        if hasattr(X, "columns"):
            assert X.equals(other.X)
        elif hasattr(X, "tocsr"):
            assert (X != other.X).nnz == 0
        else:
            assert np.array_equal(X, other.X, equal_nan=True)
        assert (y is None and other.y is None) or np.array_equal(y, other.y)
    # the second time no one is asked
    asked = len(server.asked)
    assert asked > 0
    assert load(name, home, verbose=False).path == data.path
    assert len(server.asked) == asked


def test_every_set_with_a_source_has_a_way_back():
    with_source = {name for name, entry in CATALOGUE.items() if entry.source is not None}
    assert with_source - set(ARCHIVED) == {"gisette"}


def test_gisette_is_checked_by_its_size(server, home, monkeypatch):
    entry = CATALOGUE["gisette"]
    small = {"train": 4, "valid": 2, "test": 3}
    labels = {"train": b"1\n-1\n1\n-1\n", "valid": b"1\n-1\n"}
    files = {
        f"GISETTE/gisette_{part}.data": b"\n".join(b"1 2 3" for _ in range(n))
        for part, n in small.items()
    }
    files |= {f"gisette_{part}.labels": text for part, text in labels.items()}
    server.serve_source(entry.source, files)
    with pytest.raises(DataError, match="its train part has another size than the catalogue's"):
        load("gisette", home, verbose=False)
    from dataclasses import replace

    monkeypatch.setitem(CATALOGUE, "gisette", replace(entry, parts=small, n_features=3))
    data = load("gisette", home, verbose=False)
    assert data.parts["test"].X.shape == (3, 3)
    assert data.parts["test"].y is None
    assert data.y.tolist() == [1, -1, 1, -1]


def refusal(name, home, **options):
    with pytest.raises(DataError) as caught:
        load(name, home, verbose=False, retries=0, timeout=5.0, **options)
    message = str(caught.value)
    # one sentence: which file, where it was looked for, why there is none, where to put it
    file = CATALOGUE[name].file
    assert message.startswith(f"{file} is not in {home}, ")
    assert message.endswith(f"; put it into {home}.")
    assert "\n" not in message
    assert not list(home.glob("*")) if home.exists() else True
    return message


class TestLoadRefuses:
    def test_no_network(self, home, monkeypatch):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        monkeypatch.setattr(addresses, "UCI", f"http://127.0.0.1:{port}")
        assert "could not be downloaded (http://127.0.0.1" in refusal("glass", home)

    def test_not_found(self, server, home):
        assert "HTTP 404" in refusal("glass", home)
        assert "HTTP 404" in refusal("pyrim", home)

    def test_other_content(self, server, home):
        row = "1,1.5,13,4,1,71,0,8,0,0,1\n"
        server.serve_source(CATALOGUE["glass"].source, {"glass.data": row.encode()})
        assert "its content has another checksum than the catalogue's" in refusal("glass", home)

    def test_a_file_is_missing_in_the_archive(self, server, home):
        server.serve_source(CATALOGUE["glass"].source, {"readme": b"moved"})
        assert "UCI, number 42 serves it in another form" in refusal("glass", home)

    def test_other_columns(self, server, home):
        server.serve_source(CATALOGUE["glass"].source, {"glass.data": b"<html>\n"})
        assert "serves it in another form than expected" in refusal("glass", home)

    def test_no_zip(self, server, home):
        path = CATALOGUE["glass"].source.archive.removeprefix(server.address)
        server.serve(path, b"<html>moved</html>")
        assert "not a zip archive, or a damaged one" in refusal("glass", home)
        whole = zipped({"glass.data": bytes(5000)})
        server.serve(path, whole[:-30])
        assert "not a zip archive, or a damaged one" in refusal("glass", home)

    def test_a_zip_that_unpacks_to_too_much(self, server, home, monkeypatch):
        monkeypatch.setattr("svmsieve.datasets.archives.MOST_BYTES", 1000)
        server.serve_source(CATALOGUE["glass"].source, {"glass.data": bytes(5000)})
        assert "larger than any data set here" in refusal("glass", home)

    def test_openml_answers_otherwise(self, server, home):
        source = CATALOGUE["pyrim"].source
        path = source.search.removeprefix(server.address)
        server.serve(path, b"<html>")
        assert "an answer that is not JSON" in refusal("pyrim", home)
        server.serve(path, b'{"error": {"code": "372"}}')
        assert "an answer of another form than expected" in refusal("pyrim", home)

    def test_openml_file_of_another_checksum(self, server, home):
        source = CATALOGUE["pyrim"].source
        path = server.serve_source(source, {"pyrim.arff": b"@relation x\n"})
        server.serve(path, b"@relation y\n")
        assert "another checksum than the archive says" in refusal("pyrim", home)

    def test_a_folder_that_cannot_be_written_to(self, shared_data, server, home):
        entry = CATALOGUE["glass"]
        server.serve_source(entry.source, ARCHIVED["glass"](load("glass", shared_data)))
        home.write_text("a file where a folder should be")
        with pytest.raises(DataError, match=r"cannot be written \(.*\); give a data_home"):
            load("glass", home, verbose=False)


def test_downloads_go_to_the_cache_without_a_folder(shared_data, server, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("SVMSIEVE_DATA", raising=False)
    entry = CATALOGUE["glass"]
    original = load("glass", shared_data)
    server.serve_source(entry.source, ARCHIVED["glass"](original))
    assert load("glass", verbose=False).path == tmp_path / "svmsieve" / "glass.npz"
