"""Probes among the selected."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.evaluation import probe_report, with_probes
from tests.evaluation.problems import noise, some_matter


def sieve(size):
    return SVMSieve(SVC(), criterion="f-score", search="once", n_features_to_select=size)


def test_names_follow_their_columns():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=["a", "b", "c"])
    X, is_probe, names = with_probes(frame, n_copies=2, random_state=1)
    assert X.shape == (20, 9)
    for column, probe, name in zip(X.T, is_probe, names, strict=True):
        source = frame[name.removesuffix(" (probe)")].to_numpy()
        np.testing.assert_array_equal(np.sort(column), np.sort(source))
        assert np.array_equal(column, source) != probe
        assert name.endswith("(probe)") == probe


def test_where_features_matter_few_probes_are_selected():
    X, y = some_matter(1, d=60, effect=2.0)
    report = probe_report(sieve(20), X, y)
    assert set(report.selected) == {f"x{i}" for i in range(20)}
    assert report.probe_fraction == 0.0
    assert report.estimated_fdp == pytest.approx(60 / 61 / 20)


def test_in_noise_half_of_the_selected_are_probes():
    shares = [
        probe_report(sieve(40), *noise(seed, d=200), random_state=seed).probe_fraction
        for seed in range(20)
    ]
    assert abs(np.mean(shares) - 0.5) < 3 * np.std(shares, ddof=1) / np.sqrt(20)


def test_the_curve_is_that_of_the_ranking():
    X, y = some_matter(2, d=60, effect=1.0)
    report = probe_report(sieve(30), X, y, n_copies=2)
    frame = report.to_frame()
    assert len(frame) == 60
    assert frame["selected"].sum() == len(report.selected)
    # With k features before it and V probes: the 30 selected columns end at k + V = 30.
    n = len(report.selected)
    assert report.n_probes_selected == 30 - n
    assert (frame["estimated_fdp"] <= 1).all()
    k, V = 10, report.probes_before[9]
    assert frame["estimated_fdp"][10] == pytest.approx((1 + V) * 60 / 121 / k)


def test_a_selector_without_ranking():
    X, y = some_matter(3, d=40, effect=2.0)
    report = probe_report(SelectKBest(k=22), X, y)
    assert len(report.selected) + report.n_probes_selected == 22
    with pytest.raises(ValueError, match="does not rank"):
        report.to_frame()
    assert json.loads(json.dumps(report.to_dict()))["ranked"] is None
    assert "of 40 probes" in repr(report)


def test_what_does_not_select_is_refused():
    X, y = some_matter(3, d=10)
    with pytest.raises(ValueError, match="SVC does not"):
        probe_report(SVC(), X, y)
    with pytest.raises(ValueError, match="n_copies"):
        with_probes(X, n_copies=0)


@pytest.mark.parametrize("parameters", [{"keep": [0]}, {"groups": [[0, 1]]}])
def test_columns_named_in_advance_are_refused(parameters):
    X, y = noise(0, 30, 4)
    (name,) = parameters
    with pytest.raises(ValueError, match=f"selector must not have {name}"):
        probe_report(SVMSieve(SVC(), n_features_to_select=1, **parameters), X, y)


def test_columns_named_in_advance_are_found_in_a_pipeline_too():
    X, y = noise(0, 30, 4)
    sieve = SVMSieve(SVC(), n_features_to_select=1, keep=[0])
    with pytest.raises(ValueError, match="selector must not have svmsieve__keep"):
        probe_report(make_pipeline(StandardScaler(), sieve), X, y)
