"""Processes for the outer folds, started while this one still loads what it needs: that takes seconds."""

from __future__ import annotations

import sys

_FOLDS = 5
"""Outer folds: more processes than these have nothing to do."""

_is_program = False


def allow() -> None:
    """Say that this process is the command itself; who calls its functions may not want other processes."""
    global _is_program
    _is_program = True


def start(jobs: int | None, *, quick: bool = False) -> None:
    """Start as many processes as are going to share the work, about; others than those end unused."""
    if not _is_program or quick or jobs in (0, 1):
        return
    from joblib import effective_n_jobs

    n_others = min(effective_n_jobs(-1 if jobs is None else jobs) - 1, _FOLDS)
    if n_others > 0:
        from svmsieve.runtime.kept_processes import start_early

        start_early(n_others, "svmsieve.studies.running")


def end() -> None:
    """End those that nobody has taken, or that are done, so that nothing waits for them."""
    kept = sys.modules.get("svmsieve.runtime.kept_processes")
    if kept is not None:
        kept.end_kept()
