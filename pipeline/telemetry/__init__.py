"""What is told to whoever operates a pipeline, beside its metrics: traces."""
