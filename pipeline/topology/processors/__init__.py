"""Pure functions between two stages: what one hands on becomes the other's prompts."""
