"""What a relay in front of a pipeline costs."""
