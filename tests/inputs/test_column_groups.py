"""Groups of columns mean the same however they are spelled and wherever they are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

from svmsieve import SVMSieve, rank, response
from svmsieve.inputs.feature_groups import make_units, unit_names
from svmsieve.ranking.filters import rank_by_filter
from svmsieve.report.features import Features
from svmsieve.scale.chunks import RowChunks

NAMES = list("abcdefg")


def random_groups(rng):
    """Label each of the columns; a label that only one has is none at all."""
    labels = rng.integers(4, size=len(NAMES))
    return labels, [np.flatnonzero(labels == label) for label in dict.fromkeys(labels.tolist())]


def spellings(labels, units):
    """Every form in which users may say these groups."""
    joint = [unit for unit in units if len(unit) > 1]
    alone = {int(unit[0]) for unit in units if len(unit) == 1}
    texts = [None if i in alone else f"group {label}" for i, label in enumerate(labels)]
    return {
        "lists": [unit.tolist() for unit in units],
        "lists in another order": [unit[::-1].tolist() for unit in units[::-1]],
        "partial lists": [unit.tolist() for unit in joint],
        "lists of names": [[NAMES[i] for i in unit] for unit in joint],
        "tuples, names and indices": tuple(
            (NAMES[unit[0]], *(unit[1:] - len(NAMES)).tolist()) for unit in joint
        ),
        "sets": [set(unit.tolist()) for unit in joint],
        "arrays": [np.array(unit) for unit in joint],
        "labels": labels.tolist(),
        "an array of labels": labels,
        "a series of labels": pd.Series(labels),
        "labels as text": [f"group {label}" for label in labels],
        "labels and none": texts,
        "labels and NaN": [np.nan if i in alone else label for i, label in enumerate(labels)],
        "a mapping": {name: label for name, label in zip(NAMES, labels, strict=True)},
        "a partial mapping": {NAMES[i]: text for i, text in enumerate(texts) if text is not None},
        "a mapping of indices": dict(enumerate(labels.tolist())),
    }


def everywhere(X, y, groups):
    """What each function that takes groups makes of them, as plain values."""
    svc = SVC(C=2.0, gamma=0.1)
    rankings = {
        "filter": rank(X, y, "f-score", groups=groups),
        "machine": rank(X, y, "weight", svc, groups=groups),
        "nystroem": rank(X, y, "fspp2", svc, groups=groups, machine="nystroem", n_landmarks=9),
        "chunks": rank_by_filter(RowChunks(X.to_numpy(), y, None, NAMES), "f-score", groups=groups),
    }
    found = {
        name: (
            each.scores.tolist(),
            each.order.tolist(),
            None if each.groups is None else [group.tolist() for group in each.groups],
        )
        for name, each in rankings.items()
    }
    sieve = SVMSieve(svc, criterion="weight", n_features_to_select=1, groups=groups).fit(X, y)
    found["sieve"] = (sieve.order_.tolist(), sieve.support_.tolist(), sieve.scores_.tolist())
    curves = response(X, y, grid=3, estimator=svc, groups=groups)
    found["response"] = (curves.features.tolist(), curves.individual.tolist())
    features = Features.of(sieve)
    assert curves.names == features.names
    found["report"] = [unit.tolist() for unit in features.columns]
    assert rankings["machine"].names == features.names
    return found


@pytest.mark.parametrize("seed", range(2))
def test_every_spelling_gives_the_same_everywhere(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(30, len(NAMES))), columns=NAMES)
    y = np.where(X["a"] + X["d"] > 0.0, "yes", "no")
    labels, units = random_groups(rng)
    wanted = None
    for spelling, groups in spellings(labels, units).items():
        found = everywhere(X, y, groups)
        wanted = found if wanted is None else wanted
        assert found == wanted, spelling
    assert wanted["report"] == [unit.tolist() for unit in units]
    assert wanted["filter"][2] == wanted["machine"][2] == wanted["nystroem"][2]


def test_groups_that_join_nothing_are_no_groups():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, len(NAMES))), columns=NAMES)
    y = np.where(X["a"] > 0.0, "yes", "no")
    plain = everywhere(X, y, None)
    for groups in ([], {}, [["c"]], [[6 - i] for i in range(7)], NAMES[::-1], [None] * 7):
        assert everywhere(X, y, groups) == plain


BAD = [
    ([["a", "b"], []], "groups must hold at least one column each; group 1 is empty"),
    ([np.array([], dtype=int)], "groups must hold at least one column each; group 0 is empty"),
    ([["a", "b"], [1, 2]], "groups must not overlap: column 'b' is in several"),
    ([["a", "z"]], "groups names the column 'z', which X does not have"),
    ([[0, 7]], "groups names the column 7, but X has 7 columns"),
    ([[0.5, 1.0]], "groups must hold names or indices of columns, got 0.5"),
    ([[["a"], "b"]], r"groups must hold names or indices of columns, got \['a'\]"),
    ([["a", "b"], "c"], "mapping from columns to labels, not some of each"),
    (
        {"colour": ["a", "b"]},
        r"mapping from columns to labels; the label of 'colour' is \['a', 'b'\]",
    ),
    (["a", "b"], "one label for each of the 7 columns, or lists of columns, got 2 labels"),
    ("abcdefg", "groups must be lists of columns, one label for each column, or a mapping"),
    (3, "groups must be lists of columns, one label for each column, or a mapping .* got 3"),
]


@pytest.mark.parametrize(("groups", "message"), BAD)
def test_bad_groups_are_refused_alike_everywhere(groups, message):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 7)), columns=NAMES)
    y = np.arange(20) % 2
    calls = [
        lambda: rank(X, y, "f-score", groups=groups),
        lambda: rank(X, y, "fspp2", SVC(), groups=groups),
        lambda: rank(X, y, "fspp2", SVC(), groups=groups, machine="nystroem"),
        lambda: rank_by_filter(RowChunks(X.to_numpy(), y, None, NAMES), "f-score", groups=groups),
        lambda: SVMSieve(SVC(), groups=groups).fit(X, y),
        lambda: response(X, y, estimator=SVC(), groups=groups),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()


def test_a_name_that_two_columns_have_needs_an_index():
    with pytest.raises(ValueError, match="groups names the column 'a', of which X has 2; give its"):
        make_units([["a", "c"]], ["a", "b", "a", "c"])
    assert [unit.tolist() for unit in make_units([[0, "c"]], ["a", "b", "a", "c"])] == [
        [0, 3],
        [1],
        [2],
    ]


def test_a_label_that_is_text_names_its_group():
    assert unit_names({"a": "vowel", "e": "vowel", 1: 7, 2: 7}, NAMES) == [
        "vowel",
        "b+c",
        "d",
        "f",
        "g",
    ]
    assert unit_names([None, "x", "x", None, 3, 3, None], NAMES) == ["a", "x", "d", "e+f", "g"]


def test_one_column_of_a_group_keeps_the_group():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, len(NAMES))), columns=NAMES)
    y = np.where(X["a"] > 0.0, "yes", "no")
    sieve = SVMSieve(SVC(), groups=[["f", "c"]], keep="f", n_features_to_select=2).fit(X, y)
    assert sieve.get_feature_names_out().tolist() == ["a", "c", "f"]
    assert sieve.n_units_ == 2


def test_a_ranking_of_groups_tells_their_columns():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=["red", "green", "size"])
    y = np.where(X["green"] > 0.0, "yes", "no")
    frame = rank(X, y, "f-score", groups={"red": "colour", "green": "colour"}).to_frame()
    assert frame["feature"].tolist() == ["colour", "size"]
    assert frame["column"].tolist() == [[0, 1], [2]]
