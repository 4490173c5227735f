"""``python -m svmsieve``."""

from svmsieve.cli import main

main()
