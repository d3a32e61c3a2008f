"""Phone calls: who is admitted, the call from greeting to record, trunks, ringing somebody up."""
