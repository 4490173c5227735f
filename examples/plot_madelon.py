"""
MADELON: from 500 columns to 13
===============================

MADELON was made for the NIPS 2003 challenge: 20 of 500 columns matter, none of them alone, the
others are noise. :func:`svmsieve.datasets.make_madelon` makes problems of this kind. Which
criterion finds the 20 among so much noise?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.datasets import make_madelon
from svmsieve.search import Tiers

problem = make_madelon(2000, random_state=0)
X, y = problem.X[:1000], problem.y[:1000]
true = problem.kind != "probe"
print(X.shape, int(true.sum()), "true columns")

# %%
# Shen et al. (2008) remove 100 at a time until 100 are left, then 20 until 20, then one by one.

schedule = Tiers([(100, 100), (20, 20), (1, 1)])
methods = {
    "fspp2, C = 1/8": SVMSieve(SVC(C=1 / 8), criterion="fspp2"),
    "fspp2, C = 1": SVMSieve(SVC(C=1), criterion="fspp2"),
    "fspp2, C = 8": SVMSieve(SVC(C=8), criterion="fspp2"),
    "hsic": SVMSieve(SVC(C=1), criterion="hsic"),
}
for name, sieve in methods.items():
    sieve.set_params(step=schedule, n_features_to_select=13, random_state=0).fit(X, y)
    kept = int(true[sieve.support_].sum())
    fresh = sieve.score(problem.X[1000:], problem.y[1000:])
    print(f"{name:14} {kept:2} of the last 13 are true, accuracy on fresh rows {fresh:.3f}")

# %%
# A criterion that asks a machine is as good as the machine: with 480 columns of noise and 1000 samples
# an RBF machine fits the noise, whatever C. ``hsic`` trains none: it measures dependence through the
# kernel. The default of :class:`svmsieve.SVMSieve` tries both kinds in the same folds, for this
# reason.
#
# Where the 20 true columns stand in each ranking; they should be on the left:

figure, axis = plt.subplots(figsize=(8, 3), layout="constrained")
for row, sieve in enumerate(methods.values()):
    places = np.flatnonzero(true[sieve.order_]) + 1
    axis.scatter(places, np.full(len(places), row), marker="|", s=250)
axis.set_xscale("log")
axis.set_yticks(range(len(methods)), list(methods))
axis.set(xlabel="place in the ranking", ylim=(len(methods) - 0.4, -0.6), xlim=(0.9, 560))
plt.show()
