"""The cells of an installation: how many places they have together, and what each tells LiveKit's dispatch."""
