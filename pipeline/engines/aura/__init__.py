"""The model that sees and answers, or is silent, on vLLM: AURA."""
