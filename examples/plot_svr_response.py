"""
Regression, and how the prediction follows each feature
=======================================================

Yang & Ong's problem: a number depends on five of ten columns, on the first two nonlinearly. The
ranking is by the shift of the predictive density; response curves show what the machine has
learned.
"""

import matplotlib.pyplot as plt
from sklearn.svm import SVR

from svmsieve import SVMSieve, response
from svmsieve.datasets import make_yang

X, y = make_yang(300, random_state=0)

# %%
# A numeric target is recognised. ``sd-gauss`` (Yang & Ong 2010) compares the predicted densities
# with and without a feature.

sieve = SVMSieve(SVR(C=30), criterion="sd-gauss", random_state=0).fit(X, y)
print("selected:", *sieve.get_feature_names_out())
print(sieve.size_reason_)

# %%
# One call has the curves of all columns: every sample is moved along the column, all else left as
# it is (grey), and their mean is the partial dependence (black). The generator has 0.1 exp(4 x0), a
# step at x1 = 0.5, then 3 x2, 2 x3 and x4.

curves = response(X, y, estimator=SVR(C=30))
figure, axes = plt.subplots(2, 5, figsize=(10, 4.4), sharey=True, layout="constrained")
for number, axis in enumerate(axes.ravel()):
    axis.plot(curves.grid[number], curves.individual[number, :, :40], color="grey", linewidth=0.3)
    axis.plot(curves.grid[number], curves.mean[number], color="black")
    axis.set_title(curves.names[number], fontsize=10)
figure.supylabel("prediction")
plt.show()
