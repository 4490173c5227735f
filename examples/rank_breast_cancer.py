"""Rank and select the features of scikit-learn's breast-cancer data."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer

import svmsieve


def main() -> None:
    """Print the ten best features, then how many are enough."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    print(svmsieve.rank(X, y, criterion="fspp2", random_state=0))
    sieve = svmsieve.SVMSieve(criterion="fspp2", random_state=0, n_jobs=2, verbose=1).fit(X, y)
    print(f"\n{sieve.n_features_} features are enough: {sieve.size_reason_}.")
    print(", ".join(sieve.get_feature_names_out()))


if __name__ == "__main__":
    main()
