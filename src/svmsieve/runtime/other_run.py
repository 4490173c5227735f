"""Files that are no record of the run that is to go on: refused in words that say what differs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

_SHORT = 60
"""Characters after which only what differs in a parameter is told."""

_FOLDS = re.compile(r"\['[0-9a-f]{16}'(, '[0-9a-f]{16}')*\]")
_HASH = re.compile(r",? \b[0-9a-f]{16}\b")


def refuse_other_run(found: dict[str, Any], wanted: dict[str, Any], name: str) -> None:
    """Raise a ValueError that says what differs between the record and the run."""
    there, now = found.get("format"), wanted["format"]
    if isinstance(there, int) and there != now:
        raise ValueError(
            f"checkpoint {name!r} was written by {'an older' if there < now else 'a newer'} svmsieve (format "
            f"{there}, here it is {now}) and cannot be continued. Choose another path, or remove the file to "
            "start again."
        )
    differences = []
    theirs = _versions(found)
    for what, now in _versions(wanted).items():
        if theirs.get(what) != now:
            differences.append(f"the {what} ({theirs.get(what)} there, {now} now)")
    if found.get("data") != wanted["data"]:
        differences.append("the data (other values, rows or columns)")
    old, new = found.get("parameters", {}), wanted["parameters"]
    for parameter in sorted(set(old) | set(new)):
        if old.get(parameter) != new.get(parameter):
            both = [_without_hashes(str(each.get(parameter))) for each in (old, new)]
            there, now = _where_they_differ(*both)
            what = "other values" if there == now else f"{there} there, {now} now"
            differences.append(f"{parameter} ({what})")
    if differences:
        raise ValueError(
            f"checkpoint {name!r} is of another run: {'; '.join(differences)}. Choose another path, or "
            "remove the file to start again."
        )


def _versions(header: dict[str, Any]) -> dict[str, Any]:
    """Return in words what a header says of the software that wrote it."""
    others = {f"version of {each}": number for each, number in header.get("versions", {}).items()}
    return {"version of svmsieve": header.get("svmsieve"), "format": header.get("format"), **others}


def _without_hashes(text: str) -> str:
    """Return a description in words only: hashes tell that values differ, but say nothing to a person.

    >>> _without_hashes("['3d97143919374644', 'a6dd2dda7f7cf1cf']")
    '2 folds one by one'
    >>> _without_hashes("[40 values, 3d97143919374644]")
    '[40 values]'
    """
    if _FOLDS.fullmatch(text):
        return f"{text.count(',') + 1} folds one by one"
    return _HASH.sub("", text)


def _where_they_differ(there: str, now: str) -> tuple[str, str]:
    """Return two descriptions; of long ones only the parts between commas that are not in both."""
    if max(len(there), len(now)) <= _SHORT:
        return there, now
    parts, others = there.split(", "), now.split(", ")
    return (
        ", ".join(part for part in parts if part not in others) or "less",
        ", ".join(part for part in others if part not in parts) or "less",
    )


def refuse_no_record(raw: Sequence[bytes], header: dict[str, Any], name: str) -> None:
    """Raise a ValueError unless the file is nothing but the damaged header of a record."""
    try:
        first = json.loads(raw[0])
    except ValueError:
        first = None
    if (
        isinstance(first, dict)
        and "parameters" in first
        and first.get("format") != header["format"]
    ):
        refuse_other_run(first, header, name)
    start = b'{"svmsieve":"'
    if not (raw[0].startswith(start) or start.startswith(raw[0])):
        raise ValueError(f"checkpoint {name!r} is not a run record; choose another path.")
    if len(raw) > 1:
        raise ValueError(
            f"checkpoint {name!r} has a damaged header, and its lines are of another run or damaged too; "
            "choose another path, or remove the file to start again."
        )
