"""The run record: what is on disk, what is read back, what is refused."""

import json
import os
import pickle
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import f1_score, make_scorer
from sklearn.svm import SVC

import svmsieve
from svmsieve.runtime.journal import FORMAT
from svmsieve.search import Schedule
from svmsieve.search.contract import Step
from svmsieve.selection.record import RunRecord, describe, fingerprint, make_header
from svmsieve.sizing import SizeRule


def step(size=3, score=0.1 + 0.2, **options):
    facts = {"largest": 1.0, "C": 1.0, "gamma": None, "epsilon": None}
    facts |= {"seconds": 0.5, "n_trainings": 2} | options
    return Step(size, [size - 1], [score], **facts)


HEADER = make_header({"step": 1, "criterion": "weight"}, "data")


def lines_of(file):
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert all(line.pop("sum") and line.pop("line") for line in lines)
    return lines


# Writing and reading --------------------------------------------------------------------------


def test_what_is_written_is_read_back_to_the_last_bit(tmp_path):
    file = tmp_path / "run.jsonl"
    record = RunRecord.open(file, HEADER)
    steps = [
        step(3, np.pi / 7, test_score=1 / 3, bound=1e-17),
        step(2, 5e-324, gamma=0.1, epsilon=0.3),
        step(1, 1e308, fold_scores=[0.1, 0.7], ranking=[0, 1], ranking_scores=[0.5, 0.1]),
    ]
    for each in steps:
        record.append("all", each)
    record.append("0", steps[0])
    record.complete("all")
    again = RunRecord.open(file, HEADER)
    assert again.steps == record.steps == {"all": steps, "0": steps[:1]}
    assert again.is_complete("all")
    assert not again.is_complete("0")
    assert list(again) == [*(("all", each) for each in steps), ("0", steps[0])]


def test_each_line_is_whole_as_soon_as_it_is_written(tmp_path):
    file = tmp_path / "run.jsonl"
    record = RunRecord.open(file, HEADER)
    for number in range(3):
        record.append("all", step(3 - number))
        lines = lines_of(file)
        assert lines[0] == HEADER
        assert [line["step"] for line in lines[1:]] == list(range(number + 1))
        assert file.read_bytes().endswith(b"\n")


def test_scores_that_are_not_finite_survive(tmp_path):
    file = tmp_path / "run.jsonl"
    RunRecord.open(file, HEADER).append("all", step(test_score=float("nan")))
    assert np.isnan(RunRecord.open(file, HEADER).steps["all"][0].test_score)


def test_a_run_that_ends_before_its_first_step_leaves_no_header(tmp_path):
    file = tmp_path / "deep" / "er" / "run.jsonl"
    RunRecord.open(file, HEADER)
    assert file.read_bytes() == b""
    other = make_header({"step": 2}, "data")
    RunRecord.open(file, other).append("all", step())
    assert lines_of(file)[0] == other


def test_a_place_that_cannot_be_written_to_is_refused_at_once(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"file"):
        RunRecord.open(tmp_path / "file" / "run.jsonl", HEADER)


def test_without_a_path_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record = RunRecord.open(None, HEADER)
    record.append("all", step())
    record.complete("all")
    assert record.is_complete("all")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cut", [1, 5, 60])
def test_a_last_line_cut_short_is_dropped(tmp_path, cut):
    file = tmp_path / "run.jsonl"
    record = RunRecord.open(file, HEADER)
    record.append("all", step(3))
    whole = file.read_bytes()
    record.append("all", step(2))
    both = lines_of(file)
    file.write_bytes(file.read_bytes()[:-cut])
    again = RunRecord.open(file, HEADER)
    assert again.steps["all"] == [step(3)]
    assert file.read_bytes() == whole
    again.append("all", step(2))
    assert lines_of(file) == both


def test_a_line_torn_in_the_middle_ends_the_record(tmp_path):
    file = tmp_path / "run.jsonl"
    record = RunRecord.open(file, HEADER)
    for size in (3, 2, 1):
        record.append("all", step(size))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], lines[2][:20] + b"\n", *lines[3:]]))
    with pytest.warns(UserWarning, match="a damaged line is left out"):
        assert RunRecord.open(file, HEADER).steps["all"] == [step(3)]


def test_a_step_written_twice_counts_once(tmp_path):
    file = tmp_path / "run.jsonl"
    first, second = RunRecord.open(file, HEADER), RunRecord.open(file, HEADER)
    first.append("all", step(3))
    second._begun = True
    second.append("all", step(3))
    second.append("all", step(2))
    assert RunRecord.open(file, HEADER).steps["all"] == [step(3), step(2)]


