"""The answers of a conversation: what was asked for and is not done, and how each ended."""
