"""What can be had by name, from here or from an installed package: imported when it is used."""
