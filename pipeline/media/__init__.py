"""Sound and pictures as numbers: WAV files, segmentation, video chunks."""
