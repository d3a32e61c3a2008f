"""The command line: `aura-pipeline serve | check`, and offline `say`, `ask` and `transcribe`."""
