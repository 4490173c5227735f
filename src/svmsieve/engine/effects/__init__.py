"""What one feature does to a machine: responses, sums over pairs, gradients, removals."""
