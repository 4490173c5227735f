"""The whole procedure, from a table to a verdict: what ``select`` and a notebook call."""
