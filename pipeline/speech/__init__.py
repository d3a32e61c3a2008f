"""From sound to words: voice activity, the input audio buffer, utterances, streaming transcription."""
