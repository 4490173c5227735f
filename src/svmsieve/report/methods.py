"""What was done, in plain words with citations, and a paragraph ready to paste into a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from svmsieve.criteria import make_criterion
from svmsieve.evaluation.shown import Shown
from svmsieve.inputs.questions import is_nystroem
from svmsieve.report.citations import cited
from svmsieve.report.reasons import Reasons
from svmsieve.report.searched import search_of
from svmsieve.search.path import Tried
from svmsieve.search.rankers import is_joint
from svmsieve.selection.specification import retunes
from svmsieve.studies.baselines import LINEAR, UNIVARIATE, described

_SEARCHES = {
    "rfe": "The machine is trained, its features are scored, the least important leave, and again, until "
    "none is left; the order in which they left is the ranking (recursive feature elimination).",
    "once": "The machine is trained once with all features, and their scores are the ranking.",
    "hill-climb": "Features are ranked once and added best first, until the cross-validated score stops "
    "rising.",
    "forward": "Features are added one at a time, each time the one that raises the cross-validated score "
    "most.",
}
_BY_SKILL = (
    "the smallest number of features that is nearly as good as the best by skill, one less the squared error "
    "of the held-out samples' probabilities (or numbers) relative to that of guessing: twice as many "
    "features must gain a small share of it, fewer may lose no more than another, and the mean score no more "
    "than 0.02 (unless said otherwise)"
)
_RULES = {
    "auto": "the middle of the numbers of features whose cross-validated score (averaged with neighbours "
    "that are not told apart) is near the best, by half of its standard error",
    "1se": "the smallest number of features whose cross-validated score is within one standard error of "
    "the best",
    "best": "the number of features with the best cross-validated score",
    "bound": "the number of features with the smallest radius/margin bound on the leave-one-out error",
    "stable": "the features that most of 100 random half samples choose; how many must, and how many each "
    "chooses, follows from a bound on the expected number of false ones, which is at most 1",
    "threshold": "the point at which removal would take a feature that scores at least 5 % of the best",
}

ORDERED_BY = {
    "mean rank": "Rank: by the mean rank (geometric) in the folds that chose the size and on all rows; "
    "score: on all rows, when the feature left.",
    "leaves at": "Rank: the order of elimination, by the number of features at which each leaves; score: "
    "when it left, not to be compared between features that left at different sizes.",
    "enters at": "Rank: the order in which features entered, by the number of features then.",
    "score": "Rank: by the score, which all features had at once.",
    "half samples": "Rank: by how many half samples choose the feature.",
}
"""What the ranking is the order of, in words."""

_JOINT = "The rankings listed here joined into one, by the geometric mean of a feature's ranks"


def facts(sieve: Any, told: Reasons) -> dict[str, Any]:
    """Return what the sieve used: criterion, search, machine."""
    regression = not hasattr(sieve, "classes_")
    task = "regression" if regression else "binary"
    criterion = make_criterion(sieve.criterion, task)
    name, text, paper = criterion.name, criterion.__doc__ or "", criterion.paper
    if is_joint(sieve.path_.ranking):
        name, text, paper = sieve.path_.ranking, f"{_JOINT}.", ""
    elif len(sieve.path_.tried) > 1:
        criterion = make_criterion(sieve.path_.ranking.partition(",")[0], task)
        name, text, paper = criterion.name, criterion.__doc__ or "", criterion.paper
    search = search_of(sieve)
    machine = sieve.estimator_
    words = [type(machine).__name__]
    for key, word in (
        ("kernel", "kernel"),
        ("C", "C"),
        ("gamma", "γ"),
        ("epsilon", "ε"),
        ("n_landmarks", "landmarks"),
    ):
        value = getattr(machine, key, None)
        if value is None or (key == "gamma" and getattr(machine, "kernel", "") == "linear"):
            continue
        if key == "epsilon" and not regression:
            continue
        if key == "epsilon":
            value *= sieve.target_deviation_  # in the target's own units
        words.append(
            f"{word} = {value:.4g}" if isinstance(value, float | int) else f"{word} {value}"
        )
    own = sieve.estimator is None and sieve.tuning == "best" and not retunes(sieve)
    own = own and not (search.forward or is_nystroem(sieve.machine))
    return {
        "criterion": name,
        "criterion_text": _plain_text(text.strip().split("\n")[0]),
        "paper": paper,
        "tried": _tried(sieve.path_.tried, told) + _on_halves(sieve),
        "search": search.name,
        "rule": str(sieve.n_features_to_select),
        "by_skill": sieve.n_features_to_select == "auto" and sieve.path_.fold_skills is not None,
        "halves": sieve.selection_frequency_ is not None,
        "machine": ", ".join(words),
        "tuned": getattr(sieve, "tuning_", None) is not None,
        "grid": "" if own else "Yang & Ong 2010" if regression else "Chen & Lin 2006",
        "groups": sieve.n_sample_groups_ if sieve._groups_kept else None,
        "scaled": bool(sieve.scale),
        "target_scaled": regression and bool(sieve.scale or sieve.estimator is None),
        "filled": sieve.missing == "mean",
        "task": "regression" if regression else "classification",
    }


def _tried(rows: Sequence[Tried], told: Reasons) -> str:
    """What was tried and which was taken, in words; nothing where there was no choice."""
    if len(rows) < 2:
        return ""
    taken = next(row for row in rows if row.taken)
    by_skill = rows[0].skill is not None
    listed = "; ".join(
        f"{row.ranking}: {told.text(row.score)} with {row.n_features}"
        + (f" ({_difference(row, told)})" if row is not rows[0] else "")
        for row in rows
    )
    of = "the skill's " if by_skill else "the "
    return (
        f" {len(rows)} rankings were tried in the same folds, each with the {told.shown.name} and the number "
        f"of features of its best size (in brackets {of}difference to the first, with its standard error"
        f"{_SKILL if by_skill else ''}): {listed}. Taken "
        f"was {taken.ranking}; another than the first is taken only if it is better by more than that error."
    )


_SKILL = (
    "; skill is by how much the squared error of the held-out samples is less than that of guessing, as a "
    "share of it"
)


def _tuned(used: dict[str, Any]) -> str:
    if not used["tuned"]:
        return "its parameters were fixed, not tuned."
    relative = "" if used["grid"] else " relative to the number and the variance of the columns"
    return f"C and γ by cross-validation on a grid{relative}, anew in every fold."


def _difference(row: Tried, told: Reasons) -> str:
    if row.skill is not None:
        return f"{row.difference:+.3f}, ± {row.se:.3f}"
    return f"{told.shown.difference(row.difference)}, ± {told.shown.amount(row.se)}"


def _on_halves(sieve: Any) -> str:
    """Which rankings choose on the half samples, in words; nothing where there is one, or no half."""
    names = sieve.path_.ranking.split("; ")
    if sieve.selection_frequency_ is None or len(names) < 2:
        return ""
    return (
        f" On each half sample the best by any of {len(names)} rankings are chosen: {'; '.join(names)}. The "
        "scores told here are those of all samples."
    )


def _preparation(used: dict[str, Any]) -> str:
    """What was done to the columns, in words."""
    scaled = ["columns"] * used["scaled"] + ["the target"] * used["target_scaled"]
    done = [f"{' and '.join(scaled)} {'are' if used['scaled'] else 'is'} standardised"] * bool(
        scaled
    )
    done += ["missing numbers are filled with the mean"] * used["filled"]
    if not done:
        return "Columns are taken as they are."
    return f"{' and '.join(done).capitalize()}, by the training samples of each fold."


def _plain_text(docstring: str) -> str:
    return docstring.replace("``", "")


def methods(used: dict[str, Any], evaluation: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return each part of what was done: title, words, citations."""
    rule = _RULES.get(used["rule"], f"as asked for: {used['rule']}")
    if used["by_skill"]:
        rule = _BY_SKILL
    listed = [
        {
            "title": f"Criterion: {used['criterion']}",
            "text": used["criterion_text"] + used["tried"],
            "citations": cited(used["paper"]),
        },
        {
            "title": f"Search: {used['search']}",
            "text": _SEARCHES.get(used["search"], used["search"]),
            "citations": cited("Guyon et al. 2002") if used["search"] == "rfe" else [],
        },
        {
            "title": f"Number of features: {used['rule']}",
            "text": f"{rule}.{_of_groups(used['groups'])}",
            "citations": cited("Shah & Samworth 2013") if used["halves"] else [],
        },
        {
            "title": "Machine",
            "text": f"{used['machine']}; {_tuned(used)} {_preparation(used)}",
            "citations": cited(used["grid"]) if used["tuned"] else [],
        },
    ]
    if evaluation is not None:
        listed.append(
            {
                "title": "Evaluation",
                "text": f"{'Ranking, tuning' if used['tuned'] else 'Ranking'} and choice of the size were "
                "repeated inside each of "
                f"{evaluation['folds']} outer folds, and judged by samples that none of it "
                f"saw.{_of_groups(evaluation['groups'])} The interval is Wilson's for shares (a "
                "group counts as one sample) and Student's t of the logarithm for errors of numbers and for "
                "1 − R², with the variance of overlapping folds; the tests are corrected resampled t-tests."
                + _compared(evaluation["baselines"]),
                "citations": cited(
                    "Ambroise & McLachlan 2002", "Nadeau & Bengio 2003", "Wilson 1927"
                ),
            }
        )
        listed.append(
            {
                "title": "Stability",
                "text": "How often the folds chose each feature, and Nogueira's index: 1 where all folds "
                "choose the same features, 0 where they agree as often as chance.",
                "citations": cited("Nogueira et al. 2018"),
            }
        )
    return listed


