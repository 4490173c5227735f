"""Docstrings of public names by numpydoc's rules, with the exceptions that scikit-learn makes."""

from __future__ import annotations

import importlib
import inspect

import pytest

from svmsieve.criteria import Criterion

validate = pytest.importorskip("numpydoc.validate").validate

PACKAGES = ("", ".criteria", ".datasets", ".evaluation", ".papers", ".report", ".search", ".sizing")
PACKAGES += (".strategies", ".testing")

EXCEPTIONS = {"RT02", "GL01", "GL02"}
"""Where a docstring begins, and that a returned value may have a name."""

OF_CLASSES = {"ES01", "SA01", "EX01"}
"""An extended summary, See Also and Examples are asked of classes only."""

OF_CONTRACTS = {"PR01", "RT01", "YD01"}
"""A method that overrides one says what it does; parameters stand where the contract is documented."""


def public_objects():
    found = {}
    for package in PACKAGES:
        module = importlib.import_module(f"svmsieve{package}")
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                found.setdefault(thing, f"svmsieve{package}.{name}")
    return {name: thing for thing, name in found.items()}


def own_members(cls):
    """Names of public methods and properties that svmsieve defines for a class."""
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        function = getattr(member, "fget", None) or getattr(member, "__func__", member)
        ours = inspect.isfunction(function) and function.__module__.startswith("svmsieve")
        if ours and not name.startswith("_"):
            yield name


def contract(cls, name):
    """The class that first defined what a member of ``cls`` overrides; None where it overrides nothing."""
    owners = [base for base in cls.__mro__ if name in vars(base)]
    return owners[-1] if len(owners) > 1 else None


def errors(path, allowed):
    return [f"{code} {text}" for code, text in validate(path)["errors"] if code not in allowed]


OBJECTS = public_objects()


@pytest.mark.parametrize("name", OBJECTS)
def test_a_public_name_is_documented(name):
    thing = OBJECTS[name]
    if inspect.isfunction(thing):
        assert not errors(name, EXCEPTIONS | OF_CLASSES)
        return
    protocol = {"PR01"} if getattr(thing, "_is_protocol", False) else set()  # nobody makes one
    assert not errors(name, EXCEPTIONS | protocol)
    for member in own_members(thing):
        allowed = EXCEPTIONS | OF_CLASSES
        base = contract(thing, member)
        if base is not None:
            allowed = allowed | OF_CONTRACTS
            home = f"{base.__module__}.{base.__qualname__}.{member}"
            assert not errors(home, EXCEPTIONS | OF_CLASSES), home
        assert not errors(f"{name}.{member}", allowed), member


def test_the_rules_find_what_is_missing(monkeypatch):
    monkeypatch.setattr(Criterion.fed_by, "__doc__", "Return the scores.")
    assert errors("svmsieve.criteria.Criterion.fed_by", EXCEPTIONS | OF_CLASSES)
    assert len(OBJECTS) > 120
