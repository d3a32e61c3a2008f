"""When the agent may speak of its own accord: the floor, what comes of offers, who asks for quiet."""
