"""A report's content in a terminal: the data as understood, the chosen features, the nested error."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from svmsieve.evaluation.shown import Shown
from svmsieve.report.methods import ORDERED_BY, p_value
from svmsieve.runtime.text import one_line

_MOST_FEATURES = 30
_MOST_CLASSES = 12


def print_report(content: dict[str, Any], console: Console | None = None) -> None:
    """Print a selection or a comparison."""
    console = Console() if console is None else console
    measure = content["measure"]
    shown = Shown.from_dict(measure)
    _line(console, content["title"], "bold")
    if content["verdict"] is not None:
        _verdict(content["verdict"], console)
    for note in content["data"]["notes"]:
        _line(console, f"  {note}")
    if content["selection"] is not None:
        _selection(content, console)
    if content["evaluation"] is not None:
        _evaluation(content, shown, console)
    if content["comparison"] is not None:
        _comparison(content["comparison"], shown, console)
    for sentence in (*content["data"]["warnings"], *content["done"]["warnings"]):
        _line(console, f"Note: {sentence}", "yellow")
    seconds = content["done"]["seconds"]
    if seconds is not None:
        _line(console, f"Time: {seconds:.1f} s, reading and compilation included")


def plain_table(*columns: str, right: Collection[str] = ()) -> RichTable:
    """Return an empty table without lines."""
    table = RichTable(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(Text(column), justify="right" if column in right else "left")
    return table


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(one_line(text, 2000), style=style), soft_wrap=True)


def _head(console: Console, text: str) -> None:
    console.print()
    _line(console, text, "bold")


def _verdict(verdict: dict[str, Any], console: Console) -> None:
    _line(console, verdict["sentence"], "bold")
    for sentence in verdict["evidence"]:
        _line(console, f"  {sentence}")
    end = ":" if verdict["command"] else "."
    _line(console, f"  Next: {verdict['advice']}{end}")
    if verdict["command"]:
        _line(console, f"    {verdict['command']}")
    console.print()


def _selection(content: dict[str, Any], console: Console) -> None:
    selection, ranking = content["selection"], content["ranking"]
    _head(console, f"{selection['size']} of {selection['of']} features selected")
    _line(console, f"  {selection['reason']}")
    columns = ["rank", "feature", "score"]
    if ranking["positions"] is not None:
        columns[2:] = [ranking["by"], "score then"]
    if ranking["half_samples"] is not None:
        columns.append("half samples")
    if ranking["frequency"] is not None:
        columns += ["selected in folds", "ranks, list and folds"]
    table = plain_table(*columns, right=set(columns) - {"feature"})
    for i in range(min(selection["size"], _MOST_FEATURES)):
        score = ranking["scores"][i]
        cells = [str(i + 1), one_line(ranking["names"][i])]
        if ranking["positions"] is not None:
            at = ranking["positions"][i]
            cells.append("–" if at is None else f"{at:.4g}")
        cells.append("–" if score is None else f"{score:.4g}")
        if ranking["half_samples"] is not None:
            cells.append(f"{ranking['half_samples'][i]:.0%}")
        if ranking["frequency"] is not None:
            cells.append(f"{ranking['frequency'][i]:.0%}")
            cells.append(f"{ranking['lowest_rank'][i]}–{ranking['highest_rank'][i]}")
        table.add_row(*map(Text, cells))
    console.print(table)
    if selection["size"] > _MOST_FEATURES:
        _line(console, f"  … and {selection['size'] - _MOST_FEATURES} more")
    _line(console, f"  {ORDERED_BY[ranking['by']]}")


def _of_groups(judged: dict[str, Any]) -> str:
    return "" if judged["groups"] is None else f" of whole groups ({judged['groups']} groups)"


def _evaluation(content: dict[str, Any], shown: Shown, console: Console) -> None:
    evaluation = content["evaluation"]
    better = "lower" if shown.lower_is_better else "higher"
    _head(
        console,
        f"{shown.name} in {evaluation['folds']} outer folds{_of_groups(evaluation)}, selection repeated in "
        f"each ({better} is better)",
    )
    table = plain_table("", shown.name, "95 % interval", "difference (Holm)", right=(shown.name,))
    rows = [{"name": "selected features", "p": None, **evaluation}, *evaluation["baselines"]]
    for row in rows:
        p = "" if row["name"] == "selected features" else f"p {p_value(row['p'])}"
        table.add_row(*map(Text, (row["name"], shown.text(row["value"]), shown.limits(row), p)))
    console.print(table)
    if evaluation["recall"]:
        _recall(evaluation["recall"], console)


def _recall(classes: list[dict[str, Any]], console: Console) -> None:
    """Say how much of each class was predicted right, the worst first where there are many."""
    many = len(classes) > _MOST_CLASSES
    listed = sorted(classes, key=lambda each: each["right"])[:_MOST_CLASSES] if many else classes
    words = ", ".join(
        f"{one_line(each['label'])} {100.0 * each['right']:.0f} % of {each['rows']}"
        for each in listed
    )
    more = f" (the worst {_MOST_CLASSES} of {len(classes)} classes)" if many else ""
    _line(console, f"Right of each class: {words}{more}")


def _comparison(comparison: dict[str, Any], shown: Shown, console: Console) -> None:
    better = "lower" if shown.lower_is_better else "higher"
    _head(
        console,
        f"{shown.name} in {comparison['folds']} outer folds{_of_groups(comparison)} ({better} is better)",
    )
    columns = ("method", shown.name, "95 % interval", "columns", "stability", "seconds")
    table = plain_table(*columns, right=(shown.name, "columns", "stability", "seconds"))
    for method in comparison["methods"]:
        stability = method["stability"]
        table.add_row(
            *map(
                Text,
                (
                    one_line(method["name"]),
                    shown.text(method["value"]),
                    shown.limits(method),
                    "all" if method["columns"] is None else f"{method['columns']:.3g}",
                    "–"
                    if not stability or stability["value"] is None
                    else f"{stability['value']:z.2f}",
                    "–" if method["seconds"] is None else f"{method['seconds']:.1f}",
                ),
            )
        )
    console.print(table)
    different = [test for test in comparison["tests"] if test["sign"]]
    if not different:
        _line(console, "No difference is significant at 5 % (corrected resampled t-test, Holm).")
    for test in different:
        word = "better" if test["sign"] == "+" else "worse"
        _line(
            console, f"{test['first']} is {word} than {test['second']}, p {p_value(test['p_holm'])}"
        )
