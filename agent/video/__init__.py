"""What a person shows: their camera or their screen, whichever they started last, and the JPEG that is made of it."""
