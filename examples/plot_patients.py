"""
Patients: samples that belong together
======================================

Several samples of one patient are alike. Folds that put some of them on either side test how well a
patient is recognised, not how well a disease is. ``groups`` keeps them together, in inner, outer
and tuning folds.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from svmsieve import SVMSieve, nested_evaluate

# %%
# 40 patients with six samples each, 20 columns. Every column differs from patient to patient; three
# also with the disease.

rng = np.random.default_rng(0)
patients = np.repeat(np.arange(40), 6)
ill = rng.permutation(np.repeat([0, 1], 20))
X = rng.normal(size=(40, 20))[patients] + 0.3 * rng.normal(size=(240, 20))
y = ill[patients]
X[:, :3] += 1.2 * y[:, None]

# %%
# The same selection, judged with and without the patients in mind:

sieve = SVMSieve(SVC(C=10), criterion="fspp2", n_features_to_select="1se", cv=5, random_state=0)
mixed = nested_evaluate(sieve, X, y, outer_cv=5, random_state=0)
kept = nested_evaluate(sieve, X, y, outer_cv=5, groups=patients, random_state=0)
print("samples in any fold:   ", mixed)
print("patients kept together:", kept)

# %%
# The first figure is the error of recognising patients. The second is what a new patient would
# meet, from forty of them: its interval counts patients, not samples.

print("95 % interval, patients kept together: {:.2f} to {:.2f}".format(*kept.interval()))
figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
axis.boxplot([mixed.scores, kept.scores], orientation="horizontal", widths=0.5)
axis.set_yticks([1, 2], ["samples in\nany fold", "patients\ntogether"])
axis.set(xlabel="accuracy of the outer folds")
plt.show()
