"""What a release consists of agrees: versions, dependencies, Pythons, addresses."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import svmsieve

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parents[1]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


PROJECT = tomllib.loads(text("pyproject.toml"))["project"]


def recipe():
    return yaml.safe_load(text("conda/recipe.yaml"))


def test_one_version_everywhere():
    version = svmsieve.__version__
    assert yaml.safe_load(text("CITATION.cff"))["version"] == version
    assert recipe()["context"]["version"] == version
    assert f"version = {{{version}}}" in text("docs/references.bib")
    (date,) = re.findall(rf"^## \[{re.escape(version)}\] - (\S+)$", text("CHANGELOG.md"), re.M)
    assert str(yaml.safe_load(text("CITATION.cff"))["date-released"]) == date


def test_conda_asks_for_what_pip_asks_for():
    asked = {each.replace(" ", "") for each in recipe()["requirements"]["run"]}
    assert asked - {"python>=${{python_min}}"} == {
        each.split(";")[0].replace(" ", "") for each in PROJECT["dependencies"]
    }
    assert PROJECT["requires-python"] == f">={recipe()['context']['python_min']}"


def test_hosted_ci_tries_every_python_that_is_declared():
    matrix = yaml.safe_load(text(".github/workflows/ci.yml"))["jobs"]["test"]["strategy"]["matrix"]
    declared = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert matrix["python"] == declared
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}


def test_the_five_papers_can_be_cited():
    entries = re.findall(r"^@\w+\{(\w+),", text("docs/references.bib"), re.M)
    assert {"shen2008", "yang2010", "rakotomamonjy2003", "chen2006", "heiler2001"} <= set(entries)
    assert len(yaml.safe_load(text("CITATION.cff"))["references"]) == 5


def test_the_readme_reads_well_on_the_index():
    readme = text("README.md")
    assert readme.count("\n") <= 100
    for address in re.findall(r"\]\(([^)]+)\)", readme):
        assert address.startswith("https://"), f"{address} is broken on the index"
        inside = re.search(r"svmsieve/svmsieve/(?:blob/)?main/(.+)", address)
        assert inside, address
        assert (ROOT / inside.group(1)).exists(), address


def test_addresses_are_of_one_repository():
    assert set(PROJECT["urls"]) == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    home = PROJECT["urls"]["Homepage"]
    assert all(address.startswith(home) for address in PROJECT["urls"].values())
    assert yaml.safe_load(text("CITATION.cff"))["repository-code"] == home
    assert recipe()["about"]["repository"] == home
