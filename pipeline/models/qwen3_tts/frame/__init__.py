"""What a step draws: codebook 0, the other codebooks, and the frame of each request that they are."""
