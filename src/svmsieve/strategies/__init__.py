"""Chen & Lin's strategies: classifiers that select the features they use (2006)."""

from svmsieve.strategies.fscore import FScoreSVC
from svmsieve.strategies.thresholds import Thresholds

__all__ = ["FScoreSVC", "Thresholds"]
