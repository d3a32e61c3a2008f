"""Cells as replicas of Ray Serve, for /v1/realtime: runs in a venv of its own, and takes nothing from the launcher."""
