"""What the command line says is in its own words: its options, the table's names."""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path

import pytest
import typer

import svmsieve
from svmsieve.cli.option_names import in_options
from tests.cli.running import QUICK, run, small_table, write_small

SELECT = ("--target", "kind", "--quiet", *QUICK)
PARAMETERS = re.compile(
    r"n_features_to_select|random_state|n_jobs|(?<![-\w])(search|criterion|cv)="
)


def messages():
    """Every message of an error in the source, with what is filled in as a word."""
    for path in Path(svmsieve.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
                continue
            for text in node.exc.args:
                if isinstance(text, ast.Constant):
                    yield str(text.value)
                elif isinstance(text, ast.JoinedStr):
                    parts = [
                        p.value if isinstance(p, ast.Constant) else "word" for p in text.values
                    ]
                    yield "".join(parts)


def test_no_message_names_a_parameter_of_the_library():
    found = [text for text in messages() if PARAMETERS.search(text)]
    assert len(found) > 10
    for text in found:
        assert not PARAMETERS.search(in_options(text)), in_options(text)


def test_names_of_files_and_columns_stay():
    for text in ("'cv=3.csv' has no column 'search=x'", "column 'n_jobs' must hold numbers"):
        assert in_options(text) == text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--size", "99"], "--size must be between 1 and the 6 features"),
        (["--size", "some"], "--size must be"),
        (["--size", "bound", "--search", "forward"], "--size bound needs"),
        (["--drop", "nobody"], "--drop names the column 'nobody'"),
        (["--id", "nobody"], "--id names the column 'nobody'"),
        (["--decimal", ";"], "--decimal must be"),
        (["--encoding", "nothing"], "--encoding must be one Python knows"),
        (["--memory", "1kB"], "raise --memory"),
    ],
)
def test_options_are_named_as_they_are_given(tmp_path, words, said):
    code, _, err = run("select", write_small(tmp_path), *SELECT, *words)
    assert code == 2
    assert said in err
    assert not PARAMETERS.search(err)
    assert "in Python" not in err


def test_without_a_target_the_columns_are_listed(tmp_path):
    path = write_small(tmp_path)
    for command in ("select", "compare"):
        code, _, err = run(command, path, "--quiet", *QUICK[:6])
        assert code == 2
        assert "a target is needed: name its column with --target; " in err
        assert "has 'a', 'b', 'u', 'v', 'w', 'colour', 'kind'." in err


class Terminal:
    def isatty(self):
        return True


@pytest.mark.parametrize("answers", [["kind"], ["7"], ["99", "knd", "kind"]])
def test_in_a_terminal_the_target_is_asked_for(tmp_path, monkeypatch, answers):
    from svmsieve.cli import target_question

    path, left = write_small(tmp_path), list(answers)
    monkeypatch.setattr(target_question, "sys", Seen())
    monkeypatch.setattr(typer, "prompt", lambda *words, **options: left.pop(0))
    code, out, err = run("select", path, "--quiet", "--size", "2", *QUICK)
    assert code == 0
    assert "2 of 6 features selected" in out
    assert "Which column of" in err
    assert "  7  kind (category)" in err
    assert ("did you mean 'kind'?" in err) == (len(answers) > 1)
    assert not left


class Seen:
    """The standard streams as those of a terminal; the command line as it is."""

    stdin = stderr = Terminal()

    @property
    def argv(self):
        return sys.argv

    @argv.setter
    def argv(self, words):
        sys.argv = words


def test_json_has_the_names_of_the_columns_everywhere(tmp_path):
    path = tmp_path / "small.csv"
    frame = small_table().rename(columns={"a": "height of\nherb", "w": "größe"})
    frame.to_csv(path, index=False)
    names = {*frame.columns, "colour=red", "colour=blue"} - {"kind"}
    common = ("--target", "kind", "--quiet", "--json", tmp_path / "a.json")
    two = ("--criteria", "f-score,s2n", "--C", "1", "--gamma", "scale", "--cv", "2", "--size", "2")
    for words in (("select", path, *common, *QUICK), ("compare", path, *common, *two)):
        assert run(*words)[0] == 0
        lists = list(lists_of_features(json.loads((tmp_path / "a.json").read_text())))
        assert len(lists) >= 4
        for each in lists:
            assert set(each) <= names, each


LISTS = ("feature_names", "selected", "order", "features", "names")


def lists_of_features(content):
    """Every list of features in a JSON output."""
    if isinstance(content, list):
        for each in content:
            yield from lists_of_features(each)
    if isinstance(content, dict):
        for key, value in content.items():
            plain = isinstance(value, list) and not any(
                isinstance(v, dict | list | bool) for v in value
            )
            if key in LISTS and plain:
                yield value
            else:
                yield from lists_of_features(value)
