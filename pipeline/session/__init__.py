"""One caller: what is asked, and the one response that is being given."""
