"""Work that is shared out over processes: what comes out does not depend on who did what."""

import os
import signal
import subprocess
import sys
import time
import warnings

import joblib
import numba
import numpy as np
import pytest

from svmsieve.runtime.kept_processes import (
    _Kept,
    end,
    end_kept,
    keep,
    start_early,
    without_ctrl_c,
)
from svmsieve.runtime.other_processes import shared_out


def squared(number, seconds=0.0):
    time.sleep(seconds)
    return number**2, os.getpid()


@pytest.mark.parametrize("seed", range(3))
def test_every_item_is_done_once_whoever_takes_it(seed):
    rng = np.random.default_rng(seed)
    n_items, n = int(rng.integers(1, 9)), int(rng.integers(2, 4))
    seconds = rng.choice([0.0, 0.1], size=n_items)
    items = [(number, wait) for number, wait in enumerate(seconds)]
    with shared_out(squared, items, n) as shared:
        time.sleep(rng.choice([0.0, 0.5]))
        done = dict(shared.results(squared))
    assert {place: value for place, (value, _) in done.items()} == {i: i**2 for i in range(n_items)}


def test_others_work_while_this_process_does_something_else():
    with shared_out(squared, [(number,) for number in range(4)], 2) as shared:
        until = time.monotonic() + 60
        while shared._left and time.monotonic() < until:
            time.sleep(0.05)
        done = dict(shared.results(squared))
    assert [done[place][0] for place in range(4)] == [0, 1, 4, 9]
    assert os.getpid() not in {process for _, process in done.values()}


def warned(number):
    if number == 3:
        warnings.warn("three", UserWarning, stacklevel=1)
    return os.environ["NUMBA_NUM_THREADS"]


def test_warnings_are_heard_here_and_others_have_one_thread():
    items = [(number,) for number in range(4)]
    with shared_out(warned, items, 2) as shared, pytest.warns(UserWarning, match="three"):
        done = dict(shared.results(lambda number: "here"))
    assert done[3] == "1"


def failing(number):
    raise ValueError(f"number {number}")


def test_an_error_of_another_process_is_raised_here():
    with (
        shared_out(failing, [(number,) for number in range(2)], 2) as shared,
        pytest.raises(ValueError, match="number 1"),
    ):
        list(shared.results(lambda number: number))


def test_joblibs_own_processes_are_not_touched():
    numbers = [joblib.delayed(abs)(number) for number in (-1, -2, -3)]
    for _ in range(2):
        assert joblib.Parallel(n_jobs=2)(numbers) == [1, 2, 3]
        with shared_out(squared, [(number,) for number in range(3)], 2) as shared:
            assert len(dict(shared.results(squared))) == 3


def killed(number):
    os.kill(os.getpid(), signal.SIGKILL)


# After three seconds the others are gone before this one takes its part.
@pytest.mark.parametrize(("n", "seconds"), [(3, 0.0), (2, 3.0)])
def test_what_killed_processes_were_at_is_done_here(n, seconds, caplog):
    with shared_out(killed, [(number,) for number in range(7)], n) as shared:
        time.sleep(seconds)
        assert dict(shared.results(lambda number: number)) == {i: i for i in range(7)}
    assert not caplog.records
    with shared_out(squared, [(number,) for number in range(3)], n) as shared:
        assert len(dict(shared.results(squared))) == 3


class Odd(UserWarning):
    """A warning, and an error, that cannot be made again from its text."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


class OddError(ValueError):
    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def odd_warning(number):
    warnings.warn(Odd("one", "two"), stacklevel=1)
    return number


def odd_error(number):
    raise OddError("one", "two")


def test_what_cannot_travel_is_told_in_its_words():
    with (
        shared_out(odd_warning, [(1,)], 2) as shared,
        pytest.warns(UserWarning, match="one and two"),
    ):
        assert dict(shared.results(abs)) == {0: 1}
    with (
        shared_out(odd_error, [(1,)], 2) as shared,
        pytest.raises(RuntimeError, match="OddError: one and two"),
    ):
        list(shared.results(abs))


def test_who_fails_does_not_take_the_processes_of_another():
    items = [(number, 0.1) for number in range(6)]
    with shared_out(squared, items, 2) as first:
        with shared_out(squared, [(1, 60.0)], 2) as second:
            assert second._executor is not first._executor
        done = dict(first.results(squared))
    assert [done[place][0] for place in range(6)] == [0, 1, 4, 9, 16, 25]


def test_nothing_is_left_at_work_when_this_process_gives_up():
    processes = []

    def give_up(number, seconds):
        processes.extend(shared._executor._processes)
        raise KeyError(number)

    with shared_out(squared, [(1, 60.0), (2, 60.0)], 2) as shared, pytest.raises(KeyError):
        list(shared.results(give_up))
    assert processes
    until = time.monotonic() + 20
    while any(map(alive, processes)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(alive, processes))


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return status.stdout.strip()[:1] not in ("", "Z")


ORPHAN = """
import time
from tests.runtime.test_other_processes import squared
from svmsieve.runtime.other_processes import SharedOut
shared = SharedOut(squared, [(1, 600.0)], 1)
while not shared._executor._processes:
    time.sleep(0.05)
