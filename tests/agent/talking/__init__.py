"""A person, the real call and the real pipeline's session in one process, on virtual time: words are told by sound."""
