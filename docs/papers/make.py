"""Run the papers' studies and write their pages.

python docs/papers/make.py run yang2010 artificial --jobs 2   # every study of every paper without names
python docs/papers/make.py pages

A study is recorded unit by unit in ``results/<paper>-<study>.jsonl`` (not committed) and goes on from there;
what was obtained so far is written to ``results/<paper>-<study>.json``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from svmsieve.papers import PAPERS, Only, collect, studies
from svmsieve.papers.pages import make_pages, with_scoreboard
from svmsieve.papers.scoreboard import result_file

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["run", "pages"])
    parser.add_argument("paper", nargs="?", choices=PAPERS)
    parser.add_argument("study", nargs="?")
    parser.add_argument("--trials", type=int)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--seed", type=int, default=0, help="another seed has files of its own")
    parser.add_argument("--methods", nargs="*", help="some of the study's methods only")
    parser.add_argument("--conditions", nargs="*", help="some of the study's conditions only")
    options = parser.parse_args()
    if options.task == "pages":
        for page in make_pages(HERE):
            print(page.relative_to(HERE))
        front = HERE / "README.md"
        front.write_text(with_scoreboard(front.read_text(encoding="utf-8"), HERE), encoding="utf-8")
        return
    for paper in PAPERS if options.paper is None else (options.paper,):
        known = studies(paper)
        if options.study is not None and options.study not in known:
            parser.error(f"{paper} has the studies {', '.join(known)}")
        for study in known if options.study is None else (options.study,):
            file = result_file(HERE, paper, study, options.seed)
            measurements = collect(
                paper,
                study,
                trials=options.trials,
                n_jobs=options.jobs,
                checkpoint=file.with_suffix(".jsonl"),
                verbose=1,
                seed=options.seed,
                only=Only(
                    None if options.methods is None else tuple(options.methods),
                    None if options.conditions is None else tuple(options.conditions),
                ),
            )
            file.write_text(measurements.to_json(), encoding="utf-8")
            print(f"{paper}, {study}: {file.relative_to(HERE)}, {measurements.seconds:.0f} s")


if __name__ == "__main__":
    main()
