"""
Thirty measurements, how many are enough?
=========================================

Scikit-learn's breast-cancer data: 569 samples, 30 measurements of cell nuclei. One criterion ranks
them, the whole elimination is repeated in folds, and the curve says how many are enough.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from svmsieve import SVMSieve, rank

X, y = load_breast_cancer(return_X_y=True, as_frame=True)

# %%
# One ranking, of all thirty. ``fspp2`` asks by how much the machine's class probabilities shift
# when the values of a column are permuted.

print(rank(X, y, criterion="fspp2", random_state=0))

# %%
# A ranking does not say how many. The selection does, and why:

sieve = SVMSieve(criterion="fspp2", random_state=0).fit(X, y)
print(f"{sieve.n_features_} of {X.shape[1]}: {sieve.size_reason_}")
print(", ".join(sieve.get_feature_names_out()))

# %%
# Left the score against the number of features, with its standard error over the folds; right the
# score each feature had when it left. Many sizes are as good: measurements of radius, perimeter and
# area say much the same.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
sieve.plot_path(left)
sieve.plot_scores(top=15, ax=right)
plt.show()
