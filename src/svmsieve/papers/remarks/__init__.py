"""Remarks on the papers' numbers: why one of ours differs, what the paper leaves open."""
