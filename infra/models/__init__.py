"""Fetches, cuts and verifies weights."""
