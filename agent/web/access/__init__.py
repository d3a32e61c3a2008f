"""Who may ask for calls: a password or a sign-in elsewhere, the sessions of who has passed, and limits by address."""
