"""A wrong path is refused before anything heavy is loaded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import svmsieve

HEAVY = ("numpy", "pandas", "scipy", "sklearn", "numba", "pyarrow", "rich")
RUN = """
import sys
from svmsieve.cli import main
try:
    main()
except SystemExit as end:
    print(end.code, *[name for name in {heavy} if name in sys.modules])
"""


def refused(folder, *words):
    source = str(Path(svmsieve.__file__).resolve().parents[1])
    result = subprocess.run(
        [sys.executable, "-c", RUN.format(heavy=HEAVY), *words],
        env={**os.environ, "PYTHONPATH": source},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.split(), result.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("select", "nofile.csv"), "there is no file 'nofile.csv'"),
        (("compare", "nofile.csv", "--target", "y"), "there is no file 'nofile.csv'"),
        (("apply", "model.skops", "table.csv"), "there is no file 'model.skops'"),
        (("apply", "table.csv", "nofile.csv"), "there is no file 'nofile.csv'"),
        (("select", "https://example.org/a.csv"), "is an address"),
        (("select", "table.csv", "--out", "nowhere/a.csv"), "the folder 'nowhere' is not there"),
        (("select", "table.csv", "--report", "a.doc"), "a.doc"),
        (("select", "table.csv", "--out", "table.csv"), "are the same file"),
    ],
)
def test_nothing_heavy_is_loaded(tmp_path, words, sentence):
    (tmp_path / "table.csv").write_text("a,y\n1,2\n")
    (code, *loaded), said = refused(tmp_path, *words)
    assert sentence in said
    assert code == "2"
    assert loaded == []
