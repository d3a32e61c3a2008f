"""The model side: from a person's sound and pictures to an answer, behind one wire. It knows no LiveKit."""
