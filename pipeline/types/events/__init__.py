"""What a session tells its caller: of their input, and of its answers. Free of any wire format."""
