"""Every public name can be imported from its package, and type checkers know what it is."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import svmsieve
from svmsieve.criteria import CRITERIA
from svmsieve.search import SEARCHES, Schedule
from svmsieve.sizing import SizeRule

_PACKAGES = [
    "svmsieve",
    *(
        f"svmsieve.{name}"
        for name in (
            "criteria",
            "datasets",
            "evaluation",
            "report",
            "search",
            "sizing",
            "strategies",
        )
    ),
]

_USER = """
import numpy as np
from svmsieve import NystroemSVC, FScoreSVC, SVMSieve, compare, nested_evaluate, rank, response
from svmsieve.criteria import FSPP2
from svmsieve.search import Elimination, Tiers
from svmsieve.sizing import Fixed

X, y = np.zeros((9, 2)), np.arange(9)
sieve = SVMSieve(criterion=FSPP2(n_permutations=3), search=Elimination(Tiers([(5, 1)])))
sieve = sieve.fit(X, y)  # svmsieve.selection.selector.SVMSieve
sieve.n_features_  # int
sieve.path_.n_features  # numpy.ndarray
sieve.support_  # numpy.ndarray
rank(X, y, criterion="f-score")  # svmsieve.ranking.result.Ranking
rank(X, y).scores  # numpy.ndarray
response(X, y)  # svmsieve.ranking.curves.ResponseCurves
nested_evaluate(sieve, X, y)  # svmsieve.evaluation.results.NestedEvaluation
compare({"a": sieve}, X, y)  # svmsieve.evaluation.comparison.Comparison
FScoreSVC().fit(X, y)  # svmsieve.strategies.fscore.FScoreSVC
NystroemSVC().fit(X, y).decision_function(X)  # numpy.ndarray
"""
"""A user's file; a comment says what the line's expression is."""

_WRONG = {
    "from svmsieve import SVMSeive": "attr-defined",
    "from svmsieve.criteria import FSPP5": "attr-defined",
    "svmsieve.datasets.lode('sonar')": "attr-defined",
    "svmsieve.SVMSieve(criterionn='fspp2')": "call-arg",
    "svmsieve.SVMSieve(criterion=3)": "arg-type",
    "svmsieve.rank([[1.0]])": "call-arg",
    "svmsieve.rank([[1.0]], [1]).scoers": "attr-defined",
    "svmsieve.criteria.FSPP2(evaluate_on='test')": "arg-type",
    "svmsieve.search.Elimination(rerank='yes')": "arg-type",
    "svmsieve.sizing.Fixed('ten')": "arg-type",
    "word: str = svmsieve.FDR(0.1).level": "assignment",
}
"""Lines that a type checker must refuse, and its name for the error."""


def _public():
    return [f"{package}.{name}" for package in _PACKAGES for name in _all_of(package)]


def _all_of(package):
    return importlib.import_module(package).__all__


def _expressions():
    """The user's commented expressions and what each must be."""
    return [
        (line.split(" = ")[-1].split("  # ")[0], line.split("  # ")[1])
        for line in _USER.splitlines()
        if "  # " in line
    ]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """What mypy says of each line of a file that uses the package from outside."""
    folder = tmp_path_factory.mktemp("user")
    lines = [*_USER.splitlines(), *(f"import {package}" for package in _PACKAGES)]
    asked = [*_public(), *(expression for expression, _ in _expressions())]
    lines += [f"reveal_type({expression})" for expression in asked] + list(_WRONG)
    (folder / "user.py").write_text("\n".join(lines))
    (folder / "mypy.ini").write_text(
        f"[mypy]\nmypy_path = {Path(svmsieve.__file__).parents[1]}\nfollow_imports = silent\n"
    )
    command = [sys.executable, "-m", "mypy", "--no-pretty", "--cache-dir", "cache", "user.py"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 1, result.stdout + result.stderr
    said = {line: [] for line in lines}
    for number, words in re.findall(r"^user\.py:(\d+): (.*)$", result.stdout, flags=re.M):
        said[lines[int(number) - 1]].append(words)
    return said


def test_type_checkers_know_every_public_name(verdicts):
    assert (Path(svmsieve.__file__).parent / "py.typed").exists()
    unknown = {
        name: words
        for name in _public()
        for words in ["; ".join(verdicts[f"reveal_type({name})"])]
        if not words.startswith("note: Revealed type is") or '"Any"' in words
    }
    assert not unknown


def test_type_checkers_know_what_a_users_file_computes(verdicts):
    for line in _USER.splitlines():
        assert not verdicts[line], line
    for expression, expected in _expressions():
        (words,) = verdicts[f"reveal_type({expression})"]
        assert re.match(rf'note: Revealed type is "(builtins\.)?{re.escape(expected)}\b', words), (
            expression
        )


@pytest.mark.parametrize("line", _WRONG)
def test_type_checkers_refuse_wrong_uses(verdicts, line):
    (words,) = [words for words in verdicts[line] if words.startswith("error")]
    assert words.endswith(f"[{_WRONG[line]}]")


@pytest.mark.parametrize("package", _PACKAGES)
def test_every_public_name_is_there(package):
    module = importlib.import_module(package)
    assert set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match=f"{package!r} has no attribute 'nothing'"):
        _ = module.nothing


def _below(base):
    for child in base.__subclasses__():
        yield child
        yield from _below(child)


def _own(base):
    return [cls for cls in _below(base) if cls.__module__.startswith("svmsieve.")]


@pytest.mark.parametrize(
    ("package", "classes"),
    [
        ("svmsieve.criteria", list(CRITERIA.values())),
        ("svmsieve.search", [*SEARCHES.values(), *_own(Schedule)]),
        ("svmsieve.sizing", _own(SizeRule)),
    ],
)
def test_every_component_is_exported_by_its_package(package, classes):
    module = importlib.import_module(package)
    assert len(classes) > 3
    for cls in classes:
        assert cls.__name__ in module.__all__
        assert getattr(module, cls.__name__) is cls
