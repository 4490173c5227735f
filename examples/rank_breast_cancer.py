"""Rank the 30 features of scikit-learn's breast-cancer data with an RBF support vector machine."""

from sklearn.datasets import load_breast_cancer

import svmsieve


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    ranking = svmsieve.rank(X, y, criterion="fspp2", random_state=0)
    print(ranking)


if __name__ == "__main__":
    main()
