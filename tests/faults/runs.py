"""Runs that are killed, or stopped by Ctrl-C, at random moments; what they give once they are resumed.

As a program (``python runs.py kill|ctrl-c folder count seed name…``) it imports everything once, and each run
is a child of it: a process of its own that begins at once.  It prints a line of JSON for each struck run.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from numba.np.ufunc import parallel as numba_threads
from sklearn.svm import SVC

import svmsieve.cli
import svmsieve.cli.comparing
import svmsieve.cli.reproducing
import svmsieve.cli.selecting
from svmsieve import SVMSieve, nested_evaluate

RNG = np.random.default_rng(3)
X = RNG.normal(size=(70, 12))
Y = np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0, "a", "b")
TIMES = ("seconds", "command", "created")


def sieve(checkpoint=None):
    return SVMSieve(SVC(), criterion="fspp2", step=1, cv=3, checkpoint=checkpoint, random_state=0)


def fit(folder):
    found = sieve(folder / "record").fit(X, Y)
    return [found.order_.tolist(), found.support_.tolist(), found.path_.fold_scores.tolist()]


def nested(folder):
    found = nested_evaluate(sieve(), X, Y, outer_cv=3, checkpoint=folder / "record", n_jobs=2)
    return [fold.to_dict() for fold in found.folds]


def select(folder):
    return command(
        folder, "select", *table(folder), "--size", "best", "--cv", "3", "--criterion", "fspp2"
    )


def tuned(folder):
    return command(folder, "select", *table(folder, 900), "--cv", "3", "--criterion", "f-score")


def compare(folder):
    return command(folder, "compare", *table(folder), "--cv", "3", "--criteria", "fspp2,f-score")


def reproduce(folder):
    return command(folder, "reproduce", "rakotomamonjy2003", "--table", "2", "--trials", "1")


RUNS = {each.__name__: each for each in (fit, nested, select, tuned, compare, reproduce)}
COMMANDS = ("select", "tuned", "compare", "reproduce")


def table(folder, n=70):
    """A file with these rows, repeated with noise, and its target."""
    path = folder / "table.csv"
    if not path.exists():
        rng = np.random.default_rng(0)
        rows = np.arange(n) % len(X)
        frame = pd.DataFrame(X[rows] + 0.1 * rng.normal(size=(n, X.shape[1])))
        frame.columns = [f"x{i}" for i in range(X.shape[1])]
        frame.assign(kind=Y[rows]).to_csv(path, index=False)
    fixed = () if n > len(X) else ("--C", "1", "--gamma", "0.1")
    return (str(path), "-t", "kind", *fixed)


def command(folder, *words):
    """Run the command line in this process; return what its JSON holds."""
    json_file, record = folder / "found.json", folder / "record"
    sys.argv = ["svmsieve", *words, "--quiet", "--json", str(json_file), "--resume", str(record)]
    os.environ["XDG_CACHE_HOME"] = str(folder)
    try:
        svmsieve.cli.main()
    except SystemExit as end:
        if end.code:
            raise
    return json.loads(json_file.read_text())


def timeless(found):
    """What was found without how long it took."""
    if isinstance(found, dict):
        return {key: timeless(value) for key, value in found.items() if key not in TIMES}
    return [timeless(value) for value in found] if isinstance(found, list) else found


def start(name, folder):
    """Run in a child, its result in a file and its messages in another; return its number."""
    folder.mkdir(exist_ok=True)
    (folder / "messages").touch()  # it may be killed before it does so
    child = os.fork()
    if child:
        return child
    code = 1
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    # Forked processes share a lock of numba's: one that is killed while it has it would stop all others.
    numba_threads._set_init_process_lock()
    try:
        messages = os.open(folder / "messages", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(messages, 1)
        os.dup2(messages, 2)
        found = json.dumps(timeless(json.loads(json.dumps(RUNS[name](folder)))))
        (folder / "part").write_text(found)
        (folder / "part").rename(folder / "result")
        code = 0
    except BaseException as error:
        import traceback

        traceback.print_exception(error)
        code = error.code if isinstance(error, SystemExit) else 1
    finally:
        sys.stderr.flush()
        os._exit(code)


def ended(child):
    """Wait for a child; return its exit code, negative where a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def is_ready(child):
    """Whether the child listens for Ctrl-C: it has a thread for that."""
    threads = Path(f"/proc/{child}/task")
    return not threads.exists() or len(list(threads.iterdir())) > 1


def undisturbed(name, folder):
    """Return the result, and how long it takes."""
    begun = time.monotonic()
    assert ended(start(name, folder)) == 0, (folder / "messages").read_text()
    return (folder / "result").read_text(), time.monotonic() - begun


def has_ended(child):
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def strike(name, folder, number, wait, ready=None):
    """Send a run a signal after some seconds; return its exit code and how long it took to end."""
    child = start(name, folder)
    while ready is not None and not ready(child) and not has_ended(child):
        time.sleep(0.001)
    until = time.monotonic() + wait
    while time.monotonic() < until and not has_ended(child):
        time.sleep(0.001)
    struck = time.monotonic()
    os.kill(child, number)
    return ended(child), time.monotonic() - struck


def warm(folder):
    """Load the compiled code here, so that the children have it from their beginning."""
    folder.mkdir()
    fit(folder)
    SVMSieve(criterion="f-score", cv=3, random_state=0).fit(X[:40, :3], Y[:40])


def main(kind, folder, count, seed, *names):
    folder, count, rng = Path(folder), int(count), np.random.default_rng(int(seed))
    struck, episode, expected = 0, 0, {}
    # Ctrl-C is tried while compiled code is loaded, too.
    cold = 0 if kind == "kill" else count // 4
    while struck < count:
        if struck >= cold and not (folder / "warm").exists():
            warm(folder / "warm")
            expected = {}
        name = names[episode % len(names)]
        episode += 1
        if name not in expected:
            expected[name] = undisturbed(name, folder / f"{name} undisturbed {episode}")
        own = folder / f"{name} {episode}"
        result, seconds = expected[name]
        codes, delays, messages = [], [], ""
        for _ in range(int(rng.integers(1, 4))):  # it may be struck again when it is resumed
            begun, wait = time.monotonic(), rng.uniform(0, seconds)
            if kind == "kill":
                code, delay = strike(name, own, signal.SIGKILL, wait)
            else:
                code, delay = strike(name, own, signal.SIGINT, wait, is_ready)
            if code == 0:
                if not codes:  # a whole run was quicker; so it will be the next time
                    expected[name] = result, min(seconds, time.monotonic() - begun)
                break
            struck += 1
            codes.append(code)
            delays.append(delay)
            messages += (own / "messages").read_text()
        (own / "result").unlink(missing_ok=True)
        code = ended(start(name, own))
        last = (own / "messages").read_text()
        same = code == 0 and (own / "result").read_text() == result
        line = {"name": name, "codes": codes, "delays": delays, "messages": messages, "same": same}
        print(json.dumps({**line, "last": last}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
