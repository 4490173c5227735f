"""Records that a disk, a crash or a second process damaged: the same result or one sentence."""

import errno
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve import SVMSieve, nested_evaluate
from svmsieve.runtime import journal
from svmsieve.runtime.journal import Journal, alone
from tests.faults.counts import count, told

N = count(20, 300)
RNG = np.random.default_rng(3)
X = RNG.normal(size=(36, 5))
Y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)


def sieve(checkpoint):
    return SVMSieve(
        SVC(), criterion="f-score", cv=3, n_features_to_select="best", checkpoint=checkpoint
    )


def fitted(checkpoint):
    found = sieve(checkpoint).fit(X, Y)
    return found.order_.tolist(), found.support_.tolist(), found.path_.fold_scores.tolist()


def evaluated(checkpoint):
    result = nested_evaluate(sieve(None), X, Y, outer_cv=3, checkpoint=checkpoint)
    return [fold.to_dict() | {"seconds": 0} for fold in result.folds]


def damaged(content, rng):
    """One of: a flipped bit, a cut, a lost, swapped or doubled line, garbage in a line or between two."""
    lines = content.splitlines(keepends=True)
    i, j = rng.integers(len(lines), size=2)
    at = int(rng.integers(len(content)))
    noise = rng.integers(256, size=int(rng.integers(1, 40)), dtype=np.uint8).tobytes()
    kind = rng.choice(["bit", "cut", "lost", "swapped", "doubled", "within", "between", "mixed"])
    if kind == "bit":
        flipped = content[at] ^ (1 << int(rng.integers(8)))
        return content[:at] + bytes([flipped]) + content[at + 1 :]
    if kind == "cut":
        return content[:at]
    if kind == "lost":
        del lines[i]
    elif kind == "swapped":
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == "doubled":
        lines.insert(j, lines[i])
    elif kind == "within":
        return content[:at] + noise + content[at:]
    elif kind == "between":
        lines.insert(i, noise + b"\n")
    else:
        rng.shuffle(lines)
        del lines[: int(rng.integers(3))]
    return b"".join(lines)


def ends_early(content, whole):
    """Whether a record holds the first lines of another, as after a kill; blank lines count for nothing."""
    *lines, cut = content.split(b"\n")
    lines = [line.rstrip(b"\r") for line in lines if line.strip()]
    return bool(lines or not cut.strip()) and lines == whole.split(b"\n")[: len(lines)]


@pytest.mark.parametrize("run", [fitted, evaluated])
def test_a_damaged_record_gives_the_same_result_or_one_sentence(tmp_path, run):
    file = tmp_path / "run.jsonl"
    expected = run(file)
    content = file.read_bytes()
    assert run(file) == expected
    refused = 0
    for seed in range(N):
        file.write_bytes(damaged(content, np.random.default_rng(seed)))
        early = ends_early(file.read_bytes(), content)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            message = None
            try:
                assert run(file) == expected, seed
            except ValueError as error:
                message = str(error)
        if message is None:
            sentences = [str(each.message) for each in heard]
            assert len(sentences) == (not early), (seed, sentences)
            assert all(str(file) in each and "\n" not in each for each in sentences)
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # it is told once
                assert run(file) == expected, seed  # and what was written since is good
        else:
            refused += 1
            assert "\n" not in message
            assert str(file) in message
            assert "damaged" in message or "not a run record" in message, (seed, message)
    assert refused <= N // 5
    told(f"{N} damages of a record ({run.__name__}), {refused} refused in one sentence")


def test_what_is_left_out_is_told(tmp_path):
    file = tmp_path / "run.jsonl"
    expected = fitted(file)
    lines = file.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"1", b"7", 1)
    file.write_bytes(b"".join(lines))
    with pytest.warns(UserWarning, match=r"run.jsonl': a damaged line is left out"):
        assert fitted(file) == expected


def test_a_cut_header_is_no_dead_end(tmp_path):
    file = tmp_path / "run.jsonl"
    expected = fitted(file)
    header = file.read_bytes().splitlines(keepends=True)[0]
    for n in (1, 5, len(header) // 2, len(header) - 1):
        file.write_bytes(header[:n])
        with pytest.warns(UserWarning, match="its header is damaged, the run starts again"):
            assert fitted(file) == expected


def test_lines_of_another_run_never_count(tmp_path):
    file, other = tmp_path / "run.jsonl", tmp_path / "other.jsonl"
    expected = fitted(file)
    sieve(other).set_params(criterion="correlation").fit(X, Y)
    mine, others = (each.read_bytes().splitlines(keepends=True) for each in (file, other))
    file.write_bytes(b"".join([mine[0], *others[1:]]))
    with pytest.warns(UserWarning, match="damaged lines are left out"):
        assert fitted(file) == expected


def test_a_second_process_is_told_of_the_first(tmp_path, monkeypatch):
    monkeypatch.setattr("svmsieve.runtime.journal._PATIENCE", 0.2)
    file = tmp_path / "run.jsonl"
    code = (
        "import sys\nfrom svmsieve.runtime.journal import alone\n"
        f"with alone({str(file)!r}):\n    print('in', flush=True)\n    sys.stdin.readline()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "in\n"
        with pytest.raises(ValueError, match=rf"run.jsonl' is in use by process {other.pid}; wait"):
            fitted(file)
        other.communicate("\n")
    fitted(file)
    assert [each.name for each in tmp_path.iterdir()] == ["run.jsonl"]


def test_a_lock_that_a_killed_process_left_behind_is_no_lock(tmp_path):
    file = tmp_path / "run.jsonl"
    (tmp_path / "run.jsonl.lock").write_text("1")
    with alone(file):
        assert (tmp_path / "run.jsonl.lock").read_text() == str(os.getpid())
    assert not (tmp_path / "run.jsonl.lock").exists()


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, None])
def test_where_files_cannot_be_locked_the_run_goes_on(tmp_path, monkeypatch, code):
    """Some file systems of a network have no locks, and Windows no fcntl."""

    def flock(handle, kind):
        raise OSError(code, os.strerror(code))

    if code is None:
        monkeypatch.setattr(journal, "fcntl", None)
    else:
        monkeypatch.setattr(journal.fcntl, "flock", flock)
    file = tmp_path / "run.jsonl"
    expected = fitted(None)
    assert fitted(file) == expected
    assert fitted(file) == expected
    assert [each.name for each in tmp_path.iterdir()] == ["run.jsonl"]


def test_a_line_costs_no_more_for_a_long_header(tmp_path, monkeypatch):
    header = {"parameters": {"names": list(range(1000))}}
    record = Journal(tmp_path / "run.jsonl", header)
    record.append({"first": 1})
    texts = []
    monkeypatch.setattr(journal.json, "dumps", lambda *a, **k: texts.append(a) or '{"a":1}')
    record.append({"second": 2})
    assert [text.pop("second") for (text,) in texts] == [2]
    assert [list(text) for (text,) in texts] == [["line"]]
