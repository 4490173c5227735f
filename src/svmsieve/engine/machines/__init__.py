"""Machines: what they learn, how they are trained, tuned, calibrated and scored; all end as expansions."""
