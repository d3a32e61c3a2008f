"""Measures the eyes of the embedded profile, with photos that packages ship."""