print(*shared._executor._processes, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("seconds", [0.0, 4.0])  # it may still be beginning
def test_others_end_when_this_process_is_killed(seconds):
    command = [sys.executable, "-c", ORPHAN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        processes = [int(word) for word in program.stdout.readline().split()]
        assert processes
        time.sleep(seconds)
        assert all(map(alive, processes))
        program.kill()
    until = time.monotonic() + 30
    while any(map(alive, processes)) and time.monotonic() < until:
        time.sleep(0.2)
    assert not any(map(alive, processes))


def test_this_process_leaves_the_others_their_cores():
    before = numba.get_num_threads()
    with shared_out(squared, [(1,)], 2) as shared:
        assert numba.get_num_threads() == max(1, before - 1)
        list(shared.results(squared))
    assert numba.get_num_threads() == before


@pytest.mark.parametrize("killed", [False, True])
def test_processes_that_began_early_do_the_work(killed):
    start_early(1, "json")
    kept = _Kept.idle[1]
    until = time.monotonic() + 60
    while not kept._processes and time.monotonic() < until:
        time.sleep(0.05)
    if killed:
        end(kept)
    with shared_out(squared, [(1, 0.1), (2, 0.1), (3, 0.1)], 2) as shared:
        assert shared._executor is kept
        done = [value for _, (value, _) in sorted(shared.results(squared))]
    assert done == [1, 4, 9]


def test_processes_that_nobody_took_are_ended_by_who_started_them():
    start_early(2, "json")
    kept = _Kept.idle[1]
    until = time.monotonic() + 60
    while len(kept._processes) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    processes = list(kept._processes)
    _Kept.idle = (2, -1), kept  # as a child that was forked has it
    end_kept()
    assert all(map(alive, processes))
    keep(2, kept)
    end_kept()
    until = time.monotonic() + 20
    while any(map(alive, processes)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(alive, processes))


@pytest.mark.skipif(os.name != "posix", reason="Windows has no signals that can be held back")
def test_ctrl_c_while_processes_start_is_not_lost():
    started = []

    def start():
        with without_ctrl_c():
            started.append(subprocess.Popen(["sleep", "60"]))
            os.kill(os.getpid(), signal.SIGINT)  # another thread may hear it at once

    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # where it is ignored (nohup), too
    try:
        with pytest.raises(KeyboardInterrupt):
            start()
        started[0].send_signal(signal.SIGINT)
        time.sleep(0.2)
        assert alive(started[0].pid)
    finally:
        signal.signal(signal.SIGINT, before)
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.skipif(
    not os.path.exists("/proc/self/status"), reason="reads what a process blocks in /proc"
)
def test_processes_never_hear_ctrl_c_from_their_first_moment_on():
    # In a process of its own: what multiprocessing starts with the first one lets the signal through.
    code = (
        "from svmsieve.runtime.kept_processes import end, executor, without_ctrl_c\n"
        "processes = executor(2)\n"
        "with without_ctrl_c():\n"
        "    processes.submit(abs, 1)\n"
        "    for process in processes._processes:\n"
        "        lines = open(f'/proc/{process}/status').read().splitlines()\n"
        "        masks = [line.split()[1] for line in lines if line.startswith(('SigBlk', 'SigIgn'))]\n"
        "        print(any(int(mask, 16) & 2 for mask in masks))\n"
        "end(processes)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["True", "True"], done.stderr
