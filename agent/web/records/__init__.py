"""The records of calls, for those who were in them."""
