"""Measures by eot-bench's protocol how well ends of turns are told from pauses."""
