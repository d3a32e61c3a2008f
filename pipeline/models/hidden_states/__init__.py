"""Hidden states of a vLLM engine, token by token, in memory that other processes share."""
