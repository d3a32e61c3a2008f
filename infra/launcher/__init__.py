"""infra/up, infra/down and infra/test: set up what is missing, run AURA, test it."""
