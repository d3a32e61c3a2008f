"""Answers to what is written, and answers that are cut and given anew."""
