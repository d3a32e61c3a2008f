"""What the agent tells the room about itself, and how long people wait."""
