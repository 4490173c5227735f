"""
A Dask cluster on your laptop
=============================

Under ``joblib.parallel_config("dask")`` the folds of a selection are tasks of a cluster, with the
same result to the last bit. Here the cluster is two workers on this machine;
``Client("tcp://host:8786")`` would be another one.
"""

import joblib
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client, LocalCluster
from sklearn.svm import SVC

from svmsieve import SVMSieve, rank

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 30))
y = X[:, 3] * X[:, 7] + 0.5 * X[:, 11] > 0

# %%
# ``processes=False`` runs the workers as threads, so that this page can be built anywhere; leave it
# out in a script.

cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0")
client = Client(cluster)
sieve = SVMSieve(SVC(C=4), criterion="fspp2", n_features_to_select="1se", cv=5, random_state=0)
here = SVMSieve(**sieve.get_params(deep=False)).fit(X, y)
with joblib.parallel_config("dask"):
    there = sieve.fit(X, y)
print("selected on the cluster:", *there.get_feature_names_out())
print("the same bits:", np.array_equal(here.path_.fold_scores, there.path_.fold_scores))

# %%
# Rows that lie on the cluster as a Dask array are ranked there, a chunk at a time, by a filter or
# with the Nyström machine:

import dask.array as da  # noqa: E402

rows = rng.normal(size=(20_000, 30))
labels = rows[:, 3] * rows[:, 7] > 0
ranking = rank(
    da.from_array(rows, chunks=(5000, 30)),
    da.from_array(labels, chunks=5000),
    "fspp2",
    SVC(C=1, gamma=0.03),
    machine="nystroem",
    n_landmarks=200,
    random_state=0,
)
print(ranking)
client.close()
cluster.close()

figure, axis = plt.subplots(figsize=(7, 3.2), layout="constrained")
axis.bar(range(30), ranking.scores)
axis.set(xlabel="column", ylabel="fspp2", title="20 000 rows in four chunks")
plt.show()
