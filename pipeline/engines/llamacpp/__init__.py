"""The language model of the embedded profile: llama.cpp's server as a child process."""
