"""Measures whether the embedded profile's model calls the right function with the right arguments."""
