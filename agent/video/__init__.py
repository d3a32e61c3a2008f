"""What a person shows: their camera or their screen, whichever they started last."""
