"""Rankings and response curves: ``rank`` and ``response``."""
