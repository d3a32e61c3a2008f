"""The voice of the embedded profile: hibari."""
