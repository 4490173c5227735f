"""LIBSVM files through the commands: features keep their indices."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cli.running import QUICK, run


def lines(n, first, seed):
    """Rows of 12 features; the class is in the eighth, and in none of them is the first."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        values = {
            int(k): int(rng.integers(1, 5)) for k in rng.choice(range(1, 11), 4, replace=False)
        }
        values[7] = 1 + 8 * (i % 2)
        rows.append(
            f"{2 * (i % 2) - 1} " + " ".join(f"{k + first}:{values[k]}" for k in sorted(values))
        )
    return rows


@pytest.mark.parametrize("first", [0, 1])
def test_a_model_finds_the_features_of_other_files_again(tmp_path, first):
    pytest.importorskip("skops")
    path, model, reduced = (tmp_path / name for name in ("data.svm", "m.skops", "reduced.svm"))
    rows = lines(40, first, seed=0)
    rows = [f"{row} {11 + first}:1" if i < 3 else row for i, row in enumerate(rows)]
    rows[0] = rows[0].replace(" ", f" {first}:2 ", 1)  # the one mention of the first index
    path.write_text("\n".join(rows) + "\n")
    words = ("--size", 1, "--quiet", *QUICK, "--out", reduced, "--model", model)
    code, out, err = run("select", path, *words)
    assert (code, err) == (0, "")
    assert f"x{7 + first}" in out
    written = [line.split() for line in reduced.read_text().splitlines()]
    assert [fields[1] for fields in written[:2]] == [f"{7 + first}:1", f"{7 + first}:9"]
    expected = [str(2 * (i % 2) - 1) for i in range(40)]
    for file in (path, reduced):
        code, out, err = run("apply", model, file, "--quiet")
        assert (code, err) == (0, "")
        assert [line.split(",")[1] for line in out.splitlines()[1:]] == expected
    # a file that mentions neither the first nor the last index
    new = tmp_path / "new.svm"
    new.write_text("\n".join(lines(20, first, seed=1)) + "\n")
    code, out, err = run("apply", model, new, "--quiet")
    assert (code, err) == (0, "")
    assert [line.split(",")[1] for line in out.splitlines()[1:]] == expected[:20]
    new.write_text(f"1 {12 + first}:4\n")
    code, _, err = run("apply", model, new, "--quiet")
    assert code == 2
    assert f"has the index {12 + first}, but the indices of the first table are" in err
