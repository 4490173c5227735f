"""Chen & Lin's strategies: classifiers that select the features they use (2006)."""

from svmsieve.strategies.forest import ForestRMBoundSVC, FScoreForestSVC
from svmsieve.strategies.fscore import FScoreSVC
from svmsieve.strategies.rm_svc import RMBoundSVC
from svmsieve.strategies.thresholds import Thresholds

__all__ = ["FScoreForestSVC", "FScoreSVC", "ForestRMBoundSVC", "RMBoundSVC", "Thresholds"]
