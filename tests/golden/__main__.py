"""Write the texts anew: ``python -m tests.golden``, with ``real`` those of the real files too."""

import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from tests.golden import bundled, real
from tests.golden.printing import printed

TEXTS = Path(__file__).with_name("texts")
REAL_TEXTS = Path(__file__).with_name("real_texts")


def main(wanted):
    os.environ["COLUMNS"] = "100"
    for name, (make, case) in bundled.CASES.items():
        if case.table.endswith("xlsx") and find_spec("openpyxl") is None:
            print(f"{name}: openpyxl is not installed, its text stays as it is")
            continue
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder))
            (TEXTS / f"{name}.txt").write_text(printed(case, Path(folder)), encoding="utf-8")
    for name in real.FILES if "real" in wanted else ():
        with tempfile.TemporaryDirectory() as folder:
            case = real.make(name, Path(folder))
            if case is None:
                print(f"{name}: its package is not installed")
                continue
            (REAL_TEXTS / f"{name}.txt").write_text(printed(case, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
