"""What can be had by name, whether it comes with AURA or with a package of somebody else's."""
