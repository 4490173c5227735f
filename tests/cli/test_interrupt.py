"""Ctrl-C while other processes work for the command line."""

import os
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import os, pathlib, signal, sys, threading, time
from svmsieve.cli.interrupt import end_at_ctrl_c, going_on

folder = pathlib.Path(sys.argv[1])

def work():
    import os, pathlib, time
    (folder / str(os.getpid())).touch()
    time.sleep(600)

def press():
    while len(list(folder.iterdir())) < 2:
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)

end_at_ctrl_c()
from joblib import Parallel, delayed
threading.Thread(target=press, daemon=True).start()
with going_on(lambda: "Go on."):
    Parallel(2)(delayed(work)() for _ in range(2))
"""


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another signal there")
def test_ctrl_c_ends_the_processes_that_work_for_it(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert done.returncode == 130
    assert done.stderr == "\nInterrupted. Go on.\n"
    workers = [int(each.name) for each in tmp_path.iterdir()]
    assert len(workers) == 2
    until = time.monotonic() + 60
    while any(is_there(worker) for worker in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(is_there(worker) for worker in workers)


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
