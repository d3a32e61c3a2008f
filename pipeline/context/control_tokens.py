"""What people say and write has no power over the prompts that it stands in."""


def escape_control_tokens(text: str) -> str:
    """Without half characters, and without the marks of templates: with them it could pose as somebody else's."""
    return text.encode(errors="replace").decode().replace("<|", "< |")
