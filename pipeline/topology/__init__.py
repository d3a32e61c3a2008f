"""What a pipeline is: its stages, how they are joined, and one constant for each pipeline."""
