"""Threads, memory, seeds, compiled code, loops on a cluster, files that survive a kill: nothing of SVMs."""
