"""``python -m svmsieve.cli``."""

from svmsieve.cli import main

main()
