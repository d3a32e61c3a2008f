"""What is told to whoever operates an agent: its spans join LiveKit's trace of a call."""
