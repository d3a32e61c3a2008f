"""The code predictor of Qwen3-TTS: the fifteen acoustic codes of a frame, plain, in graphs or as one kernel."""
