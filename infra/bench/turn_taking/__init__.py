"""Measures turn taking: who yields to an interruption, and what holds through a backchannel, a noise or an aside."""
