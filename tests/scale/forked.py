"""Processes of Dask clusters, forked from one that has imported everything: each begins at once.

As a program it forks and kills by order, a line of JSON each, and ends what it has forked when they end.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from typing import Any


class Forked:
    """One of the processes: what tests ask of a ``subprocess.Popen``."""

    def __init__(self, parent: Parent, pid: int) -> None:
        self.parent, self.pid = parent, pid

    def kill(self) -> None:
        """Kill it; nothing happens where it has ended."""
        self.parent.ask(do="kill", pid=self.pid)

    def wait(self) -> None:
        """Wait until it has ended."""
        self.parent.ask(do="wait", pid=self.pid)


class Parent:
    """The process that forks."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.lock = threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", __file__],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **order: Any) -> Any:
        """Have an order done and return the answer; threads may ask, too."""
        with self.lock:
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())

    def start(self, module: str, words: list[str], folder: Path, log: Path) -> Forked:
        """Run the command line of a module in a folder."""
        order = {"module": module, "words": words, "folder": str(folder), "log": str(log)}
        return Forked(self, self.ask(do="start", **order))

    def end(self) -> None:
        """End it, and all that it forked."""
        self.process.communicate()


def start(module: str, words: list[str], folder: str, log: str) -> int:
    child = os.fork()
    if child:
        return child
    try:
        os.chdir(folder)
        nothing = os.open(os.devnull, os.O_RDONLY)
        written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for old, new in ((nothing, 0), (written, 1), (written, 2)):
            os.dup2(old, new)
        sys.argv = [module, *words]
        importlib.import_module(module).main(words)
    except BaseException as error:
        if not isinstance(error, SystemExit):
            traceback.print_exception(error)
    finally:
        os._exit(0)


def main() -> None:
    for module in (
        *("distributed.cli.dask_scheduler", "distributed.cli.dask_worker", "sklearn.svm"),
        *("svmsieve.scale.dask_chunks", "svmsieve.selection.selector", "svmsieve.evaluation"),
    ):
        importlib.import_module(module)
    running = set()
    for line in sys.stdin:
        order = json.loads(line)
        what, pid = order.pop("do"), order.get("pid")
        if what == "start":
            pid = start(**order)
            running.add(pid)
        elif pid in running:  # until it is waited for, its number is no other's
            if what == "kill":
                os.kill(pid, signal.SIGKILL)
            else:
                os.waitpid(pid, 0)
                running.remove(pid)
        print(json.dumps(pid), flush=True)
    for pid in running:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
