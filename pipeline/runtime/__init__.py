"""A running pipeline: engines are checked, opened, warmed up, supervised and counted."""
