"""Reads what a person asks of the launcher, and does it: up, down."""
