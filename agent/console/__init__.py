"""A conversation from a shell: WAV files for ears and mouth, or in writing."""
