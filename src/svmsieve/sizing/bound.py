"""The radius/margin bound of a trained machine, for the rule that chooses a size by it."""

from __future__ import annotations

from svmsieve.criteria.radius_margin import sphere_around, squared_norm
from svmsieve.engine.machines.trained import Trained


def radius_margin_bound(trained: Trained) -> float:
    """Return ``R²‖w‖²/n`` of squared-hinge machines, summed over the pairs of classes."""
    return sum(
        sphere_around(trained.matrix_of(part), part).radius2
        * squared_norm(part, part.dual)
        / len(part.rows)
        for part in trained.parts
    )
