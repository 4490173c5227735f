"""Groups and kept columns, in every form users write them."""

import numpy as np
import pytest

from svmsieve.inputs.feature_groups import column_index, kept_units, make_units

NAMES = ["age", "red", "green", "blue", "size"]


def as_lists(units):
    return [unit.tolist() for unit in units]


@pytest.mark.parametrize(
    "groups",
    [
        [["red", "green", "blue"]],
        [[1, 2, 3]],
        [(3, "red", 2)],
        [{1, 2, 3}],
        [np.array([1, -3, -2])],
        [[1, 2, 3], [0], [4]],
        ["a", "colour", "colour", "colour", "s"],
        np.array([7, 5, 5, 5, 6]),
        (None, 1, 1, 1, 2),
        {"red": "colour", "green": "colour", "blue": "colour"},
        {1: 0, 2: 0, "blue": 0, "age": 1},
    ],
)
def test_lists_labels_and_mappings_say_the_same(groups):
    assert as_lists(make_units(groups, NAMES)) == [[0], [1, 2, 3], [4]]


@pytest.mark.parametrize("groups", [None, [], {}, ["a", "b", "c", "d", "e"]])
def test_without_groups_each_column_is_a_unit(groups):
    assert as_lists(make_units(groups, NAMES)) == [[0], [1], [2], [3], [4]]


def test_units_stand_in_the_order_of_their_first_columns():
    assert as_lists(make_units([["size", "green"], ["blue", "age"]], NAMES)) == [
        [0, 3],
        [1],
        [2, 4],
    ]


def test_a_column_without_a_label_is_a_unit_of_its_own():
    units = make_units(["a", None, None, "a"], list("pqrs"))
    assert [unit.tolist() for unit in units] == [[0, 3], [1], [2]]


def test_a_label_may_look_like_a_column():
    assert as_lists(make_units([0, 1, 1, 0, 4], NAMES)) == [[0, 3], [1, 2], [4]]


def test_a_column_in_two_groups_is_refused():
    with pytest.raises(ValueError, match="groups must not overlap: column 'red' is in several"):
        make_units([["age", "red"], [1, 2]], NAMES)


def test_a_column_twice_in_a_group_is_one():
    assert as_lists(make_units([["red", 1, "blue"]], NAMES)) == [[0], [1, 3], [2], [4]]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([["red", "pink"]], "groups names the column 'pink', which X does not have"),
        ([[1, 5]], "groups names the column 5, but X has 5 columns"),
        ([[-6, 1]], "groups names the column -6, but X has 5 columns"),
        ({"pink": 1}, "groups names the column 'pink'"),
        ([[1, 2.5]], "groups must hold names or indices of columns, got 2.5"),
        (["a", "b"], "one label for each of the 5 columns, or lists of columns, got 2 labels"),
    ],
)
def test_unknown_columns_are_refused_by_name(groups, message):
    with pytest.raises(ValueError, match=message):
        make_units(groups, NAMES)


@pytest.mark.parametrize("keep", [["green", "size"], [2, -1], ("size", 2), np.array([4, 2])])
def test_kept_columns_by_name_and_index(keep):
    assert kept_units(keep, make_units(None, NAMES), NAMES) == {2, 4}


@pytest.mark.parametrize("keep", ["green", 2, np.int64(2), ["green"]])
def test_one_kept_column_needs_no_list(keep):
    assert kept_units(keep, make_units(None, NAMES), NAMES) == {2}


def test_a_kept_column_keeps_its_group():
    units = make_units([["red", "green", "blue"]], NAMES)
    assert kept_units(["blue", "age"], units, NAMES) == {0, 1}


def test_nothing_kept():
    assert kept_units(None, make_units(None, NAMES), NAMES) == frozenset()
    assert kept_units([], make_units(None, NAMES), NAMES) == frozenset()


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        (["pink"], "keep names the column 'pink', which X does not have"),
        ([5], "keep names the column 5, but X has 5 columns"),
        ([True, False, True, False, False], "keep must hold names or indices of columns, got True"),
        ([1.0], "keep must hold names or indices of columns, got 1.0"),
    ],
)
def test_unknown_kept_columns_are_refused_by_name(keep, message):
    with pytest.raises(ValueError, match=message):
        kept_units(keep, make_units(None, NAMES), NAMES)


def test_indices_count_from_both_ends():
    assert [column_index(i, NAMES, "keep") for i in (0, 4, -1, -5)] == [0, 4, 4, 0]
