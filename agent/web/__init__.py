"""The page, and tokens to join with."""
