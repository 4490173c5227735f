"""What must be said beside the numbers of Heiler et al. (2001)."""

from __future__ import annotations

_NOTES = (
    "Ten folds take turns as the separate test set; inside the other nine the search cross-validates with "
    "ten folds and stops by Kohavi's rule (no gain above 0.001 in five additions); the best set that it saw "
    "is taken.",
    "LIBSVM's defaults of the time: RBF, C = 1, γ = 1/number of features. The paper does not say how it "
    "scaled; columns are put into [−1, 1] by the nine folds, as LIBSVM's svm-scale does. That was chosen by "
    "the column without selection: standardised columns, run first, leave the other sets as they are (within "
    "1.2 points) but give 72.0 % for glass (printed: 60.63), [0, 1] gives 47.2 %, and raw columns leave "
    "diabetes at its majority class.",
    "Categories are one-hot, a missing one is none of them, and true or false is one column: so crx has the "
    "43 columns that the paper counts, and mushroom would have its 125 if values that no sample takes and "
    "the missing one had columns too. With two columns for true or false, tried first, the climb spends its "
    "five additions on twins: kr-vs-kp had 73 columns, and lost 1.2 % where they are standardised.",
)
_COST_NOTE = (
    "Seconds are processor time. A cross-validation of ten machines counts as one training, "
    "as in the paper's formula. Samples of the same values and class are trained as one, which spares the "
    "wrapper most of its seconds, not of its trainings, where columns are categories."
)
