"""What the samples look like in the selected features: against independent computations."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve
from svmsieve.evaluation import nested_evaluate
from svmsieve.report import describe, to_html, to_markdown
from svmsieve.report.drawing.palette import series
from svmsieve.report.drawing.signs import _SHAPES
from svmsieve.report.page import drawn
from svmsieve.report.samples import _drawn


def fitted(X, y, size, **options):
    machine = SVR() if np.asarray(y).dtype.kind == "f" else SVC()
    return SVMSieve(
        machine, criterion="correlation", search="once", n_features_to_select=size, **options
    ).fit(X, y)


def table(n=90, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, d)) * 3.0 + 1.0, columns=[f"x{i}" for i in range(d)])
    y = np.array(["a", "b", "c"])[np.arange(n) % 3]
    X["x1"] += 2.0 * (y == "b")
    X["x4"] -= 3.0 * (y == "c")
    return X, y


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("sparse", [False, True])
def test_components_are_scikit_learn_s(size, sparse):
    X, y = table()
    matrix = sp.csr_matrix(X.to_numpy()) if sparse else X
    sieve = fitted(matrix, y, size, scale=not sparse)
    found = describe(sieve, matrix, y)["projection"]
    for name, columns in (("before", np.arange(6)), ("after", np.flatnonzero(sieve.support_))):
        part, Z = found[name], StandardScaler().fit_transform(X.to_numpy()[:, columns])
        k = min(2, len(columns))
        pca = PCA(k).fit(Z)
        assert part["columns"] == len(columns)
        np.testing.assert_allclose(part["share"][:k], pca.explained_variance_ratio_, rtol=1e-4)
        for axis, values in zip(("x", "y"), pca.transform(Z).T, strict=False):
            sign = np.sign(values @ np.array(part[axis]))
            np.testing.assert_allclose(part[axis], sign * values, atol=1e-4)
        assert part["flat"] == (len(columns) == 1)
    assert [found["classes"][code] for code in found["codes"]] == list(y)


def test_quartiles_are_those_of_each_class_and_missing_values_are_counted():
    X, y = table()
    X.loc[[0, 5, 9], "x4"] = np.nan
    sieve = fitted(X, y, 2, missing="mean")
    found = describe(sieve, X, y)["distributions"]
    assert found["classes"] == ["a", "b", "c"]
    assert {each["name"] for each in found["features"]} == {"x1", "x4"}
    for each in found["features"]:
        values = X[each["name"]]
        assert each["missing"] == values.isna().sum()
        for label, part in zip("abc", each["classes"], strict=True):
            own = values[(y == label) & values.notna()]
            assert part["rows"] == len(own)
            expected = own.quantile([0.05, 0.25, 0.5, 0.75, 0.95])
            np.testing.assert_allclose(part["quantiles"], expected, rtol=1e-4)
            assert set(part["dots"]) <= {float(f"{v:.6g}") for v in own}


def test_levels_are_shares_of_each_class():
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], 40)
    level = np.where(rng.random(80) < 0.7, np.where(y == "no", "r", "g"), "b")
    X = pd.DataFrame({f"colour={k}": 1.0 * (level == k) for k in "rgb"})
    X["noise"] = rng.normal(size=80)
    groups = {name: name.split("=")[0] for name in X.columns}
    sieve = SVMSieve(SVC(), groups=groups, criterion="f-score", n_features_to_select=1).fit(X, y)
    (each,) = describe(sieve, X, y)["distributions"]["features"]
    expected = pd.crosstab(y, level, normalize="index")[each["levels"]]
    np.testing.assert_allclose(each["shares"], expected.to_numpy(), rtol=1e-5)
    assert each["counts"] == [int((level == k).sum()) for k in each["levels"]]


def test_a_target_of_numbers_has_its_mean_in_parts_of_the_feature():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    X["b"] = rng.integers(0, 4, 80).astype(float)
    y = X["a"] + 2.0 * X["b"]
    found = describe(fitted(X, y.to_numpy(), 2), X, y.to_numpy())["distributions"]
    assert found["classes"] is None
    by_name = {each["name"]: each for each in found["features"]}
    steps = np.array(by_name["b"]["steps"])
    np.testing.assert_allclose(steps[:, 1], y.groupby(X["b"]).mean(), rtol=1e-5)
    order = np.argsort(X["a"].to_numpy())
    first = order[:10]
    np.testing.assert_allclose(
        by_name["a"]["steps"][0], [X["a"][first].mean(), y[first].mean()], rtol=1e-4
    )


def test_the_heat_map_holds_the_selected_columns_standardised():
    X, y = table(n=60)
    sieve = fitted(X, y, 3)
    found = describe(sieve, X, y)["heat_map"]
    assert set(found["names"]) == set(X.columns[sieve.support_])
    Z = pd.DataFrame(StandardScaler().fit_transform(X), columns=X.columns)
    values = np.array(found["values"])
    assert values.shape == (3, 60)
    for name, row in zip(found["names"], values, strict=True):
        expected = np.clip(Z[name] / found["farthest"], -1.0, 1.0)
        np.testing.assert_allclose(np.sort(row), np.sort(expected), atol=0.006)
    # each sample is one column: its class and its values go together
    columns = {
        tuple(np.round(Z.loc[i, found["names"]].clip(-2.5, 2.5) / 2.5, 1)): y[i] for i in range(60)
    }
    told = {
        tuple(np.round(v, 1)): found["classes"][c]
        for v, c in zip(values.T, found["codes"], strict=True)
    }
    same = [label == columns[key] for key, label in told.items() if key in columns]
    assert len(same) > 40
    assert all(same)
    neighbours = np.abs(np.diff(values, axis=1)).sum()
    at_random = np.abs(np.diff(values[:, np.random.default_rng(0).permutation(60)], axis=1)).sum()
    assert neighbours < 0.8 * at_random  # in the order of a clustering


def test_rows_are_drawn_of_each_class_its_share():
    y = np.repeat(["rare", "common"], [10, 3990])
    rows = _drawn(y, 400, np.unique(y))
    assert len(np.unique(rows)) == len(rows)
    assert abs(len(rows) - 400) <= 2
    assert (y[rows] == "rare").sum() == 1
    assert len(_drawn(y[:300], 400, np.unique(y))) == 300


@pytest.mark.filterwarnings("ignore:No feature is selected")
def test_what_is_not_selected_is_not_drawn():
    X, y = table()
    assert describe(fitted(X, y, 1), X, y)["heat_map"] is None
    noise, y = np.random.default_rng(1).normal(size=(60, 5)), np.arange(60) % 2
    sieve = SVMSieve(SVC(), criterion="f-score", n_features_to_select="stable").fit(noise, y)
    assert sieve.n_units_ == 0
    content = describe(sieve, noise, y)
    assert content["distributions"] is content["projection"] is content["heat_map"] is None
    assert "No feature is selected" in to_html(content)


def test_keys_name_every_class():
    rng = np.random.default_rng(0)
    labels = [f"a class with a long name {i}" for i in range(17)]
    y = np.repeat(labels, 6)
    X = rng.normal(size=(len(y), 3)) + np.repeat(np.arange(17), 6)[:, None]
    content = describe(fitted(X, y, 2), X, y)
    figures = drawn(content, None)
    for name in ("projection", "heat_map", "responses"):
        for figure in figures[name]:
            root = ElementTree.fromstring(figure.svg)
            texts = [
                "".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")
            ]
            for label in labels:  # short in the key, whole in its title
                assert any(text.endswith(label) for text in texts), (figure.id, label)
    signs = {(k % len(_SHAPES), series(k)) for k in range(42)}
    assert len(signs) == 42  # colour and sign together tell as many classes apart


ORDER = ["How many", "Which", "How sure", "How the machine", "What was done"]


def test_the_report_answers_in_order():
    X, y = table()
    sieve = SVMSieve(criterion="f-score", search="once", cv=2).fit(X, y)
    content = describe(sieve, X, y, evaluation=nested_evaluate(sieve, X, y, 2))
    page, text = to_html(content), to_markdown(content)
    assert page.index('id="verdict"') < page.index('id="sizes"')
    sections = re.findall(r'<section id="(\w+)">', page)
    assert sections == ["sizes", "which", "sure", "machine", "done"]
    heads = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [head.startswith(words) for head, words in zip(heads, ORDER, strict=True)] == [True] * 5
