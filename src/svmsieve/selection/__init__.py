"""``SVMSieve``: its searches over folds, their record and progress, the choice of size, the final machine."""
