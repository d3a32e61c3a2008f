"""Recognises what is in pictures with small models of a CPU: things and text, in a process of its own."""
