"""The pipeline as LiveKit's RealtimeModel: one socket, its session, its responses, its media."""
