"""A person in a LiveKit room, who speaks, films, types, and keeps what comes back."""
