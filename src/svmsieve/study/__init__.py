"""The whole procedure, from a table to selection and evaluation: what ``select`` and a notebook call."""
