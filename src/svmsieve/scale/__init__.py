"""Past the kernel matrix: data in row chunks, and the machine that is linear in the number of rows."""