def test_paths_may_be_written_from_several_threads(tmp_path):
    file = tmp_path / "run.jsonl"
    record = RunRecord.open(file, HEADER)

    def write(name):
        for number in range(50):
            record.append(name, step(50 - number))

    threads = [threading.Thread(target=write, args=(str(name),)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = RunRecord.open(file, HEADER)
    assert again.steps == record.steps
    assert {len(steps) for steps in again.steps.values()} == {50}
    assert sum("parameters" in line for line in lines_of(file)) == 1


def test_a_path_run_elsewhere_is_taken_over(tmp_path):
    file = tmp_path / "run.jsonl"
    record = RunRecord.open(file, HEADER)
    record.append("all", step())
    elsewhere = pickle.loads(pickle.dumps(record))
    elsewhere.append("0", step(2))
    elsewhere.complete("0")
    record.take_over("0", elsewhere.steps["0"])
    assert record.is_complete("0")
    again = RunRecord.open(file, HEADER)
    assert again.steps == record.steps
    assert again.is_complete("0")


def test_after_a_stop_every_path_ends_at_its_next_step(tmp_path):
    record = RunRecord.open(tmp_path / "run.jsonl", HEADER)
    record.append("all", step(3))
    record.stop()
    with pytest.raises(KeyboardInterrupt):
        record.append("all", step(2))
    assert RunRecord.open(tmp_path / "run.jsonl", HEADER).steps["all"] == [step(3)]


# Records of other runs ------------------------------------------------------------------------


def test_a_record_of_another_run_is_refused_with_what_differs(tmp_path):
    file = tmp_path / "run.jsonl"
    RunRecord.open(file, HEADER).append("all", step())
    other = make_header({"step": 2, "criterion": "weight", "cv": 3}, "other data")
    before = file.read_bytes()
    with pytest.raises(ValueError, match="is of another run") as caught:
        RunRecord.open(file, other)
    message = str(caught.value)
    assert "the data (other values, rows or columns)" in message
    assert "step (1 there, 2 now)" in message
    assert "cv (None there, 3 now)" in message
    assert "criterion" not in message
    assert "remove the file to start again" in message
    assert file.read_bytes() == before


def test_of_long_parameters_only_what_differs_is_told(tmp_path):
    file = tmp_path / "run.jsonl"
    RunRecord.open(file, make_header({"estimator": SVC(C=2)}, "data")).append("all", step())
    with pytest.raises(ValueError, match="is of another run") as caught:
        RunRecord.open(file, make_header({"estimator": SVC(C=3)}, "data"))
    message = str(caught.value)
    assert "'C': 2" in message
    assert "'C': 3" in message
    assert "cache_size" not in message


@pytest.mark.parametrize(
    ("there", "now", "message"),
    [
        (np.arange(5), np.arange(6), "cv (other values)"),
        (np.arange(5), 3, "cv (array there, 3 now)"),
        (list(range(400)), list(range(1, 401)), "cv (other values)"),
        (["3d97143919374644", "a6dd2dda7f7cf1cf"], ["3d97143919374644"] * 2, "cv (other values)"),
        (["3d97143919374644", "a6dd2dda7f7cf1cf"], 5, "cv (2 folds one by one there, 5 now)"),
    ],
)
def test_what_differs_is_told_in_words_not_in_hashes(tmp_path, there, now, message):
    file = tmp_path / "run.jsonl"
    RunRecord.open(file, make_header({"cv": there}, "data")).append("all", step())
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        RunRecord.open(file, make_header({"cv": now}, "data"))
    assert not re.search("[0-9a-f]{16}", str(caught.value).replace(str(file), ""))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("svmsieve", "0.0.1", r"the version of svmsieve \(0.0.1 there, .* now\)"),
        ("format", 4, rf"written by an older svmsieve \(format 4, here it is {FORMAT}\)"),
        ("format", 99, rf"written by a newer svmsieve \(format 99, here it is {FORMAT}\)"),
        ("versions", {"numpy": "1.0"}, r"the version of numpy \(1.0 there, .* now\)"),
    ],
)
def test_a_record_of_another_version_is_refused(tmp_path, key, value, message):
    file = tmp_path / "run.jsonl"
    RunRecord.open(file, HEADER | {key: value}).append("all", step())
    with pytest.raises(ValueError, match=message):
        RunRecord.open(file, HEADER)


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b'{"a": 1}\n', b"[]\n", b"\xff\xfe\n"])
def test_a_file_that_is_no_record_is_left_alone(tmp_path, content):
    file = tmp_path / "data.csv"
    file.write_bytes(content)
    with pytest.raises(ValueError, match="is not a run record; choose another path"):
        RunRecord.open(file, HEADER)
    assert file.read_bytes() == content


