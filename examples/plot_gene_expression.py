"""
Gene expression: few samples, many columns, and how stable the list is
======================================================================

Eighty samples, 2000 genes in groups that are regulated together, ten of them shifted between two
kinds of tissue. Many lists predict equally well here; which genes would turn up again with other
samples?
"""

import matplotlib.pyplot as plt
import numpy as np

from svmsieve import SVMSieve

rng = np.random.default_rng(0)
n, genes, module = 80, 2000, 10
shared = np.repeat(rng.normal(size=(n, genes // module)), module, axis=1)
X = 0.5 * shared + rng.normal(size=(n, genes))
y = np.repeat(["healthy", "tumour"], n // 2)
markers = np.arange(0, 100, 10)  # one gene of each of the first ten modules
X[np.ix_(y == "tumour", markers)] += 1.5
names = np.array([f"gene{number:04}" for number in range(genes)])
names[markers] = [f"marker{number}" for number in range(10)]

# %%
# ``"stable"`` repeats an elimination on 100 halves of the samples and selects what most of them
# choose, with a bound on the expected number of false ones. A filter ranks quickly; without
# ``criterion`` three rankings are joined.

sieve = SVMSieve(criterion="f-score", n_features_to_select="stable", random_state=0).fit(X, y)
print(sieve.size_reason_)
print(*names[sieve.support_])

# %%
# The share of the halves that choose each gene. Neighbours of a marker (same module) are chosen
# more often than strangers, but not by most halves.

share = sieve.selection_frequency_
order = np.argsort(-share)[:40]
figure, axis = plt.subplots(figsize=(8, 3.6), layout="constrained")
colours = np.where(np.isin(order, markers), "tab:red", "tab:grey")
axis.bar(np.arange(40), share[order], color=colours)
axis.axhline(share[sieve.support_].min(), color="black", linewidth=0.8, linestyle="--")
axis.set(xlabel="genes, most chosen first", ylabel="share of half samples", title="red: markers")
plt.show()

# %%
# The bound is on the *number* of false ones. A bound on their share is :class:`svmsieve.FDR`, see
# :doc:`plot_fdr_probes`; simulations are in :doc:`/quality/stable`.
