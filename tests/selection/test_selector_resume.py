"""A run that was killed, interrupted or cut short goes on to the very same result."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import KFold
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve
from svmsieve.search import SEARCHES, Forward, HillClimb, elimination
from svmsieve.selection import record
from tests.search.problems import numbers, two_classes


def result_of(sieve):
    """All that a selection found, to the last bit, but for the seconds it took."""
    return {
        "order": sieve.order_.tolist(),
        "scores": list(map(float.hex, sieve.scores_)),
        "support": sieve.support_.tolist(),
        "fold_scores": sieve.path_.fold_scores.tolist(),
        "reason": sieve.size_reason_,
        "steps": {
            name: [replace(step, seconds=0.0).to_dict() for step in steps]
            for name, steps in sieve.record_.steps.items()
        },
    }


# Killed ---------------------------------------------------------------------------------------


def long_run(**options):
    X, y = two_classes(n=120, d=80)
    sieve = SVMSieve(
        SVC(gamma="scale"),
        criterion="fspp2",
        step=1,
        cv=3,
        n_features_to_select="best",
        random_state=5,
        **options,
    )
    return sieve.fit(X, y)


def run_until_killed(checkpoint, n_jobs, n_steps, delay):
    """Fit; after some new steps a clock begins to tick, at whose end the process is killed."""
    left = n_steps

    def count(step):
        nonlocal left
        left -= 1
        if left == 0:
            kill = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGKILL))
            kill.daemon = True
            kill.start()

    long_run(checkpoint=checkpoint, callback=count, n_jobs=n_jobs)


def ten_lives(checkpoint):
    """Print how ten processes ended that were to be killed at random moments of the same run."""
    rng = np.random.default_rng(7)
    exits = []
    for life in range(10):
        n_steps, delay = int(rng.integers(1, 9)), float(rng.uniform(0.0, 0.03))
        process = os.fork()
        if process == 0:
            run_until_killed(checkpoint, 1 + life % 2, n_steps, delay)
            os._exit(0)
        exits.append(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
    print(json.dumps(exits))


def run_python(code, *arguments):
    """Return what a new interpreter prints, which finds the package where this one does."""
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": path},
    ).stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_killed_ten_times_at_any_moment_the_result_is_the_same(tmp_path):
    checkpoint = tmp_path / "run.jsonl"
    code = "import sys; from tests.selection.test_selector_resume import ten_lives; ten_lives(sys.argv[1])"
    exits = json.loads(run_python(code, checkpoint))
    # A process that was slow to die may have come to its end before.
    assert set(exits) <= {0, -signal.SIGKILL}
    assert exits.count(-signal.SIGKILL) > 4
    heard = []
    resumed = long_run(checkpoint=checkpoint, callback=heard.append)
    assert len(heard) <= 4 * 80 - 10
    assert result_of(resumed) == result_of(long_run())


# Interrupted ----------------------------------------------------------------------------------

SCRIPT = """
    import json, os, signal, sys
    import numpy as np
    from sklearn.svm import SVC
    from svmsieve import SVMSieve

    checkpoint, n_steps, n_jobs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    data = np.load(sys.argv[4])
    done = 0
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it

    def press_ctrl_c(step):
        global done
        done += 1
        if done == n_steps:
            os.kill(os.getpid(), signal.SIGINT)

    sieve = SVMSieve(
        SVC(), criterion="weight", step=1, cv=3, n_features_to_select="best", groups=[[0, 1]],
        checkpoint=checkpoint, callback=press_ctrl_c, n_jobs=n_jobs,
    )
    try:
        sieve.fit(data["X"], data["y"])
    except KeyboardInterrupt:
        print(json.dumps(sieve.partial_order_.tolist()))
        print(json.dumps([len(steps) for steps in sieve.record_.steps.values()]))
        print(hasattr(sieve, "support_"))
