"""The tools of a session: which of them the pipeline has called, and what is still due to it."""
