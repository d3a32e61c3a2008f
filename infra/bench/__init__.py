"""Benchmarks of a running stack: latency, cancels, load."""
