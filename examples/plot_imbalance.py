"""
Few of one class
================

Twenty ill among three hundred: a machine that says "well" to everybody is right in 93 % of the
cases. Balanced measures and weights look at each class by itself.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import confusion_matrix
from sklearn.svm import SVC

from svmsieve import SVMSieve, nested_evaluate

rng = np.random.default_rng(0)
y = np.r_[np.zeros(280, int), np.ones(20, int)]
X = rng.normal(size=(300, 25))
X[y == 1, :3] += 1.3

# %%
# Without an estimator scorer and machines are balanced by themselves where the largest class has
# more than four times the samples of the smallest. With a machine of your own, say ``class_weight`` and
# ``scoring``:

plain = SVMSieve(SVC(C=1), scoring="accuracy", n_features_to_select=3, random_state=0)
balanced = SVMSieve(SVC(C=1, class_weight="balanced"), n_features_to_select=3, random_state=0)
tables = {}
for name, sieve in [("plain", plain), ("balanced", balanced)]:
    result = nested_evaluate(sieve, X, y, outer_cv=5, scoring="ber", random_state=0)
    accuracy = result.scores_by("accuracy").mean()
    frame = result.predictions_frame()
    tables[name] = confusion_matrix(frame.y, frame.prediction)
    print(f"{name:8}: accuracy {accuracy:.3f}, balanced error {result.mean:.3f}")

# %%
# Rows are the truth, columns the prediction. The accuracy of the first is higher; the second is of
# more use to the ill.

figure, axes = plt.subplots(1, 2, figsize=(6.5, 3), layout="constrained")
for axis, (name, table) in zip(axes, tables.items(), strict=True):
    axis.imshow(table / table.sum(axis=1, keepdims=True), cmap="Blues", vmin=0, vmax=1)
    for i, j in np.ndindex(2, 2):
        axis.text(j, i, table[i, j], ha="center", va="center")
    axis.set_xticks([0, 1], ["well", "ill"])
    axis.set_yticks([0, 1], ["well", "ill"])
    axis.set_title(name)
plt.show()
