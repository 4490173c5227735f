"""How the command line ends: 0 done, 2 bad input or usage, 130 interrupted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from svmsieve.cli.interrupt import INTERRUPTED, going_on, sentence
from svmsieve.cli.option_names import in_options
from svmsieve.runtime.text import one_line

BAD_INPUT = 2
_LONGEST = 600


@contextmanager
def told(how_to_go_on: Callable[[], str] | None = None) -> Iterator[None]:
    """Tell bad input in one sentence, and how to go on where that is possible; no tracebacks.

    How to go on is told after Ctrl-C, when a cluster went away, and when a file could not be written.
    """
    try:
        with going_on(how_to_go_on):
            yield
    except KeyboardInterrupt:
        with going_on(how_to_go_on):
            say(f"\n{sentence()}")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:  # who read the output went away; the program ends in silence
        raise
    except OSError as error:
        refuse(_sentence(error) + ("" if how_to_go_on is None else f"\n{how_to_go_on()}"))
    except (ValueError, MemoryError, ImportError) as error:
        if isinstance(error, ImportError) and not _names_an_extra(error):
            raise
        refuse(_sentence(error))


def refuse(sentence: str) -> None:
    """Print why the input cannot be used, and end."""
    say(f"svmsieve: {sentence}")
    raise typer.Exit(BAD_INPUT)


def say(text: str) -> None:
    """Print to the standard error, whatever characters its encoding knows."""
    encoding = sys.stderr.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), file=sys.stderr)


def _names_an_extra(error: ImportError) -> bool:
    return "install" in str(error)


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror is not None:
        where = "" if error.filename is None else f"{one_line(error.filename, 200)}: "
        return f"{where}{error.strerror}."
    text = in_options(" ".join(str(error).split()))
    return one_line(text or f"{type(error).__name__}.", _LONGEST)
