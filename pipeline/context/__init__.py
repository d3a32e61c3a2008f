"""What a model is told of a conversation: its items, the window that is seen, and what is pruned."""
