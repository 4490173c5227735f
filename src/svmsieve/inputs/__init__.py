"""The border: a user's table, target, groups of features, weights and estimator become ours here, once."""
