"""Runs the checks and the tests of infra/test, in lanes that share the machine."""
