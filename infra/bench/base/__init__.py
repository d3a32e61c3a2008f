"""What several measurements use: figures, speech, a session over the wire, the cost of processes."""
