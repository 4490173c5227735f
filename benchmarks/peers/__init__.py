"""What people would use instead, on the same jobs: ``python -m benchmarks.peers [job ...]``.

Each job compares the answers first and the times afterwards, in one run, and keeps its figures in
``docs/benchmarks/<job>.json``, from which ``benchmarks.page`` makes the page.
"""
