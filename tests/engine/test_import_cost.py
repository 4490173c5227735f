"""``import svmsieve`` loads nothing heavy; the engine comes with the first use."""

import os
import subprocess
import sys
from pathlib import Path

import svmsieve

_HEAVY = ("numba", "numpy", "pandas", "scipy", "sklearn", "svmsieve.engine", "svmsieve.criteria")

ROOT = Path(svmsieve.__file__).parent


def _modules_after(code):
    source = str(Path(svmsieve.__file__).resolve().parents[1])
    paths = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
    result = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(result.stdout.split())


def test_import_is_light():
    before = _modules_after("pass")
    loaded = _modules_after("import svmsieve; svmsieve.__version__; dir(svmsieve)") - before
    assert "svmsieve" in loaded
    assert not {name for name in loaded if name.startswith(_HEAVY)}


def test_the_engine_does_not_import_higher_layers():
    names = sorted(
        ".".join(("svmsieve", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
            ".__init__"
        )
        for path in (ROOT / "engine").rglob("*.py")
        if path != ROOT / "engine" / "__init__.py"
    )
    loaded = _modules_after("; ".join(f"import {name}" for name in names))
    own = {name for name in loaded if name.startswith("svmsieve.")}
    assert {name for name in own if name.split(".")[1] != "runtime"} == {"svmsieve.engine", *names}
