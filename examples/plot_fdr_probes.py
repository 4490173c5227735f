"""
A false-discovery rate by probes
================================

A probe is a column with its values shuffled: it cannot matter. What is ranked behind probes is not
told apart from chance. :class:`svmsieve.FDR` turns this into a size, and may select nothing.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from svmsieve import FDR, SVMSieve, probe_report

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 75)
X = rng.normal(size=(150, 60))
X[:, :10] += y[:, None]  # ten columns matter

# %%
# How many probes does a selection of the twenty best let in?

twenty = SVMSieve(SVC(kernel="linear"), criterion="f-score", n_features_to_select=20)
report = probe_report(twenty, X, y, random_state=0)
print(f"{len(report.selected)} features and {report.n_probes_selected} probes selected")
print(f"estimated share of false ones: {report.probe_fraction:.0%}")

# %%
# At most a tenth false ones, on average over data sets:

sieve = SVMSieve(
    SVC(kernel="linear"), criterion="f-score", n_features_to_select=FDR(0.1), random_state=0
).fit(X, y)
selected = np.flatnonzero(sieve.support_)
print(f"{len(selected)} selected, {int((selected < 10).sum())} of them true")
print(sieve.size_reason_)

# %%
# The ranked features, and how many probes stand before each:

figure, axis = plt.subplots(figsize=(7, 3.4), layout="constrained")
places = np.arange(1, len(report.ranked) + 1)
truth = np.isin(report.ranked, [f"x{number}" for number in range(10)])
axis.step(places, report.probes_before, where="mid", color="grey")
axis.scatter(places[truth], np.asarray(report.probes_before)[truth], color="tab:red", label="true")
axis.set(xlabel="features, best first", ylabel="probes ranked before")
axis.legend()
plt.show()
