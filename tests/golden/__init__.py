"""What the command line prints, as texts that are reviewed: ``python -m tests.golden`` writes them anew."""
