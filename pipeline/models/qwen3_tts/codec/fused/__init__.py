"""The speech decoder's convolutions to the wave on a GPU, one Triton kernel each with all that lies behind it."""
