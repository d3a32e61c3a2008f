"""What is in a picture: the detector of places, the classifier, and one list made of what both say."""
