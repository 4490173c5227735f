"""
What each family of criteria sees
=================================

Six columns, each related to the class in another way, and the scores that each criterion gives
them. The pages about the methods use these pictures.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC, SVR

from svmsieve import rank

# %%
# The columns: one shifts with the class, one has another spread, two matter only together, one
# repeats the first with noise, one is noise.

COLUMNS = ["shift", "spread", "xor a", "xor b", "copy", "noise"]


def make(seed, n=200):
    """Return samples and labels."""
    rng = np.random.default_rng(seed)
    y = np.repeat([-1, 1], n // 2)
    X = rng.normal(size=(n, 6))
    X[:, 0] += 0.6 * y
    X[:, 1] *= np.where(y > 0, 1.8, 0.6)
    X[:, 3] = np.abs(X[:, 3]) * np.sign(X[:, 2]) * np.where(rng.random(n) < 0.9, y, -y)
    X[:, 4] = X[:, 0] + 0.3 * rng.normal(size=n)
    return X, y


def see(title, criteria, estimator):
    """Draw the mean scores of ten data sets, each relative to the largest."""
    figure, axes = plt.subplots(
        1,
        len(criteria),
        figsize=(2.3 * len(criteria) + 0.6, 2.5),
        sharey=True,
        layout="constrained",
    )
    for axis, name in zip(np.atleast_1d(axes), criteria, strict=True):
        scores = np.mean([shares(name, estimator, seed) for seed in range(10)], axis=0)
        axis.barh(range(6), scores, color="tab:blue")
        axis.set_title(name, fontsize=9)
        print(f"{name:24}", *(f"{COLUMNS[i]} {scores[i]:.2f}" for i in np.argsort(-scores)[:3]))
    np.atleast_1d(axes)[0].set_yticks(range(6), COLUMNS)
    np.atleast_1d(axes)[0].invert_yaxis()
    figure.suptitle(title, fontsize=10)
    plt.show()


def shares(name, estimator, seed):
    """Return the scores of one data set, relative to the largest."""
    X, y = make(seed)
    target = y + 0.0 if isinstance(estimator, SVR) else y
    scores = rank(X, target, name, estimator, random_state=0).scores
    return scores / scores.max()


# %%
# Filters look at one column at a time: shift, and nothing of the pair. ``hsic`` looks at all
# columns through a kernel, and ``forest`` through trees.

see("filters", ["correlation", "s2n", "f-score", "lasso"], None)
see("filters that look at columns together", ["hsic", "forest"], None)

# %%
# Norms: with an RBF machine they see the pair too.

see("norm of the weights", ["weight", "weight-gradient", "weight-retrained"], SVC(C=10))

# %%
# Bounds of the leave-one-out error, of a squared-hinge machine.

see(
    "radius-margin", [f"radius-margin{kind}" for kind in ("", "-gradient", "-retrained")], SVC(C=10)
)
see("span estimate", [f"span{kind}" for kind in ("", "-gradient", "-retrained")], SVC(C=10))

# %%
# Responses: what the machine answers when a column is replaced.

see("shift of the class probabilities", ["fspp1", "fspp2", "fspp3", "fspp4"], SVC(C=10))
see("gradient at the support vectors", ["sv-gradient"], SVC(C=10))

# %%
# The same samples with the labels taken as numbers −1 and 1:

see("shift of the predictive density", ["sd-gauss", "sd-laplace"], SVR(C=10))