def _compared(baselines: list[dict[str, Any]]) -> str:
    """Say what some of the baselines are, where they are there."""
    names = {each["name"] for each in baselines}
    words = []
    if names & set(UNIVARIATE.values()):
        words.append(
            "as many features as each fold chose, the best one by one, with the machine of the selection "
            "(RBF where another kernel is tuned)"
        )
    if LINEAR in names:
        words.append("a linear machine on all features, C = 10 over the number of columns")
    return f" Also in the same folds: {'; '.join(words)}." if words else ""


def _of_groups(n_groups: int | None) -> str:
    """Say that folds kept groups of samples whole, where there were any."""
    if n_groups is None:
        return ""
    return f" Folds kept the {n_groups} groups of samples whole: none was on both sides of a fold."


def paragraph(content: dict[str, Any], used: dict[str, Any], shown: Shown) -> str:
    """Return a methods paragraph with its numbers."""
    data, selection, evaluation = content["data"], content["selection"], content["evaluation"]
    kind = "classes" if used["task"] == "classification" else "a numeric target"
    samples = "samples" if data["rows"] is None else f"{data['rows']} samples"
    text = (
        f"Features were selected with svmsieve {content['svmsieve']} from {selection['of']} candidates in "
        f"{samples} ({kind}), using the criterion {used['criterion']}"
        f"{f' ({paper})' if (paper := used['paper']) else ''} with "
        f"the search “{used['search']}” and a support vector machine ({used['machine']}"
        f"{', tuned by cross-validation' if used['tuned'] else ''}). {selection['size']} "
        f"feature{' was' if selection['size'] == 1 else 's were'} kept "
        f"({selection['reason']})."
    )
    if evaluation is not None:
        text += (
            f" In {evaluation['folds']}-fold nested cross-validation{_by_groups(evaluation)}, in which the "
            f"whole selection was repeated inside every fold, the {shown.name} was "
            f"{shown.text(evaluation['value'])} (95 % interval {shown.limits(evaluation)})"
        )
        for baseline in evaluation["baselines"]:
            text += (
                f", against {shown.text(baseline['value'])} {described(baseline['name'])} "
                f"(p {p_value(baseline['p'])})"
            )
        if evaluation["baselines"]:
            text += "; p-values by the corrected resampled t-test, adjusted by Holm"
        text += "."
        stability = content["stability"]
        if stability is not None and stability["index"] is not None:
            text += (
                f" The selection's stability over the folds was {stability['index']:z.2f} (Nogueira et al. "
                "2018)."
            )
    else:
        text += " No nested evaluation was made: scores of the folds that chose the size are optimistic."
    return text


