"""Searches that share their passes over the rows get the answers they would get alone."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import numpy as np
import pytest

from svmsieve.scale.chunks import RowChunks
from svmsieve.scale.shared_passes import MOST_TOGETHER, SharedPasses

X = np.random.default_rng(0).normal(size=(70, 3))


def chunks() -> SharedPasses:
    return SharedPasses(RowChunks(X, np.zeros(70), memory=240))


def powers(chunk: Any, power: int) -> Any:
    return (chunk.X**power).sum(axis=0)


def fails(chunk: Any, row: int) -> Any:
    if row in chunk.rows:
        raise ValueError(f"row {row} is bad")
    return chunk.X.sum(axis=0)


@pytest.mark.parametrize("n", [1, 4, MOST_TOGETHER + 3])
def test_answers_are_those_of_a_search_alone_and_passes_are_shared(n: int) -> None:
    found: dict[int, Any] = {}

    def search(number: int) -> None:
        first = shared.total(powers, number)
        found[number] = first, *(shared.total(powers, number + k) for k in range(number % 3))

    shared = chunks()
    shared.run([partial(search, number) for number in range(n)])
    for number, answers in found.items():
        for k, answer in zip([0, *range(number % 3)], answers, strict=True):
            np.testing.assert_array_equal(answer, shared.chunks.total(powers, number + k))
    batches = -(-n // MOST_TOGETHER)
    assert shared.n_passes <= 3 * batches
    assert shared.n_questions == sum(1 + number % 3 for number in range(n))


def test_a_question_without_an_answer_ends_its_own_search() -> None:
    shared, done = chunks(), []

    def good() -> None:
        for _ in range(4):
            shared.total(powers, 2)
        done.append(True)

    with pytest.raises(ValueError, match="row 33 is bad"):
        shared.run([good, partial(shared.total, fails, 33), good])
    assert done == [True, True]


def test_rows_that_cannot_be_read_end_all_searches() -> None:
    class Broken(RowChunks):
        def map(self, function: Any, *broadcast: Any) -> Any:
            raise OSError("the disk went away")

    shared = SharedPasses(Broken(X, np.zeros(70)))
    before, ended = threading.active_count(), []

    def search() -> None:
        try:
            shared.total(powers, 1)
        finally:
            ended.append(True)

    with pytest.raises(OSError, match="the disk went away"):
        shared.run([search, search, search])
    assert len(ended) == 3
    assert threading.active_count() <= before


def test_outside_of_a_run_a_question_is_answered_at_once() -> None:
    np.testing.assert_allclose(chunks().total(powers, 1), X.sum(axis=0), rtol=1e-12)
