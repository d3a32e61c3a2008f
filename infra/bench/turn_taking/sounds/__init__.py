"""The sounds that are made over an answer: voices, noises, and the cases made of them."""
