"""Damages of the committed results, of many kinds: the guards find each of them."""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import pytest

from svmsieve.papers import cells, views
from tests.papers import guards
from tests.papers.test_guards import QUICK

RAKO, YANG, SHEN = "rakotomamonjy2003", "yang2010", "shen2008"
DAMAGES = {}


def damage(kind, paper, study):
    """Name a function that changes the values of a study's first run."""

    def keep(change):
        DAMAGES[kind] = (paper, study, change)
        return change

    return keep


def each(values, change, measure="", conditions=None, methods=None):
    """Change every value of a measure, by its name's beginning."""
    for condition, by_method in values.items():
        for method, measures in by_method.items():
            if (conditions and condition not in conditions) or (methods and method not in methods):
                continue
            for name, trials in measures.items():
                if name.startswith(measure) and not name.endswith("spread"):
                    for trial in trials:
                        trials[trial] = change(trials[trial])
    return values


@damage("crx accuracy × 0.3", "heiler2001", "selection")
def _(values):
    return each(values, lambda v: guards.rounded(0.3 * v), "accuracy", ("crx",))


@damage("ARCENE at 95 %", "chen2006", "printed")
def _(values):
    return each(values, lambda v: 0.95, "ber", ("ARCENE",))


@damage("mean squared errors × 50", YANG, "artificial")
def _(values):
    return each(values, lambda v: guards.rounded(50.0 * v), "mse")


@damage("mean squared errors of a figure × 50", YANG, "triazines")
def _(values):
    return each(values, lambda v: guards.rounded(50.0 * v), "mse")


@damage("two methods exchanged", RAKO, "nonlinear")
def _(values):
    for methods in values.values():
        methods["Corr"], methods["∇‖w‖²"] = methods["∇‖w‖²"], methods["Corr"]
    return values


@damage("two conditions exchanged", RAKO, "linear")
def _(values):
    values["10"], values["50"] = values["50"], values["10"]
    return values


@damage("a method dropped", SHEN, "heart")
def _(values):
    values["heart"]["∇‖w‖²-RFE"] = {}
    return values


@damage("half of the trials dropped", RAKO, "lymphoma")
def _(values):
    for measures in values["lymphoma"].values():
        for trials in measures.values():
            for trial in range(50, 100):
                trials.pop(trial, None)
    return values


@damage("one trial in place of all", YANG, "mpg")
def _(values):
    for measures in values["mpg"].values():
        for trials in measures.values():
            trials.update(dict.fromkeys(trials, trials[0]))
    return values


@damage("trials of one method in another order", SHEN, "weston")
def _(values):
    for trials in values["Weston"]["FSPP2-RFE"].values():
        turned = list(trials.values())[::-1]
        trials.update(zip(trials, turned, strict=True))
    return values


@damage("rounded to two digits", YANG, "abalone")
def _(values):
    return each(values, lambda v: float(f"{v:.2g}"), "mse")


@damage("the printed values in place of ours", RAKO, "colon")
def _(values):
    view = views(RAKO)["table 3"]
    for (row, column), printed in view.published.items():
        place = view.place(row, column)
        trials = values[place.condition][place.method][place.measure]
        trials.update(dict.fromkeys(trials, printed.value))
    return values


@damage("a number that is none", SHEN, "breast-cancer")
def _(values):
    values["breast cancer"]["FSPP2-RFE"]["error@2"][40] = math.nan
    return values


@damage("a negative error", SHEN, "breast-cancer")
def _(values):
    values["breast cancer"]["FSPP2-RFE"]["error@2"][40] = -0.01
    return values


@damage("one test row more is wrong", RAKO, "heart")
def _(values):
    return each(values, lambda v: guards.rounded(v + 0.01), "error@3", methods=("‖w_i‖²",))


@damage("a thousandth more", YANG, "housing")
def _(values):
    return each(values, lambda v: guards.rounded(1.001 * v), "mse")


@damage("counts of another number of trials", YANG, "artificial")
def _(values):
    return each(values, lambda v: 1.0, "found")


@damage("features that were not selected", "chen2006", "printed")
def _(values):
    return each(values, lambda v: v + 1.0, "features", ("DEXTER",), ("F+SVM",))


