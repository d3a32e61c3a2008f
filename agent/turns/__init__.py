"""Whose turn it is: what a sound means, when a person has finished, how the pipeline's partials tell."""
