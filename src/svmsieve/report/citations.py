"""The papers that a report cites."""

from __future__ import annotations

import re

CITATIONS = {
    "Breiman 2001": "L. Breiman (2001). Random forests. Machine Learning 45, 5–32.",
    "Chen & Lin 2006": "Y.-W. Chen, C.-J. Lin (2006). Combining SVMs with various feature selection "
    "strategies. In: Feature Extraction, Springer, 315–324.",
    "Efron et al. 2004": "B. Efron, T. Hastie, I. Johnstone, R. Tibshirani (2004). Least angle regression. "
    "Annals of Statistics 32, 407–499.",
    "Golub et al. 1999": "T. R. Golub et al. (1999). Molecular classification of cancer. Science 286, "
    "531–537.",
    "Guyon et al. 2002": "I. Guyon, J. Weston, S. Barnhill, V. Vapnik (2002). Gene selection for cancer "
    "classification using support vector machines. Machine Learning 46, 389–422.",
    "Heiler et al. 2001": "M. Heiler, D. Cremers, C. Schnörr (2001). Efficient feature subset selection "
    "for support vector machines. Technical report, University of Mannheim.",
    "Nadeau & Bengio 2003": "C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine "
    "Learning 52, 239–281.",
    "Nogueira et al. 2018": "S. Nogueira, K. Sechidis, G. Brown (2018). On the stability of feature "
    "selection algorithms. JMLR 18(174), 1–54.",
    "Rakotomamonjy 2003": "A. Rakotomamonjy (2003). Variable selection using SVM-based criteria. JMLR 3, "
    "1357–1370.",
    "Shen et al. 2008": "K.-Q. Shen, C.-J. Ong, X.-P. Li, E. P. V. Wilder-Smith (2008). Feature selection "
    "via sensitivity analysis of SVM probabilistic outputs. Machine Learning 70, 1–20.",
    "Song et al. 2007": "L. Song, A. Smola, A. Gretton, K. Borgwardt, J. Bedo (2007). Supervised feature "
    "selection via dependence estimation. ICML.",
    "Shah & Samworth 2013": "R. D. Shah, R. J. Samworth (2013). Variable selection with error control: "
    "another look at stability selection. Journal of the Royal Statistical Society B 75, 55–80.",
    "Yang & Ong 2010": "J.-B. Yang, C.-J. Ong (2010). Feature selection for support vector regression "
    "using probabilistic prediction. KDD.",
    "Wilson 1927": "E. B. Wilson (1927). Probable inference, the law of succession, and statistical "
    "inference. Journal of the American Statistical Association 22, 209–212.",
    "Ambroise & McLachlan 2002": "C. Ambroise, G. J. McLachlan (2002). Selection bias in gene extraction "
    "on the basis of microarray gene-expression data. PNAS 99, 6562–6566.",
}
"""Full citations by the short ones that texts name."""


def cited(*keys: str) -> list[str]:
    """Return the full citations of the short ones that a text names."""
    text = " ".join(keys)
    return [full for short, full in CITATIONS.items() if re.search(re.escape(short), text)]