def test_the_header_says_what_the_run_is_of():
    header = make_header({"b": 1, "a": "x"}, "abc")
    assert header["svmsieve"] == svmsieve.__version__
    assert header["data"] == "abc"
    assert header["parameters"] == {"a": "'x'", "b": "1"}
    assert header["versions"] == {"numpy": np.__version__}
    assert json.loads(json.dumps(header)) == header


# What tells runs apart ------------------------------------------------------------------------


def test_fingerprints_tell_values_shapes_and_kinds_apart():
    X = np.arange(6.0).reshape(2, 3)
    different = [
        (X,),
        (X.reshape(3, 2),),
        (X.astype(np.float32),),
        (X + np.eye(2, 3) * 1e-16 + 1e-15,),
        (sp.csr_array(X),),
        (X, None),
        (X, np.array(["a", "b"])),
        (X, np.array(["a", "c"], dtype=object)),
        (None, X),
    ]
    assert len({fingerprint(*arrays) for arrays in different}) == len(different)
    assert fingerprint(X) == fingerprint(X.copy(order="F"))
    assert fingerprint(sp.csr_array(X)) == fingerprint(sp.csr_array(X))


def test_labels_may_be_of_any_kind():
    assert fingerprint(np.array(["a", "b"])) == fingerprint(np.array(["a", "b"], dtype=object))


def test_long_arrays_that_differ_in_the_middle_are_told_apart():
    first, second = np.zeros(5000, dtype=int), np.zeros(5000, dtype=int)
    second[2500] = 1
    assert repr(first) == repr(second)
    for form in (np.asarray, np.ndarray.tolist, lambda a: tuple(a.tolist()), lambda a: {"x": a}):
        assert describe(form(first)) != describe(form(second))
        assert len(describe(form(first))) < 600


def named(y, predicted):
    return 0.0


def test_descriptions_are_the_same_in_every_process():
    assert describe(named).endswith("test_record.named")
    assert describe({"b", "a"}) == describe({"a", "b"}) == "['a', 'b']"
    assert "0x" not in describe([named, SVC(), make_scorer(f1_score), {"f": named}])


def test_functions_without_a_name_are_told_apart_by_what_they_do():
    def scaled(by):
        return lambda y, predicted: by * abs(y - predicted)

    pos, again, neg = (lambda y: y + 1), (lambda y: y + 1), (lambda y: y - 1)
    assert describe(pos) == describe(again) != describe(neg)
    assert describe(scaled(2)) == describe(scaled(2)) != describe(scaled(3))
    assert describe(lambda y: [y for y in (1, 2)]) != describe(lambda y: [y for y in (1, 3)])
    assert describe(lambda y, by=1: by) != describe(lambda y, by=2: by)
    assert "0x" not in describe([pos, scaled(2)])


def test_descriptions_of_machines_hold_every_parameter():
    assert describe(SVC()) == describe(SVC(C=1.0))
    assert describe(SVC(class_weight={0: 1.0, 1: 2.0})) != describe(SVC(class_weight={0: 1.0}))
    assert "gamma" in describe(SVC())


def test_functions_are_described_alike_whatever_the_hash_seed_and_their_cycles():
    def recursive(n):
        return recursive(n - 1) if n else 0

    assert describe(recursive) == describe(recursive)
    code = (
        "from svmsieve.selection.record import describe\n"
        "print(describe(lambda v: v in {'a', 'bb', 'ccc', 'dddd', 'eeeee'}))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_scorers_are_told_apart_by_their_functions():
    first, second = (make_scorer(lambda y, p: 0.0), make_scorer(lambda y, p: 1.0))
    assert describe(first) != describe(second)
    assert describe(make_scorer(f1_score)) == describe(make_scorer(f1_score))
    assert describe(make_scorer(f1_score)) != describe(make_scorer(f1_score, average="macro"))


def test_rules_and_schedules_of_ones_own_are_described_by_what_they_hold():
    class Elbow(SizeRule):
        def __init__(self, bend):
            self.bend = bend

        def choose(self, path):
            raise NotImplementedError

    class Threes(Schedule):
        def n_to_remove(self, n_remaining):
            return 3

    assert describe(Elbow(2)) == "Elbow(bend=2)"
    assert describe(Threes()) == "Threes()"
