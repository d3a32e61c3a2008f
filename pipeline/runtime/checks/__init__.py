"""What is found out of a deployment before an engine opens: its models, its wiring, its room on the GPUs."""
