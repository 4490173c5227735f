"""Amounts of money are numbers, and dates are days on request."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from svmsieve.datasets import DataError, read_table

CURRENCIES = {"$", "€", "£", "US$", "¥", "USD", "CHF", "kr"}
AMOUNTS = st.lists(st.integers(-(10**9), 10**9), min_size=12, max_size=20, unique=True)
DAY = st.dates(datetime.date(1972, 1, 1), datetime.date(2068, 12, 31))


def read(folder, columns, target="t", **options):
    n = len(next(iter(columns.values())))
    frame = pd.DataFrame({**columns, "other": np.arange(n) % 5 + 0.5, "t": ["a", "b"] * (n // 2)})
    frame.to_csv(folder / "table.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_table(folder / "table.csv", target, **options)


def even(values):
    return values[: len(values) // 2 * 2]


def written(cents, currency, before, minus):
    """An amount as a book-keeper writes it."""
    amount = f"{abs(cents) / 100:,.2f}"
    text = f"{currency}{amount}" if before else f"{amount} {currency}"
    if cents >= 0:
        return text
    return f"({text})" if minus == "(" else f"-{text}"


@given(AMOUNTS, st.sampled_from(sorted(CURRENCIES)), st.booleans(), st.sampled_from("-("))
def test_amounts_of_money_are_numbers_and_announced(
    tmp_path_factory, cents, currency, before, minus
):
    cents = even(cents)
    texts = [written(each, currency, before, minus) for each in cents]
    table = read(tmp_path_factory.mktemp("money"), {"price": texts})
    np.testing.assert_allclose(table.X["price"].to_numpy(), np.array(cents) / 100)
    assert any("'price'" in note and f"currency signs ({currency})" in note for note in table.notes)


def test_amounts_with_a_decimal_comma(tmp_path):
    path = tmp_path / "table.csv"
    rows = [f"{1234 + i},5{i} €;{i % 3},5;{'ab'[i % 2]}" for i in range(10)]
    path.write_text("\n".join(["preis;b;t", *rows]) + "\n")
    assert read_table(path, "t").X["preis"].tolist() == [1234.5 + 1.01 * i for i in range(10)]


def test_another_currency_is_another_unit(tmp_path):
    texts = [f"${i}.50" for i in range(11)] + ["€3.50"]
    with pytest.raises(DataError, match=r"currency signs \(\$\), but '€3.50' in row 12"):
        read(tmp_path, {"price": texts})


WAYS = {
    "%Y-%m-%d": None,
    "%Y/%m/%d": None,
    "%d.%m.%Y": None,
    "%d/%m/%Y": lambda each: each.day > 12,
    "%m/%d/%Y": lambda each: each.day > 12,
    "%d.%m.%y": None,
    "%Y-%m-%d %H:%M": None,
}


@pytest.mark.parametrize("way", WAYS)
def test_dates_are_days_on_request(tmp_path_factory, way):
    folder = tmp_path_factory.mktemp("dates")

    @given(st.lists(DAY, min_size=12, max_size=16, unique=True))
    def check(found):
        found = even(found)
        shows = WAYS[way]
        assume(shows is None or any(map(shows, found)))
        table = read(folder, {"when": [each.strftime(way) for each in found]}, dates=True)
        epoch = datetime.date(1970, 1, 1)
        assert table.X["when"].tolist() == [(each - epoch).days for each in found]
        assert table.kinds["when"] == "date"
        assert any("'when' holds dates, which were read as days" in note for note in table.notes)
        again = read(folder, {"when": [each.strftime(way) for each in found]}, None, like=table)
        assert again.X["when"].tolist() == table.X["when"].tolist()

    check()


def test_without_the_request_dates_are_left_out_with_the_remedy(tmp_path):
    table = read(tmp_path, {"when": [f"2024-01-{i + 1:02}" for i in range(12)]})
    assert "when" not in table.names
    assert "--dates" in table.dropped["when"]


def test_days_and_months_that_cannot_be_told_apart_are_not_guessed(tmp_path):
    texts = [f"{i + 1}/{12 - i}/2024" for i in range(12)]
    table = read(tmp_path, {"when": texts}, dates=True)
    assert "cannot be told apart" in table.dropped["when"]
    first = read(tmp_path, {"when": [f"2024-01-{i + 1:02}" for i in range(12)]}, dates=True)
    with pytest.raises(DataError, match="'when' must hold dates"):
        read(tmp_path, {"when": texts}, None, like=first)


def test_times_missing_values_and_mistakes(tmp_path):
    clock = [f"{i}:30" for i in range(12)]
    clock[3] = ""
    table = read(tmp_path, {"at": clock}, dates=True)
    assert table.missing == {"at": 1}
    assert table.X["at"][1] == pytest.approx(1.5 / 24)
    when = [f"2024-02-{i + 1:02}" for i in range(12)]
    when[4] = "2024-02-31"
    with pytest.raises(DataError, match="'when' holds dates, but '2024-02-31' in row 5"):
        read(tmp_path, {"when": when}, dates=True)


def test_dates_of_typed_files(tmp_path):
    path = tmp_path / "table.parquet"
    when = pd.date_range("2024-01-01", periods=12, tz="Europe/Vienna")
    span = pd.to_timedelta(np.arange(12) * 36.0, unit="h")
    frame = pd.DataFrame({"when": when, "span": span, "t": ["a", "b"] * 6})
    frame.to_parquet(path)
    table = read_table(path, "t", dates=True)
    assert table.X["span"].tolist() == [1.5 * i for i in range(12)]
    np.testing.assert_allclose(np.diff(table.X["when"]), 1.0)
