"""What is written in a picture: lines are found, straightened and read."""
