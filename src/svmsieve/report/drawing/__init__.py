"""A small writer of SVG: colours for light and dark, signs, scales, axes, matrices of cells."""
