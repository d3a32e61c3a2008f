"""The data flow of a turn: stages, the streams between them, and output that is speculative until it is certain."""
