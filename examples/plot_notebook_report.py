"""
A report in a notebook
======================

``svmsieve.study`` does what ``svmsieve select`` does: it understands a table, selects, repeats
everything in outer folds, and says what came out. A notebook shows the report;
``report("file.html")`` writes it as one file that works offline.
"""

from sklearn.datasets import load_wine

import svmsieve

frame = load_wine(as_frame=True).frame

# %%
# ``quick=True`` is a first look: three folds, nothing tuned.

study = svmsieve.study(frame, "target", task="classification", name="wine", quick=True, quiet=True)
print(study.summary())

# %%
# The parts are there as values: the fitted selector, the nested evaluation, the features.

print(study.features)
print(study.evaluation)

# %%
# In a notebook the last line of a cell would be ``study`` and show the whole report inline. Here
# its first picture, score against number of features:

import matplotlib.pyplot as plt  # noqa: E402

study.sieve.plot_path()
plt.show()
