"""Rooms and their jobs: who is present, and who takes over when an agent dies."""
