"""Coverage-guided fuzzing of the readers: ``python -m tests.faults.fuzz_readers``; it needs atheris.

Options are those of libFuzzer, such as ``-max_total_time=600`` or ``-seed=1``; it ends at the first
traceback, and prints the bytes that led to it.  The first byte says which format the others are read as.
"""

import sys
import tempfile
import warnings
from importlib import import_module
from pathlib import Path


def main(folder):
    atheris = import_module("atheris")
    with atheris.instrument_imports(include=["svmsieve.datasets"]):
        for each in (
            "arff",
            "array_files",
            "delimited",
            "excel",
            "feather",
            "json_records",
            "parquet",
            "reading",
        ):
            import_module(f"svmsieve.datasets.{each}")
    from svmsieve.datasets import DataError, read_table
    from tests.faults.test_damaged_files import FILES

    names = sorted(FILES)

    def try_to_read(content):
        name = names[content[0] % len(names)] if content else names[0]
        (folder / name).write_bytes(content[1:])
        target = None if name.endswith(("npz", "libsvm")) else -1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read_table(folder / name, target, memory=5e7)
            except DataError as error:
                if name not in str(error) or "\n" in str(error).strip():
                    raise AssertionError(str(error)) from error

    seeds = folder / "seeds"
    seeds.mkdir()
    for number, name in enumerate(names):
        (seeds / name).write_bytes(bytes([number]) + FILES[name]())
    atheris.Setup([*sys.argv, str(seeds)], try_to_read)
    atheris.Fuzz()


if __name__ == "__main__":
    main(Path(tempfile.mkdtemp()))
