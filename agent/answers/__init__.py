"""What is answered: turns that are spoken and written; answers that are cut, and given anew."""