"""


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another signal there")
@pytest.mark.parametrize(("n_steps", "n_jobs"), [(4, 1), (30, 2)])
def test_ctrl_c_leaves_a_record_that_goes_on(tmp_path, n_steps, n_jobs):
    X, y = two_classes(n=60, d=16)
    np.savez(tmp_path / "data.npz", X=X, y=y)
    checkpoint = tmp_path / "run.jsonl"
    printed = run_python(SCRIPT, checkpoint, n_steps, n_jobs, tmp_path / "data.npz")
    order, counts, fitted = printed.splitlines()
    assert fitted == "False"
    assert sorted(json.loads(order)) == list(range(16))
    assert n_steps <= sum(json.loads(counts)) < 60
    options = {"criterion": "weight", "step": 1, "cv": 3, "groups": [[0, 1]]}
    options["n_features_to_select"] = "best"
    heard = []
    resumed = SVMSieve(SVC(), checkpoint=checkpoint, callback=heard.append, **options).fit(X, y)
    assert 0 < len(heard) <= 60 - n_steps
    whole = SVMSieve(SVC(), **options).fit(X, y)
    assert result_of(resumed) == result_of(whole)
    if n_jobs == 2:  # all samples were done
        assert json.loads(order) == whole.order_.tolist()


def test_ctrl_c_in_the_same_process():
    X, y = two_classes(n=30, d=6)
    heard = []

    def press(step):
        heard.append(step)
        if len(heard) == 3:
            raise KeyboardInterrupt

    sieve = SVMSieve(SVC(), criterion="weight", step=1, n_features_to_select=1, callback=press)
    with pytest.raises(KeyboardInterrupt):
        sieve.fit(X, y)
    gone = [step.moved[0] for step in heard]
    assert sieve.partial_order_[:-4:-1].tolist() == gone
    assert len(sieve.record_.steps["all"]) == 3
    assert not hasattr(sieve, "order_")


@pytest.fixture
def short_legs(monkeypatch):
    """Begin anew after 16 steps also with few samples, as with many."""
    monkeypatch.setattr(elimination, "_MANY_SAMPLES", 0)


# Cut short ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("short_legs")
@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.55, 0.8, 0.999])
def test_a_record_cut_anywhere_goes_on(tmp_path, share):
    X, y = two_classes(n=40, d=20)
    file = tmp_path / "run.jsonl"
    options = {"criterion": "fspp2", "step": 1, "cv": 2, "n_features_to_select": "1se"}
    whole = SVMSieve(SVC(), checkpoint=file, **options).fit(X, y)
    content = file.read_bytes()
    header = content.index(b"\n") + 1
    file.write_bytes(content[: header + int(share * (len(content) - header))])
    heard = []
    resumed = SVMSieve(SVC(), checkpoint=file, callback=heard.append, **options).fit(X, y)
    assert result_of(resumed) == result_of(whole)
    assert file.read_bytes().count(b"\n") == content.count(b"\n")
    assert 60 * (1 - share) - 2 <= len(heard) <= 60 * (1 - share) + 8


@pytest.mark.usefixtures("short_legs")
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("regression", [False, True])
def test_every_search_goes_on(tmp_path, search, regression):
    X, y = numbers(n=30, d=18) if regression else two_classes(n=30, d=18)
    machine = SVR() if regression else SVC()
    search = {"hill-climb": HillClimb(cv=2), "forward": Forward(cv=2)}.get(search, search)
    rule = 17 if isinstance(search, Forward) else "best"
    options = {"search": search, "criterion": "weight", "step": 1, "cv": 2}
    options["n_features_to_select"] = rule
    file = tmp_path / "run.jsonl"
    whole = SVMSieve(machine, checkpoint=file, **options).fit(X, y)
    lines = file.read_bytes().splitlines(keepends=True)
    for n_lines in (2, len(lines) // 2, len(lines) - 1):
        file.write_bytes(b"".join(lines[:n_lines]))
        resumed = SVMSieve(machine, checkpoint=file, **options).fit(X, y)
        assert result_of(resumed) == result_of(whole), n_lines


@pytest.mark.usefixtures("short_legs")
def test_tuning_on_the_way_goes_on(tmp_path):
    X, y = two_classes(n=30, d=19)
    file = tmp_path / "run.jsonl"
    options = {"criterion": "weight", "step": 1, "retune": [18, 10], "n_features_to_select": 1}
    whole = SVMSieve(SVC(gamma="scale"), checkpoint=file, **options).fit(X, y)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:18]))
    resumed = SVMSieve(SVC(gamma="scale"), checkpoint=file, **options).fit(X, y)
    assert result_of(resumed) == result_of(whole)
    assert resumed.estimator_.get_params() == whole.estimator_.get_params()


@pytest.mark.parametrize("searching", ["rfe", "forward"])
def test_a_finished_record_is_used_without_training(tmp_path, monkeypatch, searching):
    X, y = two_classes(n=30, d=6)
    search = Forward(cv=2) if searching == "forward" else "rfe"
    options = {"criterion": "weight", "search": search, "n_features_to_select": "best", "cv": 2}
    options["checkpoint"] = tmp_path / "run.jsonl"
    whole = SVMSieve(SVC(), **options).fit(X, y)
    content = (tmp_path / "run.jsonl").read_bytes()

    def refuse(*arguments, **others):
        raise AssertionError("nothing is left to train")

    monkeypatch.setattr("svmsieve.search.active_set.train", refuse)
    monkeypatch.setattr("svmsieve.search.growth.Growth.validate", refuse)
    again = SVMSieve(SVC(), callback=refuse, **options).fit(X, y)
    assert result_of(again) == result_of(whole)
    assert (tmp_path / "run.jsonl").read_bytes() == content


# Records of other runs ------------------------------------------------------------------------


@pytest.fixture
def finished(tmp_path):
    X, y = two_classes(n=30, d=5)
    options = {"criterion": "weight", "n_features_to_select": "best", "cv": 2, "step": 1}
    options["checkpoint"] = tmp_path / "run.jsonl"
    SVMSieve(SVC(), **options).fit(X, y)
    return X, y, options


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"criterion": "f-score"}, r"criterion \('weight' there, 'f-score' now\)"),
        ({"step": 2}, r"step \(1 there, 2 now\)"),
        ({"cv": 3}, r"cv \(2 there, 3 now\)"),
        ({"cv": KFold(2)}, r"cv \(2 there, 2 folds one by one now\)"),
        ({"scoring": "roc_auc"}, r"scoring \(None there, 'roc_auc' now\)"),
        ({"scoring": make_scorer(accuracy_score)}, r"scoring \(None there, make_scorer"),
        ({"scale": False}, r"scale \(True there, False now\)"),
        ({"random_state": 1}, r"random_state \(0 there, 1 now\)"),
        ({"keep": [3]}, r"keep \(\[\] there, \[3\] now\)"),
        ({"groups": [[0, 4]]}, r"groups \(None there, \[\[0, 4\], \[1\]"),
        ({"n_features_to_select": 2}, r"n_features_to_select \('best' there, 2 now\)"),
        ({"estimator": SVC(C=2.0)}, r"estimator \(SVC{.*'C': 1.0.* there, SVC{.*'C': 2.0"),
        ({"search": Forward(cv=3)}, r"search \('rfe' there, Forward\(cv=3"),
    ],
)
def test_other_parameters_are_refused_with_what_differs(finished, changed, said):
    X, y, options = finished
    sieve = SVMSieve(**{"estimator": SVC(), **options, **changed})
    with pytest.raises(ValueError, match=f"is of another run: {said}"):
        sieve.fit(X, y)


def test_other_data_are_refused(finished):
    X, y, options = finished
    nearly = X.copy()
    nearly[7, 3] = np.nextafter(nearly[7, 3], 9.0)
    swapped = y.copy()
    swapped[:2] = swapped[1::-1]
    for other in ((nearly, y), (X, swapped), (X, y, np.ones(30)), (X, np.where(y, "a", "b"))):
        with pytest.raises(ValueError, match=r"is of another run: the data \(other values"):
            SVMSieve(SVC(), **options).fit(*other)


def test_another_version_is_refused(finished, monkeypatch):
    X, y, options = finished
    monkeypatch.setattr(record, "__version__", "99.0")
    with pytest.raises(ValueError, match=r"the version of svmsieve \(.* there, 99.0 now\)"):
        SVMSieve(SVC(), **options).fit(X, y)


def test_what_does_not_change_the_result_does_not_matter(finished):
    X, y, options = finished
    heard = []
    SVMSieve(SVC(), n_jobs=2, memory=1e9, callback=heard.append, random_state=0, **options).fit(
        X, y
    )
    SVMSieve(SVC(C=1.0), **options).fit(X.astype(np.float64, order="F"), y)
    assert heard == []


def test_a_seed_drawn_from_a_generator_is_the_same_seed(finished):
    X, y, options = finished
    options["checkpoint"] = options["checkpoint"].with_name("drawn.jsonl")
    for _ in range(2):
        SVMSieve(SVC(), random_state=np.random.RandomState(3), **options).fit(X, y)
    with pytest.raises(ValueError, match="random_state"):
        SVMSieve(SVC(), random_state=np.random.RandomState(4), **options).fit(X, y)


def test_folds_that_are_drawn_anew_are_another_run(finished):
    X, y, options = finished
    options |= {"checkpoint": options["checkpoint"].with_name("drawn.jsonl")}
    options["cv"] = KFold(2, shuffle=True, random_state=np.random.RandomState(0))
    SVMSieve(SVC(), **options).fit(X, y)
    with pytest.raises(ValueError, match="is of another run: cv"):
        SVMSieve(SVC(), **options).fit(X, y)


def test_long_groups_are_told_apart(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 1200)), np.arange(20) % 2
    options = {"criterion": "f-score", "n_features_to_select": 5}
    options["checkpoint"] = tmp_path / "run.jsonl"
    groups = np.arange(1200)
    SVMSieve(SVC(), groups=groups, **options).fit(X, y)
    other = groups.copy()
    other[600] = 599
    with pytest.raises(ValueError, match="is of another run: groups"):
        SVMSieve(SVC(), groups=other, **options).fit(X, y)
    assert (tmp_path / "run.jsonl").read_bytes().index(b"\n") < 3000


def test_a_run_refused_before_its_first_step_does_not_claim_the_file(tmp_path):
    X, y = two_classes(n=30, d=5)
    file = tmp_path / "run.jsonl"
    for wrong in ({"step": 0}, {"retune": "halvin"}):
        with pytest.raises(ValueError, match="must be"):
            SVMSieve(SVC(), n_features_to_select=2, checkpoint=file, **wrong).fit(X, y)
    SVMSieve(SVC(), n_features_to_select=2, checkpoint=str(file)).fit(X, y)


def test_a_file_that_is_no_record_is_left_alone(tmp_path):
    X, y = two_classes(n=30, d=5)
    file = tmp_path / "data.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"data.csv' is not a run record; choose another path"):
        SVMSieve(SVC(), n_features_to_select=2, checkpoint=file).fit(X, y)
    assert file.read_text() == "a,b\n1,2\n"
