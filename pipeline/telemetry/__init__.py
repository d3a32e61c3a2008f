"""What is told to whoever operates a pipeline, beside its metrics: traces, and the form of its logs."""
