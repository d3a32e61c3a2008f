"""Soaks a stack: callers come and go, parts fail, and what is left behind is counted."""
