"""The stable set on problems whose truth is known, beside Stabl."""
