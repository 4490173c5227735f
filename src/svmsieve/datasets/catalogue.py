"""The papers' data sets: what they are, where they come from, how to know them."""

from __future__ import annotations

import numpy as np

from svmsieve.datasets import recipes
from svmsieve.datasets.addresses import OpenML, Uci
from svmsieve.datasets.entries import (
    _CC_BY,
    _PUBLIC,
    _UNSTATED,
    Entry,
    _monks,
    _nips,
    _regression,
    _table,
)
from svmsieve.datasets.errors import DataError, nearest, shown

_PIMA = "pregnancies plasma_glucose diastolic_bp triceps_skinfold insulin bmi pedigree age"
_CHESS = (
    "bkblk,bknwy,bkon8,bkona,bkspr,bkxbq,bkxcr,bkxwp,blxwp,bxqsq,cntxt,dsopp,dwipd,hdchk,katri,mulch,"
    "qxmsq,r2ar8,reskd,reskr,rimmx,rkxwp,rxmsq,simpl,skach,skewr,skrxp,spcop,stlmt,thrsk,wkcti,wkna8,"
    "wknck,wkovl,wkpos,wtoeg,class"
)
_CREDIT = "A1,A2,A3,A4,A5,A6,A7,A8,A9,A10,A11,A12,A13,A14,A15,class"
_MUSHROOM = (
    "class,cap-shape,cap-surface,cap-color,bruises?,odor,gill-attachment,gill-spacing,gill-size,"
    "gill-color,stalk-shape,stalk-root,stalk-surface-above-ring,stalk-surface-below-ring,"
    "stalk-color-above-ring,stalk-color-below-ring,veil-type,veil-color,ring-number,ring-type,"
    "spore-print-color,population,habitat"
)
_DIGITS = {digit: 200 for digit in range(10)}
_RATSCH = "Rätsch, Onoda, Müller (2001): Soft margins for AdaBoost, Machine Learning 42"
_TEN = "Ten of the original hundred splits."

