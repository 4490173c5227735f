"""Ctrl-C on the command line: the program ends at once, whatever it is doing, and says how to go on.

Python's own KeyboardInterrupt waits for compiled code to return, which may take minutes, and inside of some
libraries it becomes another error or none.  Records are written line by line and survive anything, so
nothing has to be brought to an end: a thread of its own hears the signal and ends the process.
"""

from __future__ import annotations

import os
import shlex
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

INTERRUPTED = 130
_SHOW_CURSOR = "\x1b[?25h"

_how_to_go_on: list[Callable[[], str]] = []


def end_at_ctrl_c() -> None:
    """Let Ctrl-C end the process from now on; where the signal is ignored (nohup) it stays so."""
    # What cleans up after this process and those that work for it does so without a word.
    silent = "ignore:resource_tracker:UserWarning"
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (os.getenv("PYTHONWARNINGS"), silent)))
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    ear, mouth = socket.socketpair()
    mouth.setblocking(False)
    threading.Thread(target=_listen, args=(ear, mouth), daemon=True).start()
    signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, lambda *_: None)


@contextmanager
def going_on(how: Callable[[], str] | None) -> Iterator[None]:
    """Tell after Ctrl-C what a function returns."""
    if how is None:
        yield
        return
    _how_to_go_on.append(how)
    try:
        yield
    finally:
        _how_to_go_on.remove(how)


def sentence() -> str:
    """Return what is said after Ctrl-C."""
    if _how_to_go_on:
        return f"Interrupted. {_how_to_go_on[-1]()}"
    return f"Interrupted. Start again with:\n  {shlex.join(['svmsieve', *sys.argv[1:]])}"


def _listen(ear: socket.socket, mouth: socket.socket) -> None:
    """Wait for the signal, which Python's lowest level writes to the other end as it comes."""
    while signal.SIGINT not in ear.recv(64):
        pass
    try:
        text = f"{_SHOW_CURSOR * sys.stderr.isatty()}\n{sentence()}\n"
        os.write(2, text.encode(sys.stderr.encoding or "utf-8", "replace"))
        _leave_nothing_behind()
    finally:
        os._exit(INTERRUPTED)


def _leave_nothing_behind() -> None:
    """Remove locks and end processes that work for this one, where there are any."""
    journal, processes = map(sys.modules.get, ("svmsieve.runtime.journal", "multiprocessing"))
    if journal is not None:
        journal.release_all()
    for child in [] if processes is None else processes.active_children():
        with suppress(OSError):  # it may have ended meanwhile
            os.kill(child.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
