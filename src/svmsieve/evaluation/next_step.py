"""What to run after a verdict, in the words of whoever asked: command line, notebook, Python."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from svmsieve.evaluation.giveaways import GiveAway

_DEMO = "svmsieve demo"
_ON_A_FILE = "svmsieve select FILE --target COLUMN"


@dataclass(frozen=True)
class NextStep:
    """Writes what to run next.

    Attributes
    ----------
    asked : where the selection was asked for
    command : the command line that repeats it; empty elsewhere
    options : of ``nested_evaluate``, where a sieve of one's own is judged: its measure and groups
    outer : the folds to begin with, where the usual number is too many
    folds : the splitter of scikit-learn, or number, that divides such samples more often
    """

    asked: Literal["command line", "study", "sieve"]
    command: str = ""
    options: str = ""
    outer: str = ""
    folds: str = "RepeatedStratifiedKFold(n_repeats={})"

    def after(self, kind: str, giveaways: Sequence[GiveAway], nested: bool) -> tuple[str, str]:
        """Return what to do after a verdict of this kind, and the command that does it."""
        if kind == "leak":
            name = giveaways[0].name
            return "if it is not known before the target is, leave it out", self._without(name)
        if kind in ("unknown", "nothing") and self.asked == "sieve":
            return "judge it by rows it never saw", self._nested()
        if kind in ("guessing", "costs") and self._has("quick"):
            advice = "tune the machine, which a first look does not, and take all rows"
            return advice, " ".join(
                map(shlex.quote, [word for word in self._words() if word != "--quick"])
            )
        if kind == "guessing":
            if self._has("size", "stable"):
                return "more rows, or other features; or divide the rows more often", self._with(
                    "repeats", self._more()
                )
            advice = "more rows, or other features; or ask for features that half samples agree on"
            return f"{advice}, which may be none", self._with("size", "stable")
        if kind in ("costs", "nothing"):
            if self._has("size", "best"):
                return "keep all features, or ask for more of them", self._with("size", "0.5")
            return "take the size of the best score, not a smaller one near it", self._with(
                "size", "best"
            )
        if kind in ("undecided", "doubtful"):
            advice = "divide the rows into folds more often"
            if self._has("quick"):
                advice += ", and take all rows in place of a first look"
            return advice, self._with("repeats", self._more())
        if kind == "unstable":
            return "ask for the features that half samples agree on", self._with("size", "stable")
        if not nested and self.asked == "sieve":
            return "judge it by rows it never saw", self._nested()
        if kind == "all" and not self._has("size", "0.5"):
            return "if fewer are needed, ask what half of them cost", self._with("size", "0.5")
        return self._use()

    def _nested(self) -> str:
        return f"sieve.summary(X, y, evaluation=nested_evaluate(sieve, X, y{self.outer}{self.options}))"

    def _more(self) -> str:
        """Return how often to divide the rows: five times, or twice as often as was asked for."""
        words = self._words() if self._has("repeats") else []
        asked = words[words.index("--repeats") + 1] if words else "0"
        return str(max(5, 2 * int(asked)))

    def _use(self) -> tuple[str, str]:
        """Return how to make use of a good selection."""
        if self.asked != "command line":
            return "go on with these columns", _USE[self.asked]
        if self.command == _DEMO:
            return "try it on a table of yours", _ON_A_FILE
        if self._has("out") or self._has("model"):
            return "go on with what was written", ""
        return "write the table with these columns only", self._with("out", "reduced.csv")

    def _words(self) -> list[str]:
        """The words of the command, options and their values apart."""
        words: list[str] = []
        for word in shlex.split(_ON_A_FILE if self.command == _DEMO else self.command):
            words += word.split("=", 1) if word.startswith("--") else [word]
        return words

    def _has(self, option: str, value: str | None = None) -> bool:
        if self.asked != "command line" or f"--{option}" not in self._words():
            return False
        words = self._words()
        return value is None or value == words[words.index(f"--{option}") + 1]

    def _with(self, option: str, value: str) -> str:
        """Return the command with one option changed; more folds mean that it is not quick."""
        if self.asked == "sieve" and option == "repeats":
            return (
                f"nested_evaluate(sieve, X, y, outer_cv={self.folds.format(value)}{self.options})"
            )
        if self.asked != "command line":
            return (_STUDY if self.asked == "study" else _SIEVE)[option].format(value)
        kept, words = [], iter(self._words())
        for word in words:
            if word == f"--{option}":
                next(words, None)
            elif not (option == "repeats" and word == "--quick"):
                kept.append(word)
        return " ".join(map(shlex.quote, [*kept, f"--{option}", value]))

    def _without(self, name: str) -> str:
        if self.asked == "command line":  # --drop may be given several times
            return " ".join(map(shlex.quote, [*self._words(), "--drop", name]))
        fewer = f".drop(columns=[{name!r}])"
        if self.asked == "study":
            return f"study(table{fewer}, …)"
        groups = ", groups=groups" if "groups=" in self.options else ""
        return f"sieve.fit(X{fewer}, y{groups})"


_USE = {"study": "table[study.features]", "sieve": "sieve.transform(X)"}
_STUDY = {"size": 'study(…, size="{}")', "repeats": "study(…, repeats={})"}
_SIEVE = {"size": 'SVMSieve(…, n_features_to_select="{}")'}
