"""Numbers only: kernels, solvers, expansions and the primitives every criterion is made of.

Nothing in this folder imports another layer of svmsieve.  The public edges check their arguments
once; the functions inside trust them.
"""
