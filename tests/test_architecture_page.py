"""The examples of docs/architecture.md, as they stand there."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve import rank

PAGE = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text()
EXAMPLES = dict(re.findall(r"### ([^\n]+)\n.*?```python\n(.*?)```", PAGE, re.DOTALL))


@cache
def run(title):
    names = {"__name__": "example"}
    exec(compile(EXAMPLES[title], title, "exec"), names)
    return names


def lines_of_code(text):
    return [line for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("title", EXAMPLES)
def test_the_example_runs(title):
    run(title)


def test_every_kind_of_addition_has_its_example():
    words = " ".join(EXAMPLES)
    for kind in ("criterion", "filter", "search", "size rule", "reader", "report", "paper"):
        assert kind in words
    for title, text in EXAMPLES.items():
        assert 10 <= len(lines_of_code(text)) <= 30, title


def test_the_criterion_of_the_page_ranks_on_dask():
    da = pytest.importorskip("dask.array")
    criterion = run("A criterion")["PermutationLoss"]
    text = EXAMPLES["A criterion"]
    own = text[text.index("class ") : text.index("check_criterion(")]
    assert len(lines_of_code(own)) <= 25
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = X[:, 2] * X[:, 4] > 0
    options = {"machine": "nystroem", "n_landmarks": 60, "random_state": 0}
    machine = SVC(C=10.0, gamma=0.2)
    memory = rank(X, y, criterion(), machine, **options)
    for rows in (100, 77):
        chunks = da.from_array(X, chunks=(rows, 6)), da.from_array(y, chunks=rows)
        found = rank(*chunks, criterion(), machine, **options)
        np.testing.assert_allclose(found.scores, memory.scores, rtol=1e-9, atol=1e-12)
    assert set(memory.order[:2]) == {2, 4}
