"""Starts the services of a stack, keeps them alive, and leaves nothing of them behind."""