def _by_groups(judged: dict[str, Any]) -> str:
    return (
        "" if judged["groups"] is None else f" that kept {judged['groups']} groups of samples whole"
    )


def p_value(value: float | None) -> str:
    """Return a p-value with its relation.

    >>> p_value(0.0123), p_value(1e-5)
    ('= 0.012', '< 0.001')
    """
    if value is None or value != value:
        return "not known"
    return "< 0.001" if value < 0.001 else f"= {value:.2g}"


def methods_of_comparison() -> list[dict[str, Any]]:
    """Return what a comparison does, in words."""
    return [
        {
            "title": "Comparison",
            "text": "Every method was fitted anew, selection included, in the same outer folds, and judged "
            "by samples it never saw. Differences are tested with the corrected resampled t-test, and all "
            "p-values of the table adjusted together by Holm's procedure.",
            "citations": cited("Ambroise & McLachlan 2002", "Nadeau & Bengio 2003"),
        },
        {
            "title": "Stability",
            "text": "Nogueira's index: 1 where all folds choose the same columns, 0 where they agree as "
            "often as chance.",
            "citations": cited("Nogueira et al. 2018"),
        },
    ]


def comparison_paragraph(content: dict[str, Any], shown: Shown) -> str:
    """Return a paragraph with the numbers of a comparison."""
    found = content["comparison"]
    parts = [
        f"{method['name']} {shown.text(method['value'])} ({shown.limits(method)})"
        for method in found["methods"]
    ]
    different = [test for test in found["tests"] if test["sign"]]
    text = (
        f"The methods were compared with svmsieve {content['svmsieve']} on {content['data']['rows']} samples "
        f"in the same {found['folds']} outer folds{_by_groups(found)}, selection repeated inside each; "
        f"{shown.name} with 95 % interval: {'; '.join(parts)}."
    )
    if not different:
        return f"{text} No difference is significant at 5 % (corrected resampled t-test, Holm)."
    told = [
        f"{test['first']} is {'better' if test['sign'] == '+' else 'worse'} than {test['second']} "
        f"(p {p_value(test['p_holm'])})"
        for test in different
    ]
    return f"{text} By the corrected resampled t-test with Holm's adjustment, {'; '.join(told)}."
