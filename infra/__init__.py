"""Sets up, runs, stops, tests and measures AURA; holds the settings of what it runs."""
