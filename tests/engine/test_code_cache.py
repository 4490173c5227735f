"""svmsieve runs wherever it is installed, and keeps compiled code where only its user can write."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import svmsieve
from svmsieve.runtime import code_cache
from svmsieve.runtime.code_cache import private_folder, with_cache

_posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users and modes are POSIX's")

_EVERY_COMPILED_MODULE = """
import importlib, pkgutil
import numpy as np
import svmsieve.criteria, svmsieve.engine
for package in (svmsieve.engine, svmsieve.criteria):
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
from svmsieve.engine.columns import count_distinct
print(svmsieve.__file__, *count_distinct(np.array([[1.0, 2.0], [1.0, 3.0]]), 9))
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """An empty folder for temporary files, and nothing chosen yet."""
    folder = tmp_path / "temporary"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    private_folder.cache_clear()
    code_cache._warn_once.cache_clear()
    yield folder
    private_folder.cache_clear()
    code_cache._warn_once.cache_clear()


@pytest.fixture(scope="module")
def read_only(tmp_path_factory):
    """A copy of the package beside which nothing can be written, not even by root."""
    folder = tmp_path_factory.mktemp("installation")
    source = Path(svmsieve.__file__).parent
    shutil.copytree(source, folder / "svmsieve", ignore=shutil.ignore_patterns("__pycache__"))
    for package in {path.parent for path in folder.rglob("*.py")}:
        (package / "__pycache__").touch()
    return folder


def _import_all(installation, temporary):
    """Import every module with compiled functions and run one, without a home."""
    nowhere = {name: "/dev/null/home" for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA")}
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    environment |= {**nowhere, "PYTHONPATH": str(installation), "TMPDIR": str(temporary)}
    result = subprocess.run(
        [sys.executable, "-W", "default", "-c", _EVERY_COMPILED_MODULE],
        cwd=temporary,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == [str(installation / "svmsieve" / "__init__.py"), "1", "2"]
    return result.stderr


@_posix
def test_without_a_cache_folder_the_code_is_kept_in_a_private_temporary_one(read_only, temporary):
    assert "NUMBA_CACHE_DIR" not in _import_all(read_only, temporary)
    (kept,) = temporary.glob("svmsieve-*")
    assert kept.stat().st_mode & 0o777 == 0o700
    assert list(kept.rglob("*.nbi"))


@_posix
def test_without_any_folder_it_runs_with_one_warning(read_only, temporary):
    theirs = temporary / f"svmsieve-{os.geteuid()}"
    theirs.mkdir()
    theirs.chmod(0o777)
    assert _import_all(read_only, temporary).count("set NUMBA_CACHE_DIR") == 1
    assert not list(theirs.iterdir())


@_posix
def test_the_private_folder_is_the_same_for_every_process_of_the_user(temporary):
    folder = private_folder()
    assert folder is not None
    assert folder.parent == temporary
    assert folder.stat().st_mode & 0o777 == 0o700
    private_folder.cache_clear()
    assert private_folder() == folder


def _others_may_write(folder):
    folder.mkdir()
    folder.chmod(0o720)


def _link_elsewhere(folder):
    elsewhere = folder.with_name("elsewhere")
    elsewhere.mkdir(mode=0o700)
    folder.symlink_to(elsewhere, target_is_directory=True)


def _file(folder):
    folder.touch()


def _others_may_replace_it(folder):
    folder.mkdir(mode=0o700)
    folder.parent.chmod(0o777)


@_posix
@pytest.mark.parametrize(
    "prepare", [_others_may_write, _link_elsewhere, _file, _others_may_replace_it]
)
def test_a_folder_that_others_could_fill_is_not_taken(temporary, prepare):
    prepare(temporary / f"svmsieve-{os.geteuid()}")
    assert private_folder() is None


@_posix
def test_a_folder_of_another_user_is_not_taken(temporary, monkeypatch):
    me = os.geteuid()
    temporary.chmod(0o1777)
    (temporary / f"svmsieve-{me + 1}").mkdir(mode=0o700)
    monkeypatch.setattr("os.geteuid", lambda: me + 1)
    assert private_folder() is None


@_posix
def test_a_shared_temporary_folder_is_fine_when_it_is_sticky(temporary):
    temporary.chmod(0o1777)
    assert private_folder() is not None


def test_numbas_folder_is_left_as_it_was(temporary):
    before = numba.config.CACHE_DIR
    seen = []

    def compile(cache):
        seen.append((cache, numba.config.CACHE_DIR))
        if before == numba.config.CACHE_DIR:
            raise RuntimeError("no locator available")
        return "compiled"

    assert with_cache(compile) == "compiled"
    assert seen == [(True, before), (True, str(private_folder()))]
    assert before == numba.config.CACHE_DIR


def test_other_errors_of_the_compiler_are_not_hidden(temporary):
    def compile(cache):
        raise RuntimeError("something else")

    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR"), pytest.raises(RuntimeError):
        with_cache(compile)


_CALL = """
import sys
from pathlib import Path
from svmsieve.runtime import code_cache
code_cache.SOURCES = Path(sys.path[0])
import calling
print(calling.twice(1), calling.twice._cache_hits)
"""


def test_code_that_calls_changed_code_is_compiled_anew(tmp_path):
    decorated = "from svmsieve.runtime.compiled import compiled\n{}@compiled()\ndef {}\n"
    called, calling = tmp_path / "called.py", tmp_path / "calling.py"
    calling.write_text(decorated.format("from called import f\n", "twice(x):\n    return 2 * f(x)"))
    (tmp_path / "call.py").write_text(_CALL)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept"), "NUMBA_DISABLE_JIT": "0"}
    found = []
    for body in ("x + 1", "x + 1", "x + 10"):
        called.write_text(decorated.format("", f"f(x):\n    return {body}"))
        os.utime(called, ns=(0, len(body)))
        command = [sys.executable, str(tmp_path / "call.py")]
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        value, hits = result.stdout.split(maxsplit=1)
        found.append((int(value), "1" in hits))
    assert found == [(4, False), (4, True), (22, False)]
