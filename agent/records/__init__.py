"""What is kept of a call if the operator wants that: its sound, its timeline, and who is told of it."""
