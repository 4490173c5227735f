"""Ctrl-C without loss."""

from __future__ import annotations

import pickle
import threading

import pytest

from svmsieve.runtime.interruption import Workers, as_interrupt


def test_stop_waits_for_those_at_work():
    workers, begun, steps = Workers(), threading.Event(), []

    def work():
        with workers.working():
            try:
                while True:
                    workers.go_on()
                    steps.append(1)
                    begun.set()
            except KeyboardInterrupt:
                steps.append("ended")

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(10)
    workers.stop()
    assert steps[-1] == "ended"
    thread.join()
    with pytest.raises(KeyboardInterrupt):
        workers.go_on()


def test_work_that_fails_is_no_longer_waited_for():
    workers = Workers()
    with pytest.raises(ZeroDivisionError), workers.working():
        _ = 1 / 0
    workers.stop()


def test_a_copy_in_another_process_is_not_stopped():
    workers = Workers()
    workers.stop()
    pickle.loads(pickle.dumps(workers)).go_on()


def test_ctrl_c_while_compiled_code_is_loaded_is_no_system_error():
    def load():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("returned a result with an exception set") from error

    with pytest.raises(KeyboardInterrupt), as_interrupt():
        load()
    with pytest.raises(SystemError), as_interrupt():
        raise SystemError
