"""
Spectra: wavelengths in groups
==============================

Neighbouring wavelengths say the same, so that single ones come and go by chance. Groups of
neighbours enter and leave together, and the answer is a few bands.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVR

from svmsieve import SVMSieve, nested_evaluate

# %%
# 120 spectra of 200 wavelengths: two bands grow with the concentration that is to be predicted,
# three with something else, and each spectrum has a baseline of its own.

rng = np.random.default_rng(0)
wavelength = np.linspace(900, 1700, 200)


def band(centre, width):
    """Return the shape of an absorption band."""
    return np.exp(-0.5 * ((wavelength - centre) / width) ** 2)


concentration = rng.uniform(0, 1, 120)
others = rng.uniform(0, 1, (120, 3))
X = np.outer(concentration, 0.6 * band(1050, 18) - 0.4 * band(1430, 22))
X += others @ np.array([band(980, 40), band(1230, 50), band(1600, 45)])
X += rng.normal(0, 0.2, (120, 1)) + np.outer(rng.normal(0, 0.2, 120), np.linspace(0, 1, 200))
X += rng.normal(0, 0.02, X.shape)
groups = [list(range(start, start + 10)) for start in range(0, 200, 10)]

# %%
# Twenty groups of ten wavelengths; the score of a group is that of its columns replaced together.

sieve = SVMSieve(SVR(C=10), criterion="sd-gauss", groups=groups, random_state=0)
sieve.fit(X, concentration)
chosen = sieve.support_.reshape(20, 10).all(axis=1)
print(f"{sieve.n_units_} of 20 groups: {sieve.size_reason_}")
for start in np.flatnonzero(chosen):
    print(f"  {wavelength[10 * start]:.0f} to {wavelength[10 * start + 9]:.0f} nm")

# %%
# Judged by spectra that the selection never saw, against all wavelengths:

everything = SVMSieve(SVR(C=10), n_features_to_select=1.0, groups=groups)
for name, method in [("chosen groups", sieve), ("all wavelengths", everything)]:
    print(f"{name}: {nested_evaluate(method, X, concentration, outer_cv=5, random_state=0)}")

# %%
# Both bands were found, the one at 1050 nm (on both sides of the border between two groups) and the
# weaker one at 1430 nm, and a group at the end, from which the baseline can be told.

figure, axis = plt.subplots(figsize=(8, 3.6), layout="constrained")
axis.plot(wavelength, X[:15].T, color="grey", linewidth=0.6)
for start in np.flatnonzero(chosen):
    axis.axvspan(wavelength[10 * start], wavelength[10 * start + 9], color="tab:orange", alpha=0.4)
axis.set(xlabel="wavelength in nm", ylabel="absorbance", title="chosen groups of wavelengths")
plt.show()
