"""The code predictor's whole frame as one Triton kernel."""
