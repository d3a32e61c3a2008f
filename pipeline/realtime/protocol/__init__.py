"""What stands on the wire: client events and their checks, items, sound, server events."""
