"""Brings what is missing before anything can run: venvs, programs, the page, weights."""
