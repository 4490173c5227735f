"""Coverage-guided fuzzing of the readers: ``pip install atheris``, then run this file.

Options are those of libFuzzer, such as ``-max_total_time=600`` or ``-seed=1``; it ends at the first
traceback, and prints the bytes that led to it.  The first byte says which format the others are read as.
"""

import os
import sys
import tempfile
import warnings
from importlib import import_module
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["svmsieve.datasets"]):
    for each in ("arff", "array_files", "delimited", "parquet", "reading"):
        import_module(f"svmsieve.datasets.{each}")
    from svmsieve.datasets import DataError, read_table

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.faults.test_damaged_files import FILES

NAMES = sorted(FILES)
FOLDER = Path(tempfile.mkdtemp())


def try_to_read(content: bytes) -> None:
    name = NAMES[content[0] % len(NAMES)] if content else NAMES[0]
    path = FOLDER / name
    path.write_bytes(content[1:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read_table(path, -1 if "npz" not in name and "libsvm" not in name else None, memory=5e7)
        except DataError as error:
            if name not in str(error) or "\n" in str(error).strip():
                raise AssertionError(str(error)) from error


def main() -> None:
    seeds = FOLDER / "seeds"
    os.mkdir(seeds)
    for number, name in enumerate(NAMES):
        (seeds / name).write_bytes(bytes([number]) + FILES[name]())
    atheris.Setup([*sys.argv, str(seeds)], try_to_read)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
