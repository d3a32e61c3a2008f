"""Conversations through LiveKit's AgentSession and the pipeline's session: what is said, and what must be heard."""
