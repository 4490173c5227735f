"""
Moving from scikit-learn's RFE, line by line
============================================

Code that uses ``RFE`` or ``RFECV`` with a linear SVC, and the same with svmsieve. The selection is
the same; what is new is the RBF kernel.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import RFE
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from svmsieve import SVMSieve

X, y = load_breast_cancer(return_X_y=True)
Z = StandardScaler().fit_transform(X)

# %%
# **Before.** Scaled by hand, one by one, ten features:

rfe = RFE(SVC(kernel="linear"), n_features_to_select=10, step=1).fit(Z, y)

# %%
# **After.** ``scale=True`` is the default, so the raw columns go in; ``criterion="weight"`` is RFE's
# squared weights.

sieve = SVMSieve(SVC(kernel="linear"), criterion="weight", n_features_to_select=10, step=1)
sieve.fit(X, y)
print("the same ten features:", np.array_equal(rfe.support_, sieve.support_))

# %%
# Names that stay: ``support_``, ``ranking_``, ``n_features_``, ``estimator_``, ``transform``,
# ``predict``, ``score``. What differs:
#
# * ``ranking_`` is strict: RFE gives all selected features rank 1, here the best has 1, the next 2.
# * ``step=0.1`` is a tenth *of the remaining* features; RFE's is a tenth of those at the start.
# * ``RFECV(cv=5)`` becomes ``n_features_to_select="best", cv=5``; the default, ``"auto"``, keeps fewer.
# * RFE must be told to scale inside folds by a pipeline; here it is done.

print("ranks of the ten:", sorted(sieve.ranking_[sieve.support_].tolist()))

# %%
# **What RFE cannot do.** With an RBF kernel there is no ``coef_``:

try:
    RFE(SVC(kernel="rbf"), n_features_to_select=10).fit(Z, y)
except (AttributeError, ValueError) as error:
    print(type(error).__name__, str(error).splitlines()[0][:90])

rbf = SVMSieve(SVC(C=10), criterion="fspp2", n_features_to_select="1se", cv=5).fit(X, y)
print(f"RBF: {rbf.n_features_} features, {rbf.size_reason_}")

# %%
# It is a transformer and a predictor, alone or in a pipeline; it hands on the columns as they came, so the
# machine after it has a scaler of its own:

pipeline = make_pipeline(sieve, StandardScaler(), SVC(C=10)).fit(X, y)
print(f"pipeline on its own training data: {pipeline.score(X, y):.3f}")
rbf.plot_path()
plt.show()
