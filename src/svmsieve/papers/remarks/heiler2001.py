"""What must be said beside the numbers of Heiler et al. (2001)."""

from __future__ import annotations

from svmsieve.papers.views import Omitted, Remark, remark

_ANOTHER_SET = "another data set"
_NOTES = (
    "Ten folds take turns as the separate test set; inside the other nine the search cross-validates with "
    "ten folds and stops by Kohavi's rule (no gain above 0.001 in five additions); the best set that it saw "
    "is taken. Each seed is another division into folds, and for led another set.",
    "LIBSVM's defaults of the time: RBF, C = 1, γ = 1/number of features. The paper does not say how it "
    "scaled; columns are put into [−1, 1] by the nine folds, as LIBSVM's svm-scale does. That was chosen by "
    "the column without selection: see the table of scales.",
    "Categories are one-hot, a missing one is none of them, and true or false is one column: so crx has the "
    "43 columns that the paper counts, and mushroom would have its 125 if values that no sample takes and "
    "the missing one had columns too.",
)
_CLAIM_NOTES = (
    "The paper's test is a one-tailed t-test at 5 %: verdicts are by it. It claims for nine sets at once "
    "that nothing was lost; Holm's method judges them together, and what it changes is in its column. Ten "
    "folds share their training samples: the test corrected for that is shown too.",
)
_SET_NOTES = (
    "chess: 35 columns, a tiny run time, and 33.33 and 86.67 %, multiples of 1/15, say that the paper's set "
    "is another one than kr-vs-kp, which has 36 attributes (40 columns here), two classes and 3196 rows.",
    "glass: the smallest class has 9 samples; the search has as many folds as are left of it.",
    "led: 250 samples are generated; the paper does not say how many it had (see the table of samples).",
    "mfeat: the paper has no wrapper here, nor do we: some 20 000 cross-validations in each fold.",
    "optidigit: the 3823 training rows of the archive. It, mfeat and mushroom are of 16 November; folds that "
    "were run again are the same in every digit.",
)
_STANDARDISED_NOTES = (
    "The same folds and machines as above; what the paper leaves open is the scale of the columns. "
    "Standardised columns are what every other method here has.",
    "glass is of 17 November, the other sets are of 16 November.",
)
_COST_NOTE = (
    "Seconds are processor time, of another program on another machine than the paper's: they stand as "
    "ratios. A cross-validation of ten machines counts as one training, as in the paper's formula. Samples "
    "of the same values and class are trained as one, which spares the wrapper most of its seconds, not of "
    "its trainings, where columns are categories."
)
_ENCODING = (
    "Values that no sample takes, and the missing one, have no column here; with them there would be as "
    "many as printed."
)
_PLATEAU = (
    "The climb stops on a plateau of features that tell nearly the same. It hangs on the scale of the "
    "columns, by which they are ranked: see the table with standardised ones."
)
_WHOLE_NUMBER = (
    "The paper prints one whole number, ours is a mean over ten folds; it hangs on the rule's ε and on "
    "which of many nearly equal sets a fold prefers."
)
_SPLITS = "Scale, splits and encoding are not printed in the paper."
_OTHER_PROGRAM = (
    "Seconds of another program on another machine; what holds is the ratio of trainings."
)
_FORMULA = (
    "The paper's formula counts the additions up to the chosen size; here all that the search looked at are "
    "counted, up to five more, and the chosen sizes differ."
)
_CORRELATION = "The paper does not say how many samples it had, nor how it scaled them."
_REMARKS: dict[str, tuple[Remark, ...]] = {
    "table 1": (
        remark(("breast cancer", "mushroom"), "Wrapper: features", _WHOLE_NUMBER),
        remark(
            ("diabetes", "optidigit"),
            ("Wrapper: features", "SVM Selection: features"),
            _WHOLE_NUMBER,
        ),
        remark("glass", "SVM Selection: features", _WHOLE_NUMBER),
        remark("mfeat", "SVM Selection: accuracy", _PLATEAU),
        remark("mushroom", "No Selection: features", _ENCODING),
        remark("optidigit", "No Selection: accuracy", _SPLITS),
    ),
    "table 2": (
        remark(("breast cancer", "glass"), "seconds, wrapper / SVM selection", _OTHER_PROGRAM),
        remark(
            ("crx", "diabetes", "glass", "mfeat", "optidigit"),
            "seconds of SVM selection, set / breast cancer",
            _OTHER_PROGRAM,
        ),
        remark(
            ("led", "mushroom"),
            ("seconds, wrapper / SVM selection", "seconds of SVM selection, set / breast cancer"),
            _OTHER_PROGRAM,
        ),
    ),
    "table 2 trainings": (
        remark(("glass", "mushroom"), "trainings, wrapper / SVM selection", _FORMULA),
    ),
    "figure 2r": (remark("correlation r", "led", _CORRELATION),),
}
_OMITTED: tuple[Omitted, ...] = ()
