"""llama.cpp's own server: the process that holds the model, and what is asked of it over loopback."""
