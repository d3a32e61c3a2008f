"""A conversation from a shell: through a sound card, WAV files or in writing, with a camera, alone or in a room."""
