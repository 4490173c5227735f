"""``svmsieve apply``: rows without a target are what it is for."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svmsieve.cli.models import Model
from tests.cli.running import QUICK, run, small_table

pytest.importorskip("skops")


def table(n=60, seed=0):
    """Rows with an identifier, a category that matters, a mark of missing values, and three targets."""
    rng = np.random.default_rng(seed)
    frame = small_table(n, seed)
    frame.insert(0, "sample", [f"{i:04}" for i in rng.permutation(n)])
    frame["colour"] = np.where(frame.kind == "yes", "red", rng.choice(["red", "blue"], n))
    frame["w"] = np.where(rng.random(n) < 0.2, -999, frame.w)
    frame["grade"] = np.digitize(frame.a, [0.0, 1.5]) * 10
    frame["level"] = 3.0 * frame.a + rng.normal(size=n)
    return frame


TARGETS = {"kind": [], "grade": ["--task", "classification"], "level": []}
TRAINED = table()
NEW = table(seed=1)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    TRAINED.to_csv(folder / "trained.csv", index=False)
    for target, words in TARGETS.items():
        others = [word for other in TARGETS if other != target for word in ("--drop", other)]
        quick = [word if word != "f-score" else "correlation" for word in QUICK]
        quick = QUICK if target != "level" else quick
        code, _, err = run(
            *("select", folder / "trained.csv", "--target", target, *others, *words, *quick),
            *("--size", 3, "--keep", "colour", "--keep", "w", "--id", "sample", "--missing=-999"),
            *("--model", folder / f"{target}.skops", "--out", folder / f"{target}.csv", "--quiet"),
        )
        assert (code, err) == (0, "")
    return folder


def applied(folder, target, frame, *words, name="new.csv"):
    frame.to_csv(folder / name, index=False)
    code, out, err = run("apply", folder / f"{target}.skops", folder / name, *words)
    assert code == 0, err
    return pd.read_csv(io.StringIO(out), dtype={"sample": str}), err


@pytest.mark.parametrize("target", TARGETS)
def test_rows_without_a_target_are_predicted_as_with_one(models, target):
    whole, _ = applied(models, target, NEW)

    @settings(max_examples=3)
    @given(st.sets(st.integers(0, len(NEW) - 1), min_size=1))
    def check(rows):
        frame = NEW.copy()
        frame[target] = frame[target].astype(object)
        frame.loc[sorted(rows), target] = None
        found, err = applied(models, target, frame)
        pd.testing.assert_frame_equal(found, whole)
        left = len(NEW) - len(rows)
        assert (f"({left} of {len(NEW)} rows have one)" in err) == (left > 0)

    check()
    without, err = applied(models, target, NEW.drop(columns=target), "--quiet")
    pd.testing.assert_frame_equal(without, whole)
    assert err == ""


@pytest.mark.parametrize("target", ["kind", "grade"])
def test_probabilities_are_shares_and_mostly_agree_with_the_predictions(models, target):
    found, _ = applied(models, target, NEW)
    shares = found.filter(like="probability of ")
    labels = sorted(map(str, TRAINED[target].unique()))
    assert sorted(name.removeprefix("probability of ") for name in shares) == labels
    assert shares.to_numpy().min() >= 0.0
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=2e-4 * len(labels))
    likeliest = shares.idxmax(axis=1).str.removeprefix("probability of ")
    assert (likeliest == found[f"predicted {target}"].astype(str)).mean() > 0.9
    assert not applied(models, "level", NEW)[0].filter(like="probability").shape[1]


def test_probabilities_are_near_the_true_ones(tmp_path):
    """Two normal classes a distance of 2 apart: P(yes | a) = 1/(1 + exp(2 - 2a))."""
    rng = np.random.default_rng(3)
    y = np.arange(600) % 2
    frame = pd.DataFrame({"a": rng.normal(size=600) + 2.0 * y, "b": rng.normal(size=600), "y": y})
    frame[:300].to_csv(tmp_path / "a.csv", index=False)
    model = tmp_path / "a.skops"
    words = ("--size", "1", "--quiet", *QUICK, "--kernel", "linear", "--model", model)
    assert run("select", tmp_path / "a.csv", "--target", "y", *words)[0] == 0
    frame[300:].to_csv(tmp_path / "b.csv", index=False)
    _, out, _ = run("apply", model, tmp_path / "b.csv", "--quiet")
    share = pd.read_csv(io.StringIO(out))["probability of 1"]
    true = 1.0 / (1.0 + np.exp(2.0 - 2.0 * frame.a[300:].to_numpy()))
    assert np.abs(share - true).mean() < 0.05


def test_identifiers_go_with_their_rows_as_they_are_written(models, tmp_path):
    found, _ = applied(models, "kind", NEW, "--id", "sample", "--id", "u")
    assert found["sample"].tolist() == NEW["sample"].tolist()
    assert found.columns.tolist()[:4] == ["row", "sample", "u", "predicted kind"]
    reduced = pd.read_csv(models / "kind.csv", dtype={"sample": str})
    assert reduced["sample"].tolist() == TRAINED["sample"].tolist()
    assert "sample" not in Model.read(models / "kind.skops").schema["names"]
    code, _, err = run("apply", models / "kind.skops", models / "trained.csv", "--id", "nobody")
    assert code == 2
    assert "nobody" in err


def test_categories_never_seen_are_named(models):
    frame = NEW.copy()
    frame.loc[[2, 5, 6], "colour"] = ["green", "green", "=violet"]
    _, err = applied(models, "kind", frame)
    assert "column 'colour' has 'green', '=violet' in 3 rows, which the model has never seen" in err
    assert "never seen" not in applied(models, "kind", NEW)[1]


@settings(max_examples=6)
@given(st.permutations(range(60)), st.integers(20, 60))
def test_scoring_the_rows_of_the_training_is_pointed_out(models, order, n):
    rows = TRAINED.iloc[list(order)[:n]]
    _, err = applied(models, "kind", rows)
    assert f"Note: the model was trained on {n} of these {n} rows" in err
    _, err = applied(models, "kind", pd.concat([NEW, rows[:15]]))
    assert "trained on" not in err


def test_the_training_is_known_by_few_different_values_too(tmp_path):
    """Of one column with 8 different values in 80 rows."""
    frame = pd.DataFrame({"a": np.arange(80) % 8, "b": np.arange(80) * 7 % 31})
    frame["y"] = np.where(frame.a > 3, "x", "z")
    frame.to_csv(tmp_path / "a.csv", index=False)
    model = tmp_path / "a.skops"
    words = ("--size", "1", "--quiet", *QUICK, "--model", model)
    assert run("select", tmp_path / "a.csv", "--target", "y", *words)[0] == 0
    assert "trained on 80 of these 80 rows" in run("apply", model, tmp_path / "a.csv")[2]
    frame.iloc[:-10].to_csv(tmp_path / "b.csv", index=False)
    assert "trained on" not in run("apply", model, tmp_path / "b.csv")[2]


def test_marks_of_missing_values_are_remembered(models):
    assert set(Model.read(models / "level.skops").schema["needed"]) >= {"w", "colour"}
    gone = NEW.copy()
    gone["w"] = gone.w.mask(gone.w == -999)
    assert (NEW.w == -999).any()
    pd.testing.assert_frame_equal(
        applied(models, "level", gone)[0], applied(models, "level", NEW)[0]
    )


def test_of_unequal_classes_the_balanced_error_is_told_and_why_probabilities_differ(tmp_path):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc"))
    frame["k"] = np.where(frame.index < 14, "rare", "common")
    frame.loc[frame.k == "rare", "a"] += 1.5
    frame.to_csv(tmp_path / "old.csv", index=False)
    words = ("--target", "k", "--model", tmp_path / "k.skops", "--quiet", *QUICK)
    assert run("select", tmp_path / "old.csv", *words)[0] == 0
    found, err = applied(tmp_path, "k", frame)
    wrong = found["predicted k"] != frame.k
    each = 100 * wrong.groupby(frame.k).mean().mean()
    assert f"Balanced error rate on this file's target: {each:.1f} %" in err
    assert f"Error rate on this file's target: {100 * wrong.mean():.1f} %" in err
    likelier = np.where(found["probability of rare"] > 0.5, "rare", "common")
    differ = int((likelier != found["predicted k"]).sum())
    assert differ > 5
    assert f"in {differ} rows the predicted class is not the most probable one" in err
    frame.loc[:4, "k"] = "never seen"
    told = " ".join(applied(tmp_path, "k", frame)[1].split())
    assert "the target has 'never seen'" in told
    assert "in 5 rows, which the model has never seen and cannot predict" in told
