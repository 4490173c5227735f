"""Plots of a fitted selection."""

import builtins
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.search import HillClimb
from tests.search.problems import two_classes

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def fitted(d=6, names=None, **options):
    X, y = two_classes(n=40, d=d)
    X = X if names is None else pd.DataFrame(X, columns=names)
    return SVMSieve(SVC(), criterion="weight", **{"step": 1, "cv": 2, **options}).fit(X, y)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_path_shows_the_scores_of_the_folds():
    sieve = fitted(n_features_to_select="best")
    ax = sieve.plot_path()
    assert isinstance(ax, plt.Axes)
    line = ax.lines[0]
    assert line.get_xdata().tolist() == [1, 2, 3, 4, 5, 6]
    np.testing.assert_array_equal(line.get_ydata(), sieve.path_.mean_score)
    assert len(ax.collections) == 1  # the band of one standard error
    assert ax.get_ylabel() == "cross-validated accuracy (mean ± standard error over folds)"
    assert ax.get_xlabel() == "number of features"
    assert set(ax.lines[1].get_xdata()) == {sieve.n_features_}
    assert texts(ax) == [f"{sieve.n_features_} selected"]
    ax.figure.canvas.draw()


def test_without_folds_the_path_shows_the_criterion():
    sieve = fitted(n_features_to_select=2)
    ax = sieve.plot_path()
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), sieve.path_.criterion)
    assert "features that leave" in ax.get_ylabel()
    assert ax.get_yscale() == "log"
    assert len(ax.collections) == 0
    ax.figure.canvas.draw()


def test_scores_of_zero_stay_on_a_linear_scale():
    X, y = two_classes(n=40, d=3)
    X = np.column_stack([X, np.ones(40)])
    sieve = SVMSieve(SVC(), criterion="weight", step=1, n_features_to_select=1).fit(X, y)
    assert sieve.plot_path().get_yscale() == "linear"


def test_sizes_are_those_of_units():
    sieve = fitted(d=8, groups=[[0, 1, 2], [5, 6, 7]], n_features_to_select=2, keep=[0])
    ax = sieve.plot_path()
    assert sieve.n_features_ > 2
    assert set(ax.lines[1].get_xdata()) == {2}
    assert texts(ax) == ["2 selected"]


def test_many_sizes_are_on_a_logarithmic_scale():
    assert fitted(d=120, step=0.5, n_features_to_select=1).plot_path().get_xscale() == "log"
    assert fitted(n_features_to_select=1).plot_path().get_xscale() == "linear"


@pytest.mark.parametrize("d", [2, 3, 7, 120])
def test_ticks_are_whole_numbers_of_features(d):
    ax = fitted(d=d, step=0.5 if d > 10 else 1, n_features_to_select=1).plot_path()
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    assert ticks
    assert all(tick == round(tick) for tick in ticks)
    shown = {label.get_text() for label in ax.get_xticklabels()}
    assert all(text.isdigit() for text in shown if text)


def test_the_path_of_a_search_that_grows():
    sieve = fitted(search=HillClimb(cv=2), n_features_to_select="1se")
    ax = sieve.plot_path()
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), sieve.path_.n_features)


def test_scores_are_bars_best_on_top_selected_ones_filled():
    names = ["a", "b", "c", "d", "e", "f"]
    sieve = fitted(names=names, n_features_to_select=2)
    ax = sieve.plot_scores()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == [names[i] for i in sieve.order_[::-1]]
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_array_equal(widths, sieve.scores_[sieve.order_[::-1]])
    colours = [bar.get_facecolor() for bar in ax.patches]
    assert len(set(colours[:4])) == len(set(colours[4:])) == 1
    assert colours[0] != colours[5]
    ax.figure.canvas.draw()


def test_only_the_best_scores_are_shown():
    sieve = fitted(d=12, n_features_to_select=2)
    assert len(sieve.plot_scores(top=5).patches) == 5
    assert len(sieve.plot_scores().patches) == 12


def test_names_of_any_kind_are_drawn_as_they_are():
    names = ["$x_1$", "a" * 100, "<b>", "$\\frac$", "ä_1", "100%"]
    ax = fitted(names=names, n_features_to_select=2).plot_scores()
    labels = {label.get_text() for label in ax.get_yticklabels()}
    assert {"a" * 39 + "…", "<b>", r"\$x_1\$"} <= labels
    ax.figure.canvas.draw()


def test_scores_that_are_not_known_are_empty_bars():
    sieve = fitted(search="forward", n_features_to_select=2)
    widths = [bar.get_width() for bar in sieve.plot_scores().patches]
    assert np.isfinite(widths).all()
    assert widths[:4] == [0.0] * 4


@pytest.mark.parametrize("method", ["plot_path", "plot_scores"])
@pytest.mark.parametrize("rule", ["best", 2])
def test_on_given_axes(method, rule):
    sieve = fitted(n_features_to_select=rule)
    figure, axes = plt.subplots(1, 2)
    n_figures = len(plt.get_fignums())
    assert getattr(sieve, method)(ax=axes[1]) is axes[1]
    assert not axes[0].has_data()
    assert len(plt.get_fignums()) == n_figures
    figure.canvas.draw()


@pytest.mark.parametrize("method", ["plot_path", "plot_scores"])
def test_before_fit_there_is_nothing_to_plot(method):
    with pytest.raises(NotFittedError):
        getattr(SVMSieve(SVC()), method)()


@pytest.mark.parametrize("method", ["plot_path", "plot_scores"])
def test_without_matplotlib_one_is_told_how_to_get_it(method, monkeypatch):
    sieve = fitted(n_features_to_select=2)
    really_import = builtins.__import__

    def without(name, *arguments, **options):
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(f"No module named {name!r}")
        return really_import(name, *arguments, **options)

    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"plots need matplotlib: pip install 'svmsieve\[plot\]'"):
        getattr(sieve, method)()
