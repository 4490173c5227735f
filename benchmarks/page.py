"""Make ``docs/benchmarks.md`` and its plots from the figures in ``docs/benchmarks/``.

    python -m benchmarks.page

Nothing is measured here, and nothing on the page but its words comes from elsewhere.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import answer_growth, answers
from benchmarks.growth import SERIES, exponent
from benchmarks.page_plots import growth_line, plot_growth, plot_ratios, save
from benchmarks.problems import ROOT
from benchmarks.timing import human_time
from svmsieve.runtime.memory import BLOCK_BUDGET, human_size

FOLDER = ROOT / "docs" / "benchmarks"
IMAGES = ROOT / "docs" / "images"
SECTIONS = {
    "rank": "Rank once",
    "eliminate": "Eliminate",
    "forward": "Forward selection with cross-validation",
    "tune": "Tune C and γ on 110 points",
    "validate": "Elimination repeated in every fold",
}
WORDS = {
    "rank": """One permutation of each feature, and the mean shift of the machine's probabilities
(`fspp2`) or, for cpusmall's SVR, of its predictions (`sd-gauss`). `permutation_importance` measures the
same shift when it is given the machine's own outputs as the target; it makes five permutations unless told
otherwise, which cost five times as much there and little here. `sd-gauss` also counts the change of the
noise, and met other permutations, so its ranks are close to theirs and not the same. Calibration of the
probabilities is in our time with training and not in theirs. SHAP and the F-score answer other questions,
and stand here because people ask them instead.""",
    "eliminate": """One by one from all features to the last; HSIC leaves out a tenth of the rest at a
time. No peer eliminates with an RBF machine, so the opponent there is the loop that a user would write: fit,
permute, remove.""",
    "forward": """Every candidate is trained and cross-validated at every step, on both sides in the same
folds.""",
    "tune": "Chen & Lin's grid, balanced accuracy, the same five folds.",
    "validate": "The whole elimination on all samples and without each fold, as RFECV does.",
}
HEAD = """# Benchmarks

svmsieve against what people would use instead. Each job compares the answers first, then the times, in
one run on one machine; the ratio counts, not the seconds. This page is made from the figures in
`docs/benchmarks` and nothing else.

## How it was measured

- {machine}.
- Other computations on the machine were paused during a measurement. Short jobs ran several times and the
  median counts; what took longer than some seconds ran once. A difference of a fifth may be the weather.
- Both sides get the two cores as their users would get them: scikit-learn, mlxtend and pyHSICLasso by
  `n_jobs=2` where they take it (`RFE` does not), scikit-learn-intelex and svmsieve by the threads they
  start themselves. Worker processes are started, and code is compiled, before the clock runs.
