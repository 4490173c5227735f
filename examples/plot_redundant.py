"""
Redundant features share their importance
=========================================

One column says all there is to say. Copies of it with a little noise are added: the more there are,
the less each one matters to the machine. A group of copies has one score, and keeps it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from svmsieve import rank

rng = np.random.default_rng(0)
signal = rng.normal(size=200)
y = signal + 0.4 * rng.normal(size=200) > 0
weak = rng.normal(size=(200, 5))
weak[:, 0] += 0.5 * y  # one column that says a little, and four of noise

# %%
# The best score of a copy, the score of the copies as a group, and that of the column that says a
# little:

copies = [1, 2, 4, 8, 16, 32]
alone, together, little = [], [], []
for m in copies:
    X = np.column_stack([signal[:, None] + 0.1 * rng.normal(size=(200, m)), weak])
    ranking = rank(X, y, "fspp2", SVC(C=1), random_state=0)
    grouped = rank(X, y, "fspp2", SVC(C=1), groups=[list(range(m))], random_state=0)
    alone.append(ranking.scores[:m].max())
    little.append(ranking.scores[m])
    together.append(grouped.scores[0])
    best, group, other = alone[-1], together[-1], little[-1]
    print(f"{m:2} copies: best of them {best:.3f}, as a group {group:.3f}, the other {other:.3f}")

# %%
# A low score does not mean that a column says nothing: it may mean that another says the same.
# Group what belongs together (``groups=``), or let the elimination take copies away one by one: at
# each step the scores are computed anew.

figure, axis = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
axis.loglog(copies, together, marker="s", label="copies as a group")
axis.loglog(copies, alone, marker="o", label="best single copy")
axis.loglog(copies, little, marker="^", label="another column that says a little")
axis.set(xlabel="number of copies", ylabel="fspp2")
axis.legend()
plt.show()
