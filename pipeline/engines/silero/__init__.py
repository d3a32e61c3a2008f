"""Voice activity detection: the Silero model on onnxruntime."""
