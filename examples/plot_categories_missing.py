"""
Categories and missing values
=============================

A table with text and gaps goes in as it is. Categories become columns that stay together; missing
numbers are filled by the mean of the training rows, inside each fold.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from svmsieve import SVMSieve, nested_evaluate
from svmsieve.datasets import TableEncoder

rng = np.random.default_rng(0)
n = 300
frame = pd.DataFrame(
    {
        "age": rng.normal(50, 12, n).round(),
        "weight": rng.normal(75, 12, n).round(1),
        "site": rng.choice(["north", "south", "east", "west"], n),
        "blood": rng.choice(["A", "B", "AB", "0"], n),
        "marker": rng.normal(size=n),
    }
)
risk = 0.05 * (frame.age - 50) + frame.marker + 1.5 * frame.site.isin(["north", "east"])
y = np.where(risk + rng.normal(0, 0.5, n) > risk.median(), "ill", "well")
frame.loc[rng.random(n) < 0.15, "marker"] = np.nan
frame.loc[rng.random(n) < 0.05, "site"] = None
print(frame.head(3).to_string())

# %%
# The encoder says which columns belong together; the selector keeps them together.

encoder = TableEncoder(impute=False).fit(frame)
encoded = encoder.transform(frame)
print(list(encoded.columns))

sieve = SVMSieve(missing="mean", groups=encoder.groups_, random_state=0).fit(encoded, y)
print("selected:", *sieve.get_feature_names_out())

# %%
# In a pipeline everything is learnt inside the folds: levels, means, selection.

pipeline = make_pipeline(encoder, SVMSieve(missing="mean", groups=encoder.groups_, random_state=0))
print(nested_evaluate(pipeline, frame, y, outer_cv=3, random_state=0))

# %%
# A file does not need any of this: ``svmsieve select table.csv --target diagnosis`` and
# :func:`svmsieve.study` encode by themselves.

sieve.plot_scores()
plt.show()
