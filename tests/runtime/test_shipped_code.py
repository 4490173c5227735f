"""What an installation compiled ahead is taken in place of compiling, and only where it fits."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import svmsieve

ROOT = Path(__file__).parents[2]

_BEGIN = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from svmsieve.runtime import shipped_code
shipped_code.FOLDER = Path(sys.argv[3])
import numpy as np
from svmsieve.engine.columns import count_distinct
from svmsieve.runtime.compiled import seconds_compiling
assert list(count_distinct(np.array([[1.0, 2.0], [1.0, 3.0]]), 9)) == [1, 2]
"""
_KEEP = "from compile_ahead import keep; keep(shipped_code.FOLDER)"
_ASK = "print(seconds_compiling() > 0.0)"

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1" or not (ROOT / "compile_ahead.py").exists(),
    reason="needs compiled code, and compile_ahead.py of the sources",
)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package, as an installation makes one: with other times of its files."""
    folder = tmp_path_factory.mktemp("installation")
    source = Path(svmsieve.__file__).parent
    shutil.copytree(
        source, folder / "svmsieve", ignore=shutil.ignore_patterns("*.nbi", "*.nbc", "compiled")
    )
    return folder


def _run(package, shipped, tmp_path, script):
    """Run with an empty cache; return what it says and whether something was put into the cache."""
    cache = Path(tmp_path, f"cache {len(list(tmp_path.iterdir()))}")
    done = subprocess.run(
        [sys.executable, "-c", _BEGIN + script, str(package), str(ROOT), str(shipped)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), bool(list(cache.rglob("*.nbc")))


@pytest.fixture(scope="module")
def shipped(package, tmp_path_factory):
    """The code of one function, compiled from the sources as they lie elsewhere."""
    folder = tmp_path_factory.mktemp("shipped") / "compiled"
    _run(Path(svmsieve.__file__).parents[1], folder, tmp_path_factory.mktemp("work"), _KEEP)
    return folder


def test_what_is_shipped_is_not_compiled(package, shipped, tmp_path):
    assert _run(package, shipped, tmp_path, _ASK) == ("False", False)


def test_without_it_the_first_call_compiles(package, tmp_path):
    assert _run(package, tmp_path / "nothing", tmp_path, _ASK) == ("True", True)


def test_other_types_are_compiled_and_kept_in_the_cache(package, shipped, tmp_path):
    other = "count_distinct(np.array([[1, 2], [1, 3]], dtype=np.float32), 9)\n"
    assert _run(package, shipped, tmp_path, other + _ASK) == ("True", True)


def test_code_of_other_sources_is_not_taken(package, shipped, tmp_path):
    changed = tmp_path / "changed"
    shutil.copytree(package, changed)
    with (changed / "svmsieve/engine/columns.py").open("a") as file:
        file.write("# another version\n")
    assert _run(changed, shipped, tmp_path, _ASK) == ("True", True)


def test_code_of_another_processor_is_not_taken(package, shipped, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    assert _run(package, shipped, tmp_path, _ASK) == ("True", True)


def test_nobody_but_an_installation_writes_there(package, shipped, tmp_path):
    before = sorted(path.name for path in shipped.iterdir())
    _run(package, shipped, tmp_path, "count_distinct(np.ones((2, 2), dtype=np.float32), 9)")
    assert sorted(path.name for path in shipped.iterdir()) == before


@pytest.mark.parametrize(("ending", "left"), [("nbi", 0), ("nbi", 20), ("nbc", 0.5)])
def test_a_damaged_file_is_as_none(package, shipped, tmp_path, ending, left):
    damaged = tmp_path / "damaged"
    shutil.copytree(shipped, damaged)
    for file in damaged.glob(f"*.{ending}"):
        content = file.read_bytes()
        file.write_bytes(content[: left if isinstance(left, int) else int(left * len(content))])
    assert _run(package, damaged, tmp_path, _ASK) == ("True", True)
