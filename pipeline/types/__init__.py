"""The frozen values that all rooms speak of: turns, requests, history, events, options."""
