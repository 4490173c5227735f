"""Run the papers' studies and write their pages.

python docs/papers/make.py run yang2010 artificial --jobs 2   # every study of every paper without names
python docs/papers/make.py pages

A study is recorded unit by unit in ``results/<paper>-<study>.jsonl`` (not committed) and goes on from there;
what was obtained so far is written to ``results/<paper>-<study>.json``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from svmsieve.papers import PAPERS, collect, studies
from svmsieve.papers.pages import make_pages, result_file

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["run", "pages"])
    parser.add_argument("paper", nargs="?", choices=PAPERS)
    parser.add_argument("study", nargs="?")
    parser.add_argument("--trials", type=int)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--methods", nargs="*", help="some of the study's methods only")
    options = parser.parse_args()
    if options.task == "pages":
        for page in make_pages(HERE):
            print(page.relative_to(HERE))
        return
    for paper in PAPERS if options.paper is None else (options.paper,):
        known = studies(paper)
        if options.study is not None and options.study not in known:
            parser.error(f"{paper} has the studies {', '.join(known)}")
        for study in known if options.study is None else (options.study,):
            file = result_file(HERE, paper, study)
            measurements = collect(
                paper,
                study,
                trials=options.trials,
                n_jobs=options.jobs,
                checkpoint=file.with_suffix(".jsonl"),
                verbose=1,
                methods=None if options.methods is None else tuple(options.methods),
            )
            file.write_text(measurements.to_json(), encoding="utf-8")
            print(f"{paper}, {study}: {file.relative_to(HERE)}, {measurements.seconds:.0f} s")


if __name__ == "__main__":
    main()
