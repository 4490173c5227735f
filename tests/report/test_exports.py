"""What the page saves opens elsewhere, and is what the report says."""

from __future__ import annotations

import csv
import struct
import xml.etree.ElementTree as ET
import zlib

import pytest

from svmsieve.report import inline
from tests.report.browsing import Watched
from tests.report.problems import PROBLEMS

NAMES = (*PROBLEMS, "comparison")


def saved(page, name):
    """The file that a button saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    return download.value.path(), download.value.suggested_filename


def pixels(path):
    """Width, height and the unpacked bytes of a PNG file."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        assert (
            zlib.crc32(kind + body)
            == struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0]
        )
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    return *size, zlib.decompress(packed)


@pytest.mark.parametrize("name", NAMES)
def test_every_plot_is_saved_as_svg_that_needs_nothing(name, browser, pages):
    with Watched(browser, pages[0] / f"{name}.html", scheme="dark") as watched:
        page = watched.page
        plots = page.eval_on_selector_all("figure", "all => all.map(each => each.id)")
        assert len(plots) == len(set(plots))
        assert plots
        path, called = saved(page, f"Save plot {plots[-1]} as SVG")
        assert called == f"{plots[-1]}.svg"
        for plot in plots:  # not by their buttons: Chromium saves no more than ten files a second
            text = page.evaluate(
                "id => standalone(document.getElementById(id).querySelector('svg'))", plot
            )
            root = ET.fromstring(text)
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert root.get("aria-label")
            assert not [e for e in root.iter() if "class" in e.attrib or "style" in e.attrib]
            assert "var(" not in text
            shapes = [
                e for e in root.iter() if e.tag.split("}")[1] in ("path", "line", "circle", "rect")
            ]
            assert all(e.get("fill") or e.get("stroke") for e in shapes)
        assert path.read_text(encoding="utf-8") == text
        assert watched.errors == []


def test_every_plot_is_saved_as_png(browser, pages):
    with Watched(browser, pages[0] / "classes.html", scheme="dark") as watched:
        page = watched.page
        for plot in page.eval_on_selector_all("figure", "all => all.map(each => each.id)"):
            path, called = saved(page, f"Save plot {plot} as PNG")
            assert called == f"{plot}.png"
            width, height, data = pixels(path)
            box = page.eval_on_selector(
                f"#{plot} svg", "e => [e.viewBox.baseVal.width, e.viewBox.baseVal.height]"
            )
            assert [width, height] == [int(3 * box[0]), int(3 * box[1])]
            assert len(set(data[::97])) > 2  # not a blank sheet
        assert watched.requests[1:] == [
            r for r in watched.requests[1:] if r.startswith(("data:", "blob:"))
        ]


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("name", NAMES)
def test_every_table_is_saved_as_csv_of_its_rows(name, browser, pages):
    with Watched(browser, pages[0] / f"{name}.html") as watched:
        page = watched.page
        tables = page.eval_on_selector_all("table", "all => all.map(each => each.id)")
        assert all(tables)
        page.eval_on_selector_all("details", "all => all.forEach(each => { each.open = true })")
        for table in tables:
            path, called = saved(page, f"Save table {table} as CSV")
            assert called == f"{table}.csv"
            rows = rows_of(path)
            assert len({len(row) for row in rows}) == 1
            assert len(rows) - 1 == page.locator(f"#{table} tbody tr").count()


def test_the_ranking_is_saved_whole_and_exactly(browser, pages):
    content = pages[1]["classes"]["ranking"]
    with Watched(browser, pages[0] / "classes.html") as watched:
        watched.page.locator("#search").fill("plain")  # what is seen is not what is saved
        head, *rows = rows_of(saved(watched.page, "Save table ranks as CSV")[0])
    columns = dict(zip(head, zip(*rows, strict=True), strict=True))
    assert list(columns["feature"]) == content["names"]
    for name, key in (
        ("score then", "scores"),
        ("leaves at", "positions"),
        ("selected in folds", "frequency"),
        ("lowest rank", "lowest_rank"),
        ("highest rank", "highest_rank"),
    ):
        assert [float(value) for value in columns[name]] == content[key]
    size = pages[1]["classes"]["selection"]["size"]
    assert list(columns["selected"]) == ["yes"] * size + ["no"] * (len(rows) - size)


def test_baselines_and_folds_are_saved_exactly(browser, pages):
    found = pages[1]["numbers"]["evaluation"]
    with Watched(browser, pages[0] / "numbers.html") as watched:
        head, *rows = rows_of(saved(watched.page, "Save table against as CSV")[0])
        folds = rows_of(saved(watched.page, "Save table folds as CSV")[0])
    assert [float(row[1]) for row in rows] == [
        found["value"],
        *(b["value"] for b in found["baselines"]),
    ]
    assert [float(row[-1]) for row in folds[1:]] == found["per_fold"]
    assert [int(row[2]) for row in folds[1:]] == found["held_out_per_fold"]
    assert head[0] == "method"


def test_no_name_in_a_csv_is_a_formula():
    from svmsieve.report.tables import Column, Table

    table = Table("names", "Names", [Column("name", ["=1+1", "@x", "-3", "plain"])], most=2)
    assert 'data-v="&#39;=1+1"' in table.markup()
    rest = table.rest()
    assert (rest["values"][0] or rest["texts"][0]) == ["-3", "plain"]
    whole = Table("names", "Names", [Column("name", ["plain", "=1+1"])], most=1).rest()
    assert (whole["values"][0] or whole["texts"][0]) == ["'=1+1"]


def test_a_notebook_s_frame_saves_too(browser, pages, tmp_path):
    """There the page is in a sandbox of its own."""
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><body>{inline(pages[1]['classes'])}", encoding="utf-8")
    with Watched(browser, file) as watched:
        frame = watched.page.frames[1]
        for name, ending in (("curve as SVG", ".svg"), ("curve as PNG", ".png")):
            with watched.page.expect_download() as download:
                frame.get_by_role("button", name=f"Save plot {name}", exact=True).click()
            assert download.value.suggested_filename == f"curve{ending}"
        assert watched.errors == []
