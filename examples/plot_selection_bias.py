"""
Selection bias on pure noise, and its cure
==========================================

Sixty samples, a thousand columns of random numbers, labels by the toss of a coin: there is nothing
to find. Ranking on all samples and cross-validating afterwards "finds" it all the same (Ambroise &
McLachlan 2002).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_selection import RFE
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from svmsieve import SVMSieve, nested_evaluate

SETS = 10
linear = SVC(kernel="linear")
wrong, right = [], []
for seed in range(SETS):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 1000))
    y = rng.permutation(np.repeat([0, 1], 30))
    # Wrong: the ranking has seen the samples that judge it.
    chosen = RFE(linear, n_features_to_select=50, step=0.1).fit(X, y).support_
    wrong.append(1 - cross_val_score(linear, X[:, chosen], y, cv=5).mean())
    # Right: the elimination is repeated inside each fold.
    sieve = SVMSieve(linear, criterion="weight", step=0.1, n_features_to_select=50, scale=False)
    right.append(1 - nested_evaluate(sieve, X, y, outer_cv=5, random_state=0).mean)

for name, errors in [("on all samples", wrong), ("inside each fold", right)]:
    error = np.std(errors, ddof=1) / np.sqrt(SETS)
    print(f"ranked {name:16}: error {np.mean(errors):6.1%} ± {error:.1%}")

# %%
# The first is an error of the procedure, not a property of the data: it says how well fifty of a
# thousand random columns can be made to fit. The second is what new samples would show.

figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
axis.boxplot([wrong, right], orientation="horizontal", widths=0.5)
axis.axvline(0.5, color="grey", linestyle="--", label="guessing")
axis.set_yticks([1, 2], ["ranked on\nall samples", "ranked in\neach fold"])
axis.set(xlabel="error rate", xlim=(-0.03, 0.8), title=f"pure noise, {SETS} data sets")
axis.legend()
plt.show()

# %%
# :func:`svmsieve.nested_evaluate` repeats everything, tuning and choice of the size included. The
# command line does so without being asked.
