"""What every room of the launcher stands on: errors, folders, progress, child processes."""
