"""The pipelines that come with AURA, each found by its name."""