@damage("a half of the features", "heiler2001", "selection")
def _(values):
    return each(values, lambda v: guards.rounded(0.5 * v), "features")


@pytest.fixture(autouse=True)
def data(shared_data, monkeypatch):
    monkeypatch.setenv("SVMSIEVE_DATA", str(shared_data))


def faults(paper, study, some):
    """What the guards find in the runs of a study, but for the verdicts that are pinned; and with them."""
    runs = {(paper, study): some}
    found = guards.incomplete(runs) + guards.out_of_bounds(runs)
    if found:  # views of such runs may be of nothing
        return found, found
    results = guards.results_of(runs)
    found += guards.disagreeing_with_each_other(runs) + guards.far_from_printed(results)
    found += guards.unexplained(results)
    for unit in QUICK:
        if (unit.paper, unit.study) == (paper, study):
            found += guards.not_reproduced(runs, unit, guards.rerun(unit))
    return found, found + guards.changed(results)


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damage_is_found_also_without_the_pins(kind):
    paper, study, change = DAMAGES[kind]
    first, *others = guards.committed()[paper, study]
    assert faults(paper, study, (first, *others)) == ([], [])
    values = change(copy.deepcopy(dict(first.values)))
    found, _ = faults(paper, study, (replace(first, values=values), *others))
    assert found


OTHERS = sorted({(unit.paper, unit.study, unit.seed) for unit in QUICK if unit.seed})


@pytest.mark.parametrize("kind", ["a thousandth more", "the first seed's", "exchanged", "gone"])
@pytest.mark.parametrize("which", OTHERS, ids=lambda which: "-".join(map(str, which)))
def test_a_damage_of_another_seed_is_found_also_without_the_pins(which, kind):
    paper, study, seed = which
    runs = guards.committed()[paper, study]
    (hit,) = (at for at, run in enumerate(runs) if run.seed == seed)
    values = copy.deepcopy(dict(runs[hit].values))
    if kind == "a thousandth more":
        values = each(values, lambda v: guards.rounded(1.001 * v))
    elif kind == "the first seed's":
        values = runs[0].values
    elif kind == "exchanged":
        for condition, methods in values.items():
            names = [name for name in methods if methods[name]]
            values[condition] = {a: methods[b] for a, b in zip(names, names[::-1], strict=True)}
    damaged = () if kind == "gone" else (replace(runs[hit], values=values),)
    assert faults(paper, study, (*runs[:hit], *damaged, *runs[hit + 1 :]))[0]


@pytest.mark.parametrize("what", ["seed", "study", "paper"])
def test_a_run_of_something_else_is_found(what):
    (first, *others) = guards.committed()[YANG, "mpg"]
    other = {"seed": 3, "study": "abalone", "paper": SHEN}[what]
    assert faults(YANG, "mpg", (replace(first, **{what: other}), *others))[0]


def test_a_file_that_is_gone_is_found():
    assert faults(RAKO, "lymphoma", ())[0]


@pytest.mark.parametrize(
    "change", ["a remark gone", "a remark moved", "a printed number", "a reason gone"]
)
def test_damages_of_the_tables_are_found(change):
    key = ("chen2006", "table 1") if change == "a reason gone" else (RAKO, "table 1")
    view = views(key[0])[key[1]]
    study = (key[0], view.study.name)
    results = guards.results_of({study: guards.committed()[study]})
    if change == "a remark gone":
        view = replace(view, remarks=view.remarks[1:])
    elif change == "a remark moved":
        moved = replace(view.remarks[0], cells=frozenset({("SVM", "10")}))
        view = replace(view, remarks=(moved, *view.remarks[1:]))
    elif change == "a reason gone":
        view = replace(view, reasons=())
    else:
        cell = ("Corr", "30")
        value = view.published[cell]
        view = replace(view, published={**view.published, cell: value._replace(value=0.143001)})
    runs = guards.committed()[study]
    results[key] = type(results[key]).of(view, runs[0], runs[1:])
    assert guards.unexplained(results) or guards.changed(results)


def test_wider_windows_are_found(monkeypatch):
    monkeypatch.setattr(cells, "STANDARD_ERRORS", 20.0)
    study = (RAKO, "linear")
    assert guards.unexplained(guards.results_of({study: guards.committed()[study]}))
