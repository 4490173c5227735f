"""How good are selections, on data nobody tuned for: ``python -m benchmarks.quality run|page``.

Every method sees the same training rows of the same outer splits; the columns it chooses are judged by
the same RBF machine, tuned on these columns, on the held-out rows.  Results are kept piece by piece in
``docs/quality/<set>/<method>.json``, from which ``benchmarks.quality page`` makes ``docs/quality.md``.
"""
