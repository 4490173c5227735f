"""
Comparing criteria, with tests
==============================

Which criterion is best on *my* data? All are run on the same outer folds, the whole selection
repeated in each, and their differences are tested with a correction for overlapping folds (Nadeau &
Bengio 2003) and for their number (Holm).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.svm import SVC

from svmsieve import SVMSieve, compare
from svmsieve.evaluation import with_probes

X, y = load_wine(return_X_y=True, as_frame=True)
table, is_probe, names = with_probes(X, n_copies=2, random_state=0)
print(table.shape, "of which", int(is_probe.sum()), "are shuffled copies")

# %%
# Four criteria, the five best features each; three times five folds.

methods = {
    name: SVMSieve(SVC(C=10), criterion=name, n_features_to_select=5)
    for name in ("f-score", "weight-gradient", "fspp2", "sv-gradient")
}
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
comparison = compare(methods, table, y, outer_cv=folds)
print(comparison.to_frame().round(3).to_string())

# %%
# The pairs: p of the corrected test, and after Holm's correction. No difference is told apart from
# chance here, which is the usual answer for few samples, and better known than believed away.

tests = comparison.tests_frame()
print(tests[["first", "second", "gain", "p_corrected", "p_holm"]].round(3).to_string(index=False))

# %%
# How far the folds agree on the five features is another question (1: all the same, 0: as chance).

figure, axis = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
for name, evaluation in comparison.evaluations.items():
    stability = evaluation.stability().index.value
    axis.errorbar(stability, evaluation.mean, evaluation.se, fmt="o", label=name)
axis.set(xlabel="stability of the five features", ylabel="accuracy on held-out folds")
axis.legend()
plt.show()
