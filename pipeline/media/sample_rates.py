"""The sample rates of the pipeline, in Hz."""

SPEECH_RATE = 16_000  # Hz, mono: what recognisers and voice activity detectors hear
VOICE_RATE = 24_000  # Hz, mono: what voices speak, and the wire's `audio/pcm`
