"""What words alone say of whether a sentence is over."""
