"""Reading overlapped with computing."""

import threading

import pytest

from svmsieve.runtime.ahead import one_ahead


def test_the_next_item_is_made_while_one_is_used():
    made = [threading.Event() for _ in range(3)]

    def items():
        for number, event in enumerate(made):
            event.set()
            yield number

    for number, item in enumerate(one_ahead(items())):
        assert item == number
        if number < 2:
            assert made[number + 1].wait(10)
    assert number == 2


def test_errors_come_where_the_item_would_and_no_thread_is_left():
    def items():
        yield 1
        raise OSError("damaged")

    found = one_ahead(items())
    before = threading.active_count()
    assert next(found) == 1
    with pytest.raises(OSError, match="damaged"):
        next(found)
    assert threading.active_count() <= before
    half = one_ahead(iter(range(10)))
    next(half)
    half.close()
    assert threading.active_count() <= before
