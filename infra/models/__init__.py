"""Fetches the weights of models, and vouches for every file's digest."""
