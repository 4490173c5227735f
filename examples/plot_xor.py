"""
XOR: two columns that no linear method sees
===========================================

The class is the sign of a product of two columns among fifty. Neither column says anything alone,
so filters and linear machines rank them no better than chance. An RBF machine sees them, once the
others are gone.
"""

# %%
# Three hundred samples, fifty columns; the class depends on columns 3 and 7.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from svmsieve import SVMSieve, rank

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 50))
y = np.where(X[:, 3] * X[:, 7] > 0, "same sign", "other")

# %%
# Where four criteria rank the two columns (1 is the best):

for criterion, estimator in [
    ("f-score", None),
    ("weight", SVC(kernel="linear")),
    ("hsic", None),
    ("fspp2", SVC(C=1.0)),
]:
    ranking = rank(X, y, criterion, estimator, random_state=0)
    places = {int(column): place + 1 for place, column in enumerate(ranking.order)}
    print(f"{criterion:8}  x3 is number {places[3]:2}, x7 number {places[7]:2} of 50")

# %%
# The selection with its defaults tries several rankings, eliminates, and finds the two:

sieve = SVMSieve(random_state=0).fit(X, y)
print(*sieve.get_feature_names_out())
print(sieve.size_reason_)

# %%
# What the machine on the two columns has learned, and the score against the number of features:

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
pair = sieve.transform(X)
scaled = (pair - sieve.scale_mean_) / sieve.scale_deviation_
a, b = np.meshgrid(*[np.linspace(-3, 3, 80)] * 2)
grid = (np.column_stack([a.ravel(), b.ravel()]) - sieve.scale_mean_) / sieve.scale_deviation_
values = sieve.estimator_.decision_function(grid).reshape(a.shape)
left.contourf(a, b, values, levels=20, cmap="RdBu", alpha=0.6)
for label, marker in [("same sign", "o"), ("other", "x")]:
    chosen = y == label
    left.scatter(*pair[chosen].T, s=12, marker=marker, label=label, c="black", linewidths=0.8)
left.set(xlabel="x3", ylabel="x7", title="decision values on the two columns")
left.legend(loc="upper right")
sieve.plot_path(right)
plt.show()