_ENTRIES = (
    _monks(
        1, 124, {0: 62, 1: 62}, "452c89ec5f04f4a0a7b80f1b04e6e056cfce1494705f2ab159dd5486a96bfc83"
    ),
    _monks(
        2, 169, {0: 105, 1: 64}, "68ededcd21dcedeebf4ebd49f10281012249417a12f52d7a2c44af74296dbe12"
    ),
    _monks(
        3, 122, {0: 62, 1: 60}, "6fe903ec7795eaa35c054a02a50be2f88e2372061337607f643103ba7826d67c"
    ),
    Entry(
        "ratsch_breast_cancer",
        "ratsch_breast_cancer.npz",
        "binary",
        {"all": 277},
        9,
        {-1: 196, 1: 81},
        None,
        _UNSTATED,
        _RATSCH,
        "35be02e4d6ed7d3de2805ccd7f1ff11d88efe1bdd6af11e09121df9d8ad14d25",
        note=_TEN,
    ),
    Entry(
        "ratsch_heart",
        "ratsch_heart.npz",
        "binary",
        {"all": 270},
        13,
        {-1: 150, 1: 120},
        None,
        _UNSTATED,
        _RATSCH,
        "fea67faf4d71dcfa387f5e19e74b699bbaf3164e3e46f1b457d8b1c86bf8962f",
        note=_TEN + " X_raw holds the values before standardisation.",
    ),
    _nips(
        "arcene",
        167,
        {"train": 100, "valid": 100},
        10_000,
        {-1: 56, 1: 44},
        recipes.nips_dense("arcene", np.uint16, test=False),
        "503fe56468c2d75ca347f57d1bc49a7c4201ead201bdbe9158afbd0f40019165",
    ),
    _nips(
        "dexter",
        168,
        {"train": 300, "valid": 300, "test": 2000},
        20_000,
        {-1: 150, 1: 150},
        recipes.nips_sparse("dexter", 20_000),
        "7be94c664ace9406456060d823be671b8f9b2675a13ce33a4d4e291474ef3924",
        "Sparse; the test part has no labels.",
    ),
    _nips(
        "dorothea",
        169,
        {"train": 800, "valid": 350, "test": 800},
        100_000,
        {-1: 722, 1: 78},
        recipes.nips_sparse("dorothea", 100_000),
        "737ec53c84a002c267c5700bee653f1c91720c17611e4bbfed5807963ac33371",
        "Sparse, zeros and ones; the test part has no labels.",
    ),
    _nips(
        "gisette",
        170,
        {"train": 6000, "valid": 1000, "test": 6500},
        5000,
        {-1: 3000, 1: 3000},
        recipes.nips_dense("gisette", np.uint16, test=True),
        None,
        "The test part has no labels; its content is checked by size only.",
    ),
    _nips(
        "madelon",
        171,
        {"train": 2000, "valid": 600, "test": 1800},
        500,
        {-1: 1000, 1: 1000},
        recipes.nips_dense("madelon", np.uint16, test=True),
        "9482ebbd072c1d742e6f48d6c72364a8f3592b60b0a3380e0405a9af96abeb5b",
        "The test part has no labels; svmsieve.datasets.madelon.MADELON_TRUE are no probes.",
    ),
    Entry(
        "breast-cancer-wisconsin",
        "breast-cancer-wisconsin.npz",
        "binary",
        {"all": 699},
        9,
        {2: 458, 4: 241},
        Uci(15, "breast+cancer+wisconsin+original"),
        _CC_BY,
        "Wolberg, Mangasarian (1990), PNAS 87",
        "677faae76ef056960c3024aeb91fe5737feb6c990887a1435960fe51b6739a3a",
        recipes.wisconsin,
        "16 missing values, all of bare_nuclei.",
    ),
    _table(
        "kr-vs-kp",
        3196,
        _CHESS,
        {"nowin": 1527, "won": 1669},
        Uci(22, "chess+king+rook+vs+king+pawn"),
        "kr-vs-kp.data",
        (
            "Shapiro (1987): Structured induction in expert systems",
            "6ba1d8d2df861f8207822b253b2789aeaf01e0f4e733d3f10b9befa4675aa4d3",
            "All categories.",
        ),
    ),
    _table(
        "crx",
        690,
        _CREDIT,
        {"+": 307, "-": 383},
        Uci(27, "credit+approval"),
        "crx.data",
        (
            "Quinlan (1987), Int. J. Man-Machine Studies 27",
            "e3c9f14a54a7d9fce77294e2bb57b3f02a9ddb01e87ea907292d540da81e26c3",
            "Missing values are '?'.",
        ),
    ),
    _table(
        "mushroom",
        8124,
        _MUSHROOM,
        {"e": 4208, "p": 3916},
        Uci(73, "mushroom"),
        "agaricus-lepiota.data",
        (
            "Lincoff (1981): The Audubon Society field guide to North American mushrooms",
            "7105ec31694f940d6298c20c8bcb4b4117de8b400436c56c8f56f905be59da02",
            "All categories; missing values of stalk-root are '?'.",
        ),
    ),
    Entry(
        "pima",
        "pima.npz",
        "binary",
        {"all": 768},
        8,
        {0: 500, 1: 268},
        OpenML("diabetes", 1),
        _PUBLIC,
        "Smith et al. (1988): Using the ADAP learning algorithm to forecast the onset of diabetes",
        "d620609b906c8d615af4dec41984e8a1fa572e3e37b0ff1b787c0231dbe38a52",
        recipes.numbers_of_arff({"tested_negative": 0, "tested_positive": 1}, np.float32, _PIMA),
        "The diabetes data of Heiler et al.",
    ),
    Entry(
        "mfeat",
        "mfeat.npz",
        "multiclass",
        {"all": 2000},
        649,
        _DIGITS,
        Uci(72, "multiple+features"),
        _CC_BY,
        "van Breukelen, Duin, Tax, den Hartog (1998), Kybernetika 34",
        "68ab2c858196f32eda617e38fbe5ae8826e267938a53050a6b42c053911a4101",
        recipes.mfeat,
        "Six views of the digits, told by extras['view'].",
    ),
    Entry(
        "glass",
        "glass.npz",
        "multiclass",
        {"all": 214},
        9,
        {1: 70, 2: 76, 3: 17, 5: 13, 6: 9, 7: 29},
        Uci(42, "glass+identification"),
        _CC_BY,
        "Evett, Spiehler (1987): Rule induction in forensic science",
        "26fa9b607b4903015c405d52c9de26ed1ad31c7539d64b5e576b3ca6ac5842e1",
        recipes.glass,
    ),
    Entry(
        "optdigits",
        "optdigits.npz",
        "multiclass",
        {"train": 3823, "test": 1797},
        64,
        dict(enumerate((376, 389, 380, 389, 387, 376, 377, 387, 380, 382))),
        Uci(80, "optical+recognition+of+handwritten+digits"),
        _CC_BY,
        "Alpaydin, Kaynak (1998), Kybernetika 34",
        "33b2878d1f4b946214f028a6061867b09a2230b481dafe1d6f7236a50743566f",
        recipes.optdigits,
    ),
    Entry(
        "colon",
        "colon.npz",
        "binary",
        {"all": 62},
        2000,
        {-1: 22, 1: 40},
        None,
        _UNSTATED,
        "Alon et al. (1999), PNAS 96",
        "e353902b1f5a680c49f6724f4130e670b384cbba1aa4d760f6a98004ce0d0e51",
        note="Raw intensities: take logarithms. 1 is tumour. Gene names are not all different.",
    ),
    Entry(
        "lymphoma",
        "lymphoma.npz",
        "multiclass",
        {"all": 96},
        4026,
        {1: 46, 2: 10, 3: 9, 4: 11, 5: 6, 6: 6, 7: 4, 8: 2, 9: 2},
        None,
        _UNSTATED,
        "Alizadeh et al. (2000), Nature 403",
        "9070ee6e8ed8b1fd13253f3f2a123939acfd8be7d6c38f2c3196d129240c4886",
        note="5 % missing; extras['y_malignant62'] is the target of Rakotomamonjy.",
    ),
    _regression(
        "auto-mpg",
        392,
        7,
        Uci(9, "auto+mpg"),
        recipes.auto_mpg,
        (
            "Quinlan (1993): Combining instance-based and model-based learning",
            "fcb221a68b0bde94dc9c97e2f9e3726c6d6e1070376d3f038a1886528c2fe227",
            "",
        ),
        _CC_BY,
    ),
    _regression(
        "abalone",
        4177,
        8,
        Uci(1, "abalone"),
        recipes.abalone,
        (
            "Nash et al. (1994): The population biology of abalone",
            "61d529ba7445c7369cf20f985b5179b4da9d50e46ff957c33f669edad74a36c1",
            "Sex is coded as a number; its letters are in extras['sex'].",
        ),
        _CC_BY,
    ),
    _regression(
        "cpusmall",
        8192,
        12,
        OpenML("cpu_small", 1),
        recipes.numbers_of_arff(None, np.float64),
        (
            "Delve project, University of Toronto: comp-activ",
            "3805b7d06cbba29daa0429aa013c8da8ef146590a73ba4fe4613a0f77ab99e1e",
            "",
        ),
    ),
    _regression(
        "housing",
        506,
        13,
        OpenML("boston", 1),
        recipes.numbers_of_arff(None, np.float64),
        (
            "Harrison, Rubinfeld (1978), J. Environmental Economics and Management 5",
            "e7038f5bc42264a4a852feb69df00a3854ff44f2e98f0b2b55055f61082620f8",
            "One column (B) rests on a racist assumption; it is here because the papers use it.",
        ),
    ),
    _regression(
        "pyrim",
        74,
        27,
        OpenML("pyrim", 1),
        recipes.numbers_of_arff(None, np.float64),
        (
            "King, Muggleton, Lewis, Sternberg (1992), PNAS 89",
            "c3c2569a1bb71f57b92ebb33e9215578c8c53f92b9ed1cc564713965c2267d3a",
            "Column 24 is constant.",
        ),
    ),
    _regression(
        "triazines",
        186,
        60,
        OpenML("triazines", 1),
        recipes.numbers_of_arff(None, np.float64),
        (
            "Hirst, King, Sternberg (1994), J. Computer-Aided Molecular Design 8",
            "f6ffb0e53e595dc5b04ecb52b4aa62113376f8084601ee139e276ea61ca6c74b",
            "Columns 42 and 43 are constant.",
        ),
    ),
)

CATALOGUE: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
"""Every data set that :func:`svmsieve.datasets.load` knows, by name."""


def find(name: str) -> Entry:
    """Return the entry of a data set, or refuse an unknown name."""
    if name not in CATALOGUE:
        raise DataError(
            f"there is no data set {shown(name)} in the catalogue; {nearest(str(name), list(CATALOGUE))}"
        )
    return CATALOGUE[name]
