"""The quadratic programmes and how they are solved."""
