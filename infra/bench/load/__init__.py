"""Puts a `/v1/realtime` server under load, and measures what its callers see."""
