"""Measures what AURA does, as somebody who calls it: imports nothing from the tests."""