- `~`: what would have taken minutes to weeks was measured on some columns, sizes or points, and
  extrapolated; [Parts](#parts) says from what.
- Samples are standardised beforehand. The machines have the same parameters on both sides, and the
  tolerances of scikit-learn's defaults unless a job says otherwise.
"""
RERUN = """## Run it again

```
pip install -r benchmarks/requirements-peers.txt
export SVMSIEVE_DATA=<folder with the data sets>
python -m benchmarks.peers rank-madelon forward-heart   # some jobs; without names all of them
python -m benchmarks.growth rank-features               # some series; without names all of them
python -m benchmarks.page                               # this page
```

`benchmarks.engine`, `benchmarks.criteria` and `benchmarks.search` measure the parts one by one; see
`benchmarks/README.md`.
"""


def read(pattern: str) -> dict[str, dict[str, Any]]:
    """Return the files of figures by their names."""
    return {file.stem: json.loads(file.read_text()) for file in sorted(FOLDER.glob(pattern))}


def load_jobs() -> dict[str, dict[str, Any]]:
    """Return the jobs in the order of their sections."""
    files = read("*.json")
    return {
        name: content
        for section in SECTIONS
        for name, content in files.items()
        if name.startswith(f"{section}-")
    }


def _seconds(timing: dict[str, Any]) -> str:
    seconds = timing["median"]
    text = human_time(seconds)
    if seconds >= 172_800:
        text = f"{seconds / 86_400:.3g} days"
    elif seconds >= 7200:
        text = f"{seconds / 3600:.3g} h"
    elif seconds >= 120:
        text = f"{seconds / 60:.3g} min"
    return ("~" if timing["extrapolated"] else "") + text


def _ratio(value: float) -> str:
    return f"{value:.0f} ×" if value >= 100 else f"{value:.3g} ×"


def _goal(row: dict[str, Any]) -> str:
    if row["goal"] is None:
        return ""
    return f"{row['goal']:g} × {'met' if row['met'] else '**missed**'}"


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines of one table."""
    lines = [
        "| job | against | theirs | svmsieve | ratio | goal | same answer? |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        cells = (
            row["job"],
            row["against"],
            _seconds(row["theirs"]),
            _seconds(row["ours"]),
            _ratio(row["value"]),
            _goal(row),
            row["deviation"].replace("|", "\\|"),
        )
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def parts(jobs: dict[str, dict[str, Any]]) -> list[str]:
    """Say what was measured of the extrapolated times."""
    lines = ["## Parts", ""]
    seen = set()
    for content in jobs.values():
        for row in content["results"]:
            details = row["details"]
            text = ""
            if "columns" in details:
                text = f"{details['columns_measured']} of {details['columns']} columns"
            elif "points" in details and details["points_measured"] < details["points"]:
                text = f"{details['points_measured']} of {details['points']} points"
            elif "sizes" in details:
                sizes = ", ".join(map(str, details["sizes"]))
                text = f"{details['columns_measured']} columns at the sizes {sizes}, interpolated"
            elif "samples_explained" in details:
                text = f"{details['samples_explained']} of {details['samples']} samples explained"
                text += f", {details['background']} as background"
            what = (row["job"].split(",")[0], row["against"])
            if row["theirs"]["extrapolated"] and text and what not in seen:
                seen.add(what)
                lines.append(f"- {what[0]}, {what[1]}: {text}.")
    return [*lines, ""]


def behind(jobs: dict[str, dict[str, Any]], series: dict[str, dict[str, Any]]) -> list[str]:
    """Say where a peer is ahead and which goals were missed."""
    rows = [row for content in jobs.values() for row in content["results"]]
    lines = []
    for row in rows:
        if row["value"] < 1.0:
            faster = _ratio(1.0 / row["value"])
            lines.append(f"- **{row['against']} is ahead** on {row['job']}: {faster} faster.")
    for row in rows:
        if row["goal"] is not None and row["value"] < row["goal"]:
            lines.append(
                f"- {row['job']}, against {row['against']}: {_ratio(row['value'])}, short of "
                f"the goal of {row['goal']:g} ×."
            )
    for name, content in series.items():
        largest = content["rows"][-1]
        allowed = 3 * 8 * largest["n"] ** 2 + BLOCK_BUDGET
        if largest["bytes"] > allowed:
            lines.append(
                f"- {SERIES[name].words}, {largest['n']} × {largest['d']}: "
                f"{human_size(largest['bytes'])} at the peak, more than {human_size(allowed)}; copies of "
                f"the samples are {human_size(largest['data'])} each."
            )
    lines += answers.behind(FOLDER / "answers.json")
    lines = lines or ["In none of these jobs a peer is ahead or a goal is missed."]
    return ["## Where it falls short", "", *lines, ""]


def growth(series: dict[str, dict[str, Any]]) -> list[str]:
    """Return the section on growth."""
    lines = [
        "## Growth",
        "",
        "Exponents of time, fitted to all sizes, and to the last three, where what does not grow with "
        "the size no longer counts; the goal is for the latter. A full elimination leaves half of the "
        "features at each step. Peak memory is that of a process of its own, less what it had with the "
        "samples loaded; the goal is three kernel matrices and the 256 MiB in which blocks are computed. "
        "These samples are not scaled (`scale=False`), and with many features all of them are support "
        "vectors, so neither is copied; elsewhere the scaled samples and the support vectors are kept "
        "besides, each as large as the samples at most.",
        "",
        "| series | sizes | exponent | last three | goal | peak memory | three kernel matrices + blocks | "
        "the samples |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, content in series.items():
        chosen = SERIES[name]
        sizes, seconds = growth_line(content, chosen.along)
        slope, tail = exponent(sizes, seconds), exponent(sizes[-3:], seconds[-3:])
        largest = content["rows"][-1]
        allowed = 3 * 8 * largest["n"] ** 2 + BLOCK_BUDGET
        verdict = "met" if tail <= chosen.goal else "**missed**"
        fits = "met" if largest["bytes"] <= allowed else "**missed**"
        lines.append(
            f"| {chosen.words} | {chosen.along} = {sizes[0]} to {sizes[-1]} | {slope:.2f} | "
            f"{tail:.2f} | {chosen.goal:g} {verdict} | {human_size(largest['bytes'])} | "
            f"{human_size(allowed)} {fits} | {human_size(largest['data'])} |"
        )
    return [*lines, "", "![Time against features and samples](images/benchmarks-growth.svg)", ""]


def floors(file: Path) -> list[str]:
    """Return the section on the parts of the slowest jobs."""
    if not file.exists():
        return []
    content = json.loads(file.read_text())
    lines = [
        "## What lies above the floor",
        "",
        f"Our three slowest jobs by their parts. One large product runs at {content['float64'] / 1e9:.0f} "
        f"GFLOP/s here (float32: {content['float32'] / 1e9:.0f}), a copy by both cores at "
        f"{content['copy'] / 1e9:.1f} GB/s. The floor of the scores is their matrix products in float64 at "
        "that rate, that of a kernel update is reading the distances and writing them and the kernel. Parts "
        "that run in two threads are added up over both.",
        "",
        "| job | seconds | parts | floor of the scores | floor of the updates |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, found in content["jobs"].items():
        parts = ", ".join(f"{label} {human_time(each)}" for label, each in found["parts"].items())
        operations, moved = found["product_operations"], found["bytes_an_update"]
        scores = human_time(operations / content["float64"]) if operations else ""
        updates = ""
        if moved:
            updates = human_time(found["calls"]["kernel updates"] * moved / content["copy"])
        what = f"{name}: {found['words'][0].lower()}{found['words'][1:].rstrip('.')}"
        lines.append(
            f"| {what} | {human_time(found['seconds'])} | {parts} | {scores} | {updates} |"
        )
    return [*lines, ""]


def machine(jobs: dict[str, dict[str, Any]]) -> str:
    """Describe the machine and the libraries in one line."""
    packages: dict[str, str] = {}
    for content in jobs.values():
        about = content["environment"]
        packages.update(about["packages"])
    versions = ", ".join(f"{name} {number}" for name, number in packages.items())
    return (
        f"{about['cores']} cores of a virtual machine ({about['cpu']}), {about['system']}, "
        f"Python {about['python']}; {versions}"
    )


def main() -> None:
    """Write the page and the plots."""
    jobs = load_jobs()
    series = {
        name: content
        for name in SERIES
        for key, content in read("growth-*.json").items()
        if key == f"growth-{name}"
    }
    IMAGES.mkdir(exist_ok=True)
    lines = [HEAD.format(machine=machine(jobs))]
    lines += ["![Ratios of all jobs](images/benchmarks-ratios.svg)", ""]
    for section, title in SECTIONS.items():
        rows = [
            row
            for name, content in jobs.items()
            if name.startswith(f"{section}-")
            for row in content["results"]
        ]
        if rows:
            lines += [f"## {title}", "", WORDS[section], "", *table(rows), ""]
    lines += answers.section(FOLDER / "answers.json")
    if answer_growth.FILE.exists():
        content = json.loads(answer_growth.FILE.read_text())
        lines += answer_growth.section(content)
        save(answer_growth.plot(content), IMAGES / "benchmarks-answers.svg")
    lines += behind(jobs, series)
    lines += growth(series) if series else []
    lines += parts(jobs)
    lines += floors(FOLDER / "floors.json")
    lines.append(RERUN)
    (ROOT / "docs" / "benchmarks.md").write_text("\n".join(lines))
    plot_ratios(jobs, IMAGES / "benchmarks-ratios.svg")
    if series:
        plot_growth(series, IMAGES / "benchmarks-growth.svg")


if __name__ == "__main__":
    main()
