"""
Your own criterion
==================

A criterion is a small class. This one asks how many more samples are predicted wrong when a column
is permuted: what scikit-learn calls permutation importance, but from the machine's answers as
matrix products.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.inspection import permutation_importance
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from svmsieve import SVMSieve, rank
from svmsieve.criteria import CLASSIFICATION, ResponseCriterion, predicted
from svmsieve.testing import check_criterion


class PermutationLoss(ResponseCriterion):
    """How many more samples are wrong when the values of a feature are permuted."""

    name = "permutation-loss"
    tasks = CLASSIFICATION

    def accumulate(self, item, machines):
        """Return what some samples add to the loss of each replaced feature."""
        before = predicted(machines, item.before) != item.truth
        after = predicted(machines, item.after) != item.truth[:, None]
        return item.share @ (after.astype(float) - before[:, None])

    def finish(self, sums):
        """A loss is at least zero."""
        return np.maximum(sums, 0.0)


# %%
# Does it keep the contract: sparse as dense, groups, weights, the order of rows and columns, row
# chunks?

check_criterion(PermutationLoss())
print("the contract is kept")

# %%
# It can be used wherever a name can. With all permutations it has no noise:

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
criterion = PermutationLoss()
criterion.n_permutations = "all"
ours = rank(X, y, criterion, SVC(C=10))
print(ours)

sieve = SVMSieve(SVC(C=10), criterion=PermutationLoss(), n_features_to_select=5).fit(X, y)
print("five by elimination:", ", ".join(sieve.get_feature_names_out()))

# %%
# Against scikit-learn's loop over 20 permutations:

scaled = StandardScaler().fit_transform(X)
machine = SVC(C=10).fit(scaled, y)
theirs = permutation_importance(machine, scaled, y, n_repeats=20, random_state=0)
figure, axis = plt.subplots(figsize=(5, 4), layout="constrained")
axis.errorbar(ours.scores, theirs.importances_mean, theirs.importances_std, fmt="o", markersize=4)
axis.axline((0, 0), slope=1, color="grey", linewidth=0.8)
axis.set(xlabel="our criterion, all replacements", ylabel="permutation_importance, 20 permutations")
plt.show()
